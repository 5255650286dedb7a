/* Two threads wait for one operation. The first that sees its completion starts another at once,
 * which only completes when the slower thread has proceeded. */
#include <pthread.h>

#include "check.h"

/* Which thread is first depends on the scheduler: enough rounds for both cases. */
#define ROUNDS 60
#define WORDS 20000

static MPI_Comm comm;
static MPI_Win win;
static int out[WORDS], in[WORDS];
static pthread_barrier_t both;
static MPI_Request request = MPI_REQUEST_NULL;

static void put(void)
{
    MPI_Put(out, WORDS, MPI_INT, (me + 1) % np, 0, WORDS, MPI_INT, win);
}
static void put_by_request(void)
{
    MPI_Rput(out, WORDS, MPI_INT, (me + 1) % np, 0, WORDS, MPI_INT, win, &request);
}
static void wait_for_request(void)
{
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}
static void flush_window(void)
{
    MPI_Win_flush((me + 1) % np, win);
}

static void send_buffered(void)
{
    MPI_Irecv(in, WORDS, MPI_INT, me, 1, comm, &request);
    MPI_Bsend(out, WORDS, MPI_INT, me, 1, comm);
}
static void flush_buffer(void)
{
    MPI_Comm_flush_buffer(comm);
}
static void flush_buffer_by_request(void)
{
    MPI_Request flush;
    MPI_Comm_iflush_buffer(comm, &flush);
    MPI_Wait(&flush, MPI_STATUS_IGNORE);
}

/* The operation that the first thread starts, and how each thread waits for it. */
typedef void Step(void);
static Step *const CASES[][3] = {
    {put, flush_window, flush_window},
    {put_by_request, wait_for_request, flush_window},
    {send_buffered, flush_buffer, flush_buffer},
    {send_buffered, flush_buffer, flush_buffer_by_request},
    {send_buffered, flush_buffer_by_request, flush_buffer},
};
enum { TIMES = ROUNDS * (int)(sizeof CASES / sizeof *CASES) };

static void *second(void *arg)
{
    for (int i = 0; i < TIMES; i++) {
        pthread_barrier_wait(&both);
        CASES[i / ROUNDS][2]();
        MPI_Send(&i, 1, MPI_INT, me, 2, comm);
        pthread_barrier_wait(&both);
    }
    return arg;
}

static void first(void)
{
    for (int i = 0; i < TIMES; i++) {
        int word = -1;
        CASES[i / ROUNDS][0]();
        pthread_barrier_wait(&both);
        CASES[i / ROUNDS][1]();
        MPI_Recv(&word, 1, MPI_INT, me, 2, comm, MPI_STATUS_IGNORE);
        CHECK(word == i);
        pthread_barrier_wait(&both);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv)
{
    static char room[sizeof out + 1024];
    int *mem;
    pthread_t thread;
    begin_threads(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_attach_buffer(comm, room, sizeof room);
    MPI_Win_allocate(sizeof out, sizeof(int), MPI_INFO_NULL, comm, &mem, &win);
    MPI_Win_lock_all(0, win);
    pthread_barrier_init(&both, NULL, 2);
    CHECK(pthread_create(&thread, NULL, second, NULL) == 0);
    first();
    pthread_join(thread, NULL);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Comm_free(&comm);
    return end("shared_waits");
}
