/* The common work of `simgrid.py`: one collective, and its simulated time.
 *
 *     smpi COLLECTIVE BYTES      alltoall: BYTES to each rank; allreduce: BYTES in all
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int ranks, rank;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const char *what = argv[1];
    size_t bytes = strtoul(argv[2], NULL, 10);
    int all = strcmp(what, "alltoall") == 0;
    size_t size = all ? bytes * (size_t)ranks : bytes;
    /* One buffer for all ranks: its contents do not matter, and copies would cost memory. */
    char *in = SMPI_SHARED_MALLOC(size), *out = SMPI_SHARED_MALLOC(size);
    MPI_Barrier(MPI_COMM_WORLD);
    double began = MPI_Wtime();
    if (all)
        MPI_Alltoall(in, (int)bytes, MPI_CHAR, out, (int)bytes, MPI_CHAR, MPI_COMM_WORLD);
    else
        MPI_Allreduce(in, out, (int)bytes, MPI_CHAR, MPI_BOR, MPI_COMM_WORLD);
    double took = MPI_Wtime() - began, last;
    MPI_Reduce(&took, &last, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("simulated %.9f\n", last);
    SMPI_SHARED_FREE(in);
    SMPI_SHARED_FREE(out);
    MPI_Finalize();
    return 0;
}
