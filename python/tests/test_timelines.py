"""Timelines: the files of viewers have the numbers of the summary."""

from __future__ import annotations

import _thread
import functools
import json
import operator
import re
import sqlite3
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import pytest

import odonata as od
from odonata import core
from odonata.timelines import paraver, perfetto
from odonata.timelines import records as tl

PROGRAM = """
from mpi4py import MPI
import numpy as np

comm = MPI.COMM_WORLD
right, left = (comm.rank + 1) % comm.size, (comm.rank - 1) % comm.size
mine, other = np.zeros(1000), np.zeros(1000)
for _ in range(3):
    MPI.Request.Waitall([comm.Irecv(other, left, 7), comm.Isend(mine, right, 7)])
    comm.Allreduce(mine, other)
long = np.zeros(50000)
comm.Send(long, right) if comm.rank % 2 == 0 else comm.Recv(long, left)
comm.Barrier()
"""
RANKS = 8


def odtl(folder: Path, **how: str) -> od.Timeline:
    return od.Timeline(folder / "run.odtl", **how)


@pytest.fixture(scope="module")
def ring(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, od.RunResult]:
    """A run, its recording, and its timeline as records."""
    folder = tmp_path_factory.mktemp("ring")
    (folder / "ring.py").write_text(PROGRAM)
    job = od.machine("aurora").job(nodes=2, ppn=RANKS // 2, timeline=odtl(folder))
    program = ["python", str(folder / "ring.py")]
    result = od.run(job, program, compute="none", record=folder / "ring.parquet")
    return folder, result


def all_records(path: Path) -> list[dict]:
    names = tl.RECORD.names
    assert names is not None
    blocks = tl.open_records(path).blocks()
    return [dict(zip(names, row, strict=True)) for block in blocks for row in block.tolist()]


def of_call(result: od.RunResult) -> dict[str, dict]:
    """Rows of functions by name, without those that neither wait nor move data."""
    return {row["function"]: row for row in result.summary["calls"]}


def test_a_timeline_changes_no_prediction(tmp_path: Path, ring) -> None:
    folder, result = ring
    plain = od.replay(od.machine("aurora"), folder / "ring.parquet")
    traced = od.replay(od.machine("aurora"), folder / "ring.parquet", timeline=odtl(tmp_path))
    assert plain.digest == traced.digest == result.digest
    assert plain.time == traced.time == result.time


def test_records_have_the_numbers_of_the_summary(tmp_path: Path, ring) -> None:
    folder, result = ring
    timeline = odtl(tmp_path)
    od.replay(od.machine("aurora"), folder / "ring.parquet", timeline=timeline)
    found = all_records(tmp_path / "run.odtl")
    messages = [row for row in found if row["kind"] == tl.MESSAGE]
    assert len(messages) == result.summary["messages"]
    assert sum(row["bytes"] for row in messages) == result.summary["bytes"]
    assert all(row["begin"] < row["end"] for row in messages)
    links = defaultdict(int)
    for row in found:
        if row["kind"] == tl.LINK:
            links[row["rank"]] += row["bytes"]
    names = {row["link"]: row for row in tl.open_records(tmp_path / "run.odtl").footer["links"]}
    assert {(names[k]["from"], names[k]["to"]): v for k, v in links.items()} == {
        (row["from"], row["to"]): row["bytes"] for row in result.data["links"]
    }
    last = max(row["end"] for row in found)
    # Computation without duration follows the last call.
    assert 0 <= round(result.time * 1e12) - last < 1000


def sql_of(path: Path) -> sqlite3.Connection:
    """The slices of a Perfetto file, read with the schema of the package `perfetto`."""
    protos = pytest.importorskip("perfetto.protos.perfetto.trace.perfetto_trace_pb2")
    trace = protos.Trace()
    trace.ParseFromString(path.read_bytes())
    names: dict[int, str] = {}
    arguments: dict[int, str] = {}
    tracks: dict[int, str] = {}
    parents: dict[int, int] = {}
    open_slices: dict[int, list] = defaultdict(list)
    flows: Counter = Counter()
    rows = []
    for packet in trace.packet:
        for name in packet.interned_data.event_names:
            names[name.iid] = name.name
        for name in packet.interned_data.debug_annotation_names:
            arguments[name.iid] = name.name
        if packet.HasField("track_descriptor"):
            of = packet.track_descriptor
            tracks[of.uuid] = of.name or of.thread.thread_name or of.process.process_name
            parents[of.uuid] = of.parent_uuid
    events = [packet for packet in trace.packet if packet.HasField("track_event")]
    for packet in sorted(events, key=lambda packet: packet.timestamp):
        event = packet.track_event
        assert event.track_uuid in tracks
        if event.type == event.TYPE_SLICE_BEGIN:
            values = {arguments[a.name_iid]: a.uint_value for a in event.debug_annotations}
            open_slices[event.track_uuid].append((packet.timestamp, names[event.name_iid], values))
        elif event.type == event.TYPE_SLICE_END:
            begin, name, values = open_slices[event.track_uuid].pop()
            track = tracks[event.track_uuid]
            rows.append((track, name, begin, packet.timestamp - begin,
                         values["duration_ps"], values.get("bytes", 0)))  # fmt: skip
        elif event.type == event.TYPE_INSTANT:
            flows.update(event.flow_ids)
            flows.subtract(event.terminating_flow_ids)
    assert not any(open_slices.values())
    assert not any(flows.values())
    base = sqlite3.connect(":memory:")
    base.execute("create table slice (track, name, ts, dur, ps, bytes)")
    base.executemany("insert into slice values (?, ?, ?, ?, ?, ?)", rows)
    return base


def test_sql_over_a_perfetto_file_gives_the_summary(tmp_path: Path, ring) -> None:
    folder, result = ring
    perfetto.write(folder / "run.odtl", tmp_path / "run.pftrace")
    base = sql_of(tmp_path / "run.pftrace")
    query = """select name, count(*), sum(ps), sum(bytes) from slice
               where track like 'rank %' and name like 'MPI_%' group by name"""
    found = {name: rest for name, *rest in base.execute(query)}
    calls = of_call(result)
    for name in ("MPI_Allreduce", "MPI_Waitall", "MPI_Barrier", "MPI_Send", "MPI_Recv",
                 "MPI_Isend", "MPI_Irecv"):  # fmt: skip
        count, ps, size = found[name]
        assert count == calls[name]["calls"], name
        assert ps * 1e-12 == pytest.approx(calls[name]["time_s"], rel=1e-9), name
        assert size == calls[name]["bytes"], name
    # Perfetto counts nanoseconds.
    [(dur, ps)] = base.execute("select sum(dur), sum(ps) from slice where track like 'rank %'")
    assert abs(dur * 1000 - ps) <= 1000 * result.summary["mpi_calls"]


LINE = re.compile(r"([123]):(\d+):1:(\d+):1:(.*)")


def read_paraver(path: Path) -> tuple[dict, list, list, list]:
    """A second reader of Paraver's format, from its description."""
    legend: dict[int, dict[int, str]] = {}
    kinds: list[int] = []
    mode = ""
    for line in path.with_suffix(".pcf").read_text().splitlines():
        words = line.split(None, 2 if mode == "EVENT_TYPE" else 1)
        if line in ("EVENT_TYPE", "VALUES", "STATES") or not line:
            kinds = [] if line == "EVENT_TYPE" else kinds
            mode = line
        elif mode == "EVENT_TYPE":
            kinds.append(int(words[1]))
            legend[kinds[-1]] = {}
        elif mode == "VALUES":
            for kind in kinds:
                legend[kind][int(words[0])] = words[1]
    head, *lines = path.read_text().splitlines()
    assert head.startswith("#Paraver (")
    states, events, messages = [], [], []
    last = 0
    world = ":".join(str(task) for task in range(1, RANKS + 1))
    assert [line for line in lines if line.startswith("c")] == [f"c:1:1:{RANKS}:{world}"]
    for line in lines[1:]:
        match = LINE.fullmatch(line)
        assert match, line
        rest = match[4].split(":")
        assert int(rest[0]) >= last, "sorted by time"
        last = int(rest[0])
        rank = int(match[3]) - 1
        if match[1] == "1":
            states.append((rank, *map(int, rest)))
        elif match[1] == "2":
            pairs = dict(zip(map(int, rest[1::2]), map(int, rest[2::2]), strict=True))
            events.append((rank, int(rest[0]), pairs))
        else:
            messages.append((rank, int(rest[3]) - 1, int(rest[0]), int(rest[6]), int(rest[8])))
    return legend, states, events, messages


def test_a_second_reader_of_paraver_finds_the_calls(tmp_path: Path, ring) -> None:
    folder, result = ring
    paraver.write(folder / "run.odtl", tmp_path / "run.prv")
    legend, states, events, messages = read_paraver(tmp_path / "run.prv")
    calls = of_call(result)
    counts: Counter = Counter()
    times: Counter = Counter()
    sizes: Counter = Counter()
    inside: dict[int, tuple[str, int]] = {}
    for rank, time, pairs in events:
        for kind, value in pairs.items():
            if kind == paraver.SENT:
                sizes[inside[rank][0]] += value
            elif kind > paraver.SENT:
                continue
            elif value:
                assert rank not in inside
                inside[rank] = legend[kind][value], time
                counts[legend[kind][value]] += 1
            else:
                name, since = inside.pop(rank)
                times[name] += time - since
    assert not inside
    for name in ("MPI_Allreduce", "MPI_Waitall", "MPI_Barrier", "MPI_Send", "MPI_Recv"):
        assert counts[name] == calls[name]["calls"]
        assert times[name] * 1e-9 == pytest.approx(calls[name]["time_s"], abs=counts[name] * 1e-9)
        assert sizes[name] == calls[name]["bytes"]
    assert len(messages) == 3 * RANKS + RANKS // 2
    assert sum(size for *_, size in messages) == 3 * RANKS * 8000 + RANKS // 2 * 400_000
    for rank in range(RANKS):
        own = sorted(state[1:3] for state in states if state[0] == rank)
        assert all(a[1] <= b[0] for a, b in zip(own, own[1:], strict=False))


def test_otf2_reads_the_calls_back(tmp_path: Path, ring) -> None:
    otf2 = pytest.importorskip("otf2")
    from odonata.timelines import otf2 as writer

    folder, result = ring
    writer.write(folder / "run.odtl", tmp_path / "run.otf2")
    calls = of_call(result)
    counts: Counter = Counter()
    times: Counter = Counter()
    kinds: Counter = Counter()
    inside: dict = {}
    sent: Counter = Counter()
    with otf2.reader.open(str(tmp_path / "run.otf2")) as trace:
        assert trace.timer_resolution == 10**12
        assert len(list(trace.definitions.locations)) == RANKS
        for location, event in trace.events:
            kind = type(event).__name__
            kinds[kind] += 1
            if kind == "Enter":
                assert location not in inside
                inside[location] = event.time
                counts[event.region.name] += 1
            elif kind == "Leave":
                times[event.region.name] += event.time - inside.pop(location)
            elif kind in ("MpiSend", "MpiRecv"):
                sent[kind] += event.msg_length
    assert not inside
    for name in ("MPI_Allreduce", "MPI_Waitall", "MPI_Barrier", "MPI_Send", "MPI_Isend"):
        assert counts[name] == calls[name]["calls"]
        assert times[name] * 1e-12 == pytest.approx(calls[name]["time_s"], rel=1e-9)
    size = 3 * RANKS * 8000 + RANKS // 2 * 400_000
    assert sent == {"MpiSend": size, "MpiRecv": size}
    assert kinds["MpiCollectiveBegin"] == kinds["MpiCollectiveEnd"] == 4 * RANKS


FILES = """
import os

from mpi4py import MPI
import numpy as np

comm = MPI.COMM_WORLD
with open(f"/lus/flare/x{comm.rank}", "wb") as file:
    file.write(bytes(8_000_000))
    file.flush()
    os.fsync(file.fileno())
window = MPI.Win.Allocate(8000, 8, comm=comm)
one = np.zeros(1000)
peer = (comm.rank + 1) % comm.size
for _ in range(2):
    window.Lock(peer)
    window.Put(one, peer)
    window.Unlock(peer)
window.Fence()
window.Get(one, peer)
window.Fence()
window.Free()
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, od.RunResult]:
    """A run with files and accesses to windows, and its records."""
    folder = tmp_path_factory.mktemp("files")
    (folder / "files.py").write_text(FILES)
    job = od.machine("aurora").job(nodes=2, ppn=2, timeline=odtl(folder))
    return folder, od.run(job, ["python", str(folder / "files.py")], compute="none")


def test_storage_targets_have_counters(files) -> None:
    """All bytes that the targets moved are in the samples, and a busy one has a backlog."""
    found = [row for row in all_records(files[0] / "run.odtl") if row["kind"] == tl.TARGET]
    assert sum(row["bytes"] for row in found) == 4 * 8_000_000
    assert max(row["ready"] - row["end"] for row in found) > 0
    names = {(fs, n): name for fs, n, name in targets(files[0] / "run.odtl")}
    assert {(row["op"], row["rank"]) for row in found} <= names.keys()
    assert all(re.match("flare (OST|MDT)", name) for name in names.values()), names


def targets(path: Path) -> list[list]:
    return tl.open_records(path).footer["targets"]


def test_otf2_has_accesses_and_locks(tmp_path: Path, files) -> None:
    otf2 = pytest.importorskip("otf2")
    from odonata.timelines import otf2 as writer

    writer.write(files[0] / "run.odtl", tmp_path / "run.otf2")
    kinds: Counter = Counter()
    pending: set = set()
    with otf2.reader.open(str(tmp_path / "run.otf2")) as trace:
        for location, event in trace.events:
            kind = type(event).__name__
            kinds[kind] += kind.startswith("Rma")
            if kind in ("RmaPut", "RmaGet"):
                assert event.bytes == 8000
                pending.add(event.matching_id)
            elif kind == "RmaOpCompleteRemote":
                pending.remove(event.matching_id)
            elif kind == "RmaAcquireLock":
                assert str(event.lock_type).endswith("EXCLUSIVE")
    assert not pending
    wanted = {"RmaWinCreate": 4, "RmaPut": 8, "RmaGet": 4, "RmaOpCompleteRemote": 12,
              "RmaRequestLock": 8, "RmaAcquireLock": 8, "RmaReleaseLock": 8}  # fmt: skip
    assert {kind: n for kind, n in kinds.items() if n} == wanted


def test_queues_of_nics_empty_at_the_end(ring) -> None:
    last: dict[int, int] = {}
    largest = 0
    for row in all_records(ring[0] / "run.odtl"):
        if row["kind"] == tl.QUEUE:
            last[row["rank"]] = row["bytes"]
            largest = max(largest, row["bytes"])
    assert last and not any(last.values())
    # Two ranks send 8,000 B to the other node, each by its NIC; other messages stay in a node.
    assert largest == 8000


def test_rounds_fill_the_time_of_a_collective(tmp_path: Path) -> None:
    """Recursive doubling on 8 ranks has 3 rounds, one after another."""
    timeline = od.Timeline(tmp_path / "a.odtl")
    job = od.machine("aurora").job(nodes=8, ppn=1, timeline=timeline)
    assert od.bench("allreduce", job, [8]).rows[0]["algorithm"] == "recursive_doubling"
    found = all_records(tmp_path / "a.odtl")
    names = tl.open_records(tmp_path / "a.odtl").footer["operations"]
    calls = [row for row in found if names[row["op"]] == "allreduce"]
    rounds = [row for row in calls if row["kind"] == tl.ROUND]
    calls = [row for row in calls if row["kind"] == tl.OPERATION]
    assert len(rounds) == 3 * len(calls) > 0
    for call in calls:
        own = [row for row in rounds if row["rank"] == call["rank"]
               and call["begin"] <= row["begin"] and row["end"] <= call["end"]]  # fmt: skip
        own.sort(key=lambda row: row["begin"])
        assert [row["tag"] for row in own] == [0, 1, 2]
        # The first round begins when the CPU has made the call.
        assert own[0]["begin"] > call["begin"] and 0 <= call["end"] - own[-1]["end"] <= 1
        assert [a["end"] for a in own[:-1]] == [b["begin"] for b in own[1:]]
    perfetto.write(tmp_path / "a.odtl", tmp_path / "a.pftrace")
    base = sql_of(tmp_path / "a.pftrace")
    [(count, ps)] = base.execute(
        "select count(*), sum(ps) from slice where name = 'round of allreduce' and track = 'rounds'"
    )
    assert count == len(rounds) and ps == sum(row["end"] - row["begin"] for row in rounds)


def test_traffic_has_a_timeline_of_links(tmp_path: Path, odonata) -> None:
    how = {"load": 0.5, "time": "3us", "warmup": "1us"}
    machine = od.machine("dragonfly-1056")
    timeline = od.Timeline(tmp_path / "t.odtl", sample="500ns")
    plain = od.traffic("uniform", machine, **how)
    traced = od.traffic("uniform", machine, **how, timeline=timeline)
    assert plain.rows[0]["digest"] == traced.rows[0]["digest"]
    links = [row for row in all_records(tmp_path / "t.odtl") if row["kind"] == tl.LINK]
    total = sum(row["bytes"] for row in traced.summary["link_kinds"])
    assert sum(row["bytes"] for row in links) == total
    assert {row["end"] - row["begin"] for row in links} >= {500_000}
    # Injection links carry the offered load, of the mean over the window.
    rows = od.tables.rows_of(traced.data["link_load"])
    loads = [row["load"] for row in rows if (row["link"], row["kind"]) == ("mean", "injection")]
    assert max(loads) == pytest.approx(0.5, abs=0.1)
    out = odonata("traffic", "uniform", "--machine", "dragonfly-1056", "--load", "0.5", "--time",
                  "2us", "--warmup", "1us", "--timeline", tmp_path / "t.pftrace", "--out",
                  tmp_path / "out")  # fmt: skip
    assert out.returncode == 0 and "samples of links" in out.stderr
    odonata("report", tmp_path / "out", "--no-published")
    assert "Link load over time" in (tmp_path / "out/report.html").read_text()
    for bad in (["--load", "0.1,0.2"], ["--load", "0.1", "--timeline-ranks", "1"]):
        done = odonata("traffic", "uniform", "--machine", "dragonfly-1056", *bad, "--timeline",
                       tmp_path / "x.pftrace")  # fmt: skip
        assert done.returncode == 2 and not (tmp_path / "x.pftrace").exists()


def test_lines_are_sorted_with_bounded_memory(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(paraver, "LINES", 10)
    lines = [(at * 7 % 50, f"{at}\n") for at in range(95)]
    assert list(paraver.ordered(lines, tmp_path)) == sorted(lines, key=lambda line: line[0])


def test_window_and_ranks_select_records(tmp_path: Path, ring) -> None:
    folder, result = ring
    how = {"window": "10us:20us", "ranks": "1,3-4", "sample": "2us"}
    timeline = odtl(tmp_path, **how)
    traced = od.replay(od.machine("aurora"), folder / "ring.parquet", timeline=timeline)
    found = all_records(tmp_path / "run.odtl")
    assert found and all(row["end"] >= 10**7 and row["begin"] < 2 * 10**7 for row in found)
    of_ranks = [row for row in found if row["kind"] in (tl.OPERATION, tl.COMPUTE)]
    assert {row["rank"] for row in of_ranks} <= {1, 3, 4}
    footer = tl.open_records(tmp_path / "run.odtl").footer
    assert footer["selected_ranks"] == [[1, 1], [3, 4]]
    assert footer["window_s"] == [1e-5, 2e-5]
    assert footer["counts"]["omitted"] == traced.summary["timeline"]["omitted"] > 0
    spans = {row["end"] - row["begin"] for row in found if row["kind"] == tl.LINK}
    assert min(spans) >= 2 * 10**6
    assert traced.time == result.time


@pytest.mark.parametrize(
    ("how", "at"),
    [
        ({"path": "x.txt"}, "timeline"),
        ({"path": "/nowhere/x.prv"}, "timeline"),
        ({"path": "x.prv", "window": "2us:1us"}, "timeline_window"),
        ({"path": "x.prv", "window": "soon"}, "timeline_window"),
        ({"path": "x.prv", "ranks": "7-1"}, "timeline_ranks"),
        ({"path": "x.prv", "ranks": "-"}, "timeline_ranks"),
        ({"path": "x.prv", "sample": "0"}, "timeline_sample"),
    ],
)
def test_wrong_timelines_are_input_errors(how: dict, at: str) -> None:
    with pytest.raises(od.InputError) as error:
        od.machine("aurora").job(nodes=2, timeline=od.Timeline(**how))
    assert [one.at for one in error.value.diagnostics] == [at]


def test_a_damaged_file_is_an_error(tmp_path: Path, ring) -> None:
    data = (ring[0] / "run.odtl").read_bytes()
    for damaged in (b"", data[:-1], data[:1000], b"x" + data[1:], data[:-8] + b"\xff" * 8):
        (tmp_path / "x.odtl").write_bytes(damaged)
        with pytest.raises(OSError, match="timeline"):
            tl.open_records(tmp_path / "x.odtl")


def test_benchmarks_and_models_have_timelines(tmp_path: Path) -> None:
    job = od.machine("aurora").job(nodes=4, ppn=2, timeline=od.Timeline(tmp_path / "a.pftrace"))
    plain = od.machine("aurora").job(nodes=4, ppn=2)
    traced = od.bench("allreduce", job, [1024])
    assert traced.summary["digest"] == od.bench("allreduce", plain, [1024]).summary["digest"]
    base = sql_of(tmp_path / "a.pftrace")
    [(calls,)] = base.execute("select count(*) from slice where name = 'allreduce'")
    assert calls > 0 and calls % 8 == 0
    with pytest.raises(od.InputError):
        od.bench("allreduce", job, [8, 16])


def test_the_command_writes_and_describes_a_timeline(tmp_path: Path, ring, odonata) -> None:
    out = odonata("replay", str(ring[0] / "ring.parquet"), "--machine", "aurora", "--timeline",
                  str(tmp_path / "a.prv"), "--json")  # fmt: skip
    assert json.loads(out.stdout)["timeline"]["messages"] == ring[1].summary["messages"]
    assert {p.suffix for p in tmp_path.iterdir()} == {".prv", ".pcf", ".row"}


def test_a_timeline_does_not_replace_the_trace_that_is_replayed(odonata):
    trace = Path(__file__).parents[2] / "examples/traces/paraver"
    for file in trace.iterdir():
        (odonata.cwd / file.name).write_bytes(file.read_bytes())
    (name,) = (file.name for file in trace.glob("*.prv"))
    before = (odonata.cwd / name).read_bytes()
    done = odonata("replay", name, "--machine", "dragonfly-1056", "--timeline", name)
    assert done.returncode == 2 and "another file than the trace" in done.stderr
    with pytest.raises(od.InputError, match="another file than the trace"):
        od.replay(od.machine("dragonfly-1056"), odonata.cwd / name,
                  timeline=od.Timeline(odonata.cwd / name))  # fmt: skip
    assert (odonata.cwd / name).read_bytes() == before


def record(**fields: int) -> bytes:
    """A record of `tl.RECORD`; other fields are 0."""
    names = tl.RECORD.names or ()
    row = np.array([tuple(fields.get(name, 0) for name in names)], tl.RECORD)
    return row.tobytes()


def written(path: Path, records: list[bytes], **footer: object) -> Path:
    """A timeline of 10 s of one rank, with these records and names."""
    names = {
        "time_s": 10.0, "ranks": 1, "nodes": ["n"], "node_of_rank": [0], "operations": ["send"],
        "functions": [], "links": [], "nics": [], "targets": [], "communicators": [],
        "window_s": None, "selected_ranks": [], "counts": {"calls": 0},
    } | footer  # fmt: skip
    end = json.dumps(names).encode()
    path.write_bytes(tl.MAGIC + b"".join(records) + end + len(end).to_bytes(8, "little"))
    return path


SECOND = 10**12


def test_tables_have_overlapping_operations_once(tmp_path: Path) -> None:
    """The first waits for 1 of its 4 s. Of the second, 2 of 5 s are not in the first."""
    first = record(kind=tl.OPERATION, begin=0, ready=SECOND, end=4 * SECOND, bytes=8)
    second = record(kind=tl.OPERATION, begin=SECOND, ready=5 * SECOND, end=6 * SECOND, lane=1)
    found = core.timeline_tables(written(tmp_path / "x.odtl", [first, second]))
    slices = found["slices"]
    assert slices["begin_s"] == [0, 4] and slices["end_s"] == [4, 6]
    assert slices["ready_s"] == [1, 5] and slices["bytes"] == [8, 0]
    states = found["timeline"]
    bins = 512
    assert sum(states["waiting"]) * 10 / bins == pytest.approx(2, rel=1e-3)
    assert sum(states["transfer"]) * 10 / bins == pytest.approx(4, rel=1e-3)
    assert not any(states["compute"])


LINK = {"link": 3, "from": "a", "to": "b", "kind": "k", "bytes_per_s": 1.0}


@pytest.mark.parametrize(
    "fields, footer, what",
    [
        ({"begin": 2, "end": 1}, {}, "a damaged record"),
        ({"rank": 1}, {}, "a damaged record"),
        ({"op": 1}, {}, "a damaged record"),
        ({}, {"links": [LINK, LINK]}, "damaged links"),
        ({}, {"links": [LINK | {"link": 1 << 26}]}, "damaged links"),
        ({}, {"node_of_rank": []}, "a damaged end"),
        ({}, {"node_of_rank": [1]}, "a damaged end"),
        ({}, {"nics": 1}, "a damaged end"),
    ],
)
def test_damaged_records_have_no_tables(tmp_path: Path, fields, footer, what) -> None:
    source = written(tmp_path / "x.odtl", [record(kind=tl.OPERATION, **fields)], **footer)
    for convert in (core.timeline_tables, lambda path: core.write_perfetto(path, tmp_path / "y")):
        with pytest.raises(OSError, match=what):
            convert(source)


def test_a_signal_ends_a_conversion(tmp_path: Path) -> None:
    source = written(tmp_path / "x.odtl", [record(kind=tl.OPERATION, end=1)])
    extension = core.core()
    for convert in (
        functools.partial(extension.timeline_tables, str(source)),
        functools.partial(extension.write_perfetto, str(source), str(tmp_path / "y")),
    ):
        done: list = []
        # Calls in C, between which the interpreter handles no signal.
        calls = map(operator.methodcaller("__call__"), [_thread.interrupt_main, convert])
        with pytest.raises(KeyboardInterrupt):
            done.extend(calls)
        assert done == [None]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full device")
def test_a_full_disk_is_an_error(tmp_path: Path) -> None:
    source = written(tmp_path / "x.odtl", [record(kind=tl.OPERATION, end=1)])
    with pytest.raises(OSError, match="No space"):
        core.write_perfetto(source, Path("/dev/full"))
