"""Run an unmodified MPI program with its ranks on the simulated machine.

`odonata.run(job, ["python", "app.py"])` starts one process per rank, with odonata's MPI library
before any other, and predicts the time on the simulated machine.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import (
    bands,
    clocks,
    core,
    fileio,
    filesystems,
    libraries,
    openmp,
    records,
    tables,
    timelines,
)
from . import warm as forker
from ._vocabulary import Clock, Fidelity
from .errors import Diagnostics, SimulatedFailure, nearest
from .files import read_text, why
from .interpreters import path_of_ranks
from .machines import Job, is_job
from .names import PLACEMENTS
from .results import Failure, Result
from .version import version

if TYPE_CHECKING:
    import matplotlib.axes
    import pyarrow

LIBRARY = Path(__file__).resolve().parent / "_lib"

# Tables of the core's answer that are too long for a summary: Parquet files, Arrow in Python.
LONG_TABLES = {"rank_table": "ranks", "message_matrix": "messages", "link_table": "links"}
SHORT_TABLES = {
    "call_table": "calls",
    "distance_table": "distance",
    "link_kinds": "link_kinds",
    "counter_table": "counters",
}
TABLES = {**LONG_TABLES, **SHORT_TABLES}

# Variables of communication libraries that users set. The core receives those that are modeled. A
# note names the others, because the real machine would honor them. FI_* are libfabric's, except
# those of its log.
_LIBRARY_VARIABLES = re.compile(
    r"(FI_(?!LOG_)|MPIR_CVAR_|MPICH_|MPIDI_|CXI_)[A-Z0-9_]+|OMPI_MCA_[A-Za-z0-9_]+"
)
_COLLECTIVES = (
    "BARRIER|BCAST|REDUCE|ALLREDUCE|ALLGATHERV?|ALLTOALLV?|GATHERV?|SCATTERV?|"
    "REDUCE_SCATTER(_BLOCK)?|SCAN|EXSCAN"
)
MODELED = re.compile(
    rf"MPIR_CVAR_(({_COLLECTIVES})_INTRA_ALGORITHM|ALLTOALL_THROTTLE"
    r"|BARRIER_DISSEM_KVAL|(BARRIER|ALLREDUCE|ALLGATHER)_RECEXCH_KVAL"
    r"|(ALLGATHER|ALLTOALL)_BRUCKS_KVAL"
    r"|(BCAST|ALLREDUCE)_TREE_(KVAL|TYPE|PIPELINE_CHUNK_SIZE)"
    r"|(BARRIER|BCAST|REDUCE|ALLREDUCE|ALLGATHER|ALLTOALL)_COMPOSITION)"
    r"|MPICH_OFI_DEFAULT_TCLASS|FI_CXI_DEFAULT_TCLASS"
    r"|MPICH_OFI_CXI_COUNTER_(REPORT(_FILE)?|VERBOSE|FILE)|MPICH_COLL_SYNC"
    r"|MPICH_ALLTOALL_(SHORT_MSG|SYNC_FREQ|BLK_SIZE|CHUNKING_MAX_NODES)|MPICH_ALLTOALLV_THROTTLE"
    r"|MPIR_CVAR_CH4_OFI_(MAX_NICS|ENABLE_MULTI_NIC_STRIPING|MULTI_NIC_STRIPING_THRESHOLD"
    r"|AM_LONG_FORCE_PIPELINE|ENABLE_HMEM|ENABLE_GPU_PIPELINE|GPU_RDMA_THRESHOLD"
    r"|GPU_PIPELINE_(THRESHOLD|BUFFER_SZ))"
    r"|OMPI_MCA_coll_tuned_(use_dynamic_rules|init_chain_fanout"
    rf"|({_COLLECTIVES.lower()})_algorithm"
    r"(_(segmentsize|chain_fanout|max_requests|knomial_radix))?)"
)
# Variables that odonata's MPI library reads itself in the ranks.
FOLLOWED = re.compile(
    r"(MPIR_CVAR_|MPIR_PARAM_|MPICH_)COLL_ALIAS_CHECK|MPICH_NO_BUFFER_ALIAS_CHECK|MPICH_MPIIO_HINTS"
)
# Variables with a fixed set of values: the values, and their description.
VARIABLES = {
    "ODONATA_CHECK": (("all", "none"), "`all`, `none`, or unset"),
    "MPICH_OFI_CXI_COUNTER_REPORT": (tuple("012345"), "a number from 0 to 5"),
}
# Variables that name a tuning file, with its format. Concurrent jobs (--jobs) do not accept them.
RULES_FILES = {
    "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE": "generic",
    "MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE": "compositions",
    "MPIR_CVAR_CH4_POSIX_COLL_SELECTION_TUNING_JSON_FILE": "posix",
}
DYNAMIC_RULES = "OMPI_MCA_coll_tuned_dynamic_rules_filename"
TRUE = ("1", "t", "true", "y", "yes", "enabled")
# Variables for rank reordering and NIC mapping; --jobs does not accept these either.
RANK_ORDER = "MPICH_RANK_REORDER_FILE"
ALONE = re.compile(
    "|".join((*RULES_FILES, DYNAMIC_RULES, "MPICH_RANK_REORDER_METHOD", RANK_ORDER))
    + "|MPICH_OFI_NIC_(POLICY|MAPPING)"
)
# Variables of Slingshot's libfabric provider; honored on Slingshot only.
PROVIDER = re.compile(
    r"FI_CXI_(RX_MATCH_MODE|DEFAULT_CQ_SIZE|DEFAULT_TX_SIZE|RDZV_THRESHOLD|RDZV_GET_MIN"
    r"|RDZV_EAGER_SIZE|EQ_ACK_BATCH_SIZE|OFLOW_BUF_COUNT|OFLOW_BUF_MIN_POSTED|REQ_BUF_MIN_POSTED"
    r"|FC_RETRY_USEC_DELAY|COLL_TIMEOUT_USEC|DISABLE_EQ_HUGETLB|DISABLE_CQ_HUGETLB|OPTIMIZED_MRS)"
)


@dataclass
class RunResult(Result):
    """Predicted times, messages and counters of a program."""

    summary: dict[str, Any] = field(repr=False)
    data: dict[str, Any] = field(repr=False)
    # Counters of each NIC, of small jobs: names of `nics`, and lists of `counts` by counter.
    nic_counters: dict[str, Any] | None = field(default=None, repr=False)

    @property
    def time(self) -> float:
        """Predicted time of the program, or of its failure, seconds."""
        return float(self.summary["time_s"])

    @property
    def n_ranks(self) -> int:
        """Number of ranks."""
        return int(self.summary["ranks"])

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return int(self.summary["nodes"])

    @property
    def n_messages(self) -> int:
        """Messages of all ranks."""
        return int(self.summary["messages"])

    @property
    def n_bytes(self) -> int:
        """Payload of all messages, bytes."""
        return int(self.summary["bytes"])

    @property
    def digest(self) -> str:
        """Digest of the events; equal digests are equal runs."""
        return str(self.summary["digest"])

    @property
    def exit_code(self) -> int:
        """Exit code of `odonata run`: that of the program, or of its failure."""
        return int(self.summary["exit_code"])

    @property
    def failure(self) -> Failure | None:
        """None, or the kind, message and ranks of the simulated failure."""
        return self.summary.get("failure")

    @property
    def ranks(self) -> pyarrow.Table:
        """One row per rank: its node and the parts of its time, seconds."""
        return tables.table(self.data.get("ranks"))

    @property
    def calls(self) -> pyarrow.Table:
        """One row per MPI function: calls, time and bytes over all ranks."""
        return tables.table(self.data.get("calls"))

    @property
    def distance(self) -> pyarrow.Table:
        """Messages and bytes inside a node, a switch, a group, and between groups."""
        return tables.table(self.data.get("distance"))

    @property
    def limits(self) -> pyarrow.Table:
        """Peak use of each limited resource, one row per limit."""
        return tables.table(self.summary["limits"]["uses"])

    @property
    def messages(self) -> pyarrow.Table:
        """The message matrix, one row per pair of ranks that exchanged messages."""
        return tables.table(self.data.get("messages"))

    @property
    def links(self) -> pyarrow.Table:
        """The busiest links."""
        return tables.table(self.data.get("links"))

    @property
    def link_kinds(self) -> pyarrow.Table:
        """Number and use of the links of each kind."""
        return tables.table(self.data.get("link_kinds"))

    @property
    def counters(self) -> pyarrow.Table:
        """Counters of the ranks' NICs, one row per counter (docs/models/counters.md)."""
        return tables.table(self.data.get("counters"))

    def plot(self, ax: matplotlib.axes.Axes | None = None) -> matplotlib.axes.Axes:
        """Plot the parts of each rank's time, stacked."""
        from . import plot

        return plot.ranks(self, ax)


def run(
    job: Job,
    program: Sequence[str],
    *,
    fidelity: Fidelity = "packet",
    compute: str | float = "measured",
    clock: Clock = "virtual",
    epoch: str = clocks.EPOCH,
    env: Mapping[str, str] | None = None,
    wdir: str | Path | None = None,
    hostfile: str | Path | None = None,
    label: bool = False,
    warm: str = "auto",
    mounts: Sequence[str] = (),
    keep: str | Path | None = None,
    record: str | Path | None = None,
    check: bool = True,
    tick: core.Tick | None = None,
    stop: core.Stop | None = None,
) -> RunResult:
    """Run `program` as the ranks of `job` and predict its time.

    `hostfile` places the ranks on nodes, and limits their number per node unless the job's `ppn`
    does. `compute` charges the time between MPI calls: `"measured"`, `"none"` or a factor. The
    clocks of the ranks show simulated time from `epoch` on, or real time with `clock="real"`.

    Ranks of a Python script are forked from one interpreter that has imported the script's modules.
    `warm` names further modules to import there; with `"none"`, each rank starts its own
    interpreter. `mounts` are further mounts of the machine's file systems, such as
    `"/scratch=flare"`, and `keep` is a directory that keeps their files. `record` is a file for the
    calls of all ranks, for `odonata.replay`. With `check`, a simulated failure (deadlock, abort, a
    rank that died) raises `SimulatedFailure`.
    """
    wrong = Diagnostics()
    is_job(wrong, job)
    wdir = path_of(wrong, "wdir", wdir) or os.getcwd()
    environment = environment_of(check_environment(wrong, env))
    environment |= clocks.variables(wrong, clock, epoch, environment)
    program = check_program(wrong, program, wdir, environment)
    check_variables(wrong, environment)
    compute = compute_of(wrong, compute)
    check_warm(wrong, warm)
    hosts = read_hostfile(wrong, hostfile) if hostfile is not None else None
    order = rank_order(wrong, read_by(environment, job.mpi), wdir)
    keep = None if keep is None else path_of(wrong, "keep", keep)
    records.check_target(wrong, record)
    wrong.raise_any()
    if hosts is not None and job.placement != PLACEMENTS[0]:
        refuse_both(wrong, job.placement if isinstance(job.placement, str) else "by rank")
    wrong.raise_any()
    if job.coll_rules is None:
        job = replace(job, coll_rules=rules_files(read_by(environment, job.mpi), wdir))
    job.check(fidelity)
    request = {
        **job.request(fidelity),
        "ranks": job.ranks,
        "ppn": job.ppn,
        **words_of(program, forker.command(program, wdir, environment, warm), environment, wdir),
        "mounts": list(mounts),
        "keep": None if keep is None else core.word(os.path.abspath(keep)),
        "hostfile_text": hosts,
        "rank_order": order,
        "label": label,
        "compute": compute,
        "record": record is not None,
    }
    columns: dict[str, bytes] = {}
    if record is None:
        answer = core.enter("run", request, tick, stop)
    else:
        answer, columns = core.enter("record", request, tick, stop)
    recorded = answer.pop("recorded", None)
    over_time = timelines.finish(job.timeline, answer)
    result = result_of(answer, job, fidelity, compute, {"kind": "run", "program": program})
    result.data.update(over_time)
    if hosts is not None:
        result.summary["placement"] = "host file"
    seen = result.summary.pop("files")
    if lost := fileio.replaced(seen, environment, wdir, result.time):
        result.summary["replaced_files"] = lost
        result.summary.setdefault("notes", []).append(fileio.note(lost))
    if found := fileio.of_run(seen, compute):
        result.summary["file_io"] = found
    if record is not None:
        own = read_by(environment, job.mpi)
        about = [[k, own[k]] for k in honored(own, job.machine.setting("fabric"))]
        written = records.write(Path(record), recorded, columns, result.summary, about)
        result.summary["record"] = written
        if check and written["unwritten"]:
            warnings.warn(records.outcome(written), stacklevel=2)
    if check and result.failure:
        raise SimulatedFailure.of(result.failure, result)
    return result


def words_of(
    program: Sequence[str], warm: Sequence[str] | None, environment: Mapping[str, str], wdir: str
) -> dict[str, Any]:
    """The parts of a request that need not be Unicode, encoded for the core."""
    word = core.word
    return {
        "program": list(map(word, program)),
        "warm": None if warm is None else list(map(word, warm)),
        "env": [[word(key), word(value)] for key, value in environment.items()],
        "wdir": word(wdir),
        **filesystems.libraries(),
    }


def result_of(
    answer: dict[str, Any], job: Job, fidelity: str, compute: str | float, what: dict[str, Any]
) -> RunResult:
    """The core's answer as summary and tables; `what` describes the run."""
    data = {name: tables.rows_of(answer.pop(key, None)) for key, name in TABLES.items()}
    nic_counters = answer.pop("nic_counters", None)
    summary = {
        "odonata": version(),
        **what,
        "machine": job.machine.name,
        "fidelity": fidelity,
        "routing": job.machine.routing,
        "placement": job.placement if isinstance(job.placement, str) else "by rank",
        "mpi": job.mpi,
        "seed": job.seed,
        "compute": compute,
        "ppn": job.ppn,
        **answer,
        **{name: data[name] for name in SHORT_TABLES.values()},
    }
    failure = summary.get("failure")
    if not failure and summary.get("time_s"):
        has_files = bool(summary.get("io"))
        used = bands.add([summary], "time_s", lambda _: bands.program_kinds(has_files), fidelity)
        summary["bands"] = used
    if failure and not summary.get("exit_code"):
        summary["exit_code"] = 130 if failure.get("kind") == "interrupted" else 1
    return RunResult(summary, data, nic_counters)


def environment_of(given: Mapping[str, str]) -> dict[str, str]:
    """Variables that are added to the ranks' environment.

    odonata's MPI library is first on the library path, and mpi4py receives its ABI. Numerical
    libraries use one thread, because a rank has one core; waiting OpenMP threads sleep. The user's
    values take precedence, except for the wait policy of OpenMP threads.
    """
    env = {key: value for key, value in os.environ.items() if _LIBRARY_VARIABLES.fullmatch(key)}
    env.update(given)
    path = env.get("LD_LIBRARY_PATH", os.environ.get("LD_LIBRARY_PATH"))
    env["LD_LIBRARY_PATH"] = f"{LIBRARY}:{path}" if path else str(LIBRARY)
    if "PATH" not in given:
        env["PATH"] = path_of_ranks({**os.environ, **given})
    for key, value in (
        ("MPI4PY_MPIABI", "mpich"),
        ("OPENBLAS_NUM_THREADS", "1"),
        ("OMP_NUM_THREADS", "1"),
    ):
        if key not in os.environ:
            env.setdefault(key, value)
    env |= openmp.waiting({**os.environ, **given})
    return env


def library_variables(environment: Mapping[str, str]) -> list[str]:
    """Variables of communication libraries that are set."""
    return sorted(k for k in environment if _LIBRARY_VARIABLES.fullmatch(k))


def rules_files(environment: Mapping[str, str], wdir: str) -> tuple[libraries.RulesFile, ...]:
    """Tuning files that MPICH, or Open MPI with dynamic rules, reads its algorithms from."""
    named = [(environment.get(name), of) for name, of in RULES_FILES.items()]
    use = environment.get("OMPI_MCA_coll_tuned_use_dynamic_rules", "")
    if use.strip().lower() in TRUE:
        named.append((environment.get(DYNAMIC_RULES), "openmpi"))
    return tuple(
        libraries.RulesFile(os.path.join(wdir, file), of) for file, of in named if file
    )


def rank_order(
    wrong: Diagnostics, environment: Mapping[str, str], wdir: str
) -> dict[str, str] | None:
    """The file with the rank order that Cray MPICH's variables select, if any."""
    if environment.get("MPICH_RANK_REORDER_METHOD", "").strip() != "3":
        return None
    name = environment.get(RANK_ORDER) or "MPICH_RANK_ORDER"
    try:
        return {"name": name, "text": read_text(os.path.join(wdir, name))}
    except (OSError, ValueError) as error:
        wanted = f"a readable file with an order of ranks ({why(error)})"
        wrong.add("env.MPICH_RANK_REORDER_METHOD", f"3, of the file {name}", wanted)
        return None


def read_by(environment: Mapping[str, str], mpi: str) -> dict[str, str]:
    """The environment without variables that only other libraries read."""
    others = libraries.deaf_to(mpi)
    return {k: value for k, value in environment.items() if not k.startswith(others)}


def ignored_variables(
    environments: Sequence[Mapping[str, str]], mpi: str, fabric: str, is_alone: bool = True
) -> list[str]:
    """Notes about variables that are set and have no effect on this fabric."""
    others, strange = set(), set()
    for environment in environments:
        own = read_by(environment, mpi)
        others |= set(library_variables(environment)) - set(own)
        unknown = set(library_variables(own)) - set(honored(own, fabric, is_alone))
        strange |= {name for name in unknown if not FOLLOWED.fullmatch(name)}
    notes = []
    if strange:
        notes.append(f"set, but not modeled: {', '.join(sorted(strange))}")
    if others:
        notes.append(f"set, but not read by `{mpi}`: {', '.join(sorted(others))}")
    return notes


def honored(environment: Mapping[str, str], fabric: str, is_alone: bool = False) -> list[str]:
    """The variables that change the prediction on this fabric, of those that are read: of a
    program that is run alone, or of jobs side by side and replays.
    """
    modeled = [MODELED]
    modeled += [PROVIDER] if fabric == "slingshot" else []
    modeled += [ALONE] if is_alone else []
    names = library_variables(environment)
    return [name for name in names if any(known.fullmatch(name) for known in modeled)]


def is_word(text: Any) -> bool:
    """Whether the operating system accepts this as an argument, a path or a variable's value."""
    try:
        return isinstance(text, str) and b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:  # a surrogate that encodes no byte
        return False


def path_of(wrong: Diagnostics, at: str, path: Any) -> str:
    """`path` as text; empty if it is missing or invalid."""
    if path is None:
        return ""
    if isinstance(path, (str, os.PathLike)) and is_word(os.fspath(path)):
        return os.fspath(path)
    wrong.add(at, path, "a path")
    return ""


def check_environment(wrong: Diagnostics, env: Any) -> dict[str, str]:
    """Variables for the ranks. Names and values must be texts that an environment can hold."""
    if env is not None and not isinstance(env, Mapping):
        wrong.add("env", env, "a mapping of names to values")
        return {}
    for key, value in (env or {}).items():
        texts = isinstance(key, str) and isinstance(value, str)
        if not texts or not key or "=" in key or not is_word(key + value):
            wrong.add("env", f"{key!r}: {value!r}", "a name and its value, both text")
    return {} if wrong.list else dict(env or {})


def compute_of(wrong: Diagnostics, how: Any) -> str | float:
    """`measured`, `none` or a positive factor, from a number or its text."""
    if how in ("measured", "none"):
        return how
    try:
        factor = -1.0 if isinstance(how, bool) else float(how)
    except (TypeError, ValueError, OverflowError):
        factor = -1.0
    if not 0 < factor < 1e9:
        near = nearest(how, ("measured", "none")) if isinstance(how, str) else None
        hint = f"did you mean `{near}`?" if near else None
        found = "nothing" if how == "" else how
        wrong.add("compute", found, "`measured`, `none` or a positive factor below 1e9", hint)
    return factor


def check_variables(wrong: Diagnostics, environment: Mapping[str, str]) -> None:
    """Add a diagnostic for each invalid value of odonata's own variables."""
    everything = {**os.environ, **environment}
    for name, (accepted, wanted) in VARIABLES.items():
        if everything.get(name, "") not in ("", *accepted):
            wrong.add(f"env.{name}", everything[name], wanted)


def check_warm(wrong: Diagnostics, warm: Any) -> None:
    """`auto`, `none`, or modules."""
    if not isinstance(warm, str) or not all(map(_is_module, warm.split(","))):
        wanted = "`auto`, `none` or modules to import, such as `numpy,scipy.linalg`"
        wrong.add("warm", warm if warm != "" else "nothing", wanted)


def _is_module(name: str) -> bool:
    return all(part.isidentifier() for part in name.split("."))


def refuse_both(wrong: Diagnostics, placement: str) -> None:
    """Report that both a host file and a placement are given."""
    wanted = "no placement with a host file, which places the ranks"
    wrong.add("placement", placement, wanted)


def check_program(
    wrong: Diagnostics, program: Any, wdir: str, environment: Mapping[str, str]
) -> list[str]:
    """The program's words, after a check that it and its directory exist."""
    if not os.path.isdir(wdir):
        wrong.add("wdir", wdir or "nothing", "a directory")
    wanted = 'a list of words, such as `["python", "app.py"]`'
    if isinstance(program, (str, bytes)) or not isinstance(program, Sequence):
        wrong.add("program", program, wanted)
        return []
    if not all(isinstance(w, (str, os.PathLike)) and is_word(os.fspath(w)) for w in program):
        wrong.add("program", list(program), wanted)
        return []
    words = [os.fspath(word) for word in program]
    find_program(wrong, words, wdir, environment)
    return words


def find_program(
    wrong: Diagnostics, program: list[str], wdir: str, environment: Mapping[str, str]
) -> None:
    """Add a diagnostic unless the program exists."""
    if not program or not program[0]:
        wrong.add("program", "nothing", "a program to run after `--`")
        return
    path = environment.get("PATH", os.environ.get("PATH", os.defpath))
    # In runs with mounts; the core reports them missing in others.
    path = f"{path}{os.pathsep}{filesystems.COMMANDS}"
    name = program[0]
    at = os.path.join(wdir, name) if os.sep in name else name
    if shutil.which(at, path=path) is not None:
        return
    if os.sep in name and os.path.isfile(at):
        wrong.add("program", name, "a program that may be executed", f"chmod +x {shlex.quote(at)}")
    elif os.sep not in name and os.path.isfile(os.path.join(wdir, name)):
        wrong.add("program", name, "a program found on PATH", f"did you mean `./{name}`?")
    else:
        wrong.add("program", name, "a program found on PATH or a path to one")


def read_hostfile(wrong: Diagnostics, path: str | Path) -> str | None:
    """The text of a host file."""
    try:
        return read_text(path)
    except (OSError, ValueError, TypeError) as error:
        wrong.add("hostfile", path or "nothing", f"a readable host file ({why(error)})")
        return None
