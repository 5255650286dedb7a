/* A mesh in patches, as in codes with adaptive refinement. In every step each patch exchanges its
 * faces with the patches of both neighboring ranks. An allgather distributes the work of all
 * patches, and an allreduce determines the length of the step.
 *
 *     ./patches [global|local [NODES]]
 *
 * global: a message's tag is its patch's number in the whole mesh; local: its number in the rank.
 * NODES: the ranks stand for evenly spaced ranks of a job on so many nodes, with as many ranks per
 * node. By default they are the whole job. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATCHES = 48, FACE = 4096, STEPS = 4 };

int main(int argc, char **argv)
{
    int rank, ranks, ppn, n = 0;
    MPI_Comm node;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &ppn);
    int by_mesh = argc < 2 || strcmp(argv[1], "local") != 0;
    int nodes = argc > 2 ? atoi(argv[2]) : ranks / ppn;

    /* The last of each equal share of the job's ranks, so that the last of all is among them. */
    long job = (long)nodes * ppn;
    int sides[2] = {(rank + ranks - 1) % ranks, (rank + 1) % ranks};
    long me = (rank + 1) * job / ranks - 1;

    char *faces = calloc(2 * PATCHES, FACE), *halo = calloc(2 * PATCHES, FACE);
    double work[PATCHES], *all = malloc(sizeof work * ranks), least = 1, step;
    MPI_Request requests[4 * PATCHES];
    for (int i = 0; i < PATCHES; i++)
        work[i] = 1 + (rank * PATCHES + i) % 7;

    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int s = 0; s < STEPS; s++, n = 0) {
        for (int side = 0; side < 2; side++) {
            long other = (sides[side] + 1) * job / ranks - 1;
            for (int i = 0; i < PATCHES; i++) {
                int theirs = (int)((by_mesh ? other * PATCHES : 0) + i);
                int mine = (int)((by_mesh ? me * PATCHES : 0) + i);
                size_t at = (size_t)(side * PATCHES + i) * FACE;
                MPI_Irecv(halo + at, FACE, MPI_CHAR, sides[side], theirs, MPI_COMM_WORLD,
                          &requests[n++]);
                MPI_Isend(faces + at, FACE, MPI_CHAR, sides[side], mine, MPI_COMM_WORLD,
                          &requests[n++]);
            }
        }
        MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
        MPI_Allgather(work, PATCHES, MPI_DOUBLE, all, PATCHES, MPI_DOUBLE, MPI_COMM_WORLD);
        MPI_Allreduce(&least, &step, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    }
    double took = (MPI_Wtime() - start) / STEPS;

    if (rank == 0)
        printf("%ld patches on %d nodes: %.0f us a step\n", job * PATCHES, nodes, 1e6 * took);
    MPI_Finalize();
    return 0;
}
