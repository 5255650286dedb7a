/* Calls the collectives that `odonata tune` chooses for, short and long, with an operator of MPI's
 * and one that does not commute, and checks what comes of them. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void second(void *in, void *inout, int *n, MPI_Datatype *type)
{
    /* Keeps the operand of the higher rank: associative, not commutative. */
    (void)in, (void)inout, (void)n, (void)type;
}

static int wrong;

static void check(int ok, const char *what, int n)
{
    if (!ok && !wrong++)
        fprintf(stderr, "%s of %d is wrong\n", what, n);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Op last;
    MPI_Op_create(second, 0, &last);
    int lengths[] = {1, 7, 300, 20000};
    for (int l = 0; l < 4; l++) {
        int n = lengths[l];
        int *mine = malloc(sizeof(int) * n * size), *all = malloc(sizeof(int) * n * size);
        for (int i = 0; i < n * size; i++)
            mine[i] = rank + 1;
        MPI_Allgather(mine, n, MPI_INT, all, n, MPI_INT, MPI_COMM_WORLD);
        for (int r = 0; r < size; r++)
            check(all[r * n] == r + 1 && all[r * n + n - 1] == r + 1, "allgather", n);
        MPI_Alltoall(mine, n, MPI_INT, all, n, MPI_INT, MPI_COMM_WORLD);
        for (int r = 0; r < size; r++)
            check(all[r * n] == r + 1, "alltoall", n);
        MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INT, all, n, MPI_INT, MPI_COMM_WORLD);
        MPI_Allreduce(mine, all, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        check(all[n - 1] == size * (size + 1) / 2, "allreduce", n);
        MPI_Allreduce(mine, all, n, MPI_INT, last, MPI_COMM_WORLD);
        check(all[0] == size, "allreduce in order", n);
        MPI_Bcast(mine, n, MPI_INT, size - 1, MPI_COMM_WORLD);
        check(mine[0] == size, "bcast", n);
        MPI_Reduce(mine, all, n, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
        check(rank || all[0] == size * size, "reduce", n);
        MPI_Reduce_scatter_block(mine, all, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        MPI_Request request;
        MPI_Iallgather(mine, n, MPI_INT, all, n, MPI_INT, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        free(mine);
        free(all);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    if (rank == 0 && !wrong)
        puts("fine");
    return wrong != 0;
}
