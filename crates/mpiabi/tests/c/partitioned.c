/* Partitioned sends and receives: with equal and different partitions, restarted, marked in any
 * order. */
#include "check.h"

#define N 24

static int tells(int round, int sender, int i)
{
    return 1000000 * round + 1000 * sender + i;
}

/* Sends N ints to the next rank in `parts` partitions; receives them in `own`. */
static void round_trip(int parts, int own, int tag)
{
    int next = (me + 1) % np, before = (me + np - 1) % np, out[N] = {0}, in[N], flag, count;
    MPI_Request r[2];
    MPI_Status status;
    MPI_Psend_init(out, parts, N / parts, MPI_INT, next, tag, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]);
    MPI_Precv_init(in, own, N / own, MPI_INT, before, tag, MPI_COMM_WORLD, MPI_INFO_NULL, &r[1]);
    /* Inactive: complete, whatever has arrived. */
    MPI_Test(&r[1], &flag, &status);
    CHECK(flag && r[1] != MPI_REQUEST_NULL);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < N; i++) {
            out[i] = tells(round, me, i);
            in[i] = -1;
        }
        MPI_Startall(2, r);
        for (int i = parts - 1; i >= 0; i--)
            if (i % 2)
                MPI_Pready(i, r[0]);
        for (int i = 0; i < parts; i += 2)
            MPI_Pready_range(i, i, r[0]);
        for (int j = own - 1; j >= 0; j--) {
            for (flag = 0; !flag;)
                MPI_Parrived(r[1], j, &flag);
            for (int i = j * (N / own); i < (j + 1) * (N / own); i++)
                CHECK(in[i] == tells(round, before, i));
        }
        MPI_Wait(&r[0], MPI_STATUS_IGNORE);
        MPI_Wait(&r[1], &status);
        MPI_Get_count(&status, MPI_INT, &count);
        CHECK(count == N && status.MPI_SOURCE == before && status.MPI_TAG == tag);
        MPI_Parrived(r[1], 0, &flag);
        CHECK(flag);
    }
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
}

/* A partition arrives while others are not marked yet. */
static void one_by_one(void)
{
    int next = (me + 1) % np, before = (me + np - 1) % np, out[4] = {1, 2, 3, 4}, in[4] = {0}, flag;
    int list[] = {0, 1, 3};
    MPI_Request r[2];
    MPI_Psend_init(out, 4, 1, MPI_INT, next, 9, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]);
    MPI_Precv_init(in, 2, 2, MPI_INT, before, 9, MPI_COMM_WORLD, MPI_INFO_NULL, &r[1]);
    MPI_Startall(2, r);
    MPI_Pready(2, r[0]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Parrived(r[1], 0, &flag);
    CHECK(!flag);
    MPI_Parrived(r[1], 1, &flag);
    CHECK(!flag);
    MPI_Testall(2, r, &flag, MPI_STATUSES_IGNORE);
    CHECK(!flag);
    MPI_Pready_list(3, list, r[0]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    CHECK(in[0] == 1 && in[3] == 4);
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
}

/* Equal tags match in the order of the `_init` calls, whichever is started first. */
static void in_order_of_preparation(void)
{
    int next = (me + 1) % np, before = (me + np - 1) % np, out[2] = {7, 8}, in[2] = {0};
    MPI_Request s[2], r[2];
    for (int i = 0; i < 2; i++) {
        MPI_Psend_init(&out[i], 1, 1, MPI_INT, next, 4, MPI_COMM_WORLD, MPI_INFO_NULL, &s[i]);
        MPI_Precv_init(&in[i], 1, 1, MPI_INT, before, 4, MPI_COMM_WORLD, MPI_INFO_NULL, &r[i]);
    }
    MPI_Start(&s[1]);
    MPI_Pready(0, s[1]);
    MPI_Start(&r[0]);
    MPI_Start(&r[1]);
    MPI_Wait(&r[1], MPI_STATUS_IGNORE);
    CHECK(in[0] == 0 && in[1] == 8);
    MPI_Start(&s[0]);
    MPI_Pready(0, s[0]);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    CHECK(in[0] == 7);
    MPI_Waitall(2, s, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 2; i++) {
        MPI_Request_free(&s[i]);
        MPI_Request_free(&r[i]);
    }
}

/* Empty partitions arrive when they are marked, like others. */
static void empty(void)
{
    int next = (me + 1) % np, before = (me + np - 1) % np, x = 0, flag;
    MPI_Request r[2];
    MPI_Psend_init(&x, 2, 0, MPI_INT, next, 6, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]);
    MPI_Precv_init(&x, 2, 0, MPI_INT, before, 6, MPI_COMM_WORLD, MPI_INFO_NULL, &r[1]);
    for (int round = 0; round < 2; round++) {
        MPI_Startall(2, r);
        MPI_Pready(1, r[0]);
        for (flag = 0; !flag;)
            MPI_Parrived(r[1], 1, &flag);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Parrived(r[1], 0, &flag);
        CHECK(!flag);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Pready(0, r[0]);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
}

static void nobody(void)
{
    int x = 5, flag;
    MPI_Status status;
    MPI_Request r[2];
    MPI_Psend_init(&x, 1, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]);
    MPI_Precv_init(&x, 1, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &r[1]);
    MPI_Startall(2, r);
    MPI_Pready(0, r[0]);
    MPI_Parrived(r[1], 0, &flag);
    CHECK(flag);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    MPI_Wait(&r[1], &status);
    CHECK(status.MPI_SOURCE == MPI_PROC_NULL && x == 5);
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    round_trip(4, 4, 1);
    round_trip(8, 3, 2);
    round_trip(2, 12, 3);
    round_trip(1, 24, 2);
    round_trip(24, 1, 2);
    one_by_one();
    in_order_of_preparation();
    empty();
    nobody();
    return end("partitioned");
}
