"""Names, options, defaults and rows of results, as the core declares them.

Written by python/generate_vocabulary.py; change crates/api/src/vocabulary instead.
"""

# fmt: off
from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypedDict, get_args


class Option(NamedTuple):
    """An option of some commands: `name` in Python, `flags` on the command line."""

    commands: str  # separated by blanks
    name: str
    flags: tuple[str, ...]
    synonyms: tuple[str, ...]  # further flags, which help texts do not show
    topic: str
    metavar: str  # empty for a flag
    is_repeatable: bool
    default: str | int | bool | None
    default_words: str  # the default in words, if it is no value
    least: int  # of whole numbers
    most: int
    help: str


# Built-in benchmarks.
Benchmark = Literal[
    "latency", "bw", "bibw", "mbw_mr", "multi_lat", "put_latency", "get_latency", "put_bw",
    "put_bibw", "get_bw", "put_alltoall", "allreduce", "allgather", "allgatherv", "alltoall",
    "alltoallv", "bcast", "reduce", "reduce_scatter", "reduce_scatter_block", "barrier",
    "gather", "gatherv", "scatter", "scatterv", "scan", "exscan", "rr_lat", "rr_get_lat",
    "rr_bw", "rr_put_bw", "rr_bw_sync", "nat_bw", "multiple_allreduce", "multiple_alltoall",
    "bisect",
]
BENCHMARKS: tuple[Benchmark, ...] = get_args(Benchmark)

# Collectives with more than one algorithm.
Collective = Literal[
    "barrier", "bcast", "reduce", "allreduce", "allgather", "allgatherv", "alltoall",
    "alltoallv", "gather", "scatter", "reduce_scatter", "reduce_scatter_block",
]
COLLECTIVES: tuple[Collective, ...] = get_args(Collective)

# Patterns of synthetic traffic; K is a positive number.
PATTERNS: tuple[str, ...] = (
    "uniform", "adversarial:K", "group-shift:K", "shift:K", "hotspot:K", "incast:K",
    "random-permutation", "worst-permutation", "all-to-all", "random-all-to-all",
)

# Placements of ranks on nodes.
PLACEMENTS: tuple[str, ...] = (
    "contiguous", "round-robin", "random", "one-group", "group-spread", "group-spread:K",
)

# Routing policies.
Routing = Literal[
    "minimal", "valiant", "valiant-group", "ugal", "ugal-l", "ugal-g", "par", "slingshot",
    "adaptive-0", "adaptive-1", "adaptive-2", "adaptive-3", "min-hash", "nmin-hash", "in-order",
    "adaptive",
]
ROUTINGS: tuple[Routing, ...] = get_args(Routing)

# Network models.
Fidelity = Literal[
    "packet", "flow", "loggp",
]
FIDELITIES: tuple[Fidelity, ...] = get_args(Fidelity)

# Network models, or the cheapest one within a tolerance.
FidelityOrAuto = Literal[
    "packet", "flow", "loggp", "auto",
]
FIDELITIES_OR_AUTO: tuple[FidelityOrAuto, ...] = get_args(FidelityOrAuto)

# Mappings of ranks to the NICs of their node.
NIC_POLICIES: tuple[str, ...] = (
    "block", "numa", "round-robin", "gpu", "single",
)

# Effects of exceeding a limit.
Limits = Literal[
    "off", "warn", "fail",
]
LIMITS: tuple[Limits, ...] = get_args(Limits)

# Memory of message buffers.
Buffers = Literal[
    "host", "gpu",
]
BUFFERS: tuple[Buffers, ...] = get_args(Buffers)

# Settings of congestion management.
CONGESTION: tuple[str, ...] = (
    "on", "off",
)

# Sizes of problems with several numbers of nodes.
Scaling = Literal[
    "weak", "strong",
]
SCALINGS: tuple[Scaling, ...] = get_args(Scaling)

# Clocks of a program.
Clock = Literal[
    "virtual", "real",
]
CLOCKS: tuple[Clock, ...] = get_args(Clock)

# Engines of packet networks.
Engine = Literal[
    "auto", "event", "window",
]
ENGINES: tuple[Engine, ...] = get_args(Engine)

# Forms of progress.
ProgressForm = Literal[
    "line", "json", "none",
]
PROGRESS: tuple[ProgressForm, ...] = get_args(ProgressForm)

# MPI libraries.
LIBRARIES: tuple[str, ...] = (
    "mpich", "mpich-aurora", "cray-mpich", "openmpi", "mvapich-plus", "none",
)

# Of each benchmark: title, measured field and default sizes.
BENCHMARK_ENTRIES: dict[str, tuple[str, str, str]] = {
    "latency": ("MPI Latency Test", "latency_s", "1:4Mi"),
    "bw": ("MPI Bandwidth Test", "bandwidth_B_per_s", "1:4Mi"),
    "bibw": ("MPI Bi-Directional Bandwidth Test", "bandwidth_B_per_s", "1:4Mi"),
    "mbw_mr": ("MPI Multiple Bandwidth / Message Rate Test", "bandwidth_B_per_s", "1:4Mi"),
    "multi_lat": ("MPI Multi Latency Test", "latency_s", "1:4Mi"),
    "put_latency": ("MPI_Put Latency Test", "latency_s", "1:4Mi"),
    "get_latency": ("MPI_Get Latency Test", "latency_s", "1:4Mi"),
    "put_bw": ("MPI_Put Bandwidth Test", "bandwidth_B_per_s", "1:4Mi"),
    "put_bibw": ("MPI_Put Bi-Directional Bandwidth Test", "bandwidth_B_per_s", "1:4Mi"),
    "get_bw": ("MPI_Get Bandwidth Test", "bandwidth_B_per_s", "1:4Mi"),
    "put_alltoall": ("MPI_Put Random-Shift All-to-All Test", "bandwidth_B_per_s", "64:16Ki"),
    "allreduce": ("MPI Allreduce Latency Test", "latency_s", "4:1Mi"),
    "allgather": ("MPI Allgather Latency Test", "latency_s", "1:1Mi"),
    "allgatherv": ("MPI Allgatherv Latency Test", "latency_s", "1:1Mi"),
    "alltoall": ("MPI Alltoall Latency Test", "latency_s", "1:1Mi"),
    "alltoallv": ("MPI Alltoallv Latency Test", "latency_s", "1:1Mi"),
    "bcast": ("MPI Broadcast Latency Test", "latency_s", "1:1Mi"),
    "reduce": ("MPI Reduce Latency Test", "latency_s", "4:1Mi"),
    "reduce_scatter": ("MPI Reduce_scatter Latency Test", "latency_s", "4:1Mi"),
    "reduce_scatter_block": ("MPI Reduce_scatter_block Latency Test", "latency_s", "4:1Mi"),
    "barrier": ("MPI Barrier Latency Test", "latency_s", "0"),
    "gather": ("MPI Gather Latency Test", "latency_s", "1:1Mi"),
    "gatherv": ("MPI Gatherv Latency Test", "latency_s", "1:1Mi"),
    "scatter": ("MPI Scatter Latency Test", "latency_s", "1:1Mi"),
    "scatterv": ("MPI Scatterv Latency Test", "latency_s", "1:1Mi"),
    "scan": ("MPI Scan Latency Test", "latency_s", "4:1Mi"),
    "exscan": ("MPI Exscan Latency Test", "latency_s", "4:1Mi"),
    "rr_lat": ("GPCNeT RR Two-sided Lat", "latency_s", "8"),
    "rr_get_lat": ("GPCNeT RR Get Lat", "latency_s", "8"),
    "rr_bw": ("GPCNeT RR Two-sided BW", "bandwidth_B_per_s", "128Ki"),
    "rr_put_bw": ("GPCNeT RR Put BW", "bandwidth_B_per_s", "128Ki"),
    "rr_bw_sync": ("GPCNeT RR Two-sided BW+Sync", "bandwidth_B_per_s", "128Ki"),
    "nat_bw": ("GPCNeT Nat Two-sided BW", "bandwidth_B_per_s", "128Ki"),
    "multiple_allreduce": ("GPCNeT Multiple Allreduce", "latency_s", "8"),
    "multiple_alltoall": ("GPCNeT Multiple Alltoall", "bandwidth_B_per_s", "4Ki"),
    "bisect": ("Bisection Bandwidth Test", "bandwidth_B_per_s", "128Ki"),
}

OPTIONS: tuple[Option, ...] = (
    Option(
        "app replay tune", "machine", ("--machine",), (), "Machine", "NAME|FILE", False, None,
        "", 0, 0,
        "The machine: a preset (`odonata machines`) or a machine file, NAME.toml."),
    Option(
        "bench run traffic", "machine", ("--machine",), (), "Machine", "NAME|FILE", False, None,
        "", 0, 0,
        "The machine: a preset (`odonata machines`) or a machine file, NAME.toml."),
    Option(
        "bench run traffic", "fabric", ("--fabric",), (), "Machine", "URL", False, None, "", 0,
        0,
        "Instead of --machine: the address of `odonata fabric serve`. The run uses its "
        "machine with the faults of its present state, and is a job on it while it runs."),
    Option(
        "app bench faults replay run show traffic tune", "changes", ("--set",), (), "Machine",
        "KEY=VALUE", True, None, "", 0, 0,
        "Set a key of the machine file, such as `nic.window=64`; repeatable "
        "(docs/reference/machine-file.md)."),
    Option(
        "app bench faults replay run show traffic tune", "node_kind", ("--node-kind",), (),
        "Machine", "NAME", False, None, "the machine's `node_kind`", 0, 0,
        "Kind of the job's nodes, on a machine with several: `gpu` or `cpu` on Perlmutter"
        " (docs/models/machine.md)."),
    Option(
        "app bench replay run show traffic tune", "routing", ("--routing",), (), "Machine",
        "NAME", False, None, "the machine's", 0, 0,
        "Routing policy: minimal, valiant, ugal-l, par, slingshot, adaptive-0, ... "
        "(docs/models/routing.md)."),
    Option(
        "app bench replay run traffic tune", "congestion", ("--congestion",), (), "Machine",
        "on|off", False, None, "the machine's", 0, 0,
        "Congestion management: switches throttle senders that overload a NIC."),
    Option(
        "app bench replay run traffic", "faults", ("--faults",), (), "Machine",
        "FILE|random:SEED:N", False, None, "", 0, 0,
        "Fault schedule: a file (docs/models/faults.md), or N random faults drawn from "
        "SEED. `odonata faults` prints it."),
    Option(
        "run", "ranks", ("-n", "--ranks",), ("-np", "--np", "--ntasks",), "Job", "N", False,
        None, "", 1, 2147483647,
        "Number of ranks."),
    Option(
        "bench", "ranks", ("-n", "--ranks",), ("-np", "--np", "--ntasks",), "Job", "N", False,
        None, "--nodes times --ppn", 1, 2147483647,
        "Number of ranks."),
    Option(
        "extrapolate", "ranks", ("-n", "--ranks",), ("-np", "--np",), "Job", "N", False, None,
        "", 4, 2147483647,
        "Number of ranks of the new recording."),
    Option(
        "run", "ppn", ("--ppn",),
        ("-ppn", "--ntasks-per-node", "--npernode", "-npernode", "-perhost",), "Job", "N",
        False, None, "1, or as in the host file", 1, 2147483647,
        "Ranks per node."),
    Option(
        "bench tune", "ppn", ("--ppn",),
        ("-ppn", "--ntasks-per-node", "--npernode", "-npernode", "-perhost",), "Job", "N",
        False, 1, "", 1, 2147483647,
        "Ranks per node."),
    Option(
        "replay", "ppn", ("--ppn",),
        ("-ppn", "--ntasks-per-node", "--npernode", "-npernode", "-perhost",), "Job", "N",
        False, None, "1, or as recorded", 1, 2147483647,
        "Ranks per node."),
    Option(
        "app", "ppn", ("--ppn",),
        ("-ppn", "--ntasks-per-node", "--npernode", "-npernode", "-perhost",), "Job", "N",
        False, None, "the model's, or one per computing unit", 1, 2147483647,
        "Ranks per node."),
    Option(
        "run", "nodes", ("--nodes",), (), "Job", "N", False, None, "-n divided by --ppn", 1,
        2147483647,
        "Number of nodes."),
    Option(
        "bench", "nodes", ("--nodes",), (), "Job", "N", False, 2, "", 1, 2147483647,
        "Number of nodes."),
    Option(
        "app", "nodes", ("--nodes",), (), "Job", "LIST", False, None, "", 0, 0,
        "Numbers of nodes: `128:8192` doubles from 128 to 8,192, `32,512` is a list."),
    Option(
        "tune", "nodes", ("--nodes",), (), "Job", "LIST", False, None, "", 0, 0,
        "Numbers of nodes, such as `32,512,2048`."),
    Option(
        "traffic", "nodes", ("--nodes",), (), "Job", "N", False, None, "all compute nodes", 1,
        2147483647,
        "Number of nodes that send and receive, placed by --placement."),
    Option(
        "app bench replay run tune", "placement", ("--placement",), (), "Job", "NAME|FILE",
        False, "contiguous", "", 0, 0,
        "Placement of ranks on nodes: contiguous, round-robin, random, one-group, "
        "group-spread (over all groups), group-spread:K (over K groups), or a file of "
        "NODE[:RANKS] lines."),
    Option(
        "traffic", "placement", ("--placement",), (), "Job", "NAME", False, "contiguous", "", 0,
        0,
        "Placement of the nodes of --nodes: contiguous, round-robin, random, one-group, "
        "group-spread (over all groups), or group-spread:K (over K groups)."),
    Option(
        "run", "hostfile", ("--hostfile",),
        ("-hostfile", "--machinefile", "-machinefile", "-f",), "Job", "FILE", False, None, "",
        0, 0,
        "Host file: one node per line in rank order, such as `x4000c0s5b0n0`, "
        "`nid[001000-001007]` or `5`, with `:SLOTS` or ` slots=N`."),
    Option(
        "app bench run", "nic_policy", ("--nic-policy",), (), "Job", "NAME", False, None,
        "block", 0, 0,
        "Mapping of ranks to the NICs of their node: block (in order), numa (a NIC of the"
        " rank's CPU), round-robin, gpu (a NIC of its GPU) or single (the first NIC). A "
        "list such as `user:0:0-3;1:4-7` gives NIC 0 to ranks 0 to 3 of each node, and so"
        " on."),
    Option(
        "app bench replay run traffic tune", "mpi", ("--mpi",), (), "Job", "NAME|FILE", False,
        "mpich", "", 0, 0,
        "MPI library whose protocols and algorithms are simulated: a name, or a profile, "
        "FILE.toml."),
    Option(
        "app bench replay run tune", "coll_rules", ("--coll-rules",), (), "Job", "FILE", False,
        None, "the library's own rules", 0, 0,
        "Selection of collective algorithms: a tuning file of MPICH "
        "(MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE and similar) or of Open MPI "
        "(coll_tuned_dynamic_rules_filename), as written by `odonata tune` "
        "(docs/tuning.md)."),
    Option(
        "app bench replay run traffic tune", "traffic_class", ("--class",), (), "Job", "NAME",
        False, None, "best-effort", 0, 0,
        "Traffic class on Slingshot: best-effort, low-latency, bulk-data, ... "
        "(docs/models/classes.md)."),
    Option(
        "app bench replay run", "storage_class", ("--storage-class",), (), "Job", "NAME", False,
        None, "`storage.NAME.class` of the machine, or best-effort", 0, 0,
        "Traffic class of the messages of all file systems (docs/models/classes.md)."),
    Option(
        "bench", "file_system", ("--file-system",), (), "Measurement", "NAME", False, None,
        "the machine's first", 0, 0,
        "`ior` and `mdtest`: the file system of the machine that is measured."),
    Option(
        "bench", "io_options", ("--io-options",), (), "Measurement", "OPTIONS", False, None, "",
        0, 0,
        "`ior` and `mdtest`: options of the program in one text, such as `-t 1m -b 64m -F"
        " -C -e` (docs/models/io-benchmarks.md)."),
    Option(
        "app", "ranks", ("-n", "--ranks",), ("-np", "--np", "--ntasks",), "Job", "LIST", False,
        "8,27,64", "", 0, 0,
        "`odonata app check`: the numbers of ranks with which the program runs. `odonata "
        "app rates`: one number, by default 1."),
    Option(
        "app", "problem", ("--problem",), (), "Program", "KEY=VALUE", True, None, "", 0, 0,
        "Set an option of the model, such as `nx=104`; repeatable."),
    Option(
        "app", "scaling", ("--scaling",), (), "Program", "NAME", False, "weak", "", 0, 0,
        "With several numbers of nodes: a constant size per rank (weak), or a constant "
        "total size (strong)."),
    Option(
        "app", "rates", ("--rates",), (), "Machine", "FILE", False, None, "", 0, 0,
        "Rates of computing units instead of the machine's: a file with `[node.device]`, "
        "such as `odonata app rates FILE` measures on this computer."),
    Option(
        "run", "env", ("--env",), (), "Program", "NAME=VALUE", True, None, "", 0, 0,
        "Set an environment variable of the ranks; repeatable."),
    Option(
        "run", "wdir", ("--wdir",), ("-wdir", "--chdir",), "Program", "DIR", False, None,
        "the current directory", 0, 0,
        "Working directory of the ranks."),
    Option(
        "run", "warm", ("--warm",), (), "Program", "MODULES", False, "auto", "", 0, 0,
        "Start of Python ranks: forked from one interpreter that has imported the "
        "script's modules (auto) and further listed ones (`h5py,yaml`), or each in a new "
        "interpreter (none)."),
    Option(
        "run", "compute", ("--compute",), (), "Program", "measured|none|FACTOR", False,
        "measured", "", 0, 0,
        "Time between MPI calls: the CPU time of the thread (measured), zero (none), or "
        "the CPU time multiplied by FACTOR, such as 0.5 for cores that are twice as fast."),
    Option(
        "replay", "compute", ("--compute",), (), "Program", "recorded|none|FACTOR", False,
        "recorded", "", 0, 0,
        "Time of computation: as recorded, zero (none), or multiplied by FACTOR. GOAL "
        "counts nanoseconds; FACTOR 1000 reads them as microseconds."),
    Option(
        "replay", "compute_device", ("--compute-device",), (), "Program", "NAME", False, None,
        "", 0, 0,
        "Machine whose device the recorded computation ran on: it is scaled by the rates "
        "of its device and of that of --machine, of `fp64`, or of another rate as in "
        "`frontier:memory_rate` (docs/traces.md)."),
    Option(
        "run", "clock", ("--clock",), (), "Program", "virtual|real", False, "virtual", "", 0, 0,
        "Clocks and sleeps of the program: simulated time (virtual) or wall time (real)."),
    Option(
        "run", "epoch", ("--epoch",), (), "Program", "DATE", False, "2026-01-01", "", 0, 0,
        "Start of the virtual clock, UTC: `2026-01-01T12:30:00`, or `now`."),
    Option(
        "run", "mounts", ("--mount",), (), "Program", "PATH=NAME", True, None, "", 0, 0,
        "Also mount the file system NAME of the machine at PATH; repeatable."),
    Option(
        "run", "keep", ("--keep",), (), "Program", "DIR", False, None, "", 0, 0,
        "Keep the files of the simulated file systems in DIR. Files that are there "
        "already are the initial contents."),
    Option(
        "run", "jobs", ("--jobs",), (), "Program", "FILE", False, None, "", 0, 0,
        "Run several jobs at once instead of PROGRAM. FILE is TOML with one `[[job]]` "
        "table per job: `program` or `bench`, `ranks`, `ppn`, `placement` "
        "(docs/models/jobs.md)."),
    Option(
        "run", "alone", ("--alone/--no-alone",), (), "Program", "", False, True, "", 0, 0,
        "With --jobs: also run each job alone, and report its slowdown."),
    Option(
        "bench", "sizes", ("--sizes",), (), "Measurement", "SIZES", False, None, "as in OSU", 0,
        0,
        "Message sizes: `8:1Mi` doubles from 8 B to 1 MiB, `8,1Ki` is a list."),
    Option(
        "tune", "sizes", ("--sizes",), (), "Measurement", "SIZES", False, "8:1Mi", "", 0, 0,
        "Message sizes: `8:1Mi` doubles from 8 B to 1 MiB, `8,1Ki` is a list."),
    Option(
        "bench", "window", ("--window", "-W",), (), "Measurement", "N", False, 64, "", 1, 65536,
        "Messages in flight per pair of ranks, in bandwidth tests."),
    Option(
        "bench", "shifts", ("--shifts",), (), "Measurement", "N", False, 64, "", 1, 2147483647,
        "Number of simulated shifts of put_alltoall, from which the time of all is "
        "estimated."),
    Option(
        "app bench", "buffers", ("--buffers",), (), "Measurement", "host|gpu", False, "host",
        "", 0, 0,
        "Memory of message buffers: the host's, or that of the ranks' GPUs "
        "(docs/models/gpu-buffers.md)."),
    Option(
        "traffic", "load", ("--load",), ("--loads",), "Measurement", "LOADS", False, None, "",
        0, 0,
        "Offered load as a fraction of the injection rate: `0.3`, a list `0.1,0.5`, or "
        "FIRST:LAST:STEP."),
    Option(
        "traffic", "packet", ("--packet",), ("--packet-bytes",), "Measurement", "SIZE", False,
        "2Ki", "", 0, 0,
        "Payload of a packet."),
    Option(
        "traffic", "time", ("--time",), (), "Measurement", "TIME", False, "40us", "", 0, 0,
        "Simulated time that is measured."),
    Option(
        "traffic", "warmup", ("--warmup",), (), "Measurement", "TIME", False, "20us", "", 0, 0,
        "Simulated time before the measurement."),
    Option(
        "traffic", "slices", ("--slices",), (), "Measurement", "N", False, 0, "", 0, 10000,
        "Divide the measured time into N parts and print one row per part, such as before"
        " and after a fault."),
    Option(
        "traffic", "ordered", ("--ordered",), (), "Measurement", "", False, None, "", 0, 0,
        "Deliver the packets of each pair of NICs in order, on machines with "
        "`switch.flows = \"kept\"` (docs/models/ordered-flows.md)."),
    Option(
        "traffic", "alone", ("--alone/--no-alone",), (), "Measurement", "", False, True, "", 0,
        0,
        "With --background: also run without it, and report the slowdown."),
    Option(
        "replay run traffic", "fidelity", ("--fidelity",), (), "Model", "NAME", False, "packet",
        "", 0, 0,
        "Network model: packet (every packet), flow (max-min fair shares of links) or "
        "loggp (closed form, no contention)."),
    Option(
        "bench", "fidelity", ("--fidelity",), (), "Model", "NAME", False, "packet", "", 0, 0,
        "Network model: packet (every packet), flow (max-min fair shares of links), loggp"
        " (closed form, no contention), or auto (the cheapest one within --tolerance of "
        "packet)."),
    Option(
        "app tune", "fidelity", ("--fidelity",), (), "Model", "NAME", False, "loggp", "", 0, 0,
        "Network model: packet (every packet), flow (max-min fair shares of links) or "
        "loggp (closed form, no contention)."),
    Option(
        "validate", "fidelity", ("--fidelity",), (), "Model", "NAME", False, None,
        "that of each curve", 0, 0,
        "Network model: packet, flow or loggp."),
    Option(
        "bench", "tolerance", ("--tolerance",), (), "Model", "SHARE", False, None, "", 0, 0,
        "With --fidelity auto: maximum extent of the error bars, such as `10%`."),
    Option(
        "bench", "error_bars", ("--error-bars",), (), "Model", "", False, None, "", 0, 0,
        "With --fidelity loggp or flow: estimate the error of a collective's time from "
        "runs with packets on fewer nodes."),
    Option(
        "bench", "twin_packets", ("--replica-packets",), ("--twin-packets",), "Model", "N",
        False, 500000, "", 1, 2147483647,
        "With --error-bars or --fidelity auto: maximum number of packets of each "
        "scaled-down run."),
    Option(
        "bench", "messages", ("--messages",), (), "Model", "N", False, 2000000, "", 1,
        2147483647,
        "Message budget of one collective call with loggp; a tenth of it with flow. "
        "Longer calls are sampled: representative rounds and ranks are simulated "
        "(docs/models/collective-sampling.md). An iteration of a GPCNeT or dgnettest test"
        " above the budget is refused."),
    Option(
        "app", "messages", ("--messages",), (), "Model", "N", False, 2000000, "", 1, 2147483647,
        "Message budget per number of nodes; a tenth of it with flow. Above it, fewer "
        "iterations are simulated, and then each kind of phase once "
        "(docs/application-models.md)."),
    Option(
        "tune", "messages", ("--messages",), (), "Model", "N", False, 2000000, "", 1,
        2147483647,
        "Message budget of one call; a tenth of it with flow. Longer calls are sampled: "
        "representative rounds and ranks are simulated, and `~` marks the time. A call "
        "that cannot be sampled is omitted (docs/models/collective-sampling.md)."),
    Option(
        "app bench replay run traffic tune", "engine", ("--engine",), (), "Model",
        "auto|event|window", False, "auto", "", 0, 0,
        "Simulation of packets: event by event in the order of time, or one switch at a "
        "time in windows (docs/models/window-engine.md), which `auto` uses while many "
        "events occur per window. Results do not depend on it."),
    Option(
        "app bench replay run", "limits", ("--limits",), (), "Model", "off|warn|fail", False,
        "fail", "", 0, 0,
        "Effect of exceeding a limit of a NIC, the library or a node: end the run as the "
        "machine would (fail), report it and continue (warn), or ignore it (off) "
        "(docs/models/limits.md)."),
    Option(
        "app bench replay run traffic", "background", ("--background",), (), "Model",
        "PATTERN:LOAD", True, None, "", 0, 0,
        "Traffic of the nodes without a job: a pattern of `odonata traffic` and a load, "
        "such as `uniform:0.4`; with messages of 64 KiB `uniform:0.4@64Ki`; with a "
        "traffic class `uniform:0.4,bulk-data`; repeatable."),
    Option(
        "app bench replay run", "noise", ("--noise",), (), "Model", "LENGTH/PERIOD", False,
        None, "", 0, 0,
        "Operating system noise: `25us/1ms` stops every core for 25 us in each "
        "millisecond."),
    Option(
        "app bench replay run traffic tune", "seed", ("--seed",), (), "Model", "N", False, 1,
        "", 0, 9223372036854775807,
        "Seed of every random draw."),
    Option(
        "app bench replay run traffic tune", "threads", ("--threads",), (), "Model", "N", False,
        1, "", 1, 2147483647,
        "Number of threads. `odonata traffic` divides loads among them, and networks if "
        "there are fewer loads. Other commands divide the network of a simulation of "
        "packets while the window engine is used (docs/performance.md). Results do not "
        "depend on it."),
    Option(
        "app", "plot", ("--plot",), (), "Output", "FILE", False, None, "", 0, 0,
        "Draw the figure of merit against nodes: FILE.png, FILE.svg or FILE.pdf."),
    Option(
        "app", "native", ("--native",), (), "Output", "", False, None, "", 0, 0,
        "Also print the results in the format of the application: result lines, tables of"
        " steps or of phases (docs/apps)."),
    Option(
        "app", "advise", ("--advise",), (), "Output", "", False, None, "", 0, 0,
        "Also predict the last number of nodes with other placements, collective "
        "algorithms, traffic classes, libraries, NICs and routings, and list those that "
        "help."),
    Option(
        "tune", "whole", ("--all",), (), "Output", "", False, None, "", 0, 0,
        "Also print the time of every algorithm."),
    Option(
        "run", "label", ("-l", "--label",), ("-prepend-rank", "--tag-output",), "Output", "",
        False, None, "", 0, 0,
        "Prefix each line of output with its rank."),
    Option(
        "run", "record", ("--record",), (), "Output", "FILE", False, None, "", 0, 0,
        "Record the MPI calls and computation of the ranks for `odonata replay FILE` "
        "(docs/recording.md)."),
    Option(
        "app bench replay run traffic", "timeline", ("--timeline",), (), "Output", "FILE",
        False, None, "", 0, 0,
        "Write a timeline for a viewer: FILE.pftrace for Perfetto, FILE.prv for Paraver, "
        "FILE.otf2 for OTF2, or FILE.odtl (docs/timelines.md)."),
    Option(
        "app bench replay run traffic", "timeline_window", ("--timeline-window",), (), "Output",
        "START:END", False, None, "the whole run", 0, 0,
        "Part of the run in the timeline: `1ms:2ms`."),
    Option(
        "app bench replay run", "timeline_ranks", ("--timeline-ranks",), (), "Output", "RANGES",
        False, None, "all", 0, 0,
        "Ranks in the timeline: `0-7,64`."),
    Option(
        "app bench replay run traffic", "timeline_sample", ("--timeline-sample",), (), "Output",
        "TIME", False, None, "1us, longer in long runs", 0, 0,
        "Interval between two samples of links, NICs and storage targets in the timeline."),
    Option(
        "app bench replay run", "preflight", ("--preflight",), (), "Output", "", False, None,
        "", 0, 0,
        "Also list every limit of which at least a quarter was used. `odonata preflight` "
        "predicts from several sizes where each limit is reached."),
    Option(
        "app bench replay run traffic", "counters", ("--counters",), (), "Output", "", False,
        None, "", 0, 0,
        "Also print the counters of NICs and links, under the names of the machine's own "
        "counters (docs/models/counters.md)."),
    Option(
        "app bench replay run traffic tune", "out", ("--out",), (), "Output", "DIR", False,
        None, "", 0, 0,
        "Write tables as Parquet, and summary.json, to DIR."),
    Option(
        "app bench replay run traffic tune", "force", ("--force",), (), "Output", "", False,
        None, "", 0, 0,
        "With --out: replace an earlier result in DIR and its report; other files stay."),
    Option(
        "app bench extrapolate machines preflight replay run show sweep traffic tune validate",
        "as_json", ("--json",), (), "Output", "", False, None, "", 0, 0,
        "Print one JSON object on stdout."),
    Option(
        "app bench check replay run sweep traffic tune validate", "progress", ("--progress",),
        (), "Output", "line|json|none", False, None, "line, if stderr is a terminal", 0, 0,
        "Progress on stderr: a line that is redrawn, one JSON object per second, or "
        "nothing."),
    Option(
        "app bench replay run traffic tune", "quiet", ("--quiet",), (), "Output", "", False,
        None, "", 0, 0,
        "Print no progress line, notes or summary."),
    Option(
        "sweep", "out", ("--out",), (), "Output", "DIR", False, None,
        "STUDY.sweep beside the study", 0, 0,
        "Directory of finished points and the table."),
    Option(
        "check", "as_json", ("--json",), (), "Output", "", False, None, "", 0, 0,
        "Print one JSON object on stdout."),
    Option(
        "check", "out", ("--out",), (), "Output", "DIR", False, None,
        "CAMPAIGN.check beside the campaign file", 0, 0,
        "Directory of the journal and the results."),
    Option(
        "check", "force", ("--force",), (), "Output", "", False, None, "", 0, 0,
        "Begin again: remove the journal of an earlier campaign in the directory."),
    Option(
        "sweep", "workers", ("--workers",), (), "Model", "N", False, None, "one per core", 1,
        4096,
        "Number of worker processes."),
    Option(
        "sweep", "scheduler", ("--scheduler",), (), "Model", "ADDRESS", False, None, "", 0, 0,
        "Compute on the Dask cluster of this scheduler: `tcp://HOST:8786`, or its file, "
        "FILE.json."),
    Option(
        "sweep", "tries", ("--tries",), (), "Model", "N", False, 3, "", 1, 2147483647,
        "Attempts per point if its process dies."),
    Option(
        "validate", "every", ("--all",), (), "Measurement", "", False, None, "", 0, 0,
        "Also predict measurements that take long: a quarter of an hour on two cores."),
    Option(
        "validate", "held_out", ("--held-out",), (), "Measurement", "", False, None, "", 0, 0,
        "Predict the measurements that were set aside to check the bands, and no others."),
    Option(
        "validate", "page", ("--page",), (), "Output", "FILE", False, None, "", 0, 0,
        "Also write an HTML page with every point, its band and its source."),
    Option(
        "check extrapolate report sweep validate", "quiet", ("--quiet",), (), "Output", "",
        False, None, "", 0, 0,
        "Print no progress line and no notes."),
    Option(
        "show", "as_toml", ("--toml",), (), "Output", "", False, None, "", 0, 0,
        "Print the machine file, as a start for one of your own."),
    Option(
        "extrapolate", "record", ("-o", "--record",), ("--output",), "Output", "FILE", False,
        None, "", 0, 0,
        "The recording to write."),
    Option(
        "report", "output", ("-o", "--output",), (), "Output", "FILE", False, None,
        "RUNDIR/report.html", 0, 0,
        "The HTML file to write."),
    Option(
        "compare", "as_json", ("--json",), (), "Output", "", False, None, "", 0, 0,
        "Print one JSON object on stdout."),
    Option(
        "compare", "output", ("-o", "--output",), (), "Output", "FILE", False, None, "", 0, 0,
        "Also write the comparison as one HTML file."),
    Option(
        "report", "published", ("--published/--no-published",), (), "Output", "", False, True,
        "", 0, 0,
        "Also predict published latencies and show both."),
    Option(
        "compare report", "force", ("--force",), (), "Output", "", False, None, "", 0, 0,
        "Replace FILE even if it is not a report."),
)

BY_COMMAND = {(command, o.name): o for o in OPTIONS for command in o.commands.split()}


def default_count(command: str, name: str) -> int:
    """The default of an option that is a whole number."""
    default = BY_COMMAND[command, name].default
    assert isinstance(default, int), name
    return default


class BenchRow(TypedDict, total=False):
    """One message size of a benchmark."""

    # Message size. [B]
    bytes: int
    # Time of one message (half of a round trip), or of one call, mean over ranks. [s]
    latency_s: float
    # Collectives: mean time of the fastest rank. [s]
    latency_min_s: float
    # Collectives: mean time of the slowest rank. [s]
    latency_max_s: float
    # GPCNeT and `bisect`: 99th percentile over the iterations of all ranks. [s]
    latency_p99_s: float
    # Payload per time, all pairs and directions together; of `put_alltoall` and the tests of
    # GPCNeT and dgnettest per rank. [B/s]
    bandwidth_B_per_s: float
    # GPCNeT and `bisect`: bandwidth that 99 % of the iterations of all ranks reach. [B/s]
    bandwidth_p99_B_per_s: float
    # Messages per time. [1/s]
    messages_per_s: float
    # Algorithm of the collective.
    algorithm: str
    # `exact`, or `sampled` if not all rounds were simulated, or not on all ranks.
    method: str
    # Half of the 95 % confidence interval of the time, relative to the time.
    error: float
    # Rounds of the call.
    rounds: int
    # Rounds that were simulated.
    rounds_played: int
    # Ranks that were simulated.
    ranks_played: int
    # Lower error bar, relative to the time.
    band_low: float | None
    # Upper error bar, relative to the time.
    band_high: float | None
    # Nodes of the largest scaled-down run; none if it was too large.
    twin_nodes: int | None
    # Largest error of all scaled-down runs.
    twin_error: float | None
    # Accepted background load, as a fraction of the injection rate of its nodes.
    background_accepted: float


class AppRow(TypedDict, total=False):
    """An application model on one number of nodes."""

    # Nodes of the job.
    nodes: int
    # Ranks of the job.
    ranks: int
    # Time of the application. [s]
    time_s: float
    # The application's own measure, in `unit`.
    figure_of_merit: float
    # Unit of the figure of merit.
    unit: str
    # Figure of merit per node, relative to the smallest number of nodes.
    efficiency: float
    # Lower end of the error bar of the figure of merit.
    low: float
    # Upper end of the error bar of the figure of merit.
    high: float


class TuneRow(TypedDict, total=False):
    """One algorithm at one message size on one number of nodes."""

    # Nodes of the job.
    nodes: int
    # Ranks of the job.
    ranks: int
    # Message size, as in the benchmark of the same name. [B]
    bytes: int
    # Algorithm of the collective.
    algorithm: str
    # Time of one call, mean over ranks; none if the call was too large. [s]
    latency_s: float | None
    # Time of one call on the slowest rank. [s]
    latency_max_s: float | None
    # `exact`, or `sampled` if not all rounds were simulated, or not on all ranks.
    method: str | None
    # Half of the 95 % confidence interval of the time, relative to the time.
    error: float | None
    # Rounds of the call.
    rounds: int
    # Rounds that were simulated.
    rounds_played: int
    # Ranks that were simulated.
    ranks_played: int
    # Messages that a rank sends, mean over ranks.
    messages: float | None
    # Bytes that a rank sends, mean over ranks. [B]
    bytes_sent: float | None
    # Bytes sent between nodes, all ranks. [B]
    network_bytes: float | None
    # Bytes sent between groups, all ranks. [B]
    global_bytes: float | None
    # Time with packets over time in closed form.
    contention: float
    # The `--messages` that simulates the call, if it was too large and cannot be sampled.
    messages_wanted: int | None
    # Whether the library's own rules select it.
    is_default: bool
    # Whether it is the fastest algorithm of the library.
    is_winner: bool


class TrafficRow(TypedDict, total=False):
    """One offered load of synthetic traffic."""

    # Offered load, as a fraction of the injection rate.
    offered: float
    # Wire bytes delivered in the window, as a fraction of the capacity of the injection links.
    accepted: float
    # Mean latency of packets generated in the window and delivered before the end. [s]
    latency_mean_s: float | None
    # Median of the same, within 0.4 %. [s]
    latency_p50_s: float | None
    # 99th percentile of the same, within 0.4 %. [s]
    latency_p99_s: float | None
    # Mean number of switches visited.
    hops_mean: float | None
    # Fraction of packets on nonminimal paths.
    nonminimal_fraction: float | None
    # Packets generated in the window.
    packets: int
    # Of these, packets in flight at the end.
    unfinished: int
    # Mean latency including packets in flight at the end with their age: a lower bound if there
    # are any. [s]
    least_mean_s: float | None
    # Median of the same. [s]
    least_p50_s: float | None
    # 99th percentile of the same. [s]
    least_p99_s: float | None
    # Mean latency without the background traffic. [s]
    alone_mean_s: float | None
    # 99th percentile without the background traffic. [s]
    alone_p99_s: float | None
    # Background traffic: offered and accepted.
    background: list[Any]
    # Times a NIC's link became congested, over the whole run.
    onsets: int
    # Times a sender was throttled, over the whole run.
    holds: int
    # Digest of all deliveries.
    digest: str
    # With a fault schedule: packet timers of NICs that expired.
    network_timeouts: int
    # With a fault schedule: packets lost.
    packets_lost: int
    # With a fault schedule: packets that NICs sent again.
    packets_resent: int
    # With a fault schedule: packets that a link sent again after a bit error.
    link_retries: int
    # With a fault schedule: messages given up after the last retry.
    messages_failed: int
