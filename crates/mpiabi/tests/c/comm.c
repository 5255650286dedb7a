/* Communicators and topologies: members, their order, and separation of messages. */
#include "check.h"

static void splitting(void)
{
    MPI_Comm odd, copy, none, node;
    MPI_Comm_split(MPI_COMM_WORLD, me % 2, -me, &odd);
    int rank, size, members = (np + 1 - me % 2) / 2;
    MPI_Comm_rank(odd, &rank);
    MPI_Comm_size(odd, &size);
    CHECK(size == members);
    CHECK(rank == members - 1 - me / 2); /* in descending order of world ranks */
    int sum = -1, expect = 0;
    for (int r = me % 2; r < np; r += 2)
        expect += r;
    MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, odd);
    CHECK(sum == expect);

    /* Same ranks, same tags, another communicator. */
    MPI_Comm_dup(odd, &copy);
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    int a = 10 + me, b = 20 + me, from_a = -1, from_b = -1;
    MPI_Request r[4];
    MPI_Isend(&a, 1, MPI_INT, next, 0, odd, &r[0]);
    MPI_Isend(&b, 1, MPI_INT, next, 0, copy, &r[1]);
    MPI_Irecv(&from_b, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, copy, &r[2]);
    MPI_Irecv(&from_a, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, odd, &r[3]);
    MPI_Status status[4];
    MPI_Waitall(4, r, status);
    CHECK(status[2].MPI_SOURCE == before && status[3].MPI_SOURCE == before);
    CHECK(from_b == from_a + 10);

    int result;
    MPI_Comm_compare(odd, odd, &result);
    CHECK(result == MPI_IDENT);
    MPI_Comm_compare(odd, copy, &result);
    CHECK(result == MPI_CONGRUENT);
    MPI_Comm_compare(odd, MPI_COMM_WORLD, &result);
    CHECK(result == (np > 1 ? MPI_UNEQUAL : MPI_CONGRUENT));
    MPI_Comm_free(&copy);
    MPI_Comm_free(&odd);
    CHECK(odd == MPI_COMM_NULL);

    MPI_Comm_split(MPI_COMM_WORLD, me == 0 ? MPI_UNDEFINED : 1, 0, &none);
    CHECK((none == MPI_COMM_NULL) == (me == 0));
    if (me)
        MPI_Comm_free(&none);

    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    char mine[MPI_MAX_PROCESSOR_NAME] = {0}, first[MPI_MAX_PROCESSOR_NAME] = {0};
    int length;
    MPI_Get_processor_name(mine, &length);
    memcpy(first, mine, sizeof first);
    MPI_Bcast(first, sizeof first, MPI_CHAR, 0, node);
    CHECK(strcmp(mine, first) == 0);
    MPI_Comm_free(&node);
}

static void groups(void)
{
    MPI_Group world, lower, upper;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    int half = (np + 1) / 2, range[1][3] = {{0, half - 1, 1}};
    MPI_Group_range_incl(world, 1, range, &lower);
    MPI_Group_difference(world, lower, &upper);
    /* Disjoint groups in one call. */
    MPI_Comm comm;
    MPI_Comm_create(MPI_COMM_WORLD, me < half ? lower : upper, &comm);
    int size, rank, sum;
    MPI_Comm_size(comm, &size);
    MPI_Comm_rank(comm, &rank);
    CHECK(size == (me < half ? half : np - half));
    CHECK(rank == (me < half ? me : me - half));
    MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, comm);
    CHECK(sum == (me < half ? half * (half - 1) / 2 : (np * (np - 1) - half * (half - 1)) / 2));
    MPI_Comm_free(&comm);
    /* Collective over the group only. */
    if (me < half) {
        MPI_Comm_create_group(MPI_COMM_WORLD, lower, 99, &comm);
        MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, comm);
        CHECK(sum == half * (half - 1) / 2);
        MPI_Comm_free(&comm);
    }
    /* Of every size, the last ranks first. */
    for (int n = me + 1; n <= np; n++) {
        MPI_Group backwards;
        int turned[1][3] = {{n - 1, 0, -1}};
        MPI_Group_range_incl(world, 1, turned, &backwards);
        MPI_Comm_create_group(MPI_COMM_WORLD, backwards, n, &comm);
        MPI_Comm_rank(comm, &rank);
        MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, comm);
        CHECK(rank == n - 1 - me && sum == n * (n - 1) / 2);
        MPI_Comm_free(&comm);
        MPI_Group_free(&backwards);
    }
    MPI_Group_free(&world);
    MPI_Group_free(&lower);
    if (upper != MPI_GROUP_EMPTY)
        MPI_Group_free(&upper);
}

static void grid(void)
{
    int dims[3] = {0, 0, 0}, periods[3] = {1, 0, 1}, at[3], got[3], wrap[3], rank;
    MPI_Dims_create(np, 3, dims);
    CHECK(dims[0] * dims[1] * dims[2] == np && dims[0] >= dims[1] && dims[1] >= dims[2]);
    MPI_Comm cart, row;
    MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, 1, &cart);
    MPI_Comm_rank(cart, &rank);
    MPI_Cart_get(cart, 3, got, wrap, at);
    for (int d = 0; d < 3; d++)
        CHECK(got[d] == dims[d] && !wrap[d] == !periods[d]);
    int back, kind;
    MPI_Cart_rank(cart, at, &back);
    CHECK(back == rank);
    MPI_Topo_test(cart, &kind);
    CHECK(kind == MPI_CART);

    /* A message sent up arrives from below. */
    for (int d = 0; d < 3; d++) {
        int below, above, in = -1;
        MPI_Cart_shift(cart, d, 1, &below, &above);
        MPI_Sendrecv(&rank, 1, MPI_INT, above, d, &in, 1, MPI_INT, below, d, cart,
                     MPI_STATUS_IGNORE);
        CHECK(in == (below == MPI_PROC_NULL ? -1 : below));
        CHECK(periods[d] || (below == MPI_PROC_NULL) == (at[d] == 0));
    }
    int out[6], in[6] = {-1, -1, -1, -1, -1, -1};
    for (int i = 0; i < 6; i++)
        out[i] = 10 * rank + i;
    MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, cart);
    for (int d = 0; d < 3; d++) {
        int below, above;
        MPI_Cart_shift(cart, d, 1, &below, &above);
        CHECK(in[2 * d] == (below == MPI_PROC_NULL ? -1 : 10 * below + 2 * d + 1));
        CHECK(in[2 * d + 1] == (above == MPI_PROC_NULL ? -1 : 10 * above + 2 * d));
    }

    int keep[3] = {1, 0, 0}, size;
    MPI_Cart_sub(cart, keep, &row);
    MPI_Comm_size(row, &size);
    MPI_Comm_rank(row, &rank);
    CHECK(size == dims[0] && rank == at[0]);
    MPI_Comm_free(&row);
    MPI_Comm_free(&cart);
}

static int deleted;
static int copy_it(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
    (void)comm, (void)key, (void)extra;
    *(void **)out = (char *)in + 1;
    *flag = 1;
    return MPI_SUCCESS;
}
static int delete_it(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)value, (void)extra;
    deleted++;
    return MPI_SUCCESS;
}

static void attributes(void)
{
    int *bound, flag, key;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &flag);
    CHECK(flag && *bound >= 32767);
    MPI_Comm_create_keyval(copy_it, delete_it, &key, NULL);
    static char place[4];
    void *value;
    MPI_Comm dup;
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, place);
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    MPI_Comm_get_attr(dup, key, &value, &flag);
    CHECK(flag && value == place + 1);
    MPI_Comm_free(&dup);
    CHECK(deleted == 1);
    MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
    CHECK(deleted == 2);
    MPI_Comm_free_keyval(&key);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    splitting();
    groups();
    grid();
    attributes();
    return end("comm");
}
