/* Corner cases that real programs use: arguments that need not be valid, requests that are freed
 * early, processes forked by a rank. */
#include "check.h"
#include <sys/wait.h>
#include <unistd.h>

/* The receive buffer of an exclusive scan is not significant on rank 0. */
static void exscan(void)
{
    int mine = me + 1, sum = -1;
    MPI_Exscan(&mine, me ? &sum : NULL, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(me == 0 || sum == me * (me + 1) / 2);
    int both = me + 1;
    MPI_Exscan(MPI_IN_PLACE, &both, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(both == (me ? me * (me + 1) / 2 : 1));
}

/* Empty blocks may have the null datatype. */
static void alltoallw(void)
{
    int *zero = calloc(np, sizeof *zero);
    MPI_Datatype *none = malloc(np * sizeof *none);
    for (int i = 0; i < np; i++)
        none[i] = MPI_DATATYPE_NULL;
    MPI_Alltoallw(NULL, zero, zero, none, NULL, zero, zero, none, MPI_COMM_WORLD);
    free(zero);
    free(none);
}

/* A buffered send may be prepared before its buffer is attached. */
static void prepared(void)
{
    int word = me, got = -1, size = sizeof word + MPI_BSEND_OVERHEAD;
    void *room = malloc(size);
    MPI_Request send;
    MPI_Bsend_init(&word, 1, MPI_INT, (me + 1) % np, 4, MPI_COMM_WORLD, &send);
    MPI_Buffer_attach(room, size);
    MPI_Start(&send);
    MPI_Recv(&got, 1, MPI_INT, (me + np - 1) % np, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    CHECK(got == (me + np - 1) % np);
    MPI_Request_free(&send);
    MPI_Buffer_detach(&room, &size);
    free(room);
}

/* A receive whose request was freed still completes, before a later message of the same source. */
static void given_away(void)
{
    int word = 100 + me, got = -1, later = -1;
    MPI_Request receive;
    MPI_Irecv(&got, 1, MPI_INT, (me + np - 1) % np, 5, MPI_COMM_WORLD, &receive);
    MPI_Request_free(&receive);
    MPI_Send(&word, 1, MPI_INT, (me + 1) % np, 5, MPI_COMM_WORLD);
    MPI_Send(&word, 1, MPI_INT, (me + 1) % np, 6, MPI_COMM_WORLD);
    MPI_Recv(&later, 1, MPI_INT, (me + np - 1) % np, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(later == 100 + (me + np - 1) % np);
    CHECK(got == 100 + (me + np - 1) % np);
}

/* A process forked by a rank may end in any way; the job continues. */
static void forked(void)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        MPI_Finalize();
        _exit(7);
    }
    CHECK(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    exscan();
    alltoallw();
    prepared();
    given_away();
    forked();
    return end("corners");
}
