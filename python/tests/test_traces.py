"""Traces of other tools: the same calls in each format give the same prediction."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import ROOT, table_of_messages

import odonata as od
import odonata.traces.otf2
from odonata import devices
from odonata.traces.schedule import ANY, Schedule

EXAMPLES = ROOT / "examples" / "traces"
# A ring of four ranks with 8,000 B each, then an allreduce of 128 doubles.
BY_HAND = ("ring.tit", "dumpi", "dumpi/ring-0000.txt", "chakra/ring.0.json", "chakra/ring.0.et")
PROGRAM = """
from mpi4py import MPI
import numpy as np

comm = MPI.COMM_WORLD
right, left = (comm.rank + 1) % comm.size, (comm.rank - 1) % comm.size
one, other, part, total = (np.zeros(n) for n in (1000, 1000, 128, 128))
MPI.Request.Waitall([comm.Irecv(other, left, 7), comm.Isend(one, right, 7)])
comm.Allreduce(part, total)
"""
COLLECTIVES = """
from mpi4py import MPI
import numpy as np

comm = MPI.COMM_WORLD
me, n = comm.rank, comm.size
one, other = np.zeros(500), np.zeros(500)
all_of_it, more = np.zeros(500 * n), np.zeros(500 * n)
comm.Bcast(one, root=2)
comm.Reduce(one, other, root=3)
comm.Gather(one, all_of_it if me == 1 else None, root=1)
comm.Scatter(all_of_it if me == 2 else None, one, root=2)
comm.Allgather(one, all_of_it)
comm.Alltoall(all_of_it, more)
comm.Scan(one, other)
comm.Reduce_scatter_block(all_of_it, one)
comm.Sendrecv(one, (me + 1) % n, 3, other, (me - 1) % n, 3)
for _ in range(3):
    request = comm.Isend(one, (me + 2) % n, 1)
    comm.Recv(other, (me - 2) % n, 1)
    request.Wait()
comm.Ssend(one, (me + 1) % n) if me % 2 == 0 else comm.Recv(other, (me - 1) % n)
comm.Barrier()
"""
# Rows and columns of a grid, of which the columns are in reverse order of ranks.
SPLIT = """
from mpi4py import MPI
import numpy as np

world = MPI.COMM_WORLD
row = world.Split(world.rank // 4, world.rank)
column = world.Split(world.rank % 4, -world.rank)
one, other = np.zeros(500), np.zeros(500)
all_of_it, more = np.zeros(500 * row.size), np.zeros(500 * row.size)
for _ in range(2):
    row.Allreduce(one, other)
    row.Alltoall(all_of_it, more)
    row.Bcast(one, root=2)
    row.Gather(one, all_of_it if row.rank == 1 else None, root=1)
    column.Scan(one, other)
    column.Send(one, 1) if column.rank == 0 else column.Recv(other, 0)
    column.Bcast(other, root=1)
world.Barrier()
"""


def aurora() -> od.Machine:
    return od.machine("aurora")


def test_examples_by_hand_have_equal_times() -> None:
    found = [od.replay(aurora(), EXAMPLES / name, compute="none") for name in BY_HAND]
    assert len({result.time for result in found}) == 1
    assert len({result.digest for result in found[:3]}) == len({r.digest for r in found[3:]}) == 1
    for result in found:
        assert result.summary["converted"]["unsupported"] == {}
        assert result.summary["calls_done"] == result.summary["calls_scheduled"]


def test_computation_is_that_of_the_trace() -> None:
    """Ranks 1 and 3 compute for 20 us between their messages and the allreduce."""
    quiet = od.replay(aurora(), EXAMPLES / "chakra/ring.0.json", compute="none").time
    for name in BY_HAND:
        assert 20e-6 <= od.replay(aurora(), EXAMPLES / name).time <= 20.3e-6 + quiet
        assert od.replay(aurora(), EXAMPLES / name, compute=2).time > 40e-6


def test_a_trace_by_hand_has_the_time_of_the_program(tmp_path: Path) -> None:
    (tmp_path / "ring.py").write_text(PROGRAM)
    job = aurora().job(nodes=4, ppn=1)
    result = od.run(job, ["python", str(tmp_path / "ring.py")], compute="none")
    for name in BY_HAND:
        replayed = od.replay(aurora(), EXAMPLES / name, compute="none")
        assert replayed.time == pytest.approx(result.time, rel=0.001)
        assert replayed.n_messages == result.n_messages
        assert replayed.n_bytes == result.n_bytes


@pytest.mark.parametrize("form", ["prv", "otf2"])
@pytest.mark.parametrize(
    ("program", "error"),
    [(PROGRAM, 1e-6), (COLLECTIVES, 1e-3), (SPLIT, 1e-2)],
)
def test_a_timeline_is_replayed_in_the_time_of_its_run(
    tmp_path: Path, form: str, program: str, error: float
) -> None:
    if form == "otf2":
        pytest.importorskip("otf2")
    (tmp_path / "program.py").write_text(program)
    timeline = od.Timeline(tmp_path / f"run.{form}")
    job = aurora().job(nodes=2, ppn=4, timeline=timeline)
    result = od.run(job, ["python", str(tmp_path / "program.py")], compute="none")
    replayed = od.replay(aurora(), tmp_path / f"run.{form}", ppn=4)
    if form == "prv" and program is SPLIT:
        # Paraver does not have the messages by which communicators are created.
        assert replayed.summary["converted"]["unsupported"] == {"MPI_Comm_split": 16}
        assert 0.8 * result.time < replayed.time < result.time
        return
    assert replayed.time == pytest.approx(result.time, rel=error)
    assert replayed.n_messages == result.n_messages
    assert replayed.n_bytes == result.n_bytes
    assert replayed.summary["converted"]["unsupported"] == {}
    assert table_of_messages(replayed) == table_of_messages(result)


def test_computation_is_scaled_by_the_rates_of_devices(tmp_path: Path) -> None:
    """`fp64` of a device of Frontier is 23.9 Tflop/s, of Aurora 17; of memory 1.6 and 1 TB/s."""
    wrong = od.errors.Diagnostics()
    assert devices.factor(wrong, "frontier", aurora(), 1.0) == pytest.approx(23.9 / 17)
    assert devices.factor(wrong, "frontier:memory_rate", aurora(), None) == pytest.approx(1.6)
    faster = aurora().with_({"node.device.memory_rate": "8 TB/s", "node.core_speed": 4.0})
    # The core divides by the core speed of the machine, which devices do not have.
    scale = devices.factor(wrong, "frontier:memory_rate", faster, 2.0)
    assert scale * 2.0 / 4.0 == pytest.approx(1.6 / 8)
    assert not wrong.list
    trace, device = EXAMPLES / "ring.tit", "frontier:memory_rate"
    scaled = od.replay(aurora(), trace, compute_device=device, compute=0.5).time
    assert scaled == od.replay(aurora(), trace, compute=0.8).time
    for name in ("frontier:speed", "nowhere", "theta", ""):
        with pytest.raises(od.InputError):
            od.replay(aurora(), EXAMPLES / "ring.tit", compute_device=name)


def test_shipped_timelines_are_read() -> None:
    one = od.replay(aurora(), EXAMPLES / "paraver" / "ring.prv", ppn=2)
    assert one.n_bytes == 38_144
    pytest.importorskip("otf2")
    other = od.replay(aurora(), EXAMPLES / "otf2" / "ring.otf2", ppn=2)
    assert other.time == pytest.approx(one.time, rel=1e-3)


def test_unsupported_records_are_counted(tmp_path: Path) -> None:
    for file in (EXAMPLES / "dumpi").iterdir():
        edge = "MPI_File_sync {} at walltime 101.5, cputime 0.1 seconds in thread 0.\n"
        lines = file.read_text().splitlines(keepends=True)
        at = next(n for n, line in enumerate(lines) if line.startswith("MPI_Finalize"))
        lines[at:at] = [edge.format("entering"), edge.format("returning")]
        (tmp_path / file.name).write_text("".join(lines))
    result = od.replay(aurora(), tmp_path)
    assert result.summary["converted"]["unsupported"] == {"MPI_File_sync": 4}


def test_communicators_of_dumpi(tmp_path: Path) -> None:
    """Two pairs of ranks, in each of which rank 0 sends to rank 1."""
    for rank in range(4):
        when = iter(range(100))
        text = []
        for name, *arguments in (
            ("Init",),
            ("Comm_split", "MPI_Comm oldcomm=2 (MPI_COMM_WORLD)", f"int color={rank % 2}",
             f"int key={rank}", "MPI_Comm newcomm=5 (user-defined-comm)"),
            ("Send" if rank < 2 else "Recv", "int count=10", "MPI_Datatype datatype=4 (MPI_INT)",
             "int dest=1" if rank < 2 else "int source=0", "int tag=3",
             "MPI_Comm comm=5 (user-defined-comm)"),
            ("Finalize",),
        ):  # fmt: skip
            edge = f"MPI_{name} {{}} at walltime {{}}.0, cputime 0.1 seconds in thread 0."
            text += [edge.format("entering", next(when)), *arguments]
            text.append(edge.format("returning", next(when)))
        (tmp_path / f"split-{rank}.txt").write_text("\n".join(text) + "\n")
    result = od.replay(aurora(), tmp_path, compute="none")
    pairs = {(row["src"], row["dst"]): row["bytes"] for row in result.data["messages"]}
    # The split exchanges as much in the other direction.
    assert pairs[0, 2] - pairs[2, 0] == pairs[1, 3] - pairs[3, 1] == 40


def test_older_actions_of_simgrid(tmp_path: Path) -> None:
    """Without tags; a wait without arguments; sizes of doubles after `init 1`."""
    (tmp_path / "t.txt").write_text(
        "0 init 1\n1 init 1\n0 Isend 1 100\n0 wait\n1 Irecv 0 100\n1 compute 1e3\n1 wait\n"
        "0 barrier\n1 barrier\n0 finalize\n1 finalize\n"
    )
    result = od.replay(aurora(), tmp_path / "t.txt")
    assert next(row["bytes"] for row in result.data["messages"] if row["src"] == 0) == 800
    (tmp_path / "a").write_text("0 init\n0 send 1 0 5 6\n")
    (tmp_path / "b").write_text("1 init\n1 recv -1 -1 5 6\n")
    (tmp_path / "list").write_text("a\nb\n")
    listed = od.replay(aurora(), tmp_path / "list")
    assert listed.n_bytes == 5


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("t.tit", "0 init\n0 send 5 0 8\n", "line 2"),
        ("t.tit", "0 init\n2 init\n", "rank 1"),
        ("t.tit", "0 init\n0 send 0 zero 8\n", "line 2"),
        ("t.tit", "0 init\n0 compute 1e99\n", "line 2"),
        ("t.tit", "0 init\n0 bcast 8 -1\n", "line 2"),
        ("t-0.txt", "MPI_Init entering at walltime 1.0, cputime 1.0 seconds.\n", "MPI_Init"),
        ("t-0.txt", "MPI_Init entering at walltime 1.0, x\nMPI_Send returning at walltime 2.0, x\n",
         "line 2"),
        ("t.0.json", '[{"id": 1, "type": 5, "data_deps": [2]}, {"id": 2, "data_deps": [1]}]',
         "cycle"),
        ("t.0.json", '[{"id": 1, "type": 5}]', "node 1"),
        ("t.0.json", '{"nodes": 7}', "no list"),
        ("t.0.et", "\x01\x01\x7f", "ends within"),
        ("t.prv", "#Paraver (x):10_ns:1(1):2:1(1:1)\n", "applications"),
        ("t.prv", "#Paraver (x):10_ns:1(1):1:1(1:1)\n2:1:1:1:1:5:50000001:1\n", "does not end"),
        ("t.prv", "#Paraver (x):10_ns:1(1):1:1(1:1)\n2:1:1:9:1:5:50000001:1\n", "line 2"),
        ("t.prv", "#Paraver nothing\n", "line 1"),
    ],
)  # fmt: skip
def test_damaged_traces_are_input_errors(tmp_path: Path, name: str, text: str, found: str) -> None:
    (tmp_path / name).write_text(text, encoding="latin-1")
    with pytest.raises(od.InputError) as error:
        od.replay(aurora(), tmp_path / name)
    assert found in str(error.value)


def test_reading_of_otf2_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """A library that loops on a damaged archive is stopped. Nothing is read in a millisecond."""
    monkeypatch.setattr(odonata.traces.otf2, "LEAST_TIME_S", 1e-3)
    monkeypatch.setattr(odonata.traces.otf2, "LEAST_RATE", 1e12)
    with pytest.raises(od.errors.InputError, match="did not end within"):
        od.replay(aurora(), EXAMPLES / "otf2" / "ring.otf2", ppn=2)


def test_members_of_a_communicator_of_otf2_are_those_of_its_group(tmp_path: Path) -> None:
    """Rank 0 of the communicator of ranks 3 and 1 is rank 3 of the world. An intercommunicator has
    no group of its own."""
    otf2 = pytest.importorskip("otf2")
    mpi, kinds = otf2.Paradigm.MPI, otf2.GroupType
    with otf2.writer.open(str(tmp_path / "a"), timer_resolution=10**9) as archive:
        define = archive.definitions
        node = define.system_tree_node("node")
        groups = [
            define.location_group(f"r{n}", location_group_type=otf2.LocationGroupType.PROCESS,
                                  system_tree_parent=node) for n in range(4)
        ]  # fmt: skip
        locations = [define.location("rank", group=group) for group in groups]
        everything = {"group_type": kinds.COMM_LOCATIONS, "members": locations}
        define.group("all", paradigm=mpi, **everything)
        ranks = [locations[3], locations[1]]
        group = define.group("odd", group_type=kinds.COMM_GROUP, paradigm=mpi, members=ranks)
        odd = define.comm("odd", group=group)
        alone = define.group("self", group_type=kinds.COMM_SELF, paradigm=mpi, members=[])
        alone = define.comm("self", group=alone)
        send, recv = (define.region(name, paradigm=mpi) for name in ("MPI_Send", "MPI_Recv"))
        bcast = define.region("MPI_Bcast", paradigm=mpi)
        writers = [archive.event_writer_from_location(location) for location in locations]
        for rank, region in ((3, send), (1, recv)):
            writers[rank].enter(10, region)
            if region is send:
                writers[rank].mpi_send(11, 1, odd, 5, 1000)
            else:
                writers[rank].mpi_recv(12, 0, odd, 5, 1000)
            writers[rank].leave(13, region)
            writers[rank].enter(20, bcast)
            writers[rank].mpi_collective_begin(20)
            writers[rank].mpi_collective_end(21, otf2.CollectiveOp.BCAST, odd, 1, 24, 24)
            writers[rank].leave(21, bcast)
            writers[rank].enter(30, bcast)
            writers[rank].mpi_collective_end(31, otf2.CollectiveOp.BCAST, alone, 0, 24, 24)
            writers[rank].leave(31, bcast)
    result = od.replay(aurora(), tmp_path / "a" / "traces.otf2")
    assert table_of_messages(result) == [(1, 3, 1, 24), (3, 1, 1, 1000)]
    assert result.summary["converted"]["unsupported"] == {}


def test_damaged_archives_of_otf2_are_input_errors(tmp_path: Path) -> None:
    pytest.importorskip("otf2")
    (tmp_path / "ring").mkdir()
    for file in (EXAMPLES / "otf2").rglob("*.*"):
        data = file.read_bytes()
        place = tmp_path / file.relative_to(EXAMPLES / "otf2")
        place.write_bytes(data[: len(data) // 2] if file.suffix == ".evt" else data)
    with pytest.raises(od.InputError):
        od.replay(aurora(), tmp_path / "ring.otf2")
    (tmp_path / "x.otf2").write_text("nothing")
    with pytest.raises(od.InputError):
        od.replay(aurora(), tmp_path / "x.otf2")


def test_a_schedule_keeps_the_order_of_a_rank() -> None:
    """The second wait completes first; the call after it still follows the first one."""
    schedule = Schedule(2, "test")
    rank, other = schedule.ranks
    late, early = rank.recv(1, 1, 8), rank.recv(ANY, 2, 8)
    rank.wait([late])
    rank.wait([early])
    rank.send(1, 3, 8)
    other.compute(1e6)
    other.wait([other.send(0, 2, 8), other.send(0, 1, 8)])
    header, columns = schedule.record()
    assert header["ranks"] == 2
    needs = rank.needs.tolist()
    ends = [0, *rank.needs_end.tolist()]
    of_call = [needs[a:b] for a, b in zip(ends, ends[1:], strict=False)]
    # The pause that ends a step is needed by the next step.
    assert of_call[3] == [late, 2] and of_call[4] == [early, 3]
    assert len(columns["op"]) == schedule.calls
