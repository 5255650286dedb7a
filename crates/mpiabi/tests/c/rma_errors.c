/* Windows as objects: attributes, hints, names, error handlers; and the errors of incorrect calls.
 * */
#include "check.h"

#define GOOD(call) CHECK((call) == MPI_SUCCESS)

static int mem[16], x = 5, y, called, deleted;
static MPI_Win win, seen;

static void handler(MPI_Win *win, int *code, ...)
{
    int class;
    MPI_Error_class(*code, &class);
    CHECK(class == MPI_ERR_RMA_SYNC);
    seen = *win;
    called++;
}
static int on_delete(MPI_Win win, int key, void *value, void *extra)
{
    CHECK(value == mem && extra == &deleted);
    deleted++;
    return MPI_SUCCESS;
}

static void about(void)
{
    void *base;
    MPI_Aint *size;
    int *unit, *flavor, *model, flag, key, length;
    MPI_Win_get_attr(win, MPI_WIN_BASE, &base, &flag);
    CHECK(flag && base == mem);
    MPI_Win_get_attr(win, MPI_WIN_SIZE, &size, &flag);
    CHECK(flag && *size == sizeof(mem));
    MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &unit, &flag);
    CHECK(flag && *unit == 4);
    MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &flavor, &flag);
    CHECK(flag && *flavor == MPI_WIN_FLAVOR_CREATE);
    MPI_Win_get_attr(win, MPI_WIN_MODEL, &model, &flag);
    CHECK(flag && *model == MPI_WIN_UNIFIED);
    MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, on_delete, &key, &deleted);
    MPI_Win_get_attr(win, key, &base, &flag);
    CHECK(!flag);
    MPI_Win_set_attr(win, key, mem);
    MPI_Win_get_attr(win, key, &base, &flag);
    CHECK(flag && base == mem);
    MPI_Win_delete_attr(win, key);
    CHECK(deleted == 1);
    MPI_Win_set_attr(win, key, mem);
    MPI_Win_free_keyval(&key);

    char text[MPI_MAX_OBJECT_NAME], value[64];
    MPI_Win_get_name(win, text, &length);
    CHECK(length == 0);
    MPI_Win_set_name(win, "table");
    MPI_Win_get_name(win, text, &length);
    CHECK(length == 5 && strcmp(text, "table") == 0);
    MPI_Info info;
    MPI_Win_get_info(win, &info);
    MPI_Info_get(info, "no_locks", 63, value, &flag);
    CHECK(flag && strcmp(value, "false") == 0);
    MPI_Info_set(info, "same_size", "true");
    MPI_Win_set_info(win, info);
    MPI_Info_free(&info);
    MPI_Win_get_info(win, &info);
    MPI_Info_get(info, "same_size", 63, value, &flag);
    CHECK(flag && strcmp(value, "true") == 0);
    MPI_Info_free(&info);
    MPI_Group group, world;
    int result;
    MPI_Win_get_group(win, &group);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_compare(group, world, &result);
    CHECK(result == MPI_IDENT);
    MPI_Group_free(&group);
    MPI_Group_free(&world);
}

static void arguments(void)
{
    MPI_Win other, null = MPI_WIN_NULL;
    MPI_Request r;
    MPI_Comm world = MPI_COMM_WORLD;
    CLASS(MPI_Win_create(mem, -1, 4, MPI_INFO_NULL, world, &other), MPI_ERR_SIZE);
    CLASS(MPI_Win_create(mem, 4, 0, MPI_INFO_NULL, world, &other), MPI_ERR_DISP);
    CLASS(MPI_Win_create(mem, 4, 1, MPI_INFO_NULL, MPI_COMM_NULL, &other), MPI_ERR_COMM);
    CLASS(MPI_Win_free(&null), MPI_ERR_WIN);
    CLASS(MPI_Win_fence(0, null), MPI_ERR_WIN);
    CLASS(MPI_Win_set_attr(null, 0, NULL), MPI_ERR_WIN);
    CLASS(MPI_Win_attach(win, mem, 4), MPI_ERR_RMA_FLAVOR);
    CLASS(MPI_Win_lock(77, 0, 0, win), MPI_ERR_LOCKTYPE);
    CLASS(MPI_Win_lock(MPI_LOCK_SHARED, np, 0, win), MPI_ERR_RANK);
    CLASS(MPI_Win_lock(MPI_LOCK_SHARED, 0, MPI_MODE_NOPUT, win), MPI_ERR_ASSERT);
    CLASS(MPI_Win_fence(MPI_MODE_NOCHECK, win), MPI_ERR_ASSERT);
    GOOD(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
    CLASS(MPI_Put(&x, -1, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_ERR_COUNT);
    CLASS(MPI_Put(&x, 1, MPI_INT, 0, 0, 1, MPI_DATATYPE_NULL, win), MPI_ERR_TYPE);
    CLASS(MPI_Put(&x, 1, MPI_INT, np, 0, 1, MPI_INT, win), MPI_ERR_RANK);
    CLASS(MPI_Put(&x, 1, MPI_INT, 0, -1, 1, MPI_INT, win), MPI_ERR_DISP);
    CLASS(MPI_Put(&x, 1, MPI_INT, 0, 16, 1, MPI_INT, win), MPI_ERR_RMA_RANGE);
    CLASS(MPI_Rput(&x, 1, MPI_INT, 0, 99, 1, MPI_INT, win, &r), MPI_ERR_RMA_RANGE);
    CLASS(MPI_Get(mem, 17, MPI_INT, 0, 0, 17, MPI_INT, win), MPI_ERR_RMA_RANGE);
    CLASS(MPI_Put(mem, 2, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_ERR_TRUNCATE);
    CLASS(MPI_Put(NULL, 1, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_ERR_BUFFER);
    CLASS(MPI_Accumulate(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_OP_NULL, win), MPI_ERR_OP);
    CLASS(MPI_Accumulate(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_NO_OP, win), MPI_ERR_OP);
    CLASS(MPI_Accumulate(&x, 1, MPI_FLOAT, 0, 0, 1, MPI_FLOAT, MPI_BAND, win), MPI_ERR_OP);
    CLASS(MPI_Accumulate(&x, 1, MPI_INT, 0, 0, 1, MPI_FLOAT, MPI_SUM, win), MPI_ERR_TYPE);
    CLASS(MPI_Compare_and_swap(&x, &x, &y, MPI_FLOAT, 0, 0, win), MPI_ERR_TYPE);
    GOOD(MPI_Win_unlock(0, win));
    GOOD(MPI_Win_create_dynamic(MPI_INFO_NULL, world, &other));
    MPI_Win_set_errhandler(other, MPI_ERRORS_RETURN);
    GOOD(MPI_Win_attach(other, mem, 32));
    CLASS(MPI_Win_attach(other, mem + 4, 4), MPI_ERR_RMA_ATTACH);
    CLASS(MPI_Win_detach(other, mem + 4), MPI_ERR_RMA_ATTACH);
    CLASS(MPI_Win_shared_query(other, 0, (MPI_Aint *)mem, mem, mem), MPI_ERR_RMA_FLAVOR);
    GOOD(MPI_Win_free(&other));
}

static void epochs(void)
{
    MPI_Group none = MPI_GROUP_EMPTY;
    CLASS(MPI_Put(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_ERR_RMA_SYNC);
    GOOD(MPI_Put(&x, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win));
    CLASS(MPI_Win_unlock(0, win), MPI_ERR_RMA_SYNC);
    CLASS(MPI_Win_unlock_all(win), MPI_ERR_RMA_SYNC);
    CLASS(MPI_Win_flush(0, win), MPI_ERR_RMA_SYNC);
    CLASS(MPI_Win_sync(win), MPI_ERR_RMA_SYNC);
    CLASS(MPI_Win_complete(win), MPI_ERR_RMA_SYNC);
    CLASS(MPI_Win_wait(win), MPI_ERR_RMA_SYNC);
    GOOD(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
    CLASS(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win), MPI_ERR_RMA_SYNC);
    CLASS(MPI_Win_lock_all(0, win), MPI_ERR_RMA_SYNC);
    CLASS(MPI_Win_fence(0, win), MPI_ERR_RMA_SYNC);
    CLASS(MPI_Win_start(none, 0, win), MPI_ERR_RMA_SYNC);
    CLASS(MPI_Win_free(&win), MPI_ERR_RMA_SYNC);
    GOOD(MPI_Win_unlock(0, win));
    GOOD(MPI_Win_start(none, 0, win));
    CLASS(MPI_Put(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_ERR_RMA_SYNC);
    GOOD(MPI_Win_complete(win));
    GOOD(MPI_Win_post(none, 0, win));
    CLASS(MPI_Win_post(none, 0, win), MPI_ERR_RMA_SYNC);
    GOOD(MPI_Win_wait(win));
    /* A fence epoch without an operation need not be ended; with one it needs a fence. */
    GOOD(MPI_Win_fence(0, win));
    GOOD(MPI_Win_lock(MPI_LOCK_SHARED, me, 0, win));
    GOOD(MPI_Win_unlock(me, win));
    GOOD(MPI_Win_fence(0, win));
    GOOD(MPI_Put(&x, 1, MPI_INT, me, 0, 1, MPI_INT, win));
    CLASS(MPI_Win_lock(MPI_LOCK_SHARED, me, 0, win), MPI_ERR_RMA_SYNC);
    CLASS(MPI_Win_free(&win), MPI_ERR_RMA_SYNC);
    GOOD(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    CLASS(MPI_Put(&x, 1, MPI_INT, me, 0, 1, MPI_INT, win), MPI_ERR_RMA_SYNC);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    MPI_Errhandler own, got;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Win_create(mem, sizeof(mem), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_get_errhandler(win, &got);
    CHECK(got == MPI_ERRORS_ARE_FATAL);
    MPI_Win_create_errhandler(handler, &own);
    MPI_Win_set_errhandler(win, own);
    CLASS(MPI_Win_unlock(0, win), MPI_ERR_RMA_SYNC);
    MPI_Win_call_errhandler(win, MPI_ERR_RMA_SYNC);
    CHECK(called == 2 && seen == win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Errhandler_free(&own);
    about();
    arguments();
    epochs();
    CHECK(deleted == 1);
    MPI_Win freed = win;
    GOOD(MPI_Win_free(&win));
    CHECK(win == MPI_WIN_NULL && deleted == 2);
    CLASS(MPI_Win_fence(0, freed), MPI_ERR_WIN);
    return end("rma_errors");
}
