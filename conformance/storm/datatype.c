/* A storm of derived datatypes: `datatype SEED ROUNDS`.
 *
 * A round builds a tree of random constructors, up to four deep, and hashes all that MPI returns of
 * it: size, bounds, envelope and contents, packed bytes (native and external32), memory after
 * unpacking, element counts, and the data of a message to the rank itself. Every rank has its own
 * trees; rank 0 prints one hash per round. Every library must print the same. */
#include "storm.h"

enum { DEPTH = 4, WIDTH = 4, MEMORY = 1 << 21, LARGEST = 1 << 15, FURTHEST = 1 << 17 };

static unsigned char *from, *into, *packed, *again;
static int me, np, verbose, has_pairs, has_structs, has_arrays, may_count, may_pair, fewest;

#define LIST(X) X(MPI_CHAR) X(MPI_SHORT) X(MPI_INT) X(MPI_LONG) X(MPI_FLOAT) X(MPI_DOUBLE)         \
    X(MPI_BYTE) X(MPI_UINT8_T) X(MPI_INT16_T) X(MPI_UINT32_T) X(MPI_INT64_T) X(MPI_C_BOOL)         \
    X(MPI_C_FLOAT_COMPLEX) X(MPI_C_DOUBLE_COMPLEX) X(MPI_AINT) X(MPI_COUNT)
/* The reference (MPICH 5.0.2) has no external32 form of these. */
#define PAIRS(X) X(MPI_2INT) X(MPI_DOUBLE_INT) X(MPI_FLOAT_INT) X(MPI_SHORT_INT) X(MPI_LONG_INT)

static MPI_Datatype basic(Draws *d)
{
#define NAME(T) T,
    const MPI_Datatype all[] = {LIST(NAME)}, pairs[] = {PAIRS(NAME)};
    if (!may_pair || chance(d, 60))
        return all[below(d, (int)(sizeof all / sizeof *all))];
    has_pairs = 1;
    return pairs[below(d, (int)(sizeof pairs / sizeof *pairs))];
}

static int between(Draws *d, int low, int high)
{
    return low + below(d, high - low + 1);
}

static void done_with(MPI_Datatype *type)
{
    int integers, addresses, types, combiner;
    MPI_Count ni, na, nc, nt;
    (void)integers, (void)addresses, (void)types;
    MPI_Type_get_envelope_c(*type, &ni, &na, &nc, &nt, &combiner);
    if (combiner != MPI_COMBINER_NAMED)
        MPI_Type_free(type);
}

/* Bounds are limited. Types that others are built from are not empty: the reference drops the
 * bounds of empty parts, or keeps their displacements. */
static int is_modest(MPI_Datatype type, int depth)
{
    MPI_Count size, lb, extent, true_lb, true_extent;
    MPI_Type_size_x(type, &size);
    MPI_Type_get_extent_x(type, &lb, &extent);
    MPI_Type_get_true_extent_x(type, &true_lb, &true_extent);
    return (size > 0 || depth == DEPTH) && size <= LARGEST && llabs(lb) <= FURTHEST &&
           llabs(extent) <= FURTHEST && llabs(true_lb) <= FURTHEST && true_extent <= FURTHEST;
}

/* The reference misplaces the first byte of arrays of types that do not begin at 0. */
static int begins_at_zero(MPI_Datatype type)
{
    MPI_Aint lb, extent;
    MPI_Type_get_true_extent(type, &lb, &extent);
    return lb == 0;
}

static MPI_Datatype grow(Draws *d, int depth);

static void make_vector(Draws *d, MPI_Datatype old, MPI_Datatype *new)
{
    int n = between(d, fewest, 4), length = between(d, 1, 3), step = between(d, -5, 6);
    int bytes = between(d, -40, 80);
    switch (below(d, 4) & (may_count ? 3 : 2)) {
    case 0: MPI_Type_vector(n, length, step, old, new); return;
    case 1: MPI_Type_vector_c(n, length, step, old, new); return;
    case 2: MPI_Type_create_hvector(n, length, bytes, old, new); return;
    default: MPI_Type_create_hvector_c(n, length, bytes, old, new);
    }
}

static void make_indexed(Draws *d, MPI_Datatype old, MPI_Datatype *new)
{
    int n = between(d, fewest, 5), lengths[5], at[5], length = between(d, 1, 3), jumps[5];
    MPI_Aint bytes[5];
    MPI_Count long_lengths[5], long_at[5];
    for (int i = 0, next = 0; i < n; i++) {
        lengths[i] = between(d, fewest, 3);
        jumps[i] = next + between(d, 0, 3);
        next = jumps[i] + 3;
        at[i] = chance(d, 70) ? jumps[i] : between(d, -4, 9);
        bytes[i] = between(d, -99, 99);
        long_lengths[i] = lengths[i];
        long_at[i] = at[i];
    }
    switch (below(d, may_count ? 6 : 4)) {
    case 0: MPI_Type_indexed(n, lengths, at, old, new); return;
    case 1: MPI_Type_create_hindexed(n, lengths, bytes, old, new); return;
    case 2: MPI_Type_create_indexed_block(n, length, at, old, new); return;
    case 3: MPI_Type_create_hindexed_block(n, length, bytes, old, new); return;
    case 4: MPI_Type_indexed_c(n, long_lengths, long_at, old, new); return;
    default: MPI_Type_create_indexed_block_c(n, length, long_at, old, new);
    }
}

static void make_struct(Draws *d, int depth, MPI_Datatype *new)
{
    int n = between(d, 1, WIDTH), lengths[WIDTH];
    MPI_Aint at[WIDTH], end = 0, lb, extent;
    MPI_Count long_lengths[WIDTH], long_at[WIDTH];
    MPI_Datatype parts[WIDTH];
    has_structs = 1;
    for (int i = 0; i < n; i++) {
        parts[i] = grow(d, depth - 1);
        lengths[i] = between(d, fewest, 3);
        MPI_Type_get_true_extent(parts[i], &lb, &extent);
        at[i] = end + between(d, 0, 9);
        end = at[i] + 3 * extent;
        long_lengths[i] = lengths[i];
        long_at[i] = at[i];
    }
    if (!may_count || chance(d, 70))
        MPI_Type_create_struct(n, lengths, at, parts, new);
    else
        MPI_Type_create_struct_c(n, long_lengths, long_at, parts, new);
    for (int i = 0; i < n; i++)
        done_with(&parts[i]);
}

static void make_array(Draws *d, MPI_Datatype old, MPI_Datatype *new)
{
    int n = between(d, 1, 3), sizes[3], parts[3], starts[3], kinds[3], arguments[3], grid[3];
    int order = chance(d, 50) ? MPI_ORDER_C : MPI_ORDER_FORTRAN, all = 1, is_cyclic = 0;
    MPI_Count long_sizes[3], long_parts[3], long_starts[3];
    for (int i = 0; i < n; i++) {
        sizes[i] = between(d, 1, 6);
        parts[i] = between(d, 1, sizes[i]);
        starts[i] = between(d, 0, sizes[i] - parts[i]);
        grid[i] = between(d, 1, 3);
        kinds[i] = below(d, 2) ? MPI_DISTRIBUTE_BLOCK : MPI_DISTRIBUTE_CYCLIC;
        is_cyclic |= kinds[i] == MPI_DISTRIBUTE_CYCLIC;
        arguments[i] = MPI_DISTRIBUTE_DFLT_DARG;
        if (chance(d, 30))
            arguments[i] = kinds[i] == MPI_DISTRIBUTE_BLOCK ? (sizes[i] + grid[i] - 1) / grid[i]
                                                            : between(d, 1, 3);
        if (chance(d, 20)) {
            grid[i] = 1;
            kinds[i] = MPI_DISTRIBUTE_NONE;
            arguments[i] = MPI_DISTRIBUTE_DFLT_DARG;
        }
        all *= grid[i];
        long_sizes[i] = sizes[i];
        long_parts[i] = parts[i];
        long_starts[i] = starts[i];
    }
    /* For cyclic distributions, the reference returns the true bounds of rank 0. */
    int rank = is_cyclic ? 0 : below(d, all);
    has_arrays = 1;
    switch (below(d, 4) & (may_count ? 3 : 2)) {
    case 0:
        MPI_Type_create_subarray(n, sizes, parts, starts, order, old, new);
        return;
    case 1:
        MPI_Type_create_subarray_c(n, long_sizes, long_parts, long_starts, order, old, new);
        return;
    case 2:
        MPI_Type_create_darray(all, rank, n, sizes, kinds, arguments, grid, order, old, new);
        return;
    default:
        MPI_Type_create_darray_c(all, rank, n, long_sizes, kinds, arguments, grid, order, old, new);
    }
}

static MPI_Datatype grow(Draws *d, int depth)
{
    if (depth == 0 || chance(d, 15))
        return basic(d);
    MPI_Datatype new, old;
    int which = below(d, 12);
    /* The reference pads structs of pairs, duplicates and arrays differently. */
    if (which < 3 && !may_pair) {
        make_struct(d, depth, &new);
    } else {
        old = grow(d, depth - 1);
        if (which < 5)
            make_vector(d, old, &new);
        else if (which < 8)
            make_indexed(d, old, &new);
        else if (which < 10 && may_pair)
            make_array(d, begins_at_zero(old) ? old : MPI_DOUBLE, &new);
        else if (which == 10 && chance(d, 50))
            MPI_Type_create_resized(old, between(d, -16, 16), between(d, 0, 120), &new);
        else if (which == 10 && may_pair)
            MPI_Type_dup(old, &new);
        else if (!may_count || chance(d, 50))
            MPI_Type_contiguous(chance(d, 80) ? between(d, 2, 4) : fewest * 2, old, &new);
        else
            MPI_Type_contiguous_c(between(d, 2, 4), old, &new);
        done_with(&old);
    }
    if (is_modest(new, depth))
        return new;
    MPI_Type_free(&new);
    return basic(d);
}

static uint64_t step(const char *what, uint64_t hash, uint64_t value)
{
    if (verbose)
        fprintf(stderr, "    %s %lld\n", what, (long long)value);
    return fold(hash, value);
}

/* Hashes MPI's description of a type, and of the types it is built from. */
static uint64_t describe(MPI_Datatype type, uint64_t hash, int depth)
{
    MPI_Count size, lb, extent, n[4], counts[40];
    int combiner, integers[40];
    MPI_Aint addresses[40];
    MPI_Datatype types[40];
    MPI_Type_size_x(type, &size);
    hash = step("size", hash, size);
    MPI_Type_get_envelope_c(type, &n[0], &n[1], &n[2], &n[3], &combiner);
    hash = step("combiner", hash, combiner);
    MPI_Type_get_extent_x(type, &lb, &extent);
    hash = step("lb", step("extent", hash, extent), lb);
    MPI_Type_get_true_extent_x(type, &lb, &extent);
    hash = step("true lb", step("true extent", hash, extent), lb);
    for (int i = 0; i < 4; i++)
        hash = step("arguments", hash, n[i]);
    if (combiner == MPI_COMBINER_NAMED || depth == 0)
        return hash;
    MPI_Type_get_contents_c(type, n[0], n[1], n[2], n[3], integers, addresses, counts, types);
    for (int i = 0; i < n[0]; i++)
        hash = step("integer", hash, integers[i]);
    for (int i = 0; i < n[1]; i++)
        hash = step("address", hash, addresses[i]);
    for (int i = 0; i < n[2]; i++)
        hash = step("count", hash, counts[i]);
    for (int i = 0; i < n[3]; i++) {
        hash = describe(types[i], hash, depth - 1);
        done_with(&types[i]);
    }
    return hash;
}

/* Packs and unpacks. True if no byte of memory occurs twice, so that unpacking is defined. */
static int pack(MPI_Datatype type, int count, uint64_t *hash, uint64_t key)
{
    int size, at = 0;
    MPI_Type_size(type, &size);
    MPI_Pack(from + MEMORY / 2, count, type, packed, MEMORY, &at, MPI_COMM_SELF);
    *hash = step("packed", *hash, at);
    *hash = step("packed bytes", *hash, fold_bytes(0, packed, at));
    fill(packed, at, key);
    memset(into, 0x5a, MEMORY);
    int end = at;
    at = 0;
    MPI_Unpack(packed, end, &at, into + MEMORY / 2, count, type, MPI_COMM_SELF);
    at = 0;
    MPI_Pack(into + MEMORY / 2, count, type, again, MEMORY, &at, MPI_COMM_SELF);
    int is_plain = memcmp(packed, again, end) == 0;
    *hash = step("plain", *hash, is_plain);
    if (is_plain)
        *hash = step("unpacked", *hash, fold_bytes(0, into, MEMORY));
    return is_plain;
}

static void external(MPI_Datatype type, int count, uint64_t *hash)
{
    MPI_Aint size, at = 0;
    MPI_Pack_external_size("external32", count, type, &size);
    *hash = step("external size", *hash, size);
    MPI_Pack_external("external32", from + MEMORY / 2, count, type, packed, MEMORY, &at);
    *hash = step("external", *hash, fold_bytes(at, packed, at));
}

static void elements(Draws *d, MPI_Datatype type, uint64_t *hash)
{
    MPI_Status status;
    MPI_Count size, many;
    int few;
    MPI_Type_size_x(type, &size);
    memset(&status, 0, sizeof status);
    for (int i = 0; i < 4; i++) {
        MPI_Status_set_elements(&status, MPI_BYTE, below(d, 3 * (int)size + 2));
        MPI_Get_elements_x(&status, type, &many);
        MPI_Get_count(&status, type, &few);
        *hash = step("elements", *hash, many);
        *hash = step("items", *hash, few);
    }
}

static void send(MPI_Datatype type, int count, uint64_t *hash)
{
    MPI_Status status;
    int got;
    memset(into, 0x77, MEMORY);
    MPI_Sendrecv(from + MEMORY / 2, count, type, 0, 3, into + MEMORY / 2, count + 1, type, 0, 3,
                 MPI_COMM_SELF, &status);
    MPI_Get_count(&status, type, &got);
    *hash = step("sent items", *hash, got);
    *hash = step("received", *hash, fold_bytes(0, into, MEMORY));
}

static uint64_t run_round(uint64_t seed, int round)
{
    Draws d = {fold(fold(seed, round), me)};
    uint64_t hash = 0;
    /* The reference (MPICH 5.0.2) fails an assertion or divides by zero if parts are empty, and
     * counts no elements in types of several constructors: both are omitted below. */
    has_pairs = has_structs = has_arrays = 0;
    may_count = chance(&d, 40);
    may_pair = chance(&d, 45);
    fewest = chance(&d, 75);
    MPI_Datatype made = grow(&d, DEPTH), type;
    MPI_Type_dup(made, &type);
    done_with(&made);
    MPI_Type_commit(&type);
    if (verbose)
        fprintf(stderr, "rank %d round %d\n", me, round);
    hash = describe(type, hash, DEPTH + 2);
    int count = between(&d, 0, 3), is_plain = pack(type, count, &hash, draw(&d));
    if (!has_pairs && !has_structs && !has_arrays && !may_count && fewest > 0) {
        external(type, count, &hash);
        elements(&d, type, &hash);
    }
    if (is_plain && pack(type, count + 1, &hash, 1))
        send(type, count, &hash);
    MPI_Type_free(&type);
    return hash;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &np);
    if (argc < 3)
        DIE("datatype SEED ROUNDS");
    uint64_t seed = strtoull(argv[1], NULL, 0);
    int rounds = atoi(argv[2]), first = argc > 3 ? atoi(argv[3]) : 0;
    /* With a first round given, only that round runs and is printed in full. */
    verbose = argc > 3;
    from = need(MEMORY);
    into = need(MEMORY);
    packed = need(MEMORY);
    again = need(MEMORY);
    fill(from, MEMORY, seed);
    if (me == 0)
        printf("datatype: seed %llu, %d rounds, %d ranks\n", (unsigned long long)seed, rounds, np);
    for (int round = first; round < (verbose ? first + 1 : rounds); round++) {
        uint64_t own = run_round(seed, round), sum = 0;
        MPI_Reduce(&own, &sum, 1, MPI_UINT64_T, MPI_BXOR, 0, MPI_COMM_WORLD);
        if (me == 0)
            printf("round %d: %016llx\n", round, (unsigned long long)sum);
    }
    free(from);
    free(into);
    free(packed);
    free(again);
    MPI_Finalize();
    return 0;
}
