"""Model of bfs2d.c: the mean numbers of vertices that each level of the search finds.

    odonata app check examples/apps/bfs2d.py --machine aurora -n 8,27,64 -- \\
        ./bfs2d {scale} {edges}

Each vertex has `edges` neighbors that it has drawn, and a Poisson number of vertices that have
drawn it. The numbers of vertices per rank are drawn, too: a column of ranks has a Poisson number of
those of the frontier, and a rank a Poisson number of their neighbors. The directions of the search
are those of the means, so the mean size of a frontier must not be close to the limit between them.

`branch_ns` is the time of a mispredicted branch, by default 0: GPUs do not predict branches. On a
core it is 5 ns [estimate], from the times of an edge in docs/application-times.md.
"""

import math
from statistics import fmean, pstdev

from odonata.app import App, Phases, counts, normal

EDGE = 16  # bytes of an edge
LINE = 64  # bytes of a cache line
SWITCH = 1 / 20  # share of all vertices above which a search goes up from unvisited vertices


def column_gather(a: Phases, frontier: float) -> None:
    """The frontier of a column of ranks."""
    a.allgather(4, axes=0, grain=4)
    a.allgatherv(8 * frontier / a.ranks, axes=0, spread=counts())


def send_visits(a: Phases, blocks: list[float], frontier: float) -> None:
    """Pairs of a vertex and its parent, to the owner in the row: blocks by distance. They are
    sorted, which moves a pair per comparison, and then visited."""
    visits = sum(blocks)
    a.alltoall(4, axes=1, grain=4)
    a.compute(bytes=16 * visits * math.log2(visits + 1), kernel="tree")
    of_column = a.shape[1] / frontier  # relative variance of the frontier of a column
    spread = [normal(math.sqrt(1 / n + of_column)) if n > 0 else normal(0) for n in blocks]
    # The root is one vertex, whose column alone has neighbors.
    a.alltoallv([16 * n for n in blocks], axes=1, grain=16,
                spread=counts() if frontier == 1 else spread)  # fmt: skip


def mispredicted(share: float, edges: float) -> float:
    """Mispredicted branches per edge, if the branch is taken for this share of the edges. Those of
    a vertex, `edges` on a rank, are in order, so the branch changes at most once among them and
    once between vertices. Without any pattern, the rarer direction is mispredicted."""
    some_are, some_are_not = 1 - (1 - share) ** edges, 1 - share**edges
    return min(2 * some_are * some_are_not / edges, share, 1 - share)


def misses_of(part: int, columns: int, edges: float) -> float:
    """The same for edges to vertices of one column: two comparisons, with the part's begin and
    end."""
    below, left = part / columns, columns - part
    return mispredicted(below, edges) + (1 - below) * mispredicted(1 / left, edges)


def search(a: Phases) -> None:
    vertices, degree = 2.0**a.scale, float(a.edges)
    rows, columns = a.shape
    owned, edges_of = math.ceil(vertices / a.ranks), 2 * degree * vertices / a.ranks
    bitmap = (owned + 7) // 8
    # `expanded` vertices have been a frontier. An unvisited one is no neighbor of any of them.
    frontier, unvisited, expanded = 1.0, vertices - 1, 0.0
    while frontier >= 0.5:
        # Probability that a vertex has no neighbor among a part of the frontier.
        def misses(part: float) -> float:
            drawn = max(1 - frontier * part / (vertices - expanded), 0) ** degree
            return drawn * math.exp(-degree * frontier * part / vertices)

        found = unvisited * (1 - misses(1))
        if frontier > SWITCH * vertices:
            with a.phase("bottom up"):
                # A bit per vertex that is in the frontier, and one per unvisited vertex.
                a.compute(bytes=EDGE * owned, kernel="spmv")
                a.allgather(bitmap, axes=0, grain=1)
                # All edges of the rank, for the vertices of one column. Each step has all columns,
                # so its mean is the same, and columns differ by their standard deviation.
                of = [misses_of(part, columns, 2 * degree / rows) for part in range(columns)]
                branches, noise = fmean(of), normal(pstdev(of) / fmean(of)) if any(of) else None
                with a.loop(columns):
                    a.compute(bytes=EDGE * edges_of, kernel="spmv")
                    if a.branch_ns > 0:
                        a.compute(seconds=1e-9 * a.branch_ns * branches * edges_of, noise=noise)
                    if columns > 1:
                        a.shift(1, bitmap, axis=1)
                # After each shift the vertices that were found are left out.
                miss = misses(1 / columns)
                each = [unvisited / a.ranks * (1 - miss) * miss**step for step in range(columns)]
                visits = sum(each)
                send_visits(a, [each[-distance % columns] for distance in range(columns)],
                            frontier)  # fmt: skip
        else:
            with a.phase("top down"):
                a.compute(bytes=owned, kernel="stream")
                column_gather(a, frontier)
                # The edges in order, and a mark per vertex of the row.
                a.compute(bytes=EDGE * edges_of, kernel="stream")
                a.compute(bytes=2 * vertices / rows, kernel="stream")
                # Edges of all but the root: a vertex that was found has one more than the mean.
                edges = frontier * (2 * degree + (0.5 if expanded else 0)) / a.ranks
                # Those of the frontier, with the mark of their vertex.
                a.compute(bytes=(EDGE + LINE) * edges, kernel="spmv")
                targets = vertices / rows
                visits = targets * (1 - math.exp(-edges / targets))
                send_visits(a, [visits / columns] * columns, frontier)
        with a.phase("count"):
            a.compute(bytes=EDGE * visits, kernel="tree")  # parents of those that were found
            a.allreduce(8)
        expanded += frontier
        frontier, unvisited = found, unvisited - found


model = App(
    search,
    grid=2,
    options={"scale": 12, "edges": 8, "branch_ns": 0.0},
    merit=lambda a, seconds: a.edges * 2.0**a.scale / seconds,
    unit="TEPS",
    title="bfs2d",
    uncertainty=0.25,  # of `branch_ns` [estimate]
)
