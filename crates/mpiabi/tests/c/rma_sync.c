/* Synchronization of one-sided operations: pairs of epochs, locks, flushes, requests. */
#include "check.h"

static int next, before;

static MPI_Group only(int a, int b)
{
    MPI_Group world, group;
    int ranks[2] = {a, b};
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, a == b ? 1 : 2, ranks, &group);
    MPI_Group_free(&world);
    return group;
}

static void pairs_of_epochs(void)
{
    int mine[4] = {0, 0, 0, 0};
    MPI_Win win;
    MPI_Win_create(mine, sizeof(mine), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Group sides = only(before, next), empty = MPI_GROUP_EMPTY;
    for (int round = 1; round <= 5; round++) {
        int x = 10 * round + me, done = 0;
        MPI_Win_post(sides, 0, win);
        MPI_Win_start(sides, 0, win);
        MPI_Put(&x, 1, MPI_INT, next, 0, 1, MPI_INT, win);
        MPI_Put(&x, 1, MPI_INT, before, 1, 1, MPI_INT, win);
        MPI_Win_complete(win);
        if (round % 2)
            MPI_Win_wait(win);
        while (round % 2 == 0 && !done)
            MPI_Win_test(win, &done);
        CHECK(mine[0] == 10 * round + before && mine[1] == 10 * round + next);
    }
    MPI_Win_start(empty, 0, win);
    MPI_Win_complete(win);
    MPI_Win_post(empty, 0, win);
    MPI_Win_wait(win);
    MPI_Group_free(&sides);
    MPI_Win_free(&win);
}

/* A counter of rank 0 under an exclusive lock; one by atomic operations under shared ones. */
static void counters(void)
{
    enum { ROUNDS = 20 };
    long mine[3] = {0, 0, 0};
    MPI_Win win;
    MPI_Win_create(mine, sizeof(mine), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    for (int i = 0; i < ROUNDS; i++) {
        long value = -1;
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
        MPI_Get(&value, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
        MPI_Win_flush(0, win);
        value++;
        MPI_Put(&value, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
        MPI_Win_unlock(0, win);
    }
    long one = 1, last = -1, sum = 0, all;
    MPI_Win_lock_all(0, win);
    for (int i = 0; i < ROUNDS; i++) {
        long old;
        MPI_Fetch_and_op(&one, &old, MPI_LONG, 0, 1, MPI_SUM, win);
        MPI_Win_flush(0, win);
        CHECK(old > last && old < (long)ROUNDS * np);
        last = old;
        sum += old;
    }
    /* Compare and swap as a spin lock would use it. */
    for (int i = 0; i < 3; i++) {
        long old = -1, zero = 0, key = me + 1;
        do {
            MPI_Compare_and_swap(&key, &zero, &old, MPI_LONG, 0, 2, win);
            MPI_Win_flush(0, win);
        } while (old != 0);
        MPI_Compare_and_swap(&zero, &key, &old, MPI_LONG, 0, 2, win);
        MPI_Win_flush(0, win);
        CHECK(old == key);
    }
    MPI_Win_unlock_all(win);
    MPI_Allreduce(&sum, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    long total = (long)ROUNDS * np;
    CHECK(all == total * (total - 1) / 2);
    MPI_Win_lock(MPI_LOCK_SHARED, me, 0, win);
    if (me == 0)
        CHECK(mine[0] == total && mine[1] == total && mine[2] == 0);
    MPI_Win_unlock(me, win);
    MPI_Win_free(&win);
}

static void requests(void)
{
    int mine[8] = {0}, out[4] = {me, 1, 2, 3}, in[4] = {0}, old[4] = {-1, -1, -1, -1};
    MPI_Win win;
    MPI_Request r[4];
    MPI_Win_create(mine, sizeof(mine), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
    MPI_Rput(out, 4, MPI_INT, next, 0, 4, MPI_INT, win, &r[0]);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    MPI_Rget(in, 4, MPI_INT, next, 0, 4, MPI_INT, win, &r[0]);
    MPI_Raccumulate(out, 1, MPI_INT, next, 4, 1, MPI_INT, MPI_SUM, win, &r[1]);
    MPI_Rget_accumulate(out + 1, 1, MPI_INT, old, 1, MPI_INT, next, 4, 1, MPI_INT, MPI_SUM, win,
                        &r[2]);
    MPI_Rput(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, 0, MPI_INT, win, &r[3]);
    /* A flush completes the operations, whether or not their requests have been completed. */
    MPI_Win_flush(next, win);
    CHECK(in[0] == me && in[3] == 3 && old[0] == me);
    MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
    /* And the reverse order; or the request is never completed. */
    MPI_Rget(old, 4, MPI_INT, next, 4, 4, MPI_INT, win, &r[0]);
    MPI_Rget(in, 4, MPI_INT, next, 4, 4, MPI_INT, win, &r[1]);
    MPI_Request_free(&r[1]);
    int done = 0;
    while (!done)
        MPI_Test(&r[0], &done, MPI_STATUS_IGNORE);
    CHECK(old[0] == me + 1 && old[1] == 0);
    MPI_Win_flush_local_all(win);
    CHECK(in[0] == me + 1);
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(mine[0] == before && mine[4] == before + 1);
    MPI_Win_free(&win);
}

/* A rank may wait for its own memory to change, with MPI_Win_sync or flushes only. */
static void watching(void)
{
    volatile int *mine;
    MPI_Win win;
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
    MPI_Win_lock_all(0, win);
    for (int way = 1; way <= 2; way++) {
        if (me == 0 && np > 1)
            MPI_Put(&way, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
        if (me > 0)
            while (*mine != way) {
                if (way == 1)
                    MPI_Win_sync(win);
                else
                    MPI_Win_flush(me, win);
            }
        if (me > 0 && me + 1 < np)
            MPI_Put(&way, 1, MPI_INT, me + 1, 0, 1, MPI_INT, win);
        MPI_Win_flush_all(win);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
}

/* More operations than fit at a time, on a target that does nothing else. */
static void many(void)
{
    enum { COUNT = 40000 };
    long mine = 0, x = 1;
    MPI_Win win;
    MPI_Win_create(&mine, sizeof(mine), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    if (me == np - 1)
        for (int i = 0; i < COUNT; i++)
            MPI_Accumulate(&x, 1, MPI_LONG, 0, 0, 1, MPI_LONG, MPI_SUM, win);
    MPI_Win_fence(0, win);
    CHECK(mine == (me == 0 ? COUNT : 0));
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    next = (me + 1) % np;
    before = (me + np - 1) % np;
    pairs_of_epochs();
    counters();
    requests();
    watching();
    many();
    return end("rma_sync");
}
