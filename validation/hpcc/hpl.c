/* HPL of HPCC alone, on the squarest grid of P <= Q processes: ./hpl-only N NB
 *
 * Without look-ahead, rows are swapped by binary exchange, and panels go around rings. Rank 0
 * writes hpccinf.txt in the working directory, which HPL reads. The linker's option --wrap passes
 * two of HPL's functions through this file, which prints the time of the factorization. */
#include <hpcc.h>

static double begin, end; /* of the factorization on this rank */

void __real_HPL_pdgesv(HPL_T_grid *, HPL_T_palg *, HPL_T_pmat *);
void __real_HPL_pdtrsv(HPL_T_grid *, HPL_T_pmat *);

void __wrap_HPL_pdgesv(HPL_T_grid *grid, HPL_T_palg *algorithm, HPL_T_pmat *matrix)
{
    begin = MPI_Wtime();
    __real_HPL_pdgesv(grid, algorithm, matrix);
}

void __wrap_HPL_pdtrsv(HPL_T_grid *grid, HPL_T_pmat *matrix)
{
    end = MPI_Wtime();
    __real_HPL_pdtrsv(grid, matrix);
}

static void write_input(const char *n, const char *nb, int p, int q)
{
    FILE *file = fopen("hpccinf.txt", "w");
    if (!file) {
        perror("hpccinf.txt");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    fprintf(file, "HPL\n\nHPL.out output\n8 device\n1 Ns\n%s N\n1 NBs\n%s NB\n0 row-major\n", n, nb);
    fprintf(file, "1 grids\n%d P\n%d Q\n16.0 threshold\n1 PFACTs\n2 right\n1 NBMINs\n4\n", p, q);
    fprintf(file, "1 NDIVs\n2\n1 RFACTs\n1 Crout\n1 BCASTs\n0 1ring\n1 DEPTHs\n0\n0 binary\n64\n");
    fprintf(file, "0 L1 transposed\n0 U transposed\n1 equilibration\n8 alignment\n");
    fclose(file);
}

int main(int argc, char **argv)
{
    HPL_RuntimeData data;
    int failure = 0, rank, ranks, p = 1; /* failure is set if a residual is too large */
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc != 3) {
        if (rank == 0) fprintf(stderr, "usage: hpl-only N NB\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    for (int d = 1; d * d <= ranks; d++)
        if (ranks % d == 0) p = d;
    if (rank == 0) write_input(argv[1], argv[2], p, ranks / p);
    HPL_main(argc, argv, &data, &failure);
    double own[2] = {-begin, end}, all[2];
    MPI_Reduce(own, all, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("hpl: factorization %.3f us\n", 1e6 * (all[1] + all[0]));
    MPI_Finalize();
    return failure != 0;
}
