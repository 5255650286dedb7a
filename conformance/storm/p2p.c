/* A storm of point-to-point messages: `p2p SEED ROUNDS [THREADS]`.
 *
 * Every rank draws the same plan of a round: messages with source, target, mode and method of
 * reception. Only defined behavior is planned, so every library must print the same: one hash per
 * round of all received data, statuses and untouched gaps included.
 *
 * A round, on every rank: post the early receives; send; receive what was not posted; complete what
 * is outstanding; exchange with partners; receive from any source. A blocking or ready send is only
 * planned where an early receive takes it, so no round can deadlock.
 *
 * With THREADS, as many threads run the storm concurrently, each on its own communicators. */
#include "storm.h"

#include <pthread.h>

enum { MAX_RANKS = 64, MAX_MESSAGES = 400, MAX_REQUESTS = 2 * MAX_MESSAGES };
enum { BSEND_MAX = 1 << 16, BSEND_ROOM = 1 << 26 };
/* Segment size of the reference in bytes. */
enum { SEGMENT = 4096 };
/* A tag that no message has. */
enum { UNSENT = 4321, EXCHANGE = 4322, CROWD = 5000 };

typedef enum { SEND, SSEND, BSEND, RSEND, ISEND, ISSEND, IBSEND, IRSEND, SEND_INIT, SSEND_INIT,
               BSEND_INIT, RSEND_INIT, PSEND } How;
typedef enum { IRECV, RECV_INIT, PRECV, RECV, PROBE, MPROBE, IPROBE, IMPROBE } Take;
typedef enum { FLAT, SPREAD, BACKWARD, INDEXED, BLOCKS, LAYOUTS } Layout;
typedef enum { BYTES, INTS, DOUBLES, PAIRS, BASES } Base;

typedef struct {
    int from, to, tag, id;
    How how;
    Take take;
    int any_source, any_tag;
    Base base;
    /* Elements sent, and room for them at the receiver. */
    int n, room;
    Layout out, in;
    int parts_out, parts_in;
    uint64_t key;
} Message;

/* Memory for items of a type. */
typedef struct {
    MPI_Datatype type;
    int count, is_made;
    unsigned char *memory, *at;
    size_t bytes;
} Items;

/* An operation under way. */
typedef struct {
    Items items;
    int id, receives, persists, partitions;
} Pending;

/* One thread's storm. */
typedef struct {
    int me, np, thread, rounds, threads;
    uint64_t seed;
    /* Communicators for receives with a source, with a tag, and with neither. */
    MPI_Comm named, tagged, crowd;
    MPI_Datatype pair;
    Message plan[MAX_MESSAGES];
    int planned, has_ready, has_buffered;
    MPI_Request requests[MAX_REQUESTS];
    Pending pending[MAX_REQUESTS];
    int n_pending;
    uint64_t hash;
    uint64_t *result;
} Storm;

static void *buffer;

static MPI_Datatype basic(Storm *s, Base base)
{
    const MPI_Datatype types[] = {MPI_BYTE, MPI_INT, MPI_DOUBLE, s->pair};
    return types[base];
}
/* Extent of an element; a pair is a double and an int. */
static int extent_of(Base base)
{
    const int extents[] = {1, 4, 8, 16};
    return extents[base];
}

/* `n` elements in one of the layouts, its memory a pattern. */
static Items lay_out(Storm *s, Base base, int n, Layout layout, uint64_t key)
{
    MPI_Datatype old = basic(s, base);
    int e = extent_of(base);
    Items items = {old, n, 0, NULL, NULL, (size_t)n * e};
    size_t origin = 0;
    if (n == 0 || n > 50000)
        layout = FLAT;
    if (layout == SPREAD || layout == BACKWARD) {
        int step = layout == SPREAD ? 2 * e : -3 * e;
        MPI_Type_create_resized(old, 0, step, &items.type);
        items.bytes = (size_t)n * (step > 0 ? step : -step);
        origin = step > 0 ? 0 : (size_t)(n - 1) * 3 * e;
        items.is_made = 1;
    } else if (layout == INDEXED) {
        int *lengths = need(n * sizeof(int)), *at = need(n * sizeof(int)), blocks = 0, end = 0;
        Draws d = {key};
        for (int left = n; left > 0; blocks++) {
            lengths[blocks] = 1 + below(&d, left < 9 ? left : 9);
            at[blocks] = end + below(&d, 3);
            end = at[blocks] + lengths[blocks];
            left -= lengths[blocks];
        }
        MPI_Type_indexed(blocks, lengths, at, old, &items.type);
        items.count = items.is_made = 1;
        items.bytes = (size_t)end * e;
        free(lengths);
        free(at);
    } else if (layout == BLOCKS) {
        int length = n % 4 == 0 ? 4 : n % 3 == 0 ? 3 : 1;
        MPI_Type_create_hvector(n / length, length, (length + 1) * e, old, &items.type);
        items.count = items.is_made = 1;
        items.bytes = (size_t)(n / length) * (length + 1) * e;
    }
    if (items.is_made)
        MPI_Type_commit(&items.type);
    items.memory = need(items.bytes);
    items.at = items.memory + origin;
    fill(items.memory, items.bytes, key);
    return items;
}

static void release(Items *items)
{
    if (items->is_made)
        MPI_Type_free(&items->type);
    free(items->memory);
}

/* Adds received data to the hash, with the id of the receive. */
static void take(Storm *s, int id, Items *items, MPI_Status *status)
{
    int elements, cancelled;
    uint64_t hash = mix(id + 1);
    MPI_Get_elements(status, items->type, &elements);
    MPI_Test_cancelled(status, &cancelled);
    hash = fold(hash, (uint64_t)status->MPI_SOURCE << 32 | (uint32_t)status->MPI_TAG);
    hash = fold(hash, (uint64_t)elements << 1 | (uint64_t)cancelled);
    /* A sum, which is independent of the order of completion. */
    s->hash += fold_bytes(hash, items->memory, items->bytes);
}

static int is_early(Take take)
{
    return take <= PRECV;
}
static int needs_early(How how)
{
    return how == SEND || how == SSEND || how == RSEND || how == IRSEND || how == RSEND_INIT;
}
static int is_ready(How how)
{
    return how == RSEND || how == IRSEND || how == RSEND_INIT;
}
static int is_buffered(How how)
{
    return how == BSEND || how == IBSEND || how == BSEND_INIT;
}

/* Small mostly; up to 4 MB. */
static int draw_size(Draws *d, Base base, int may_be_big)
{
    int bits = chance(d, 80) ? 11 : chance(d, 75) ? 15 : may_be_big ? 22 : 17;
    int bytes = below(d, 1 << below(d, bits + 1)) + (chance(d, 2) ? (1 << bits) - 1 : 0);
    if (chance(d, 8))
        bytes = 0;
    return bytes / extent_of(base);
}

static int same_class(const Message *a, const Message *b)
{
    if (a->from != b->from || a->to != b->to || a->any_source != b->any_source)
        return 0;
    return a->any_tag ? b->any_tag : a->tag == b->tag && a->take != PRECV && b->take != PRECV;
}

static void draw_plan(Storm *s, int round)
{
    Draws d = {fold(fold(s->seed, round), s->thread)};
    static const How safe[] = {ISEND, ISEND, ISSEND, IBSEND, BSEND, SEND_INIT, SSEND_INIT,
                               BSEND_INIT};
    int n = below(&d, s->np * 5 + 2), any_tag[MAX_RANKS], salt = below(&d, 1 << 20);
    int ready_round = chance(&d, 30), room[MAX_RANKS * MAX_RANKS] = {0};
    for (int i = 0; i < MAX_RANKS; i++)
        any_tag[i] = chance(&d, 30);
    s->planned = n < MAX_MESSAGES ? n : MAX_MESSAGES;
    s->has_ready = s->has_buffered = 0;
    for (int i = 0; i < s->planned; i++) {
        Message *m = &s->plan[i];
        int from = below(&d, s->np), to = below(&d, s->np), pair = from * s->np + to;
        Base base = (Base)(mix(salt + pair) % BASES);
        *m = (Message){.from = from, .to = to, .id = i, .base = base, .key = draw(&d)};
        m->any_tag = any_tag[(from * 7 + to) % MAX_RANKS];
        m->tag = chance(&d, 90) ? below(&d, 4) : 32767 - below(&d, 4);
        m->n = draw_size(&d, base, i == 0 && s->threads == 1);
        m->how = (How)below(&d, PSEND + 1);
        m->take = (Take)below(&d, IMPROBE + 1);
        m->out = (Layout)below(&d, LAYOUTS);
        m->in = (Layout)below(&d, LAYOUTS);
        m->parts_out = 1 + below(&d, 6);
        m->parts_in = 1 + below(&d, 6);
        if ((m->how == PSEND) != (m->take == PRECV)) {
            m->how = ISEND;
            m->take = m->take == PRECV ? IRECV : m->take;
        }
        /* Segments of the reference (MPICH 5.0.2) must not split an element of a type with gaps. */
        if (base == PAIRS && m->n > SEGMENT / 16)
            m->n = SEGMENT / 16;
        if (m->how == PSEND) {
            m->n = m->n % (base == PAIRS ? 7 : 1000) * m->parts_out * m->parts_in;
            m->any_tag = 0;
        } else if (chance(&d, 20)) {
            /* The tag alone identifies the message. */
            m->any_source = 1;
            m->any_tag = 0;
            m->tag = 100 + i + MAX_MESSAGES * (round % 70);
        }
        if (is_ready(m->how) && !ready_round)
            m->how = ISEND;
        if (is_buffered(m->how) && m->n * extent_of(base) > BSEND_MAX)
            m->how = ISSEND;
    }
    for (int i = 0; i < s->planned; i++) {
        Message *m = &s->plan[i];
        int before = 0, early = 0, *most = &room[m->from * s->np + m->to];
        for (int j = 0; j < s->planned; j++)
            if (same_class(m, &s->plan[j])) {
                before += j < i;
                early += is_early(s->plan[j].take);
            }
        if (needs_early(m->how) && before >= early)
            m->how = safe[below(&d, (int)(sizeof safe / sizeof *safe))];
        if (is_buffered(m->how) && m->n * extent_of(m->base) > BSEND_MAX)
            m->how = ISEND;
        s->has_ready |= is_ready(m->how);
        s->has_buffered |= is_buffered(m->how);
        *most = m->n > *most ? m->n : *most;
    }
    for (int i = 0; i < s->planned; i++) {
        Message *m = &s->plan[i];
        m->room = m->any_source || m->how == PSEND ? m->n : room[m->from * s->np + m->to];
        m->room += m->how == PSEND ? 0 : below(&d, 3);
    }
}

static MPI_Comm comm_of(Storm *s, const Message *m)
{
    return m->any_source ? s->tagged : s->named;
}

static MPI_Request *add(Storm *s, Items items, int id, int receives, int persists)
{
    s->pending[s->n_pending] = (Pending){items, id, receives, persists, 0};
    return &s->requests[s->n_pending++];
}

static void post_early(Storm *s, const Message *m)
{
    int source = m->any_source ? MPI_ANY_SOURCE : m->from, tag = m->any_tag ? MPI_ANY_TAG : m->tag;
    Layout layout = m->take == PRECV ? FLAT : m->in;
    Items in = lay_out(s, m->base, m->room, layout, ~m->key);
    MPI_Request *r = add(s, in, m->id, 1, m->take != IRECV);
    MPI_Comm comm = comm_of(s, m);
    switch (m->take) {
    case IRECV:
        MPI_Irecv(in.at, in.count, in.type, source, tag, comm, r);
        return;
    case RECV_INIT:
        MPI_Recv_init(in.at, in.count, in.type, source, tag, comm, r);
        break;
    default:
        s->pending[s->n_pending - 1].partitions = m->parts_in;
        MPI_Precv_init(in.at, m->parts_in, in.count / m->parts_in, in.type, source, tag, comm,
                       MPI_INFO_NULL, r);
    }
    MPI_Start(r);
}

static void receive_late(Storm *s, const Message *m)
{
    int source = m->any_source ? MPI_ANY_SOURCE : m->from, tag = m->any_tag ? MPI_ANY_TAG : m->tag;
    Items in = lay_out(s, m->base, m->room, m->in, ~m->key);
    MPI_Comm comm = comm_of(s, m);
    MPI_Status status, probed;
    MPI_Message message;
    MPI_Request request;
    int flag = 0, size, elements;
    switch (m->take) {
    case RECV:
        MPI_Recv(in.at, in.count, in.type, source, tag, comm, &status);
        break;
    case PROBE:
        MPI_Probe(source, tag, comm, &probed);
        flag = 1; /* fall through */
    case IPROBE:
        while (!flag)
            MPI_Iprobe(source, tag, comm, &flag, &probed);
        MPI_Recv(in.at, in.count, in.type, probed.MPI_SOURCE, probed.MPI_TAG, comm, &status);
        MPI_Type_size(basic(s, m->base), &size);
        MPI_Get_count(&probed, basic(s, m->base), &elements);
        s->hash += fold(m->id, (uint64_t)elements * (uint64_t)size);
        break;
    case MPROBE:
        MPI_Mprobe(source, tag, comm, &message, &probed);
        MPI_Mrecv(in.at, in.count, in.type, &message, &status);
        break;
    default:
        while (!flag)
            MPI_Improbe(source, tag, comm, &flag, &message, &probed);
        MPI_Imrecv(in.at, in.count, in.type, &message, &request);
        MPI_Wait(&request, &status);
    }
    take(s, m->id, &in, &status);
    release(&in);
}

static void send_partitions(Storm *s, const Message *m, Items *out)
{
    Draws d = {m->key};
    MPI_Request *r = add(s, *out, m->id, 0, 1);
    s->pending[s->n_pending - 1].partitions = m->parts_out;
    MPI_Psend_init(out->at, m->parts_out, out->count / m->parts_out, out->type, m->to, m->tag,
                   s->named, MPI_INFO_NULL, r);
    MPI_Start(r);
    int first = below(&d, m->parts_out);
    for (int i = 0; i < m->parts_out; i++)
        MPI_Pready((first + i) % m->parts_out, *r);
}

static void send(Storm *s, const Message *m)
{
    Items out = lay_out(s, m->base, m->n, m->how == PSEND ? FLAT : m->out, m->key);
    MPI_Comm comm = comm_of(s, m);
    MPI_Request *r;
    switch (m->how) {
#define BLOCKING(NAME, CALL)                                                 \
    case NAME:                                                               \
        CALL(out.at, out.count, out.type, m->to, m->tag, comm);              \
        release(&out);                                                       \
        return;
#define STARTED(NAME, CALL, PERSISTS)                                        \
    case NAME:                                                               \
        r = add(s, out, m->id, 0, PERSISTS);                                 \
        CALL(out.at, out.count, out.type, m->to, m->tag, comm, r);           \
        if (PERSISTS)                                                        \
            MPI_Start(r);                                                    \
        return;
        BLOCKING(SEND, MPI_Send)
        BLOCKING(SSEND, MPI_Ssend)
        BLOCKING(BSEND, MPI_Bsend)
        BLOCKING(RSEND, MPI_Rsend)
        STARTED(ISEND, MPI_Isend, 0)
        STARTED(ISSEND, MPI_Issend, 0)
        STARTED(IBSEND, MPI_Ibsend, 0)
        STARTED(IRSEND, MPI_Irsend, 0)
        STARTED(SEND_INIT, MPI_Send_init, 1)
        STARTED(SSEND_INIT, MPI_Ssend_init, 1)
        STARTED(BSEND_INIT, MPI_Bsend_init, 1)
        STARTED(RSEND_INIT, MPI_Rsend_init, 1)
    case PSEND:
        send_partitions(s, m, &out);
    }
}

static void landed(Storm *s, int i, MPI_Status *status)
{
    Pending *p = &s->pending[i];
    if (p->receives)
        take(s, p->id, &p->items, status);
    if (p->persists)
        MPI_Request_free(&s->requests[i]);
    release(&p->items);
}

/* Completes partitioned requests separately: the reference's MPI_Testall (MPICH 5.0.2) does not
 * accept them. */
static void complete_partitioned(Storm *s)
{
    MPI_Status status;
    int flag;
    for (int i = s->n_pending - 1; i >= 0; i--) {
        if (!s->pending[i].partitions)
            continue;
        for (int j = 0; s->pending[i].receives && j < s->pending[i].partitions; j++)
            for (flag = 0; !flag;)
                MPI_Parrived(s->requests[i], j, &flag);
        MPI_Wait(&s->requests[i], &status);
        landed(s, i, &status);
        s->n_pending--;
        s->pending[i] = s->pending[s->n_pending];
        s->requests[i] = s->requests[s->n_pending];
    }
}

/* Completes all outstanding requests by one of the available calls. */
static void complete(Storm *s, int way)
{
    complete_partitioned(s);
    MPI_Status one, *all = need(s->n_pending * sizeof(MPI_Status));
    int n = s->n_pending, flag = 0, i, some, *at = need(n * sizeof(int));
    if (way == 0) {
        MPI_Waitall(n, s->requests, all);
    } else if (way == 1) {
        while (!flag)
            MPI_Testall(n, s->requests, &flag, all);
    }
    for (i = 0; way < 2 && i < n; i++)
        landed(s, i, &all[i]);
    for (int left = n; way >= 2 && left > 0;) {
        some = 1;
        if (way == 2) {
            MPI_Waitany(n, s->requests, &at[0], &all[0]);
        } else if (way == 3) {
            for (flag = 0; !flag;)
                MPI_Testany(n, s->requests, &at[0], &flag, &all[0]);
        } else if (way == 4) {
            MPI_Waitsome(n, s->requests, &some, at, all);
        } else if (way == 5) {
            for (some = 0; some == 0;)
                MPI_Testsome(n, s->requests, &some, at, all);
        } else {
            at[0] = left - 1;
            if (way == 6)
                MPI_Wait(&s->requests[left - 1], &all[0]);
            for (flag = way == 6; !flag;)
                MPI_Test(&s->requests[left - 1], &flag, &all[0]);
        }
        for (i = 0; i < some; i++) {
            one = all[i];
            landed(s, at[i], &one);
        }
        left -= some;
    }
    free(all);
    free(at);
    s->n_pending = 0;
}

/* Cancels a receive that no message matches. */
static void cancel(Storm *s, Draws *d)
{
    int x = 7, source = chance(d, 50) ? below(d, s->np) : MPI_ANY_SOURCE, cancelled;
    MPI_Request r;
    MPI_Status status;
    MPI_Irecv(&x, 1, MPI_INT, source, UNSENT, s->tagged, &r);
    MPI_Cancel(&r);
    MPI_Wait(&r, &status);
    MPI_Test_cancelled(&status, &cancelled);
    s->hash += fold(x, cancelled);
}

/* Every rank sends to one rank and receives from one, or from and to MPI_PROC_NULL. */
static void exchange(Storm *s, Draws *d)
{
    int order[MAX_RANKS], where = 0, form = below(d, 4), n = below(d, 1 << below(d, 16));
    for (int i = 0; i < s->np; i++) {
        int j = below(d, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
    int open = chance(d, 30);
    for (int i = 0; i < s->np; i++)
        where = order[i] == s->me ? i : where;
    int to = order[(where + 1) % s->np], from = order[(where + s->np - 1) % s->np];
    to = open && where == s->np - 1 ? MPI_PROC_NULL : to;
    from = open && where == 0 ? MPI_PROC_NULL : from;
    /* The reference (MPICH 5.0.2) confuses the data of MPI_Isendrecv_replace if they have gaps, and
     * does not set the statuses of both non-blocking forms. */
    Layout any = (Layout)below(d, LAYOUTS), layout = form == 3 ? FLAT : any;
    Items out = lay_out(s, INTS, n, layout, fold(s->seed, s->me));
    Items in = lay_out(s, INTS, n, (Layout)below(d, LAYOUTS), 99);
    MPI_Status status, known;
    MPI_Request r = MPI_REQUEST_NULL;
    Items *got = form % 2 ? &out : &in;
    if (form == 0)
        MPI_Sendrecv(out.at, out.count, out.type, to, EXCHANGE, in.at, in.count, in.type, from,
                     EXCHANGE, s->tagged, &status);
    else if (form == 1)
        MPI_Sendrecv_replace(out.at, out.count, out.type, to, EXCHANGE, from, EXCHANGE, s->tagged,
                             &status);
    else if (form == 2)
        MPI_Isendrecv(out.at, out.count, out.type, to, EXCHANGE, in.at, in.count, in.type, from,
                      EXCHANGE, s->tagged, &r);
    else
        MPI_Isendrecv_replace(out.at, out.count, out.type, to, EXCHANGE, from, EXCHANGE, s->tagged,
                              &r);
    if (form >= 2) {
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        /* An artificial status, which is the same for every library. */
        memset(&known, 0, sizeof known);
        MPI_Status_set_elements(&known, MPI_INT, 0);
        MPI_Status_set_cancelled(&known, 0);
        status = known;
    }
    take(s, 1 << 21, got, &status);
    release(&out);
    release(&in);
}

/* From any source, with any tag: a sum of received data, and each sender's messages in order. */
static void crowd(Storm *s, Draws *d)
{
    int sends[MAX_RANKS], last[MAX_RANKS], expect = 0, form = below(d, 3), x[64], flag = 0, count;
    for (int from = 0; from < s->np; from++)
        for (int to = 0; to < s->np; to++) {
            int n = below(d, 4);
            expect += to == s->me ? n : 0;
            if (from == s->me)
                sends[to] = n;
        }
    memset(last, -1, sizeof last);
    MPI_Status status;
    MPI_Message message;
    int started = 0;
    for (int to = 0; to < s->np; to++)
        for (int i = 0; i < sends[to]; i++) {
            int n = 2 + (s->me + to + i) % 60;
            Items out = lay_out(s, INTS, n, FLAT, 1000 * s->me + 10 * to + i);
            ((int *)out.at)[0] = i;
            MPI_Request *r = add(s, out, 0, 0, 0);
            MPI_Isend(out.at, n, MPI_INT, to, CROWD + i * 7, s->crowd, r);
            started++;
        }
    for (int i = 0; i < expect; i++) {
        if (form == 0) {
            MPI_Recv(x, 64, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, s->crowd, &status);
        } else if (form == 1) {
            MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, s->crowd, &message, &status);
            MPI_Mrecv(x, 64, MPI_INT, &message, &status);
        } else {
            for (flag = 0; !flag;)
                MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, s->crowd, &flag, &status);
            MPI_Recv(x, 64, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, s->crowd, &status);
        }
        MPI_Get_count(&status, MPI_INT, &count);
        if (x[0] <= last[status.MPI_SOURCE])
            DIE("rank %d: message %d of %d overtook", s->me, x[0], status.MPI_SOURCE);
        last[status.MPI_SOURCE] = x[0];
        uint64_t hash = fold(status.MPI_SOURCE, status.MPI_TAG);
        s->hash += fold_bytes(hash, x, count * sizeof(int));
    }
    complete(s, 0);
    MPI_Barrier(s->crowd);
}

static uint64_t run_round(Storm *s, int round)
{
    Draws all = {fold(fold(s->seed, round), ~s->thread)};
    Draws mine = {fold(fold(s->seed, round), 1000 + s->me)};
    s->hash = 0;
    draw_plan(s, round);
    for (int i = 0; i < s->planned; i++)
        if (s->plan[i].to == s->me && is_early(s->plan[i].take))
            post_early(s, &s->plan[i]);
    if (s->has_ready)
        MPI_Barrier(s->named);
    for (int i = 0; i < s->planned; i++)
        if (s->plan[i].from == s->me)
            send(s, &s->plan[i]);
    for (int i = 0; i < s->planned; i++)
        if (s->plan[i].to == s->me && !is_early(s->plan[i].take))
            receive_late(s, &s->plan[i]);
    complete(s, below(&mine, 8));
    if (chance(&mine, 30))
        cancel(s, &mine);
    if (chance(&all, 50))
        exchange(s, &all);
    if (chance(&all, 30))
        crowd(s, &all);
    if (s->has_buffered && s->threads == 1) {
        int size;
        void *back;
        MPI_Buffer_detach(&back, &size);
        MPI_Buffer_attach(buffer, BSEND_ROOM);
    } else if (s->has_buffered) {
        MPI_Barrier(s->named);
    }
    uint64_t own = fold(s->hash, s->me), sum = 0;
    MPI_Reduce(&own, &sum, 1, MPI_UINT64_T, MPI_BXOR, 0, s->named);
    return sum;
}

static void *run(void *argument)
{
    Storm *s = argument;
    for (int round = 0; round < s->rounds; round++) {
        s->result[round] = run_round(s, round);
        if (s->threads == 1 && s->me == 0)
            printf("round %d: %016llx\n", round, (unsigned long long)s->result[round]);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int threads = argc > 3 ? atoi(argv[3]) : 1, provided, me, np;
    int level = threads > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv, level, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &np);
    if (argc < 3 || threads < 1 || np > MAX_RANKS)
        DIE("p2p SEED ROUNDS [THREADS], on at most %d ranks", MAX_RANKS);
    if (provided < level) {
        if (me == 0)
            printf("p2p: this library does not provide MPI_THREAD_MULTIPLE\n");
        MPI_Finalize();
        return 77;
    }
    uint64_t seed = strtoull(argv[1], NULL, 0);
    int rounds = atoi(argv[2]);
    if (me == 0)
        printf("p2p: seed %llu, %d rounds, %d ranks, %d threads\n", (unsigned long long)seed,
               rounds, np, threads);
    MPI_Datatype parts[] = {MPI_DOUBLE, MPI_INT}, pair;
    int lengths[] = {1, 1};
    MPI_Aint at[] = {0, 8};
    MPI_Type_create_struct(2, lengths, at, parts, &pair);
    MPI_Type_commit(&pair);
    buffer = need(BSEND_ROOM);
    MPI_Buffer_attach(buffer, BSEND_ROOM);
    Storm *storms = need(threads * sizeof(Storm));
    pthread_t *workers = need(threads * sizeof(pthread_t));
    for (int t = 0; t < threads; t++) {
        Storm *s = &storms[t];
        memset(s, 0, sizeof *s);
        s->me = me, s->np = np, s->thread = t, s->threads = threads, s->rounds = rounds;
        s->seed = seed, s->pair = pair;
        s->result = need(rounds * sizeof(uint64_t));
        MPI_Comm_dup(MPI_COMM_WORLD, &s->named);
        MPI_Comm_dup(MPI_COMM_WORLD, &s->tagged);
        MPI_Comm_dup(MPI_COMM_WORLD, &s->crowd);
    }
    if (threads == 1) {
        run(&storms[0]);
    } else {
        for (int t = 0; t < threads; t++)
            pthread_create(&workers[t], NULL, run, &storms[t]);
        for (int t = 0; t < threads; t++)
            pthread_join(workers[t], NULL);
        for (int round = 0; me == 0 && round < rounds; round++) {
            uint64_t hash = 0;
            for (int t = 0; t < threads; t++)
                hash = fold(hash, storms[t].result[round]);
            printf("round %d: %016llx\n", round, (unsigned long long)hash);
        }
    }
    for (int t = 0; t < threads; t++) {
        MPI_Comm_free(&storms[t].named);
        MPI_Comm_free(&storms[t].tagged);
        MPI_Comm_free(&storms[t].crowd);
        free(storms[t].result);
    }
    int size;
    void *back;
    MPI_Buffer_detach(&back, &size);
    MPI_Type_free(&pair);
    free(storms);
    free(workers);
    free(buffer);
    MPI_Finalize();
    return 0;
}
