/* Counts the k-mers of random reads, as assemblers of genomes do: a batch of reads is cut into
 * words of 21 bases, which go to their owners by hash.
 *
 *     ./kmers [READS [BATCHES]]
 *
 * READS of 100 bases per rank and batch (default 100), BATCHES of them (default 4). All words must
 * arrive. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LENGTH = 100, K = 21, WORDS = LENGTH - K + 1, SLOTS = 1 << 20 };

static uint64_t table[SLOTS], state;
static unsigned times[SLOTS];

/* splitmix64 */
static uint64_t draw(void)
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static uint64_t hash(uint64_t word)
{
    word *= 0xff51afd7ed558ccdu;
    return word ^ word >> 32;
}

static void count(uint64_t word)
{
    uint64_t slot = hash(word) >> 8 & (SLOTS - 1);
    while (times[slot] && table[slot] != word) slot = (slot + 1) & (SLOTS - 1);
    table[slot] = word, times[slot]++;
}

static void cut(int reads, uint64_t *words)
{
    for (int read = 0; read < reads; read++) {
        uint64_t word = 0;
        for (int base = 0; base < LENGTH; base++) {
            word = (word << 2 | (draw() & 3)) & (((uint64_t)1 << 2 * K) - 1);
            if (base >= K - 1) *words++ = word;
        }
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, ranks, reads = argc > 1 ? atoi(argv[1]) : 100, batches = argc > 2 ? atoi(argv[2]) : 4;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (reads < 1 || batches < 1 || (long)reads * batches * WORDS > SLOTS / 2) {
        if (rank == 0) fprintf(stderr, "kmers: 1 to %d reads in all\n", SLOTS / 2 / WORDS);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    int n = reads * WORDS;
    uint64_t *words = malloc((n + 1) * sizeof *words), *sorted = malloc((n + 1) * sizeof *sorted);
    int counts[ranks], starts[ranks], at[ranks], got[ranks], got_starts[ranks];
    long arrived = 0, all = 0;
    state = (uint64_t)rank << 32;
    double start = MPI_Wtime();
    for (int batch = 0; batch < batches; batch++) {
        cut(reads, words);
        memset(counts, 0, sizeof counts);
        for (int i = 0; i < n; i++) counts[hash(words[i]) % ranks]++;
        for (int peer = 0, first = 0; peer < ranks; first += counts[peer++])
            starts[peer] = at[peer] = first;
        for (int i = 0; i < n; i++) sorted[at[hash(words[i]) % ranks]++] = words[i];
        MPI_Alltoall(counts, 1, MPI_INT, got, 1, MPI_INT, MPI_COMM_WORLD);
        int total = 0;
        for (int peer = 0; peer < ranks; total += got[peer++]) got_starts[peer] = total;
        uint64_t *mine = malloc((total + 1) * sizeof *mine);
        MPI_Alltoallv(sorted, counts, starts, MPI_UINT64_T, mine, got, got_starts, MPI_UINT64_T,
                      MPI_COMM_WORLD);
        for (int i = 0; i < total; i++) count(mine[i]);
        free(mine);
        arrived += total;
        MPI_Allreduce(&arrived, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    }
    int ok = all == (long)n * batches * ranks;
    if (rank == 0)
        printf("kmers: %ld words, %.3f us: %s\n", all, 1e6 * (MPI_Wtime() - start),
               ok ? "ok" : "WRONG");
    free(words), free(sorted);
    MPI_Finalize();
    return !ok;
}
