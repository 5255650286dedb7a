/* Breadth-first search of a random graph on an R x C grid of ranks, as in Graph500 records: from
 * the frontier down, or from the vertices without a parent up, whichever looks at fewer edges.
 *
 *     ./bfs2d [SCALE [EDGES]]
 *
 * 2^SCALE vertices (default 12), EDGES per vertex (default 8). Rank (i, j) has the edges from
 * vertices of column j to vertices of row i. Each rank owns the parents of 2^SCALE / ranks
 * vertices, rounded up; the last ranks have fewer. The tree is checked.
 *
 * Two variables of the environment change one rank's calls, for tests of `odonata app check`:
 * BFS2D_EXTRA_BYTES sends more bytes along the row, BFS2D_SWAP sends to the other neighbor. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks, rows, columns, row, column;
static long vertices, owned; /* of all ranks, of one rank */
static int extra, step_by = 1; /* bytes more than necessary; distance of the next rank of a row */
static MPI_Comm in_row, in_column;

/* A number that depends on its arguments alone (splitmix64). */
static uint64_t draw(uint64_t a, uint64_t b)
{
    uint64_t z = (a << 32 ^ b) + 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* Vertices of a row of ranks are consecutive: rank (i, j) owns part j of the vertices of row i.
 * Column j of ranks has the edges from all vertices that its ranks own. */
static int row_of(long v) { return (int)(v / (owned * columns)); }
static int column_of(long v) { return (int)(v / owned % columns); }
/* Position of a vertex among those that the ranks of its column own. */
static long in_column_of(long v) { return row_of(v) * owned + v % owned; }
static long from_column(long at) { return (at / owned * columns + column) * owned + at % owned; }

typedef struct { long from, to; } edge;
typedef struct { long vertex, parent; } visit;

static edge *edges;
static long edge_count;

static int by_source(const void *a, const void *b)
{
    const edge *x = a, *y = b;
    return x->from != y->from ? (x->from > y->from) - (x->from < y->from)
                              : (x->to > y->to) - (x->to < y->to);
}

static void add_edge(long from, long to)
{
    if (column_of(from) == column && row_of(to) == row) {
        if ((edge_count & (edge_count - 1)) == 0)
            edges = realloc(edges, (edge_count ? 2 * edge_count : 1) * sizeof *edges);
        edges[edge_count++] = (edge){from, to};
    }
}

static int visited_first(const void *a, const void *b)
{
    const visit *x = a, *y = b;
    return x->vertex != y->vertex ? (x->vertex > y->vertex) - (x->vertex < y->vertex)
                                  : (x->parent > y->parent) - (x->parent < y->parent);
}

/* Sends the visits to the owners of their vertices, all in this row of ranks. */
static long send_visits(visit *found, long n, visit **received)
{
    int counts[columns], starts[columns], got[columns], got_starts[columns];
    memset(counts, 0, sizeof counts);
    for (long i = 0; i < n; i++) counts[column_of(found[i].vertex)] += 2;
    MPI_Alltoall(counts, 1, MPI_INT, got, 1, MPI_INT, in_row);
    long total = 0;
    for (int j = 0, start = 0; j < columns; j++) {
        starts[j] = start, start += counts[j];
        got_starts[j] = (int)total, total += got[j];
    }
    *received = malloc((total + 1) * sizeof(long));
    /* Sorted by vertex, and so by owner. */
    qsort(found, n, sizeof *found, visited_first);
    MPI_Alltoallv(found, counts, starts, MPI_LONG, *received, got, got_starts, MPI_LONG, in_row);
    return total / 2;
}

/* From the frontier down: the column gathers its frontier, every rank follows its edges, and the
 * owners of the vertices that it finds learn of it. */
static long top_down(const char *frontier, visit **received)
{
    int mine = 0, counts[rows], starts[rows], total = 0;
    long *own = malloc(owned * sizeof *own);
    for (long v = 0; v < owned; v++)
        if (frontier[v]) own[mine++] = row * owned + v;
    MPI_Allgather(&mine, 1, MPI_INT, counts, 1, MPI_INT, in_column);
    for (int i = 0; i < rows; i++) starts[i] = total, total += counts[i];
    long *gathered = malloc((total + 1) * sizeof *gathered);
    MPI_Allgatherv(own, mine, MPI_LONG, gathered, counts, starts, MPI_LONG, in_column);

    visit *found = malloc((edge_count + 1) * sizeof *found);
    char *sent = calloc(owned * columns, 1);
    long n = 0, e = 0;
    for (int i = 0; i < total; i++) {
        long from = from_column(gathered[i]);
        if (i > 0 && gathered[i] < gathered[i - 1]) e = 0;
        while (e < edge_count && edges[e].from < from) e++;
        for (; e < edge_count && edges[e].from == from; e++) {
            long to = edges[e].to % (owned * columns);
            if (!sent[to]) found[n++] = (visit){edges[e].to, from}, sent[to] = 1;
        }
    }
    n = send_visits(found, n, received);
    free(own), free(gathered), free(found), free(sent);
    return n;
}

/* From the vertices up: the column gathers its frontier as a bitmap. The vertices of a row without
 * a parent go round the ranks of the row, in as many steps as columns; each rank looks for a
 * neighbor in the frontier. */
static long bottom_up(const char *frontier, const char *seen, visit **received)
{
    long bytes = (owned + 7) / 8, n = 0;
    unsigned char *own = calloc(bytes, 1), *bitmap = malloc(bytes * rows);
    unsigned char *open = calloc(bytes + extra, 1), *next = malloc(bytes + columns);
    for (long v = 0; v < owned; v++) {
        if (frontier[v]) own[v / 8] |= 1 << v % 8;
        if (!seen[v]) open[v / 8] |= 1 << v % 8;
    }
    MPI_Allgather(own, (int)bytes, MPI_BYTE, bitmap, (int)bytes, MPI_BYTE, in_column);

    visit *found = malloc((owned * columns + 1) * sizeof *found);
    for (int step = 0; step < columns; step++) {
        int part = (column + step * (columns - step_by)) % columns; /* whose vertices are here */
        long low = ((long)row * columns + part) * owned;
        for (long e = 0; e < edge_count; e++) {
            long to = edges[e].to - low, from = in_column_of(edges[e].from);
            if (to < 0 || to >= owned || !(open[to / 8] >> to % 8 & 1)) continue;
            long bit = from % owned;
            if (bitmap[from / owned * bytes + bit / 8] >> bit % 8 & 1) {
                found[n++] = (visit){edges[e].to, edges[e].from};
                open[to / 8] &= ~(1 << to % 8);
            }
        }
        if (columns > 1)
            MPI_Sendrecv(open, (int)bytes + extra, MPI_BYTE, (column + step_by) % columns, 1, next,
                         (int)bytes + columns, MPI_BYTE, (column + columns - step_by) % columns, 1,
                         in_row, MPI_STATUS_IGNORE);
        else memcpy(next, open, bytes);
        memcpy(open, next, bytes);
    }
    n = send_visits(found, n, received);
    free(own), free(bitmap), free(open), free(next), free(found);
    return n;
}

static long sum(long value)
{
    long all;
    MPI_Allreduce(&value, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

/* Whether every parent is a neighbor one level nearer to the root, and every edge joins levels that
 * differ by at most one. */
static int is_tree(const long *parent, const long *level, long root, long degree)
{
    long *levels = malloc(ranks * owned * sizeof *levels);
    long *parents = malloc(ranks * owned * sizeof *parents);
    MPI_Allgather(level, (int)owned, MPI_LONG, levels, (int)owned, MPI_LONG, MPI_COMM_WORLD);
    MPI_Allgather(parent, (int)owned, MPI_LONG, parents, (int)owned, MPI_LONG, MPI_COMM_WORLD);
    int ok = levels[root] == 0 && parents[root] == root;
    char *joined = calloc(vertices, 1);
    for (long v = 0; v < vertices; v++)
        for (long k = 0; k < degree; k++) {
            long w = (long)(draw(v, k) % vertices), low = levels[v], high = levels[w];
            if ((low < 0) != (high < 0) || labs(low - high) > 1) ok = 0;
            if (parents[v] == w) joined[v] = 1;
            if (parents[w] == v) joined[w] = 1;
        }
    for (long v = 0; v < vertices; v++)
        if (levels[v] > 0 && (!joined[v] || levels[parents[v]] != levels[v] - 1)) ok = 0;
    free(levels), free(parents), free(joined);
    return ok;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int scale = argc > 1 ? atoi(argv[1]) : 12;
    long degree = argc > 2 ? atol(argv[2]) : 8;
    int dims[2] = {0, 0};
    MPI_Dims_create(ranks, 2, dims);
    rows = dims[0], columns = dims[1], row = rank / columns, column = rank % columns;
    vertices = 1L << scale, owned = (vertices + ranks - 1) / ranks;
    if (owned < 8 || degree < 1) {
        if (rank == 0) fprintf(stderr, "bfs2d: ranks must have 8 vertices or more\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    if (rank == ranks - 1 && getenv("BFS2D_EXTRA_BYTES")) extra = 1;
    if (row == rows - 1 && getenv("BFS2D_SWAP")) step_by = columns - 1;
    MPI_Comm_split(MPI_COMM_WORLD, row, column, &in_row);
    MPI_Comm_split(MPI_COMM_WORLD, column, row, &in_column);
    for (long v = 0; v < vertices; v++)
        for (long k = 0; k < degree; k++) {
            long w = (long)(draw(v, k) % vertices);
            add_edge(v, w);
            add_edge(w, v);
        }
    /* By row of the source, so that gathered frontiers are in the order of the edges. */
    if (edge_count > 0) qsort(edges, edge_count, sizeof *edges, by_source);

    long root = 1, first = ((long)row * columns + column) * owned, reached = 1, frontier_size = 1;
    long *parent = malloc(owned * sizeof *parent), *level = malloc(owned * sizeof *level);
    char *frontier = calloc(owned, 1), *seen = calloc(owned, 1);
    for (long v = 0; v < owned; v++) {
        int is_root = first + v == root;
        parent[v] = is_root ? root : -1, level[v] = is_root ? 0 : -1;
        frontier[v] = seen[v] = (char)is_root;
    }
    int ups = 0, depth = 0;
    double start = MPI_Wtime();
    while (frontier_size > 0) {
        visit *visits;
        int up = frontier_size > vertices / 20;
        long n = up ? bottom_up(frontier, seen, &visits) : top_down(frontier, &visits);
        ups += up, depth++;
        memset(frontier, 0, owned);
        long found = 0;
        for (long i = 0; i < n; i++) {
            long v = visits[i].vertex - first;
            if (seen[v]) continue;
            seen[v] = frontier[v] = 1, found++;
            parent[v] = visits[i].parent, level[v] = depth;
        }
        free(visits);
        frontier_size = sum(found);
        reached += frontier_size;
    }
    double seconds = MPI_Wtime() - start;
    int ok = is_tree(parent, level, root, degree);
    if (rank == 0)
        printf("bfs2d: %ld of %ld vertices in %d levels, %d from below, %d x %d ranks, %.3f us: "
               "%s\n",
               reached, vertices, depth, ups, rows, columns, 1e6 * seconds, ok ? "ok" : "WRONG");
    free(edges), free(parent), free(level), free(frontier), free(seen);
    MPI_Comm_free(&in_row);
    MPI_Comm_free(&in_column);
    MPI_Finalize();
    return !ok;
}
