/* The communication of a fast multipole method with one-sided accesses: each rank gets the
 * expansions of all other ranks' boxes, with a fence after every FENCE accesses.
 *
 *     ./fmm [get|put] [COUNT [FENCE [ORDER]]]
 *
 * COUNT accesses per target (default 4), FENCE accesses per epoch (default 2000), expansions of
 * 16 * (ORDER + 1)^2 bytes (default order 4). The values are checked. */
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
    int count = argc > 2 ? atoi(argv[2]) : 4;
    int fence = argc > 3 ? atoi(argv[3]) : 2000;
    int order = argc > 4 ? atoi(argv[4]) : 4;
    int terms = (order + 1) * (order + 1);
    if (count < 1 || fence < 1 || order < 0) {
        if (rank == 0) fprintf(stderr, "fmm: COUNT and FENCE are at least 1, ORDER at least 0\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }

    /* By get: own expansions, read by all. By put: a place for each expansion of each rank. */
    size_t places = (size_t)count * (put ? ranks : 1);
    double complex *window, *local;
    MPI_Win win;
    MPI_Win_allocate(places * terms * sizeof *window, sizeof *window, MPI_INFO_NULL,
                     MPI_COMM_WORLD, &window, &win);
    local = malloc((size_t)count * (put ? 1 : ranks) * terms * sizeof *local);
    for (size_t i = 0; i < places * terms; i++) window[i] = put ? -1 : rank + I * (double)i;
    if (put)
        for (int i = 0; i < count * terms; i++) local[i] = rank + I * i;

    MPI_Win_fence(0, win);
    long issued = 0;
    for (int i = 0; i < count; i++)
        for (int step = 1; step < ranks; step++) {
            int target = (rank + step) % ranks;
            if (put)
                MPI_Put(local + (size_t)i * terms, terms, MPI_C_DOUBLE_COMPLEX, target,
                        ((MPI_Aint)rank * count + i) * terms, terms, MPI_C_DOUBLE_COMPLEX, win);
            else
                MPI_Get(local + ((size_t)target * count + i) * terms, terms,
                        MPI_C_DOUBLE_COMPLEX, target, (MPI_Aint)i * terms, terms,
                        MPI_C_DOUBLE_COMPLEX, win);
            if (++issued % fence == 0) MPI_Win_fence(0, win);
        }
    MPI_Win_fence(0, win);

    const double complex *got = put ? window : local;
    for (int from = 0; from < ranks; from++)
        for (int i = 0; i < count * terms; i++)
            if (from != rank && got[(size_t)from * count * terms + i] != from + I * i) wrong = 1;
    MPI_Allreduce(&wrong, &all_wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0)
        printf("fmm: %ld %ss of %zu bytes per rank: %s\n", issued, put ? "put" : "get",
               terms * sizeof *local, all_wrong ? "WRONG" : "ok");
    MPI_Win_free(&win);
    free(local);
    MPI_Finalize();
    return all_wrong;
}
