/* One-sided operations: every kind of window, put, get and the accumulates, derived datatypes. */
#include "check.h"

enum { N = 64 };
static int next, before;

/* Every rank writes to its neighbor's part, and reads it back. */
static void put_and_get(MPI_Win win, int *mine)
{
    int out[4] = {me, me + 1, me + 2, me + 3}, in[4] = {-1, -1, -1, -1};
    for (int i = 0; i < N; i++)
        mine[i] = 1000 + me;
    MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    MPI_Put(out, 4, MPI_INT, next, 8, 4, MPI_INT, win);
    out[0] = -1; /* Too early by the standard, and harmless here: data is copied during the call. */
    MPI_Put(out, 0, MPI_INT, next, 0, 0, MPI_INT, win);
    MPI_Put(out, 4, MPI_INT, MPI_PROC_NULL, 0, 9, MPI_INT, win);
    MPI_Win_fence(0, win);
    CHECK(mine[7] == 1000 + me && mine[8] == before && mine[11] == before + 3);
    CHECK(mine[12] == 1000 + me);
    MPI_Get(in, 4, MPI_INT, next, 8, 4, MPI_INT, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    CHECK(in[0] == me && in[3] == me + 3);
}

static void kinds(void)
{
    MPI_Win win;
    int *mine = malloc(N * sizeof(int)), *allocated;
    MPI_Win_create(mine, N * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    put_and_get(win, mine);
    MPI_Win_free(&win);
    CHECK(win == MPI_WIN_NULL);
    MPI_Win_allocate(N * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &allocated,
                     &win);
    put_and_get(win, allocated);
    MPI_Win_free(&win);

    /* Displacement units differ by rank: the target's unit applies. */
    MPI_Win_create(mine, N * sizeof(int), me % 2 ? 4 : 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    int x = 77 + me;
    MPI_Win_fence(0, win);
    MPI_Put(&x, 1, MPI_INT, next, next % 2 ? 5 : 20, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    CHECK(mine[5] == 77 + before);
    MPI_Win_free(&win);

    /* Dynamic: displacements are addresses of the target. */
    MPI_Aint here, there;
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_attach(win, mine, 16 * sizeof(int));
    MPI_Win_attach(win, mine + 16, (N - 16) * sizeof(int));
    MPI_Get_address(mine, &here);
    MPI_Sendrecv(&here, 1, MPI_AINT, before, 0, &there, 1, MPI_AINT, next, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    int out[4] = {1, 2, 3, me};
    MPI_Win_fence(0, win);
    MPI_Put(out, 4, MPI_INT, next, MPI_Aint_add(there, 14 * sizeof(int)), 4, MPI_INT, win);
    MPI_Win_fence(0, win);
    CHECK(mine[14] == 1 && mine[17] == before);
    MPI_Win_detach(win, mine);
    MPI_Win_detach(win, mine + 16);
    MPI_Win_free(&win);
    free(mine);
}

/* All ranks combine into rank 0: every operation, and the pairs. */
static void accumulates(void)
{
    struct { double value; int at; } pair = {me % 3, me}, least[2];
    long table[12];
    MPI_Op ops[] = {MPI_SUM, MPI_PROD, MPI_MAX, MPI_MIN, MPI_LAND, MPI_BAND,
                    MPI_LOR, MPI_BOR,  MPI_LXOR, MPI_BXOR};
    MPI_Win win, pairs;
    for (int i = 0; i < 12; i++)
        table[i] = i == 5 ? -1 : i == 4 || i == 1;
    least[0].value = least[1].value = 1;
    least[0].at = least[1].at = 1000;
    MPI_Win_create(table, sizeof(table), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_create(least, sizeof(least), sizeof(pair), MPI_INFO_NULL, MPI_COMM_WORLD, &pairs);
    MPI_Win_fence(0, win);
    MPI_Win_fence(0, pairs);
    long one = 1L << (me % 60), seen = -1;
    for (int i = 0; i < 10; i++) {
        long x = ops[i] == MPI_PROD ? 2 : ops[i] == MPI_BAND ? ~one : one;
        MPI_Accumulate(&x, 1, MPI_LONG, 0, i, 1, MPI_LONG, ops[i], win);
    }
    /* Accumulates of a pair of ranks keep their order: replace, then add, then read. */
    long step = 7;
    if (me == np - 1) {
        MPI_Accumulate(&step, 1, MPI_LONG, 0, 10, 1, MPI_LONG, MPI_REPLACE, win);
        MPI_Accumulate(&step, 1, MPI_LONG, 0, 10, 1, MPI_LONG, MPI_SUM, win);
        MPI_Get_accumulate(NULL, 0, MPI_LONG, &seen, 1, MPI_LONG, 0, 10, 1, MPI_LONG, MPI_NO_OP,
                           win);
        MPI_Accumulate(&step, 1, MPI_LONG, 0, 10, 1, MPI_LONG, MPI_SUM, win);
    }
    MPI_Accumulate(&pair, 1, MPI_DOUBLE_INT, 0, 0, 1, MPI_DOUBLE_INT, MPI_MINLOC, pairs);
    MPI_Accumulate(&pair, 1, MPI_DOUBLE_INT, 0, 1, 1, MPI_DOUBLE_INT, MPI_MAXLOC, pairs);
    MPI_Win_fence(0, win);
    MPI_Win_fence(0, pairs);
    if (me == np - 1)
        CHECK(seen == 14);
    if (me == 0) {
        long all = (1L << np) - 1;
        CHECK(table[0] == all && table[1] == 1L << np && table[2] == 1L << (np - 1));
        CHECK(table[3] == 0 && table[4] == 1 && table[5] == ~all && table[6] == 1);
        CHECK(table[7] == all && table[8] == np % 2 && table[9] == all && table[10] == 21);
        CHECK(least[0].value == 0 && least[0].at == 0);
        CHECK(least[1].value == (np > 2 ? 2 : 1) && least[1].at == (np > 2 ? 2 : np > 1 ? 1 : 1000));
    }
    MPI_Win_free(&win);
    MPI_Win_free(&pairs);
}

/* A matrix column of the origin becomes a row with gaps at the target, and returns. */
static void shapes(void)
{
    double matrix[8][8], part[64], back[8];
    MPI_Datatype column, gaps;
    MPI_Win win;
    for (int i = 0; i < 64; i++) {
        matrix[i / 8][i % 8] = 100 * me + i;
        part[i] = -1;
    }
    MPI_Type_vector(8, 1, 8, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    int at[] = {3, 1, 40}, len[] = {4, 2, 2}; /* Not in the order of addresses. */
    MPI_Type_indexed(3, len, at, MPI_DOUBLE, &gaps);
    MPI_Type_commit(&gaps);
    MPI_Win_create(part, sizeof(part), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    MPI_Put(&matrix[0][2], 1, column, next, 10, 1, gaps, win);
    MPI_Win_fence(0, win);
    CHECK(part[13] == 100 * before + 2 && part[16] == 100 * before + 26);
    CHECK(part[11] == 100 * before + 34 && part[50] == 100 * before + 50);
    CHECK(part[51] == 100 * before + 58 && part[10] == -1 && part[17] == -1);
    MPI_Get(back, 8, MPI_DOUBLE, next, 10, 1, gaps, win);
    MPI_Win_fence(0, win);
    for (int i = 0; i < 8; i++)
        CHECK(back[i] == 100 * me + 8 * i + 2);
    MPI_Accumulate(&matrix[0][2], 1, column, next, 10, 1, gaps, MPI_SUM, win);
    MPI_Datatype away = gaps;
    MPI_Type_free(&gaps);
    (void)away;
    MPI_Win_fence(0, win);
    CHECK(part[13] == 200 * before + 4 && part[51] == 200 * before + 116);
    MPI_Type_free(&column);
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    next = (me + 1) % np;
    before = (me + np - 1) % np;
    kinds();
    accumulates();
    shapes();
    return end("rma_ops");
}
