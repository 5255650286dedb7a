/* Incorrect calls return the right class to a program that requested error codes. */
#include "check.h"

static int called;
static void handler(MPI_Comm *comm, int *code, ...)
{
    int class;
    MPI_Error_class(*code, &class);
    CHECK(*comm == MPI_COMM_WORLD && class == MPI_ERR_RANK);
    called++;
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    int x[8] = {0};
    CLASS(MPI_Send(x, 1, MPI_INT, np, 0, MPI_COMM_WORLD), MPI_ERR_RANK);
    CLASS(MPI_Send(x, 1, MPI_INT, -77, 0, MPI_COMM_WORLD), MPI_ERR_RANK);
    CLASS(MPI_Send(x, -1, MPI_INT, 0, 0, MPI_COMM_WORLD), MPI_ERR_COUNT);
    CLASS(MPI_Send(x, 1, MPI_INT, 0, -5, MPI_COMM_WORLD), MPI_ERR_TAG);
    CLASS(MPI_Send(x, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD), MPI_ERR_TYPE);
    CLASS(MPI_Send(x, 1, MPI_INT, 0, 0, MPI_COMM_NULL), MPI_ERR_COMM);
    CLASS(MPI_Bcast(x, 1, MPI_INT, np, MPI_COMM_WORLD), MPI_ERR_ROOT);
    CLASS(MPI_Allreduce(x, x + 1, 1, MPI_INT, MPI_OP_NULL, MPI_COMM_WORLD), MPI_ERR_OP);
    CLASS(MPI_Allreduce(x, x + 1, 1, MPI_DOUBLE, MPI_BAND, MPI_COMM_WORLD), MPI_ERR_OP);
    MPI_Datatype type;
    MPI_Type_contiguous(2, MPI_INT, &type);
    CLASS(MPI_Send(x, 1, type, 0, 0, MPI_COMM_WORLD), MPI_ERR_TYPE);
    MPI_Type_free(&type);

    /* A message too long for its buffer: the error is returned by the receive, and the rest is
     * right. */
    int next = (me + 1) % np, before = (me + np - 1) % np, in[4] = {-1, -1, -1, -1}, count;
    MPI_Request r;
    MPI_Status status;
    MPI_Isend(x, 4, MPI_INT, next, 1, MPI_COMM_WORLD, &r);
    CLASS(MPI_Recv(in, 2, MPI_INT, before, 1, MPI_COMM_WORLD, &status), MPI_ERR_TRUNCATE);
    CHECK(in[1] == 0 && in[2] == -1);
    MPI_Wait(&r, MPI_STATUS_IGNORE);

    MPI_Request two[2];
    MPI_Status statuses[2];
    MPI_Irecv(in, 2, MPI_INT, before, 2, MPI_COMM_WORLD, &two[0]);
    MPI_Irecv(in + 2, 2, MPI_INT, before, 3, MPI_COMM_WORLD, &two[1]);
    MPI_Send(x, 2, MPI_INT, next, 2, MPI_COMM_WORLD);
    MPI_Send(x, 3, MPI_INT, next, 3, MPI_COMM_WORLD);
    CLASS(MPI_Waitall(2, two, statuses), MPI_ERR_IN_STATUS);
    CHECK(statuses[0].MPI_ERROR == MPI_SUCCESS);
    CLASS(statuses[1].MPI_ERROR, MPI_ERR_TRUNCATE);
    MPI_Get_count(&statuses[0], MPI_INT, &count);
    CHECK(count == 2);

    MPI_Errhandler mine;
    MPI_Comm_create_errhandler(handler, &mine);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, mine);
    MPI_Errhandler_free(&mine);
    MPI_Send(x, 1, MPI_INT, np + 3, 0, MPI_COMM_WORLD);
    CHECK(called == 1);

    /* A stale handle accepts no handler: the next communicator may have the same slot. */
    MPI_Comm gone, copy;
    MPI_Comm_dup(MPI_COMM_SELF, &gone);
    copy = gone;
    MPI_Comm_free(&gone);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    CHECK(MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN) == MPI_ERR_COMM);
    return end("errors");
}
