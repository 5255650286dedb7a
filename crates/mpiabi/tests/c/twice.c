#include "check.h"
#include <pthread.h>
/* Two threads must not complete one request; if they do, one of them gets an error. */
static MPI_Request shared;
static int codes[2];
static void *waits(void *arg)
{
    MPI_Request mine = shared;
    codes[(long)arg] = MPI_Wait(&mine, MPI_STATUS_IGNORE);
    return NULL;
}
int main(int argc, char **argv)
{
    (void)begin;
    int level, value = -1;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &np);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Irecv(&value, 1, MPI_INT, me, 1, MPI_COMM_WORLD, &shared);
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, waits, (void *)i);
    MPI_Send(&me, 1, MPI_INT, me, 1, MPI_COMM_WORLD);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    CHECK(value == me);
    CHECK((codes[0] == MPI_SUCCESS) != (codes[1] == MPI_SUCCESS));
    CHECK(codes[0] == MPI_SUCCESS || codes[0] == MPI_ERR_REQUEST);
    CHECK(codes[1] == MPI_SUCCESS || codes[1] == MPI_ERR_REQUEST);
    return end("twice");
}
