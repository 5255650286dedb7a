/* Incorrect calls by category, one per row, each with the expected error class: `corpus [first
 * [last]]` makes those calls, or all. Prints, for each, its number, category, name, the expected
 * class and the returned class, on every rank. Two ranks. The classes are those that the MPI
 * standard names for the argument; where it names none, MPICH's. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZE 256
#define W world

static int me, np, first, last, number;
static MPI_Comm world, freed, inter, ring;
static MPI_Win win;
static MPI_File file;
static int ones[2] = {1, 1}, places[2] = {0, 1}, minus[2] = {1, -1}, zeros[2];
static MPI_Aint aints[2] = {0, 4};
static MPI_Datatype ints[2], nulls[2] = {MPI_DATATYPE_NULL, MPI_DATATYPE_NULL}, uncommitted;
static int area[SIZE], x[SIZE], y[SIZE];

/* The arguments of the calls below. */
static void *s, *r;
static int n, root, peer, tag, disp, *sc, *rc, *at;
static MPI_Datatype t, *ts;
static MPI_Op op;
static MPI_Comm w;
static MPI_Win v;
static MPI_Request q;
static MPI_Status status;

static void good(void)
{
    s = x, r = y, n = 1, root = 0, peer = 0, tag = 0, disp = 0, sc = ones, rc = ones, at = places;
    t = MPI_INT, ts = ints, op = MPI_SUM, w = W, v = win, q = MPI_REQUEST_NULL;
}

static const char *name_of(int class)
{
    static const struct { int class; const char *name; } names[] = {
        {MPI_SUCCESS, "SUCCESS"}, {MPI_ERR_BUFFER, "BUFFER"}, {MPI_ERR_COUNT, "COUNT"},
        {MPI_ERR_TYPE, "TYPE"}, {MPI_ERR_TAG, "TAG"}, {MPI_ERR_COMM, "COMM"},
        {MPI_ERR_RANK, "RANK"}, {MPI_ERR_REQUEST, "REQUEST"}, {MPI_ERR_ROOT, "ROOT"},
        {MPI_ERR_GROUP, "GROUP"}, {MPI_ERR_OP, "OP"}, {MPI_ERR_TOPOLOGY, "TOPOLOGY"},
        {MPI_ERR_DIMS, "DIMS"}, {MPI_ERR_ARG, "ARG"}, {MPI_ERR_TRUNCATE, "TRUNCATE"},
        {MPI_ERR_OTHER, "OTHER"}, {MPI_ERR_INTERN, "INTERN"}, {MPI_ERR_KEYVAL, "KEYVAL"},
        {MPI_ERR_INFO_KEY, "INFO_KEY"}, {MPI_ERR_INFO_VALUE, "INFO_VALUE"},
        {MPI_ERR_INFO_NOKEY, "INFO_NOKEY"}, {MPI_ERR_INFO, "INFO"}, {MPI_ERR_WIN, "WIN"},
        {MPI_ERR_SIZE, "SIZE"}, {MPI_ERR_DISP, "DISP"}, {MPI_ERR_LOCKTYPE, "LOCKTYPE"},
        {MPI_ERR_ASSERT, "ASSERT"}, {MPI_ERR_RMA_SYNC, "RMA_SYNC"},
        {MPI_ERR_RMA_CONFLICT, "RMA_CONFLICT"}, {MPI_ERR_RMA_RANGE, "RMA_RANGE"},
        {MPI_ERR_FILE, "FILE"}, {MPI_ERR_AMODE, "AMODE"}, {MPI_ERR_NO_SUCH_FILE, "NO_SUCH_FILE"},
        {MPI_ERR_ACCESS, "ACCESS"}, {MPI_ERR_READ_ONLY, "READ_ONLY"}, {MPI_ERR_IO, "IO"},
        {MPI_ERR_UNSUPPORTED_DATAREP, "UNSUPPORTED_DATAREP"},
        {MPI_ERR_UNSUPPORTED_OPERATION, "UNSUPPORTED_OPERATION"},
        {MPI_ERR_ERRHANDLER, "ERRHANDLER"}, {MPI_ERR_SESSION, "SESSION"},
        {MPI_ERR_IN_STATUS, "IN_STATUS"}, {MPI_ERR_BAD_FILE, "BAD_FILE"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].class == class)
            return names[i].name;
    return "another class";
}

/* Whether the next call is to be made. */
static int next(void)
{
    number++;
    good();
    return number >= first && number <= last;
}

static void row(const char *category, const char *name, int due, int code)
{
    int class;
    MPI_Error_class(code, &class);
    printf("%d\t%d\t%s\t%s\t%s\t%s\n", me, number, category, name, name_of(due), name_of(class));
    fflush(stdout);
}

#define CASE(CATEGORY, DUE, NAME, CALL) \
    if (next())                         \
        row(CATEGORY, NAME, DUE, CALL);
/* The same after a change of the arguments. */
#define WITH(CATEGORY, DUE, NAME, CHANGE, CALL) \
    if (next()) {                               \
        CHANGE;                                 \
        row(CATEGORY, NAME, DUE, CALL);         \
    }

#define SENDS(X)                                        \
    X("MPI_Send", MPI_Send(s, n, t, peer, tag, w))      \
    X("MPI_Ssend", MPI_Ssend(s, n, t, peer, tag, w))    \
    X("MPI_Bsend", MPI_Bsend(s, n, t, peer, tag, w))    \
    X("MPI_Rsend", MPI_Rsend(s, n, t, peer, tag, w))    \
    X("MPI_Isend", MPI_Isend(s, n, t, peer, tag, w, &q))                                  \
    X("MPI_Issend", MPI_Issend(s, n, t, peer, tag, w, &q))                                \
    X("MPI_Send_init", MPI_Send_init(s, n, t, peer, tag, w, &q))                          \
    X("MPI_Send_c", MPI_Send_c(s, n, t, peer, tag, w))
#define RECEIVES(X)                                                                       \
    X("MPI_Recv", MPI_Recv(r, n, t, peer, tag, w, &status))                               \
    X("MPI_Irecv", MPI_Irecv(r, n, t, peer, tag, w, &q))                                  \
    X("MPI_Recv_init", MPI_Recv_init(r, n, t, peer, tag, w, &q))                          \
    X("MPI_Irecv_c", MPI_Irecv_c(r, n, t, peer, tag, w, &q))
#define PROBES(X)                                                                         \
    X("MPI_Probe", MPI_Probe(peer, tag, w, &status))                                      \
    X("MPI_Iprobe", MPI_Iprobe(peer, tag, w, &n, &status))

#define REDUCTIONS(X)                                                                     \
    X("MPI_Allreduce", MPI_Allreduce(s, r, n, t, op, w))                                  \
    X("MPI_Scan", MPI_Scan(s, r, n, t, op, w))                                            \
    X("MPI_Exscan", MPI_Exscan(s, r, n, t, op, w))                                        \
    X("MPI_Reduce_scatter_block", MPI_Reduce_scatter_block(s, r, n, t, op, w))            \
    X("MPI_Iallreduce", MPI_Iallreduce(s, r, n, t, op, w, &q))                            \
    X("MPI_Iscan", MPI_Iscan(s, r, n, t, op, w, &q))                                      \
    X("MPI_Iexscan", MPI_Iexscan(s, r, n, t, op, w, &q))                                  \
    X("MPI_Ireduce_scatter_block", MPI_Ireduce_scatter_block(s, r, n, t, op, w, &q))      \
    X("MPI_Allreduce_init", MPI_Allreduce_init(s, r, n, t, op, w, MPI_INFO_NULL, &q))     \
    X("MPI_Allreduce_c", MPI_Allreduce_c(s, r, n, t, op, w))
#define LISTED_REDUCTIONS(X)                                                              \
    X("MPI_Reduce_scatter", MPI_Reduce_scatter(s, r, rc, t, op, w))                       \
    X("MPI_Ireduce_scatter", MPI_Ireduce_scatter(s, r, rc, t, op, w, &q))
#define ROOTED_REDUCTIONS(X)                                                              \
    X("MPI_Reduce", MPI_Reduce(s, r, n, t, op, root, w))                                  \
    X("MPI_Ireduce", MPI_Ireduce(s, r, n, t, op, root, w, &q))
#define BLOCKS(X)                                                                         \
    X("MPI_Allgather", MPI_Allgather(s, n, t, r, n, t, w))                                \
    X("MPI_Alltoall", MPI_Alltoall(s, n, t, r, n, t, w))                                  \
    X("MPI_Iallgather", MPI_Iallgather(s, n, t, r, n, t, w, &q))                          \
    X("MPI_Ialltoall", MPI_Ialltoall(s, n, t, r, n, t, w, &q))                            \
    X("MPI_Alltoall_init", MPI_Alltoall_init(s, n, t, r, n, t, w, MPI_INFO_NULL, &q))
#define ROOTED_BLOCKS(X)                                                                  \
    X("MPI_Gather", MPI_Gather(s, n, t, r, n, t, root, w))                                \
    X("MPI_Scatter", MPI_Scatter(s, n, t, r, n, t, root, w))                              \
    X("MPI_Igather", MPI_Igather(s, n, t, r, n, t, root, w, &q))                          \
    X("MPI_Iscatter", MPI_Iscatter(s, n, t, r, n, t, root, w, &q))
#define LISTED_BLOCKS(X)                                                                  \
    X("MPI_Allgatherv", MPI_Allgatherv(s, n, t, r, rc, at, t, w))                         \
    X("MPI_Alltoallv", MPI_Alltoallv(s, sc, at, t, r, rc, at, t, w))                      \
    X("MPI_Iallgatherv", MPI_Iallgatherv(s, n, t, r, rc, at, t, w, &q))                   \
    X("MPI_Ialltoallv", MPI_Ialltoallv(s, sc, at, t, r, rc, at, t, w, &q))
#define ROOTED_LISTS(X)                                                                   \
    X("MPI_Gatherv", MPI_Gatherv(s, n, t, r, rc, at, t, root, w))                         \
    X("MPI_Scatterv", MPI_Scatterv(s, sc, at, t, r, n, t, root, w))
#define MIXED(X)                                                                          \
    X("MPI_Alltoallw", MPI_Alltoallw(s, sc, at, ts, r, rc, at, ts, w))                    \
    X("MPI_Ialltoallw", MPI_Ialltoallw(s, sc, at, ts, r, rc, at, ts, w, &q))
#define NEIGHBORS(X)                                                                      \
    X("MPI_Neighbor_allgather", MPI_Neighbor_allgather(s, n, t, r, n, t, w))              \
    X("MPI_Neighbor_alltoall", MPI_Neighbor_alltoall(s, n, t, r, n, t, w))                \
    X("MPI_Ineighbor_alltoall", MPI_Ineighbor_alltoall(s, n, t, r, n, t, w, &q))
#define LISTED_NEIGHBORS(X)                                                               \
    X("MPI_Neighbor_allgatherv", MPI_Neighbor_allgatherv(s, n, t, r, rc, at, t, w))       \
    X("MPI_Neighbor_alltoallv", MPI_Neighbor_alltoallv(s, sc, at, t, r, rc, at, t, w))
#define MIXED_NEIGHBORS(X) \
    X("MPI_Neighbor_alltoallw", MPI_Neighbor_alltoallw(s, sc, aints, ts, r, rc, aints, ts, w))

#define ACCESSES(X)                                                                       \
    X("MPI_Put", MPI_Put(s, n, t, peer, disp, n, t, v))                                   \
    X("MPI_Get", MPI_Get(r, n, t, peer, disp, n, t, v))                                   \
    X("MPI_Rput", MPI_Rput(s, n, t, peer, disp, n, t, v, &q))                             \
    X("MPI_Rget", MPI_Rget(r, n, t, peer, disp, n, t, v, &q))
#define ACCUMULATES(X)                                                                    \
    X("MPI_Accumulate", MPI_Accumulate(s, n, t, peer, disp, n, t, op, v))                 \
    X("MPI_Get_accumulate", MPI_Get_accumulate(s, n, t, r, n, t, peer, disp, n, t, op, v))
#define FETCHES(X)                                                                        \
    X("MPI_Fetch_and_op", MPI_Fetch_and_op(s, r, t, peer, disp, op, v))                   \
    X("MPI_Compare_and_swap", MPI_Compare_and_swap(s, s, r, t, peer, disp, v))

#define NO_RANK(NAME, CALL) WITH("rank", MPI_ERR_RANK, NAME ": rank too large", peer = np, CALL)
#define NEGATIVE_RANK(NAME, CALL) WITH("rank", MPI_ERR_RANK, NAME ": rank -7", peer = -7, CALL)
#define BAD_TAG(NAME, CALL) WITH("tag", MPI_ERR_TAG, NAME ": tag -9", tag = -9, CALL)
#define ANY_TAG(NAME, CALL) WITH("tag", MPI_ERR_TAG, NAME ": MPI_ANY_TAG", tag = MPI_ANY_TAG, CALL)
#define BAD_COUNT(NAME, CALL) WITH("count", MPI_ERR_COUNT, NAME ": count -1", n = -1, CALL)
#define BAD_COUNTS(NAME, CALL) \
    WITH("count", MPI_ERR_COUNT, NAME ": one count is -1", sc = rc = minus, CALL)
#define NO_TYPE(NAME, CALL) \
    WITH("datatype", MPI_ERR_TYPE, NAME ": MPI_DATATYPE_NULL", t = MPI_DATATYPE_NULL, CALL)
#define NO_TYPES(NAME, CALL) \
    WITH("datatype", MPI_ERR_TYPE, NAME ": MPI_DATATYPE_NULL", ts = nulls, CALL)
#define NOT_COMMITTED(NAME, CALL) \
    WITH("datatype", MPI_ERR_TYPE, NAME ": not committed", t = uncommitted, CALL)
#define NO_COMM(NAME, CALL) \
    WITH("communicator", MPI_ERR_COMM, NAME ": MPI_COMM_NULL", w = MPI_COMM_NULL, CALL)
#define FREED_COMM(NAME, CALL) WITH("communicator", MPI_ERR_COMM, NAME ": freed", w = freed, CALL)
#define NO_BUFFER(NAME, CALL) WITH("buffer", MPI_ERR_BUFFER, NAME ": NULL", s = r = NULL, CALL)
#define ALIASED(NAME, CALL) WITH("buffer", MPI_ERR_BUFFER, NAME ": aliased", s = r, CALL)
/* The own block: the root is rank 0 for both, and only it compares. */
#define ALIASED_OWN(NAME, CALL) \
    WITH("buffer", MPI_ERR_BUFFER, NAME ": aliased", (s = x, r = x, w = MPI_COMM_SELF), CALL)
/* Completes what a legal nonblocking call has started. */
static int completed(int code)
{
    return q == MPI_REQUEST_NULL ? code : MPI_Wait(&q, MPI_STATUS_IGNORE);
}
#define ALIASED_EMPTY(NAME, CALL)                              \
    WITH("legal", MPI_SUCCESS, NAME ": one buffer, of nothing", \
         (s = r = x, n = 0, sc = rc = zeros, w = MPI_COMM_SELF), completed(CALL))
#define EMPTY_NO_TYPE(NAME, CALL)                                          \
    WITH("datatype", MPI_ERR_TYPE, NAME ": MPI_DATATYPE_NULL, count 0",     \
         (n = 0, sc = rc = zeros, t = MPI_DATATYPE_NULL), CALL)
#define BAD_ROOT(NAME, CALL) WITH("root", MPI_ERR_ROOT, NAME ": root too large", root = np, CALL)
#define NEGATIVE_ROOT(NAME, CALL) WITH("root", MPI_ERR_ROOT, NAME ": root -4", root = -4, CALL)
#define NO_OP(NAME, CALL) WITH("operator", MPI_ERR_OP, NAME ": MPI_OP_NULL", op = MPI_OP_NULL, CALL)
#define OP_OF_TYPE(NAME, CALL) \
    WITH("operator", MPI_ERR_OP, NAME ": MPI_BAND of doubles", (op = MPI_BAND, t = MPI_DOUBLE), CALL)
#define NO_TOPOLOGY(NAME, CALL) WITH("topology", MPI_ERR_TOPOLOGY, NAME ": none", w = W, CALL)
#define NO_WIN(NAME, CALL) WITH("window", MPI_ERR_WIN, NAME ": MPI_WIN_NULL", v = MPI_WIN_NULL, CALL)
#define NO_EPOCH(NAME, CALL) WITH("window epoch", MPI_ERR_RMA_SYNC, NAME ": no epoch", (void)0, CALL)
#define IN_EPOCH(CATEGORY, DUE, NAME, CHANGE, CALL) \
    if (next()) {                                   \
        MPI_Win_lock_all(0, win);                   \
        CHANGE;                                     \
        row(CATEGORY, NAME, DUE, CALL);             \
        MPI_Win_unlock_all(win);                    \
    }
#define TARGET(NAME, CALL) IN_EPOCH("rank", MPI_ERR_RANK, NAME ": target too large", peer = np, CALL)
#define ORIGIN_COUNT(NAME, CALL) IN_EPOCH("count", MPI_ERR_COUNT, NAME ": count -1", n = -1, CALL)
#define ORIGIN_TYPE(NAME, CALL) \
    IN_EPOCH("datatype", MPI_ERR_TYPE, NAME ": MPI_DATATYPE_NULL", t = MPI_DATATYPE_NULL, CALL)
#define BEYOND(NAME, CALL) \
    IN_EPOCH("window", MPI_ERR_RMA_RANGE, NAME ": beyond the window", disp = SIZE, CALL)
#define ACC_OP(NAME, CALL) \
    IN_EPOCH("operator", MPI_ERR_OP, NAME ": MPI_OP_NULL", op = MPI_OP_NULL, CALL)

static void point_to_point(void)
{
    SENDS(NO_RANK) RECEIVES(NO_RANK) PROBES(NO_RANK)
    SENDS(NEGATIVE_RANK) RECEIVES(NEGATIVE_RANK)
    SENDS(BAD_TAG) RECEIVES(BAD_TAG) PROBES(BAD_TAG)
    SENDS(ANY_TAG)
    SENDS(BAD_COUNT) RECEIVES(BAD_COUNT)
    SENDS(NO_TYPE) RECEIVES(NO_TYPE)
    SENDS(NOT_COMMITTED) RECEIVES(NOT_COMMITTED)
    SENDS(NO_COMM) RECEIVES(NO_COMM) PROBES(NO_COMM)
    SENDS(FREED_COMM) RECEIVES(FREED_COMM)
    SENDS(NO_BUFFER) RECEIVES(NO_BUFFER)
}

static void collectives(void)
{
    CASE("root", MPI_ERR_ROOT, "MPI_Bcast: root too large", MPI_Bcast(s, n, t, np, w))
    CASE("root", MPI_ERR_ROOT, "MPI_Bcast: root -4", MPI_Bcast(s, n, t, -4, w))
    ROOTED_REDUCTIONS(BAD_ROOT) ROOTED_BLOCKS(BAD_ROOT) ROOTED_LISTS(BAD_ROOT)
    ROOTED_REDUCTIONS(NEGATIVE_ROOT) ROOTED_BLOCKS(NEGATIVE_ROOT) ROOTED_LISTS(NEGATIVE_ROOT)
    REDUCTIONS(NO_OP) LISTED_REDUCTIONS(NO_OP) ROOTED_REDUCTIONS(NO_OP)
    REDUCTIONS(OP_OF_TYPE) LISTED_REDUCTIONS(OP_OF_TYPE) ROOTED_REDUCTIONS(OP_OF_TYPE)
    REDUCTIONS(NO_TYPE) LISTED_REDUCTIONS(NO_TYPE) BLOCKS(NO_TYPE) LISTED_BLOCKS(NO_TYPE)
    MIXED(NO_TYPES)
    REDUCTIONS(BAD_COUNT) BLOCKS(BAD_COUNT) LISTED_REDUCTIONS(BAD_COUNTS) LISTED_BLOCKS(BAD_COUNTS)
    REDUCTIONS(NO_COMM) BLOCKS(NO_COMM) LISTED_BLOCKS(NO_COMM) MIXED(NO_COMM)
    BLOCKS(FREED_COMM) ROOTED_BLOCKS(FREED_COMM)
    REDUCTIONS(ALIASED) LISTED_REDUCTIONS(ALIASED)
    BLOCKS(ALIASED_OWN) LISTED_BLOCKS(ALIASED_OWN) MIXED(ALIASED_OWN)
    ROOTED_REDUCTIONS(ALIASED_OWN) ROOTED_BLOCKS(ALIASED_OWN) ROOTED_LISTS(ALIASED_OWN)
    REDUCTIONS(ALIASED_EMPTY) LISTED_REDUCTIONS(ALIASED_EMPTY) ROOTED_REDUCTIONS(ALIASED_EMPTY)
    BLOCKS(ALIASED_EMPTY) LISTED_BLOCKS(ALIASED_EMPTY) MIXED(ALIASED_EMPTY)
    ROOTED_BLOCKS(ALIASED_EMPTY) ROOTED_LISTS(ALIASED_EMPTY)
    WITH("legal", MPI_SUCCESS, "MPI_Reduce_local: one buffer, of nothing", n = 0,
         MPI_Reduce_local(r, r, n, t, op))
    WITH("legal", MPI_SUCCESS, "MPI_Bcast: MPI_DATATYPE_NULL, count 0", n = 0,
         MPI_Bcast(s, n, MPI_DATATYPE_NULL, 0, MPI_COMM_SELF))
    BLOCKS(EMPTY_NO_TYPE) LISTED_BLOCKS(EMPTY_NO_TYPE)
    /* The own block begins where the block of this rank is received. */
    WITH("buffer", MPI_ERR_BUFFER, "MPI_Allgather: the own block, aliased", s = x + me,
         (r = x, MPI_Allgather(s, n, t, r, n, t, w)))
    WITH("buffer", MPI_ERR_BUFFER, "MPI_Allgatherv: the own block, aliased", s = x + me,
         (r = x, MPI_Allgatherv(s, n, t, r, rc, at, t, w)))
    CASE("buffer", MPI_ERR_BUFFER, "MPI_Reduce_local: aliased", MPI_Reduce_local(r, r, n, t, op))
    CASE("buffer", MPI_ERR_BUFFER, "MPI_Reduce_local: inbuf is MPI_IN_PLACE",
         MPI_Reduce_local(MPI_IN_PLACE, r, n, t, op))
    CASE("buffer", MPI_ERR_BUFFER, "MPI_Reduce_local: inoutbuf is MPI_IN_PLACE",
         MPI_Reduce_local(s, MPI_IN_PLACE, n, t, op))
    CASE("buffer", MPI_ERR_BUFFER, "MPI_Reduce_local_c: inbuf is MPI_IN_PLACE",
         MPI_Reduce_local_c(MPI_IN_PLACE, r, n, t, op))
    CASE("buffer", MPI_ERR_BUFFER, "MPI_Allreduce: recvbuf is MPI_IN_PLACE",
         MPI_Allreduce(s, MPI_IN_PLACE, n, t, op, w))
    CASE("operator", MPI_ERR_OP, "MPI_Reduce_local: MPI_OP_NULL",
         MPI_Reduce_local(s, r, n, t, MPI_OP_NULL))
    CASE("length", MPI_ERR_TRUNCATE, "MPI_Gather: sends more than the root receives, alone",
         MPI_Gather(s, 4, t, r, 1, t, 0, MPI_COMM_SELF))
    NEIGHBORS(NO_TOPOLOGY) LISTED_NEIGHBORS(NO_TOPOLOGY) MIXED_NEIGHBORS(NO_TOPOLOGY)
#define IN_RING_NO_TYPE(NAME, CALL)                                             \
    WITH("datatype", MPI_ERR_TYPE, NAME ": MPI_DATATYPE_NULL",                  \
         (w = ring, t = MPI_DATATYPE_NULL, ts = nulls), CALL)
    NEIGHBORS(IN_RING_NO_TYPE) LISTED_NEIGHBORS(IN_RING_NO_TYPE) MIXED_NEIGHBORS(IN_RING_NO_TYPE)
}

static int free_twice(void)
{
    MPI_Comm comm, again;
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    again = comm;
    MPI_Comm_free(&comm);
    return MPI_Comm_free(&again);
}
static int group(int what)
{
    MPI_Group all, some = MPI_GROUP_NULL;
    int ranks[2] = {0, 99}, range[1][3] = {{0, 0, 0}}, twice[2][3] = {{0, 1, 1}, {0, 0, 1}};
    int code = MPI_SUCCESS;
    MPI_Comm_group(W, &all);
    switch (what) {
    case 0: code = MPI_Group_incl(all, 2, ranks, &some); break;
    case 1: code = MPI_Group_excl(all, 2, ranks, &some); break;
    case 2: code = MPI_Group_range_incl(all, 1, range, &some); break;
    case 3: code = MPI_Group_range_incl(all, 2, twice, &some); break;
    case 4: code = MPI_Group_range_excl(all, 2, twice, &some); break;
    case 5: code = MPI_Group_translate_ranks(all, 2, ranks, all, ranks); break;
    case 6: code = MPI_Group_incl(all, -1, ranks, &some); break;
    }
    MPI_Group_free(&all);
    return code;
}
static int cart(int what)
{
    int dims[2] = {np, 2}, negative[1] = {-3}, periods[2] = {0, 0}, coordinate[1] = {5}, rank;
    MPI_Comm comm;
    switch (what) {
    case 0: return MPI_Cart_create(W, 2, dims, periods, 0, &comm);
    case 1: return MPI_Cart_create(W, 1, negative, periods, 0, &comm);
    case 2: return MPI_Cart_coords(ring, 99, 1, dims);
    case 3: return MPI_Cart_shift(ring, 4, 1, &dims[0], &dims[1]);
    case 4: return MPI_Cart_rank(W, coordinate, &rank);
    case 5: return MPI_Cart_get(W, 1, dims, periods, coordinate);
    case 6: return MPI_Graph_neighbors_count(W, 0, &rank);
    default: return MPI_Dims_create(5, 1, (int[]){2});
    }
}
static int type(int what)
{
    MPI_Datatype made = MPI_INT;
    int two[] = {2, 2}, one[] = {1}, less[] = {-1};
    MPI_Aint at[] = {0};
    switch (what) {
    case 0: return MPI_Type_contiguous(-1, MPI_INT, &made);
    case 1: return MPI_Type_vector(-1, 1, 1, MPI_INT, &made);
    case 2: return MPI_Type_vector(1, -1, 1, MPI_INT, &made);
    case 3: return MPI_Type_indexed(1, less, one, MPI_INT, &made);
    case 4: return MPI_Type_create_hindexed(1, less, at, MPI_INT, &made);
    case 5: return MPI_Type_contiguous(1, MPI_DATATYPE_NULL, &made);
    case 6: return MPI_Type_vector(1, 1, 1, MPI_DATATYPE_NULL, &made);
    case 7: return MPI_Type_create_resized(MPI_DATATYPE_NULL, 0, 4, &made);
    case 8: return MPI_Type_create_subarray(1, two, two, one, MPI_ORDER_C, MPI_INT, &made);
    case 9: return MPI_Type_free(&made);
    case 10: return MPI_Type_size(MPI_DATATYPE_NULL, two);
    default: return MPI_Type_dup(MPI_DATATYPE_NULL, &made);
    }
}
static int epoch(int what)
{
    MPI_Group all;
    int code;
    MPI_Comm_group(W, &all);
    switch (what) {
    case 0: code = MPI_Win_unlock(0, win); break;
    case 1: code = MPI_Win_unlock_all(win); break;
    case 2: code = MPI_Win_complete(win); break;
    case 3: code = MPI_Win_wait(win); break;
    case 4: code = MPI_Win_flush(0, win); break;
    case 5: code = MPI_Win_flush_all(win); break;
    case 6: code = MPI_Win_flush_local(0, win); break;
    case 7:
        MPI_Win_lock_all(0, win);
        code = MPI_Win_lock_all(0, win);
        MPI_Win_unlock_all(win);
        break;
    case 8:
        MPI_Win_lock(MPI_LOCK_SHARED, me, 0, win);
        code = MPI_Win_lock(MPI_LOCK_SHARED, me, 0, win);
        MPI_Win_unlock(me, win);
        break;
    case 9:
        MPI_Win_lock_all(0, win);
        code = MPI_Win_unlock(0, win);
        MPI_Win_unlock_all(win);
        break;
    case 10:
        MPI_Win_lock(MPI_LOCK_SHARED, me, 0, win);
        code = MPI_Win_start(all, 0, win);
        MPI_Win_unlock(me, win);
        break;
    case 11:
        MPI_Win_lock(MPI_LOCK_SHARED, me, 0, win);
        code = MPI_Win_fence(0, win);
        MPI_Win_unlock(me, win);
        break;
    case 12: code = MPI_Win_test(win, &n); break;
    default: code = MPI_Win_lock(77, 0, 0, win);
    }
    MPI_Group_free(&all);
    return code;
}
static int request(int what)
{
    MPI_Request copy;
    int code;
    switch (what) {
    case 0: return MPI_Start(&q);
    case 1: return MPI_Request_free(&q);
    case 2: return MPI_Cancel(&q);
    case 3:
        MPI_Irecv(r, n, t, MPI_PROC_NULL, 0, w, &q);
        copy = q;
        MPI_Wait(&q, MPI_STATUS_IGNORE);
        return MPI_Start(&copy);
    case 4:
        MPI_Recv_init(r, n, t, me, 9, w, &q);
        MPI_Start(&q);
        code = MPI_Start(&q);
        MPI_Cancel(&q);
        MPI_Wait(&q, MPI_STATUS_IGNORE);
        MPI_Request_free(&q);
        return code;
    case 5: return MPI_Waitall(-1, &q, MPI_STATUSES_IGNORE);
    case 6: return MPI_Startall(1, &q);
    default: return MPI_Pready(0, q);
    }
}
/* A message to itself, and a receive that does not fit it. */
static int mismatch(int bytes, int count, MPI_Datatype type)
{
    MPI_Irecv(r, count, type, me, 3, W, &q);
    MPI_Send(s, bytes, MPI_CHAR, me, 3, W);
    return MPI_Wait(&q, &status);
}
static int mismatch_blocking(int bytes, int count, MPI_Datatype type)
{
    MPI_Isend(s, bytes, MPI_CHAR, me, 3, W, &q);
    int code = MPI_Recv(r, count, type, me, 3, W, &status);
    MPI_Wait(&q, MPI_STATUS_IGNORE);
    return code;
}
static int mismatch_probed(int bytes, int count, MPI_Datatype type)
{
    MPI_Message message;
    MPI_Isend(s, bytes, MPI_CHAR, me, 3, W, &q);
    MPI_Mprobe(me, 3, W, &message, MPI_STATUS_IGNORE);
    int code = MPI_Mrecv(r, count, type, &message, &status);
    MPI_Wait(&q, MPI_STATUS_IGNORE);
    return code;
}
static int mismatch_exchanged(int bytes, int count, MPI_Datatype type)
{
    return MPI_Sendrecv(s, bytes, MPI_CHAR, me, 3, r, count, type, me, 3, W, &status);
}
static int io(int what)
{
    MPI_File other;
    MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
    switch (what) {
    case 0: return MPI_File_open(MPI_COMM_SELF, "/no/such/folder/file", MPI_MODE_RDONLY, MPI_INFO_NULL, &other);
    case 1: return MPI_File_open(MPI_COMM_SELF, "corpus.dat", 0, MPI_INFO_NULL, &other);
    case 2: return MPI_File_open(MPI_COMM_SELF, "corpus.dat", MPI_MODE_RDONLY | MPI_MODE_WRONLY, MPI_INFO_NULL, &other);
    case 3: return MPI_File_open(MPI_COMM_SELF, "corpus.dat", MPI_MODE_RDONLY | MPI_MODE_CREATE, MPI_INFO_NULL, &other);
    case 4: return MPI_File_delete("/no/such/file", MPI_INFO_NULL);
    case 5: return MPI_File_seek(file, -5, MPI_SEEK_SET);
    case 6: return MPI_File_write(file, s, -1, MPI_INT, MPI_STATUS_IGNORE);
    case 7: return MPI_File_write(file, s, 1, MPI_DATATYPE_NULL, MPI_STATUS_IGNORE);
    case 8: return MPI_File_write(MPI_FILE_NULL, s, 1, MPI_INT, MPI_STATUS_IGNORE);
    case 9: return MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "no such", MPI_INFO_NULL);
    case 10: return MPI_File_set_size(file, -1);
    default: return MPI_File_write_at(file, -1, s, 1, MPI_INT, MPI_STATUS_IGNORE);
    }
}
static int info(int what)
{
    static char text[MPI_MAX_INFO_VAL + 100], flag[8];
    MPI_Info one;
    int code, length = 0;
    MPI_Info_create(&one);
    memset(text, 'k', sizeof text - 1);
    switch (what) {
    case 0: code = MPI_Info_set(one, text, "value"); break;
    case 1: code = MPI_Info_set(one, "key", text); break;
    case 2: code = MPI_Info_delete(one, "key"); break;
    case 3: code = MPI_Info_set(one, "", "value"); break;
    case 4: code = MPI_Info_set(MPI_INFO_NULL, "key", "value"); break;
    default: code = MPI_Info_get_nthkey(one, 5, flag);
    }
    MPI_Info_free(&one);
    return length ? MPI_SUCCESS : code;
}

static void objects(void)
{
    MPI_Comm comm;
    MPI_Group group_of;
    int class, flag, *value;
    CASE("communicator", MPI_ERR_COMM, "MPI_Comm_free: twice", free_twice())
    CASE("communicator", MPI_ERR_COMM, "MPI_Comm_size: MPI_COMM_NULL", MPI_Comm_size(MPI_COMM_NULL, &n))
    CASE("communicator", MPI_ERR_COMM, "MPI_Comm_rank: freed", MPI_Comm_rank(freed, &n))
    CASE("communicator", MPI_ERR_COMM, "MPI_Comm_dup: MPI_COMM_NULL", MPI_Comm_dup(MPI_COMM_NULL, &comm))
    CASE("communicator", MPI_ERR_COMM, "MPI_Comm_split: MPI_COMM_NULL", MPI_Comm_split(MPI_COMM_NULL, 0, 0, &comm))
    CASE("communicator", MPI_ERR_COMM, "MPI_Comm_remote_size: one group", MPI_Comm_remote_size(W, &n))
    CASE("communicator", MPI_ERR_COMM, "MPI_Intercomm_merge: one group", MPI_Intercomm_merge(W, 0, &comm))
    CASE("communicator", MPI_ERR_COMM, "MPI_Scan: two groups", MPI_Scan(s, r, n, t, op, inter))
    CASE("communicator", MPI_ERR_COMM, "MPI_Cart_create: two groups", MPI_Cart_create(inter, 1, ones, zeros, 0, &comm))
    CASE("communicator", MPI_ERR_ARG, "MPI_Comm_split_type: no such type", MPI_Comm_split_type(W, -77, 0, MPI_INFO_NULL, &comm))
    CASE("group", MPI_ERR_GROUP, "MPI_Group_size: MPI_GROUP_NULL", MPI_Group_size(MPI_GROUP_NULL, &n))
    CASE("group", MPI_ERR_GROUP, "MPI_Comm_create: MPI_GROUP_NULL", MPI_Comm_create(W, MPI_GROUP_NULL, &comm))
    CASE("group", MPI_ERR_GROUP, "MPI_Group_union: MPI_GROUP_NULL", MPI_Group_union(MPI_GROUP_NULL, MPI_GROUP_EMPTY, &group_of))
    CASE("group", MPI_ERR_RANK, "MPI_Group_incl: rank too large", group(0))
    CASE("group", MPI_ERR_RANK, "MPI_Group_excl: rank too large", group(1))
    CASE("group", MPI_ERR_ARG, "MPI_Group_range_incl: stride 0", group(2))
    CASE("group", MPI_ERR_ARG, "MPI_Group_range_incl: rank twice", group(3))
    CASE("group", MPI_ERR_ARG, "MPI_Group_range_excl: rank twice", group(4))
    CASE("group", MPI_ERR_RANK, "MPI_Group_translate_ranks: rank too large", group(5))
    CASE("group", MPI_ERR_ARG, "MPI_Group_incl: -1 ranks", group(6))
    CASE("topology", MPI_ERR_ARG, "MPI_Cart_create: larger than its communicator", cart(0))
    CASE("topology", MPI_ERR_DIMS, "MPI_Cart_create: dimension -3", cart(1))
    CASE("topology", MPI_ERR_RANK, "MPI_Cart_coords: rank too large", cart(2))
    CASE("topology", MPI_ERR_ARG, "MPI_Cart_shift: no such dimension", cart(3))
    CASE("topology", MPI_ERR_TOPOLOGY, "MPI_Cart_rank: none", cart(4))
    CASE("topology", MPI_ERR_TOPOLOGY, "MPI_Cart_get: none", cart(5))
    CASE("topology", MPI_ERR_TOPOLOGY, "MPI_Graph_neighbors_count: none", cart(6))
    CASE("topology", MPI_ERR_DIMS, "MPI_Dims_create: impossible", cart(7))
    CASE("count", MPI_ERR_COUNT, "MPI_Type_contiguous: count -1", type(0))
    CASE("count", MPI_ERR_COUNT, "MPI_Type_vector: count -1", type(1))
    CASE("count", MPI_ERR_COUNT, "MPI_Type_vector: blocklength -1", type(2))
    CASE("count", MPI_ERR_COUNT, "MPI_Type_indexed: blocklength -1", type(3))
    CASE("count", MPI_ERR_COUNT, "MPI_Type_create_hindexed: blocklength -1", type(4))
    CASE("datatype", MPI_ERR_TYPE, "MPI_Type_contiguous: MPI_DATATYPE_NULL", type(5))
    CASE("datatype", MPI_ERR_TYPE, "MPI_Type_vector: MPI_DATATYPE_NULL", type(6))
    CASE("datatype", MPI_ERR_TYPE, "MPI_Type_create_resized: MPI_DATATYPE_NULL", type(7))
    CASE("datatype", MPI_ERR_ARG, "MPI_Type_create_subarray: beyond the array", type(8))
    CASE("datatype", MPI_ERR_TYPE, "MPI_Type_free: predefined", type(9))
    CASE("datatype", MPI_ERR_TYPE, "MPI_Type_size: MPI_DATATYPE_NULL", type(10))
    CASE("datatype", MPI_ERR_TYPE, "MPI_Type_dup: MPI_DATATYPE_NULL", type(11))
    CASE("operator", MPI_ERR_OP, "MPI_Op_free: predefined", MPI_Op_free(&op))
    CASE("operator", MPI_ERR_OP, "MPI_Op_commutative: MPI_OP_NULL", MPI_Op_commutative(MPI_OP_NULL, &n))
    CASE("request", MPI_ERR_REQUEST, "MPI_Start: MPI_REQUEST_NULL", request(0))
    CASE("request", MPI_ERR_REQUEST, "MPI_Request_free: MPI_REQUEST_NULL", request(1))
    CASE("request", MPI_ERR_REQUEST, "MPI_Cancel: MPI_REQUEST_NULL", request(2))
    CASE("request", MPI_ERR_REQUEST, "MPI_Start: a nonblocking receive that is complete", request(3))
    CASE("request", MPI_ERR_REQUEST, "MPI_Start: active already", request(4))
    CASE("count", MPI_ERR_COUNT, "MPI_Waitall: -1 requests", request(5))
    CASE("request", MPI_ERR_REQUEST, "MPI_Startall: MPI_REQUEST_NULL", request(6))
    CASE("request", MPI_ERR_REQUEST, "MPI_Pready: MPI_REQUEST_NULL", request(7))
    CASE("length", MPI_ERR_TRUNCATE, "MPI_Irecv: message too long", mismatch(8, 1, MPI_INT))
    CASE("length", MPI_ERR_TRUNCATE, "MPI_Recv: message too long", mismatch_blocking(8, 1, MPI_INT))
    CASE("length", MPI_ERR_TRUNCATE, "MPI_Mrecv: message too long", mismatch_probed(8, 1, MPI_INT))
    CASE("length", MPI_ERR_TRUNCATE, "MPI_Sendrecv: message too long", mismatch_exchanged(8, 1, MPI_INT))
    CASE("type signature", MPI_ERR_TYPE, "MPI_Irecv: 3 chars into 4 ints", mismatch(3, 4, MPI_INT))
    CASE("type signature", MPI_ERR_TYPE, "MPI_Recv: 3 chars into 4 ints", mismatch_blocking(3, 4, MPI_INT))
    CASE("type signature", MPI_ERR_TYPE, "MPI_Mrecv: 3 chars into 4 ints", mismatch_probed(3, 4, MPI_INT))
    CASE("type signature", MPI_ERR_TYPE, "MPI_Sendrecv: 3 chars into 4 ints", mismatch_exchanged(3, 4, MPI_INT))
    CASE("type signature", MPI_ERR_TYPE, "MPI_Recv: 7 chars into shorts", mismatch_blocking(7, 8, MPI_SHORT))
    CASE("type signature", MPI_ERR_TYPE, "MPI_Recv: 12 chars into doubles", mismatch_blocking(12, 8, MPI_DOUBLE))
    CASE("type signature", MPI_ERR_TYPE, "MPI_Recv: 14 chars into doubles and ints", mismatch_blocking(14, 8, MPI_DOUBLE_INT))
    CASE("window epoch", MPI_ERR_RMA_SYNC, "MPI_Win_unlock: not locked", epoch(0))
    CASE("window epoch", MPI_ERR_RMA_SYNC, "MPI_Win_unlock_all: not locked", epoch(1))
    CASE("window epoch", MPI_ERR_RMA_SYNC, "MPI_Win_complete: not started", epoch(2))
    CASE("window epoch", MPI_ERR_RMA_SYNC, "MPI_Win_wait: not posted", epoch(3))
    CASE("window epoch", MPI_ERR_RMA_SYNC, "MPI_Win_flush: not locked", epoch(4))
    CASE("window epoch", MPI_ERR_RMA_SYNC, "MPI_Win_flush_all: not locked", epoch(5))
    CASE("window epoch", MPI_ERR_RMA_SYNC, "MPI_Win_flush_local: not locked", epoch(6))
    CASE("window epoch", MPI_ERR_RMA_SYNC, "MPI_Win_lock_all: twice", epoch(7))
    CASE("window epoch", MPI_ERR_RMA_SYNC, "MPI_Win_lock: twice", epoch(8))
    CASE("window epoch", MPI_ERR_RMA_SYNC, "MPI_Win_unlock: after MPI_Win_lock_all", epoch(9))
    CASE("window epoch", MPI_ERR_RMA_SYNC, "MPI_Win_start: locked", epoch(10))
    CASE("window epoch", MPI_ERR_RMA_SYNC, "MPI_Win_fence: locked", epoch(11))
    CASE("window epoch", MPI_ERR_RMA_SYNC, "MPI_Win_test: not posted", epoch(12))
    CASE("window", MPI_ERR_LOCKTYPE, "MPI_Win_lock: no such type", epoch(13))
    ACCESSES(NO_EPOCH) ACCUMULATES(NO_EPOCH) FETCHES(NO_EPOCH)
    ACCESSES(NO_WIN) ACCUMULATES(NO_WIN) FETCHES(NO_WIN)
    ACCESSES(TARGET) ACCUMULATES(TARGET) FETCHES(TARGET)
    ACCESSES(ORIGIN_COUNT) ACCUMULATES(ORIGIN_COUNT)
    ACCESSES(ORIGIN_TYPE) ACCUMULATES(ORIGIN_TYPE) FETCHES(ORIGIN_TYPE)
    ACCUMULATES(ACC_OP)
    ACCESSES(BEYOND) ACCUMULATES(BEYOND) FETCHES(BEYOND)
    CASE("file", MPI_ERR_NO_SUCH_FILE, "MPI_File_open: no such file", io(0))
    CASE("file", MPI_ERR_AMODE, "MPI_File_open: no mode", io(1))
    CASE("file", MPI_ERR_AMODE, "MPI_File_open: two modes", io(2))
    CASE("file", MPI_ERR_AMODE, "MPI_File_open: creates to read", io(3))
    CASE("file", MPI_ERR_NO_SUCH_FILE, "MPI_File_delete: no such file", io(4))
    CASE("file", MPI_ERR_ARG, "MPI_File_seek: before the file", io(5))
    CASE("count", MPI_ERR_COUNT, "MPI_File_write: count -1", io(6))
    CASE("datatype", MPI_ERR_TYPE, "MPI_File_write: MPI_DATATYPE_NULL", io(7))
    CASE("file", MPI_ERR_FILE, "MPI_File_write: MPI_FILE_NULL", io(8))
    CASE("file", MPI_ERR_UNSUPPORTED_DATAREP, "MPI_File_set_view: no such representation", io(9))
    CASE("file", MPI_ERR_ARG, "MPI_File_set_size: -1", io(10))
    CASE("file", MPI_ERR_ARG, "MPI_File_write_at: before the file", io(11))
    CASE("info", MPI_ERR_INFO_KEY, "MPI_Info_set: key too long", info(0))
    CASE("info", MPI_ERR_INFO_VALUE, "MPI_Info_set: value too long", info(1))
    CASE("info", MPI_ERR_INFO_NOKEY, "MPI_Info_delete: no such key", info(2))
    CASE("info", MPI_ERR_INFO_KEY, "MPI_Info_set: empty key", info(3))
    CASE("info", MPI_ERR_INFO, "MPI_Info_set: MPI_INFO_NULL", info(4))
    CASE("info", MPI_ERR_ARG, "MPI_Info_get_nthkey: too large", info(5))
    CASE("attribute", MPI_ERR_KEYVAL, "MPI_Comm_get_attr: MPI_KEYVAL_INVALID", MPI_Comm_get_attr(W, MPI_KEYVAL_INVALID, &value, &flag))
    CASE("attribute", MPI_ERR_KEYVAL, "MPI_Comm_delete_attr: predefined", MPI_Comm_delete_attr(W, MPI_TAG_UB))
    CASE("error code", MPI_ERR_ARG, "MPI_Error_class: no such code", MPI_Error_class(-4711, &class))
}

static void null_outputs(void)
{
    static char text[MPI_MAX_ERROR_STRING];
    MPI_Comm comm;
    MPI_Group none = MPI_GROUP_EMPTY;
    MPI_Datatype made;
    MPI_Info one;
    int length, flag;
    MPI_Info_create(&one);
#define N(NAME, CALL) CASE("NULL output", MPI_ERR_ARG, NAME, CALL)
    N("MPI_Comm_size", MPI_Comm_size(W, NULL))
    N("MPI_Comm_rank", MPI_Comm_rank(W, NULL))
    N("MPI_Comm_dup", MPI_Comm_dup(W, NULL))
    N("MPI_Comm_idup: communicator", MPI_Comm_idup(W, NULL, &q))
    N("MPI_Comm_idup: request", MPI_Comm_idup(W, &comm, NULL))
    N("MPI_Comm_split", MPI_Comm_split(W, 0, 0, NULL))
    N("MPI_Comm_split_type", MPI_Comm_split_type(W, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, NULL))
    N("MPI_Comm_split_type: and no such type", MPI_Comm_split_type(W, -77, 0, MPI_INFO_NULL, NULL))
    N("MPI_Intercomm_create", MPI_Intercomm_create(W, 0, W, 1, 0, NULL))
    N("MPI_Intercomm_create: and no such leader", MPI_Intercomm_create(W, 99, W, 1, 0, NULL))
    N("MPI_Intercomm_merge", MPI_Intercomm_merge(inter, 0, NULL))
    N("MPI_Comm_create", MPI_Comm_create(W, none, NULL))
    N("MPI_Comm_create_group", MPI_Comm_create_group(W, none, 0, NULL))
    N("MPI_Comm_group", MPI_Comm_group(W, NULL))
    N("MPI_Comm_compare", MPI_Comm_compare(W, W, NULL))
    N("MPI_Comm_test_inter", MPI_Comm_test_inter(W, NULL))
    N("MPI_Comm_remote_size", MPI_Comm_remote_size(inter, NULL))
    N("MPI_Comm_remote_group", MPI_Comm_remote_group(inter, NULL))
    N("MPI_Comm_free", MPI_Comm_free(NULL))
    N("MPI_Comm_get_name: name", MPI_Comm_get_name(W, NULL, &length))
    N("MPI_Comm_get_name: length", MPI_Comm_get_name(W, text, NULL))
    N("MPI_Comm_set_name", MPI_Comm_set_name(W, NULL))
    N("MPI_Comm_get_info", MPI_Comm_get_info(W, NULL))
    N("MPI_Comm_get_errhandler", MPI_Comm_get_errhandler(W, NULL))
    N("MPI_Comm_get_attr: value", MPI_Comm_get_attr(W, MPI_TAG_UB, NULL, &flag))
    N("MPI_Comm_get_attr: flag", MPI_Comm_get_attr(W, MPI_TAG_UB, &length, NULL))
    N("MPI_Comm_create_keyval", MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, NULL, NULL))
    N("MPI_Group_size", MPI_Group_size(none, NULL))
    N("MPI_Group_rank", MPI_Group_rank(none, NULL))
    N("MPI_Group_compare", MPI_Group_compare(none, none, NULL))
    N("MPI_Group_union", MPI_Group_union(none, none, NULL))
    N("MPI_Group_incl: group", MPI_Group_incl(none, 0, zeros, NULL))
    N("MPI_Group_translate_ranks", MPI_Group_translate_ranks(none, 1, zeros, none, NULL))
    N("MPI_Group_free", MPI_Group_free(NULL))
    N("MPI_Isend", MPI_Isend(s, n, t, me, 0, W, NULL))
    N("MPI_Issend", MPI_Issend(s, n, t, me, 0, W, NULL))
    N("MPI_Ibsend", MPI_Ibsend(s, n, t, me, 0, W, NULL))
    N("MPI_Irsend", MPI_Irsend(s, n, t, me, 0, W, NULL))
    N("MPI_Isend_c", MPI_Isend_c(s, n, t, me, 0, W, NULL))
    N("MPI_Irecv", MPI_Irecv(r, n, t, me, 0, W, NULL))
    N("MPI_Irecv_c", MPI_Irecv_c(r, n, t, me, 0, W, NULL))
    N("MPI_Imrecv", MPI_Imrecv(r, n, t, NULL, &q))
    N("MPI_Send_init", MPI_Send_init(s, n, t, me, 0, W, NULL))
    N("MPI_Recv_init", MPI_Recv_init(r, n, t, me, 0, W, NULL))
    N("MPI_Isendrecv", MPI_Isendrecv(s, n, t, me, 0, r, n, t, me, 0, W, NULL))
    N("MPI_Psend_init", MPI_Psend_init(s, 1, n, t, me, 0, W, MPI_INFO_NULL, NULL))
    N("MPI_Iprobe", MPI_Iprobe(me, 0, W, NULL, &status))
    N("MPI_Mprobe", MPI_Mprobe(me, 0, W, NULL, &status))
    N("MPI_Improbe: flag", MPI_Improbe(me, 0, W, NULL, (MPI_Message *)x, &status))
    N("MPI_Wait", MPI_Wait(NULL, &status))
    N("MPI_Test: request", MPI_Test(NULL, &flag, &status))
    N("MPI_Test: flag", MPI_Test(&q, NULL, &status))
    N("MPI_Waitall", MPI_Waitall(1, NULL, MPI_STATUSES_IGNORE))
    N("MPI_Testall: flag", MPI_Testall(1, &q, NULL, MPI_STATUSES_IGNORE))
    N("MPI_Waitany: index", MPI_Waitany(1, &q, NULL, &status))
    N("MPI_Testany: flag", MPI_Testany(1, &q, &length, NULL, &status))
    N("MPI_Waitsome: count", MPI_Waitsome(1, &q, NULL, zeros, MPI_STATUSES_IGNORE))
    N("MPI_Waitsome: indices", MPI_Waitsome(1, &q, &length, NULL, MPI_STATUSES_IGNORE))
    N("MPI_Request_get_status", MPI_Request_get_status(q, NULL, &status))
    N("MPI_Request_free", MPI_Request_free(NULL))
    N("MPI_Cancel", MPI_Cancel(NULL))
    N("MPI_Start", MPI_Start(NULL))
    N("MPI_Test_cancelled: status", MPI_Test_cancelled(NULL, &flag))
    N("MPI_Test_cancelled: flag", MPI_Test_cancelled(&status, NULL))
    N("MPI_Get_count: status", MPI_Get_count(NULL, t, &length))
    N("MPI_Get_count: count", MPI_Get_count(&status, t, NULL))
    N("MPI_Get_elements", MPI_Get_elements(&status, t, NULL))
    N("MPI_Type_contiguous", MPI_Type_contiguous(1, t, NULL))
    N("MPI_Type_contiguous_c", MPI_Type_contiguous_c(1, t, NULL))
    N("MPI_Type_vector", MPI_Type_vector(1, 1, 1, t, NULL))
    N("MPI_Type_indexed: lengths", MPI_Type_indexed(1, NULL, zeros, t, &made))
    N("MPI_Type_create_struct: type", MPI_Type_create_struct(1, ones, aints, ints, NULL))
    N("MPI_Type_create_resized", MPI_Type_create_resized(t, 0, 4, NULL))
    N("MPI_Type_dup", MPI_Type_dup(t, NULL))
    N("MPI_Type_size", MPI_Type_size(t, NULL))
    N("MPI_Type_size_c", MPI_Type_size_c(t, NULL))
    N("MPI_Type_get_extent: bound", MPI_Type_get_extent(t, NULL, aints))
    N("MPI_Type_get_extent: extent", MPI_Type_get_extent(t, aints, NULL))
    N("MPI_Type_get_true_extent", MPI_Type_get_true_extent(t, NULL, NULL))
    N("MPI_Type_get_envelope", MPI_Type_get_envelope(t, NULL, &n, &n, &n))
    N("MPI_Get_address", MPI_Get_address(x, NULL))
    N("MPI_Pack: position", MPI_Pack(s, 1, t, r, 4, NULL, W))
    N("MPI_Unpack: position", MPI_Unpack(s, 4, NULL, r, 1, t, W))
    N("MPI_Pack_size", MPI_Pack_size(1, t, W, NULL))
    N("MPI_Op_create", MPI_Op_create((MPI_User_function *)good, 1, NULL))
    N("MPI_Op_free", MPI_Op_free(NULL))
    N("MPI_Op_commutative", MPI_Op_commutative(op, NULL))
    N("MPI_Ibarrier", MPI_Ibarrier(W, NULL))
    N("MPI_Ibcast", MPI_Ibcast(s, n, t, 0, W, NULL))
    N("MPI_Iallreduce", MPI_Iallreduce(s, r, n, t, op, W, NULL))
    N("MPI_Ialltoallv", MPI_Ialltoallv(s, sc, at, t, r, rc, at, t, W, NULL))
    N("MPI_Ineighbor_allgather", MPI_Ineighbor_allgather(s, n, t, r, n, t, ring, NULL))
    N("MPI_Allreduce_init", MPI_Allreduce_init(s, r, n, t, op, W, MPI_INFO_NULL, NULL))
    N("MPI_Cart_create", MPI_Cart_create(W, 1, ones, zeros, 0, NULL))
    N("MPI_Cart_create: dimensions", MPI_Cart_create(W, 1, NULL, zeros, 0, &comm))
    N("MPI_Cart_coords", MPI_Cart_coords(ring, 0, 1, NULL))
    N("MPI_Cart_rank", MPI_Cart_rank(ring, zeros, NULL))
    N("MPI_Cart_shift", MPI_Cart_shift(ring, 0, 1, NULL, &n))
    N("MPI_Cart_sub", MPI_Cart_sub(ring, ones, NULL))
    N("MPI_Cartdim_get", MPI_Cartdim_get(ring, NULL))
    N("MPI_Topo_test", MPI_Topo_test(ring, NULL))
    N("MPI_Dims_create", MPI_Dims_create(4, 2, NULL))
    N("MPI_Win_create", MPI_Win_create(x, 4, 1, MPI_INFO_NULL, W, NULL))
    N("MPI_Win_allocate: base", MPI_Win_allocate(4, 1, MPI_INFO_NULL, W, NULL, &v))
    N("MPI_Win_create_dynamic", MPI_Win_create_dynamic(MPI_INFO_NULL, W, NULL))
    N("MPI_Win_get_group", MPI_Win_get_group(win, NULL))
    N("MPI_Win_free", MPI_Win_free(NULL))
    N("MPI_Rput", MPI_Rput(s, n, t, 0, 0, n, t, win, NULL))
    N("MPI_Rget", MPI_Rget(r, n, t, 0, 0, n, t, win, NULL))
    N("MPI_Alloc_mem", MPI_Alloc_mem(4, MPI_INFO_NULL, NULL))
    N("MPI_Info_create", MPI_Info_create(NULL))
    N("MPI_Info_dup", MPI_Info_dup(one, NULL))
    N("MPI_Info_get_nkeys", MPI_Info_get_nkeys(one, NULL))
    N("MPI_Info_get: flag", MPI_Info_get(one, "key", 5, text, NULL))
    N("MPI_Info_set: value", MPI_Info_set(one, "key", NULL))
    CASE("NULL output", MPI_ERR_INFO_KEY, "MPI_Info_set: key", MPI_Info_set(one, NULL, "value"))
    N("MPI_Error_class", MPI_Error_class(0, NULL))
    N("MPI_Error_string: text", MPI_Error_string(0, NULL, &length))
    N("MPI_Error_string: length", MPI_Error_string(0, text, NULL))
    N("MPI_Get_version", MPI_Get_version(NULL, &n))
    N("MPI_Get_library_version", MPI_Get_library_version(text, NULL))
    N("MPI_Get_processor_name", MPI_Get_processor_name(NULL, &length))
    N("MPI_Initialized", MPI_Initialized(NULL))
    N("MPI_Finalized", MPI_Finalized(NULL))
    N("MPI_Query_thread", MPI_Query_thread(NULL))
    N("MPI_Is_thread_main", MPI_Is_thread_main(NULL))
    N("MPI_File_get_size", MPI_File_get_size(file, NULL))
    N("MPI_File_get_position", MPI_File_get_position(file, NULL))
    N("MPI_File_get_amode", MPI_File_get_amode(file, NULL))
    N("MPI_File_open: file", MPI_File_open(MPI_COMM_SELF, "corpus.dat", MPI_MODE_RDONLY, MPI_INFO_NULL, NULL))
    N("MPI_File_open: name", MPI_File_open(MPI_COMM_SELF, NULL, MPI_MODE_RDONLY, MPI_INFO_NULL, &file))
    MPI_Info_free(&one);
}

int main(int argc, char **argv)
{
    MPI_Comm half;
    first = argc > 1 ? atoi(argv[1]) : 1;
    last = argc > 2 ? atoi(argv[2]) : argc > 1 ? first : 1 << 20;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &np);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN);
    MPI_Comm_dup(MPI_COMM_WORLD, &world);
    MPI_Comm_split(world, me, 0, &half);
    MPI_Intercomm_create(half, 0, world, 1 - me, 0, &inter);
    MPI_Cart_create(world, 1, &np, ones, 0, &ring);
    MPI_Win_create(area, sizeof area, sizeof *area, MPI_INFO_NULL, world, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    char name[] = "corpus.0.dat";
    name[7] += me;
    MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    ints[0] = ints[1] = MPI_INT;
    /* The last communicator that is created, so that no other one has its handle. */
    MPI_Comm_dup(MPI_COMM_WORLD, &freed);
    MPI_Comm copy = freed;
    MPI_Comm_free(&freed);
    freed = copy;
    MPI_Type_contiguous(2, MPI_INT, &uncommitted);

    point_to_point();
    collectives();
    objects();
    null_outputs();

    MPI_Type_free(&uncommitted);
    MPI_File_close(&file);
    MPI_Win_free(&win);
    MPI_Comm_free(&ring);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
    MPI_Comm_free(&world);
    MPI_Finalize();
    return 0;
}
