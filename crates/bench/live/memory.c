/* Memory that belongs to one rank alone, in KiB, mean over ranks: printed by rank 0. */
#include <mpi.h>
#include <stdio.h>

static long private_kib(void) {
    char line[256];
    long kib, sum = 0;
    FILE *f = fopen("/proc/self/smaps_rollup", "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "Private_Dirty: %ld", &kib) == 1 || sscanf(line, "Private_Clean: %ld", &kib) == 1)
            sum += kib;
    if (f) fclose(f);
    return sum;
}

int main(int argc, char **argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Barrier(MPI_COMM_WORLD);
    long mine = private_kib(), all = 0;
    MPI_Reduce(&mine, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%.1f\n", (double)all / size);
    MPI_Finalize();
    return 0;
}
