/* File calls of one process: `plain_files PATH calls|transfers|stat|sum LOOPS` prints their CPU time in
   seconds. PATH is a file's; `sum` computes and calls nothing. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static double cpu(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

int main(int argc, char **argv) {
    const char *path = argv[1], *what = argv[2];
    long loops = atol(argv[3]);
    static char data[4096];
    struct stat status;
    volatile double sum = 0;
    int fd = open(path, O_RDWR | O_CREAT, 0644);
    if (fd < 0 || write(fd, data, sizeof data) != sizeof data) return 1;
    double start = cpu();
    if (!strcmp(what, "calls")) {
        for (long i = 0; i < loops; i++) {
            int own = open(path, O_RDWR);
            if (write(own, data, 64) != 64 || lseek(own, 0, SEEK_SET) != 0 ||
                read(own, data, 64) != 64 || fstat(own, &status) || close(own))
                return 1;
        }
    } else if (!strcmp(what, "transfers")) {
        for (long i = 0; i < loops; i++)
            if (pread(fd, data, sizeof data, 0) != sizeof data) return 1;
    } else if (!strcmp(what, "stat")) {
        for (long i = 0; i < loops; i++)
            if (stat(path, &status)) return 1;
    } else {
        for (long i = 0; i < loops; i++) sum += 1.0 / (double)(i + 1);
    }
    printf("%.6f\n", cpu() - start);
    return 0;
}
