/* A growing token is passed around a ring; the clock advances; messages are not mixed up. */
#include "check.h"

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    int next = (me + 1) % np, before = (me + np - 1) % np;
    double t0 = MPI_Wtime();
    for (int bytes = 0; bytes <= 1 << 20; bytes = bytes ? bytes * 8 : 1) {
        int n = bytes + 1;
        char *out = malloc(n), *in = malloc(n);
        memset(out, me & 127, n);
        memset(in, -1, n);
        MPI_Status status;
        if (np == 1) {
            MPI_Sendrecv(out, bytes, MPI_CHAR, 0, bytes & 1023, in, bytes, MPI_CHAR, 0, MPI_ANY_TAG,
                         MPI_COMM_WORLD, &status);
        } else if (me == 0) {
            MPI_Send(out, bytes, MPI_CHAR, next, bytes & 1023, MPI_COMM_WORLD);
            MPI_Recv(in, bytes, MPI_CHAR, before, bytes & 1023, MPI_COMM_WORLD, &status);
        } else {
            MPI_Recv(in, bytes, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
            MPI_Send(out, bytes, MPI_CHAR, next, bytes & 1023, MPI_COMM_WORLD);
        }
        int count;
        MPI_Get_count(&status, MPI_CHAR, &count);
        CHECK(count == bytes);
        CHECK(status.MPI_SOURCE == before);
        CHECK(status.MPI_TAG == (bytes & 1023));
        for (int i = 0; i < bytes; i++)
            CHECK(in[i] == (before & 127));
        CHECK(in[bytes] == -1);
        free(out);
        free(in);
    }
    double t1 = MPI_Wtime();
    CHECK(t1 > t0);
    CHECK(MPI_Wtick() > 0 && MPI_Wtick() < 1e-3);

    /* Messages of one sender do not overtake each other. */
    for (int i = 0; i < 100; i++) {
        int got = -1;
        MPI_Sendrecv(&i, 1, MPI_INT, next, 7, &got, 1, MPI_INT, before, 7, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        CHECK(got == i);
    }
    /* To the own rank, and to MPI_PROC_NULL. */
    int mine = me, back = -1;
    MPI_Request request;
    MPI_Isend(&mine, 1, MPI_INT, me, 3, MPI_COMM_WORLD, &request);
    MPI_Recv(&back, 1, MPI_INT, me, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(back == me);
    MPI_Status status;
    MPI_Send(&mine, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    MPI_Recv(&back, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status);
    CHECK(status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG);
    return end("ring");
}
