/* The thread level of sessions. The process's first initialization decides it, as in MPICH 5.0.2.
 * Here it is MPI_Init_thread, with each level in a separate run (see the tests that run it). */
#include "check.h"

static const char *const NAMES[] = {"MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED",
                                    "MPI_THREAD_SERIALIZED", "MPI_THREAD_MULTIPLE"};
static const int LEVELS[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED,
                             MPI_THREAD_MULTIPLE};

/* The level of a session opened with this hint, or without; null if that fails. */
static const char *level(const char *hint, MPI_Session *session)
{
    static char value[64];
    int size = sizeof value, found, code;
    MPI_Info hints = MPI_INFO_NULL, used;
    if (hint) {
        MPI_Info_create(&hints);
        MPI_Info_set(hints, "thread_level", hint);
    }
    *session = (MPI_Session)(intptr_t)0x1234567;
    code = MPI_Session_init(hints, MPI_ERRORS_RETURN, session);
    if (hint)
        MPI_Info_free(&hints);
    if (code) {
        CLASS(code, MPI_ERR_OTHER);
        CHECK(*session == MPI_SESSION_NULL);
        return NULL;
    }
    MPI_Session_get_info(*session, &used);
    MPI_Info_get_string(used, "thread_level", &size, value, &found);
    CHECK(found);
    MPI_Info_free(&used);
    return value;
}

int main(int argc, char **argv)
{
    const char *const wrong[] = {"foo", "mpi_thread_multiple", "MULTIPLE", "3"};
    MPI_Session first, session;
    int provided, asked = argc > 1 ? atoi(argv[1]) : 3, early = argc > 2;
    int expected = early ? 1 : asked;
    if (early) /* a session comes before MPI_Init_thread and decides */
        CHECK(strcmp(level(NAMES[expected], &first), NAMES[expected]) == 0);
    MPI_Init_thread(&argc, &argv, LEVELS[asked], &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &np);
    CHECK(provided == LEVELS[expected]);
    CHECK(strcmp(level(NULL, &session), NAMES[expected]) == 0);
    MPI_Session_finalize(&session);
    for (int i = 0; i < 4; i++) {
        CHECK(strcmp(level(NAMES[i], &session), NAMES[expected]) == 0);
        MPI_Session_finalize(&session);
    }
    for (int i = 0; i < 4; i++)
        CHECK(level(wrong[i], &session) == NULL);
    MPI_Query_thread(&provided);
    CHECK(provided == LEVELS[expected]);
    if (early)
        MPI_Session_finalize(&first);
    return end("levels");
}
