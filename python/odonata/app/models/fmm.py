"""FMM: the one-sided pattern of a fast multipole method, each rank with all others.

Sources: Aurora paper (S), MPICH issue in its references. Expansions of 16 (L + 1)^2 bytes
[estimate].
"""

from odonata.app import App, Phases


def exchange(a: Phases) -> None:
    size = 16 * (a.order + 1) ** 2
    access = a.put if a.operation == "put" else a.get
    epochs, rest = divmod(a.count, a.fence_every)
    with a.phase(a.operation):
        with a.loop(epochs):
            access(size, count=a.fence_every)
            a.fence()
        if rest:
            access(size, count=rest)
            a.fence()


model = App(
    exchange,
    grid=1,
    options={
        "operation": "get",
        # [S] 2,127,199 accesses of 16 nodes with 12 ranks each.
        "count": 11_079,
        "fence_every": 2_000,
        "order": 4,
    },
    ppn=12,
    merit=lambda a, seconds: float(a.count) * a.ranks / seconds,
    unit="access/s",
    title="FMM",
)
