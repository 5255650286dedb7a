/* Every method to obtain the host's name, on one line; then the address of another rank's node. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <mpi.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

static void chomp(char *text) { text[strcspn(text, "\n")] = 0; }

int main(int argc, char **argv) {
    char early[256], name[MPI_MAX_PROCESSOR_NAME], host[256], file[256] = "", etc[256] = "";
    char back[256] = "", short_one[4], buffer[1024], all[8][64];
    int rank, size, length, error;
    struct utsname u;
    struct addrinfo hints = {.ai_flags = AI_CANONNAME, .ai_family = AF_INET}, *found;
    struct hostent result, *by_name, *by_address, *reentrant;

    gethostname(early, sizeof early);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Get_processor_name(name, &length);
    gethostname(host, sizeof host);
    uname(&u);
    if (getaddrinfo(name, "80", &hints, &found)) return 2;
    getnameinfo(found->ai_addr, found->ai_addrlen, back, sizeof back, NULL, 0, 0);
    FILE *proc = fopen("/proc/sys/kernel/hostname", "r");
    if (!proc || !fgets(file, sizeof file, proc)) return 3;
    fclose(proc);
    int fd = open("/etc/hostname", O_RDONLY);
    if (fd < 0 || read(fd, etc, sizeof etc - 1) < 1) return 4;
    close(fd);
    chomp(file);
    chomp(etc);
    printf("%s %s %s %s %s %s %s %s", name, early, host, u.nodename, found->ai_canonname, back,
           file, etc);
    by_name = gethostbyname(name);
    if (!by_name) return 5;
    printf(" %s", by_name->h_name);
    struct in_addr address = *(struct in_addr *)by_name->h_addr_list[0];
    by_address = gethostbyaddr(&address, sizeof address, AF_INET);
    if (!by_address) return 6;
    printf(" %s", by_address->h_name);
    if (gethostbyname_r(name, &result, buffer, sizeof buffer, &reentrant, &error)) return 7;
    printf(" %s\n", reentrant->h_name);
    /* The same node has the same address everywhere, and every node its own. */
    if (memcmp(reentrant->h_addr_list[0], &address, sizeof address)) return 8;
    if ((ntohl(address.s_addr) >> 24) != 127) return 9;
    unsigned mine = address.s_addr, there[8];
    MPI_Allgather(&mine, 1, MPI_UNSIGNED, there, 1, MPI_UNSIGNED, MPI_COMM_WORLD);
    strncpy(all[rank], name, sizeof all[0]);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_CHAR, all, 64, MPI_CHAR, MPI_COMM_WORLD);
    for (int other = 0; other < size; ++other) {
        by_name = gethostbyname(all[other]);
        if (!by_name || *(unsigned *)by_name->h_addr_list[0] != there[other]) return 10;
        if (!strcmp(all[other], name) != (there[other] == mine)) return 11;
    }
    /* Too small a buffer is an error; names of no node are unknown. */
    if (gethostname(short_one, sizeof short_one) == 0) return 12;
    if (getaddrinfo("no-such-node.invalid", NULL, &hints, &found) == 0) return 13;
    MPI_Finalize();
    return 0;
}
