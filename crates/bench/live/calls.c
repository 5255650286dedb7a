/* Calls per second: `calls blocking|round|isend|local LOOPS`. Rank 0 prints the wall time, which is
   not simulated, and the number of calls. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double wall(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

int main(int argc, char **argv) {
    int rank, size, word = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const char *what = argv[1];
    long loops = atol(argv[2]), calls = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    double start = wall();
    if (!strcmp(what, "blocking")) { /* two ranks alternate; each receive blocks */
        for (long i = 0; i < loops; i++) {
            if (rank == 0) {
                MPI_Send(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
                MPI_Recv(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            } else if (rank == 1) {
                MPI_Recv(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                MPI_Send(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
            }
        }
        calls = 2 * loops; /* receives, both ranks */
    } else if (!strcmp(what, "round")) { /* all ranks at once in one collective */
        int sum;
        for (long i = 0; i < loops; i++)
            MPI_Allreduce(&word, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        calls = loops * size;
    } else if (!strcmp(what, "isend")) { /* nonblocking calls, 64 per wait */
        MPI_Request r[64];
        for (long i = 0; i < loops; i++) {
            for (int k = 0; k < 64; k++) {
                if (rank == 0) MPI_Isend(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &r[k]);
                else MPI_Irecv(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &r[k]);
            }
            MPI_Waitall(64, r, MPI_STATUSES_IGNORE);
        }
        calls = 2 * 64 * loops;
    } else { /* local to the rank */
        for (long i = 0; i < loops; i++) MPI_Comm_rank(MPI_COMM_WORLD, &word);
        calls = loops;
    }
    double took = wall() - start;
    if (rank == 0) printf("%.6f %ld\n", took, calls);
    MPI_Finalize();
    return 0;
}
