/* The communication of a fast multipole method with one-sided accesses: each rank gets the
 * expansions of all other ranks' boxes, with a fence after every FENCE accesses.
 *
 *     ./fmm [get|put] [COUNT [FENCE [ORDER]]]
 *
 * COUNT accesses of a rank (default 100) go to the next ranks in turn, FENCE in an epoch (default
 * 2000). Expansions have 16 * (ORDER + 1)^2 bytes (default order 4). The values are checked. */
#include <complex.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    int rank, ranks, wrong = 0, all_wrong;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int put = argc > 1 && strcmp(argv[1], "put") == 0;
    int count = argc > 2 ? atoi(argv[2]) : 100;
    int fence = argc > 3 ? atoi(argv[3]) : 2000;
    int order = argc > 4 ? atoi(argv[4]) : 4;
    int terms = (order + 1) * (order + 1);
    if (count < 1 || fence < 1 || order < 0) {
        if (rank == 0) fprintf(stderr, "fmm: COUNT and FENCE are at least 1, ORDER at least 0\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }

    if (ranks == 1) count = 0;
    /* By get: own expansions, read by all. By put: a place for each expansion of each rank. */
    int others = ranks > 1 ? ranks - 1 : 1, rounds = (count + others - 1) / others;
    size_t places = (size_t)rounds * (put ? ranks : 1);
    double complex *window, *local;
    MPI_Win win;
    MPI_Win_allocate(places * terms * sizeof *window, sizeof *window, MPI_INFO_NULL,
                     MPI_COMM_WORLD, &window, &win);
    local = malloc((size_t)rounds * (put ? 1 : ranks) * terms * sizeof *local);
    for (size_t i = 0; i < places * terms; i++) window[i] = put ? -1 : rank + I * (double)i;
    if (put)
        for (int i = 0; i < rounds * terms; i++) local[i] = rank + I * i;

    MPI_Win_fence(0, win);
    double start = MPI_Wtime();
    for (int i = 0; i < count; i++) {
        int target = (rank + 1 + i % others) % ranks, round = i / others;
        if (put)
            MPI_Put(local + (size_t)round * terms, terms, MPI_C_DOUBLE_COMPLEX, target,
                    ((MPI_Aint)rank * rounds + round) * terms, terms, MPI_C_DOUBLE_COMPLEX, win);
        else
            MPI_Get(local + ((size_t)target * rounds + round) * terms, terms,
                    MPI_C_DOUBLE_COMPLEX, target, (MPI_Aint)round * terms, terms,
                    MPI_C_DOUBLE_COMPLEX, win);
        if ((i + 1) % fence == 0 || i + 1 == count) MPI_Win_fence(0, win);
    }

    double seconds = MPI_Wtime() - start;
    const double complex *got = put ? window : local;
    for (int step = 1; step < ranks; step++) {
        /* Put: which of that rank's accesses came here. Get: which went to it. */
        int peer = (put ? rank - step + ranks : rank + step) % ranks;
        int done = (count + others - step) / others;
        for (int i = 0; i < done * terms; i++)
            if (got[(size_t)peer * rounds * terms + i] != peer + I * i) wrong = 1;
    }
    MPI_Allreduce(&wrong, &all_wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0)
        printf("fmm: %d %ss of %zu bytes per rank, %.3f us: %s\n", count, put ? "put" : "get",
               terms * sizeof *local, 1e6 * seconds, all_wrong ? "WRONG" : "ok");
    MPI_Win_free(&win);
    free(local);
    MPI_Finalize();
    return all_wrong;
}
