/* Rates of one core by kind of computation, as the models of `odonata app` count it.
 *
 *     rates SECONDS
 *
 * One line per kernel: its name, its size, flops and bytes of one call, the CPU time of the median
 * call, and the time that 84 % of the calls do not exceed. Each kernel runs for SECONDS.
 *
 * Memory per core: stream 144 MiB, tree 96 MiB, spmv and gauss_seidel 55 MiB, stencil 47 MiB. These
 * measure the memory if a core's share of the caches is much smaller. The panel has 4 MiB, pair
 * 2.4 MiB, fft at most 1 MiB: they measure the caches. `peak` has registers alone. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MOST_CALLS = 1000, LEAST_CALLS = 3 };

static double limit = 0.5, sink;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *array(size_t count, size_t size)
{
    void *found = calloc(count, size);
    if (!found) fputs("rates: not enough memory\n", stderr), exit(1);
    return found;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static uint64_t state = 1;

/* splitmix64 */
static uint64_t draw(void)
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* Calls a kernel for `limit` seconds, after a first call that is not counted. */
static void measure(const char *name, double size, double flops, double bytes, void (*kernel)(void))
{
    static double took[MOST_CALLS];
    int calls = 0;
    kernel();
    double start = now();
    do {
        double before = now();
        kernel();
        took[calls++] = now() - before;
    } while (calls < MOST_CALLS && (calls < LEAST_CALLS || now() - start < limit));
    qsort(took, calls, sizeof *took, ascending);
    printf("%s %.0f %.9g %.9g %.9g %.9g\n", name, size, flops, bytes, took[calls / 2],
           took[calls * 84 / 100]);
    fflush(stdout);
}

/* Independent multiply-adds in registers. */
enum { CHAINS = 64, ROUNDS = 200000 };

static void peak(void)
{
    double x[CHAINS];
    for (int i = 0; i < CHAINS; i++) x[i] = 1e-3 * i;
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < CHAINS; i++) x[i] = x[i] * 0.999 + 1e-3;
    for (int i = 0; i < CHAINS; i++) sink += x[i];
}

/* The triad of STREAM. */
enum { LENGTH = 6 << 20 };
static double *a, *b, *c;

static void triad(void)
{
    for (long i = 0; i < LENGTH; i++) a[i] = b[i] + 0.5 * c[i];
}

/* A Jacobi step with seven points. */
enum { SIDE = 144 };

static void stencil(void)
{
    const long y = SIDE + 2, z = y * y;
    for (long k = 1; k <= SIDE; k++)
        for (long j = 1; j <= SIDE; j++)
            for (long i = 1; i <= SIDE; i++) {
                const double *at = b + k * z + j * y + i;
                a[k * z + j * y + i] =
                    0.1 * (at[-1] + at[1] + at[-y] + at[y] + at[-z] + at[z]) + 0.4 * *at;
            }
}

/* A matrix of a 27-point stencil, in compressed rows. */
enum { EDGE = 56, ROWS = EDGE * EDGE * EDGE, POINTS = 27 };
static int *columns, *starts;
static double *values;

static void matrix(void)
{
    columns = array((size_t)ROWS * POINTS, sizeof *columns);
    values = array((size_t)ROWS * POINTS, sizeof *values);
    starts = array(ROWS + 1, sizeof *starts);
    int count = 0, row = 0;
    for (int z = 0; z < EDGE; z++)
        for (int y = 0; y < EDGE; y++)
            for (int x = 0; x < EDGE; x++) {
                for (int k = z - 1; k <= z + 1; k++)
                    for (int j = y - 1; j <= y + 1; j++)
                        for (int i = x - 1; i <= x + 1; i++)
                            if (i >= 0 && j >= 0 && k >= 0 && i < EDGE && j < EDGE && k < EDGE) {
                                columns[count] = (k * EDGE + j) * EDGE + i;
                                values[count++] = i == x && j == y && k == z ? 26 : -1;
                            }
                starts[++row] = count;
            }
}

static double product(int row, const double *x)
{
    double sum = 0;
    for (int k = starts[row]; k < starts[row + 1]; k++) sum += values[k] * x[columns[k]];
    return sum;
}

static void spmv(void)
{
    for (int row = 0; row < ROWS; row++) a[row] = product(row, b);
}

/* A forward and a backward sweep. */
static void gauss_seidel(void)
{
    for (int row = 0; row < ROWS; row++) a[row] += (b[row] - product(row, a)) / 26;
    for (int row = ROWS - 1; row >= 0; row--) a[row] += (b[row] - product(row, a)) / 26;
}

/* Transforms of lines of complex numbers, radix 2, with a table of the roots of unity. */
enum { MOST_POINTS = 4096, LINES = 16 };
static int points;
static double roots[MOST_POINTS];

/* Not a part of the transforms that are measured: programs compute the table once. */
static void fill_roots(void)
{
    for (int k = 0; k < points / 2; k++)
        roots[2 * k] = cos(2 * M_PI * k / points), roots[2 * k + 1] = sin(2 * M_PI * k / points);
}

static void fft(void)
{
    for (int line = 0; line < LINES; line++) {
        double *x = a + 2L * line * points;
        for (int i = 1, j = 0; i < points; i++) {
            int bit = points >> 1;
            for (; j & bit; bit >>= 1) j ^= bit;
            j ^= bit;
            if (i < j)
                for (int part = 0; part < 2; part++) {
                    double kept = x[2 * i + part];
                    x[2 * i + part] = x[2 * j + part], x[2 * j + part] = kept;
                }
        }
        for (int half = 1; half < points; half *= 2)
            for (int start = 0; start < points; start += 2 * half)
                for (int k = 0; k < half; k++) {
                    double *even = x + 2 * (start + k), *odd = even + 2 * half;
                    const double *root = roots + 2L * k * (points / 2 / half);
                    double re = 0.5 * (root[0] * odd[0] - root[1] * odd[1]);
                    double im = 0.5 * (root[0] * odd[1] + root[1] * odd[0]);
                    odd[0] = 0.5 * even[0] - re, odd[1] = 0.5 * even[1] - im;
                    even[0] = 0.5 * even[0] + re, even[1] = 0.5 * even[1] + im;
                }
    }
}

/* Lennard-Jones forces on particles from drawn neighbors. */
enum { PARTICLES = 8192, NEIGHBORS = 64, PAIR_FLOPS = 23 };

static void pair(void)
{
    for (long i = 0; i < PARTICLES; i++) {
        double fx = 0, fy = 0, fz = 0, x = b[3 * i], y = b[3 * i + 1], z = b[3 * i + 2];
        for (int k = 0; k < NEIGHBORS; k++) {
            const double *other = b + 3L * columns[NEIGHBORS * i + k];
            double dx = x - other[0], dy = y - other[1], dz = z - other[2];
            double r2 = 1 / (dx * dx + dy * dy + dz * dz + 1e-3), r6 = r2 * r2 * r2;
            double force = r6 * (r6 - 0.5) * r2;
            fx += force * dx, fy += force * dy, fz += force * dz;
        }
        a[3 * i] += fx, a[3 * i + 1] += fy, a[3 * i + 2] += fz;
    }
}

/* Edges in order, each with a visit of a drawn vertex, as in a breadth-first search. */
enum { EDGES = 4 << 20, VERTICES = 4 << 20, EDGE_BYTES = 16 };
static int64_t (*edges)[2];

static void tree(void)
{
    int64_t *parents = (int64_t *)(void *)c, found = 0;
    for (long e = 0; e < EDGES; e++)
        if (parents[edges[e][1]] != edges[e][0])
            parents[edges[e][1]] = edges[e][0], found++;
    sink += (double)found;
}

/* The factorization of a narrow matrix with row pivots, column by column. */
enum { PANEL_ROWS = 4096, PANEL = 64 };

static void panel(void)
{
    for (long k = 0; k < PANEL_ROWS * PANEL; k++) a[k] = b[k];
    for (long k = 0; k < PANEL; k++) {
        double *column = a + k * PANEL_ROWS;
        long pivot = k;
        for (long i = k; i < PANEL_ROWS; i++)
            if (fabs(column[i]) > fabs(column[pivot])) pivot = i;
        for (long j = 0; j < PANEL; j++) {
            double *other = a + j * PANEL_ROWS, kept = other[k];
            other[k] = other[pivot], other[pivot] = kept;
        }
        double factor = 1 / (column[k] == 0 ? 1 : column[k]);
        for (long i = k + 1; i < PANEL_ROWS; i++) column[i] *= factor;
        for (long j = k + 1; j < PANEL; j++) {
            double *other = a + j * PANEL_ROWS, times = other[k];
            for (long i = k + 1; i < PANEL_ROWS; i++) other[i] -= times * column[i];
        }
    }
}

static void fill(void)
{
    for (long i = 0; i < LENGTH; i++) {
        a[i] = 0;
        b[i] = (double)(draw() >> 11) * 0x1p-53;
        c[i] = 0;
    }
}

int main(int argc, char **argv)
{
    if (argc > 1) limit = atof(argv[1]);
    a = array(LENGTH, sizeof *a), b = array(LENGTH, sizeof *b), c = array(LENGTH, sizeof *c);
    fill();
    double cells = (double)SIDE * SIDE * SIDE;
    measure("peak", 0, 2.0 * CHAINS * ROUNDS, 0, peak);
    measure("stream", 0, 2.0 * LENGTH, 24.0 * LENGTH, triad);
    measure("stencil", 0, 8 * cells, 24 * cells, stencil);
    fill();
    for (points = 64; points <= MOST_POINTS; points *= 64) {
        double numbers = (double)LINES * points;
        fill_roots();
        measure("fft", points, 5 * numbers * log2(points), 32 * numbers, fft);
    }
    matrix();
    double entries = starts[ROWS], bytes = 12 * entries + 24.0 * ROWS;
    measure("spmv", 0, 2 * entries, bytes, spmv);
    fill();
    measure("gauss_seidel", 0, 4 * entries, 2 * bytes, gauss_seidel);
    for (long k = 0; k < PARTICLES * NEIGHBORS; k++) columns[k] = (int)(draw() % PARTICLES);
    fill();
    double pairs = (double)PARTICLES * NEIGHBORS;
    measure("pair", 0, PAIR_FLOPS * pairs, 0, pair);
    edges = array(EDGES, sizeof *edges);
    for (long e = 0; e < EDGES; e++) edges[e][0] = e / 16, edges[e][1] = (int64_t)(draw() % VERTICES);
    measure("tree", 0, 0, (double)EDGE_BYTES * EDGES, tree);
    double rows = PANEL_ROWS;
    measure("panel", 0, rows * PANEL * PANEL, rows * PANEL * sizeof(double), panel);
    return sink == 0.125;
}
