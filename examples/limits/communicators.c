/* Creates a communicator for the ranks of each node, one node after the other. Each rank sums over
 * the communicator of its node.
 *
 *     ./communicators NODES [undefined]
 *
 * All ranks take part in each split. The ranks of other nodes pass a color too, which creates an
 * unused communicator; with `undefined` they are in none. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    int rank, ranks, place, right = 1;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int nodes = atoi(argv[1]), spares = argc > 2 && !strcmp(argv[2], "undefined");
    if (nodes < 1)
        MPI_Abort(MPI_COMM_WORLD, 2);

    /* Of more nodes than the job has, only the first ones have ranks. */
    MPI_Comm here, *node = malloc(nodes * sizeof *node);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &here);
    MPI_Comm_size(here, &place);
    MPI_Comm_free(&here);
    int own = rank / place;
    for (int i = 0; i < nodes; i++) {
        int other = spares ? MPI_UNDEFINED : 1;
        MPI_Comm_split(MPI_COMM_WORLD, i == own ? 0 : other, rank, &node[i]);
    }
    int one = 1, sum = 0;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, node[own]);
    right &= sum == place;
    for (int i = 0; i < nodes; i++)
        if (node[i] != MPI_COMM_NULL)
            MPI_Comm_free(&node[i]);
    if (rank == 0)
        printf("%d splits of %d ranks, %s\n", nodes, ranks, right ? "all right" : "WRONG");
    MPI_Finalize();
    free(node);
    return !right;
}
