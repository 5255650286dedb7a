"""Kinds of fuzzed input, each with valid inputs and the commands that read them."""

from __future__ import annotations

import functools
import json
import os
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click
from hypothesis import strategies as st
from hypothesis.configuration import set_hypothesis_home_dir
from judge import Case
from mutations import (
    NUMBERS, TEXTS, Draw, damaged, damaged_bytes, damaged_text, near, scalars, to_json, toml,
)  # fmt: skip

ROOT = Path(__file__).resolve().parents[1]
set_hypothesis_home_dir(ROOT / "target" / "hypothesis")  # the default is beside the sources
SMALL = ("--machine", "dragonfly-1056")
CLOSED = ("--fidelity", "loggp", "--quiet")


@functools.cache
def tree_of(text: str) -> dict[str, Any]:
    try:
        import tomllib
    except ImportError:  # Python 3.10
        import tomli as tomllib
    return tomllib.loads(text)


def toml_file(draw: Draw, text: str) -> bytes:
    """A damaged TOML file, by changes of its tree, its words or its bytes."""
    how = draw(st.sampled_from(("tree", "tree", "tree", "text", "text", "bytes")))
    if how == "tree":
        return toml(damaged(draw, tree_of(text)))
    return damaged_text(draw, text) if how == "text" else damaged_bytes(draw, text.encode())


def json_file(draw: Draw, text: str) -> bytes:
    how = draw(st.sampled_from(("tree", "tree", "tree", "text", "bytes")))
    if how == "tree":
        return to_json(damaged(draw, json.loads(text)))
    return damaged_text(draw, text) if how == "text" else damaged_bytes(draw, text.encode())


def words_or_bytes(draw: Draw, text: str) -> bytes:
    if draw(st.booleans()):
        return damaged_text(draw, text)
    return damaged_bytes(draw, text.encode())


# ---------------------------------------------------------------------------- machine files


@functools.cache
def machines() -> list[str]:
    small = ("dragonfly-1056", "spock", "elbert", "piz-daint")
    found = [(ROOT / "machines" / f"{name}.toml").read_text(encoding="utf-8") for name in small]
    like = 'like = "dragonfly-1056"\nrouting = "minimal"\n[nic]\nwindow = 64\n[groups.compute]\n'
    return [*found[:1] * 3, *found, like + "count = 5\n"]


@st.composite
def machine(draw: Draw) -> Case:
    data = toml_file(draw, draw(st.sampled_from(machines())))
    words = draw(st.sampled_from((
        ("show", "m.toml"),
        ("show", "m.toml", "--json"),
        ("faults", "m.toml", "random:3:5"),
        ("bench", "latency", "--machine", "m.toml", "--sizes", "8,64Ki", *CLOSED),
        ("bench", "allreduce", "--machine", "m.toml", "--nodes", "3", "--sizes", "8", *CLOSED),
        ("run", "-n", "2", "--machine", "m.toml", "--", "true"),
    )))  # fmt: skip
    return Case("machine", words, {"m.toml": data})


FAULTS = """
ber = 1e-12
[[fault]]
groups = [0, 5]
cable = 0
from = "40 us"
until = "60 us"
[[fault]]
nic_link = "5:0"
from = "2 ms"
flap = "4 s"
[[fault]]
switches = [0, 1]
lanes = 3
[[fault]]
node = 7
"""


@st.composite
def faults(draw: Draw) -> Case:
    words = ("bench", "latency", *SMALL, "--sizes", "8", "--faults", "f.toml", "--quiet")
    return Case("faults", words, {"f.toml": toml_file(draw, FAULTS)})


@functools.cache
def profiles() -> list[str]:
    places = (ROOT / "crates" / "mpi" / "libraries").glob("*.toml")
    return [path.read_text(encoding="utf-8") for path in sorted(places)]


@st.composite
def profile(draw: Draw) -> Case:
    data = toml_file(draw, draw(st.sampled_from(profiles())))
    name = draw(st.sampled_from(("latency", "allreduce", "bcast", "alltoall")))
    nodes = ("--nodes", "4", "--sizes", "8,64Ki") if name != "latency" else ("--sizes", "8")
    return Case("profile", ("bench", name, *SMALL, "--mpi", "p.toml", *nodes, *CLOSED),
                {"p.toml": data})  # fmt: skip


JOBS = """
noise = "25us/1ms"
warmup = "1us"
[[job]]
name = "app"
program = "true"
ranks = 4
ppn = 2
placement = "group-spread:2"
env = {A = "1"}
compute = "none"
[[job]]
name = "neighbor"
bench = "alltoall"
bytes = "64Ki"
nodes = 3
iterations = 2
[[background]]
pattern = "uniform"
load = 0.1
bytes = "16Ki"
nodes = [200, 201, 202]
"""


@st.composite
def jobs(draw: Draw) -> Case:
    words = ("run", *SMALL, "--no-alone", "--jobs", "j.toml", "--quiet")
    return Case("jobs", words, {"j.toml": toml_file(draw, JOBS)})


# ---------------------------------------------------------------------------- studies


@functools.cache
def studies() -> list[str]:
    text = (ROOT / "examples" / "04_sweep.toml").read_text(encoding="utf-8")
    small = """
[base]
command = "bench"
machine = "dragonfly-1056"
fidelity = "loggp"
sizes = [8]
set = {nic.window = 64}
[grid]
name = ["latency", "bw"]
seed = [1, 2]
[[point]]
name = "allreduce"
nodes = 4
"""
    traffic = """
[base]
command = "traffic"
pattern = "uniform"
machine = "dragonfly-1056"
[grid]
load = [0.1, 0.2]
routing = ["minimal", "ugal"]
"""
    return [text.replace('"aurora"', '"dragonfly-1056"'), small, small, traffic]


@st.composite
def study(draw: Draw) -> Case:
    data = toml_file(draw, draw(st.sampled_from(studies())))
    return Case("study", ("sweep", "s.toml", "--quiet", "--workers", "1"), {"s.toml": data})


# ---------------------------------------------------------------------------- schedules

GOAL = (
    """num_ranks 2
rank 0 {
l1: calc 1000                  // nanoseconds
l2: send 8b to 1 tag 7 cpu 0 nic 0
l2 requires l1
l3: calc 500 cpu 1
l3 irequires l2
}
rank 1 {
recv 8b from -1 tag -1         /* any source, any tag */
}
""",
    """num_ranks 4
rank 0 {
a: recv 64b from 3 tag 1
b: send 64b to 1 tag 1
b requires a
}
rank 1 {
a: recv 64b from 0 tag 1
b: send 64b to 2 tag 1 cpu 1
b requires a
}
rank 2 {
a: recv 64b from 1 tag 1
b: send 65536b to 3 tag 1
b irequires a
}
rank 3 {
a: calc 10
b: send 64b to 0 tag 1
b requires a
c: recv 65536b from 2 tag 1
}
""",
)


def packed(parts: list[tuple[list[tuple[int, int, int, int]], list[list[int]]]]) -> bytes:
    """A binary GOAL file (spcl/LogGOPSim, `txt2bin.re`): operations (kind, peer, size, tag), and
    for each the operations that need it."""
    origin, body, spans = 6 + 16 * len(parts), b"", []
    for operations, needed_by in parts:
        start = origin + len(body)
        waits = [sum(i in those for those in needed_by) for i in range(len(operations))]
        roots = [i for i, n in enumerate(waits) if n == 0]
        body += struct.pack(f"<II{len(roots)}I", len(operations), len(roots), *roots)
        numbers: list[int] = []
        for (kind, peer, size, tag), n, those in zip(operations, waits, needed_by, strict=True):
            body += struct.pack("<IBIQIBB", n, kind, peer, size, tag, 0, 0)
            body += struct.pack("<II", len(those), len(numbers))
            numbers += those
            body += struct.pack("<II", 0, len(numbers))
        body += struct.pack(f"<{len(numbers)}I", *numbers)
        spans.append((start, origin + len(body)))
    head = struct.pack("<QIBB", 4223, len(parts), 0, 0)
    return head + b"".join(struct.pack("<QQ", *span) for span in spans) + body


SEND, RECV, CALC = 1, 2, 3
BINARY = (
    packed([([(CALC, 0, 700, 0), (SEND, 1, 4096, 3)], [[1], []]), ([(RECV, 0, 4096, 3)], [[]])]),
    packed([
        ([(SEND, 1, 8, 0), (RECV, 2, 8, 0), (CALC, 0, 5, 0)], [[], [2], []]),
        ([(RECV, 0, 8, 0), (SEND, 2, 8, 0)], [[1], []]),
        ([(RECV, 1, 8, 0), (SEND, 0, 8, 0)], [[1], []]),
    ]),
)  # fmt: skip


@st.composite
def schedule(draw: Draw) -> Case:
    if draw(st.booleans()):
        data = words_or_bytes(draw, draw(st.sampled_from(GOAL)))
    else:
        data = damaged_bytes(draw, draw(st.sampled_from(BINARY)))
    more = draw(st.sampled_from(((), ("--ppn", "2"), ("--compute", "1000"), ("--compute", "none"))))
    return Case("schedule", ("replay", "t.goal", *SMALL, *more, *CLOSED), {"t.goal": data})


# ---------------------------------------------------------------------------- traces

TRACES = ROOT / "examples" / "traces"
# What `replay` reads, and the files that belong to it. OTF2 archives are read by another process.
TRACE_FILES = {
    "ring.tit": "ring.tit", "ring-0000.txt": "dumpi/*.txt", "ring.0.json": "chakra/*.json",
    "ring.0.et": "chakra/*.et", "ring.prv": "paraver/ring.*",
    "windows-0000.txt": "dumpi-windows/*.txt",
}  # fmt: skip


@functools.cache
def traces() -> dict[str, dict[str, bytes]]:
    return {name: {file.name: file.read_bytes() for file in sorted(TRACES.glob(pattern))}
            for name, pattern in TRACE_FILES.items()}  # fmt: skip


@st.composite
def trace(draw: Draw) -> Case:
    name = draw(st.sampled_from(sorted(TRACE_FILES)))
    files = dict(traces()[name])
    damaged_one = draw(st.sampled_from(sorted(files)))
    data = files[damaged_one]
    if damaged_one.endswith(".et"):
        files[damaged_one] = damaged_bytes(draw, data)
    else:
        files[damaged_one] = words_or_bytes(draw, data.decode())
    more = draw(st.sampled_from(((), ("--ppn", "2"), ("--compute", "none"))))
    return Case("trace", ("replay", name, *SMALL, *more, *CLOSED), files)


@functools.cache
def archive(folder: str) -> dict[str, bytes]:
    place = TRACES / folder
    return {file.relative_to(place).as_posix(): file.read_bytes()
            for file in sorted(place.rglob("*.*"))}  # fmt: skip


@st.composite
def otf2(draw: Draw) -> Case:
    """Another process reads each archive, so these cases are few."""
    folder, name = draw(st.sampled_from((("otf2", "ring"), ("otf2-windows", "windows"))))
    files = dict(archive(folder))
    damaged_one = draw(st.sampled_from(sorted(files)))
    files[damaged_one] = damaged_bytes(draw, files[damaged_one])
    return Case("otf2", ("replay", f"{name}.otf2", *SMALL, *CLOSED), files)


# ---------------------------------------------------------------------------- recordings, results


class Made:
    """Recordings and results of real runs, made once per process."""

    @functools.cached_property
    def place(self) -> Path:
        self._kept = tempfile.TemporaryDirectory(prefix="odonata-fuzz-")
        at = Path(self._kept.name)
        (at / "ring.py").write_text(RING, encoding="utf-8")
        run = ("run", "--ppn", "2", *SMALL, "--compute", "none", "--quiet")
        for n in (4, 8):
            record = ("--record", f"on-{n}.parquet", "--out", f"run-{n}")
            odonata(at, *run, "-n", str(n), *record, "--", sys.executable, "ring.py")
        odonata(at, "bench", "latency", *SMALL, "--sizes", "8,64", *CLOSED, "--out", "bench")
        odonata(at, "traffic", "uniform", *SMALL, "--load", "0.05,0.1", "--time", "1us",
                "--warmup", "1us", "--quiet", "--out", "traffic")  # fmt: skip
        return at

    @functools.cached_property
    def records(self) -> dict[str, bytes]:
        return {f"on-{n}.parquet": (self.place / f"on-{n}.parquet").read_bytes() for n in (4, 8)}

    @functools.cached_property
    def results(self) -> dict[str, dict[str, bytes]]:
        names = ("run-4", "run-8", "bench", "traffic")
        return {name: {f"{name}/{file.name}": file.read_bytes()
                       for file in sorted((self.place / name).iterdir())}
                for name in names}  # fmt: skip


RING = """
from mpi4py import MPI
comm = MPI.COMM_WORLD
me, n = comm.rank, comm.size
into = bytearray(64)
for _ in range(3):
    comm.Sendrecv(bytes(64), (me + 1) % n, 1, into, (me - 1) % n, 1)
    comm.Barrier()
"""
MADE = Made()


def odonata(at: Path, *words: str) -> None:
    done = subprocess.run([sys.executable, "-m", "odonata", *words], cwd=at, capture_output=True,
                          text=True)  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"a valid input is needed: {' '.join(words)}\n{done.stderr}")


def parquet_file(draw: Draw, data: bytes) -> bytes:
    """A Parquet file with other columns, types, values or metadata, or with other bytes."""
    if draw(st.integers(0, 3)) == 0:
        return damaged_bytes(draw, data)
    import pyarrow as pa
    from pyarrow import parquet

    found = parquet.read_table(pa.BufferReader(data))
    for _ in range(draw(st.integers(1, 2))):
        with_change = changed_table(draw, found)
        found = with_change if with_change is not None else found
    sink = pa.BufferOutputStream()
    try:
        parquet.write_table(found, sink)
    except (pa.ArrowException, ValueError, TypeError):  # no file has such columns
        return damaged_bytes(draw, data)
    return sink.getvalue().to_pybytes()


OPERATIONS = ("", "send", "recv", "barrier", "lock", "cancel", "mrecv", "exit", "alltoallv", "frob",
              None)  # fmt: skip
CELLS = (None, 0, 1, 2, 3, 4, 5, 255, 2**31 - 1, 2**32 - 1, 2**32 - 2, 2**40, 2**63 - 1, 2**64 - 1,
         -1)  # fmt: skip
TYPES = ("int8", "int64", "uint64", "float64", "string", "bool", "binary", "list", "null", "date32")


def changed_table(draw: Draw, found: Any) -> Any:
    import pyarrow as pa

    what = draw(st.sampled_from(("cells", "cells", "cells", "type", "drop", "rename", "rows",
                                 "again", "head", "head")))  # fmt: skip
    if what == "head" or not found.num_columns:
        return with_head(draw, found)
    nth = draw(st.integers(0, found.num_columns - 1))
    name, column = found.column_names[nth], found.column(nth)
    if what == "drop":
        return found.remove_column(nth)
    if what == "rename":
        names = list(found.column_names)
        names[nth] = draw(st.sampled_from(("", "rank", "op", name.upper(), "\U0001f409")))
        return found.rename_columns(names)
    if what == "again":
        return found.append_column(name, column)
    if what == "rows":
        rows = draw(st.sampled_from((0, 1, 2)))
        return found.slice(rows, draw(st.sampled_from((0, 1, 3, 10_000))))
    try:
        if what == "type":
            kind = draw(st.sampled_from(TYPES))
            of = pa.list_(column.type) if kind == "list" else pa.type_for_alias(kind)
            values = [[v] for v in column.to_pylist()] if kind == "list" else None
            made = pa.array(values, of) if values is not None else column.cast(of, safe=False)
        else:
            made = changed_cells(draw, column)
        return found.set_column(nth, name, made)
    except (pa.ArrowException, ValueError, TypeError, OverflowError):
        return None


def changed_cells(draw: Draw, column: Any) -> Any:
    """A column with one to three other values of its type, if it takes them."""
    import pyarrow as pa

    values = column.to_pylist()
    for _ in range(draw(st.integers(1, 3)) if values else 0):
        at = draw(st.integers(0, len(values) - 1))
        old = values[at]
        if isinstance(old, list):
            one = draw(st.sampled_from((0, 1, 2**32 - 1, 2**40, 2**63)))
            values[at] = draw(st.sampled_from(([], [one], [*old, one], [0] * 1_000, None)))
        elif isinstance(old, str):
            values[at] = draw(st.sampled_from(OPERATIONS))
        else:
            values[at] = draw(st.sampled_from(CELLS))
    return pa.array(values, column.type)


def with_head(draw: Draw, found: Any) -> Any:
    head = dict(found.schema.metadata or {})
    text = head.get(b"odonata")
    if text is None or draw(st.integers(0, 9)) == 0:
        return found.replace_schema_metadata(None)
    try:
        return found.replace_schema_metadata({b"odonata": json_file(draw, text.decode())})
    except (ValueError, RecursionError):  # an earlier change damaged it
        return found.replace_schema_metadata({b"odonata": damaged_bytes(draw, text)})


@st.composite
def recording(draw: Draw) -> Case:
    files = dict(MADE.records)
    name = draw(st.sampled_from(sorted(files)))
    files[name] = parquet_file(draw, files[name])
    if draw(st.booleans()):
        return Case("recording", ("replay", name, *SMALL, *CLOSED), {name: files[name]})
    words = ("extrapolate", *sorted(files), "--ranks", "16", "-o", "o.parquet", "--quiet")
    return Case("recording", words, files)


@st.composite
def result(draw: Draw) -> Case:
    results = MADE.results
    of = draw(st.sampled_from(("run-4", "run-4", "bench", "traffic")))
    files = dict(results[of])
    name = draw(st.sampled_from([f"{of}/summary.json", *files]))
    change = json_file(draw, files[name].decode()) if name.endswith(".json") else parquet_file(
        draw, files[name])  # fmt: skip
    files[name] = change
    words = draw(st.sampled_from((
        ("report", of, "--no-published"),
        *((("preflight", of, "run-8"), ("preflight", of, "run-8", "--json")) if of == "run-4"
          else ()),
        ("bench", "latency", *SMALL, "--sizes", "8", *CLOSED, "--out", of, "--force"),
    )))  # fmt: skip
    return Case("result", words, {**results["run-8"], **files})


# ---------------------------------------------------------------------------- tuning files


@functools.cache
def tunings() -> list[tuple[str, str]]:
    """Tuning files that odonata writes, and examples of MPICH's and Open MPI's documentation."""
    mpich = {
        "collective=allreduce": {
            "comm_size<=8": {
                "avg_msg_size<=1024": {"algorithm=MPIR_Allreduce_intra_recursive_doubling": {}},
                "avg_msg_size=any": {"algorithm=MPIR_Allreduce_intra_reduce_scatter_allgather": {}},
            },
            "comm_size=any": {"algorithm=MPIR_Allreduce_intra_recursive_doubling": {}},
        },
        "collective=bcast": {
            "comm_size=pow2": {
                "avg_msg_size<=64": {"algorithm=MPIR_Bcast_intra_binomial": {}},
                "avg_msg_size=any": {"algorithm=MPIR_Bcast_intra_binomial": {}},
            },
            "comm_size<4": {"algorithm=MPIR_Bcast_intra_tree": {"tree_type=kary": {"k=2": {}}}},
            "comm_size=any": {"algorithm=MPIR_Bcast_intra_binomial": {}},
        },
    }
    openmpi = "1\n2\n2\n4\n2\n0 3 0 0\n1024 4 0 0\n64\n1\n0 2 0 0\n"
    compositions = {"collective=allreduce": {
        "composition=MPIDI_Allreduce_intra_composition_beta": {}}}  # fmt: skip
    posix = {"collective=bcast": {"algorithm=MPIDI_POSIX_mpi_bcast_ipc_read": {}}}
    sizes = [{"msg_size_min": 0, "msg_size_max": 511, "alg": "ring"},
             {"msg_size_min": 512, "msg_size_max": "inf", "alg": 3, "reqs": 8}]  # fmt: skip
    every = {"comm_size_min": 2, "comm_size_max": 64, "rules": sizes}
    rules = {"rule_file_version": 3, "module": "tuned", "collectives": {"allreduce": [every]}}
    trees = (("mpich", mpich), ("mpich", compositions), ("mpich", posix), ("openmpi", rules))
    found = [(mpi, json.dumps(tree, indent=1)) for mpi, tree in trees]
    return [*found, ("openmpi", openmpi)]


@st.composite
def tuning(draw: Draw) -> Case:
    mpi, text = draw(st.sampled_from(tunings()))
    if text.startswith("{") and draw(st.booleans()):
        data = to_json(damaged(draw, json.loads(text)))
    else:
        data = words_or_bytes(draw, text)
    name = draw(st.sampled_from(("allreduce", "bcast")))
    words = ("bench", name, *SMALL, "--nodes", "4", "--sizes", "8", "--mpi", mpi, *CLOSED,
             "--coll-rules", "r.json")  # fmt: skip
    return Case("tuning", words, {"r.json": data})


LISTS = {
    "hosts": "0\n1:2\nnid000003 slots=4\n# a comment\ndragonfly-1056-00005\n",
    "placement": "0\n# a comment\n\n12:1\n",
}


@st.composite
def node_list(draw: Draw) -> Case:
    """Host files and placement files."""
    kind = draw(st.sampled_from(sorted(LISTS)))
    data = words_or_bytes(draw, LISTS[kind])
    if kind == "hosts":
        words = ("run", "-n", "2", *SMALL, "--hostfile", "h", *CLOSED, "--", "true")
    else:
        words = ("bench", "latency", *SMALL, "--sizes", "8", "--placement", "./h", *CLOSED)
    return Case("node_list", words, {"h": data})


# ---------------------------------------------------------------------------- option values


@functools.cache
def commands() -> dict[str, tuple[tuple[str, ...], tuple[str, ...], list[click.Parameter]]]:
    """For each command its options first, its arguments after them, and its parameters."""
    from odonata import cli

    base = {
        "machines": ((), ()),
        "show": ((), ("dragonfly-1056",)),
        "faults": ((), ("dragonfly-1056", "random:3:5")),
        "run": (("-n", "2", *SMALL), ("--", "true")),
        "bench": ((*SMALL, "--sizes", "8", *CLOSED), ("latency",)),
        "tune": ((*SMALL, "--nodes", "4", "--sizes", "8", "--quiet"), ("allreduce",)),
        "traffic": ((*SMALL, "--load", "0.05", "--time", "1us", "--warmup", "1us", "--quiet"),
                    ("uniform",)),
        "report": (("--no-published",), ("nothing",)),
        "preflight": ((), ("nothing",)),
        "replay": ((*SMALL, *CLOSED), ("t.goal",)),
        "extrapolate": (("--ranks", "8", "-o", "o.parquet"), ("on-4.parquet",)),
        "sweep": (("--workers", "1", "--quiet"), ("s.toml",)),
    }  # fmt: skip
    return {name: (*words, cli.cli.commands[name].params) for name, words in base.items()}


VARIABLES = (
    "FI_CXI_DEFAULT_TX_SIZE", "FI_CXI_DEFAULT_CQ_SIZE", "FI_CXI_RX_MATCH_MODE",
    "FI_CXI_RDZV_THRESHOLD", "FI_CXI_COLL_TIMEOUT_USEC", "FI_CXI_OPTIMIZED_MRS",
    "MPIR_CVAR_BCAST_INTRA_ALGORITHM", "MPIR_CVAR_ALLREDUCE_TREE_KVAL",
    "MPIR_CVAR_CH4_OFI_MAX_NICS", "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE",
    "MPICH_OFI_NIC_POLICY", "MPICH_ALLTOALL_SHORT_MSG", "MPICH_OFI_DEFAULT_TCLASS",
    "OMPI_MCA_coll_tuned_use_dynamic_rules", "OMPI_MCA_coll_tuned_dynamic_rules_filename",
    "ODONATA_CHECK", "OMP_NUM_THREADS", "LD_LIBRARY_PATH", "LD_PRELOAD", "PATH", "HOME",
)  # fmt: skip
WORDS = (
    "1", "2", "4", "uniform:0.1", "uniform:0.1@64Ki", "25us/1ms", "random:1:4", "random:1:999999",
    "group-spread:2", "group-spread:999999999", "one-group", "packet", "flow", "loggp", "auto",
    "gpu", "host", "warn", "off", "low-latency", "cray-mpich", "nic.window=64", "nic.window=0",
    "a.b.c=1", "2026-01-01", "9999-12-31", "0001-01-01", "now", "numpy", "measured", "10%",
    "1:64", "64:1", "8,64", "0.1:0.3:0.1", "shift:1", "incast:3", "hotspot:1", "out", "t.goal",
    "s.toml", "on-4.parquet",
)  # fmt: skip
# Valid values of these options must not make the case long.
NOT_FUZZED = ("scheduler", "help", "published")


@st.composite
def words(draw: Draw) -> str:
    found = draw(st.one_of(
        st.sampled_from(WORDS), st.sampled_from(TEXTS), st.sampled_from(NUMBERS).map(str),
        st.text(max_size=8), st.sampled_from(WORDS).flatmap(lambda w: st.just(w)),
    ))  # fmt: skip
    if draw(st.integers(0, 3)) == 0:
        changed = near(draw, found)
        found = changed if isinstance(changed, str) else str(changed)
    return found[:60_000]


@st.composite
def option(draw: Draw) -> Case:
    name = draw(st.sampled_from(sorted(commands())))
    first, last, parameters = commands()[name]
    given: list[str] = []
    for parameter in draw(st.lists(st.sampled_from(parameters), max_size=3)):
        if parameter.name in NOT_FUZZED:
            continue
        if isinstance(parameter, click.Argument):
            if name != "run":
                last = tuple(argument(draw(words())) for _ in last)
            continue
        given.append(draw(st.sampled_from(parameter.opts)))
        if not parameter.is_flag:
            given.append(argument(variable(draw) if parameter.name == "env" else draw(words())))
    env = {}
    if draw(st.integers(0, 3)) == 0:
        key, _, value = variable(draw).partition("=")
        env = {key: argument(value)}
    files = {"t.goal": GOAL[0].encode(), "s.toml": studies()[1].encode()}
    if name == "extrapolate":
        files |= {"on-4.parquet": MADE.records["on-4.parquet"]}
    return Case("option", (name, *first, *given, *last), files, env)


def variable(draw: Draw) -> str:
    return f"{draw(st.sampled_from(VARIABLES))}={draw(words())}"


def argument(text: str) -> str:
    """As much of a text as a command line or a variable can hold."""
    return os.fsencode(text.replace("\0", "").encode("utf-8", "surrogatepass").decode(
        "utf-8", "surrogateescape")).decode("utf-8", "surrogateescape")  # fmt: skip


KINDS: Mapping[str, Callable[[], st.SearchStrategy[Case]]] = {
    "machine": machine, "faults": faults, "profile": profile, "jobs": jobs, "study": study,
    "schedule": schedule, "trace": trace, "otf2": otf2, "recording": recording, "result": result,
    "tuning": tuning, "node_list": node_list, "option": option,
}  # fmt: skip
