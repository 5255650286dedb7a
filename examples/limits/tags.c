/* The tag of every message is its number in the whole job. In a large job it exceeds the largest
 * tag of the library.
 *
 *     ./tags [EACH [NODES]]
 *
 * EACH messages per rank, by default 64. NODES: the ranks stand for evenly spaced ranks of a job on
 * so many nodes, with as many ranks per node. By default they are the whole job. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, ranks, ppn, each, nodes;
    MPI_Comm node;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &ppn);
    each = argc > 1 ? atoi(argv[1]) : 64;
    nodes = argc > 2 ? atoi(argv[2]) : ranks / ppn;

    /* The last of each equal share of the job's ranks, so that the last of all is among them. */
    long job = (long)nodes * ppn;
    long me = (rank + 1) * job / ranks - 1;
    int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
    long before = (left + 1) * job / ranks - 1;

    MPI_Request *requests = malloc(2 * each * sizeof *requests);
    int *got = malloc(each * sizeof *got);
    for (int i = 0; i < each; i++)
        MPI_Irecv(&got[i], 1, MPI_INT, left, (int)(before * each + i), MPI_COMM_WORLD, &requests[i]);
    for (int i = 0; i < each; i++)
        MPI_Isend(&i, 1, MPI_INT, right, (int)(me * each + i), MPI_COMM_WORLD, &requests[each + i]);
    MPI_Waitall(2 * each, requests, MPI_STATUSES_IGNORE);

    if (rank == 0)
        printf("%ld messages of %d nodes, tags up to %ld\n", job * each, nodes, job * each - 1);
    MPI_Finalize();
    return 0;
}
