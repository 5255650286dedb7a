/* A distributed Fourier transform of a cube of N^3 complex numbers, with the redistributions of
 * SWFFT, the transform of the cosmology code HACC: every change of pencils goes by way of blocks.
 *
 *     ./swfft [N]
 *
 * N is a power of two, by default 32. The program transforms a plane wave forward and back. The
 * transform must be one spike, and the wave must come back. */
#include <complex.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef double complex cell;

/* The cells from `low` to `high` (exclusive) of each axis. */
typedef struct { int low[3], high[3]; } box;

static int n, rank, ranks;
/* Ranks along each axis: of blocks, and of the pencils along each axis. */
static int blocks[3], pencils[3][3];

static int smaller(int a, int b) { return a < b ? a : b; }
static int larger(int a, int b) { return a > b ? a : b; }

/* The cells of rank `r` of a grid of ranks; the last axis varies fastest. */
static box cells_of(const int grid[3], int r)
{
    box mine;
    for (int axis = 2; axis >= 0; axis--) {
        int at = r % grid[axis];
        r /= grid[axis];
        mine.low[axis] = (int)((long)n * at / grid[axis]);
        mine.high[axis] = (int)((long)n * (at + 1) / grid[axis]);
    }
    return mine;
}

static int intersect(box a, box b, box *both)
{
    int volume = 1;
    for (int axis = 0; axis < 3; axis++) {
        both->low[axis] = larger(a.low[axis], b.low[axis]);
        both->high[axis] = smaller(a.high[axis], b.high[axis]);
        volume *= larger(0, both->high[axis] - both->low[axis]);
    }
    return volume;
}

/* Copies `part` between the array of `whole` and a contiguous buffer. */
static void copy_part(cell *array, box whole, box part, cell *buffer, int into_buffer)
{
    int ny = whole.high[1] - whole.low[1], nz = whole.high[2] - whole.low[2];
    int row = part.high[2] - part.low[2];
    for (int x = part.low[0]; x < part.high[0]; x++)
        for (int y = part.low[1]; y < part.high[1]; y++, buffer += row) {
            cell *at = array + ((size_t)(x - whole.low[0]) * ny + (y - whole.low[1])) * nz
                       + (part.low[2] - whole.low[2]);
            memcpy(into_buffer ? buffer : at, into_buffer ? at : buffer, row * sizeof(cell));
        }
}

/* Moves the cube from one distribution over the ranks to another, pairwise: only ranks whose boxes
 * overlap exchange messages. */
static void redistribute(const int from[3], const int to[3], cell *old, cell *new)
{
    box mine_old = cells_of(from, rank), mine_new = cells_of(to, rank), part;
    MPI_Request *requests = malloc(2 * ranks * sizeof *requests);
    cell **buffers = calloc(2 * ranks, sizeof *buffers);
    int count = 0;

    for (int peer = 0; peer < ranks; peer++) {
        int volume = intersect(cells_of(from, peer), mine_new, &part);
        if (volume == 0 || peer == rank) continue;
        buffers[peer] = malloc(volume * sizeof(cell));
        MPI_Irecv(buffers[peer], volume, MPI_C_DOUBLE_COMPLEX, peer, 0, MPI_COMM_WORLD,
                  &requests[count++]);
    }
    for (int peer = 0; peer < ranks; peer++) {
        int volume = intersect(mine_old, cells_of(to, peer), &part);
        if (volume == 0 || peer == rank) continue;
        buffers[ranks + peer] = malloc(volume * sizeof(cell));
        copy_part(old, mine_old, part, buffers[ranks + peer], 1);
        MPI_Isend(buffers[ranks + peer], volume, MPI_C_DOUBLE_COMPLEX, peer, 0, MPI_COMM_WORLD,
                  &requests[count++]);
    }
    int volume = intersect(mine_old, mine_new, &part);
    if (volume > 0) {
        buffers[rank] = malloc(volume * sizeof(cell));
        copy_part(old, mine_old, part, buffers[rank], 1);
    }
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
    for (int peer = 0; peer < ranks; peer++)
        if (intersect(cells_of(from, peer), mine_new, &part) > 0)
            copy_part(new, mine_new, part, buffers[peer], 0);
    for (int i = 0; i < 2 * ranks; i++) free(buffers[i]);
    free(buffers);
    free(requests);
}

/* A transform of n cells that are `stride` apart; `sign` is -1 forward and 1 back. */
static void transform_line(cell *a, int stride, int sign)
{
    for (int i = 1, j = 0; i < n; i++) {
        int bit = n >> 1;
        for (; j & bit; bit >>= 1) j ^= bit;
        j ^= bit;
        if (i < j) {
            cell swap = a[(size_t)i * stride];
            a[(size_t)i * stride] = a[(size_t)j * stride];
            a[(size_t)j * stride] = swap;
        }
    }
    for (int length = 2; length <= n; length *= 2)
        for (int start = 0; start < n; start += length)
            for (int k = 0; k < length / 2; k++) {
                cell w = cexp(sign * 2 * M_PI * I * k / length);
                cell *even = a + (size_t)(start + k) * stride;
                cell *odd = even + (size_t)(length / 2) * stride, moved = w * *odd;
                *odd = *even - moved;
                *even += moved;
            }
}

static void transform_axis(cell *array, int axis, int sign)
{
    box mine = cells_of(pencils[axis], rank);
    int size[3], stride[3];
    for (int a = 0; a < 3; a++) size[a] = mine.high[a] - mine.low[a];
    stride[2] = 1, stride[1] = size[2], stride[0] = size[1] * size[2];
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    for (int i = 0; i < size[u]; i++)
        for (int j = 0; j < size[v]; j++)
            transform_line(array + (size_t)i * stride[u] + (size_t)j * stride[v], stride[axis],
                           sign);
}

static void transform(cell *cube, cell *pencil, int sign)
{
    for (int axis = 0; axis < 3; axis++) {
        redistribute(blocks, pencils[axis], cube, pencil);
        transform_axis(pencil, axis, sign);
        redistribute(pencils[axis], blocks, pencil, cube);
    }
}

static size_t cells_in(box b)
{
    return (size_t)(b.high[0] - b.low[0]) * (b.high[1] - b.low[1]) * (b.high[2] - b.low[2]);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    n = argc > 1 ? atoi(argv[1]) : 32;
    if (n < 2 || n & (n - 1)) {
        if (rank == 0) fprintf(stderr, "swfft: N must be a power of two\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    int flat[2] = {0, 0};
    MPI_Dims_create(ranks, 3, blocks);
    MPI_Dims_create(ranks, 2, flat);
    for (int axis = 0; axis < 3; axis++)
        for (int a = 0, next = 0; a < 3; a++) pencils[axis][a] = a == axis ? 1 : flat[next++];

    box mine = cells_of(blocks, rank);
    size_t largest = cells_in(mine);
    for (int axis = 0; axis < 3; axis++) {
        size_t cells = cells_in(cells_of(pencils[axis], rank));
        if (cells > largest) largest = cells;
    }
    cell *cube = malloc((largest + 1) * sizeof(cell)), *pencil = malloc((largest + 1) * sizeof(cell));
    const int wave[3] = {1, 2, 3 % n};
    int error = 0;

    for (int pass = 0; pass < 3; pass++) {
        cell *at = cube;
        if (pass == 1) transform(cube, pencil, -1);
        if (pass == 2) transform(cube, pencil, 1);
        for (int x = mine.low[0]; x < mine.high[0]; x++)
            for (int y = mine.low[1]; y < mine.high[1]; y++)
                for (int z = mine.low[2]; z < mine.high[2]; z++, at++) {
                    double phase = 2 * M_PI * (wave[0] * x + wave[1] * y + wave[2] * z) / n;
                    double total = (double)n * n * n;
                    int spike = x == wave[0] % n && y == wave[1] % n && z == wave[2];
                    cell wanted = pass == 1 ? (spike ? total : 0) : cexp(I * phase);
                    if (pass == 0) *at = wanted;
                    else if (cabs(*at / (pass == 2 ? total : 1) - wanted) > 1e-6) error = 1;
                }
    }
    int errors;
    MPI_Allreduce(&error, &errors, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0) printf("swfft: %d^3 cells on %d ranks: %s\n", n, ranks, errors ? "WRONG" : "ok");
    free(cube);
    free(pencil);
    MPI_Finalize();
    return errors;
}
