/* Stands for the MPI library: writes each request of the preload library to the file that
 * ODONATA_TEST_LOG names, as a line "kind flags path offset bytes", and leaves it to the library.
 * The layout is that of crates/workload/src/file_request.rs. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct range {
    uint32_t at, bytes;
};
struct request {
    uint32_t length, kind, flags, file_system, mode, owner, group, attributes;
    uint64_t device, inode, offset, bytes;
    int64_t accessed_ns, modified_ns;
    struct range path, other, value;
};

int odonata_file_call(const struct request *request, void *reply) {
    (void)reply;
    char line[8192];
    int fd = open(getenv("ODONATA_TEST_LOG"), O_WRONLY | O_CREAT | O_APPEND, 0644);
    const char *path = (const char *)request + request->path.at;
    int n = snprintf(line, sizeof line, "%u %u /%.*s %lu %lu\n", request->kind, request->flags,
                     (int)request->path.bytes, path, (unsigned long)request->offset,
                     (unsigned long)request->bytes);
    if (write(fd, line, n) != n)
        abort();
    close(fd);
    return 1;
}

int odonata_file_attach(void) { return 0; }
