/* Every rank keeps data of all others: an allgather of EACH bytes per rank.
 *
 *     ./everybody [EACH]
 *
 * EACH is 16,384 by default: 256 particles of eight doubles. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    int rank, ranks, each;
    char *mine, *all;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    each = argc > 1 ? atoi(argv[1]) : 16384;

    mine = malloc(each);
    memset(mine, rank, each);
    all = malloc((size_t)ranks * each);
    MPI_Allgather(mine, each, MPI_BYTE, all, each, MPI_BYTE, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d ranks keep %.1f MB each\n", ranks, (double)ranks * each / 1e6);
    free(all);
    free(mine);
    MPI_Finalize();
    return 0;
}
