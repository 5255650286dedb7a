/* The least storm: a ring with random lengths and a reduction, as a pattern for others and a test
   of the driver.  smoke SEED ROUNDS */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* splitmix64: the same draws on every rank, from the seed alone. */
static uint64_t state;

static uint64_t draw(void)
{
    uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

int main(int argc, char **argv)
{
    static uint64_t out[4096], in[4096];
    int rank, ranks, rounds;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc < 3)
        MPI_Abort(MPI_COMM_WORLD, 2);
    state = strtoull(argv[1], NULL, 10);
    rounds = atoi(argv[2]);
    for (int round = 0; round < rounds; round++) {
        int count = (int)(draw() % 4096), tag = (int)(draw() % 1000);
        int step = 1 + (int)(draw() % (uint64_t)ranks);
        uint64_t mine = 0, all = 0, salt = draw();
        for (int i = 0; i < count; i++)
            out[i] = salt * (uint64_t)(rank + 1) + (uint64_t)i;
        MPI_Sendrecv(out, count, MPI_UINT64_T, (rank + step) % ranks, tag, in, 4096, MPI_UINT64_T,
                     (rank - step % ranks + ranks) % ranks, tag, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        for (int i = 0; i < count; i++)
            mine = mine * 31 + in[i];
        mine *= (uint64_t)rank + 1;
        MPI_Reduce(&mine, &all, 1, MPI_UINT64_T, MPI_BXOR, 0, MPI_COMM_WORLD);
        if (rank == 0)
            printf("%d %016llx\n", round, (unsigned long long)all);
    }
    MPI_Finalize();
    return 0;
}
