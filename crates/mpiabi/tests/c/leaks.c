/* Operations that a program frees before they complete, or never starts, take no memory in the long
 * run. */
#include "check.h"
#include <unistd.h>

enum { ROUNDS = 3000, MOST_KIB = 128 };

static int out[100], in[100];
static MPI_Win window;

/* No call here waits. */
static void free_active(void)
{
    MPI_Request send, receive;
    MPI_Send_init(out, 100, MPI_INT, me, 1, MPI_COMM_WORLD, &send);
    MPI_Recv_init(in, 100, MPI_INT, me, 1, MPI_COMM_WORLD, &receive);
    MPI_Start(&send);
    MPI_Start(&receive);
    MPI_Request_free(&send);
    MPI_Request_free(&receive);
}
static void free_cancelled(void)
{
    MPI_Request request;
    MPI_Irecv(in, 100, MPI_INT, me, 2, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Request_free(&request);
}
static void free_one_sided(void)
{
    MPI_Request put, get;
    MPI_Win_lock(MPI_LOCK_SHARED, me, 0, window);
    MPI_Rput(out, 10, MPI_INT, me, 0, 10, MPI_INT, window, &put);
    MPI_Request_free(&put);
    MPI_Rget(in, 10, MPI_INT, me, 0, 10, MPI_INT, window, &get);
    MPI_Request_free(&get);
    MPI_Win_unlock(me, window);
}
static void never_start_partitions(void)
{
    MPI_Request send, receive;
    MPI_Psend_init(out, 4, 10, MPI_INT, me, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &send);
    MPI_Precv_init(in, 4, 10, MPI_INT, me, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &receive);
    MPI_Request_free(&send);
    MPI_Request_free(&receive);
}
static void fail(void)
{
    MPI_Request request;
    CHECK(MPI_Isend(out, -1, MPI_INT, me, 4, MPI_COMM_WORLD, &request) != MPI_SUCCESS);
    MPI_Isend(out, 100, MPI_INT, me, 4, MPI_COMM_WORLD, &request);
    CHECK(MPI_Recv(in, 10, MPI_INT, me, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE) != MPI_SUCCESS);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(MPI_Put(out, 10, MPI_INT, me, 0, 10, MPI_INT, window) != MPI_SUCCESS);
}

/* Current resident memory. (The peak is inherited from the parent process.) */
static long used_kib(void)
{
    long all = 0, resident = 0;
    FILE *statm = fopen("/proc/self/statm", "r");
    CHECK(statm && fscanf(statm, "%ld %ld", &all, &resident) == 2);
    fclose(statm);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    void (*patterns[])(void) = {free_active, free_cancelled, free_one_sided,
                                never_start_partitions, fail};
    void *base;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Win_allocate(400, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window);
    MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
    for (int p = 0; p < (int)(sizeof patterns / sizeof *patterns); p++) {
        long before = 0, grown = 0;
        /* The first pass also touches memory that stays. */
        for (int pass = 0; pass < 2; pass++) {
            before = used_kib();
            for (int i = 0; i < ROUNDS && me == np - 1; i++)
                patterns[p]();
            MPI_Barrier(MPI_COMM_WORLD);
            grown = used_kib() - before;
        }
        if (grown > MOST_KIB)
            fprintf(stderr, "pattern %d takes %ld KiB in %d rounds\n", p, grown, ROUNDS);
        CHECK(grown <= MOST_KIB);
    }
    MPI_Win_free(&window);
    return end("leaks");
}
