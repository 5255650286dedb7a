/* Attached buffers of buffered sends fill, empty, and can be flushed. */
#include "check.h"

#include <stdlib.h>

enum { BIG = 1 << 20, ROOM = BIG + MPI_BSEND_OVERHEAD };

static int class_of(int code)
{
    int class;
    MPI_Error_class(code, &class);
    return class;
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    int next = (me + 1) % np, before = (me + np - 1) % np, size;
    char *big = malloc(BIG), *in = malloc(BIG), *buffer = malloc(ROOM);
    void *detached;
    MPI_Comm solo = MPI_COMM_SELF;
    for (int i = 0; i < BIG; i++)
        big[i] = (char)(me + i);
    CHECK(class_of(MPI_Bsend(big, 1, MPI_BYTE, next, 0, MPI_COMM_WORLD)) == MPI_ERR_BUFFER);
    CHECK(class_of(MPI_Buffer_detach(&detached, &size)) == MPI_ERR_BUFFER);
    MPI_Buffer_attach(buffer, ROOM);
    CHECK(class_of(MPI_Buffer_attach(buffer, ROOM)) == MPI_ERR_BUFFER);
    CHECK(class_of(MPI_Bsend(big, BIG + 1, MPI_BYTE, next, 0, MPI_COMM_WORLD)) == MPI_ERR_BUFFER);

    /* One big message fills the buffer until it is received; eager ones leave at once. (With one
     * rank there is no other to wait for.) */
    CHECK(MPI_Bsend(big, BIG, MPI_BYTE, next, 1, MPI_COMM_WORLD) == MPI_SUCCESS);
    if (np > 1)
        CHECK(class_of(MPI_Bsend(big, 1, MPI_BYTE, next, 2, MPI_COMM_WORLD)) == MPI_ERR_BUFFER);
    MPI_Recv(in, BIG, MPI_BYTE, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(in[12345] == (char)(before + 12345));
    MPI_Buffer_detach(&detached, &size);
    CHECK(detached == buffer && size == ROOM);

    MPI_Buffer_attach(buffer, 3 * (8 + MPI_BSEND_OVERHEAD));
    for (int i = 0; i < 100; i++)
        CHECK(MPI_Bsend(big, 8, MPI_BYTE, next, 3, MPI_COMM_WORLD) == MPI_SUCCESS);
    for (int i = 0; i < 100; i++)
        MPI_Recv(in, 8, MPI_BYTE, before, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Buffer_flush();
    MPI_Buffer_detach(&detached, &size);

    /* A buffer of one communicator, and an automatic one. */
    MPI_Comm_attach_buffer(solo, buffer, ROOM);
    CHECK(class_of(MPI_Bsend(big, 8, MPI_BYTE, next, 4, MPI_COMM_WORLD)) == MPI_ERR_BUFFER);
    CHECK(MPI_Bsend(big, 8, MPI_BYTE, 0, 4, solo) == MPI_SUCCESS);
    MPI_Recv(in, 8, MPI_BYTE, 0, 4, solo, MPI_STATUS_IGNORE);
    MPI_Comm_flush_buffer(solo);
    MPI_Comm_detach_buffer(solo, &detached, &size);
    CHECK(detached == buffer);
    MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0);
    for (int i = 0; i < 4; i++)
        CHECK(MPI_Bsend(big, BIG, MPI_BYTE, next, 5, MPI_COMM_WORLD) == MPI_SUCCESS);
    MPI_Request flush;
    MPI_Buffer_iflush(&flush);
    for (int i = 0; i < 4; i++)
        MPI_Recv(in, BIG, MPI_BYTE, before, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&flush, MPI_STATUS_IGNORE);
    CHECK(flush == MPI_REQUEST_NULL);
    MPI_Buffer_detach(&detached, &size);
    CHECK(detached == MPI_BUFFER_AUTOMATIC);
    free(big);
    free(in);
    free(buffer);
    return end("buffered");
}
