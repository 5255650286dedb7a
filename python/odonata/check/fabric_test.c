/* Exchanges between pairs of ranks in rounds, for `odonata check`.
 *
 *   mpicc -O2 -o fabric_test fabric_test.c
 *   mpiexec -n RANKS fabric_test PLAN
 *
 * PLAN is a text: `test NAME SIZE WINDOW PPN APART BOTH REPS`, then `set RANK...` and `round A-B...`
 * lines. With APART each round begins with a barrier and has its own time, else rounds follow each
 * other on each rank. With BOTH the two ranks of a pair send at once, else one after the other.
 *
 * Output: a table as dgnettest prints it for sets, and lines `pair ROUND A B SECONDS MB/s` or
 * `rank RANK SECONDS` of one repetition.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NONE = -1, TAG = 7 };

struct plan {
    char name[128];
    long size;
    int window, ppn, apart, both, reps;
    int n_rounds, n_sets;
    int *partner; /* n_rounds x ranks */
    int *set;     /* set of each rank, or NONE */
};

static void fail(const char *what) {
    fprintf(stderr, "fabric_test: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 2);
    exit(2);
}

static void *grow(void *old, size_t bytes) {
    void *found = realloc(old, bytes ? bytes : 1);
    if (!found) fail("out of memory");
    return found;
}

/* The text of the plan on all ranks. */
static char *read_plan(const char *path, int rank) {
    long bytes = -1;
    char *text = NULL;
    if (rank == 0) {
        FILE *file = fopen(path, "rb");
        if (file && !fseek(file, 0, SEEK_END) && (bytes = ftell(file)) >= 0) {
            rewind(file);
            text = grow(NULL, (size_t)bytes + 1);
            if (fread(text, 1, (size_t)bytes, file) != (size_t)bytes) bytes = -1;
        }
        if (file) fclose(file);
    }
    MPI_Bcast(&bytes, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    if (bytes < 0) fail("cannot read the plan");
    if (rank) text = grow(NULL, (size_t)bytes + 1);
    for (long at = 0; at < bytes; at += 1 << 20) {
        long left = bytes - at < 1 << 20 ? bytes - at : 1 << 20;
        MPI_Bcast(text + at, (int)left, MPI_CHAR, 0, MPI_COMM_WORLD);
    }
    text[bytes] = 0;
    return text;
}

static void add_round(struct plan *plan, char *line, int ranks) {
    size_t row = (size_t)plan->n_rounds++;
    plan->partner = grow(plan->partner, (row + 1) * (size_t)ranks * sizeof(int));
    int *of_round = plan->partner + row * (size_t)ranks;
    for (int i = 0; i < ranks; i++) of_round[i] = NONE;
    char *rest = NULL;
    for (char *word = strtok_r(line, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        int a, b;
        if (sscanf(word, "%d-%d", &a, &b) != 2 || a < 0 || b < 0 || a >= ranks || b >= ranks)
            fail("a pair of a round is wrong");
        of_round[a] = b;
        of_round[b] = a;
    }
}

static struct plan parse(char *text, int ranks) {
    struct plan plan = {.n_rounds = 0};
    plan.set = grow(NULL, (size_t)ranks * sizeof(int));
    for (int i = 0; i < ranks; i++) plan.set[i] = NONE;
    char *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        if (!strncmp(line, "test ", 5)) {
            if (sscanf(line, "test %127s %ld %d %d %d %d %d", plan.name, &plan.size, &plan.window,
                       &plan.ppn, &plan.apart, &plan.both, &plan.reps) != 7 ||
                plan.size < 1 || plan.window < 1 || plan.ppn < 1 || plan.reps < 1)
                fail("the line `test` is wrong");
        } else if (!strncmp(line, "set ", 4)) {
            char *words = NULL;
            for (char *word = strtok_r(line + 4, " ", &words); word;
                 word = strtok_r(NULL, " ", &words)) {
                int rank = atoi(word);
                if (rank < 0 || rank >= ranks) fail("a rank of a set is wrong");
                plan.set[rank] = plan.n_sets;
            }
            plan.n_sets++;
        } else if (!strncmp(line, "round", 5)) {
            add_round(&plan, line + 5, ranks);
        }
    }
    if (!plan.name[0]) fail("the plan has no line `test`");
    return plan;
}

/* Sends or receives one window. */
static int post(const struct plan *plan, char *buffer, int peer, int is_send, MPI_Request *out) {
    for (int i = 0; i < plan->window; i++) {
        if (is_send)
            MPI_Isend(buffer, (int)plan->size, MPI_CHAR, peer, TAG, MPI_COMM_WORLD, out + i);
        else
            MPI_Irecv(buffer, (int)plan->size, MPI_CHAR, peer, TAG, MPI_COMM_WORLD, out + i);
    }
    return plan->window;
}

static void exchange(const struct plan *plan, int rank, int peer, char *buffers[2],
                     MPI_Request *requests) {
    if (plan->both) {
        int n = post(plan, buffers[0], peer, 0, requests);
        n += post(plan, buffers[1], peer, 1, requests + n);
        MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
        return;
    }
    for (int turn = 0; turn < 2; turn++) {
        int is_send = (turn == 0) == (rank < peer);
        int n = post(plan, buffers[is_send], peer, is_send, requests);
        MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
    }
}

static void print_sets(const struct plan *plan, const double *times, int ranks, int iteration) {
    if (iteration == 0)
        printf("Test       Iter    Bytes   Set    Base   Ranks    Reps      Secs   BW/proc"
               "   BW/node\n");
    for (int set = 0; set < plan->n_sets; set++) {
        int base = NONE, members = 0;
        double longest = 0, messages = 0;
        for (int rank = 0; rank < ranks; rank++) {
            if (plan->set[rank] != set) continue;
            if (base == NONE) base = rank;
            members++;
            if (times[rank] > longest) longest = times[rank];
            for (int round = 0; round < plan->n_rounds; round++)
                messages += plan->partner[(size_t)round * (size_t)ranks + (size_t)rank] != NONE;
        }
        /* As in dgnettest, both messages of an exchange count for each rank of a bisection. */
        if (!plan->both) messages *= 2;
        double rate = messages * plan->window * (double)plan->size / longest / 1e6;
        printf("%-10s %4d %8ld %5d %7d %7d %7d %9.3f %9.1f %9.1f\n", plan->name, iteration,
               plan->size, set, base, members, plan->reps, longest * plan->reps, rate / members,
               rate / members * plan->ppn);
    }
}

int main(int argc, char **argv) {
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc != 2) fail("usage: fabric_test PLAN");
    struct plan plan = parse(read_plan(argv[1], rank), ranks);
    char *buffers[2];
    for (int i = 0; i < 2; i++) {
        buffers[i] = grow(NULL, (size_t)plan.size);
        memset(buffers[i], rank & 0x7f, (size_t)plan.size);
    }
    MPI_Request *requests = grow(NULL, 2 * (size_t)plan.window * sizeof(MPI_Request));
    double *times = grow(NULL, (size_t)ranks * sizeof(double));
    int parts = plan.apart ? plan.n_rounds : 1;
    for (int part = 0; part < parts; part++) {
        int first = plan.apart ? part : 0, end = plan.apart ? part + 1 : plan.n_rounds;
        double mine = 0;
        for (int rep = -1; rep < plan.reps; rep++) { /* the first warms up */
            MPI_Barrier(MPI_COMM_WORLD);
            double start = MPI_Wtime();
            for (int round = first; round < end; round++) {
                int peer = plan.partner[(size_t)round * (size_t)ranks + (size_t)rank];
                if (peer != NONE) exchange(&plan, rank, peer, buffers, requests);
            }
            if (rep >= 0) mine += (MPI_Wtime() - start) / plan.reps;
        }
        MPI_Gather(&mine, 1, MPI_DOUBLE, times, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        if (rank) continue;
        if (!plan.apart) {
            print_sets(&plan, times, ranks, 0);
            for (int i = 0; i < ranks; i++) printf("rank %d %.9f\n", i, times[i]);
            continue;
        }
        const int *of_round = plan.partner + (size_t)part * (size_t)ranks;
        for (int a = 0; a < ranks; a++) {
            int b = of_round[a];
            if (b <= a) continue;
            double time = times[a] > times[b] ? times[a] : times[b];
            printf("pair %d %d %d %.9f %.1f\n", part, a, b, time,
                   2.0 * plan.window * (double)plan.size / time / 1e6);
        }
    }
    MPI_Finalize();
    return 0;
}
