/* Conjugate gradients with a multigrid preconditioner on a 27-point stencil, with the communication
 * of HPCG: receives from up to 26 neighbors, blocking sends in turn, waits in turn, and sums of one
 * double. The model is `odonata app hpcg`.
 *
 *     odonata-mpicc -O2 cg27.c -o cg27 -lm
 *     odonata app check hpcg --problem nx=16 --problem ny=16 --problem nz=16 \
 *         --problem iterations=3 -- ./cg27 {nx} {ny} {nz} {iterations}
 *
 * Planted differences for tests of the comparison: CG27_EXTRA_BYTES=N sends N more bytes in one
 * message, and CG27_SWAP=1 swaps two sends.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEVELS 4

typedef struct Level {
    int n[3];                  /* cells of this rank along each axis */
    double *r, *x, *t;         /* right-hand side, solution and product, each with a layer of ghosts */
} Level;

static int rank, ranks, dims[3], at[3];
static int extra, slack, swap; /* planted differences */
static Level levels[LEVELS];

static size_t cell(const int n[3], int x, int y, int z)
{
    return ((size_t)(z + 1) * (n[1] + 2) + (y + 1)) * (n[0] + 2) + (x + 1);
}

static double *field(const int n[3])
{
    size_t cells = (size_t)(n[0] + 2) * (n[1] + 2) * (n[2] + 2);
    double *made = calloc(cells, sizeof *made);
    if (!made) {
        fprintf(stderr, "no memory\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return made;
}

/* Range of cells in direction d: the layer next to it, or beyond it. */
static void range(int d, int n, int outside, int *low, int *high)
{
    *low = 0;
    *high = n;
    if (d < 0)
        *low = outside ? -1 : 0, *high = *low + 1;
    if (d > 0)
        *low = outside ? n : n - 1, *high = *low + 1;
}

static int copy(double *v, const int n[3], const int d[3], int outside, double *buffer)
{
    int low[3], high[3], count = 0;
    for (int k = 0; k < 3; k++)
        range(d[k], n[k], outside, &low[k], &high[k]);
    for (int z = low[2]; z < high[2]; z++)
        for (int y = low[1]; y < high[1]; y++)
            for (int x = low[0]; x < high[0]; x++) {
                if (outside)
                    v[cell(n, x, y, z)] = buffer[count++];
                else
                    buffer[count++] = v[cell(n, x, y, z)];
            }
    return count;
}

/* ExchangeHalo.cpp. */
static void exchange(double *v, const int n[3])
{
    double *out[26], *in[26];
    MPI_Request requests[26];
    int peer[26], way[26][3], size[26], count = 0;
    for (int z = -1; z <= 1; z++)
        for (int y = -1; y <= 1; y++)
            for (int x = -1; x <= 1; x++) {
                int d[3] = {x, y, z}, to[3], inside = 1;
                for (int k = 0; k < 3; k++) {
                    to[k] = at[k] + d[k];
                    inside &= to[k] >= 0 && to[k] < dims[k];
                }
                if (!inside || (!x && !y && !z))
                    continue;
                memcpy(way[count], d, sizeof d);
                size[count] = (x ? 1 : n[0]) * (y ? 1 : n[1]) * (z ? 1 : n[2]);
                peer[count++] = (to[2] * dims[1] + to[1]) * dims[0] + to[0];
            }
    for (int k = 0; k < count; k++) {
        in[k] = malloc((size[k] + 1) * sizeof(double));
        out[k] = malloc((size[k] + 1) * sizeof(double));
        if (!in[k] || !out[k])
            MPI_Abort(MPI_COMM_WORLD, 1);
        MPI_Irecv(in[k], (int)(size[k] * sizeof(double)) + slack, MPI_BYTE, peer[k], 99,
                  MPI_COMM_WORLD, &requests[k]);
    }
    for (int nth = 0; nth < count; nth++) {
        int k = swap && rank == ranks - 1 && nth >= count - 2 ? 2 * count - 3 - nth : nth;
        int bytes = copy(v, n, way[k], 0, out[k]) * (int)sizeof(double);
        out[k][size[k]] = 0;
        if (extra && rank == ranks - 1 && nth == count - 1)
            bytes += extra, extra = 0;
        MPI_Send(out[k], bytes, MPI_BYTE, peer[k], 99, MPI_COMM_WORLD);
    }
    swap = 0;
    for (int k = 0; k < count; k++) {
        MPI_Wait(&requests[k], MPI_STATUS_IGNORE);
        copy(v, n, way[k], 1, in[k]);
        free(in[k]);
        free(out[k]);
    }
}

static double neighbors(const double *v, const int n[3], int x, int y, int z)
{
    double sum = 0;
    for (int k = -1; k <= 1; k++)
        for (int j = -1; j <= 1; j++)
            for (int i = -1; i <= 1; i++)
                sum += v[cell(n, x + i, y + j, z + k)];
    return sum - v[cell(n, x, y, z)];
}

/* The matrix has 26 on its diagonal and -1 for each neighbor. */
static void product(double *v, double *to, const int n[3])
{
    exchange(v, n);
    for (int z = 0; z < n[2]; z++)
        for (int y = 0; y < n[1]; y++)
            for (int x = 0; x < n[0]; x++)
                to[cell(n, x, y, z)] = 26 * v[cell(n, x, y, z)] - neighbors(v, n, x, y, z);
}

/* A symmetric Gauss-Seidel: an exchange, a forward and a backward sweep. */
static void smooth(const double *r, double *x, const int n[3])
{
    exchange(x, n);
    long cells = (long)n[0] * n[1] * n[2];
    for (long nth = 0; nth < 2 * cells; nth++) {
        long k = nth < cells ? nth : 2 * cells - 1 - nth;
        int i = (int)(k % n[0]), j = (int)(k / n[0] % n[1]), l = (int)(k / n[0] / n[1]);
        x[cell(n, i, j, l)] = (r[cell(n, i, j, l)] + neighbors(x, n, i, j, l)) / 26;
    }
}

static void multigrid(const double *r, double *x, int level)
{
    Level *own = &levels[level];
    const int *n = own->n;
    memset(x, 0, (size_t)(n[0] + 2) * (n[1] + 2) * (n[2] + 2) * sizeof *x);
    smooth(r, x, n);
    if (level == LEVELS - 1)
        return;
    Level *next = own + 1;
    product(x, own->t, n);
    for (int z = 0; z < next->n[2]; z++)
        for (int y = 0; y < next->n[1]; y++)
            for (int i = 0; i < next->n[0]; i++) {
                size_t fine = cell(n, 2 * i, 2 * y, 2 * z);
                next->r[cell(next->n, i, y, z)] = r[fine] - own->t[fine];
            }
    multigrid(next->r, next->x, level + 1);
    for (int z = 0; z < next->n[2]; z++)
        for (int y = 0; y < next->n[1]; y++)
            for (int i = 0; i < next->n[0]; i++)
                x[cell(n, 2 * i, 2 * y, 2 * z)] += next->x[cell(next->n, i, y, z)];
    smooth(r, x, n);
}

static double dot(const double *a, const double *b, const int n[3])
{
    double own = 0, sum;
    for (int z = 0; z < n[2]; z++)
        for (int y = 0; y < n[1]; y++)
            for (int x = 0; x < n[0]; x++)
                own += a[cell(n, x, y, z)] * b[cell(n, x, y, z)];
    MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

/* to = a + factor b */
static void waxpby(const double *a, double factor, const double *b, double *to, const int n[3])
{
    for (int z = 0; z < n[2]; z++)
        for (int y = 0; y < n[1]; y++)
            for (int x = 0; x < n[0]; x++)
                to[cell(n, x, y, z)] = a[cell(n, x, y, z)] + factor * b[cell(n, x, y, z)];
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int n[3] = {16, 16, 16}, iterations = 3;
    for (int k = 0; k < 3 && argc > k + 1; k++)
        n[k] = atoi(argv[k + 1]);
    if (argc > 4)
        iterations = atoi(argv[4]);
    for (int k = 0; k < 3; k++)
        if (n[k] < 8 || n[k] % 8 || n[k] > 512 || iterations < 1) {
            if (!rank)
                fprintf(stderr, "usage: cg27 NX NY NZ ITERATIONS; multiples of 8 up to 512\n");
            MPI_Finalize();
            return 2;
        }
    const char *planted = getenv("CG27_EXTRA_BYTES");
    extra = planted ? atoi(planted) : 0;
    if (extra < 0 || extra > 8)
        extra = 0;
    slack = extra;
    swap = getenv("CG27_SWAP") != NULL;
    MPI_Dims_create(ranks, 3, dims);
    at[0] = rank % dims[0];
    at[1] = rank / dims[0] % dims[1];
    at[2] = rank / dims[0] / dims[1];
    for (int level = 0; level < LEVELS; level++) {
        for (int k = 0; k < 3; k++)
            levels[level].n[k] = n[k] >> level;
        levels[level].r = field(levels[level].n);
        levels[level].x = field(levels[level].n);
        levels[level].t = field(levels[level].n);
    }
    double *r = field(n), *p = field(n), *q = field(n), *x = field(n), *z = field(n);
    for (int k = 0; k < n[2]; k++)
        for (int j = 0; j < n[1]; j++)
            for (int i = 0; i < n[0]; i++)
                r[cell(n, i, j, k)] = 1;
    double before = 0, first = 0, last = 0;
    for (int k = 0; k < iterations; k++) {
        multigrid(r, z, 0);
        double rz = dot(r, z, n);
        waxpby(z, k ? rz / before : 0, p, p, n);
        before = rz;
        product(p, q, n);
        double step = rz / dot(p, q, n);
        waxpby(x, step, p, x, n);
        waxpby(r, -step, q, r, n);
        last = sqrt(dot(r, r, n));
        if (!k)
            first = last;
    }
    if (!rank)
        printf("residual %.3e after 1, %.3e after %d iterations, %.6f s\n", first, last, iterations,
               MPI_Wtime());
    MPI_Finalize();
    return 0;
}
