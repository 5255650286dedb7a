/* Wait and test, for any, some and all; persistent requests; cancelling; null requests. */
#include "check.h"

enum { N = 12 };

static void wait_any_and_some(void)
{
    int next = (me + 1) % np, before = (me + np - 1) % np;
    for (int some = 0; some < 2; some++) {
        MPI_Request recvs[N], sends[N];
        int in[N], out[N], seen[N] = {0}, left = N;
        for (int i = 0; i < N; i++)
            MPI_Irecv(&in[i], 1, MPI_INT, before, i, MPI_COMM_WORLD, &recvs[i]);
        for (int i = N - 1; i >= 0; i--) {
            out[i] = 100 * me + i;
            MPI_Isend(&out[i], 1, MPI_INT, next, i, MPI_COMM_WORLD, &sends[i]);
        }
        while (left > 0) {
            int index[N], n = 1;
            MPI_Status status[N];
            if (some)
                MPI_Waitsome(N, recvs, &n, index, status);
            else
                MPI_Waitany(N, recvs, &index[0], &status[0]);
            CHECK(n >= 1);
            for (int k = 0; k < n; k++) {
                int i = index[k];
                CHECK(i >= 0 && i < N && !seen[i]);
                CHECK(recvs[i] == MPI_REQUEST_NULL);
                CHECK(status[k].MPI_TAG == i && status[k].MPI_SOURCE == before);
                CHECK(in[i] == 100 * before + i);
                seen[i] = 1;
            }
            left -= n;
        }
        int index, n, flag;
        MPI_Waitany(N, recvs, &index, MPI_STATUS_IGNORE);
        CHECK(index == MPI_UNDEFINED);
        MPI_Testany(N, recvs, &index, &flag, MPI_STATUS_IGNORE);
        CHECK(flag && index == MPI_UNDEFINED);
        MPI_Waitsome(N, recvs, &n, &index, MPI_STATUSES_IGNORE);
        CHECK(n == MPI_UNDEFINED);
        MPI_Waitall(N, sends, MPI_STATUSES_IGNORE);
    }
}

static void test_until_done(void)
{
    int next = (me + 1) % np, before = (me + np - 1) % np, in = -1, flag = 0, polls = 0;
    MPI_Request r[2];
    MPI_Status status[2];
    MPI_Irecv(&in, 1, MPI_INT, before, 5, MPI_COMM_WORLD, &r[0]);
    if (me == 0) {
        /* The others must see an incomplete request first. */
        MPI_Isend(&me, 1, MPI_INT, next, 5, MPI_COMM_WORLD, &r[1]);
    } else {
        while (!flag) {
            MPI_Test(&r[0], &flag, &status[0]);
            polls++;
        }
        CHECK(r[0] == MPI_REQUEST_NULL && in == before);
        MPI_Isend(&me, 1, MPI_INT, next, 5, MPI_COMM_WORLD, &r[1]);
    }
    flag = 0;
    while (!flag)
        MPI_Testall(2, r, &flag, status);
    CHECK(in == before);
    CHECK(r[0] == MPI_REQUEST_NULL && r[1] == MPI_REQUEST_NULL);
    MPI_Test(&r[0], &flag, &status[0]);
    CHECK(flag && status[0].MPI_SOURCE == MPI_ANY_SOURCE && status[0].MPI_TAG == MPI_ANY_TAG);
}

static void persistent(void)
{
    int next = (me + 1) % np, before = (me + np - 1) % np, out, in, flag;
    MPI_Request r[2];
    MPI_Status status;
    MPI_Send_init(&out, 1, MPI_INT, next, 9, MPI_COMM_WORLD, &r[0]);
    MPI_Recv_init(&in, 1, MPI_INT, before, 9, MPI_COMM_WORLD, &r[1]);
    MPI_Wait(&r[1], &status);
    CHECK(r[1] != MPI_REQUEST_NULL && status.MPI_SOURCE == MPI_ANY_SOURCE);
    for (int i = 0; i < 5; i++) {
        out = 1000 * i + me;
        in = -1;
        MPI_Startall(2, r);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
        CHECK(in == 1000 * i + before);
        CHECK(r[0] != MPI_REQUEST_NULL && r[1] != MPI_REQUEST_NULL);
    }
    MPI_Start(&r[1]);
    MPI_Ssend(&out, 1, MPI_INT, next, 9, MPI_COMM_WORLD);
    do
        MPI_Request_get_status(r[1], &flag, &status);
    while (!flag);
    CHECK(status.MPI_SOURCE == before && status.MPI_TAG == 9);
    MPI_Wait(&r[1], MPI_STATUS_IGNORE);
    CHECK(in == 4000 + before);
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
    CHECK(r[0] == MPI_REQUEST_NULL && r[1] == MPI_REQUEST_NULL);
}

static void cancel(void)
{
    int in = -1, flag;
    MPI_Request r;
    MPI_Status status;
    MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &r);
    MPI_Cancel(&r);
    MPI_Wait(&r, &status);
    MPI_Test_cancelled(&status, &flag);
    CHECK(flag && r == MPI_REQUEST_NULL && in == -1);
}

static void modes(void)
{
    int next = (me + 1) % np, before = (me + np - 1) % np, in = -1, size;
    char room[4096];
    void *back;
    MPI_Buffer_attach(room, sizeof room);
    MPI_Bsend(&me, 1, MPI_INT, next, 1, MPI_COMM_WORLD);
    MPI_Recv(&in, 1, MPI_INT, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(in == before);
    MPI_Buffer_detach(&back, &size);
    CHECK(back == room && size == (int)sizeof room);

    MPI_Request r;
    MPI_Irecv(&in, 1, MPI_INT, before, 2, MPI_COMM_WORLD, &r);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Rsend(&next, 1, MPI_INT, next, 2, MPI_COMM_WORLD);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    CHECK(in == me);

    int swap = me;
    MPI_Sendrecv_replace(&swap, 1, MPI_INT, next, 4, before, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(swap == before);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    wait_any_and_some();
    test_until_done();
    persistent();
    cancel();
    modes();
    return end("requests");
}
