/* All ranks send their results to rank 0 at once. It has posted a receive for each of them.
 *
 *     ./burst [EACH]
 *
 * EACH results per rank, by default 64. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, ranks, each, n = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    each = argc > 1 ? atoi(argv[1]) : 64;

    int all = rank == 0 ? (ranks - 1) * each : each;
    MPI_Request *requests = malloc(all * sizeof *requests);
    double *results = calloc(all, sizeof *results);
    double start = 0, time;
    if (rank == 0) {
        for (int from = 1; from < ranks; from++)
            for (int i = 0; i < each; i++, n++)
                MPI_Irecv(&results[n], 1, MPI_DOUBLE, from, i, MPI_COMM_WORLD, &requests[n]);
        start = MPI_Wtime();
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank != 0) {
        for (; n < each; n++) {
            results[n] = rank;
            MPI_Isend(&results[n], 1, MPI_DOUBLE, 0, n, MPI_COMM_WORLD, &requests[n]);
        }
    }
    MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);

    if (rank == 0) {
        double sum = 0;
        for (int i = 0; i < n; i++)
            sum += results[i];
        time = MPI_Wtime() - start;
        printf("%d results of %d ranks, %s, in %.3f ms\n", n, ranks - 1,
               sum == 0.5 * ranks * (ranks - 1) * each ? "all right" : "WRONG", 1e3 * time);
    }
    MPI_Finalize();
    return 0;
}
