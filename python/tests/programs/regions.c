/* Parallel regions between MPI calls. `regions ROUNDS FIRST OTHERS`: a round is a region in which
   thread 0 does FIRST units of work and every other thread OTHERS, then an MPI barrier. A second
   part repeats this with the work inside a parallel loop. */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static double work(int units)
{
    volatile double x = 1;
    for (int i = 0; i < units * 1000; i++)
        x = x / 1.0001 + 1;
    return x;
}

int main(int argc, char **argv)
{
    int rounds = atoi(argv[1]), units[2] = {atoi(argv[2]), atoi(argv[3])}, level, rank;
    double sum = 0;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < rounds; i++) {
#pragma omp parallel reduction(+ : sum)
        sum += work(units[omp_get_thread_num() > 0]);
        MPI_Barrier(MPI_COMM_WORLD);
#pragma omp parallel for schedule(static, 1) reduction(+ : sum)
        for (int k = 0; k < omp_get_max_threads(); k++)
            sum += work(units[k > 0]);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (rank == 0)
        printf("%d threads, %s\n", omp_get_max_threads(), sum > 0 ? "worked" : "idle");
    MPI_Finalize();
    return 0;
}
