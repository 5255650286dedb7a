/* Random choices of the storm of collectives: datatypes, operators, memory, communicators. */
#ifndef COLLECTIVE_H
#define COLLECTIVE_H

#include "storm.h"

static int least(int a, int b) { return a < b ? a : b; }

static uint64_t seed;
static int me, world_size;

/* ------------------------------------------------------------------ datatypes */

/* Without holes: the first ones. */
enum { SHAPES = 9, BASES = 4, DENSE = 2, DENSE_BASES = 3 };
/* Items of any shape consist of 1, 2, 3, 4 or 6 base elements, all of which divide this number. */
enum { GRAIN = 12 };

typedef struct {
    MPI_Datatype type;
    int elements; /* of the base */
    MPI_Aint extent, reach; /* reach: end of the data of one item */
} Shape;

static Shape shapes[BASES][SHAPES];

static void finish(Shape *shape, int elements) {
    MPI_Aint lb, true_lb, true_extent;
    MPI_Type_commit(&shape->type);
    MPI_Type_get_extent(shape->type, &lb, &shape->extent);
    MPI_Type_get_true_extent(shape->type, &true_lb, &true_extent);
    shape->elements = elements;
    shape->reach = true_lb + true_extent;
}

/* A base type and types derived from it: gaps, overlapping extents, parts out of order. */
static void make_shapes(Shape *all, MPI_Datatype base) {
    MPI_Aint lb, extent, places[2];
    int lengths[2] = {2, 1}, items[2] = {3, 1}, sizes[2] = {2, 5}, part[2] = {2, 2}, at[2] = {0, 2};
    MPI_Datatype two[2] = {base, base};
    MPI_Type_get_extent(base, &lb, &extent);
    MPI_Type_dup(base, &all[0].type);
    finish(&all[0], 1);
    MPI_Type_contiguous(2, base, &all[1].type);
    finish(&all[1], 2);
    MPI_Type_vector(3, 2, 4, base, &all[2].type);
    finish(&all[2], 6);
    MPI_Type_indexed(2, lengths, items, base, &all[3].type);
    finish(&all[3], 3);
    MPI_Type_create_resized(base, 0, 3 * extent, &all[4].type);
    finish(&all[4], 1);
    places[0] = 4 * extent, places[1] = extent;
    MPI_Type_create_struct(2, lengths, places, two, &all[5].type);
    finish(&all[5], 3);
    MPI_Type_create_subarray(2, sizes, part, at, MPI_ORDER_C, base, &all[6].type);
    finish(&all[6], 4);
    MPI_Type_create_hvector(2, 1, 3 * extent, all[1].type, &all[7].type);
    finish(&all[7], 4);
    MPI_Type_create_resized(all[1].type, -extent, 5 * extent, &all[8].type);
    finish(&all[8], 2);
}

static void make_types(void) {
    int lengths[2] = {1, 1};
    MPI_Aint places[2] = {0, 8};
    MPI_Datatype parts[2] = {MPI_INT32_T, MPI_DOUBLE}, odd, mixed;
    MPI_Type_create_struct(2, lengths, places, parts, &odd);
    MPI_Type_create_resized(odd, 0, 24, &mixed);
    make_shapes(shapes[0], MPI_UINT32_T);
    make_shapes(shapes[1], MPI_INT64_T);
    make_shapes(shapes[2], MPI_DOUBLE);
    make_shapes(shapes[3], mixed);
    MPI_Type_free(&odd);
    MPI_Type_free(&mixed);
}

static void free_types(void) {
    for (int b = 0; b < BASES; b++)
        for (int s = 0; s < SHAPES; s++) MPI_Type_free(&shapes[b][s].type);
}

/* ------------------------------------------------------------------ operators */

/* inout = in * inout, matrices of which 2 words follow another 2 after `gap` words. */
static void multiply(uint32_t *in, uint32_t *inout, int n, int gap, int stride) {
    for (int i = 0; i < n; i++, in += stride, inout += stride) {
        uint32_t *c = in + 2 + gap, *d = inout + 2 + gap;
        uint32_t a0 = in[0] * inout[0] + in[1] * d[0], a1 = in[0] * inout[1] + in[1] * d[1];
        uint32_t b0 = c[0] * inout[0] + c[1] * d[0], b1 = c[0] * inout[1] + c[1] * d[1];
        inout[0] = a0, inout[1] = a1, d[0] = b0, d[1] = b1;
    }
}
static void dense(void *in, void *inout, int *n, MPI_Datatype *type) {
    (void)type;
    multiply(in, inout, *n, 0, 4);
}
static void holed(void *in, void *inout, int *n, MPI_Datatype *type) {
    (void)type;
    multiply(in, inout, *n, 1, 7);
}
/* Commutes: the sum, by a user-defined function on a type with holes. */
static void add_holed(void *in, void *inout, int *n, MPI_Datatype *type) {
    uint32_t *a = in, *b = inout;
    (void)type;
    for (int i = 0; i < *n; i++, a += 7, b += 7)
        b[0] += a[0], b[1] += a[1], b[3] += a[3], b[4] += a[4];
}

typedef struct {
    MPI_Op op;
    Shape shape;
    int kind; /* of values: 0 words, 1 int64, 2 double, 3 pairs of small ints */
} Reduction;

/* Operators from HOLED on combine types with holes. */
enum { REDUCTIONS = 22, HOLED = 20 };
static Reduction reductions[REDUCTIONS];

static void make_reductions(void) {
    MPI_Op words[] = {MPI_SUM, MPI_PROD, MPI_MAX,  MPI_MIN, MPI_BAND,
                      MPI_BOR, MPI_BXOR, MPI_LAND, MPI_LOR, MPI_LXOR};
    MPI_Op numbers[] = {MPI_SUM, MPI_MAX, MPI_MIN};
    int n = 0;
    Shape word = {MPI_UINT32_T, 1, 4, 4}, whole = {MPI_INT64_T, 1, 8, 8};
    Shape real = {MPI_DOUBLE, 1, 8, 8}, pair = {MPI_2INT, 1, 8, 8}, matrix, gapped;
    for (int i = 0; i < 10; i++) reductions[n++] = (Reduction){words[i], word, 0};
    for (int i = 0; i < 3; i++) reductions[n++] = (Reduction){numbers[i], whole, 1};
    for (int i = 0; i < 3; i++) reductions[n++] = (Reduction){numbers[i], real, 2};
    reductions[n++] = (Reduction){MPI_MAXLOC, pair, 3};
    reductions[n++] = (Reduction){MPI_MINLOC, pair, 3};
    MPI_Type_contiguous(4, MPI_UINT32_T, &matrix.type);
    finish(&matrix, 1);
    MPI_Datatype holes;
    MPI_Type_vector(2, 2, 3, MPI_UINT32_T, &holes);
    MPI_Type_create_resized(holes, 0, 28, &gapped.type);
    MPI_Type_free(&holes);
    finish(&gapped, 1);
    MPI_Op ops[3];
    MPI_Op_create(dense, 0, &ops[0]);
    MPI_Op_create(holed, 0, &ops[1]);
    MPI_Op_create(add_holed, 1, &ops[2]);
    reductions[n++] = (Reduction){ops[0], matrix, 0};
    reductions[n++] = (Reduction){ops[0], matrix, 0};
    reductions[n++] = (Reduction){ops[1], gapped, 0};
    reductions[n++] = (Reduction){ops[2], gapped, 0};
}

static void free_reductions(void) {
    MPI_Type_free(&reductions[18].shape.type);
    MPI_Type_free(&reductions[20].shape.type);
    MPI_Op_free(&reductions[18].op);
    MPI_Op_free(&reductions[20].op);
    MPI_Op_free(&reductions[21].op);
}

/* ------------------------------------------------------------------ buffers */

enum { MARGIN = 64 };

typedef struct {
    char *memory, *at;
    size_t bytes;
} Area;

static Area area(size_t bytes) {
    bytes = (bytes + 7) / 8 * 8;
    Area a = {need(bytes + 2 * MARGIN), NULL, bytes + 2 * MARGIN};
    a.at = a.memory + MARGIN;
    return a;
}
/* Values that are valid for every reduction, wherever in the area an item begins. */
static void fill_values(Area *a, int kind, uint64_t key) {
    Draws rng = {key};
    for (size_t i = 0; i < a->bytes / 8; i++) {
        uint64_t v = draw(&rng);
        double real = (double)(int)(v % 2001) - 1000;
        int64_t whole = (int64_t)(v % 2000001) - 1000000;
        int32_t pair[2] = {(int32_t)(v % 5), (int32_t)(v >> 32) % 100};
        if (kind == 1) memcpy(a->memory + 8 * i, &whole, 8);
        if (kind == 2) memcpy(a->memory + 8 * i, &real, 8);
        if (kind == 3) memcpy(a->memory + 8 * i, pair, 8);
        if (kind == 0) memcpy(a->memory + 8 * i, &v, 8);
    }
}

/* ------------------------------------------------------------------ communicators */

enum { WORLD, DUP, SPLIT, CREATED, CART, GRAPH, INTER, MERGED, SLOTS };

typedef struct {
    MPI_Comm comm; /* null if this rank is no member */
    uint64_t id;   /* seed of the members' common generators */
    int rank, size, remote; /* remote: size of the other group, 0 if there is none */
    int group;              /* which of the two this rank is in */
    int indegree, outdegree;
    int *sources, *targets;
} Place;

static Place places[SLOTS];

static void settle(int slot, MPI_Comm comm, uint64_t id) {
    Place *p = &places[slot];
    *p = (Place){comm, id, 0, 0, 0, 0, 0, 0, NULL, NULL};
    if (comm == MPI_COMM_NULL) return;
    int inter;
    MPI_Comm_rank(comm, &p->rank);
    MPI_Comm_size(comm, &p->size);
    MPI_Comm_test_inter(comm, &inter);
    if (inter) MPI_Comm_remote_size(comm, &p->remote);
}

static MPI_Comm some_of_world(Draws *rng) {
    MPI_Group all, some;
    MPI_Comm comm;
    int *ranks = need(sizeof(int) * (size_t)world_size), n = 1 + below(rng, world_size);
    for (int i = 0; i < world_size; i++) ranks[i] = i;
    for (int i = world_size - 1; i > 0; i--) {
        int j = below(rng, i + 1), swap = ranks[i];
        ranks[i] = ranks[j], ranks[j] = swap;
    }
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, n, ranks, &some);
    int mine, tag = below(rng, 100), with_group = below(rng, 2);
    MPI_Group_rank(some, &mine);
    comm = MPI_COMM_NULL;
    if (!with_group) MPI_Comm_create(MPI_COMM_WORLD, some, &comm);
    else if (mine != MPI_UNDEFINED) MPI_Comm_create_group(MPI_COMM_WORLD, some, tag, &comm);
    MPI_Group_free(&all);
    MPI_Group_free(&some);
    free(ranks);
    return comm;
}

static void make_cart(Draws *rng, uint64_t id) {
    int n = 1 + below(rng, 3), dims[3] = {0, 0, 0}, periods[3], used = 1;
    MPI_Comm comm;
    MPI_Dims_create(world_size - below(rng, least(2, world_size)), n, dims);
    for (int i = 0; i < n; i++) {
        used *= dims[i];
        /* Only since MPI 4.1 are rings of one and two ranks distinguishable. */
        periods[i] = dims[i] > 2 && below(rng, 2);
    }
    MPI_Cart_create(MPI_COMM_WORLD, n, dims, periods, 0, &comm);
    settle(CART, comm, id);
    Place *p = &places[CART];
    if (comm == MPI_COMM_NULL) return;
    p->indegree = p->outdegree = 2 * n;
    p->sources = need(sizeof(int) * 2 * (size_t)n);
    p->targets = need(sizeof(int) * 2 * (size_t)n);
    for (int i = 0; i < n; i++)
        MPI_Cart_shift(comm, i, 1, &p->sources[2 * i], &p->sources[2 * i + 1]);
    memcpy(p->targets, p->sources, sizeof(int) * 2 * (size_t)n);
}

/* Edges may be repeated, and may be loops. */
static void make_graph(Draws *rng, uint64_t id) {
    int edges = below(rng, 4 * world_size), in = 0, out = 0;
    int *from = need(sizeof(int) * (size_t)edges), *to = need(sizeof(int) * (size_t)edges);
    MPI_Comm comm;
    for (int i = 0; i < edges; i++) {
        int a = below(rng, world_size), b = below(rng, world_size);
        if (a == me) to[out++] = b;
        if (b == me) from[in++] = a;
    }
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, in, from, MPI_UNWEIGHTED, out, to,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
    settle(GRAPH, comm, id);
    Place *p = &places[GRAPH];
    p->indegree = in, p->outdegree = out, p->sources = from, p->targets = to;
}

static void make_inter(Draws *rng, uint64_t id) {
    int *side = need(sizeof(int) * (size_t)world_size), leaders[2] = {-1, -1};
    for (int i = 0; i < world_size; i++) side[i] = below(rng, 5) ? below(rng, 2) : MPI_UNDEFINED;
    int a = below(rng, world_size), b = (a + 1 + below(rng, world_size - 1)) % world_size;
    side[a] = 0, side[b] = 1;
    for (int i = world_size - 1; i >= 0; i--)
        if (side[i] != MPI_UNDEFINED) leaders[side[i]] = i;
    MPI_Comm group, inter = MPI_COMM_NULL, merged = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, side[me], 0, &group);
    int high = below(rng, 2), tag = below(rng, 100), mine = side[me];
    if (mine != MPI_UNDEFINED) {
        MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, leaders[1 - mine], tag, &inter);
        MPI_Intercomm_merge(inter, mine == high, &merged);
        MPI_Comm_free(&group);
    }
    settle(INTER, inter, id);
    places[INTER].group = mine;
    settle(MERGED, merged, fold(id, 1));
    free(side);
}

static void make_places(uint64_t epoch) {
    Draws rng = {fold(seed, fold(1, epoch))};
    MPI_Comm comm;
    settle(WORLD, MPI_COMM_WORLD, fold(epoch, WORLD));
    if (below(&rng, 2)) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    } else {
        MPI_Request request;
        MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    settle(DUP, comm, fold(epoch, DUP));
    uint64_t colors = 1 + (uint64_t)below(&rng, 3);
    int color = (int)(fold(draw(&rng), (uint64_t)me) % colors);
    MPI_Comm_split(MPI_COMM_WORLD, color, (int)(fold(draw(&rng), (uint64_t)me) % 7), &comm);
    settle(SPLIT, comm, fold(fold(epoch, SPLIT), (uint64_t)color));
    settle(CREATED, some_of_world(&rng), fold(epoch, CREATED));
    make_cart(&rng, fold(epoch, CART));
    make_graph(&rng, fold(epoch, GRAPH));
    if (world_size > 1) {
        make_inter(&rng, fold(epoch, INTER));
    } else {
        settle(INTER, MPI_COMM_NULL, 0);
        settle(MERGED, MPI_COMM_NULL, 0);
    }
}

static void free_places(void) {
    for (int i = 0; i < SLOTS; i++) {
        free(places[i].sources);
        free(places[i].targets);
        if (i != WORLD && places[i].comm != MPI_COMM_NULL) MPI_Comm_free(&places[i].comm);
    }
}

#endif
