/* Calls on files of a simulated file system, by all ranks. Prints one line per observation that does
   not depend on the schedule of the processes. argv[1] is a directory. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int rank, size;
static char text[4096];

static const char *in(const char *dir, const char *name)
{
    static char paths[4][4096];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", dir, name);
    return path;
}

static void fail(const char *what)
{
    fprintf(stderr, "rank %d: %s: %s\n", rank, what, strerror(errno));
    MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char **argv)
{
    const char *dir = argv[argc > 1 ? 1 : 0];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    /* One winner. */
    int fd = open(in(dir, "winner"), O_CREAT | O_EXCL | O_WRONLY, 0444);
    if (fd < 0 && errno != EEXIST) fail("O_EXCL");
    int won = fd >= 0 ? rank + 1 : 0, sum, winner;
    MPI_Allreduce(&won, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&won, &winner, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0) printf("winner %d alone %d\n", winner - 1, sum == winner);
    if (fd >= 0) close(fd);

    /* Each rank appends lines; no line is lost or torn. */
    fd = open(in(dir, "log"), O_CREAT | O_APPEND | O_WRONLY, 0644);
    if (fd < 0) fail("append");
    for (int i = 0; i < 10; i++) {
        int n = snprintf(text, sizeof text, "%03d %03d\n", rank, i);
        if (write(fd, text, n) != n) fail("write");
    }
    close(fd);
    MPI_Barrier(MPI_COMM_WORLD);
    fd = open(in(dir, "log"), O_RDONLY);
    int length = read(fd, text, sizeof text), whole = 1;
    for (int at = 0; at < length; at += 8) whole &= text[at + 3] == ' ' && text[at + 7] == '\n';
    close(fd);
    if (rank == 0) printf("log %d whole %d\n", length, whole);

    /* Each rank reads what its neighbor wrote. */
    snprintf(text, sizeof text, "data.%d", rank);
    fd = open(in(dir, text), O_CREAT | O_RDWR | O_TRUNC, 0600);
    if (pwrite(fd, &rank, sizeof rank, 1 << 20) != sizeof rank) fail("pwrite");
    MPI_Barrier(MPI_COMM_WORLD);
    int other = (rank + 1) % size, found = -1;
    snprintf(text, sizeof text, "data.%d", other);
    int theirs = open(in(dir, text), O_RDONLY);
    if (pread(theirs, &found, sizeof found, 1 << 20) != sizeof found) fail("pread");
    struct stat status;
    fstat(theirs, &status);
    if (found != other || status.st_size != (1 << 20) + 4) fail("data");
    close(theirs);

    /* Deleted, but open. */
    MPI_Barrier(MPI_COMM_WORLD);
    snprintf(text, sizeof text, "data.%d", rank);
    if (unlink(in(dir, text)) != 0) fail("unlink");
    if (access(in(dir, text), F_OK) == 0 || errno != ENOENT) fail("still there");
    if (ftruncate(fd, 10) != 0 || write(fd, "0123456789ab", 12) != 12) fail("deleted file");
    if (lseek(fd, 0, SEEK_END) != 12) fail("size of a deleted file");
    close(fd);

    /* Names appear and vanish while rank 0 reads the directory. */
    if (rank == 0 && mkdir(in(dir, "many"), 0755) != 0) fail("mkdir");
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank != 0) {
        for (int i = 0; i < 20; i++) {
            snprintf(text, sizeof text, "many/%d.%d", rank, i);
            fd = open(in(dir, text), O_CREAT | O_WRONLY, 0644);
            if (fd < 0) fail("create");
            close(fd);
        }
    } else {
        int seen = 0;
        for (int i = 0; i < 5; i++) {
            DIR *all = opendir(in(dir, "many"));
            int entries = 0;
            while (readdir(all)) entries++;
            closedir(all);
            if (entries < seen) fail("fewer entries");
            seen = entries;
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    snprintf(text, sizeof text, "many/%d.0", rank);
    if (rank != 0 && rename(in(dir, text), in(dir, "many/one")) != 0) fail("rename");
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        DIR *all = opendir(in(dir, "many"));
        int entries = 0;
        while (readdir(all)) entries++;
        closedir(all);
        printf("entries %d\n", entries - 2);
    }

    /* Children act for their rank. */
    pid_t child = fork();
    if (child == 0) {
        snprintf(text, sizeof text, "child.%d", rank);
        FILE *out = fopen(in(dir, text), "w");
        if (!out || fprintf(out, "child of %d\n", rank) < 0 || fclose(out) != 0) _exit(1);
        _exit(0);
    }
    int state;
    if (waitpid(child, &state, 0) != child || state != 0) fail("child");
    snprintf(text, sizeof text, "cp %s/child.%d %s/copy.%d", dir, rank, dir, rank);
    if (system(text) != 0) fail("system");
    MPI_Barrier(MPI_COMM_WORLD);
    snprintf(text, sizeof text, "copy.%d", other);
    FILE *copy = fopen(in(dir, text), "r");
    if (!copy || !fgets(text, sizeof text, copy)) fail("copy");
    fclose(copy);
    int number;
    if (sscanf(text, "child of %d", &number) != 1 || number != other) fail("contents of copy");

    double end = MPI_Wtime(), last;
    MPI_Reduce(&end, &last, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("time %d\n", last > 0);
    MPI_Finalize();
    return 0;
}
