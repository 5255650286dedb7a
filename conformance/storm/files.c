/* A storm of files: random views of one file, written by every call, read through other views.
 *
 * Usage: files SEED ROUNDS [DIR]. In each round all ranks open a file, write through views that
 * divide its bytes among them, read data of other ranks, and move its pointers. The digest of a
 * round covers all data read, every count and position, and the bytes of the file as the operating
 * system returns them. external32 is omitted, because the reference crashes in it. */
#include "storm.h"

#include <unistd.h>

/* Bytes written through one view, and at most between the first and the last of them. */
enum { MOST = 6000, ROOM = 110000 };

static int me, np;
static char name[4096];
static uint64_t hash;

#define TRY(call)                                                       \
    do {                                                                \
        int code_ = (call);                                             \
        if (code_ != MPI_SUCCESS)                                       \
            DIE("rank %d: %s returned %d", me, #call, code_);           \
    } while (0)

static MPI_Datatype done(MPI_Datatype type)
{
    MPI_Type_commit(&type);
    return type;
}

static int size_of(MPI_Datatype type)
{
    int size;
    MPI_Type_size(type, &size);
    return size;
}

static MPI_Datatype resized(MPI_Datatype type, MPI_Aint extent)
{
    MPI_Datatype wide;
    MPI_Type_create_resized(type, 0, extent, &wide);
    MPI_Type_free(&type);
    return done(wide);
}

static MPI_Datatype etype_of(Draws *d)
{
    MPI_Datatype type;
    switch (below(d, 5)) {
    case 0: return MPI_BYTE;
    case 1: return MPI_INT;
    case 2: return MPI_DOUBLE;
    case 3: MPI_Type_contiguous(3, MPI_SHORT, &type); return done(type);
    default: return MPI_SHORT;
    }
}

/* The view of a rank on a file in which every etype belongs to one rank. */
static MPI_Datatype filetype_of(Draws *d, MPI_Datatype etype, int rank, MPI_Offset *disp)
{
    MPI_Datatype type;
    int unit = size_of(etype);
    *disp = below(d, 3) * 7;
    switch (below(d, 5)) {
    case 0: { /* blocks in turn */
        int n = 1 + below(d, 9);
        MPI_Type_contiguous(n, etype, &type);
        *disp += (MPI_Offset)rank * n * unit;
        return resized(type, (MPI_Aint)np * n * unit);
    }
    case 1: { /* tiles of a matrix: rows or columns of blocks */
        int across = below(d, 2), rows = 1 + below(d, 5), columns = 1 + below(d, 5);
        int sizes[2] = {rows * (across ? 1 : np), columns * (across ? np : 1)};
        int parts[2] = {rows, columns};
        int starts[2] = {across ? 0 : rank * rows, across ? rank * columns : 0};
        int order = chance(d, 50) ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
        MPI_Type_create_subarray(2, sizes, parts, starts, order, etype, &type);
        return done(type);
    }
    case 2: { /* single etypes in turn */
        int sizes[1] = {np * (2 + below(d, 20))}, how[1] = {MPI_DISTRIBUTE_CYCLIC};
        int cards[1] = {1 + below(d, 4)}, procs[1] = {np};
        if (cards[0] * np > sizes[0])
            cards[0] = 1;
        MPI_Type_create_darray(np, rank, 1, sizes, how, cards, procs, MPI_ORDER_C, etype, &type);
        return done(type);
    }
    case 3: { /* at random, one each at least */
        int n = np * 2 + below(d, 30), mine = 0;
        int *lengths = need(n * sizeof *lengths), *at = need(n * sizeof *at);
        for (int i = 0; i < n; i++) {
            int owner = i < np ? i : below(d, np);
            if (owner == rank)
                lengths[mine] = 1, at[mine++] = i;
        }
        MPI_Type_indexed(mine, lengths, at, etype, &type);
        free(lengths);
        free(at);
        return resized(type, (MPI_Aint)n * unit);
    }
    default: { /* interleaved vectors */
        int n = 1 + below(d, 4), blocks = 1 + below(d, 6);
        MPI_Type_vector(blocks, n, n * np, etype, &type);
        *disp += (MPI_Offset)rank * n * unit;
        return resized(type, (MPI_Aint)blocks * n * np * unit);
    }
    }
}

/* A buffer in memory, maybe with holes, of `etypes` etypes. */
typedef struct {
    char *data;
    size_t room;
    MPI_Datatype type;
    int count, owned;
} Memory;

static Memory memory_of(Draws *d, MPI_Datatype etype, int etypes, uint64_t key)
{
    Memory m = {.type = etype, .count = etypes};
    MPI_Aint lb, extent;
    if (etypes > 0 && chance(d, 40)) {
        int gap = 1 + below(d, 3);
        MPI_Type_vector(etypes, 1, gap, etype, &m.type);
        m.type = done(m.type);
        m.count = m.owned = 1;
    }
    MPI_Type_get_extent(m.type, &lb, &extent);
    m.room = (size_t)extent * m.count;
    m.data = need(m.room);
    fill(m.data, m.room, key);
    return m;
}

static void drop(Memory *m)
{
    if (m->owned)
        MPI_Type_free(&m->type);
    free(m->data);
}

static void note(const Memory *m, MPI_Status *status)
{
    int count;
    MPI_Get_elements(status, m->type, &count);
    hash = fold(hash, (uint64_t)count);
    hash = fold_bytes(hash, m->data, m->room);
}

/* One access at `at` etypes, in one of its forms, the same on all ranks. */
static void access_at(MPI_File f, int form, int writes, MPI_Offset at, Memory *m)
{
    MPI_Status status;
    MPI_Request request;
    void *b = m->data;
    int n = m->count;
    MPI_Datatype t = m->type;
    if (form >= 5)
        TRY(MPI_File_seek(f, at, MPI_SEEK_SET));
#define EITHER(w, r) TRY(writes ? w : r)
    switch (form) {
    case 0:
        EITHER(MPI_File_write_at(f, at, b, n, t, &status),
               MPI_File_read_at(f, at, b, n, t, &status));
        break;
    case 1:
        EITHER(MPI_File_write_at_all(f, at, b, n, t, &status),
               MPI_File_read_at_all(f, at, b, n, t, &status));
        break;
    case 2:
        EITHER(MPI_File_iwrite_at(f, at, b, n, t, &request),
               MPI_File_iread_at(f, at, b, n, t, &request));
        MPI_Wait(&request, &status);
        break;
    case 3:
        EITHER(MPI_File_iwrite_at_all(f, at, b, n, t, &request),
               MPI_File_iread_at_all(f, at, b, n, t, &request));
        MPI_Wait(&request, &status);
        break;
    case 4:
        EITHER(MPI_File_write_at_all_begin(f, at, b, n, t),
               MPI_File_read_at_all_begin(f, at, b, n, t));
        EITHER(MPI_File_write_at_all_end(f, b, &status), MPI_File_read_at_all_end(f, b, &status));
        break;
    case 5:
        EITHER(MPI_File_write(f, b, n, t, &status), MPI_File_read(f, b, n, t, &status));
        break;
    case 6:
        EITHER(MPI_File_write_all(f, b, n, t, &status), MPI_File_read_all(f, b, n, t, &status));
        break;
    case 7:
        EITHER(MPI_File_iwrite(f, b, n, t, &request), MPI_File_iread(f, b, n, t, &request));
        MPI_Wait(&request, &status);
        break;
    case 8:
        EITHER(MPI_File_iwrite_all(f, b, n, t, &request), MPI_File_iread_all(f, b, n, t, &request));
        MPI_Wait(&request, &status);
        break;
    default:
        EITHER(MPI_File_write_all_begin(f, b, n, t), MPI_File_read_all_begin(f, b, n, t));
        EITHER(MPI_File_write_all_end(f, b, &status), MPI_File_read_all_end(f, b, &status));
    }
    if (form >= 5) {
        MPI_Offset position;
        TRY(MPI_File_get_position(f, &position));
        hash = fold(hash, (uint64_t)position);
    }
    note(m, &status);
}

static void settle(MPI_File f)
{
    TRY(MPI_File_sync(f));
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Ranks write their shares of a stretch of the file, then read those of other ranks. */
static void views(MPI_File f, Draws *d, uint64_t key, int whole)
{
    MPI_Datatype etype = etype_of(d);
    MPI_Offset disp;
    Draws shape = {draw(d)}, again = shape, mine = {mix(key + (uint64_t)me)};
    MPI_Datatype filetype = filetype_of(&shape, etype, me, &disp);
    const char *rep = chance(d, 80) ? "native" : "internal";
    TRY(MPI_File_set_view(f, disp, etype, filetype, rep, MPI_INFO_NULL));
    int accesses = 1 + below(d, 3), most = MOST / np / size_of(etype) / accesses;
    MPI_Offset at = 0;
    for (int i = 0; i < accesses; i++) {
        /* All data read below must be written: every rank writes the same amount. */
        int n = below(d, most) + 1;
        Memory m = memory_of(&mine, etype, n, key + ((uint64_t)me << 32) + i);
        access_at(f, below(d, 10), 1, at, &m);
        drop(&m);
        at += n;
    }
    settle(f);
    int other = below(d, np), form = below(d, 10);
    MPI_Offset first = below(d, (int)at);
    MPI_Datatype theirs = filetype_of(&again, etype, (me + other) % np, &disp);
    TRY(MPI_File_set_view(f, disp, etype, theirs, rep, MPI_INFO_NULL));
    Memory m = memory_of(&mine, etype, (int)(at - first), ~key);
    access_at(f, form, 0, first, &m);
    drop(&m);
    MPI_Offset where;
    TRY(MPI_File_get_byte_offset(f, first, &where));
    hash = fold(hash, (uint64_t)where);
    settle(f);
    if (whole) { /* the whole file, and beyond its end */
        TRY(MPI_File_set_view(f, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
        MPI_Offset size;
        TRY(MPI_File_get_size(f, &size));
        Memory all = {need(size + 50), size + 50, MPI_BYTE, (int)size + 50, 0};
        memset(all.data, 0, all.room);
        access_at(f, below(d, 2), 0, 0, &all);
        drop(&all);
    }
    MPI_Type_free(&filetype);
    MPI_Type_free(&theirs);
    if (size_of(etype) == 6)
        MPI_Type_free(&etype);
}

static int by_value(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* The shared pointer: the order of ranks is undefined, but each rank writes once. */
static void shared(MPI_File f, Draws *d, uint64_t key)
{
    int n = 1 + below(d, 40), *mine = need(n * sizeof *mine);
    MPI_Status status;
    MPI_Request request;
    MPI_Offset position;
    TRY(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    TRY(MPI_File_seek_shared(f, below(d, 10), MPI_SEEK_SET));
    TRY(MPI_File_get_position_shared(f, &position));
    MPI_Barrier(MPI_COMM_WORLD);
    fill(mine, n * sizeof *mine, key + (uint64_t)me);
    if (chance(d, 50)) {
        TRY(MPI_File_write_shared(f, mine, n, MPI_INT, &status));
    } else {
        TRY(MPI_File_iwrite_shared(f, mine, n, MPI_INT, &request));
        MPI_Wait(&request, &status);
    }
    settle(f);
    int end = 10 + n * np; /* upper bound of the end of unordered writes */
    int *all = need(end * sizeof *all), *heads = need(np * sizeof *heads);
    TRY(MPI_File_read_at(f, position, all, n * np, MPI_INT, &status));
    for (int i = 0; i < np; i++)
        heads[i] = all[i * n];
    qsort(heads, np, sizeof *heads, by_value);
    hash = fold_bytes(hash, heads, np * sizeof *heads);
    TRY(MPI_File_get_position_shared(f, &position));
    hash = fold(hash, (uint64_t)position);
    settle(f);
    /* Ordered writes of different lengths, which overwrite the earlier data. */
    TRY(MPI_File_seek_shared(f, 0, MPI_SEEK_SET));
    int some = below(d, n + 1) * (me + 1) / np, form = below(d, 2);
    for (int round = 0; round < 2; round++) {
        if (form) {
            TRY(MPI_File_write_ordered(f, mine, some, MPI_INT, &status));
        } else {
            TRY(MPI_File_write_ordered_begin(f, mine, some, MPI_INT));
            TRY(MPI_File_write_ordered_end(f, mine, &status));
        }
    }
    int written;
    MPI_Get_count(&status, MPI_INT, &written);
    hash = fold(hash, (uint64_t)written);
    settle(f);
    TRY(MPI_File_seek_shared(f, 0, MPI_SEEK_SET));
    TRY(MPI_File_read_ordered(f, all, some, MPI_INT, &status));
    hash = fold_bytes(hash, all, some * sizeof *all);
    settle(f);
    /* Data beyond the ordered part shows the order of ranks, so it is reset to zeros. */
    memset(all, 0, end * sizeof *all);
    TRY(MPI_File_write_at(f, 0, all, end, MPI_INT, &status));
    settle(f);
    free(heads);
    free(all);
    free(mine);
}

/* Several non-blocking collectives at once, completed together: writes, then reads. */
static void outstanding(MPI_File f, Draws *d, uint64_t key)
{
    enum { MANY = 3 };
    MPI_Request requests[MANY];
    MPI_Status states[MANY];
    int n = 1 + below(d, 200), lengths[MANY], *data[MANY], *found[MANY];
    MPI_Datatype filetype;
    MPI_Type_vector(MANY * 4, n, n * np, MPI_INT, &filetype);
    filetype = done(filetype);
    TRY(MPI_File_set_view(f, (MPI_Offset)me * n * 4, MPI_INT, filetype, "native", MPI_INFO_NULL));
    for (int i = 0; i < MANY; i++) {
        lengths[i] = 1 + below(d, n);
        data[i] = need(lengths[i] * sizeof **data);
        found[i] = need(lengths[i] * sizeof **found);
        fill(data[i], lengths[i] * sizeof **data, key + ((uint64_t)me << 32) + i);
        memset(found[i], 0, lengths[i] * sizeof **found);
    }
    for (int i = 0; i < MANY; i++)
        TRY(MPI_File_iwrite_at_all(f, (MPI_Offset)i * n, data[i], lengths[i], MPI_INT,
                                   &requests[i]));
    MPI_Waitall(MANY, requests, states);
    settle(f);
    for (int i = 0; i < MANY; i++)
        TRY(MPI_File_iread_at_all(f, (MPI_Offset)i * n, found[i], lengths[i], MPI_INT,
                                  &requests[i]));
    int polls = chance(d, 50);
    for (int ready = 0; polls && !ready;)
        MPI_Testall(MANY, requests, &ready, states);
    if (!polls)
        MPI_Waitall(MANY, requests, states);
    for (int i = 0; i < MANY; i++) {
        int count;
        MPI_Get_count(&states[i], MPI_INT, &count);
        hash = fold(hash, (uint64_t)count);
        hash = fold_bytes(hash, found[i], lengths[i] * sizeof **found);
        free(data[i]);
        free(found[i]);
    }
    MPI_Type_free(&filetype);
    settle(f);
}

static void round_of(Draws *d, uint64_t key)
{
    MPI_File f;
    MPI_Offset size, position;
    int mode = MPI_MODE_CREATE | MPI_MODE_RDWR;
    TRY(MPI_File_open(MPI_COMM_WORLD, name, mode, MPI_INFO_NULL, &f));
    TRY(MPI_File_set_size(f, 0));
    MPI_Barrier(MPI_COMM_WORLD);
    /* Bytes that no rank writes are undefined: libraries fill holes beyond the end of the file
     * with arbitrary data. So the whole file is written first. */
    int filled = ROOM + below(d, 1000);
    if (me == 0) {
        char *zeros = calloc(filled, 1);
        TRY(MPI_File_write_at(f, 0, zeros, filled, MPI_BYTE, MPI_STATUS_IGNORE));
        free(zeros);
    }
    settle(f);
    int atomic;
    TRY(MPI_File_set_atomicity(f, chance(d, 25)));
    TRY(MPI_File_get_atomicity(f, &atomic));
    hash = fold(hash, (uint64_t)atomic);
    if (chance(d, 30))
        shared(f, d, key);
    if (chance(d, 40))
        outstanding(f, d, key);
    views(f, d, key, 0);
    views(f, d, ~key, chance(d, 50));
    TRY(MPI_File_set_view(f, 8, MPI_SHORT, MPI_SHORT, "native", MPI_INFO_NULL));
    TRY(MPI_File_seek(f, -below(d, 4), MPI_SEEK_END));
    TRY(MPI_File_get_position(f, &position));
    hash = fold(hash, (uint64_t)position);
    settle(f);
    if (chance(d, 30)) {
        TRY(MPI_File_get_size(f, &size));
        MPI_Barrier(MPI_COMM_WORLD);
        TRY(MPI_File_set_size(f, size / 2 + below(d, 50)));
        settle(f);
        TRY(MPI_File_get_size(f, &size));
        hash = fold(hash, (uint64_t)size);
    }
    TRY(MPI_File_close(&f));
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 0) {
        FILE *plain = fopen(name, "rb");
        if (!plain)
            DIE("%s is not there", name);
        char piece[4096];
        for (size_t n; (n = fread(piece, 1, sizeof piece, plain)) > 0;)
            hash = fold_bytes(hash, piece, n);
        fclose(plain);
    }
    if (chance(d, 30)) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (me == 0)
            TRY(MPI_File_delete(name, MPI_INFO_NULL));
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &np);
    if (argc < 3)
        DIE("usage: files SEED ROUNDS [DIR]");
    uint64_t seed = strtoull(argv[1], NULL, 0);
    int rounds = atoi(argv[2]);
    snprintf(name, sizeof name, "%s/storm.data", argc > 3 ? argv[3] : ".");
    if (me == 0)
        printf("files: seed %llu, %d rounds, %d ranks\n", (unsigned long long)seed, rounds, np);
    uint64_t *all = need(np * sizeof *all);
    for (int round = 0; round < rounds; round++) {
        Draws d = {mix(seed * 1000003 + (uint64_t)round)};
        hash = (uint64_t)me;
        round_of(&d, mix(seed ^ (uint64_t)round << 20));
        MPI_Gather(&hash, 1, MPI_UINT64_T, all, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
        if (me == 0)
            printf("round %d: %016llx\n", round,
                   (unsigned long long)fold_bytes(0, all, np * sizeof *all));
    }
    free(all);
    if (me == 0)
        unlink(name);
    MPI_Finalize();
    return 0;
}
