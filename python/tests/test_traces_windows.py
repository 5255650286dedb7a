"""One-sided communication in recordings and OTF2 archives: replays take the time of the run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import compress
from pathlib import Path

import pytest
from conftest import ROOT, table_of_messages

import odonata as od
from odonata.timelines.otf2 import COMPLETED, POSTED
from odonata.traces import dumpi, dumpi_windows
from odonata.traces.communicators import Communicators
from odonata.traces.otf2 import read_here
from odonata.traces.paraver import Call, Transfer
from odonata.traces.schedule import CODES, Schedule, TraceError
from odonata.traces.windows import Windows

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


@pytest.fixture(scope="module")
def score_p(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., od.RunResult]:
    """Replays an archive of two ranks with the bytes of a get, the call that waits for it, and
    computation in picoseconds before and after that call."""
    pytest.importorskip("otf2")

    def replayed(size: int, wait: str, before: int = 0, after: int = 0) -> od.RunResult:
        folder = tmp_path_factory.mktemp("score-p") / "a"
        write_score_p(folder, size, wait, before, after)
        return od.replay(od.machine("aurora"), folder / "traces.otf2")

    return replayed


def write_score_p(folder: Path, size: int, wait: str, before: int, after: int) -> None:
    """Groups of epochs, a lock of all ranks, and completions in the calls that wait."""
    otf2 = pytest.importorskip("otf2")
    mpi, kinds = otf2.Paradigm.MPI, otf2.GroupType
    barrier, level = otf2.CollectiveOp.BARRIER, otf2.RmaSyncLevel.PROCESS
    create, destroy = otf2.CollectiveOp.CREATE_HANDLE, otf2.CollectiveOp.DESTROY_HANDLE
    none = otf2.CollectiveRoot.NONE.value
    everyone = 2**32 - 2
    with otf2.writer.open(str(folder), timer_resolution=10**12) as archive:
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
            call(writer, "Rget", 70, ("rma_get", window, 1 - rank, size, 8))
            call(writer, "Win_flush_all", 80)
            call(writer, wait, 90 + before, ("rma_op_complete_non_blocking", window, 8))
            late = before + after
            call(writer, "Win_unlock_all", 100 + late, ("rma_release_lock", window, everyone, 0))
            call(writer, "Win_fence", 110 + late, collective(barrier))
            call(writer, "Win_free", 120 + late, collective(destroy))


def test_epochs_as_score_p_records_them(score_p) -> None:
    result = score_p(3000, "Wait")
    assert result.summary["converted"]["unsupported"] == {}
    assert result.summary["unreceived"] == 0 and result.failure is None
    rows = {(row["src"], row["dst"]): row for row in result.data["messages"]}
    # The window's creation gathers 8 B. The data of a get counts at its target.
    assert rows[0, 1]["bytes"] - rows[1, 0]["bytes"] == 5000
    assert rows[1, 0]["bytes"] == 3000 + 8
    # Two of post and complete, of which one each; the locks of both ranks, and their release.
    assert rows[0, 1]["messages"] == rows[1, 0]["messages"] + 1


def test_a_get_is_awaited_in_the_call_that_has_its_completion(score_p) -> None:
    """Neither in the flush before it, nor in the unlock after it. That call may be a test."""
    size, computation = 100_000_000, 10**10
    seconds, least = computation / 1e12, size / 25e9  # at 200 Gbit/s
    quiet, without = score_p(size, "Wait").time, score_p(0, "Wait").time
    assert least < quiet - without < seconds
    # Computation before the call hides the get.
    hidden = score_p(size, "Wait", before=computation).time
    assert hidden == pytest.approx(without + seconds, rel=1e-3)
    later = score_p(size, "Test", after=computation).time
    assert later == pytest.approx(quiet + seconds, rel=1e-6)


def test_what_a_window_lacks_is_counted(tmp_path: Path) -> None:
    """Accesses without their calls or of unknown ranks; calls without their accesses, locks or
    collectives; a group with a second thread."""
    otf2 = pytest.importorskip("otf2")
    mpi, kinds = otf2.Paradigm.MPI, otf2.GroupType
    with otf2.writer.open(str(tmp_path / "a"), timer_resolution=10**12) as archive:
        define = archive.definitions
        node = define.system_tree_node("node")
        group = define.location_group(
            "r", location_group_type=otf2.LocationGroupType.PROCESS, system_tree_parent=node
        )
        rank, thread = (define.location(name, group=group) for name in ("rank", "thread"))
        both = [rank, thread]
        define.group("all", paradigm=mpi, group_type=kinds.COMM_LOCATIONS, members=both)
        world, unknown, empty = (
            define.group(str(members), paradigm=mpi, group_type=kinds.COMM_GROUP, members=members)
            for members in ([rank], [thread], [])
        )
        window = define.rma_win("window", comm=define.comm("world", group=world))
        writer = archive.event_writer_from_location(rank)
        synchronized = ("rma_group_sync", otf2.RmaSyncLevel.PROCESS, window)
        accumulate = otf2.RmaAtomicType.ACCUMULATE
        calls = (
            ("Barrier", ("rma_put", window, 0, 8, 1), ("rma_get", window, 5, 8, 2)),
            ("Get",),
            ("Get",),
            ("Accumulate", ("rma_atomic", window, 0, accumulate, 8, 0, 3)),
            ("Win_fence", ("rma_op_complete_remote", window, 3)),
            ("Win_lock",),
            ("Win_post", (*synchronized, unknown)),
            ("Win_start", (*synchronized, empty)),
        )
        for time, (name, *events) in enumerate(calls):
            region = define.region(f"MPI_{name}", paradigm=mpi)
            writer.enter(4 * time, region)
            for at, (event, *values) in enumerate(events, 1):
                getattr(writer, event)(4 * time + at, *values)
            writer.leave(4 * time + 3, region)
    result = od.replay(od.machine("aurora"), tmp_path / "a" / "traces.otf2")
    assert result.summary["converted"]["unsupported"] == {
        "access to an unknown rank": 1, "event of a window without its call": 1,
        "get without its event, as to MPI_PROC_NULL or of 0 bytes": 1,
        "MPI_Win_fence without its collective": 1,
        "MPI_Win_lock without its lock, as with MPI_MODE_NOCHECK or of MPI_PROC_NULL": 1,
        "group of unknown ranks": 1, "location of a thread or a device": 1,
    }  # fmt: skip


def test_epochs_are_found_without_reading_all_posts() -> None:
    """Each of many epochs has its receive in its post, and ends in its wait."""

    class Sends(list):
        reads = 0

        def __iter__(self):
            Sends.reads += 1
            return super().__iter__()

    n, context = 100, 5
    schedule = Schedule(1, "test")
    windows = Windows(schedule, Communicators(schedule, {}))
    calls = []
    for begin in range(0, 10 * n, 10):
        sends = Sends([Transfer(0, POSTED, 0, context)])
        calls.append(Call("Win_post", begin, begin + 1, sends=sends))
        calls.append(Call("Win_wait", begin + 2, begin + 4))
        completed = Transfer(0, COMPLETED, 0, context)
        windows.of_rank[0].received.append((begin + 3, COMPLETED, completed))
    windows.assign([calls])
    assert [len(call.receives) for call in calls] == [1, 0] * n
    assert [call.closes for call in calls] == [set(), {context}] * n
    assert Sends.reads <= 2 * n


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


WORLD, ONE = "MPI_Comm comm=2 (MPI_COMM_WORLD)", "MPI_Win win=5 (user-defined-win)"
CREATE = ("Win_create", WORLD, ONE)
POST = ("Win_post", "MPI_Group group=8 (user-defined-group)", "int assertion=0", ONE)
NEW, INCL = "MPI_Group newgroup=8 (user-defined-group)", "int ranks[1]=[0]"


def read_dumpi(folder: Path, *calls: tuple[str, ...]) -> Schedule:
    """The schedule of one rank's calls and their arguments."""
    text = []
    for name, *arguments in calls:
        text += [f"MPI_{name} {edge} at walltime 1.0, x" for edge in ("entering", "returning")]
        text[-1:-1] = arguments
    (folder / "t-0.txt").write_text("\n".join(text) + "\n")
    return dumpi.read(folder / "t-0.txt")


@pytest.mark.parametrize(
    "calls",
    [
        [("Group_union", "MPI_Group group1=7 (g)", NEW)],
        [("Comm_remote_group", "MPI_Comm comm=9 (c)", "MPI_Group group=8 (user-defined-group)")],
        [("Group_free", "MPI_Group group=8 (user-defined-group)")],
        [("Comm_group", "MPI_Comm comm=9 (c)", "MPI_Group group=8 (user-defined-group)")],
        [("Win_get_group", "MPI_Win win=9 (w)", "MPI_Group group=8 (user-defined-group)")],
    ],
)
def test_groups_of_dumpi_that_are_unknown(tmp_path: Path, calls: list[tuple[str, ...]]) -> None:
    """They are refused when they are used, also if their number has been another group's."""
    group = ("Comm_group", WORLD, "MPI_Group group=7 (user-defined-group)")
    incl = ("Group_incl", "MPI_Group group=7 (user-defined-group)", INCL, NEW)
    assert len(read_dumpi(tmp_path, CREATE, group, incl, *calls).ranks[0]) > 0
    # Queries of a group do not change it.
    query = ("Group_size", "MPI_Group group=8 (user-defined-group)")
    read_dumpi(tmp_path, CREATE, group, incl, query, POST)
    with pytest.raises(TraceError, match="group 8"):
        read_dumpi(tmp_path, CREATE, group, incl, *calls, POST)


def test_the_empty_group_of_dumpi(tmp_path: Path) -> None:
    empty = "MPI_Group group=2 (MPI_GROUP_EMPTY)"
    post = ("Win_post", empty, "int assertion=0", ONE)
    excl = ("Group_excl", empty, "int ranks[0]=[]", NEW)
    schedule = read_dumpi(tmp_path, CREATE, post, ("Win_wait", ONE), excl, POST, ("Win_wait", ONE))
    assert set(schedule.ranks[0].columns["op"]) == {CODES["allgather"], CODES["pause"]}


def test_windows_of_dumpi_have_bounded_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Windows of one communicator share its members; the record has them once per window."""
    schedule = read_dumpi(tmp_path, CREATE, CREATE, CREATE)
    assert list(schedule.communicators) == [1, 2, 3]
    assert len({id(members) for members in schedule.communicators.values()}) == 1
    monkeypatch.setattr(dumpi_windows, "MOST_CALLS", 2)
    read_dumpi(tmp_path, CREATE, CREATE)
    with pytest.raises(TraceError, match="ranks of all windows"):
        read_dumpi(tmp_path, CREATE, CREATE, CREATE)


def test_the_shipped_archive_is_read() -> None:
    pytest.importorskip("otf2")
    trace = EXAMPLES / "otf2-windows" / "windows.otf2"
    result = od.replay(od.machine("aurora"), trace, ppn=2)
    assert result.summary["converted"]["unsupported"] == {}
    # Each of four ranks puts 8,000 B four times, and accumulates, gets twice, and gets by request.
    # It fetches 8 B from each rank, and sends as much.
    for calls in read_here(trace).ranks:
        ops, *sizes = (calls.columns[name] for name in ("op", "bytes", "back"))
        is_access = [op in (CODES["access"], CODES["atomic"]) for op in ops]
        sent, returned = (sum(compress(column, is_access)) for column in sizes)
        assert (sent, returned) == ((4 + 1) * 8000 + 4 * 8, (2 + 1) * 8000 + 4 * 8)
