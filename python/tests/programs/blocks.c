/* Random calls on a file whose blocks of 64 KiB repeat, compared with its expected contents in
   memory: blocks DIR SEED CALLS. Then all ranks write parts of one repeated block at once. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BLOCK = 64 << 10, BLOCKS = 24, MAX = BLOCK * BLOCKS };

static unsigned char expected[MAX], data[MAX], found[MAX];
static long size;
static char path[4096], other[4096];
static unsigned long long state;

static unsigned draw(unsigned n) {
  state = state * 6364136223846793005ull + 1442695040888963407ull;
  return (unsigned)(state >> 33) % n;
}

static void fail(const char *what, long at) {
  printf("%s: wrong at %ld of %ld, errno %d\n", what, at, size, errno);
  fflush(stdout);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void check(const char *what, const unsigned char *bytes, long at, long n) {
  for (long i = 0; i < n; i++)
    if (bytes[i] != expected[at + i]) fail(what, at + i);
}

/* One of three blocks in aligned positions, so that they repeat. */
static void fill(long at, long n) {
  unsigned kind = draw(3);
  for (long i = 0; i < n; i++) data[i] = (unsigned char)((at + i) % BLOCK * (kind + 1) % 251);
}

static void written(long at, long n) {
  if (at > size) memset(expected + size, 0, at - size);
  memcpy(expected + at, data, n);
  if (at + n > size) size = at + n;
}

/* Mostly whole blocks. */
static void range(long *at, long *n, long limit) {
  if (draw(3)) {
    *at = (long)draw(BLOCKS) * BLOCK;
    *n = (1 + (long)draw(6)) * BLOCK;
  } else {
    *at = draw(MAX);
    *n = 1 + draw(3 * BLOCK);
  }
  if (*at > limit) *at = limit;
  if (*n > limit - *at) *n = limit - *at;
}

static void compare(const char *what) {
  int fd = open(path, O_RDONLY);
  struct stat status;
  if (fd < 0 || fstat(fd, &status) || status.st_size != size) fail("size", status.st_size);
  if (read(fd, found, MAX) != size) fail(what, -1);
  check(what, found, 0, size);
  close(fd);
}

static void child(int fd) {
  pid_t pid = fork();
  if (pid == 0) {
    long n = pread(fd, found, MAX, 0);
    _exit(n == size && memcmp(found, expected, size) == 0 ? 0 : 1);
  }
  int status;
  waitpid(pid, &status, 0);
  if (status) fail("child", status);
}

/* A child gets the descriptor through a socket, and calls the kernel by number. */
static void sent(int fd) {
  int ends[2];
  char control[CMSG_SPACE(sizeof(int))] = {0}, byte = 0;
  struct iovec part = {&byte, 1};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control,
                           .msg_controllen = sizeof control};
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) fail("socketpair", 0);
  pid_t pid = fork();
  if (pid == 0) {
    int got;
    close(fd);
    if (recvmsg(ends[1], &message, 0) != 1) _exit(2);
    memcpy(&got, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof got);
    long n = syscall(SYS_pread64, got, found, MAX, 0L);
    _exit(n == size && memcmp(found, expected, size) == 0 ? 0 : 1);
  }
  struct cmsghdr *head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(sizeof(int));
  memcpy(CMSG_DATA(head), &fd, sizeof fd);
  if (sendmsg(ends[0], &message, 0) != 1) fail("sendmsg", 0);
  int status;
  waitpid(pid, &status, 0);
  if (status) fail("sent", status);
  close(ends[0]);
  close(ends[1]);
}

/* A program gets the file as its standard input. */
static void program(void) {
  char command[9000];
  FILE *copy = fopen(other, "w");
  if (!copy || fwrite(expected, 1, size, copy) != (size_t)size || fclose(copy)) fail("fwrite", 0);
  snprintf(command, sizeof command, "cmp %s - < %s", other, path);
  if (system(command)) fail("cmp", 0);
}

static void copies(int fd) {
  unlink(other);
  int to = open(other, O_RDWR | O_CREAT, 0644);
  off_t from = 0;
  if (draw(2)) {
    while (from < size)
      if (sendfile(to, fd, &from, size - from) <= 0) fail("sendfile", from);
  } else {
    off_t into = 0;
    while (from < size)
      if (copy_file_range(fd, &from, to, &into, size - from, 0) <= 0) fail("copy", from);
  }
  if (pread(to, found, MAX, 0) != size) fail("copied", -1);
  check("copied", found, 0, size);
  close(to);
}

/* Reads the data between holes. */
static void sparse(int fd) {
  memset(found, 0, size);
  for (off_t at = 0; (at = lseek(fd, at, SEEK_DATA)) >= 0;) {
    off_t end = lseek(fd, at, SEEK_HOLE);
    if (pread(fd, found + at, end - at, at) != end - at) fail("hole", at);
    at = end;
  }
  check("sparse", found, 0, size);
  lseek(fd, 0, SEEK_SET);
}

static void one(int fd) {
  long at, n, moved;
  switch (draw(16)) {
    case 0: case 1: case 2: case 3:
      range(&at, &n, MAX);
      fill(at, n);
      if (pwrite(fd, data, n, at) != n) fail("pwrite", at);
      written(at, n);
      break;
    case 4:
      range(&at, &n, MAX);
      fill(at, n);
      if (lseek(fd, at, SEEK_SET) != at || write(fd, data, n) != n) fail("write", at);
      if (lseek(fd, 0, SEEK_CUR) != at + n) fail("offset", at);
      written(at, n);
      break;
    case 5: {
      range(&at, &n, MAX);
      fill(at, n);
      long part = draw(n + 1);
      struct iovec parts[] = {{data, part}, {data + part, n - part}};
      if (pwritev(fd, parts, 2, at) != n) fail("pwritev", at);
      written(at, n);
      break;
    }
    case 6: case 7:
      range(&at, &n, size);
      if (pread(fd, found, n, at) != n) fail("pread", at);
      check("pread", found, at, n);
      break;
    case 8: {
      range(&at, &n, size);
      long part = draw(n + 1);
      struct iovec parts[] = {{found, part}, {found + part, n - part}};
      lseek(fd, at, SEEK_SET);
      if (readv(fd, parts, 2) != n || lseek(fd, 0, SEEK_CUR) != at + n) fail("readv", at);
      check("readv", found, at, n);
      /* Up to the end of the file. */
      moved = pread(fd, found, MAX, at);
      if (moved != size - at) fail("end", moved);
      break;
    }
    case 9:
      n = draw(2) ? draw(MAX) : (long)draw(BLOCKS) * BLOCK;
      if (draw(2) ? ftruncate(fd, n) : truncate(path, n)) fail("truncate", n);
      if (n > size) memset(expected + size, 0, n - size);
      size = n;
      break;
    case 10: {
      int end = open(path, O_WRONLY | O_APPEND);
      n = MAX - size < BLOCK ? MAX - size : BLOCK;
      fill(0, n);
      if (write(end, data, n) != n) fail("append", n);
      written(size, n);
      close(end);
      break;
    }
    case 11:
      if (size && draw(2)) child(fd);
      else if (size && draw(4) == 0) sent(fd);
      else if (size && draw(4) == 0) {
        if (syscall(SYS_pread64, fd, found, (long)MAX, 0L) != size) fail("syscall", -1);
        check("syscall", found, 0, size);
      }
      break;
    case 12: compare("read"); break;
    case 13:
      switch (draw(4)) {
        case 0: if (size) copies(fd); break;
        case 1: sparse(fd); break;
        case 2: program(); break;
        default: {
          range(&at, &n, size);
          int mode = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
          if (n && fallocate(fd, mode, at, n) == 0) memset(expected + at, 0, n);
        }
      }
      break;
    case 14:
      if (size && draw(3) == 0) {
        unsigned char *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (map == MAP_FAILED) fail("mmap", 0);
        check("map", map, 0, size);
        /* Later writes are seen in the map, and the map's in the file. */
        n = size < BLOCK ? size : BLOCK;
        fill(0, n);
        for (int i = 0; i < 3; i++)
          if (pwrite(fd, data, n, 0) != n) fail("mapped", n);
        written(0, n);
        check("written", map, 0, n);
        map[size - 1] = expected[size - 1] = 77;
        msync(map, size, MS_SYNC);
        munmap(map, size);
      }
      break;
    default:
      /* A new file may get the inode of the old one. */
      if (draw(8) == 0) {
        if (unlink(path)) fail("unlink", 0);
        int new = open(path, O_RDWR | O_CREAT | O_EXCL, 0644);
        if (new < 0 || dup2(new, fd) != fd) fail("new", 0);
        close(new);
        size = 0;
      } else if (draw(8) == 0) {
        int new = open(path, O_WRONLY | O_TRUNC);
        close(new);
        size = 0;
      }
  }
}

static void parts_of_a_block(const char *dir, int rank, int ranks) {
  char name[4096];
  snprintf(name, sizeof name, "%s/shared", dir);
  int fd = open(name, O_RDWR | O_CREAT, 0644);
  for (long i = 0; i < BLOCK; i++) data[i] = (unsigned char)(i % 199);
  for (long block = rank; block < BLOCKS; block += ranks)
    if (pwrite(fd, data, BLOCK, block * BLOCK) != BLOCK) fail("shared", block);
  for (int turn = 0; turn < 3; turn++) {
    MPI_Barrier(MPI_COMM_WORLD);
    long part = BLOCK / ranks, at = (turn * 7 % BLOCKS) * (long)BLOCK + rank * part;
    memset(found, rank + 1, part);
    if (pwrite(fd, found, part, at) != part) fail("part", at);
    MPI_Barrier(MPI_COMM_WORLD);
    long start = (turn * 7 % BLOCKS) * (long)BLOCK;
    if (pread(fd, found, BLOCK, start) != BLOCK) fail("read of parts", start);
    for (long i = 0; i < part * ranks; i++)
      if (found[i] != i / part + 1) fail("parts", start + i);
  }
  close(fd);
}

int main(int argc, char **argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  snprintf(path, sizeof path, "%s/file.%d", argv[1], rank);
  snprintf(other, sizeof other, "%s/other.%d", argv[1], rank);
  state = strtoull(argv[2], NULL, 10) * 1000 + rank;
  int fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0644);
  if (fd < 0) fail("open", 0);
  for (long call = 0; call < atol(argv[3]); call++) one(fd);
  compare("end");
  parts_of_a_block(argv[1], rank, ranks);
  if (rank == 0) printf("equal\n");
  MPI_Finalize();
  return 0;
}
