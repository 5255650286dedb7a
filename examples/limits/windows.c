/* Creates a number of windows per node of the job, and puts the rank's number into each window of
 * the next rank.
 *
 *     ./windows EACH NODES [HINT]
 *
 * EACH windows per node, on NODES nodes. With the HINT `optimized`, puts need no matching. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, ranks, right = 1;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int all = atoi(argv[1]) * atoi(argv[2]);

    MPI_Info hints;
    MPI_Info_create(&hints);
    if (argc > 3) {
        MPI_Info_set(hints, "optimized_mr", "true");
        MPI_Info_set(hints, "accumulate_ordering", "none");
    }
    MPI_Win *windows = malloc(all * sizeof *windows);
    double *cells = calloc(all, sizeof *cells), mine = rank;
    for (int i = 0; i < all; i++) {
        MPI_Win_create(&cells[i], sizeof *cells, sizeof *cells, hints, MPI_COMM_WORLD, &windows[i]);
        MPI_Win_fence(0, windows[i]);
    }
    for (int i = 0; i < all; i++)
        MPI_Put(&mine, 1, MPI_DOUBLE, (rank + 1) % ranks, 0, 1, MPI_DOUBLE, windows[i]);
    for (int i = 0; i < all; i++) {
        MPI_Win_fence(0, windows[i]);
        right &= cells[i] == (rank + ranks - 1) % ranks;
        MPI_Win_free(&windows[i]);
    }
    MPI_Info_free(&hints);
    if (rank == 0)
        printf("%d windows of %d ranks, %s\n", all, ranks, right ? "all right" : "WRONG");
    MPI_Finalize();
    return 0;
}
