/* Shared by all test programs: a check that prints the expression, its place and the rank. */
#ifndef CHECK_H
#define CHECK_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int me, np;

#define CHECK(what)                                                                          \
    do {                                                                                     \
        if (!(what)) {                                                                       \
            fprintf(stderr, "%s:%d: rank %d of %d: not so: %s\n", __FILE__, __LINE__, me, np, \
                    #what);                                                                  \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                    \
        }                                                                                    \
    } while (0)

/* An incorrect call: checks the class of the returned code. */
#define CLASS(call, expect)                        \
    do {                                           \
        int class_, code_ = (call);                \
        CHECK(code_ != MPI_SUCCESS);               \
        MPI_Error_class(code_, &class_);           \
        if (class_ != (expect))                    \
            fprintf(stderr, "class %d\n", class_); \
        CHECK(class_ == (expect));                 \
    } while (0)

static inline void begin(int *argc, char ***argv)
{
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &np);
}

/* For programs whose threads call MPI concurrently. */
static inline void begin_threads(int *argc, char ***argv)
{
    int provided = -1;
    MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &np);
    CHECK(provided == MPI_THREAD_MULTIPLE);
}

static int end(const char *name)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 0)
        printf("%s: %d ranks: good\n", name, np);
    MPI_Finalize();
    return 0;
}

#endif
