/* All ranks send reports to rank 0, which calls MPI_Probe after all have sent: every report is an
 * unexpected message.
 *
 *     ./reports [EACH]
 *
 * EACH reports per rank, by default 24. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, ranks, each;
    double report[4] = {0};

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    each = argc > 1 ? atoi(argv[1]) : 24;

    if (rank != 0)
        for (int i = 0; i < each; i++)
            MPI_Send(report, 4, MPI_DOUBLE, 0, i, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        int n = 0;
        for (; n < (ranks - 1) * each; n++) {
            MPI_Status status;
            int count;
            MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
            MPI_Get_count(&status, MPI_DOUBLE, &count);
            MPI_Recv(report, count, MPI_DOUBLE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        }
        printf("%d reports of %d ranks\n", n, ranks - 1);
    }
    MPI_Finalize();
    return 0;
}
