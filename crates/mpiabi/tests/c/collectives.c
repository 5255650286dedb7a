/* Every collective compared with its definition, for several lengths, roots and operators, in place
 * and not, blocking and non-blocking. */
#include "check.h"

static int value(int rank, int i) { return (rank * 7 + i * 3) % 11 + 1; }

static void movement(int n)
{
    int *a = malloc(sizeof(int) * (n * np + 1)), *b = malloc(sizeof(int) * (n * np + 1));
    for (int root = 0; root < np; root += (np > 3 ? np / 3 : 1)) {
        for (int i = 0; i < n; i++)
            a[i] = me == root ? value(root, i) : -1;
        MPI_Bcast(a, n, MPI_INT, root, MPI_COMM_WORLD);
        for (int i = 0; i < n; i++)
            CHECK(a[i] == value(root, i));

        for (int i = 0; i < n; i++)
            a[i] = value(me, i);
        memset(b, -1, sizeof(int) * (n * np + 1));
        MPI_Gather(a, n, MPI_INT, b, n, MPI_INT, root, MPI_COMM_WORLD);
        for (int i = 0; i < n * np; i++)
            CHECK(b[i] == (me == root ? value(i / n, i % n) : -1));
        CHECK(b[n * np] == -1);

        for (int i = 0; i < n; i++)
            a[i] = -1;
        MPI_Scatter(b, n, MPI_INT, a, n, MPI_INT, root, MPI_COMM_WORLD);
        for (int i = 0; i < n; i++)
            CHECK(a[i] == value(me, i));

        /* In place at the root. */
        if (me == root) {
            for (int i = 0; i < n; i++)
                b[root * n + i] = value(root, i);
            MPI_Gather(MPI_IN_PLACE, n, MPI_INT, b, n, MPI_INT, root, MPI_COMM_WORLD);
            for (int i = 0; i < n * np; i++)
                CHECK(b[i] == value(i / n, i % n));
            MPI_Scatter(b, n, MPI_INT, MPI_IN_PLACE, n, MPI_INT, root, MPI_COMM_WORLD);
        } else {
            MPI_Gather(a, n, MPI_INT, NULL, 0, MPI_INT, root, MPI_COMM_WORLD);
            MPI_Scatter(NULL, 0, MPI_INT, a, n, MPI_INT, root, MPI_COMM_WORLD);
            for (int i = 0; i < n; i++)
                CHECK(a[i] == value(me, i));
        }
    }
    for (int in_place = 0; in_place < 2; in_place++) {
        memset(b, -1, sizeof(int) * (n * np + 1));
        for (int i = 0; i < n; i++)
            a[i] = b[me * n + i] = value(me, i);
        MPI_Allgather(in_place ? MPI_IN_PLACE : a, n, MPI_INT, b, n, MPI_INT, MPI_COMM_WORLD);
        for (int i = 0; i < n * np; i++)
            CHECK(b[i] == value(i / n, i % n));
        CHECK(b[n * np] == -1);

        for (int i = 0; i < n * np; i++)
            a[i] = b[i] = 1000 * me + i / n;
        MPI_Alltoall(in_place ? MPI_IN_PLACE : a, n, MPI_INT, b, n, MPI_INT, MPI_COMM_WORLD);
        for (int i = 0; i < n * np; i++)
            CHECK(b[i] == 1000 * (i / n) + me);
    }
    free(a);
    free(b);
}

static void ragged(int n)
{
    int counts[np], places[np], total = 0;
    for (int r = 0; r < np; r++) {
        counts[r] = (r % 3) * n;
        places[r] = total + r; /* a gap before every block */
        total += counts[r] + 1;
    }
    int *a = malloc(sizeof(int) * (3 * n + 1)), *b = malloc(sizeof(int) * (total + np + 1));
    for (int i = 0; i < counts[me]; i++)
        a[i] = value(me, i);
    for (int root = -1; root < np; root += np > 2 ? np / 2 : 1) {
        for (int i = 0; i < total + np + 1; i++)
            b[i] = -5;
        if (root < 0)
            MPI_Allgatherv(a, counts[me], MPI_INT, b, counts, places, MPI_INT, MPI_COMM_WORLD);
        else
            MPI_Gatherv(a, counts[me], MPI_INT, b, counts, places, MPI_INT, root, MPI_COMM_WORLD);
        if (root < 0 || root == me)
            for (int r = 0; r < np; r++) {
                for (int i = 0; i < counts[r]; i++)
                    CHECK(b[places[r] + i] == value(r, i));
                CHECK(b[places[r] + counts[r]] == -5);
            }
        if (root >= 0) {
            for (int i = 0; i <= counts[me]; i++)
                a[i] = -7;
            MPI_Scatterv(b, counts, places, MPI_INT, a, counts[me], MPI_INT, root, MPI_COMM_WORLD);
            for (int i = 0; i < counts[me]; i++)
                CHECK(a[i] == value(me, i));
            CHECK(a[counts[me]] == -7);
        }
    }
    free(a);
    free(b);

    int sent[np], sentat[np], got[np], gotat[np], s = 0, g = 0;
    for (int r = 0; r < np; r++) {
        sent[r] = (me + 2 * r) % 4 * n;
        got[r] = (r + 2 * me) % 4 * n;
        sentat[r] = s;
        gotat[r] = g;
        s += sent[r];
        g += got[r];
    }
    a = malloc(sizeof(int) * (s + 1));
    b = malloc(sizeof(int) * (g + 1));
    for (int r = 0; r < np; r++)
        for (int i = 0; i < sent[r]; i++)
            a[sentat[r] + i] = 100 * me + r;
    MPI_Alltoallv(a, sent, sentat, MPI_INT, b, got, gotat, MPI_INT, MPI_COMM_WORLD);
    for (int r = 0; r < np; r++)
        for (int i = 0; i < got[r]; i++)
            CHECK(b[gotat[r] + i] == 100 * r + me);

    MPI_Datatype types[np];
    for (int r = 0; r < np; r++) {
        types[r] = MPI_INT;
        sentat[r] *= sizeof(int);
        gotat[r] *= sizeof(int);
    }
    memset(b, 0, sizeof(int) * g);
    MPI_Alltoallw(a, sent, sentat, types, b, got, gotat, types, MPI_COMM_WORLD);
    for (int r = 0; r < np; r++)
        for (int i = 0; i < got[r]; i++)
            CHECK(b[gotat[r] / sizeof(int) + i] == 100 * r + me);
    free(a);
    free(b);
}

static long long apply(MPI_Op op, long long a, long long b)
{
    if (op == MPI_SUM) return a + b;
    if (op == MPI_PROD) return a * b;
    if (op == MPI_MAX) return a > b ? a : b;
    if (op == MPI_MIN) return a < b ? a : b;
    if (op == MPI_LAND) return a && b;
    if (op == MPI_LOR) return a || b;
    if (op == MPI_LXOR) return !a != !b;
    if (op == MPI_BAND) return a & b;
    if (op == MPI_BOR) return a | b;
    if (op == MPI_BXOR) return a ^ b;
    abort();
}

/* Small factors, so that products of all ranks stay exact in every type. */
static int operand(int rank, int i)
{
    return rank % 13 == 0 ? 2 + (rank + i) % 2 : (i + rank) % 5 ? 1 : 0;
}

#define REDUCTIONS(T, type, n_ops)                                                           \
    static void reduce_##T(int n)                                                            \
    {                                                                                        \
        MPI_Op ops[] = {MPI_SUM, MPI_PROD, MPI_MAX, MPI_MIN, MPI_LAND,                       \
                        MPI_LOR, MPI_LXOR, MPI_BAND, MPI_BOR, MPI_BXOR};                     \
        T *a = malloc(sizeof(T) * (n * np + 1)), *b = malloc(sizeof(T) * (n * np + 1));      \
        for (int k = 0; k < n_ops; k++) {                                                    \
            long long all[n + 1], upto[n + 1], before[n + 1];                                \
            for (int i = 0; i < n; i++) {                                                    \
                for (int r = 0; r < np; r++) {                                               \
                    if (r == me)                                                             \
                        before[i] = all[i];                                                  \
                    all[i] = r ? apply(ops[k], all[i], operand(r, i)) : operand(r, i);       \
                    if (r == me)                                                             \
                        upto[i] = all[i];                                                    \
                }                                                                            \
            }                                                                                \
            for (int in_place = 0; in_place < 2; in_place++) {                               \
                void *from = in_place ? MPI_IN_PLACE : (void *)a;                            \
                int root = (np - 1) * k / 9;                                                 \
                for (int i = 0; i < n; i++)                                                  \
                    a[i] = b[i] = operand(me, i);                                            \
                MPI_Allreduce(from, b, n, type, ops[k], MPI_COMM_WORLD);                     \
                for (int i = 0; i < n; i++)                                                  \
                    CHECK(b[i] == (T)all[i]);                                                \
                for (int i = 0; i < n; i++)                                                  \
                    b[i] = operand(me, i);                                                   \
                MPI_Reduce(me == root ? from : a, b, n, type, ops[k], root, MPI_COMM_WORLD); \
                for (int i = 0; i < n; i++)                                                  \
                    CHECK(b[i] == (me == root ? (T)all[i] : (T)operand(me, i)));             \
                for (int i = 0; i < n; i++)                                                  \
                    b[i] = operand(me, i);                                                   \
                MPI_Scan(from, b, n, type, ops[k], MPI_COMM_WORLD);                          \
                for (int i = 0; i < n; i++)                                                  \
                    CHECK(b[i] == (T)upto[i]);                                               \
                for (int i = 0; i < n; i++)                                                  \
                    b[i] = operand(me, i);                                                   \
                MPI_Exscan(from, b, n, type, ops[k], MPI_COMM_WORLD);                        \
                for (int i = 0; me > 0 && i < n; i++)                                        \
                    CHECK(b[i] == (T)before[i]);                                             \
            }                                                                                \
        }                                                                                    \
        free(a);                                                                             \
        free(b);                                                                             \
    }
typedef unsigned char uchar;
typedef long long llong;
typedef unsigned long ulong_;
REDUCTIONS(int, MPI_INT, 10)
REDUCTIONS(uchar, MPI_UNSIGNED_CHAR, 10)
REDUCTIONS(short, MPI_SHORT, 10)
REDUCTIONS(llong, MPI_LONG_LONG, 10)
REDUCTIONS(ulong_, MPI_UNSIGNED_LONG, 10)
REDUCTIONS(float, MPI_FLOAT, 4)
REDUCTIONS(double, MPI_DOUBLE, 4)

static void scattered_reductions(int n)
{
    for (int in_place = 0; in_place < 2; in_place++) {
        int *a = malloc(sizeof(int) * (n * np + 1)), *b = malloc(sizeof(int) * (n * np + 1));
        void *from = in_place ? MPI_IN_PLACE : (void *)a;
        for (int i = 0; i < n * np; i++)
            a[i] = b[i] = value(me, i);
        MPI_Reduce_scatter_block(from, b, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        for (int i = 0; i < n; i++) {
            int sum = 0;
            for (int r = 0; r < np; r++)
                sum += value(r, me * n + i);
            CHECK(b[i] == sum);
        }
        int counts[np], place = 0, mine = 0;
        for (int r = 0; r < np; r++) {
            counts[r] = r % 2 ? n : 0;
            if (r == me)
                mine = place;
            place += counts[r];
        }
        for (int i = 0; i < n * np; i++)
            a[i] = b[i] = value(me, i);
        MPI_Reduce_scatter(from, b, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        for (int i = 0; i < counts[me]; i++) {
            int sum = 0;
            for (int r = 0; r < np; r++)
                sum += value(r, mine + i);
            CHECK(b[i] == sum);
        }
        free(a);
        free(b);
    }
}

/* 2x2 matrices modulo a prime: associative, not commutative. */
static void multiply(void *in, void *inout, int *n, MPI_Datatype *type)
{
    int size;
    MPI_Type_size(*type, &size);
    CHECK(size == 4 * (int)sizeof(int));
    int(*a)[4] = in, (*b)[4] = inout;
    for (int i = 0; i < *n; i++) {
        int c[4] = {(a[i][0] * b[i][0] + a[i][1] * b[i][2]) % 997,
                    (a[i][0] * b[i][1] + a[i][1] * b[i][3]) % 997,
                    (a[i][2] * b[i][0] + a[i][3] * b[i][2]) % 997,
                    (a[i][2] * b[i][1] + a[i][3] * b[i][3]) % 997};
        memcpy(b[i], c, sizeof c);
    }
}

static void matrix(int rank, int i, int *m)
{
    m[0] = 1 + rank;
    m[1] = i + 2;
    m[2] = rank * i % 5;
    m[3] = 3;
}

static void user_operator(int n)
{
    MPI_Op op;
    MPI_Datatype type;
    MPI_Type_contiguous(4, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Op_create(multiply, 0, &op);
    int(*a)[4] = malloc(16 * n * np), (*b)[4] = malloc(16 * n * np);
    int(*all)[4] = malloc(16 * n), (*upto)[4] = malloc(16 * n);
    for (int i = 0; i < n; i++) {
        matrix(0, i, all[i]);
        memcpy(upto[i], all[i], 16);
        matrix(me, i, a[i]);
    }
    for (int r = 1; r < np; r++)
        for (int i = 0; i < n; i++) {
            int m[4], one = 1;
            matrix(r, i, m);
            multiply(all[i], m, &one, &type);
            memcpy(all[i], m, 16);
            if (r <= me)
                memcpy(upto[i], m, 16);
        }
    MPI_Allreduce(a, b, n, type, op, MPI_COMM_WORLD);
    CHECK(memcmp(b, all, 16 * n) == 0);
    for (int root = 0; root < np; root += np > 3 ? np / 3 : 1) {
        memset(b, 0, 16 * n);
        MPI_Reduce(a, b, n, type, op, root, MPI_COMM_WORLD);
        CHECK(me != root || memcmp(b, all, 16 * n) == 0);
    }
    MPI_Scan(a, b, n, type, op, MPI_COMM_WORLD);
    CHECK(memcmp(b, upto, 16 * n) == 0);
    MPI_Op_free(&op);
    MPI_Type_free(&type);
    free(a);
    free(b);
    free(all);
    free(upto);
}

static void locations(void)
{
    struct {
        double value;
        int at;
    } in = {me % 3 * 1.5, me}, out;
    MPI_Allreduce(&in, &out, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
    int best = np > 2 ? 2 : np - 1;
    CHECK(out.at == best && out.value == best % 3 * 1.5);
    MPI_Allreduce(&in, &out, 1, MPI_DOUBLE_INT, MPI_MINLOC, MPI_COMM_WORLD);
    CHECK(out.at == 0 && out.value == 0);
}

static void nonblocking(void)
{
    /* All in flight at once, completed in another order than they were started. */
    MPI_Request r[5];
    int sum = -1, all[np], to[np], from[np], one = me + 1, token = me ? -1 : 42;
    for (int i = 0; i < np; i++)
        to[i] = 10 * me + i;
    MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r[0]);
    MPI_Iallgather(&one, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, &r[1]);
    MPI_Ialltoall(to, 1, MPI_INT, from, 1, MPI_INT, MPI_COMM_WORLD, &r[2]);
    MPI_Ibcast(&token, 1, MPI_INT, 0, MPI_COMM_WORLD, &r[3]);
    MPI_Ibarrier(MPI_COMM_WORLD, &r[4]);
    MPI_Wait(&r[3], MPI_STATUS_IGNORE);
    CHECK(token == 42);
    MPI_Waitall(5, r, MPI_STATUSES_IGNORE);
    CHECK(sum == np * (np + 1) / 2);
    for (int i = 0; i < np; i++)
        CHECK(all[i] == i + 1 && from[i] == 10 * i + me);

    MPI_Request persistent;
    int in, out;
    if (MPI_VERSION >= 4) {
        MPI_Allreduce_init(&in, &out, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, MPI_INFO_NULL,
                           &persistent);
        for (int i = 0; i < 3; i++) {
            in = me * (i + 1);
            MPI_Start(&persistent);
            MPI_Wait(&persistent, MPI_STATUS_IGNORE);
            CHECK(out == (np - 1) * (i + 1));
        }
        MPI_Request_free(&persistent);
    }
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    int lengths[] = {0, 1, 3, 17, 1000};
    for (int k = 0; k < 5; k++) {
        int n = lengths[k];
        MPI_Barrier(MPI_COMM_WORLD);
        if (n > 0) {
            movement(n);
            ragged(n);
            scattered_reductions(n);
            user_operator(n);
        }
        reduce_int(n);
        reduce_uchar(n);
        reduce_short(n);
        reduce_llong(n);
        reduce_ulong_(n);
        reduce_float(n);
        reduce_double(n);
    }
    locations();
    nonblocking();
    return end("collectives");
}
