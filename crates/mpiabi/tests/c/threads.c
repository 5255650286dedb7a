/* Several threads per rank in MPI at once: each gets its own messages, whichever thread receives
 * them. */
#include <pthread.h>

#include "check.h"

#define MOST 8
#define ROUNDS 50

static MPI_Comm comms[MOST];
static int threads;

typedef void *Body(void *);

/* Starts `n` threads with their numbers, and waits for them. */
static void together(int n, Body *body)
{
    pthread_t ids[MOST];
    for (long i = 0; i < n; i++)
        CHECK(pthread_create(&ids[i], NULL, body, (void *)i) == 0);
    for (int i = 0; i < n; i++)
        pthread_join(ids[i], NULL);
}

/* Each with its own communicator. */
static void *ring(void *arg)
{
    MPI_Comm comm = comms[(long)arg];
    int next = (me + 1) % np, before = (me + np - 1) % np;
    int n = 100 << (long)arg;
    int *out = malloc(n * sizeof *out), *in = malloc(n * sizeof *in);
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Request requests[2];
        MPI_Status status;
        for (int i = 0; i < n; i++)
            out[i] = me + round * i + (int)(long)arg;
        if (round % 2) {
            MPI_Sendrecv(out, n, MPI_INT, next, round, in, n, MPI_INT, before, round, comm, &status);
        } else {
            MPI_Irecv(in, n, MPI_INT, before, round, comm, &requests[0]);
            MPI_Issend(out, n, MPI_INT, next, round, comm, &requests[1]);
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        }
        for (int i = 0; i < n; i++)
            CHECK(in[i] == before + round * i + (int)(long)arg);
    }
    free(out);
    free(in);
    return NULL;
}

/* All in the same communicator, distinguished by tag, also to the own rank. */
static void *tagged(void *arg)
{
    int tag = (int)(long)arg;
    for (int round = 0; round < ROUNDS; round++) {
        for (int shift = 0; shift < np; shift++) {
            int to = (me + shift) % np, from = (me + np - shift) % np, got = -1;
            int mine = me * 1000 + tag;
            MPI_Sendrecv(&mine, 1, MPI_INT, to, tag, &got, 1, MPI_INT, from, tag, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
            CHECK(got == from * 1000 + tag);
        }
    }
    return NULL;
}

/* More at once than the library passes in one hand-over (256), from all threads. */
#define FLOOD 700
static void *flood(void *arg)
{
    int tag = (int)(long)arg, next = (me + 1) % np, before = (me + np - 1) % np;
    static int in[MOST][FLOOD], out[MOST][FLOOD];
    MPI_Request requests[2 * FLOOD];
    for (int i = 0; i < FLOOD; i++) {
        out[tag][i] = me * 1000 + i;
        MPI_Irecv(&in[tag][i], 1, MPI_INT, before, tag, MPI_COMM_WORLD, &requests[2 * i]);
        MPI_Isend(&out[tag][i], 1, MPI_INT, next, tag, MPI_COMM_WORLD, &requests[2 * i + 1]);
    }
    MPI_Waitall(2 * FLOOD, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < FLOOD; i++)
        CHECK(in[tag][i] == before * 1000 + i);
    return NULL;
}

/* Collectives, each thread in its communicator, with a predefined and a user-defined operator. */
static void twice_sum(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *n; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

static void *collectives(void *arg)
{
    MPI_Comm comm = comms[(long)arg];
    MPI_Op op;
    MPI_Op_create(twice_sum, 1, &op);
    for (int round = 0; round < ROUNDS / 5; round++) {
        int mine[3] = {me, round, (int)(long)arg}, sum[3];
        MPI_Allreduce(mine, sum, 3, MPI_INT, round % 2 ? op : MPI_SUM, comm);
        CHECK(sum[0] == np * (np - 1) / 2 && sum[1] == np * round && sum[2] == np * mine[2]);
        int root = round % np, word = me == root ? round : -1;
        MPI_Request request;
        MPI_Ibcast(&word, 1, MPI_INT, root, comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        CHECK(word == round);
        MPI_Barrier(comm);
    }
    MPI_Op_free(&op);
    return NULL;
}

/* One thread waits for what another one of the same rank sends after it has computed. */
static void *receiver(void *arg)
{
    int got = -1;
    MPI_Recv(&got, 1, MPI_INT, me, 77, comms[0], MPI_STATUS_IGNORE);
    CHECK(got == 4711);
    return arg;
}

static double work(void)
{
    double x = 1;
    for (int i = 0; i < 30000000; i++)
        x += 1 / x;
    return x;
}

static void to_oneself(void)
{
    pthread_t id;
    CHECK(pthread_create(&id, NULL, receiver, NULL) == 0);
    CHECK(work() > 1);
    int word = 4711;
    MPI_Send(&word, 1, MPI_INT, me, 77, comms[0]);
    pthread_join(id, NULL);
}

/* The main thread is outside of MPI. */
static void *helper(void *arg)
{
    int main_thread = -1;
    MPI_Is_thread_main(&main_thread);
    CHECK(!main_thread);
    for (int round = 0; round < ROUNDS; round++)
        MPI_Barrier(comms[1]);
    return arg;
}

/* A server receives any message; workers of all ranks send requests and receive replies. */
static int stop_tag = 1000;

static void *server(void *arg)
{
    for (int stopped = 0; stopped < np;) {
        MPI_Message message;
        MPI_Status status;
        int word;
        MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comms[0], &message, &status);
        MPI_Mrecv(&word, 1, MPI_INT, &message, &status);
        if (status.MPI_TAG == stop_tag) {
            stopped++;
            continue;
        }
        word += 1;
        MPI_Send(&word, 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, comms[1]);
    }
    return arg;
}

static void *worker(void *arg)
{
    int tag = (int)(long)arg;
    for (int round = 0; round < ROUNDS / 5; round++) {
        int server_rank = (me + round) % np, word = round * 100 + tag, answer = -1;
        MPI_Request request;
        MPI_Irecv(&answer, 1, MPI_INT, server_rank, tag, comms[1], &request);
        MPI_Send(&word, 1, MPI_INT, server_rank, tag, comms[0]);
        int done = 0;
        while (!done)
            MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        CHECK(answer == word + 1);
    }
    return NULL;
}

static void serve(void)
{
    pthread_t id;
    CHECK(pthread_create(&id, NULL, server, NULL) == 0);
    together(threads, worker);
    for (int to = 0; to < np; to++)
        MPI_Send(&to, 1, MPI_INT, to, stop_tag, comms[0]);
    pthread_join(id, NULL);
}

/* Requests created by one thread and completed by another. */
static MPI_Request handed[MOST];
static int landed[MOST];

static void *completes(void *arg)
{
    long i = (long)arg;
    MPI_Wait(&handed[i], MPI_STATUS_IGNORE);
    CHECK(landed[i] == (me + np - 1) % np * 10 + i);
    return NULL;
}

static void hand_round(void)
{
    for (int i = 0; i < threads; i++)
        MPI_Irecv(&landed[i], 1, MPI_INT, (me + np - 1) % np, i, comms[0], &handed[i]);
    pthread_t ids[MOST];
    for (long i = 0; i < threads; i++)
        CHECK(pthread_create(&ids[i], NULL, completes, (void *)i) == 0);
    for (int i = threads; i-- > 0;) {
        int word = me * 10 + i;
        MPI_Send(&word, 1, MPI_INT, (me + 1) % np, i, comms[0]);
    }
    for (int i = 0; i < threads; i++)
        pthread_join(ids[i], NULL);
}

int main(int argc, char **argv)
{
    int provided = -1;
    begin_threads(&argc, &argv);
    CHECK(MPI_Query_thread(&provided) == MPI_SUCCESS && provided == MPI_THREAD_MULTIPLE);
    int main_thread = 0;
    MPI_Is_thread_main(&main_thread);
    CHECK(main_thread);
    for (int i = 0; i < MOST; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    for (threads = 2; threads <= MOST; threads *= 2) {
        together(threads, ring);
        together(threads, tagged);
        together(threads, collectives);
        together(threads, flood);
        hand_round();
    }
    threads = 3;
    to_oneself();
    together(1, helper);
    serve();
    for (int i = 0; i < MOST; i++)
        MPI_Comm_free(&comms[i]);
    return end("threads");
}
