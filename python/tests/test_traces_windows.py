"""One-sided communication in recordings and OTF2 archives: replays take the time of the run."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from conftest import ROOT, table_of_messages

import odonata as od

# Fences; locks, flushes, atomics and requests; post, start, complete and wait on windows of the odd
# and of the even ranks, whose order is reversed.
PROGRAM = """
from mpi4py import MPI
import numpy as np

comm = MPI.COMM_WORLD
me, n = comm.rank, comm.size
right, left = (me + 1) % n, (me - 1) % n
one, other = np.zeros(1000), np.zeros(1000)
window = MPI.Win.Allocate(32000, 8, comm=comm)
window.Fence()
window.Put(one, right)
window.Get(other, left, target=1000)
window.Fence()
window.Accumulate(one, right)
window.Fence(MPI.MODE_NOSUCCEED)
window.Lock(right, MPI.LOCK_EXCLUSIVE)
window.Put(one, right)
window.Flush(right)
window.Get(other, right)
window.Unlock(right)
window.Lock_all()
for target in range(n):
    window.Fetch_and_op(one[:1], other[:1], target, 0, MPI.SUM)
window.Flush_all()
window.Rget(other, left).Wait()
window.Unlock_all()
comm.Barrier()
half = comm.Split(me % 2, -me)
of_half = MPI.Win.Allocate(8000, 8, comm=half)
group = half.Get_group()
after, before = ((half.rank + step) % half.size for step in (1, -1))
for _ in range(2):
    of_half.Post(group.Incl([before]))
    of_half.Start(group.Incl([after]))
    of_half.Put(one, after)
    of_half.Complete()
    of_half.Wait()
of_half.Free()
window.Free()
"""
RANKS = 8
EXAMPLES = ROOT / "examples" / "traces"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, od.RunResult]:
    """The program's recording, its timeline, and its result."""
    pytest.importorskip("otf2")
    folder = tmp_path_factory.mktemp("windows")
    (folder / "program.py").write_text(PROGRAM)
    timeline = od.Timeline(folder / "run.otf2")
    job = od.machine("aurora").job(nodes=2, ppn=RANKS // 2, timeline=timeline)
    program = ["python", str(folder / "program.py")]
    return folder, od.run(job, program, compute="none", record=folder / "run.parquet")


def test_a_recording_is_replayed_exactly(run) -> None:
    folder, result = run
    replayed = od.replay(od.machine("aurora"), folder / "run.parquet")
    assert (replayed.digest, replayed.time) == (result.digest, result.time)


def test_an_archive_is_replayed_in_the_time_of_its_run(run) -> None:
    folder, result = run
    replayed = od.replay(od.machine("aurora"), folder / "run.otf2", ppn=RANKS // 2)
    assert replayed.summary["converted"]["unsupported"] == {}
    assert table_of_messages(replayed) == table_of_messages(result)
    assert replayed.time == pytest.approx(result.time, rel=1e-6)
    # The dependencies are those of the program, so other machines have equal times too.
    other = od.machine("frontier")
    one, two = (od.replay(other, folder / f"run.{form}", ppn=4) for form in ("parquet", "otf2"))
    assert two.time == pytest.approx(one.time, rel=1e-6)


def test_an_archive_has_the_windows_of_the_program(run) -> None:
    otf2 = pytest.importorskip("otf2")
    accesses: Counter = Counter()
    with otf2.reader.open(str(run[0] / "run.otf2")) as trace:
        for location, event in trace.events:
            kind = type(event).__name__
            if kind in ("RmaPut", "RmaGet", "RmaAtomic"):
                members = event.win.comm.group.members
                own = members.index(location)
                accesses[kind, len(members), (event.remote - own) % len(members)] += 1
                if kind == "RmaAtomic":
                    sizes = event.bytes_sent, event.bytes_received
                    assert sizes in ((8000, 0), (8, 8))
    half = RANKS // 2
    to_each = Counter(dict.fromkeys((("RmaAtomic", RANKS, to) for to in range(RANKS)), RANKS))
    others = Counter({
        ("RmaPut", RANKS, 1): 2 * RANKS, ("RmaGet", RANKS, 1): RANKS,
        ("RmaGet", RANKS, RANKS - 1): 2 * RANKS, ("RmaPut", half, 1): 2 * RANKS,
        ("RmaAtomic", RANKS, 1): RANKS,
    })  # fmt: skip
    assert accesses == to_each + others


def test_epochs_as_score_p_records_them(tmp_path: Path) -> None:
    """Groups of epochs, a lock of all ranks, and completions in the calls that wait. A get is not
    waited for before the call that has its completion."""
    otf2 = pytest.importorskip("otf2")
    mpi, kinds = otf2.Paradigm.MPI, otf2.GroupType
    barrier, level = otf2.CollectiveOp.BARRIER, otf2.RmaSyncLevel.PROCESS
    create, destroy = otf2.CollectiveOp.CREATE_HANDLE, otf2.CollectiveOp.DESTROY_HANDLE
    none = otf2.CollectiveRoot.NONE.value
    everyone = 2**32 - 2
    with otf2.writer.open(str(tmp_path / "a"), timer_resolution=10**12) as archive:
        define = archive.definitions
        node = define.system_tree_node("node")
        groups = [
            define.location_group(f"r{n}", location_group_type=otf2.LocationGroupType.PROCESS,
                                  system_tree_parent=node) for n in range(2)
        ]  # fmt: skip
        ranks = [define.location("rank", group=group) for group in groups]
        define.group("all", paradigm=mpi, group_type=kinds.COMM_LOCATIONS, members=ranks)
        of = [
            define.group(str(some), paradigm=mpi, group_type=kinds.COMM_GROUP, members=some)
            for some in (ranks, ranks[:1], ranks[1:])
        ]
        window = define.rma_win("window", comm=define.comm("world", group=of[0]))
        regions: dict = {}

        def call(writer, name: str, time: int, *events) -> None:
            region = regions.setdefault(name, define.region(f"MPI_{name}", paradigm=mpi))
            writer.enter(time, region)
            for event, *values in events:
                getattr(writer, event)(time + 1, *values)
            writer.leave(time + 2, region)

        def collective(what):
            return ("rma_collective_end", what, level, window, none, 0, 0)

        for rank in (0, 1):
            writer = archive.event_writer_from_location(ranks[rank])
            other = of[2 - rank]
            call(writer, "Win_create", 10, collective(create))
            if rank == 1:
                call(writer, "Win_post", 20, ("rma_group_sync", level, window, other))
                call(writer, "Win_wait", 50, ("rma_group_sync", level, window, other))
            else:
                call(writer, "Win_start", 20, ("rma_group_sync", level, window, other))
                call(writer, "Put", 30, ("rma_put", window, 1, 5000, 7))
                call(writer, "Win_complete", 40, ("rma_op_complete_remote", window, 7),
                     ("rma_group_sync", level, window, other))  # fmt: skip
            call(writer, "Win_lock_all", 60,
                 ("rma_request_lock", window, everyone, 0, otf2.LockType.SHARED))  # fmt: skip
            call(writer, "Rget", 70, ("rma_get", window, 1 - rank, 3000, 8))
            call(writer, "Win_flush_all", 80)
            call(writer, "Wait", 90, ("rma_op_complete_non_blocking", window, 8))
            call(writer, "Win_unlock_all", 100, ("rma_release_lock", window, everyone, 0))
            call(writer, "Win_fence", 110, collective(barrier))
            call(writer, "Win_free", 120, collective(destroy))
    result = od.replay(od.machine("aurora"), tmp_path / "a" / "traces.otf2")
    assert result.summary["converted"]["unsupported"] == {}
    assert result.summary["unreceived"] == 0 and result.failure is None
    rows = {(row["src"], row["dst"]): row for row in result.data["messages"]}
    # The window's creation gathers 8 B. The data of a get counts at its target.
    assert rows[0, 1]["bytes"] - rows[1, 0]["bytes"] == 5000
    assert rows[1, 0]["bytes"] == 3000 + 8
    # Two of post and complete, of which one each; the locks of both ranks, and their release.
    assert rows[0, 1]["messages"] == rows[1, 0]["messages"] + 1


def test_an_access_without_its_call_is_counted(tmp_path: Path) -> None:
    """As are accesses of unknown ranks; nothing else is replayed for them."""
    otf2 = pytest.importorskip("otf2")
    mpi, kinds = otf2.Paradigm.MPI, otf2.GroupType
    with otf2.writer.open(str(tmp_path / "a"), timer_resolution=10**12) as archive:
        define = archive.definitions
        node = define.system_tree_node("node")
        group = define.location_group(
            "r", location_group_type=otf2.LocationGroupType.PROCESS, system_tree_parent=node
        )
        rank = define.location("rank", group=group)
        define.group("all", paradigm=mpi, group_type=kinds.COMM_LOCATIONS, members=[rank])
        world = define.group("w", paradigm=mpi, group_type=kinds.COMM_GROUP, members=[rank])
        window = define.rma_win("window", comm=define.comm("world", group=world))
        barrier = define.region("MPI_Barrier", paradigm=mpi)
        writer = archive.event_writer_from_location(rank)
        writer.enter(1, barrier)
        writer.rma_put(2, window, 0, 8, 1)
        writer.rma_get(3, window, 5, 8, 2)
        writer.leave(4, barrier)
    result = od.replay(od.machine("aurora"), tmp_path / "a" / "traces.otf2")
    assert result.summary["converted"]["unsupported"] == {
        "access to an unknown rank": 1, "event of a window without its call": 1,
    }  # fmt: skip


def test_epochs_of_dumpi(tmp_path: Path) -> None:
    """Fences, a lock, and an epoch between two ranks. The data of a get counts at its target."""
    result = od.replay(od.machine("aurora"), EXAMPLES / "dumpi-windows", compute="none")
    assert result.summary["converted"]["unsupported"] == {} and result.failure is None
    assert result.summary["unreceived"] == 0
    rows = {(row["src"], row["dst"]): row for row in result.data["messages"]}
    # Of the origin, 1,000 doubles and ten integers; of the target three integers.
    assert rows[0, 1]["bytes"] - rows[1, 0]["bytes"] == 8000 + 40 - 12
    for file in (EXAMPLES / "dumpi-windows").iterdir():
        (tmp_path / file.name).write_text(file.read_text())
    # Without the post, the start waits for ever.
    target = (tmp_path / "windows-0001.txt").read_text()
    without = target.replace("MPI_Win_post", "MPI_Type_size")
    (tmp_path / "windows-0001.txt").write_text(without)
    with pytest.raises(od.SimulatedFailure, match="deadlock"):
        od.replay(od.machine("aurora"), tmp_path, compute="none")
    (tmp_path / "windows-0001.txt").write_text(target.replace("newgroup=8", "newgroup=9"))
    with pytest.raises(od.InputError, match="group 8"):
        od.replay(od.machine("aurora"), tmp_path)


def test_the_shipped_archive_is_read() -> None:
    pytest.importorskip("otf2")
    trace = EXAMPLES / "otf2-windows" / "windows.otf2"
    result = od.replay(od.machine("aurora"), trace, ppn=2)
    assert result.summary["converted"]["unsupported"] == {}
    # Each of four ranks puts 8,000 B four times, and accumulates, gets twice, and gets by request.
    assert result.n_bytes > 4 * 8 * 8000
