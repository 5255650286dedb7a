/* A storm of collectives: every kind, blocking, non-blocking and persistent, on random
 * communicators, with random datatypes, roots, sizes and displacements, in place or not, several
 * pending at once and mixed with messages.
 *
 *     collective SEED ROUNDS
 *
 * The seed determines everything. Rank 0 prints one hash per round, of every byte of every receive
 * buffer, holes and margins included. MPI defines all these bytes, so two MPI libraries must print
 * the same lines. Values are integers, or doubles with integer values. The operator that does not
 * commute, the product of 2x2 matrices modulo 2^32, is associative.
 *
 * Parameters that ranks must agree on are drawn from generators with a common seed. Local
 * parameters (datatypes, displacements, method of completion) are drawn from one of the rank.
 */
#include "collective.h"

/* ------------------------------------------------------------------ one call */

enum Kind {
    BARRIER, BCAST, GATHER, GATHERV, SCATTER, SCATTERV, ALLGATHER, ALLGATHERV, ALLTOALL, ALLTOALLV,
    ALLTOALLW, REDUCE, ALLREDUCE, REDUCE_SCATTER, REDUCE_SCATTER_BLOCK, INTER_KINDS,
    SCAN = INTER_KINDS, EXSCAN, INTRA_KINDS,
    N_ALLGATHER = INTRA_KINDS, N_ALLGATHERV, N_ALLTOALL, N_ALLTOALLV, N_ALLTOALLW, KINDS
};
enum Form { BLOCKING, NON_BLOCKING, PERSISTENT };

/* Data to or from a list of peers. */
typedef struct {
    int n;
    int *counts, *places; /* in items; alltoallw: displacements in bytes */
    MPI_Aint *far;        /* the same displacements for neighbors */
    MPI_Datatype *types;
    Shape shape;
    Area area;
} Side;

typedef struct {
    enum Kind kind;
    enum Form form;
    Place *place;
    uint64_t number; /* of the call, the same on all members */
    int base, dense, root, in_place, values;
    Reduction *reduction;
    Side give, take;
    int takes; /* whether this rank receives data */
    MPI_Request request;
} Call;

/* Number of grains from `i` to `j`: the same on all ranks. */
static int grains(const Call *c, int i, int j) {
    Draws rng = {fold(c->number, fold((uint64_t)i, (uint64_t)j))};
    Draws common = {fold(c->number, 77)};
    switch (below(&common, 8)) {
    case 0: return 0;
    case 1: return below(&rng, 2) ? 0 : below(&rng, 4);
    case 2: return below(&rng, 300);
    case 3: return below(&common, 30) ? below(&rng, 100) : 400 + below(&rng, 100);
    default: return below(&rng, 8);
    }
}

static Side side(const Call *c, int n, Draws *own) {
    int shape = below(own, c->dense ? DENSE : SHAPES);
    Side s = {n, NULL, NULL, NULL, NULL, shapes[c->base][shape], {NULL, NULL, 0}};
    size_t room = (size_t)n + 1;
    s.counts = need(room * sizeof *s.counts), s.places = need(room * sizeof *s.places);
    s.far = need(room * sizeof *s.far), s.types = need(room * sizeof *s.types);
    if (c->reduction) s.shape = c->reduction->shape;
    return s;
}
static void free_side(Side *s) {
    free(s->counts), free(s->places), free(s->far), free(s->types), free(s->area.memory);
}

/* Consecutive blocks, as calls without displacements require. */
static void even(Side *s, int amount) {
    int items = amount * GRAIN / s->shape.elements;
    for (int i = 0; i < s->n; i++) s->counts[i] = items;
    if (s->n == 0) s->counts[0] = items;
    s->area = area((size_t)(s->n * items) * (size_t)s->shape.extent + (size_t)s->shape.reach);
}

/* Blocks in any order, with gaps. `amounts` are grains. */
static void uneven(Side *s, const int *amounts, Draws *own) {
    int at = 0, first = s->n ? below(own, s->n) : 0, step = below(own, 2) ? 1 : s->n - 1;
    for (int k = 0, i = first; k < s->n; k++, i = (i + step) % s->n) {
        at += below(own, 3);
        s->counts[i] = amounts[i] * GRAIN / s->shape.elements;
        s->places[i] = at;
        at += s->counts[i];
    }
    s->area = area((size_t)at * (size_t)s->shape.extent + (size_t)s->shape.reach);
}

/* The same with a type for each block, and displacements in bytes. */
static void unlike(Side *s, const int *amounts, int base, Draws *own) {
    MPI_Aint at = 0;
    for (int i = 0; i < s->n; i++) {
        Shape *shape = &shapes[base][below(own, SHAPES)];
        s->types[i] = shape->type;
        s->counts[i] = amounts[i] * GRAIN / shape->elements;
        s->far[i] = at, s->places[i] = (int)at;
        at += s->counts[i] * shape->extent + shape->reach;
        at = (at + 15) / 16 * 16;
    }
    s->area = area((size_t)at);
}


/* Number of ranks to and from which this rank sends and receives. */
static int peers(const Place *p) { return p->remote ? p->remote : p->size; }

/* Grains that this rank sends to a peer, and receives from it. */
static int gives(const Call *c, int to) {
    int mine = c->place->rank, side = c->place->group;
    switch (c->kind) {
    case GATHERV: case ALLGATHERV: case N_ALLGATHERV: return grains(c, mine, 100 + side);
    case SCATTERV: return grains(c, to, 200);
    case ALLTOALLV: case ALLTOALLW:
        return c->in_place ? grains(c, least(mine, to), mine + to)
                           : grains(c, mine + 300 * side, to);
    case N_ALLTOALLV: case N_ALLTOALLW: return grains(c, mine, to);
    default: return grains(c, 0, 400 + side);
    }
}
static int takes(const Call *c, int from) {
    int mine = c->place->rank, other = c->place->remote ? 1 - c->place->group : 0;
    switch (c->kind) {
    case GATHERV: case ALLGATHERV: case N_ALLGATHERV: return grains(c, from, 100 + other);
    case SCATTERV: return grains(c, mine, 200);
    case ALLTOALLV: case ALLTOALLW:
        return c->in_place ? grains(c, least(mine, from), mine + from)
                           : grains(c, from + 300 * other, mine);
    case N_ALLTOALLV: case N_ALLTOALLW: return grains(c, from, mine);
    default: return grains(c, 0, 400 + other);
    }
}

/* Lays out one side: `n` blocks, from or to `peer` (or all in order). */
static Side laid_out(Call *c, int n, const int *peer, int (*amount)(const Call *, int), Draws *own) {
    Side s = side(c, n, own);
    int *all = need(sizeof(int) * (size_t)(n + 1));
    all[0] = 0;
    for (int i = 0; i < n; i++) all[i] = amount(c, peer ? peer[i] : i);
    switch (c->kind) {
    case GATHERV: case SCATTERV: case ALLGATHERV: case ALLTOALLV: case N_ALLGATHERV:
    case N_ALLTOALLV: uneven(&s, all, own); break;
    case ALLTOALLW: case N_ALLTOALLW: unlike(&s, all, c->base, own); break;
    default: even(&s, amount(c, 0)); break;
    }
    free(all);
    return s;
}

/* The only block of a rank that sends to, or receives from, one rank, or all ranks equally. */
static Side single(Call *c, int amount, Draws *own) {
    Side s = side(c, 1, own);
    even(&s, amount);
    return s;
}

/* Vectors of a reduction: `n` items. */
static Side vector(Call *c, int n, Draws *own) {
    Side s = side(c, 1, own);
    s.counts[0] = n;
    s.area = area((size_t)n * (size_t)s.shape.extent);
    return s;
}

enum { IDLE, ROOT, LEAF };

/* The role of this rank; sets `root` of the call. */
static int draw_root(Call *c, Draws *common) {
    Place *p = c->place;
    int group = below(common, 2), rank = (int)(draw(common) >> 33);
    if (!p->remote) {
        c->root = rank % p->size;
        return c->root == p->rank ? ROOT : LEAF;
    }
    if (group != p->group) {
        c->root = rank % p->remote;
        return LEAF;
    }
    int is_root = rank % p->size == p->rank;
    c->root = is_root ? MPI_ROOT : MPI_PROC_NULL;
    return is_root ? ROOT : IDLE;
}

static void prepare_rooted(Call *c, Draws *common, Draws *own) {
    int role = draw_root(c, common), n = peers(c->place), mine = c->place->rank;
    int up = c->kind == GATHER || c->kind == GATHERV, inside = !c->place->remote;
    c->in_place = inside && role == ROOT && below(own, 2);
    if (c->kind == BCAST) {
        c->take = single(c, grains(c, 0, 0), own);
        c->takes = role == LEAF;
        return;
    }
    if (role == ROOT) {
        Side many = laid_out(c, n, NULL, up ? takes : gives, own);
        /* The block of the root itself, or of another rank. */
        c->take = up ? many : single(c, takes(c, mine), own);
        c->give = up ? single(c, gives(c, mine), own) : many;
        c->takes = up || (inside && !c->in_place);
    } else {
        c->give = single(c, up && role == LEAF ? gives(c, mine) : 0, own);
        c->take = single(c, !up && role == LEAF ? takes(c, mine) : 0, own);
        c->takes = !up && role == LEAF;
    }
}

static void prepare_moves(Call *c, Draws *common, Draws *own) {
    Place *p = c->place;
    int n = peers(p), one = 0;
    c->in_place = !p->remote && c->kind < INTER_KINDS && below(common, 4) == 0;
    c->takes = 1;
    one = c->kind == ALLGATHER || c->kind == ALLGATHERV || c->kind == N_ALLGATHER ||
          c->kind == N_ALLGATHERV;
    if (c->kind >= N_ALLGATHER) {
        c->take = laid_out(c, p->indegree, p->sources, takes, own);
        c->give = one ? single(c, gives(c, p->rank), own)
                      : laid_out(c, p->outdegree, p->targets, gives, own);
        return;
    }
    c->take = laid_out(c, n, NULL, takes, own);
    c->give = one ? single(c, gives(c, p->rank), own) : laid_out(c, n, NULL, gives, own);
}

static void prepare_reduction(Call *c, Draws *common, Draws *own) {
    Place *p = c->place;
    int scatters = c->kind == REDUCE_SCATTER || c->kind == REDUCE_SCATTER_BLOCK;
    /* Those of the reference write beyond their own buffers if the type has holes. */
    int choices = scatters ? HOLED : REDUCTIONS;
    c->reduction = &reductions[below(common, choices)];
    c->values = c->reduction->kind;
    int role = c->kind == REDUCE ? draw_root(c, common) : IDLE;
    int n = below(common, 4) ? below(common, 20) : below(common, 1500), mine = n;
    int own_choice = below(own, 2), choice = below(common, 3) == 0;
    c->in_place = !p->remote && (c->kind == REDUCE ? role == ROOT && own_choice : choice);
    c->takes = c->kind == REDUCE ? role == ROOT : !(c->kind == EXSCAN && p->rank == 0);
    if (c->kind == REDUCE_SCATTER_BLOCK) {
        mine = n % 50 * (p->remote ? p->remote : 1);
        n = mine * p->size;
    }
    c->give = vector(c, n, own);
    /* In place, the receive buffer holds the whole vector. */
    c->take = vector(c, n, own);
    c->take.counts[0] = mine;
    if (c->kind == REDUCE_SCATTER) {
        /* Blocks of the rank's own group, n in total. */
        Draws lengths = {fold(c->number, 500 + (uint64_t)p->group)};
        free(c->take.counts);
        c->take.counts = need(sizeof(int) * (size_t)p->size);
        for (int i = 0, rest = n; i < p->size; i++) {
            int last = i == p->size - 1;
            c->take.counts[i] = last ? rest : below(&lengths, 3) ? below(&lengths, rest + 1) : 0;
            rest -= c->take.counts[i];
        }
    }
}

/* ------------------------------------------------------------------ calling */

#define CALL(Name, name, ...)                                                        \
    (c->form == BLOCKING       ? MPI_##Name(__VA_ARGS__)                              \
     : c->form == NON_BLOCKING ? MPI_I##name(__VA_ARGS__, &c->request)                \
                               : MPI_##Name##_init(__VA_ARGS__, MPI_INFO_NULL, &c->request))

static void call_rooted(Call *c) {
    Side *g = &c->give, *t = &c->take;
    MPI_Comm comm = c->place->comm;
    MPI_Datatype gt = g->shape.type, tt = t->shape.type;
    int up = c->kind == GATHER || c->kind == GATHERV, root = c->root;
    void *from = up && c->in_place ? MPI_IN_PLACE : g->area.at;
    void *into = !up && c->in_place ? MPI_IN_PLACE : t->area.at;
    int *gc = g->counts, *gp = g->places, *tc = t->counts, *tp = t->places;
    switch (c->kind) {
    case BCAST: CALL(Bcast, bcast, t->area.at, tc[0], tt, root, comm); break;
    case GATHER: CALL(Gather, gather, from, gc[0], gt, into, tc[0], tt, root, comm); break;
    case GATHERV: CALL(Gatherv, gatherv, from, gc[0], gt, into, tc, tp, tt, root, comm); break;
    case SCATTER: CALL(Scatter, scatter, from, gc[0], gt, into, tc[0], tt, root, comm); break;
    default: CALL(Scatterv, scatterv, from, gc, gp, gt, into, tc[0], tt, root, comm); break;
    }
}

static void call_moves(Call *c) {
    Side *g = &c->give, *t = &c->take;
    MPI_Comm comm = c->place->comm;
    MPI_Datatype gt = g->shape.type, tt = t->shape.type, *gts = g->types, *tts = t->types;
    void *from = c->in_place ? MPI_IN_PLACE : g->area.at, *into = t->area.at;
    int *gc = g->counts, *gp = g->places, *tc = t->counts, *tp = t->places;
    MPI_Aint *gf = g->far, *tf = t->far;
    switch (c->kind) {
    case ALLGATHER: CALL(Allgather, allgather, from, gc[0], gt, into, tc[0], tt, comm); break;
    case ALLGATHERV: CALL(Allgatherv, allgatherv, from, gc[0], gt, into, tc, tp, tt, comm); break;
    case ALLTOALL: CALL(Alltoall, alltoall, from, gc[0], gt, into, tc[0], tt, comm); break;
    case ALLTOALLV: CALL(Alltoallv, alltoallv, from, gc, gp, gt, into, tc, tp, tt, comm); break;
    case ALLTOALLW: CALL(Alltoallw, alltoallw, from, gc, gp, gts, into, tc, tp, tts, comm); break;
    case N_ALLGATHER:
        CALL(Neighbor_allgather, neighbor_allgather, from, gc[0], gt, into, tc[0], tt, comm);
        break;
    case N_ALLGATHERV:
        CALL(Neighbor_allgatherv, neighbor_allgatherv, from, gc[0], gt, into, tc, tp, tt, comm);
        break;
    case N_ALLTOALL:
        CALL(Neighbor_alltoall, neighbor_alltoall, from, gc[0], gt, into, tc[0], tt, comm);
        break;
    case N_ALLTOALLV:
        CALL(Neighbor_alltoallv, neighbor_alltoallv, from, gc, gp, gt, into, tc, tp, tt, comm);
        break;
    default:
        CALL(Neighbor_alltoallw, neighbor_alltoallw, from, gc, gf, gts, into, tc, tf, tts, comm);
        break;
    }
}

static void call_reduction(Call *c) {
    int n = c->give.counts[0], *lengths = c->take.counts;
    MPI_Comm comm = c->place->comm;
    MPI_Datatype type = c->give.shape.type;
    MPI_Op op = c->reduction->op;
    void *from = c->in_place ? MPI_IN_PLACE : c->give.area.at, *into = c->take.area.at;
    switch (c->kind) {
    case REDUCE: CALL(Reduce, reduce, from, into, n, type, op, c->root, comm); break;
    case ALLREDUCE: CALL(Allreduce, allreduce, from, into, n, type, op, comm); break;
    case REDUCE_SCATTER:
        CALL(Reduce_scatter, reduce_scatter, from, into, lengths, type, op, comm);
        break;
    case REDUCE_SCATTER_BLOCK:
        CALL(Reduce_scatter_block, reduce_scatter_block, from, into, lengths[0], type, op, comm);
        break;
    case SCAN: CALL(Scan, scan, from, into, n, type, op, comm); break;
    default: CALL(Exscan, exscan, from, into, n, type, op, comm); break;
    }
}

static int is_rooted(enum Kind k) { return k >= BCAST && k <= SCATTERV; }
static int is_reduction(enum Kind k) {
    return (k >= REDUCE && k <= REDUCE_SCATTER_BLOCK) || k == SCAN || k == EXSCAN;
}

/* Fills the buffers before every start of a persistent call. */
static void refill(Call *c, uint64_t time) {
    uint64_t key = fold(fold(c->number, time), (uint64_t)me);
    if (c->give.area.memory) fill_values(&c->give.area, c->values, key);
    if (c->take.area.memory) fill_values(&c->take.area, c->values, fold(key, 1));
}

static void prepare(Call *c, Place *place, enum Form form, uint64_t number) {
    *c = (Call){.form = form, .place = place, .number = fold(number, place->id)};
    c->request = MPI_REQUEST_NULL;
    Draws common = {fold(c->number, 2)}, own = {fold(c->number, 3 + (uint64_t)me)};
    int kinds = place->remote ? INTER_KINDS : place->sources ? KINDS : INTRA_KINDS;
    c->kind = (enum Kind)below(&common, kinds);
    if (place->sources && below(&common, 2)) c->kind = N_ALLGATHER + below(&common, 5);
    /* On intercommunicators the reference loses data or fails in these: in the first two its groups
     * may choose different algorithms, in the others the non-blocking forms are wrong. */
    if (place->remote && c->kind == GATHER) c->kind = GATHERV;
    if (place->remote && c->kind == SCATTER) c->kind = SCATTERV;
    if (place->remote && form != BLOCKING && c->kind == ALLGATHERV) c->kind = ALLGATHER;
    if (place->remote && form != BLOCKING && c->kind == BCAST) c->kind = SCATTERV;
    c->base = below(&common, BASES);
    /* The reference's non-blocking forms of these lose part of the received data, or write beyond
     * it, if the type has holes. Observed with MPICH 5.0. */
    c->dense = form != BLOCKING && c->kind >= BCAST && c->kind <= ALLGATHERV;
    /* The reference's ring algorithm fails on types with holes. */
    if (c->kind == ALLGATHERV) c->dense = 1;
    /* Its trees and rings of these confuse members of structs, even if they block. */
    if (c->kind >= BCAST && c->kind <= ALLGATHERV) c->base %= DENSE_BASES;
    if (is_reduction(c->kind)) prepare_reduction(c, &common, &own);
    else if (is_rooted(c->kind)) prepare_rooted(c, &common, &own);
    else if (c->kind != BARRIER) prepare_moves(c, &common, &own);
    refill(c, 0);
}

static void begin(Call *c) {
    MPI_Comm comm = c->place->comm;
    if (is_reduction(c->kind)) call_reduction(c);
    else if (is_rooted(c->kind)) call_rooted(c);
    else if (c->kind != BARRIER) call_moves(c);
    else if (c->form == BLOCKING) MPI_Barrier(comm);
    else if (c->form == NON_BLOCKING) MPI_Ibarrier(comm, &c->request);
    else MPI_Barrier_init(comm, MPI_INFO_NULL, &c->request);
    if (c->form == PERSISTENT) MPI_Start(&c->request);
}

static uint64_t received(const Call *c, uint64_t hash) {
    return c->takes ? fold_bytes(hash, c->take.area.memory, c->take.area.bytes) : hash;
}

/* ------------------------------------------------------------------ a round */

enum { CALLS = 6, MESSAGES = 4 };

typedef struct {
    Area area;
    int arrives;
} Message;

/* Completes all requests by one of the available calls. */
static void complete(MPI_Request *all, int n, Draws *own) {
    int index, some[2 * MESSAGES + CALLS], flag = 0, count;
    switch (below(own, 5)) {
    case 0:
        do MPI_Waitany(n, all, &index, MPI_STATUS_IGNORE);
        while (index != MPI_UNDEFINED);
        break;
    case 1:
        do MPI_Waitsome(n, all, &count, some, MPI_STATUSES_IGNORE);
        while (count != MPI_UNDEFINED);
        break;
    case 2:
        /* Not MPI_Testall: a second call of the reference's reports errors on completed requests. */
        do MPI_Testany(n, all, &index, &flag, MPI_STATUS_IGNORE);
        while (!flag || index != MPI_UNDEFINED);
        break;
    case 3:
        for (int i = n - 1; i >= 0; i--)
            for (flag = 0; !flag;) MPI_Test(&all[i], &flag, MPI_STATUS_IGNORE);
        break;
    default: MPI_Waitall(n, all, MPI_STATUSES_IGNORE); break;
    }
}

/* Messages between random ranks; requests are appended. */
static int exchange(Draws *common, Message *messages, int n, MPI_Request *all, Draws *own) {
    int pending = 0;
    for (int i = 0; i < n; i++) {
        int from = below(common, world_size), to = below(common, world_size);
        int base = below(common, BASES), amount = below(common, 60);
        Call any = {.base = base};
        for (int out = 0; out < 2; out++) {
            if (me != (out ? from : to)) continue;
            Side s = single(&any, amount, own);
            fill_values(&s.area, 0, fold(draw(own), (uint64_t)out));
            if (out) fill_values(&s.area, 0, fold(common->state, 5));
            messages[2 * i + out] = (Message){s.area, !out};
            MPI_Request *request = &all[pending++];
            MPI_Comm all_of_us = MPI_COMM_WORLD;
            if (out) MPI_Isend(s.area.at, s.counts[0], s.shape.type, to, i, all_of_us, request);
            else MPI_Irecv(s.area.at, s.counts[0], s.shape.type, from, i, all_of_us, request);
            s.area.memory = NULL;
            free_side(&s);
        }
    }
    return pending;
}

/* Starts the calls: in order, or, if none blocks, in an order of this rank that keeps the order on
 * each communicator. */
static void begin_all(Call *calls, int n, int free_order, Draws *own) {
    int begun[CALLS] = {0};
    for (int left = n; left > 0; left--) {
        int pick = 0, skip = free_order ? below(own, left) : 0;
        for (int i = 0; i < n; i++)
            if (!begun[i] && (skip-- <= 0)) {
                pick = i;
                break;
            }
        for (int i = 0; i < pick; i++)
            if (!begun[i] && calls[i].place == calls[pick].place) {
                pick = i;
                break;
            }
        begun[pick] = 1;
        if (calls[pick].place->comm != MPI_COMM_NULL) begin(&calls[pick]);
    }
}

static uint64_t run(uint64_t round) {
    Draws common = {fold(seed, fold(2, round))}, own = {fold(common.state, (uint64_t)me)};
    int n = 1 + below(&common, CALLS), free_order = below(&common, 2), pending, calls_at;
    int n_messages = below(&common, MESSAGES + 1);
    Call calls[CALLS];
    Message messages[2 * MESSAGES] = {{{NULL, NULL, 0}, 0}};
    MPI_Request all[2 * MESSAGES + CALLS];
    uint64_t hash = fold(7, round);
    for (int i = 0; i < n; i++) {
        Place *place = &places[below(&common, SLOTS)];
        /* Initialization of a persistent call may wait for other ranks, like a blocking call. */
        enum Form form = free_order ? NON_BLOCKING : below(&common, 3);
        uint64_t number = fold(round, (uint64_t)i + 9);
        calls[i] = (Call){.place = place, .request = MPI_REQUEST_NULL};
        if (place->comm != MPI_COMM_NULL) prepare(&calls[i], place, form, fold(seed, number));
    }
    pending = exchange(&common, messages, n_messages, all, &own);
    begin_all(calls, n, free_order, &own);
    calls_at = pending;
    for (int i = 0; i < n; i++) all[pending++] = calls[i].request;
    complete(all, pending, &own);
    for (int i = 0; i < n; i++) {
        calls[i].request = all[calls_at + i];
        if (calls[i].place->comm != MPI_COMM_NULL) hash = received(&calls[i], hash);
    }
    /* Persistent calls are started a second time. */
    for (int i = 0; i < n; i++) {
        Call *c = &calls[i];
        if (c->place->comm == MPI_COMM_NULL || c->form != PERSISTENT) continue;
        refill(c, 1);
        MPI_Start(&c->request);
        MPI_Wait(&c->request, MPI_STATUS_IGNORE);
        hash = received(c, hash);
        MPI_Request_free(&c->request);
    }
    for (int i = 0; i < n; i++) free_side(&calls[i].give), free_side(&calls[i].take);
    for (int i = 0; i < 2 * n_messages; i++) {
        Area *a = &messages[i].area;
        if (messages[i].arrives) hash = fold_bytes(hash, a->memory, a->bytes);
        free(a->memory);
    }
    return hash;
}

enum { EPOCH = 10 };

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    if (argc != 3) DIE("collective SEED ROUNDS");
    seed = strtoull(argv[1], NULL, 10);
    uint64_t rounds = strtoull(argv[2], NULL, 10);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    uint64_t *hashes = need(sizeof(uint64_t) * (size_t)world_size);
    make_types();
    make_reductions();
    for (uint64_t round = 0; round < rounds; round++) {
        if (round % EPOCH == 0) make_places(round / EPOCH);
        uint64_t mine = run(round);
        MPI_Gather(&mine, 1, MPI_UINT64_T, hashes, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
        if (me == 0) {
            uint64_t all = 0;
            for (int i = 0; i < world_size; i++) all = fold(all, hashes[i]);
            printf("%llu %016llx\n", (unsigned long long)round, (unsigned long long)all);
            fflush(stdout);
        }
        if (round % EPOCH == EPOCH - 1 || round == rounds - 1) free_places();
    }
    free_reductions();
    free_types();
    free(hashes);
    MPI_Finalize();
    return 0;
}
