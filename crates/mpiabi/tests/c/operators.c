/* A user-defined operator may read the clock, and its result is used nevertheless. */
#include "check.h"

static void slow_sum(void *in, void *inout, int *n, MPI_Datatype *t)
{
    (void)t;
    double before = MPI_Wtime();
    CHECK(MPI_Wtime() >= before);
    for (int i = 0; i < *n; i++)
        ((long *)inout)[i] += ((long *)in)[i];
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    MPI_Op op;
    MPI_Op_create(slow_sum, 1, &op);
    for (int round = 0; round < 20; round++) {
        long v[10], s[10];
        for (int i = 0; i < 10; i++)
            v[i] = me + i + round;
        MPI_Allreduce(v, s, 10, MPI_LONG, op, MPI_COMM_WORLD);
        for (int i = 0; i < 10; i++)
            CHECK(s[i] == (long)np * (np - 1) / 2 + (long)np * (i + round));
    }
    MPI_Op_free(&op);
    return end("operators");
}
