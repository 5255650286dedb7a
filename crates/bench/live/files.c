/* Calls on simulated files: `files DIR stat|write|read|create LOOPS`, per rank. Rank 0 prints the wall
   time, which is not simulated, and the number of calls of all ranks. */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static double wall(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

static void check(int holds) {
    if (!holds) MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char **argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const char *what = argv[2];
    long loops = atol(argv[3]), calls = loops;
    static char name[4096], data[4096];
    struct stat status;
    snprintf(name, sizeof name, "%s/%d", argv[1], rank);
    int fd = open(name, O_RDWR | O_CREAT, 0644);
    check(fd >= 0 && pwrite(fd, data, sizeof data, 0) == sizeof data);
    MPI_Barrier(MPI_COMM_WORLD);
    double start = wall();
    if (!strcmp(what, "stat")) {
        for (long i = 0; i < loops; i++) check(stat(name, &status) == 0);
    } else if (!strcmp(what, "write")) { /* 4 KiB, over 4 MiB */
        for (long i = 0; i < loops; i++)
            check(pwrite(fd, data, sizeof data, i % 1024 * 4096) == sizeof data);
    } else if (!strcmp(what, "read")) { /* from the client's cache, if it has one */
        for (long i = 0; i < loops; i++)
            check(pread(fd, data, sizeof data, 0) == sizeof data);
    } else { /* create, close and remove a file */
        calls = 3 * loops;
        for (long i = 0; i < loops; i++) {
            snprintf(name, sizeof name, "%s/%d.%ld", argv[1], rank, i);
            int own = open(name, O_WRONLY | O_CREAT | O_EXCL, 0644);
            check(own >= 0 && close(own) == 0 && unlink(name) == 0);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    double took = wall() - start;
    if (rank == 0) printf("%.6f %ld\n", took, calls * size);
    MPI_Finalize();
    return 0;
}
