/* One-sided storm: random windows, operations, datatypes and synchronization, restricted to cases
 * with one outcome by the standard. Prints one hash per round, of all memory and all results: two
 * MPI libraries agree line by line, on any number of nodes.
 *
 *     onesided SEED ROUNDS
 *
 * Why outcomes are defined: memory is divided into slots. In one epoch, a slot is the target of one
 * kind of access: puts of one origin, gets of many, accumulates of many with one commutative
 * operation, or ordered accumulates of one origin. */
#include <complex.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------- */
/* Random draws, equal on all ranks of a communicator. */

static uint64_t state;

static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}
static int draw(int n) { return (int)(mix(state++) % (uint64_t)n); }

static uint64_t hash(uint64_t h, const void *memory, size_t bytes)
{
    for (const unsigned char *p = memory; bytes--; p++)
        h = (h ^ *p) * 0x100000001b3u;
    return h;
}

/* ------------------------------------------------------------------------------------------- */
/* Values of all types: small, so that sums of floating point are exact in any order. */

enum { U8, I16, I32, I64, U32, U64, F32, F64, C64, BYTES, BOOL, II, FI, TYPES };

static MPI_Datatype type_of(int t)
{
    MPI_Datatype all[TYPES] = {MPI_UINT8_T, MPI_SHORT,  MPI_INT,    MPI_LONG,
                               MPI_UINT32_T, MPI_UINT64_T, MPI_FLOAT, MPI_DOUBLE,
                               MPI_C_DOUBLE_COMPLEX, MPI_BYTE, MPI_C_BOOL, MPI_2INT,
                               MPI_FLOAT_INT};
    return all[t];
}
static const int size_of[TYPES] = {1, 2, 4, 8, 4, 8, 4, 8, 16, 1, 1, 8, 8};

static void set(int t, void *at, int v)
{
    switch (t) {
    case U8: case BYTES: *(uint8_t *)at = (uint8_t)v; break;
    case I16: *(short *)at = (short)(v - 50); break;
    case I32: *(int *)at = v - 50; break;
    case I64: *(long *)at = v - 50; break;
    case U32: *(uint32_t *)at = (uint32_t)v; break;
    case U64: *(uint64_t *)at = (uint64_t)v; break;
    case F32: *(float *)at = (float)v; break;
    case F64: *(double *)at = v; break;
    case C64: *(double complex *)at = v + 3 * v * I; break;
    case BOOL: *(bool *)at = v & 1; break;
    case II: ((int *)at)[0] = v % 7, ((int *)at)[1] = v; break;
    case FI: ((float *)at)[0] = (float)(v % 7), ((int *)at)[1] = v; break;
    }
}

/* An operation for concurrent accumulates: commutative and exact. */
static MPI_Op op_for(int t)
{
    MPI_Op whole[] = {MPI_SUM, MPI_MAX, MPI_MIN, MPI_BAND, MPI_BOR,
                      MPI_BXOR, MPI_LAND, MPI_LOR, MPI_LXOR, MPI_PROD};
    MPI_Op real[] = {MPI_SUM, MPI_MAX, MPI_MIN};
    switch (t) {
    case U8: case U32: case U64: return whole[draw(10)];
    case I16: case I32: case I64: return whole[draw(9)];
    case F32: case F64: return real[draw(3)];
    case C64: return MPI_SUM;
    case BYTES: return whole[3 + draw(3)];
    case BOOL: return whole[6 + draw(3)];
    default: return draw(2) ? MPI_MINLOC : MPI_MAXLOC;
    }
}
static int is_integer(int t) { return t <= U64; }

/* ------------------------------------------------------------------------------------------- */
/* Layouts: `k` elements somewhere within 2 k elements. */

struct layout {
    MPI_Datatype type;
    int count, derived;
};

static struct layout layout(int t, int k)
{
    struct layout l = {type_of(t), k, 1};
    MPI_Aint z = size_of[t];
    int kind = draw(7), *at;
    switch (kind) {
    case 1:
        MPI_Type_vector(k, 1, 2, type_of(t), &l.type);
        l.count = 1;
        break;
    case 2:
        at = malloc((size_t)k * sizeof(int));
        for (int i = 0; i < k; i++)
            at[i] = 2 * k - 1 - i - i / 2;
        MPI_Type_create_indexed_block(k, 1, at, type_of(t), &l.type);
        free(at);
        l.count = 1;
        break;
    case 3:
        MPI_Type_create_resized(type_of(t), 0, 2 * z, &l.type);
        break;
    case 4: {
        int lengths[2] = {k / 2, k - k / 2};
        MPI_Aint places[2] = {0, (k / 2 + 1) * z};
        MPI_Datatype types[2] = {type_of(t), type_of(t)};
        if (k < 2) {
            l.derived = 0;
            return l;
        }
        MPI_Type_create_struct(2, lengths, places, types, &l.type);
        l.count = 1;
        break;
    }
    default:
        l.derived = 0;
        return l;
    }
    MPI_Type_commit(&l.type);
    return l;
}
/* Datatypes may be freed while operations that use them are pending. */
static void drop(struct layout l)
{
    if (l.derived)
        MPI_Type_free(&l.type);
}

/* ------------------------------------------------------------------------------------------- */
/* A window and its attributes. */

enum { SLOTS = 6, MOST = 64 };
enum { CREATE, ALLOCATE, SHARED, DYNAMIC, KINDS };
enum { FENCE, PAIRS, EXCLUSIVE, SHARING, ALL, MODES };
static const char *mode_name[] = {"fence", "pairs", "exclusive", "shared", "all"};
static const char *kind_name[] = {"create", "allocate", "shared", "dynamic"};

static MPI_Comm comm;
static MPI_Win win;
static int me, n, kind, mode, slot_bytes;
static char *mine;
static int unit[MOST], type[MOST][SLOTS], edge[MOST][MOST];
static MPI_Aint origin_of[MOST]; /* Of dynamic windows: the address of each part. */

/* Buffers and requests of the current epoch. */
static struct { char *memory; size_t bytes; int is_result; } used[4096];
static MPI_Request open_requests[4096];
static int n_used, n_requests;
static uint64_t tickets;

static char *buffer(size_t bytes, int is_result)
{
    used[n_used].memory = calloc(1, bytes);
    used[n_used].bytes = bytes;
    used[n_used].is_result = is_result;
    return used[n_used++].memory;
}
/* 2 k values, which depend on the rank and on `salt`. */
static char *values(int t, int k, int salt)
{
    char *out = buffer((size_t)2 * k * size_of[t], 0);
    for (int i = 0; i < 2 * k; i++)
        set(t, out + i * size_of[t], (int)(mix((uint64_t)salt * 8191 + i + 77 * me) % 100));
    return out;
}
static char *results(int t, int k) { return buffer((size_t)2 * k * size_of[t], 1); }

static MPI_Aint place(int target, int slot)
{
    MPI_Aint at = (MPI_Aint)slot * slot_bytes;
    return kind == DYNAMIC ? MPI_Aint_add(origin_of[target], at) : at / unit[target];
}

static int is_passive(void) { return mode >= EXCLUSIVE; }

/* Some requests are waited for at once, others at the end of the epoch. */
static void keep(MPI_Request r, int at_once)
{
    if (at_once)
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    else
        open_requests[n_requests++] = r;
}

static void put(int t, int k, int target, MPI_Aint at, int salt, int yes)
{
    struct layout here = layout(t, k), there = layout(t, k);
    int with_request = draw(3) == 0, at_once = draw(2);
    if (yes) {
        char *out = values(t, k, salt);
        if (is_passive() && with_request) {
            MPI_Request r;
            MPI_Rput(out, here.count, here.type, target, at, there.count, there.type, win, &r);
            keep(r, at_once);
        } else
            MPI_Put(out, here.count, here.type, target, at, there.count, there.type, win);
    }
    drop(here), drop(there);
}

static void get(int t, int k, int target, MPI_Aint at, int yes)
{
    struct layout here = layout(t, k), there = layout(t, k);
    int with_request = draw(3) == 0, at_once = draw(2);
    if (yes) {
        char *in = results(t, k);
        if (is_passive() && with_request) {
            MPI_Request r;
            MPI_Rget(in, here.count, here.type, target, at, there.count, there.type, win, &r);
            keep(r, at_once);
        } else
            MPI_Get(in, here.count, here.type, target, at, there.count, there.type, win);
    }
    drop(here), drop(there);
}

static void accumulate(int t, int k, int target, MPI_Aint at, MPI_Op op, int salt, int yes)
{
    struct layout here = layout(t, k), there = layout(t, k);
    int with_request = draw(3) == 0, at_once = draw(2);
    if (yes) {
        char *out = values(t, k, salt);
        if (is_passive() && with_request) {
            MPI_Request r;
            MPI_Raccumulate(out, here.count, here.type, target, at, there.count, there.type, op,
                            win, &r);
            keep(r, at_once);
        } else
            MPI_Accumulate(out, here.count, here.type, target, at, there.count, there.type, op,
                           win);
    }
    drop(here), drop(there);
}

static void get_accumulate(int t, int k, int target, MPI_Aint at, MPI_Op op, int salt, int yes)
{
    struct layout here = layout(t, k), back = layout(t, k), there = layout(t, k);
    int with_request = draw(3) == 0, at_once = draw(2);
    if (yes) {
        char *out = values(t, k, salt), *in = results(t, k);
        if (is_passive() && with_request) {
            MPI_Request r;
            MPI_Rget_accumulate(out, here.count, here.type, in, back.count, back.type, target, at,
                                there.count, there.type, op, win, &r);
            keep(r, at_once);
        } else
            MPI_Get_accumulate(out, here.count, here.type, in, back.count, back.type, target, at,
                               there.count, there.type, op, win);
    }
    drop(here), drop(back), drop(there);
}

/* One origin applies one operation to a slot repeatedly, and reads in between. */
static void sequence(int t, int k, int target, MPI_Aint at, int salt, int yes)
{
    MPI_Op op = op_for(t);
    int steps = 2 + draw(4);
    for (int i = 0; i < steps; i++) {
        switch (draw(4)) {
        case 0: accumulate(t, k, target, at, op, salt + i, yes); break;
        case 1: get_accumulate(t, k, target, at, op, salt + i, yes); break;
        case 2: get_accumulate(t, k, target, at, MPI_NO_OP, salt + i, yes); break;
        default:
            if (yes)
                MPI_Fetch_and_op(values(t, 1, salt + i), results(t, 1), type_of(t), target, at, op,
                                 win);
        }
    }
}

/* Many origins draw tickets: the assignment is undefined, but every number is drawn once. */
static void draw_tickets(int t, int target, MPI_Aint at, int yes)
{
    char one[16], old[16];
    int rounds = 1 + draw(3);
    memset(one, 0, sizeof(one));
    set(t, one, is_integer(t) && t >= I16 && t <= I64 ? 51 : 1);
    for (int i = 0; yes && i < rounds; i++) {
        MPI_Fetch_and_op(one, old, type_of(t), target, at, MPI_SUM, win);
        MPI_Win_flush(target, win);
        for (int b = 0; b < size_of[t]; b++)
            tickets += (uint64_t)(unsigned char)old[b] << 8 * (b % 7);
    }
}

static void compare_and_swap(int t, int target, MPI_Aint at, int salt, int yes)
{
    int right = draw(2) && is_passive();
    if (!yes)
        return;
    char *expect = values(t, 1, salt + 1);
    if (right) {
        MPI_Get(expect, 1, type_of(t), target, at, 1, type_of(t), win);
        MPI_Win_flush(target, win);
    }
    MPI_Compare_and_swap(values(t, 1, salt), expect, results(t, 1), type_of(t), target, at, win);
}

/* The accesses to one slot in one epoch. */
static void work(int target, int slot, int salt)
{
    int t = type[target][slot], k = 1 + draw(slot_bytes / size_of[t] / 2);
    int use = draw(9), one = draw(n), many = draw(1 << (n < 20 ? n : 20));
    MPI_Aint at = place(target, slot);
    int i = edge[me][target] && me == one, us = edge[me][target] && (many >> me % 20 & 1);
    MPI_Op op;
    switch (use) {
    case 0: break;
    case 1: put(t, k, target, at, salt, i); break;
    case 2: get(t, k, target, at, us); break;
    case 3:
    case 4:
        op = op_for(t);
        accumulate(t, k, target, at, op, salt, us);
        accumulate(t, k, target, at, op, salt + 1, us);
        break;
    case 5: sequence(t, k, target, at, salt, i); break;
    case 6: get_accumulate(t, k, target, at, MPI_REPLACE, salt, i); break;
    case 7:
        if (is_integer(t) && is_passive())
            draw_tickets(t, target, at, us);
        break;
    default:
        if (is_integer(t))
            compare_and_swap(t, target, at, salt, i);
    }
}

/* ------------------------------------------------------------------------------------------- */

static MPI_Group those(int (*is)(int))
{
    MPI_Group all, some;
    int ranks[MOST], count = 0;
    MPI_Comm_group(comm, &all);
    for (int r = 0; r < n; r++)
        if (is(r))
            ranks[count++] = r;
    MPI_Group_incl(all, count, ranks, &some);
    MPI_Group_free(&all);
    return some;
}
static int is_target(int r) { return edge[me][r]; }
static int is_origin(int r) { return edge[r][me]; }

static void begin_epoch(void)
{
    int asserted = draw(2);
    MPI_Group group;
    switch (mode) {
    case FENCE: MPI_Win_fence(asserted ? MPI_MODE_NOPRECEDE : 0, win); break;
    case PAIRS:
        group = those(is_origin);
        MPI_Win_post(group, asserted ? MPI_MODE_NOCHECK : 0, win);
        MPI_Group_free(&group);
        if (asserted)
            MPI_Barrier(comm);
        group = those(is_target);
        MPI_Win_start(group, asserted ? MPI_MODE_NOCHECK : 0, win);
        MPI_Group_free(&group);
        break;
    case ALL: MPI_Win_lock_all(asserted ? MPI_MODE_NOCHECK : 0, win); break;
    }
}

static void complete_requests(void)
{
    MPI_Waitall(n_requests, open_requests, MPI_STATUSES_IGNORE);
    n_requests = 0;
}

static void work_on(int target, int salt)
{
    int locks = mode == EXCLUSIVE || mode == SHARING;
    if (locks && edge[me][target])
        MPI_Win_lock(mode == EXCLUSIVE ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, target, 0, win);
    for (int slot = 0; slot < SLOTS; slot++)
        work(target, slot, salt + 16 * slot);
    int flush = draw(6);
    if (mode == ALL && flush == 0)
        MPI_Win_flush(target, win);
    if (mode == ALL && flush == 1)
        MPI_Win_flush_all(win);
    if (mode == ALL && flush == 2)
        MPI_Win_flush_local(target, win);
    if (locks && edge[me][target]) {
        complete_requests();
        MPI_Win_unlock(target, win);
    }
}

static void end_epoch(void)
{
    int asserted = draw(2), done = 0, tests = draw(2);
    switch (mode) {
    case FENCE: MPI_Win_fence(asserted ? MPI_MODE_NOSUCCEED : 0, win); break;
    case PAIRS:
        MPI_Win_complete(win);
        while (tests && !done)
            MPI_Win_test(win, &done);
        if (!tests)
            MPI_Win_wait(win);
        break;
    case ALL:
        complete_requests();
        MPI_Win_unlock_all(win);
        /* fall through */
    default: MPI_Barrier(comm);
    }
}

static uint64_t epoch(uint64_t h, int salt)
{
    mode = draw(MODES);
    for (int o = 0; o < n; o++)
        for (int t = 0; t < n; t++)
            edge[o][t] = draw(4) > 0;
    tickets = 0;
    begin_epoch();
    for (int target = 0; target < n; target++)
        work_on(target, salt + 128 * target);
    end_epoch();
    /* Other ranks may read concurrently, but no rank writes before all have finished. */
    if (is_passive())
        MPI_Win_lock(MPI_LOCK_SHARED, me, 0, win);
    h = hash(h, mine, (size_t)SLOTS * slot_bytes);
    if (is_passive())
        MPI_Win_unlock(me, win);
    for (int i = 0; i < n_used; i++) {
        if (used[i].is_result)
            h = hash(h, used[i].memory, used[i].bytes);
        free(used[i].memory);
    }
    n_used = 0;
    uint64_t all;
    MPI_Allreduce(&tickets, &all, 1, MPI_UINT64_T, MPI_SUM, comm);
    return hash(h, &all, sizeof(all));
}

static void make_window(void)
{
    MPI_Aint bytes = (MPI_Aint)SLOTS * slot_bytes;
    int shared = kind == SHARED;
    if (shared) {
        /* Results must not depend on placement: without a common node, other memory is used. */
        MPI_Comm node;
        int together;
        MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
        MPI_Comm_size(node, &together);
        MPI_Comm_free(&node);
        together = together == n;
        MPI_Allreduce(MPI_IN_PLACE, &together, 1, MPI_INT, MPI_LAND, comm);
        shared = together;
    }
    mine = NULL;
    if (kind == CREATE || kind == DYNAMIC)
        mine = malloc((size_t)bytes);
    if (kind == CREATE)
        MPI_Win_create(mine, bytes, unit[me], MPI_INFO_NULL, comm, &win);
    else if (kind == DYNAMIC) {
        MPI_Aint here;
        MPI_Win_create_dynamic(MPI_INFO_NULL, comm, &win);
        MPI_Win_attach(win, mine, bytes);
        MPI_Get_address(mine, &here);
        MPI_Allgather(&here, 1, MPI_AINT, origin_of, 1, MPI_AINT, comm);
    } else if (shared)
        MPI_Win_allocate_shared(bytes, unit[me], MPI_INFO_NULL, comm, &mine, &win);
    else
        MPI_Win_allocate(bytes, unit[me], MPI_INFO_NULL, comm, &mine, &win);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, me, 0, win);
    for (int s = 0; s < SLOTS; s++) {
        int t = type[me][s];
        for (int i = 0; i < slot_bytes / size_of[t]; i++)
            set(t, mine + s * slot_bytes + i * size_of[t], (i * 7 + s + me) % 100);
    }
    MPI_Win_unlock(me, win);
    MPI_Barrier(comm);
}

static void free_window(void)
{
    if (kind == DYNAMIC)
        MPI_Win_detach(win, mine);
    MPI_Win_free(&win);
    if (kind == CREATE || kind == DYNAMIC)
        free(mine);
}

static uint64_t round_of(uint64_t seed, int round)
{
    int world_rank, colors, color;
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    state = mix(seed * 1000003 + (uint64_t)round);
    colors = 1 + (draw(4) == 0);
    color = (int)(mix(state + (uint64_t)world_rank) % (uint64_t)colors);
    MPI_Comm_split(MPI_COMM_WORLD, color, draw(2) ? world_rank : -world_rank, &comm);
    state = mix(state + (uint64_t)color * 7919);
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &n);
    kind = draw(KINDS);
    slot_bytes = 64 << (draw(4) ? 0 : 2 * draw(5));
    for (int r = 0; r < n; r++) {
        unit[r] = 1 << draw(5);
        for (int s = 0; s < SLOTS; s++)
            type[r][s] = draw(TYPES);
    }
    make_window();
    uint64_t h = 0xcbf29ce484222325u;
    int epochs = 1 + draw(4);
    for (int e = 0; e < epochs; e++)
        h = epoch(h, 4096 * e + round);
    free_window();
    MPI_Comm_free(&comm);
    return h;
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc != 3 || size > MOST) {
        if (rank == 0)
            fprintf(stderr, "usage: onesided SEED ROUNDS, on at most %d ranks\n", MOST);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    uint64_t seed = strtoull(argv[1], NULL, 10), all[MOST], total = 0;
    int rounds = atoi(argv[2]);
    for (int round = 0; round < rounds; round++) {
        uint64_t h = round_of(seed, round);
        int last[2] = {kind, mode};
        MPI_Gather(&h, 1, MPI_UINT64_T, all, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
        if (rank == 0) {
            total = hash(total, all, (size_t)size * sizeof(*all));
            printf("%d %s %s %016llx\n", round, kind_name[last[0]], mode_name[last[1]],
                   (unsigned long long)hash(1, all, (size_t)size * sizeof(*all)));
        }
    }
    if (rank == 0)
        printf("seed %llu, %d ranks, %d rounds: %016llx\n", (unsigned long long)seed, size, rounds,
               (unsigned long long)total);
    MPI_Finalize();
    return 0;
}
