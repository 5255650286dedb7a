"""Model of kmers.c: words of reads go to their owners by hash.

    odonata app check examples/apps/kmers.py --machine aurora -n 8,27,64 -- \\
        ./kmers {reads} {batches}

The hash is uniform, so each block has a binomial number of words, close to a Poisson number.
"""

from odonata.app import App, Phases, counts

WORDS = 100 - 21 + 1  # of a read


def batches(a: Phases) -> None:
    words = a.reads * WORDS
    with a.loop(a.batches):
        with a.phase("exchange"):
            # Cutting, hashing and sorting: each word is read and written about four times.
            a.compute(bytes=64 * words, kernel="stream")
            a.alltoall(4, grain=4)
            a.alltoallv(8 * words / a.ranks, grain=8, spread=counts())
        with a.phase("count"):
            a.compute(bytes=16 * words, kernel="tree")
            a.allreduce(8)


model = App(
    batches,
    options={"reads": 100, "batches": 4},
    merit=lambda a, seconds: float(WORDS) * a.reads * a.batches * a.ranks / seconds,
    unit="word/s",
    title="k-mers",
)
