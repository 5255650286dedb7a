/* Makes every file call that the preload library replaces, in and below the directory of its first
 * argument, and prints the results. Output does not depend on the directory's file system. */
#define _GNU_SOURCE
#include <aio.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <utime.h>
#include <wchar.h>

extern char **environ;
static char top[PATH_MAX];

/* A path below the directory; up to eight at once. */
static const char *at(const char *name) {
    static __thread char paths[8][2 * PATH_MAX];
    static __thread int next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", top, name);
    return path;
}

#define SHOW(call) (errno = 0, show(#call, (long)(call)))
static long show(const char *call, long result) {
    int error = result < 0 ? errno : 0;
    printf("%s = %ld%s%s\n", call, result, error ? " " : "", error ? strerrorname_np(error) : "");
    return result;
}
/* Descriptors are shown as success, because their numbers may differ. */
#define OPEN(fd, call) (errno = 0, fd = (call), show(#call, fd < 0 ? -1 : 0))

static void content(const char *path) {
    char text[256];
    int fd = open(path, O_RDONLY);
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    printf("  content of %zd bytes: %.*s\n", n, n < 0 ? 0 : (int)n, text);
}

static int by_name(const struct dirent **a, const struct dirent **b) { return alphasort(a, b); }
static int no_dots(const struct dirent *entry) { return entry->d_name[0] != '.'; }

static void descriptors(void) {
    int fd, other;
    char text[64] = {0};
    struct iovec parts[2] = {{"ab", 2}, {"cde", 3}}, into[2] = {{text, 3}, {text + 3, 10}};
    OPEN(fd, open(at("file"), O_CREAT | O_RDWR, 0644));
    SHOW(write(fd, "0123456789", 10));
    SHOW(lseek(fd, 2, SEEK_SET));
    SHOW(read(fd, text, 4));
    SHOW(pread(fd, text, 4, 6));
    SHOW(pread64(fd, text, 4, 6));
    SHOW(pwrite(fd, "x", 1, 0));
    SHOW(pwrite64(fd, "y", 1, 20));
    SHOW(writev(fd, parts, 2));
    SHOW(pwritev(fd, parts, 2, 30));
    SHOW(pwritev2(fd, parts, 2, -1, 0));
    SHOW(preadv(fd, into, 2, 3));
    SHOW(preadv2(fd, into, 2, 3, 0));
    SHOW(lseek64(fd, 0, SEEK_END));
    SHOW(lseek(fd, 0, SEEK_DATA));
    SHOW(readv(fd, into, 2));
    SHOW(fsync(fd));
    SHOW(fdatasync(fd));
    SHOW(syncfs(fd));
    SHOW(ftruncate(fd, 12));
    SHOW(truncate(at("file"), 11));
    SHOW(truncate(at("missing"), 11));
    SHOW(fallocate(fd, 0, 0, 4096));
    SHOW(fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, 8192));
    SHOW(posix_fallocate(fd, 0, 5000));
    SHOW(posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED));
    SHOW(lseek(fd, 0, SEEK_END));
    OPEN(other, dup(fd));
    SHOW(close(fd));
    SHOW(pread(other, text, 4, 0));
    SHOW(dup2(other, 77));
    SHOW(dup3(other, 78, O_CLOEXEC));
    SHOW(fcntl(other, F_DUPFD, 90));
    SHOW(close(90));
    SHOW(fcntl(78, F_GETFD));
    SHOW(fcntl(77, F_GETFL) & (O_ACCMODE | O_APPEND));
    SHOW(fcntl(77, F_SETFL, O_APPEND));
    SHOW(write(77, "end", 3));
    SHOW(lseek(77, 0, SEEK_CUR));
    SHOW(close(77));
    SHOW(close(78));
    SHOW(flock(other, LOCK_EX));
    SHOW(flock(other, LOCK_UN));
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 10};
    SHOW(fcntl(other, F_SETLK, &lock));
    SHOW(fcntl(other, F_SETLKW, &lock));
    lock.l_type = F_UNLCK;
    SHOW(fcntl(other, F_SETLK, &lock));
    SHOW(lockf(other, F_TLOCK, 10));
    SHOW(lockf(other, F_ULOCK, 10));
    SHOW(isatty(other));
    SHOW(close(other));
    SHOW(close(other));
    SHOW(read(other, text, 1));
    OPEN(fd, open(at("file"), O_CREAT | O_EXCL | O_RDWR, 0644));
    OPEN(fd, open(at("missing"), O_RDONLY));
    OPEN(fd, open(at("missing/file"), O_CREAT | O_RDWR, 0644));
    OPEN(fd, open(at("file/"), O_RDONLY));
    OPEN(fd, open(at("file"), O_WRONLY));
    SHOW(read(fd, text, 1));
    SHOW(close(fd));
    OPEN(fd, creat(at("created"), 0600));
    SHOW(write(fd, "c", 1));
    SHOW(close_range(fd, fd, 0));
    SHOW(write(fd, "c", 1));
    OPEN(fd, open(at("readonly"), O_CREAT | O_WRONLY, 0400));
    SHOW(write(fd, "r", 1));
    SHOW(close(fd));
    OPEN(fd, open(at("direct"), O_CREAT | O_RDWR | O_DIRECT | O_SYNC, 0644));
    SHOW((fcntl(fd, F_GETFL) & O_DIRECT) != 0);
    void *aligned = aligned_alloc(4096, 4096);
    memset(aligned, 'd', 4096);
    SHOW(write(fd, aligned, 4096));
    free(aligned);
    SHOW(close(fd));
    OPEN(fd, open(top, O_RDONLY | O_DIRECTORY));
    OPEN(other, openat(fd, "by-directory", O_CREAT | O_RDWR, 0644));
    SHOW(write(other, "at", 2));
    SHOW(close(other));
    OPEN(other, openat(fd, "./by-directory", O_RDONLY));
    SHOW(close(other));
    OPEN(other, (int)syscall(SYS_openat, fd, "by-directory", O_RDONLY));
    SHOW(close(other));
    SHOW(read(fd, text, 1));
    SHOW(close(fd));
    content(at("file"));
    content(at("by-directory"));
}

static void copies(void) {
    int from = open(at("file"), O_RDONLY), to = open(at("copy"), O_CREAT | O_RDWR | O_TRUNC, 0644);
    int pipes[2];
    off_t offset = 0;
    SHOW(sendfile(to, from, &offset, 10));
    SHOW(copy_file_range(from, NULL, to, NULL, 5, 0));
    SHOW(pipe(pipes));
    SHOW(splice(from, NULL, pipes[1], NULL, 3, 0));
    SHOW(splice(pipes[0], NULL, to, NULL, 3, 0));
    SHOW(lseek(to, 0, SEEK_END));
    close(pipes[0]);
    close(pipes[1]);
    char *map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, to, 0);
    SHOW(map != MAP_FAILED);
    memcpy(map, "mapped", 6);
    SHOW(msync(map, 4096, MS_SYNC));
    SHOW(munmap(map, 4096));
    map = mmap64(NULL, 4096, PROT_READ, MAP_PRIVATE, to, 0);
    SHOW(memcmp(map, "mapped", 6));
    SHOW(munmap(map, 4096));
    close(from);
    close(to);
    content(at("copy"));
}

static void show_status(const struct stat *status) {
    printf("  mode %o size %ld links %ld\n", status->st_mode, (long)status->st_size,
           (long)status->st_nlink);
}

static void attributes(void) {
    struct stat status;
    struct statx extended;
    struct statfs usage;
    struct statvfs usage_v;
    int fd = open(at("file"), O_RDWR), dir = open(top, O_RDONLY);
    SHOW(stat(at("file"), &status));
    show_status(&status);
    unsigned long device = status.st_dev;
    SHOW(fstat(fd, &status));
    show_status(&status);
    SHOW(status.st_dev == device);
    SHOW(lstat(at("file"), &status));
    SHOW(status.st_dev == device);
    SHOW(fstatat(dir, "file", &status, 0));
    SHOW(status.st_dev == device);
    SHOW(fstatat(dir, "", &status, AT_EMPTY_PATH));
    SHOW(stat64(at("missing"), (struct stat64 *)&status));
    SHOW(statx(AT_FDCWD, at("file"), 0, STATX_SIZE, &extended));
    printf("  size %ld\n", (long)extended.stx_size);
    SHOW(statx(fd, "", AT_EMPTY_PATH, STATX_SIZE, &extended));
    SHOW(statfs(at("file"), &usage));
    SHOW(fstatfs(fd, &usage));
    SHOW(statvfs(at("file"), &usage_v));
    SHOW(fstatvfs(fd, &usage_v));
    SHOW(statvfs(at("missing"), &usage_v));
    SHOW(pathconf(at("file"), _PC_NAME_MAX));
    SHOW(access(at("file"), R_OK));
    SHOW(access(at("missing"), F_OK));
    SHOW(faccessat(dir, "file", W_OK, 0));
    SHOW(eaccess(at("file"), R_OK));
    SHOW(chmod(at("file"), 0600));
    SHOW(fchmod(fd, 0640));
    SHOW(fchmodat(dir, "file", 0604, 0));
    SHOW(chown(at("file"), getuid(), getgid()));
    SHOW(fchown(fd, -1, -1));
    SHOW(lchown(at("file"), -1, getgid()));
    SHOW(fchownat(dir, "file", -1, -1, 0));
    struct timespec times[2] = {{1000, 5}, {2000, 7}};
    struct timeval coarse[2] = {{3000, 0}, {4000, 0}};
    struct utimbuf seconds = {5000, 6000};
    SHOW(utimensat(dir, "file", times, 0));
    stat(at("file"), &status);
    printf("  modified %ld.%09ld\n", (long)status.st_mtime, status.st_mtim.tv_nsec);
    SHOW(futimens(fd, times));
    SHOW(utimes(at("file"), coarse));
    SHOW(lutimes(at("file"), coarse));
    SHOW(futimes(fd, coarse));
    SHOW(futimesat(dir, "file", coarse));
    SHOW(utime(at("file"), &seconds));
    stat(at("file"), &status);
    printf("  mode %o modified %ld\n", status.st_mode, (long)status.st_mtime);
    char value[64] = {0}, *names = calloc(1, 4096);
    SHOW(setxattr(at("file"), "user.a", "value", 5, XATTR_CREATE));
    SHOW(setxattr(at("file"), "user.a", "value", 5, XATTR_CREATE));
    SHOW(lsetxattr(at("file"), "user.b", "other", 5, 0));
    SHOW(fsetxattr(fd, "user.c", "third", 5, 0));
    SHOW(getxattr(at("file"), "user.a", value, sizeof value));
    SHOW(lgetxattr(at("file"), "user.b", value, 2));
    SHOW(fgetxattr(fd, "user.c", value, sizeof value));
    SHOW(getxattr(at("file"), "user.none", value, sizeof value));
    SHOW(listxattr(at("file"), names, 4096) > 0);
    SHOW(llistxattr(at("file"), names, 4096) > 0);
    SHOW(flistxattr(fd, names, 4096) > 0);
    SHOW(removexattr(at("file"), "user.a"));
    SHOW(lremovexattr(at("file"), "user.b"));
    SHOW(fremovexattr(fd, "user.c"));
    free(names);
    close(fd);
    close(dir);
}

static int visit(const char *path, const struct stat *status, int kind, struct FTW *place) {
    (void)status;
    printf("  %s %d %d\n", path + place->base, kind, place->level);
    return 0;
}

static void entries(void) {
    int dir = open(top, O_RDONLY), fd;
    char text[PATH_MAX], *found;
    SHOW(mkdir(at("dir"), 0755));
    SHOW(mkdir(at("dir"), 0755));
    SHOW(mkdirat(dir, "dir/inner", 0700));
    SHOW(rmdir(at("dir")));
    SHOW(mknod(at("dir/node"), S_IFREG | 0644, 0));
    SHOW(mkfifo(at("dir/fifo"), 0644));
    SHOW(mkfifoat(dir, "dir/fifo2", 0644));
    SHOW(mknodat(dir, "dir/fifo3", S_IFIFO | 0644, 0));
    SHOW(symlink("inner", at("dir/link")));
    SHOW(symlink(at("file"), at("dir/absolute")));
    SHOW(symlinkat("/etc/hostname", dir, "dir/outside"));
    SHOW(symlink("../../../../../../../../../../etc/passwd", at("dir/leaves")));
    SHOW(access(at("dir/absolute"), R_OK));
    SHOW(access(at("dir/leaves"), R_OK));
    SHOW(access(at("dir/outside"), F_OK));
    ssize_t n = SHOW(readlink(at("dir/link"), text, sizeof text));
    printf("  %.*s\n", (int)n, text);
    SHOW(readlinkat(dir, "dir/absolute", text, 3));
    n = readlinkat(dir, "dir/absolute", text, sizeof text);
    printf("  %s\n", n == (ssize_t)strlen(at("file")) && !memcmp(text, at("file"), n) ? "same" : "other");
    struct stat status;
    lstat(at("dir/absolute"), &status);
    SHOW(status.st_size == n);
    SHOW(readlink(at("file"), text, sizeof text));
    SHOW(link(at("file"), at("dir/hard")));
    SHOW(linkat(dir, "dir/absolute", dir, "dir/hard2", AT_SYMLINK_FOLLOW));
    SHOW(rename(at("dir/node"), at("dir/renamed")));
    SHOW(renameat(dir, "dir/renamed", dir, "dir/again"));
    SHOW(renameat2(dir, "dir/again", dir, "dir/hard", RENAME_NOREPLACE));
    SHOW(renameat2(dir, "dir/again", dir, "dir/hard", RENAME_EXCHANGE));
    SHOW(rename(at("dir"), at("dir/inner/below")));
    SHOW(rename(at("missing"), at("dir/x")));
    SHOW(chdir(at("dir")));
    found = getcwd(text, sizeof text);
    printf("  %s\n", found ? found + strlen(top) : "none");
    OPEN(fd, open("../file", O_RDONLY));
    close(fd);
    OPEN(fd, open("link/../../file", O_RDONLY));
    close(fd);
    OPEN(fd, open("./inner//new", O_CREAT | O_WRONLY, 0644));
    close(fd);
    SHOW(stat("missing/../inner", &status));
    SHOW(stat("hard/../inner", &status));
    SHOW(rmdir("inner/."));
    SHOW(unlink("inner"));
    SHOW(rmdir("hard"));
    found = get_current_dir_name();
    printf("  %s\n", found + strlen(top));
    free(found);
    found = realpath("link/new", NULL);
    printf("  %s\n", found ? found + strlen(top) : "none");
    free(found);
    SHOW(realpath("missing", text) == NULL);
    found = canonicalize_file_name("absolute");
    printf("  %s\n", found ? found + strlen(top) : "none");
    free(found);
    SHOW(fchdir(dir));
    found = getcwd(NULL, 0);
    SHOW(strcmp(found, top));
    free(found);
    SHOW(getcwd(text, 2) == NULL);
    struct dirent **list, *entry;
    int count = SHOW(scandir("dir", &list, no_dots, by_name));
    for (int i = 0; i < count; i++) {
        printf("  %s %d\n", list[i]->d_name, list[i]->d_type);
        free(list[i]);
    }
    free(list);
    DIR *stream = opendir("dir");
    long place = 0, n_entries = 0;
    while ((entry = readdir(stream))) {
        if (++n_entries == 3)
            place = telldir(stream);
    }
    SHOW(n_entries);
    seekdir(stream, place);
    for (n_entries = 0; (entry = readdir(stream)); n_entries++)
        ;
    SHOW(n_entries);
    rewinddir(stream);
    for (n_entries = 0; (entry = (struct dirent *)readdir64(stream)); n_entries++)
        ;
    SHOW(n_entries);
    SHOW(faccessat(dirfd(stream), "inner", R_OK, 0));
    SHOW(closedir(stream));
    SHOW(opendir("missing") == NULL);
    stream = fdopendir(open("dir", O_RDONLY));
    SHOW(readdir(stream) != NULL);
    SHOW(closedir(stream));
    SHOW(nftw(at("dir/inner"), visit, 10, FTW_PHYS));
    SHOW(nftw(at("dir/inner"), visit, 10, FTW_PHYS | FTW_DEPTH));
    glob_t matches;
    SHOW(glob(at("dir/h*"), 0, NULL, &matches));
    for (size_t i = 0; i < matches.gl_pathc; i++)
        printf("  %s\n", matches.gl_pathv[i] + strlen(top));
    globfree(&matches);
    SHOW(unlinkat(dir, "dir/inner/new", 0));
    SHOW(unlinkat(dir, "dir/inner", AT_REMOVEDIR));
    SHOW(unlink(at("dir/fifo")));
    SHOW(remove(at("dir/fifo2")));
    SHOW(remove(at("dir")));
    SHOW(unlink(at("missing")));
    close(dir);
    strcpy(text, at("temporary-XXXXXX"));
    OPEN(fd, mkstemp(text));
    SHOW(write(fd, "t", 1));
    SHOW(unlink(text));
    SHOW(write(fd, "t", 1));
    SHOW(fstat(fd, &status));
    show_status(&status);
    SHOW(close(fd));
    strcpy(text, at("temporary-XXXXXX.txt"));
    OPEN(fd, mkostemps(text, 4, O_CLOEXEC));
    close(fd);
    SHOW(unlink(text));
    strcpy(text, at("temporary-XXXXXX"));
    SHOW(mkdtemp(text) == text);
    SHOW(rmdir(text));
    strcpy(text, at("temporary-XXXX"));
    OPEN(fd, mkstemp(text));
    SHOW(umask(077));
    OPEN(fd, open(at("masked"), O_CREAT | O_WRONLY, 0666));
    fstat(fd, &status);
    show_status(&status);
    close(fd);
    umask(022);
}

static void streams(void) {
    char text[256];
    FILE *file = fopen(at("stream"), "w");
    SHOW(fprintf(file, "%d %s\n", 42, "words"));
    SHOW(fwrite("more\n", 1, 5, file));
    SHOW(fflush(file));
    SHOW(ftell(file));
    SHOW(fseek(file, 2, SEEK_SET));
    SHOW(fputc('X', file));
    SHOW(fclose(file));
    file = fopen64(at("stream"), "r+");
    SHOW(fgets(text, sizeof text, file) != NULL);
    printf("  %s", text);
    SHOW(fread(text, 1, 3, file));
    SHOW(fseek(file, 0, SEEK_END));
    SHOW(ftello(file));
    SHOW(fputs("end\n", file));
    SHOW(freopen(at("stream2"), "w", file) == file);
    SHOW(fputs("second\n", file));
    SHOW(fclose(file));
    file = fopen(at("stream"), "a");
    SHOW(fputs("appended\n", file));
    SHOW(fclose(file));
    SHOW(fopen(at("stream"), "wx") == NULL);
    SHOW(fopen(at("missing/stream"), "w") == NULL);
    SHOW(fopen(at("missing"), "r") == NULL);
    SHOW(fopen(at("stream"), "q") == NULL);
    file = fdopen(open(at("stream3"), O_CREAT | O_RDWR, 0644), "w");
    setvbuf(file, NULL, _IONBF, 0);
    SHOW(fputs("unbuffered", file));
    SHOW(fclose(file));
    file = fopen(at("wide"), "w");
    SHOW(fputws(L"wide", file));
    SHOW(fclose(file));
    file = fopen(at("large"), "w");
    for (int i = 0; i < 100000; i++)
        fwrite("0123456789", 1, 10, file);
    SHOW(fclose(file));
    file = fopen(at("large"), "r");
    long sum = 0;
    int c;
    while ((c = fgetc(file)) != EOF)
        sum += c;
    SHOW(sum);
    SHOW(fclose(file));
    content(at("stream"));
    content(at("stream2"));
    content(at("stream3"));
    content(at("wide"));
}

static int status_of(pid_t pid) {
    int status = -1;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void processes(void) {
    char command[3 * PATH_MAX];
    int fd;
    snprintf(command, sizeof command, "cp /bin/sh %s/shell", top);
    SHOW(system(command));
    FILE *script = fopen(at("script"), "w");
    fprintf(script, "#!%s/shell -e\necho \"script ${0##*/} $1\" >> %s/log\n", top, top);
    fclose(script);
    chmod(at("script"), 0755);
    fflush(stdout);
    for (int how = 0; how < 6; how++) {
        pid_t pid = how == 5 ? vfork() : fork();
        if (pid == 0) {
            char *arguments[] = {"script", "x", NULL}, *none[] = {NULL};
            if (how == 0)
                execl(at("script"), "script", "one", NULL);
            if (how == 1)
                execv(at("script"), arguments);
            if (how == 2)
                execve(at("script"), arguments, none);
            if (how == 3)
                execle(at("shell"), "shell", "-c", "exit $N", NULL, (char *[]){"N=4", NULL});
            if (how == 4) {
                setenv("PATH", top, 1);
                execlp("script", "script", "found", NULL);
            }
            if (how == 5)
                execv(at("script"), arguments);
            _exit(99);
        }
        printf("executed %d: %d\n", how, status_of(pid));
        fflush(stdout);
    }
    pid_t pid;
    char *arguments[] = {"script", "spawned", NULL};
    SHOW(posix_spawn(&pid, at("script"), NULL, NULL, arguments, environ));
    SHOW(status_of(pid));
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, at("spawn-output"), O_CREAT | O_WRONLY, 0644);
    char *echo[] = {"echo", "redirected", NULL};
    SHOW(posix_spawnp(&pid, "echo", &actions, NULL, echo, environ));
    SHOW(status_of(pid));
    posix_spawn_file_actions_destroy(&actions);
    FILE *pipe = popen("pwd > /dev/null; echo popen", "r");
    SHOW(fgets(command, sizeof command, pipe) != NULL);
    SHOW(pclose(pipe));
    OPEN(fd, open(at("forked"), O_CREAT | O_WRONLY | O_TRUNC, 0644));
    fflush(stdout);
    if ((pid = fork()) == 0) {
        write(fd, "child ", 6);
        close(fd);
        _exit(0);
    }
    SHOW(status_of(pid));
    SHOW(write(fd, "parent", 6));
    SHOW(close(fd));
    content(at("log"));
    content(at("spawn-output"));
    content(at("forked"));
    snprintf(command, sizeof command,
             "echo 'int value(void) { return 17; }' | cc -shared -fPIC -x c - -o %s/libvalue.so", top);
    SHOW(system(command));
    void *library = dlopen(at("libvalue.so"), RTLD_NOW);
    int (*value)(void) = library ? (int (*)(void))dlsym(library, "value") : NULL;
    SHOW(value ? value() : -1);
    SHOW(dlopen(at("missing.so"), RTLD_NOW) == NULL);
}

static void others(void) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char text[16];
    snprintf(address.sun_path, sizeof address.sun_path, "%s", at("socket"));
    int listening = socket(AF_UNIX, SOCK_STREAM, 0), fd = socket(AF_UNIX, SOCK_STREAM, 0);
    SHOW(bind(listening, (struct sockaddr *)&address, sizeof address));
    SHOW(bind(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&address, sizeof address));
    SHOW(listen(listening, 1));
    SHOW(connect(fd, (struct sockaddr *)&address, sizeof address));
    close(fd);
    close(listening);
    SHOW(unlink(at("socket")));
    int watch = inotify_init();
    SHOW(inotify_add_watch(watch, top, IN_CREATE) > 0);
    close(open(at("watched"), O_CREAT | O_WRONLY, 0644));
    SHOW(read(watch, text, 0) < 0 ? 1 : 1);
    close(watch);
    fd = open(at("aio"), O_CREAT | O_RDWR, 0644);
    struct aiocb block = {.aio_fildes = fd, .aio_buf = "aio", .aio_nbytes = 3};
    const struct aiocb *const list[] = {&block};
    SHOW(aio_write(&block));
    SHOW(aio_suspend(list, 1, NULL));
    SHOW(aio_return(&block));
    struct aiocb *blocks[] = {&block};
    block.aio_lio_opcode = LIO_READ;
    block.aio_buf = text;
    SHOW(lio_listio(LIO_WAIT, blocks, 1, NULL));
    SHOW(memcmp(text, "aio", 3));
    close(fd);
    sync();
    OPEN(fd, open("/proc/self/mounts", O_RDONLY));
    SHOW(read(fd, text, sizeof text));
    close(fd);
    FILE *mounts = fopen("/etc/mtab", "r");
    SHOW(mounts != NULL);
    fclose(mounts);
}

static void *in_thread(void *number) {
    char name[64], text[16];
    for (int i = 0; i < 200; i++) {
        snprintf(name, sizeof name, "thread-%ld", (long)number);
        int fd = open(at(name), O_CREAT | O_RDWR | O_TRUNC, 0644);
        if (write(fd, name, 8) != 8 || pread(fd, text, 8, 0) != 8 || memcmp(text, name, 8))
            return (void *)1;
        close(fd);
    }
    return NULL;
}

static void threads(void) {
    pthread_t all[4];
    void *failed = NULL, *one;
    for (long i = 0; i < 4; i++)
        pthread_create(&all[i], NULL, in_thread, (void *)i);
    for (int i = 0; i < 4; i++) {
        pthread_join(all[i], &one);
        failed = one ? one : failed;
    }
    SHOW(failed == NULL);
}

int main(int n, char **arguments) {
    if (n != 2)
        return 2;
    snprintf(top, sizeof top, "%s", arguments[1]);
    descriptors();
    copies();
    attributes();
    entries();
    streams();
    processes();
    others();
    threads();
    return 0;
}
