/* Makes random file calls in the directory of its first argument and prints their results. The
 * second argument is the seed, the third the number of calls. Output does not depend on the file
 * system of the directory. With a fourth argument, links are refused as on DAOS: with EOPNOTSUPP
 * where the kernel finds no other error. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static unsigned long long state;
static unsigned draw(unsigned n) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (unsigned)(state >> 33) % n;
}

/* A random path: absolute or relative, of names that often exist, with dots and links. */
static void path(char *out, const char *top) {
    static const char *parts[] = {"a", "b", "c", "d", "l", "..", ".", "f", "g"};
    out[0] = 0;
    if (draw(2))
        sprintf(out, "%s/", top);
    for (int n = 1 + draw(3); n > 0; n--) {
        strcat(out, parts[draw(9)]);
        if (n > 1 || draw(12) == 0)
            strcat(out, draw(10) ? "/" : "//");
    }
}

enum { FILES = 12 };

int main(int n_arguments, char **arguments) {
    if (n_arguments < 4)
        return 2;
    const char *top = arguments[1];
    char one[4096], two[4096], data[512];
    int fds[FILES], calls = atoi(arguments[3]);
    struct stat status;
    state = strtoull(arguments[2], NULL, 10);
    memset(fds, -1, sizeof fds);
    if (chdir(top))
        return 3;
    for (int i = 0; i < calls; i++) {
        int kind = draw(30), nth = draw(FILES);
        long result = 0;
        path(one, top);
        path(two, top);
        /* Stay in the tree: the directories above differ. */
        int depth = 0, leaves = 0;
        for (char *both[] = {one, two}, **text = both; text < both + 2; text++) {
            char copy[4096], *rest = copy, *part;
            strcpy(copy, **text == '/' ? *text + strlen(top) : *text);
            for (depth = 0; (part = strsep(&rest, "/"));)
                leaves |= (depth += !strcmp(part, "..") ? -1 : *part && strcmp(part, ".")) < 0;
        }
        if (leaves)
            continue;
        errno = 0;
        switch (kind) {
        case 0: case 1: case 2: {
            static const int flags[] = {O_RDWR | O_CREAT, O_RDWR | O_CREAT | O_TRUNC,
                                        O_WRONLY | O_APPEND | O_CREAT, O_RDONLY, O_RDWR,
                                        O_RDWR | O_CREAT | O_EXCL, O_RDONLY | O_DIRECTORY,
                                        O_RDONLY | O_NOFOLLOW};
            if (fds[nth] >= 0)
                close(fds[nth]);
            fds[nth] = open(one, flags[draw(8)], 0644);
            result = fds[nth] < 0 ? -1 : 0;
            break;
        }
        case 3: result = close(fds[nth]); fds[nth] = -1; break;
        case 4: case 5: case 6: case 7: {
            int bytes = draw(sizeof data);
            for (int k = 0; k < bytes; k++)
                data[k] = 'a' + draw(26);
            result = draw(2) ? write(fds[nth], data, bytes)
                             : pwrite(fds[nth], data, bytes, draw(5000));
            break;
        }
        case 8: case 9: case 10: case 11: {
            unsigned long sum = 0;
            result = draw(2) ? read(fds[nth], data, draw(sizeof data))
                             : pread(fds[nth], data, draw(sizeof data), draw(5000));
            for (long k = 0; k < result; k++)
                sum = sum * 31 + (unsigned char)data[k];
            printf("%lx ", sum);
            break;
        }
        case 12: result = lseek(fds[nth], draw(6000), SEEK_SET); break;
        case 13: result = lseek(fds[nth], 0, SEEK_END); break;
        case 14: result = ftruncate(fds[nth], draw(6000)); break;
        case 15: result = truncate(one, draw(6000)); break;
        case 16: case 17: result = mkdir(one, 0755); break;
        case 18: result = rmdir(one); break;
        case 19: result = unlink(one); break;
        case 20: case 21: result = rename(one, two); break;
        case 22:
            result = link(one, two);
            if (result == 0 && n_arguments > 4) {
                unlink(two);
                result = -1;
                errno = EOPNOTSUPP;
            }
            break;
        case 23: result = symlink(draw(2) ? "a/b" : two, one); break;
        case 24: case 25:
            result = draw(2) ? stat(one, &status) : lstat(one, &status);
            if (result == 0)
                printf("%o %ld ", status.st_mode,
                       S_ISREG(status.st_mode) ? (long)status.st_size : 0L);
            break;
        case 26:
            result = fstat(fds[nth], &status);
            if (result == 0)
                printf("%o %ld ", status.st_mode,
                       S_ISREG(status.st_mode) ? (long)status.st_size : 0L);
            break;
        case 27: {
            DIR *stream = opendir(one);
            unsigned long sum = 0;
            struct dirent *entry;
            result = stream ? 0 : -1;
            while (stream && (entry = readdir(stream))) {
                unsigned long name = 5381;
                for (char *c = entry->d_name; *c; c++)
                    name = name * 33 + *c;
                sum += name;
            }
            if (stream)
                closedir(stream);
            printf("%lx ", sum);
            break;
        }
        case 28: {
            int other = dup(fds[nth]), into = draw(FILES);
            result = other < 0 ? -1 : 0;
            if (other >= 0) {
                if (fds[into] >= 0)
                    close(fds[into]);
                fds[into] = other;
            }
            break;
        }
        case 29:
            result = readlink(one, data, sizeof data - 1);
            if (result >= 0)
                result = !printf("%.*s ", (int)result, data);
            break;
        }
        const char *error = result < 0 ? strerrorname_np(errno) : "";
        printf("%d %d %s %s = %ld %s\n", i, kind, one, two, result, error);
    }
    return 0;
}
