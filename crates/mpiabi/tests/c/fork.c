/* A process forked during a call may use the inquiry functions that are always legal, and end in
 * any way. */
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static int forks(MPI_Comm comm, int keyval, void *extra, void *value, void *copy, int *flag)
{
    (void)comm, (void)keyval, (void)extra, (void)value, (void)copy;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        int initialized = 0, finalized = 1;
        MPI_Initialized(&initialized);
        MPI_Finalized(&finalized);
        MPI_Finalize();
        _exit(initialized && !finalized ? 7 : 1);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    *flag = 0;
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    int keyval;
    MPI_Comm copy;
    MPI_Comm_create_keyval(forks, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
    MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, &me);
    CHECK(MPI_Comm_dup(MPI_COMM_WORLD, &copy) == MPI_SUCCESS);
    MPI_Comm_free(&copy);
    MPI_Comm_delete_attr(MPI_COMM_WORLD, keyval);
    return end("fork");
}
