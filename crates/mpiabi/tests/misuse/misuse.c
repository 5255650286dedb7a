/* Cases of misuse of MPI: `misuse CASE`. A case with error codes prints the returned class on every
 * rank; a case that must end the job prints "survived" if it does not.
 * `python/tests/test_misuse.py` has the expected result of each. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int me, np, x[64], y[64];
static char big[1 << 20], other[1 << 20];

static void tell(int code)
{
    int class;
    MPI_Error_class(code, &class);
    printf("rank %d: class %d\n", me, class);
    fflush(stdout);
}
/* Errors are returned from here on. */
static void ask(void)
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
}
static MPI_Comm duplicate(void)
{
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    return comm;
}
static void user_op(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)in, (void)inout, (void)n, (void)type;
}
static void handler(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    tell(*code);
}
static void raising_handler(MPI_Comm *comm, int *code, ...)
{
    static int depth;
    (void)comm;
    tell(*code);
    if (depth++ == 0)
        MPI_Send(x, 1, MPI_INT, 0, -7, MPI_COMM_WORLD);
}
static void aborting_handler(MPI_Comm *comm, int *code, ...)
{
    (void)code;
    MPI_Abort(*comm, 9);
}
static void *send_to_self(void *unused)
{
    MPI_Request request;
    MPI_Isend(x, 1, MPI_INT, me, 0, MPI_COMM_WORLD, &request);
    return unused;
}

static void threaded_op(void *in, void *inout, int *n, MPI_Datatype *type)
{
    pthread_t thread;
    pthread_create(&thread, NULL, send_to_self, NULL);
    pthread_join(thread, NULL);
    user_op(in, inout, n, type);
}

#define W MPI_COMM_WORLD
#define CASES                                                                                     \
    /* Point to point: arguments. */                                                              \
    RETURNS(send_rank_too_big, MPI_Send(x, 1, MPI_INT, np, 0, W))                                 \
    RETURNS(send_rank_negative, MPI_Send(x, 1, MPI_INT, -5, 0, W))                                \
    RETURNS(send_any_source, MPI_Send(x, 1, MPI_INT, MPI_ANY_SOURCE, 0, W))                       \
    RETURNS(recv_rank, MPI_Recv(x, 1, MPI_INT, np, 0, W, MPI_STATUS_IGNORE))                      \
    RETURNS(send_tag_negative, MPI_Send(x, 1, MPI_INT, 0, -9, W))                                 \
    RETURNS(send_any_tag, MPI_Send(x, 1, MPI_INT, 0, MPI_ANY_TAG, W))                             \
    RETURNS(send_tag_beyond, send_beyond())                                                       \
    RETURNS(recv_tag_negative, MPI_Recv(x, 1, MPI_INT, 0, -9, W, MPI_STATUS_IGNORE))              \
    RETURNS(type_null, MPI_Send(x, 1, MPI_DATATYPE_NULL, 0, 0, W))                                \
    RETURNS(type_uncommitted, with_type(0, 0))                                                    \
    RETURNS(type_freed, with_type(1, 1))                                                          \
    RETURNS(type_garbage, MPI_Send(x, 1, (MPI_Datatype)(size_t)0x77777, 0, 0, W))                 \
    RETURNS(count_negative, MPI_Send(x, -1, MPI_INT, 0, 0, W))                                    \
    RETURNS(recv_count_negative, MPI_Recv(x, -1, MPI_INT, 0, 0, W, MPI_STATUS_IGNORE))            \
    RETURNS(buffer_null, MPI_Send(NULL, 1, MPI_INT, 0, 0, W))                                     \
    RETURNS(comm_null, MPI_Send(x, 1, MPI_INT, 0, 0, MPI_COMM_NULL))                              \
    RETURNS(comm_freed, with_freed_comm())                                                        \
    RETURNS(truncated, truncated())                                                               \
    RETURNS(truncated_waitall, truncated_waitall())                                               \
    RETURNS(waits_negative, MPI_Waitall(-1, NULL, MPI_STATUSES_IGNORE))                           \
    /* Requests and buffers. */                                                                   \
    RETURNS(request_garbage, wait_garbage())                                                      \
    RETURNS(request_freed, wait_freed())                                                          \
    RETURNS(request_free_null, free_null())                                                       \
    RETURNS(request_twice, wait_twice())                                                          \
    RETURNS(start_active, start_active())                                                         \
    RETURNS(start_plain, start_plain())                                                           \
    RETURNS(cancel_null, cancel_null())                                                           \
    RETURNS(grequest_complete_plain, complete_plain())                                            \
    RETURNS(message_twice, message_twice())                                                       \
    RETURNS(bsend_without, MPI_Bsend(x, 1, MPI_INT, 0, 0, W))                                     \
    RETURNS(bsend_small, bsend_small())                                                           \
    RETURNS(detach_twice, detach_twice())                                                         \
    RETURNS(attach_twice, attach_twice())                                                         \
    RETURNS(pready_inactive, pready(0, 0))                                                        \
    RETURNS(pready_range, pready(1, 99))                                                          \
    RETURNS(pready_again, pready(1, 0))                                                           \
    RETURNS(precv_any_source, precv_any())                                                        \
    /* Datatypes. */                                                                              \
    RETURNS(vector_negative, make(0))                                                             \
    RETURNS(indexed_negative, make(1))                                                            \
    RETURNS(subarray_beyond, make(2))                                                             \
    RETURNS(darray_grid, make(3))                                                                 \
    RETURNS(type_free_predefined, make(4))                                                        \
    RETURNS(contents_of_named, make(5))                                                           \
    RETURNS(unpack_beyond, make(6))                                                               \
    RETURNS(match_size, make(7))                                                                  \
    /* Collectives. */                                                                            \
    RETURNS(root_beyond, MPI_Bcast(x, 1, MPI_INT, np, W))                                         \
    RETURNS(root_negative, MPI_Reduce(x, y, 1, MPI_INT, MPI_SUM, -4, W))                          \
    RETURNS(op_null, MPI_Allreduce(x, y, 1, MPI_INT, MPI_OP_NULL, W))                             \
    RETURNS(op_of_type, MPI_Allreduce(x, y, 1, MPI_DOUBLE, MPI_BAND, W))                          \
    RETURNS(op_of_derived, reduce_derived())                                                      \
    RETURNS(op_freed, reduce_freed())                                                             \
    RETURNS(op_free_predefined, free_sum())                                                       \
    RETURNS(collective_count, MPI_Allreduce(x, y, -1, MPI_INT, MPI_SUM, W))                       \
    RETURNS(aliased, MPI_Allreduce(x, x, 4, MPI_INT, MPI_SUM, W))                                 \
    RETURNS(gather_long_receive, blocks(0))                                                       \
    RETURNS(allgather_long_send, blocks(1))                                                       \
    RETURNS(allgather_long_receive, blocks(2))                                                    \
    RETURNS(alltoall_long_receive, blocks(3))                                                     \
    RETURNS(cut_element, cut_element())                                                           \
    /* Communicators, groups, topologies. */                                                      \
    RETURNS(free_world, free_world())                                                             \
    RETURNS(split_color, split_color())                                                           \
    RETURNS(group_rank, group_incl(99, 0))                                                        \
    RETURNS(group_duplicate, group_incl(0, 0))                                                    \
    RETURNS(group_freed, group_freed())                                                           \
    RETURNS(dims_impossible, dims())                                                              \
    RETURNS(cart_too_many, cart())                                                                \
    RETURNS(cart_of_none, cart_of_none())                                                         \
    RETURNS(graph_invalid, graph())                                                               \
    RETURNS(inter_overlap, overlap())                                                             \
    /* Info, attributes, error handlers. */                                                       \
    RETURNS(info_key_long, info_key())                                                            \
    RETURNS(info_freed, info_freed())                                                             \
    RETURNS(info_no_key, info_no_key())                                                           \
    RETURNS(keyval_invalid, MPI_Comm_set_attr(W, MPI_KEYVAL_INVALID, x))                          \
    RETURNS(keyval_predefined, MPI_Comm_set_attr(W, MPI_TAG_UB, x))                               \
    RETURNS(attr_freed, attr_freed())                                                             \
    RETURNS(errhandler_freed, errhandler_freed())                                                 \
    RETURNS(error_code, error_code())                                                             \
    RETURNS(init_twice, MPI_Init(NULL, NULL))

/* The bodies that are more than one call. */
static int send_beyond(void)
{
    int *last, flag;
    MPI_Comm_get_attr(W, MPI_TAG_UB, &last, &flag);
    return *last == 0x7fffffff ? MPI_ERR_TAG : MPI_Send(x, 1, MPI_INT, 0, *last + 1, W);
}
static int with_type(int commit, int free_it)
{
    MPI_Datatype type, handle;
    MPI_Type_contiguous(2, MPI_INT, &type);
    handle = type;
    if (commit)
        MPI_Type_commit(&type);
    if (free_it)
        MPI_Type_free(&type);
    return MPI_Send(x, 1, handle, 0, 0, W);
}
static int with_freed_comm(void)
{
    MPI_Comm comm = duplicate(), handle = comm;
    MPI_Comm_free(&comm);
    return MPI_Send(x, 1, MPI_INT, 0, 0, handle);
}
static int truncated(void)
{
    MPI_Request r;
    MPI_Isend(x, 4, MPI_INT, me, 0, W, &r);
    int code = MPI_Recv(y, 2, MPI_INT, me, 0, W, MPI_STATUS_IGNORE);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    return code;
}
static int truncated_waitall(void)
{
    MPI_Request r[3];
    MPI_Status s[3];
    MPI_Irecv(y, 2, MPI_INT, me, 0, W, &r[0]);
    MPI_Irecv(y + 8, 4, MPI_INT, me, 1, W, &r[1]);
    MPI_Isend(x, 4, MPI_INT, me, 0, W, &r[2]);
    MPI_Send(x, 4, MPI_INT, me, 1, W);
    int code = MPI_Waitall(3, r, s), class;
    MPI_Error_class(s[0].MPI_ERROR, &class);
    if (class != MPI_ERR_TRUNCATE || s[1].MPI_ERROR != MPI_SUCCESS)
        printf("rank %d: wrong statuses\n", me);
    return code;
}
static int wait_garbage(void)
{
    MPI_Request r = (MPI_Request)(size_t)0x1234567;
    return MPI_Wait(&r, MPI_STATUS_IGNORE);
}
static int wait_freed(void)
{
    MPI_Request r, copy;
    MPI_Recv_init(x, 1, MPI_INT, me, 0, W, &r);
    copy = r;
    MPI_Request_free(&r);
    return MPI_Wait(&copy, MPI_STATUS_IGNORE);
}
static int free_null(void)
{
    MPI_Request r = MPI_REQUEST_NULL;
    return MPI_Request_free(&r);
}
static int wait_twice(void)
{
    MPI_Request r, copy;
    MPI_Isend(x, 1, MPI_INT, MPI_PROC_NULL, 0, W, &r);
    copy = r;
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    return MPI_Wait(&copy, MPI_STATUS_IGNORE);
}
static int start_active(void)
{
    MPI_Request r;
    MPI_Recv_init(x, 1, MPI_INT, me, 0, W, &r);
    MPI_Start(&r);
    int code = MPI_Start(&r);
    MPI_Cancel(&r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Request_free(&r);
    return code;
}
static int start_plain(void)
{
    MPI_Request r;
    MPI_Irecv(x, 1, MPI_INT, me, 0, W, &r);
    MPI_Send(x, 1, MPI_INT, me, 0, W);
    MPI_Request again = r;
    int code = MPI_Start(&again);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    return code;
}
static int cancel_null(void)
{
    MPI_Request r = MPI_REQUEST_NULL;
    return MPI_Cancel(&r);
}
static int complete_plain(void)
{
    MPI_Request r;
    MPI_Recv_init(x, 1, MPI_INT, me, 0, W, &r);
    int code = MPI_Grequest_complete(r);
    MPI_Request_free(&r);
    return code;
}
static int message_twice(void)
{
    MPI_Message m, copy;
    MPI_Request r;
    MPI_Isend(x, 1, MPI_INT, me, 0, W, &r);
    MPI_Mprobe(me, 0, W, &m, MPI_STATUS_IGNORE);
    copy = m;
    MPI_Mrecv(y, 1, MPI_INT, &m, MPI_STATUS_IGNORE);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    return MPI_Mrecv(y, 1, MPI_INT, &copy, MPI_STATUS_IGNORE);
}
static int bsend_small(void)
{
    void *at;
    int size;
    MPI_Buffer_attach(big, 100);
    int code = MPI_Bsend(other, 200, MPI_BYTE, me, 0, W);
    MPI_Buffer_detach(&at, &size);
    return code;
}
static int detach_twice(void)
{
    void *at;
    int size;
    MPI_Buffer_attach(big, sizeof big);
    MPI_Buffer_detach(&at, &size);
    return MPI_Buffer_detach(&at, &size);
}
static int attach_twice(void)
{
    void *at;
    int size;
    MPI_Buffer_attach(big, sizeof big);
    int code = MPI_Buffer_attach(other, sizeof other);
    MPI_Buffer_detach(&at, &size);
    return code;
}
static int pready(int start, int partition)
{
    MPI_Request r[2];
    MPI_Psend_init(x, 2, 1, MPI_INT, me, 0, W, MPI_INFO_NULL, &r[0]);
    MPI_Precv_init(y, 2, 1, MPI_INT, me, 0, W, MPI_INFO_NULL, &r[1]);
    if (start) {
        MPI_Startall(2, r);
        MPI_Pready(0, r[0]);
    }
    int code = MPI_Pready(partition, r[0]);
    if (start) {
        MPI_Pready(1, r[0]);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
    return code;
}
static int precv_any(void)
{
    MPI_Request r;
    return MPI_Precv_init(y, 2, 1, MPI_INT, MPI_ANY_SOURCE, 0, W, MPI_INFO_NULL, &r);
}
static int make(int what)
{
    MPI_Datatype type = MPI_INT;
    int one = 1, minus = -1, two[] = {2, 2}, at = 0;
    int kinds[] = {MPI_DISTRIBUTE_BLOCK}, dflt[] = {MPI_DISTRIBUTE_DFLT_DARG};
    MPI_Aint addresses[1];
    switch (what) {
    case 0: return MPI_Type_vector(2, -1, 3, MPI_INT, &type);
    case 1: return MPI_Type_indexed(1, &minus, &one, MPI_INT, &type);
    case 2: return MPI_Type_create_subarray(1, two, two, &one, MPI_ORDER_C, MPI_INT, &type);
    case 3:
        return MPI_Type_create_darray(3, 0, 1, two, kinds, dflt, two, MPI_ORDER_C, MPI_INT, &type);
    case 4: return MPI_Type_free(&type);
    case 5: return MPI_Type_get_contents(type, 1, 1, 1, &one, addresses, &type);
    case 6: return MPI_Unpack(x, 4, &at, y, 2, MPI_INT, W);
    default: return MPI_Type_match_size(MPI_TYPECLASS_REAL, 3, &type);
    }
}
static int reduce_derived(void)
{
    MPI_Datatype type;
    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Type_commit(&type);
    int code = MPI_Allreduce(x, y, 1, type, MPI_SUM, W);
    MPI_Type_free(&type);
    return code;
}
static int reduce_freed(void)
{
    MPI_Op op, copy;
    MPI_Op_create(user_op, 1, &op);
    copy = op;
    MPI_Op_free(&op);
    return MPI_Allreduce(x, y, 1, MPI_INT, copy, W);
}
/* Blocks of one length sent and of another received. Where that is accepted, each rank has the
 * first item of each block, and the rest of its receive buffer is unchanged. */
static int blocks(int what)
{
    int sent = what == 1 ? 4 : 1, received = what == 1 ? 1 : 4, code = MPI_SUCCESS;
    for (int i = 0; i < 64; i++)
        x[i] = 100 * me + i, y[i] = -1;
    switch (what) {
    case 0: code = MPI_Gather(x, sent, MPI_INT, y, received, MPI_INT, 0, W); break;
    case 1:
    case 2: code = MPI_Allgather(x, sent, MPI_INT, y, received, MPI_INT, W); break;
    case 3: code = MPI_Alltoall(x, sent, MPI_INT, y, received, MPI_INT, W); break;
    }
    for (int i = 0; code == MPI_SUCCESS && (me == 0 || what) && i < 64; i++) {
        int from = i / received, due = 100 * from + (what == 3 ? me : 0);
        if (y[i] != (i % received == 0 && from < np ? due : -1))
            printf("rank %d: item %d is %d\n", me, i, y[i]);
    }
    return code;
}
static int cut_element(void)
{
    MPI_Request r;
    MPI_Status s;
    int n = 0;
    y[0] = y[1] = -1;
    MPI_Isend("abcdefg", 7, MPI_CHAR, me, 0, W, &r);
    int code = MPI_Recv(y, 4, MPI_INT, me, 0, W, &s);
    MPI_Get_count(&s, MPI_INT, &n);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    /* MPICH unpacks, and counts, only whole elements. */
    if (code != MPI_SUCCESS && (memcmp(y, "abcd", 4) || y[1] != -1 || n != 1))
        printf("rank %d: %d elements, %d, %d\n", me, n, y[0], y[1]);
    return code;
}
static int free_sum(void)
{
    MPI_Op op = MPI_SUM;
    return MPI_Op_free(&op);
}
static int free_world(void)
{
    MPI_Comm comm = MPI_COMM_WORLD;
    return MPI_Comm_free(&comm);
}
static int split_color(void)
{
    MPI_Comm comm;
    return MPI_Comm_split(W, -3, 0, &comm);
}
static int group_incl(int first, int second)
{
    MPI_Group all, some;
    int ranks[] = {first, second};
    MPI_Comm_group(W, &all);
    int code = MPI_Group_incl(all, 2, ranks, &some);
    MPI_Group_free(&all);
    return code;
}
static int group_freed(void)
{
    MPI_Group group, copy;
    int size;
    MPI_Comm_group(W, &group);
    MPI_Group_incl(group, 1, &(int){0}, &copy);
    MPI_Group gone = copy;
    MPI_Group_free(&copy);
    MPI_Group_free(&group);
    return MPI_Group_size(gone, &size);
}
static int dims(void)
{
    int dims[] = {5, 0};
    return MPI_Dims_create(12, 2, dims);
}
static int cart(void)
{
    int dims[] = {np, 2}, periods[] = {0, 0};
    MPI_Comm comm;
    return MPI_Cart_create(W, 2, dims, periods, 0, &comm);
}
static int cart_of_none(void)
{
    int coordinates[1];
    return MPI_Cart_coords(W, 0, 1, coordinates);
}
static int graph(void)
{
    int index[] = {1}, edges[] = {99};
    MPI_Comm comm;
    return MPI_Graph_create(W, 1, index, edges, 0, &comm);
}
static int overlap(void)
{
    MPI_Comm comm = duplicate(), inter;
    int code = MPI_Intercomm_create(comm, 0, W, 0, 5, &inter);
    MPI_Comm_free(&comm);
    return code;
}
static int info_key(void)
{
    char key[MPI_MAX_INFO_KEY + 20];
    MPI_Info info;
    memset(key, 'k', sizeof key);
    key[sizeof key - 1] = 0;
    MPI_Info_create(&info);
    int code = MPI_Info_set(info, key, "value");
    MPI_Info_free(&info);
    return code;
}
static int info_freed(void)
{
    MPI_Info info, copy;
    MPI_Info_create(&info);
    copy = info;
    MPI_Info_free(&info);
    return MPI_Info_set(copy, "key", "value");
}
static int info_no_key(void)
{
    MPI_Info info;
    MPI_Info_create(&info);
    int code = MPI_Info_delete(info, "key");
    MPI_Info_free(&info);
    return code;
}
static int attr_freed(void)
{
    MPI_Comm comm = duplicate(), copy = comm;
    int *value, flag;
    MPI_Comm_free(&comm);
    return MPI_Comm_get_attr(copy, MPI_TAG_UB, &value, &flag);
}
static int errhandler_freed(void)
{
    MPI_Errhandler mine, copy;
    MPI_Comm_create_errhandler(handler, &mine);
    copy = mine;
    MPI_Errhandler_free(&mine);
    return MPI_Comm_set_errhandler(W, copy);
}
static int error_code(void)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;
    return MPI_Error_string(-12345, text, &length);
}

static void stop(const char *name)
{
#define STOPS(NAME) else if (strcmp(name, #NAME) == 0)
    MPI_Op op;
    MPI_Request r;
    MPI_Errhandler mine;
    if (strcmp(name, "finalize_twice") == 0) {
        MPI_Finalize();
        MPI_Finalize();
    }
    STOPS(call_after_finalize)
    {
        MPI_Finalize();
        MPI_Barrier(W);
    }
    STOPS(fatal_by_default) MPI_Send(x, 1, MPI_INT, np, 0, W);
    STOPS(fatal_on_a_duplicate)
    {
        MPI_Comm comm;
        MPI_Comm_dup(W, &comm);
        MPI_Send(x, 1, MPI_INT, np, 0, comm);
    }
    STOPS(collective_kinds)
    {
        if (me == 0)
            MPI_Barrier(W);
        else
            MPI_Bcast(x, 1, MPI_INT, 0, W);
    }
    STOPS(collective_roots) MPI_Bcast(x, 1, MPI_INT, me % 2, W);
    STOPS(collective_counts) MPI_Allreduce(x, y, 1 + me % 2, MPI_INT, MPI_SUM, W);
    STOPS(collective_ops) MPI_Allreduce(x, y, 1, MPI_INT, me % 2 ? MPI_SUM : MPI_MAX, W);
    STOPS(collective_types) MPI_Allreduce(x, y, 1, me % 2 ? MPI_INT : MPI_FLOAT, MPI_SUM, W);
    STOPS(collective_pairs)
    MPI_Reduce(x, y, 1, me % 2 ? MPI_2INT : MPI_FLOAT_INT, MPI_MINLOC, 0, W);
    STOPS(collective_own_op)
    {
        MPI_Op_create(user_op, 1, &op);
        MPI_Scan(x, y, 1, MPI_INT, me % 2 ? op : MPI_SUM, W);
    }
    STOPS(collective_commutes)
    {
        MPI_Op_create(user_op, me % 2, &op);
        MPI_Reduce_scatter_block(x, y, 1, MPI_INT, op, W);
    }
    STOPS(collective_same)
    {
        MPI_Op_create(user_op, 0, &op);
        MPI_Allreduce(x, y, 1, me % 2 ? MPI_INT : MPI_INT32_T, MPI_SUM, W);
        MPI_Allreduce(x, y, 1, me % 2 ? MPI_INT : MPI_FLOAT, op, W);
        MPI_Op_free(&op);
    }
    STOPS(collective_missing)
    {
        if (me != 0)
            MPI_Barrier(W);
    }
    STOPS(wait_unmatched)
    {
        MPI_Irecv(x, 1, MPI_INT, (me + 1) % np, 5, W, &r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
    STOPS(recv_self) MPI_Recv(x, 1, MPI_INT, me, 0, W, MPI_STATUS_IGNORE);
    STOPS(send_self_big) MPI_Send(big, sizeof big, MPI_BYTE, me, 0, W);
    STOPS(head_to_head) MPI_Ssend(x, 1, MPI_INT, (me + 1) % np, 0, W);
    STOPS(unmarked_partition)
    {
        MPI_Psend_init(x, 2, 1, MPI_INT, me, 0, W, MPI_INFO_NULL, &r);
        MPI_Start(&r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
    STOPS(grequest_never_completed)
    {
        MPI_Grequest_start(NULL, NULL, NULL, NULL, &r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
    STOPS(abort_in_handler)
    {
        MPI_Comm_create_errhandler(aborting_handler, &mine);
        MPI_Comm_set_errhandler(W, mine);
        MPI_Send(x, 1, MPI_INT, np, 0, W);
    }
    STOPS(call_after_abort)
    {
        MPI_Abort(W, 5);
        MPI_Barrier(W);
    }
    STOPS(abort_code_zero) MPI_Abort(W, 0);
    STOPS(exit_without_finalize) exit(3);
    STOPS(second_thread)
    {
        pthread_t thread;
        pthread_create(&thread, NULL, send_to_self, NULL);
        pthread_join(thread, NULL);
    }
    STOPS(two_threads)
    {
        MPI_Op_create(threaded_op, 1, &op);
        MPI_Allreduce(x, y, 1, MPI_INT, op, W);
    }
    STOPS(unsupported)
    {
        MPI_Comm comm;
        MPI_Comm_join(0, &comm);
    }
    STOPS(raising_handler)
    {
        MPI_Comm_create_errhandler(raising_handler, &mine);
        MPI_Comm_set_errhandler(W, mine);
        MPI_Send(x, 1, MPI_INT, np, 0, W);
    }
    STOPS(leaks)
    {
        MPI_Comm comm;
        MPI_Datatype type;
        MPI_Comm_dup(W, &comm);
        MPI_Type_contiguous(2, MPI_INT, &type);
        MPI_Irecv(x, 1, MPI_INT, me, 0, W, &r);
    }
    STOPS(leaks_of_all_kinds)
    {
        MPI_Group group;
        MPI_Win win;
        MPI_File file;
        MPI_Info info;
        MPI_Comm_group(W, &group);
        MPI_Op_create(user_op, 1, &op);
        MPI_Win_create(x, sizeof x, 1, MPI_INFO_NULL, W, &win);
        MPI_File_open(MPI_COMM_SELF, "/dev/null", MPI_MODE_RDWR, MPI_INFO_NULL, &file);
        MPI_Info_create(&info);
        MPI_Recv_init(x, 1, MPI_INT, me, 0, W, &r);
    }
    STOPS(reused_in_flight)
    {
        MPI_Isend(x, 1, MPI_INT, me, 0, W, &r);
        x[0] = 77;
        MPI_Recv(y, 1, MPI_INT, me, 0, W, MPI_STATUS_IGNORE);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
    STOPS(other_type)
    {
        MPI_Isend(x, 1, MPI_INT, me, 0, W, &r);
        MPI_Recv(y, 1, MPI_FLOAT, me, 0, W, MPI_STATUS_IGNORE);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
    else
    {
        printf("no such case: %s\n", name);
        exit(64);
    }
    printf("rank %d: survived\n", me);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    if (strcmp(name, "call_before_init") == 0)
        MPI_Comm_rank(W, &me);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(W, &me);
    MPI_Comm_size(W, &np);
    if (strcmp(name, "list") == 0) {
#define RETURNS(NAME, CALL) printf("%s\n", #NAME);
        CASES
#undef RETURNS
    }
#define RETURNS(NAME, CALL)        \
    else if (strcmp(name, #NAME) == 0) \
    {                              \
        ask();                     \
        tell(CALL);                \
    }
    CASES
    else stop(name);
    MPI_Finalize();
    return 0;
}
