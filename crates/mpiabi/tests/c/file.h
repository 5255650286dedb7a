/* Shared by the tests of files: a unique name, the same on every rank. */
#ifndef FILE_H
#define FILE_H

#include <unistd.h>

#include "check.h"

static char name[200];

/* The file does not exist yet. */
static void choose_name(void)
{
    if (me == 0) {
        const char *folder = getenv("TMPDIR");
        snprintf(name, sizeof name, "%s/odonata-io-XXXXXX", folder ? folder : "/tmp");
        close(mkstemp(name));
        unlink(name);
    }
    MPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
}

#endif
