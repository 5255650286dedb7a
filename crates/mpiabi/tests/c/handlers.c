/* Error handlers that change the code, the handler of an object without its own, handles after a
 * failed call, and keys used on another kind of object. Where the standard is silent, the expected
 * behavior is that of MPICH 5.0.2. */
#include "check.h"

static int hits, now; /* the code that the handlers return */
static MPI_Comm on;
static void comm_handler(MPI_Comm *comm, int *code, ...)
{
    on = *comm;
    hits++;
    *code = now;
}
static void win_handler(MPI_Win *win, int *code, ...)
{
    (void)win;
    hits++;
    *code = now;
}
static void file_handler(MPI_File *file, int *code, ...)
{
    (void)file;
    hits++;
    *code = now;
}
static void session_handler(MPI_Session *session, int *code, ...)
{
    (void)session;
    hits++;
    *code = now;
}

/* Each call returns the code that its handler sets. */
#define CHANGED(call)                                   \
    do {                                                \
        const int codes[] = {MPI_ERR_OTHER, own, 0};    \
        for (int i = 0; i < 3; i++) {                   \
            int before = hits;                          \
            now = codes[i];                             \
            CHECK((call) == codes[i] && hits == before + 1); \
        }                                               \
    } while (0)

static int own;

static void change_the_code(void)
{
    int x = 0, class;
    MPI_Errhandler handler;
    MPI_Comm comm;
    MPI_Add_error_class(&class);
    MPI_Add_error_code(class, &own);

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_create_errhandler(comm_handler, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Errhandler_free(&handler);
    CHANGED(MPI_Send(&x, 1, MPI_INT, np, 0, comm));
    MPI_Request request;
    CHANGED(MPI_Irecv(&x, -1, MPI_INT, 0, 0, comm, &request));
    CHANGED(MPI_Comm_delete_attr(comm, MPI_KEYVAL_INVALID));
    /* A receive whose error is found by the wait. */
    MPI_Request two[2];
    char small[1], large[4] = {0};
    MPI_Irecv(small, 1, MPI_CHAR, me, 1, comm, &two[0]);
    MPI_Isend(large, 4, MPI_CHAR, me, 1, comm, &two[1]);
    now = own;
    CHECK(MPI_Wait(&two[0], MPI_STATUS_IGNORE) == own);
    MPI_Wait(&two[1], MPI_STATUS_IGNORE);
    /* Calling the handler is not a failure (MPI 5.0, 9.5). */
    int before = hits;
    CHECK(MPI_Comm_call_errhandler(comm, MPI_ERR_TAG) == MPI_SUCCESS && hits == before + 1);

    MPI_Win win;
    MPI_Win_create(&x, sizeof x, 1, MPI_INFO_NULL, comm, &win);
    MPI_Win_create_errhandler(win_handler, &handler);
    MPI_Win_set_errhandler(win, handler);
    MPI_Errhandler_free(&handler);
    CHANGED(MPI_Put(&x, 1, MPI_INT, np, 0, 1, MPI_INT, win));
    CHANGED(MPI_Win_lock(-1, 0, 0, win));
    MPI_Win_free(&win);

    MPI_File file;
    MPI_File_create_errhandler(file_handler, &handler);
    MPI_File_set_errhandler(MPI_FILE_NULL, handler);
    CHANGED(MPI_File_open(MPI_COMM_SELF, "/nowhere/at/all", MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
    MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN);
    char name[64];
    snprintf(name, sizeof name, "handlers-%d-%d.dat", (int)np, me);
    int mode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
    CHECK(MPI_File_open(MPI_COMM_SELF, name, mode, MPI_INFO_NULL, &file) == MPI_SUCCESS);
    MPI_File_set_errhandler(file, handler);
    MPI_Errhandler_free(&handler);
    CHANGED(MPI_File_seek(file, -1, MPI_SEEK_SET));
    CHANGED(MPI_File_read(file, &x, -1, MPI_INT, MPI_STATUS_IGNORE));
    MPI_File_close(&file);

    MPI_Session session;
    MPI_Group group;
    MPI_Session_create_errhandler(session_handler, &handler);
    MPI_Session_init(MPI_INFO_NULL, handler, &session);
    CHANGED(MPI_Group_from_session_pset(session, "none of that name", &group));
    MPI_Session_finalize(&session);
    MPI_Errhandler_free(&handler);
    MPI_Comm_free(&comm);
}

/* An object without a handler uses that of MPI_COMM_SELF, or else of MPI_COMM_WORLD: here a
 * communicator's key on a window. */
static void whose_handler(void)
{
    int x = 0, key, *value, flag;
    MPI_Comm comm;
    MPI_Win win;
    MPI_Errhandler handler, found;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Win_create(&x, sizeof x, 1, MPI_INFO_NULL, comm, &win);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_create_errhandler(comm_handler, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    for (int self = 0; self < 2; self++) {
        MPI_Comm whose = self ? MPI_COMM_SELF : MPI_COMM_WORLD;
        MPI_Comm_set_errhandler(whose, handler);
        now = MPI_ERR_OTHER;
        CHECK(MPI_Win_set_attr(win, key, &x) == now && on == whose);
        CHECK(MPI_Win_get_attr(win, key, &value, &flag) == now && on == whose);
        CHECK(MPI_Win_delete_attr(win, key) == now && on == whose);
        CHECK(MPI_Type_set_attr(MPI_INT, key, &x) == now && on == whose);
        CHECK(MPI_Put(&x, 1, MPI_INT, np, 0, 1, MPI_INT, win) == now && on == whose);
        CHECK(MPI_Send(&x, 1, MPI_INT, np, 0, comm) == now && on == whose);
    }
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    int before = hits;
    CLASS(MPI_Win_set_attr(win, key, &x), MPI_ERR_KEYVAL);
    CLASS(MPI_Send(&x, 1, MPI_INT, np, 0, comm), MPI_ERR_RANK);
    CHECK(hits == before);
    /* It still has none of its own; one that is set applies. */
    MPI_Win_get_errhandler(win, &found);
    CHECK(found == MPI_ERRORS_ARE_FATAL);
    MPI_Errhandler windows;
    MPI_Win_create_errhandler(win_handler, &windows);
    MPI_Win_set_errhandler(win, windows);
    MPI_Errhandler_free(&windows);
    on = MPI_COMM_NULL;
    CHECK(MPI_Win_set_attr(win, key, &x) == now && hits == before + 1 && on == MPI_COMM_NULL);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Errhandler_free(&handler);
    MPI_Comm_free_keyval(&key);
    MPI_Win_free(&win);
    MPI_Comm_free(&comm);
}

/* A handle that no call returns. */
#define PRESET(type) ((type)(intptr_t)0x1234567)
#define NULLED(type, null, call)  \
    do {                          \
        type h = PRESET(type);    \
        CHECK((call) != 0);       \
        CHECK(h == (null));       \
    } while (0)

static void handles(void)
{
    int dims[] = {np + 1}, periods[] = {0}, far[] = {np + 5}, x = 0;
    int index[] = {1, 0}, edges[] = {0}, one[] = {1};
    MPI_Comm world = MPI_COMM_WORLD;
    MPI_Group group;
    MPI_Request request;
    MPI_Status status;
    MPI_Comm_group(world, &group);
    NULLED(MPI_Comm, MPI_COMM_NULL, MPI_Cart_create(world, 1, dims, periods, 0, &h));
    NULLED(MPI_Comm, MPI_COMM_NULL, MPI_Cart_create(world, -1, dims, periods, 0, &h));
    NULLED(MPI_Comm, MPI_COMM_NULL, MPI_Cart_create(MPI_COMM_NULL, 1, dims, periods, 0, &h));
    NULLED(MPI_Comm, MPI_COMM_NULL, MPI_Cart_sub(world, periods, &h));
    NULLED(MPI_Comm, MPI_COMM_NULL, MPI_Graph_create(world, np + 1, index, edges, 0, &h));
    NULLED(MPI_Comm, MPI_COMM_NULL,
           MPI_Dist_graph_create(world, -1, one, one, one, one, MPI_INFO_NULL, 0, &h));
    NULLED(MPI_Comm, MPI_COMM_NULL, MPI_Dist_graph_create_adjacent(world, -1, one, one, 0, one, one,
                                                                   MPI_INFO_NULL, 0, &h));
    NULLED(MPI_Comm, MPI_COMM_NULL, MPI_Comm_dup(MPI_COMM_NULL, &h));
    request = PRESET(MPI_Request);
    NULLED(MPI_Comm, MPI_COMM_NULL, MPI_Comm_idup(MPI_COMM_NULL, &h, &request));
    CHECK(request == MPI_REQUEST_NULL);
    NULLED(MPI_Comm, MPI_COMM_NULL, MPI_Comm_create(world, MPI_GROUP_NULL, &h));
    NULLED(MPI_Comm, MPI_COMM_NULL, MPI_Comm_create_group(world, MPI_GROUP_NULL, 0, &h));
    NULLED(MPI_Comm, MPI_COMM_NULL, MPI_Comm_split_type(world, -17, 0, MPI_INFO_NULL, &h));
    NULLED(MPI_Comm, MPI_COMM_NULL, MPI_Intercomm_create(world, np, world, 0, 0, &h));
    NULLED(MPI_Group, MPI_GROUP_NULL, MPI_Comm_group(MPI_COMM_NULL, &h));
    NULLED(MPI_Group, MPI_GROUP_NULL, MPI_Group_incl(group, 1, far, &h));
    NULLED(MPI_Group, MPI_GROUP_NULL, MPI_Group_union(group, MPI_GROUP_NULL, &h));
    NULLED(MPI_Datatype, MPI_DATATYPE_NULL, MPI_Type_contiguous(-1, MPI_INT, &h));
    NULLED(MPI_Datatype, MPI_DATATYPE_NULL, MPI_Type_vector_c(-1, 1, 1, MPI_INT, &h));
    NULLED(MPI_Datatype, MPI_DATATYPE_NULL, MPI_Type_match_size(999, 4, &h));
    NULLED(MPI_Datatype, MPI_DATATYPE_NULL, MPI_Type_match_size(MPI_TYPECLASS_REAL, 3, &h));
    NULLED(MPI_Datatype, MPI_DATATYPE_NULL, MPI_Type_create_f90_integer(500, &h));
    NULLED(MPI_Datatype, MPI_DATATYPE_NULL, MPI_Type_create_f90_real(500, 500, &h));
    NULLED(MPI_Info, MPI_INFO_NULL, MPI_Info_dup(MPI_INFO_NULL, &h));
    NULLED(MPI_Win, MPI_WIN_NULL, MPI_Win_create(&x, -1, 1, MPI_INFO_NULL, world, &h));
    NULLED(MPI_File, MPI_FILE_NULL,
           MPI_File_open(world, "/nowhere/at/all", MPI_MODE_RDONLY, MPI_INFO_NULL, &h));
    NULLED(MPI_Request, MPI_REQUEST_NULL, MPI_Isend(&x, 1, MPI_INT, np, 0, world, &h));
    NULLED(MPI_Request, MPI_REQUEST_NULL, MPI_Irecv(&x, -1, MPI_INT, 0, 0, world, &h));
    NULLED(MPI_Request, MPI_REQUEST_NULL, MPI_Send_init(&x, -1, MPI_INT, 0, 0, world, &h));
    NULLED(MPI_Request, MPI_REQUEST_NULL, MPI_Ibcast(&x, -1, MPI_INT, 0, world, &h));
    NULLED(MPI_Message, MPI_MESSAGE_NULL, MPI_Mprobe(np, 0, world, &h, &status));
    /* A call that takes a handle keeps it. */
    MPI_Datatype type;
    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Datatype kept = type, freed = MPI_INT;
    CHECK(MPI_Type_free(&freed) != 0 && freed == MPI_INT);
    CHECK(MPI_Isend(&x, 1, type, me, 0, world, &request) != 0); /* not committed */
    CHECK(type == kept);
    MPI_Type_free(&type);
    MPI_Comm same = world;
    CHECK(MPI_Comm_free(&same) != 0 && same == world);
    MPI_Group_free(&group);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    change_the_code();
    whose_handler();
    handles();
    return end("handlers");
}
