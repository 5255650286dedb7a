/* Every rank sends long blocks to every other rank, and posts its receives after all sends.
 *
 *     ./blocks [EACH [first]]
 *
 * EACH blocks of 20,000 B per pair of ranks, by default 64. With `first`, receives are posted
 * first. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 20000 };

int main(int argc, char **argv)
{
    int rank, ranks, each, receives_first, n = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    each = argc > 1 ? atoi(argv[1]) : 64;
    receives_first = argc > 2 && strcmp(argv[2], "first") == 0;

    int all = (ranks - 1) * each;
    char *mine = calloc(BYTES, 1), *got = malloc(BYTES);
    MPI_Request *requests = malloc(2 * all * sizeof *requests);
    for (int step = 0; step < 2; step++)
        for (int other = 0; other < ranks; other++)
            for (int i = 0; i < each && other != rank; i++, n++)
                if ((step == 0) == receives_first)
                    MPI_Irecv(got, BYTES, MPI_CHAR, other, i, MPI_COMM_WORLD, &requests[n]);
                else
                    MPI_Isend(mine, BYTES, MPI_CHAR, other, i, MPI_COMM_WORLD, &requests[n]);
    MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);

    if (rank == 0)
        printf("%d blocks a rank each way\n", all);
    MPI_Finalize();
    return 0;
}
