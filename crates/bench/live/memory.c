/* Memory of a C rank, KiB, mean over ranks: proportional share of its mappings, and their page
   tables. Printed by rank 0. */
#include <mpi.h>
#include <stdio.h>

static long kib_of(const char *path, const char *format) {
    char line[256];
    long kib, sum = 0;
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, format, &kib) == 1) sum += kib;
    if (f) fclose(f);
    return sum;
}

int main(int argc, char **argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Barrier(MPI_COMM_WORLD);
    long mine = kib_of("/proc/self/smaps_rollup", "Pss: %ld"), all = 0;
    mine += kib_of("/proc/self/status", "VmPTE: %ld");
    MPI_Reduce(&mine, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%.1f\n", (double)all / size);
    MPI_Finalize();
    return 0;
}
