"""FMM: the one-sided pattern of a fast multipole method, each rank with all others.

Source: "Scaling MPI Applications on Aurora": 2,127,199 accesses of a rank, a fence after
every 2,000, or every 100 for puts without access of NICs to GPU memory. Expansions have
16 (L + 1)^2 bytes [estimate].
"""

from odonata.app import App, Phases

PART = 250  # accesses of an epoch that are simulated together


def epoch(a: Phases, count: int) -> None:
    size = 16 * (a.order + 1) ** 2
    access = a.put if a.operation == "put" else a.get
    parts, rest = divmod(count, PART)
    if parts > 3:
        with a.loop(parts):
            access(size, count=PART, to=a.targets)
            a.flush()  # so that each part takes its time: a latency more than in the program
        count = rest
    if count:
        access(size, count=count, to=a.targets)
    a.fence()


def exchange(a: Phases) -> None:
    epochs, rest = divmod(a.count, a.fence_every)
    with a.phase(a.operation):
        with a.loop(epochs):
            epoch(a, a.fence_every)
        if rest:
            epoch(a, rest)


model = App(
    exchange,
    grid=1,
    options={
        "operation": "get",
        "count": 2_127_199,
        "fence_every": 2_000,
        "order": 2,
        "targets": "all",  # from the next rank on; `same`: from rank 0 on
    },
    merit=lambda a, seconds: float(a.count) * a.ranks / seconds,
    unit="access/s",
    title="FMM",
)
