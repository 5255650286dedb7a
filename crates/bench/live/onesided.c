/* One-sided operations: `onesided threads|accumulate|many LOOPS`. Rank 0 prints the wall time,
   which is not simulated, and the operations of all ranks. Wrong values abort.

   threads     four threads per rank; each puts 4 B to rank 0 and flushes
   accumulate  each rank adds ten integers to rank 0's, fetches the old ones, and flushes
   many        the same with one flush at the end */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { THREADS = 4, MOST_RANKS = 64, INTEGERS = 10 };

static MPI_Win win;
static int rank;
static long loops;

static double wall(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

static void *put(void *which) {
    int value = 0, at = THREADS * rank + (int)(size_t)which;
    for (long i = 0; i < loops; i++) {
        value = (int)i;
        MPI_Put(&value, 1, MPI_INT, 0, at, 1, MPI_INT, win);
        MPI_Win_flush(0, win);
    }
    return NULL;
}

static void accumulate(int flushes) {
    int give[INTEGERS] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, take[INTEGERS];
    for (long i = 0; i < loops; i++) {
        MPI_Get_accumulate(give, INTEGERS, MPI_INT, take, INTEGERS, MPI_INT, 0, 0, INTEGERS,
                           MPI_INT, MPI_SUM, win);
        if (flushes) MPI_Win_flush(0, win);
    }
}

int main(int argc, char **argv) {
    int size, provided, *memory, wrong = 0;
    const int threads = argc > 1 && !strcmp(argv[1], "threads");
    MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc < 3 || size > MOST_RANKS) MPI_Abort(MPI_COMM_WORLD, 2);
    loops = atol(argv[2]);
    MPI_Aint bytes = rank == 0 ? THREADS * MOST_RANKS * sizeof(int) : 0;
    MPI_Win_allocate(bytes, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    if (rank == 0) memset(memory, 0, bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    double start = wall();
    MPI_Win_lock_all(0, win);
    if (threads) {
        pthread_t others[THREADS];
        for (size_t i = 0; i < THREADS; i++) pthread_create(&others[i], NULL, put, (void *)i);
        for (size_t i = 0; i < THREADS; i++) pthread_join(others[i], NULL);
    } else {
        accumulate(!strcmp(argv[1], "accumulate"));
    }
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    double took = wall() - start;
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
        if (threads)
            for (int i = 0; i < THREADS * size; i++) wrong += memory[i] != loops - 1;
        else
            for (int i = 0; i < INTEGERS; i++) wrong += memory[i] != loops * size;
        MPI_Win_unlock(0, win);
        if (wrong) MPI_Abort(MPI_COMM_WORLD, 1);
        printf("%.6f %ld\n", took, loops * size * (threads ? THREADS : 1));
    }
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
