/* Rank 0 sends items to all others in rounds, and waits for their acknowledgements after each. It
 * never completes the requests of its sends.
 *
 *     ./dropped [ROUNDS [free]]
 *
 * ROUNDS of 100 items of 1 KiB per rank, by default 20. With `free` the requests are freed. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITEMS = 100, DOUBLES = 128 };

int main(int argc, char **argv)
{
    int rank, ranks, rounds, frees;
    MPI_Request requests[ITEMS];
    static double items[ITEMS][DOUBLES];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    rounds = argc > 1 ? atoi(argv[1]) : 20;
    frees = argc > 2 && strcmp(argv[2], "free") == 0;

    for (int round = 0; round < rounds; round++) {
        if (rank == 0) {
            for (int to = 1; to < ranks; to++)
                for (int i = 0; i < ITEMS; i++) {
                    MPI_Isend(items[i], DOUBLES, MPI_DOUBLE, to, i, MPI_COMM_WORLD, &requests[i]);
                    if (frees)
                        MPI_Request_free(&requests[i]);
                }
            for (int n = 1; n < ranks; n++)
                MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, ITEMS, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
        } else {
            for (int i = 0; i < ITEMS; i++)
                MPI_Irecv(items[i], DOUBLES, MPI_DOUBLE, 0, i, MPI_COMM_WORLD, &requests[i]);
            MPI_Waitall(ITEMS, requests, MPI_STATUSES_IGNORE);
            MPI_Send(NULL, 0, MPI_INT, 0, ITEMS, MPI_COMM_WORLD);
        }
    }
    if (rank == 0)
        printf("%d items dealt to %d ranks\n", rounds * ITEMS * (ranks - 1), ranks - 1);
    MPI_Finalize();
    return 0;
}
