/* Windows whose memory is shared by the ranks of a node. */
#include "check.h"

static void together(MPI_Comm node, int rank, int size)
{
    MPI_Win win;
    int *mine, *first, *other, unit;
    MPI_Aint bytes;
    int count = 3 + rank;
    MPI_Win_allocate_shared(count * sizeof(int), sizeof(int), MPI_INFO_NULL, node, &mine, &win);
    MPI_Win_shared_query(win, 0, &bytes, &unit, &first);
    CHECK(bytes == 3 * sizeof(int) && unit == sizeof(int));
    /* Each part begins where the previous one ends. */
    int before = 0;
    for (int r = 0; r < rank; r++)
        before += 3 + r;
    CHECK(mine == first + before);
    MPI_Win_fence(0, win);
    for (int i = 0; i < count; i++)
        mine[i] = 100 * rank + i;
    MPI_Win_fence(0, win);
    for (int r = 0, at = 0; r < size; at += 3 + r++)
        CHECK(first[at] == 100 * r && first[at + 2 + r] == 100 * r + 2 + r);
    MPI_Win_fence(0, win);
    /* After the epoch, the result of a put is visible to all ranks, not only to the target. */
    int x = -7 - rank, next = (rank + 1) % size;
    MPI_Put(&x, 1, MPI_INT, next, 1, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Win_shared_query(win, size - 1, &bytes, &unit, &other);
    CHECK(other[1] == -7 - (size + size - 2) % size);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
    for (int r = 0; r < size; r++) {
        MPI_Win_shared_query(win, r, &bytes, &unit, &other);
        int one = 1;
        MPI_Accumulate(&one, 1, MPI_INT, r, 2, 1, MPI_INT, MPI_SUM, win);
        MPI_Win_flush(r, win);
        CHECK(other[2] > 100 * r + 2);
    }
    MPI_Win_sync(win);
    MPI_Barrier(node);
    MPI_Win_sync(win);
    CHECK(mine[2] == 100 * rank + 2 + size);
    /* One after the other, by polling a word of shared memory. */
    volatile int *word = first;
    while (*word != rank)
        MPI_Win_sync(win);
    *word = rank + 1;
    MPI_Win_sync(win);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
}

static void apart(MPI_Comm node, int rank, int size)
{
    MPI_Win win;
    MPI_Info info;
    char *mine, *other;
    int unit;
    MPI_Aint bytes;
    MPI_Info_create(&info);
    MPI_Info_set(info, "alloc_shared_noncontig", "true");
    MPI_Info_set(info, "mpi_minimum_memory_alignment", "4096");
    MPI_Win_allocate_shared(rank % 2 ? 100000 : 0, 1, info, node, &mine, &win);
    MPI_Info_free(&info);
    CHECK(rank % 2 == 0 || (MPI_Aint)mine % 4096 == 0);
    MPI_Win_fence(0, win);
    if (rank % 2)
        mine[99999] = rank;
    MPI_Win_fence(0, win);
    for (int r = 0; r < size; r++) {
        MPI_Win_shared_query(win, r, &bytes, &unit, &other);
        CHECK(bytes == (r % 2 ? 100000 : 0) && (r % 2 == 0 || other[99999] == r));
    }
    MPI_Win_shared_query(win, MPI_PROC_NULL, &bytes, &unit, &other);
    CHECK(bytes == (size > 1 ? 100000 : 0) && (size < 2 || other[99999] == 1));
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    MPI_Comm node;
    int rank, size, class;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &rank);
    MPI_Comm_size(node, &size);
    together(node, rank, size);
    for (int i = 0; i < 3; i++)
        apart(node, rank, size);
    MPI_Comm_free(&node);
    /* Ranks of different nodes share no memory. */
    if (size < np) {
        void *mine;
        MPI_Win win;
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        int code = MPI_Win_allocate_shared(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
        MPI_Error_class(code, &class);
        CHECK(class == MPI_ERR_RMA_SHARED);
    }
    return end("rma_shared");
}
