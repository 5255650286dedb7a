"""Synonyms: names that other tools use (launchers, benchmarks, simulators), and older names here.

One table for all hints. A name that is close to another one by edit distance, such as `-N` and
`-n`, has an entry with its meaning, or with the reason why there is no equivalent.

Sources: the manual pages srun(1) of Slurm, aprun(1) and mpiexec(1) of Cray PALS, mpiexec of MPICH's
Hydra and mpirun(1) of Open MPI. Benchmarks: the OSU Micro-Benchmarks, Intel MPI Benchmarks and
nccl-tests. Traffic patterns: BookSim 2, SuperSim and CODES.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

NO_BENCHMARK = "no built-in benchmark does this; `odonata run` runs the program itself"
NO_PATTERN = (
    "there is no such pattern: it is made for other topologies; `adversarial:1` and "
    "`worst-permutation` load a dragonfly"
)


@dataclass(frozen=True)
class Hint:
    """A text in place of a suggestion, for a name without equivalent."""

    text: str


# By kind of name: names of other tools, in lower case without separators, and equivalents.
WORDS: dict[str, dict[str, str | Hint]] = {
    "benchmark": {
        **dict.fromkeys(("pingpong", "lat", "netpipe", "p2platency"), "latency"),
        **dict.fromkeys(("bandwidth", "uniband", "unidirbw", "p2pbw"), "bw"),
        **dict.fromkeys(("biband", "bidirbw", "bidirectionalbandwidth", "bibandwidth"), "bibw"),
        **dict.fromkeys(("mr", "messagerate", "msgrate", "multibw", "mbw"), "mbw_mr"),
        **dict.fromkeys(("multilatency", "multilat", "multipingpong"), "multi_lat"),
        **dict.fromkeys(("putlat", "rmaputlatency"), "put_latency"),
        **dict.fromkeys(("getlat", "rmagetlatency"), "get_latency"),
        **dict.fromkeys(("broadcast", "bcastperf", "broadcastperf"), "bcast"),
        "allreduceperf": "allreduce",
        "allgatherperf": "allgather",
        "reducescatterperf": "reduce_scatter",
        "alltoallperf": "alltoall",
        "a2a": "alltoall",
        "bisection": "bisect",
        **dict.fromkeys(
            ("latencymt", "latencymp", "pingping", "sendrecv", "exchange", "alltoallw",
             "acclatency", "getacclatency", "caslatency", "foplatency", "init", "hello",
             "alltoallpersistent", "persistentlatency"),
            Hint(NO_BENCHMARK),
        ),
    },
    "placement": {
        **dict.fromkeys(
            ("block", "packed", "pack", "linear", "sequential", "compact", "fill", "cont",
             "contig", "smp", "byslot", "slot", "bycore", "core", "consecutive"),
            "contiguous",
        ),
        **dict.fromkeys(
            ("cyclic", "scatter", "scattered", "bynode", "node", "rr", "interleaved"),
            "round-robin",
        ),
        **dict.fromkeys(("rand", "randomnode", "randomnodes", "randnode", "shuffled"), "random"),
        **dict.fromkeys(("spread", "randomgroup", "allgroups"), "group-spread"),
        **dict.fromkeys(("singlegroup", "group", "samegroup"), "one-group"),
        **dict.fromkeys(
            ("plane", "fold", "folded", "randomrouter", "arbitrary", "custom"),
            Hint("there is no such policy: a file with NODE[:RANKS] lines places ranks freely"),
        ),
    },
    "pattern": {
        **dict.fromkeys(
            ("uniformrandom", "ur", "un", "random", "unif", "randomuniform"), "uniform"
        ),
        **dict.fromkeys(
            ("baddragon", "badpermdfly", "badperm", "adv", "adversary", "groupattack",
             "nearestgroup", "worstcase", "wc", "adv1", "wc1", "dragonflyworstcase"),
            "adversarial:K",
        ),
        **dict.fromkeys(("neighbor", "nearestneighbor", "neighbour", "nn", "ring"), "shift:K"),
        "groupneighbor": "group-shift:K",
        **dict.fromkeys(
            ("randperm", "permutation", "perm", "randompermutation", "scanperm"),
            "random-permutation",
        ),
        "worstperm": "worst-permutation",
        **dict.fromkeys(("alltoall", "a2a", "all2all"), "all-to-all"),
        **dict.fromkeys(("gather", "manytoone", "ntoone", "fanin"), "incast:K"),
        **dict.fromkeys(("hot", "hotspots"), "hotspot:K"),
        **dict.fromkeys(
            ("transpose", "tornado", "bitcomp", "bitcomplement", "bitrev", "bitreversal",
             "bitreverse", "shuffle", "bitrot", "asymmetric", "diagonal", "taper64", "swap2",
             "bisectionstress", "randomexchange", "loopback"),
            Hint(NO_PATTERN),
        ),
    },
    "routing": {
        **dict.fromkeys(("min", "shortest", "dor", "ecmp", "static"), "minimal"),
        **dict.fromkeys(("val", "vlb", "nonminimal", "nonmin"), "valiant"),
        **dict.fromkeys(("ugall", "ugallocal"), "ugal-l"),
        **dict.fromkeys(("ugalg", "ugalglobal"), "ugal-g"),
        **dict.fromkeys(("progadaptive", "progressiveadaptive", "progressive"), "par"),
    },
    "mpi": {
        **dict.fromkeys(("cray", "craympich", "mpt"), "cray-mpich"),
        **dict.fromkeys(("ompi", "open"), "openmpi"),
        **dict.fromkeys(
            ("pmi2", "pmix", "crayshasta", "none", "pmix5", "pmi"),
            Hint("srun's `--mpi` names a plugin, which nothing needs here; leave it out"),
        ),
    },
    "fidelity": {
        **dict.fromkeys(("packets", "flit", "detailed", "exact"), "packet"),
        **dict.fromkeys(("flows", "fluid"), "flow"),
        **dict.fromkeys(("loggops", "logp", "analytical", "analytic", "closedform"), "loggp"),
    },
}  # fmt: skip
# Prefixes of benchmark names in other tools.
PREFIXES = ("osu", "imb", "mpi", "gpcnet")
OF_SUITE = re.compile(r"(osu|imb)[ _-]", re.IGNORECASE)


def kind_of(at: str) -> str | None:
    """The kind of name that an argument takes."""
    last = at.split()[-1] if at.split() else ""
    named = {"bench": "benchmark", "collective": "benchmark", "name": "benchmark"}
    if at.startswith("background"):
        return "pattern"
    return last if last in WORDS else named.get(last)


def plain(word: str) -> str:
    """A name in lower case without separators."""
    return re.sub(r"[^a-z0-9]", "", word.lower())


def meant(kind: str, word: str, legal: Iterable[str]) -> str | Hint | None:
    """The one of `legal` that `word` means; a hint if there is none; None if `word` is unknown."""
    legal = list(legal)
    name, _, number = word.partition(":" if kind == "pattern" else "=")
    bare = plain(name)
    by_plain = {plain(one.partition(":")[0]): one for one in reversed(legal)}
    names = [bare]
    if kind == "benchmark":
        names += [bare.removeprefix(p) for p in PREFIXES if bare.startswith(p) and bare != p]
    for one in names:
        found = WORDS.get(kind, {}).get(one) or by_plain.get(one)
        if isinstance(found, Hint):
            return found
        if found in legal:
            return found.replace(":K", f":{number}") if number.isdigit() else found
    if kind == "benchmark" and OF_SUITE.match(word):
        return Hint(NO_BENCHMARK)
    return None


# By the meaning of a launcher's option: equivalent options here, of which a command may have one,
# and the words of a message.
MEANINGS = {
    "ranks": (("-n", "--ranks", "--nodes"), "the number of ranks"),
    "nodes": (("--nodes",), "the number of nodes"),
    "ppn": (("--ppn",), "the number of ranks per node"),
    "hostfile": (("--hostfile", "--placement"), "the nodes to run on"),
    "hosts": (("--hostfile", "--placement"), "the nodes to run on"),
    "directory": (("--wdir",), "the working directory"),
    "environment": (("--env",), "variables of the ranks"),
    "label": (("-l",), "labels on output"),
    "placement": (("--placement",), "the order of ranks on nodes"),
    "quiet": (("--quiet",), "less output"),
}  # fmt: skip
MEANS = {
    **dict.fromkeys(("-n", "-np", "--np", "--ntasks", "--ranks", "-ntasks"), "ranks"),
    **dict.fromkeys(("--nodes", "-nnodes", "--nnodes", "--num-nodes", "--node-count"), "nodes"),
    **dict.fromkeys(
        ("--ppn", "-ppn", "--ntasks-per-node", "--tasks-per-node", "--npernode", "-npernode",
         "--ranks-per-node", "-perhost", "--perhost", "--pes-per-node", "-rpn", "--procs-per-node"),
        "ppn",
    ),
    **dict.fromkeys(
        ("--hostfile", "-hostfile", "--machinefile", "-machinefile", "-f", "--nodefile",
         "--default-hostfile"),
        "hostfile",
    ),
    # Names of nodes, not a file of them.
    **dict.fromkeys(
        ("--hosts", "-hosts", "--host", "-host", "-hostlist", "-machines", "-machinelist", "-H",
         "-w", "--nodelist", "--node-list", "-L", "--exclude"),
        "hosts",
    ),
    **dict.fromkeys(
        ("--wdir", "-wdir", "--wd", "-wd", "--chdir", "--workdir", "--cwd"), "directory"
    ),
    **dict.fromkeys(("--env", "-env", "-genv", "--export", "--genv", "--setenv"), "environment"),
    **dict.fromkeys(("-l", "--label", "-prepend-rank", "--tag-output", "--prepend-rank"), "label"),
    **dict.fromkeys(("--distribution", "--rank-by", "--rankby", "-rank-by"), "placement"),
    **dict.fromkeys(("--quiet", "-quiet", "--silent", "-Q"), "quiet"),
}  # fmt: skip
# Hydra's options for variables: `NAME VALUE`, or `NAME=VALUE` as with Intel MPI.
VARIABLES = ("-genv", "-env", "--genv")
# Options that map ranks to parts of a machine; `place_of_mapping` reads the value.
MAPPINGS = ("--map-by", "-map-by", "--rank-by", "-rank-by")
# Files for output and input of the program, each with a value.
FILES = (
    "-o", "--output", "--error", "-i", "--input", "-outfile-pattern", "-errfile-pattern",
    "-outfile", "-errfile", "--stdout", "--stderr", "--output-filename", "--open-mode",
)  # fmt: skip
# Options whose meaning differs between launchers, or that have no equivalent.
EXPLANATIONS = {
    "-N": "`-N` is the number of nodes with srun (`--nodes` here) and of ranks per node with "
    "aprun, PALS and Open MPI (`--ppn` here)",
    "-m": "`-m` is srun's --distribution (`--placement` here) and aprun's memory per rank (no "
    "effect here)",
    "-e": "`-e` sets a variable with aprun and PALS (`--env K=V` here) and is a file for stderr "
    "with srun (`2> FILE` of the shell)",
    "-x": "`-x` sets a variable with Open MPI (`--env K=V` here) and excludes nodes with srun "
    "(`--hostfile` here)",
    "-D": "`-D` is the working directory with srun (`--wdir` here) and debugging with aprun",
    "-q": "`-q` is quiet with aprun (`--quiet` here) and a quality of service with srun (no effect "
    "here)",
    "-r": "`-r` reserves cores with aprun (no effect here) and chooses nodes with srun "
    "(`--hostfile` here)",
    "-machine": "`-machine` names nodes with Hydra (`--hostfile` here); the machine to simulate "
    "is `--machine`",
    **dict.fromkeys(
        FILES, "output and input of the program are the command's own: redirect them by the shell"
    ),
    **dict.fromkeys(
        ("--multi-prog", "--het-group", "--pack-group", "--configfile", "-configfile", "--app"),
        "one program per launch: several run side by side by `--jobs FILE`",
    ),
    **dict.fromkeys(
        ("--mca", "-mca", "--gmca", "-gmca"),
        "Open MPI's parameters are variables: `--env OMPI_MCA_NAME=VALUE`",
    ),
    **dict.fromkeys(("-bynode", "--bynode"), "`--placement round-robin` does this"),
}  # fmt: skip
CORES = "cores, GPUs and their binding are not modeled; a rank has a core of its own"
MEMORY = "memory per rank is not limited"
QUEUE = "there is no queue and no allocation"
START = "starting ranks is not modeled"
SHOWS = "it shows only what the launcher does"
ENVIRONMENT = "the whole environment is passed on"
LESS = f"{ENVIRONMENT}; start the command by `env -i` to pass on less"
# Options of launchers without effect on predictions: the number of values of each, and the reason.
# `odonata run` accepts them with a note.
WITHOUT_EFFECT: Mapping[str, tuple[int, str]] = {
    **dict.fromkeys(
        ("--cpu-bind", "--cpu_bind", "-cpu-bind", "--gpu-bind", "--gpus-per-task", "-G", "--gpus",
         "--gpus-per-node", "--gpus-per-socket", "--gres", "--gpu-freq", "--tres-per-task", "-c",
         "--cpus-per-task", "--cpus-per-gpu", "--cores-per-socket", "--sockets-per-node",
         "--threads-per-core", "--ntasks-per-core", "--ntasks-per-socket", "--ntasks-per-gpu",
         "--hint", "-S", "--core-spec", "--thread-spec", "-d", "--depth", "-depth", "-cc", "-j",
         "-B", "--extra-node-info", "--cpu-freq", "--bind-to", "-bind-to", "-bind", "--bind",
         "--cpu-set", "--cpu-list", "--membind", "-membind", "-binding", "-topolib",
         "--pes-per-numa-node", "-ranks-per-proc", "-gpus-per-proc", "--accel-bind"),
        (1, CORES),
    ),
    **dict.fromkeys(
        ("--cpu-bind-verbose", "-ss", "--overcommit", "--oversubscribe", "-oversubscribe",
         "--nooversubscribe", "-s", "--overlap", "--exact", "--whole", "--use-hwthread-cpus",
         "--bind-to-core", "-bind-to-core", "--bind-to-socket", "-bind-to-socket", "--bind-to-none",
         "-bind-to-none", "-bycore", "--bycore", "-byslot", "--byslot"),
        (0, CORES),
    ),
    **dict.fromkeys(
        ("--mem", "--mem-per-cpu", "--mem-per-gpu", "--mem-bind", "--mem_bind", "--tmp"),
        (1, MEMORY),
    ),
    **dict.fromkeys(
        ("-p", "--partition", "-A", "--account", "--qos", "-t", "--time", "--time-limit", "-J",
         "--job-name", "-C", "--constraint", "--reservation", "--begin", "--dependency", "--signal",
         "--comment", "--wckey", "-W", "--wait", "--jobid", "--cluster", "-M", "--licenses",
         "--switches", "--contiguous-nodes", "--mail-type", "--mail-user", "--network", "--prefer",
         "--priority"),
        (1, QUEUE),
    ),
    **dict.fromkeys(
        ("--exclusive", "--no-kill", "-k", "-K", "--kill-on-bad-exit", "--immediate", "--hold",
         "--reboot", "--nolocal", "-nolocal", "--spread-job", "--no-allocate"),
        (0, QUEUE),
    ),
    **dict.fromkeys(
        ("--pmi", "-pmi", "-rmk", "-launcher", "-launcher-exec", "-bootstrap", "-bootstrap-exec",
         "-iface", "--umask", "--rlimits", "--prefix", "-prefix", "--path", "-path",
         "--launch-agent", "--slurmd-debug", "--task-prolog", "--task-epilog", "--prolog",
         "--epilog", "--profile", "--acctg-freq", "--soft", "--ppn-soft", "--timeout",
         "-timeout"),
        (1, START),
    ),
    **dict.fromkeys(
        ("--bcast", "--propagate", "--resv-ports", "--abort-on-failure", "-abort-on-failure",
         "--interactive", "-pmi-port", "-profile", "--transfer", "--no-transfer", "-b",
         "--no-vni", "--vni", "--allow-run-as-root",
         "-allow-run-as-root", "-u", "--unbuffered", "--line-buffer", "--pty",
         "-disable-auto-cleanup", "-disable-hostname-propagation", "-enable-x", "-disable-x",
         "-localonly"),
        (0, START),
    ),
    **dict.fromkeys(
        ("-v", "--verbose", "-verbose", "--report-bindings", "-report-bindings", "--display-map",
         "-display-map", "--display-allocation", "-print-rank-map", "-print-all-exitcodes",
         "--slurm-quiet", "--abort-message"),
        (0, SHOWS),
    ),
    **dict.fromkeys(("-envall", "-genvall", "--envall", "-E", "--preserve-env"), (0, ENVIRONMENT)),
    **dict.fromkeys(("-envlist", "-genvlist", "--envlist"), (1, ENVIRONMENT)),
    **dict.fromkeys(("-envnone", "-genvnone", "--envnone"), (0, LESS)),
}  # fmt: skip
# Of these, options whose value follows an equals sign only: `srun --bcast ./app`.
OPTIONAL = (
    "--exclusive", "--kill-on-bad-exit", "--immediate", "-K", "--bcast", "--propagate",
    "--resv-ports", "--no-kill", "--pty",
)  # fmt: skip


def for_option(typed: str, command: str, legal: Iterable[str]) -> Hint | None:
    """The hint for a launcher's option to a command with the options `legal`; None if no launcher
    has it."""
    if typed in EXPLANATIONS:
        return Hint(EXPLANATIONS[typed])
    if concept := MEANS.get(typed):
        known, what = MEANINGS[concept]
        legal = set(legal)
        if typed in legal:
            return None
        for option in known:
            if option not in legal:
                continue
            if concept == "ranks" and option == "--nodes":
                if "--ppn" in legal:
                    return Hint("ranks are counted by nodes here: `--nodes` and `--ppn`")
                continue
            return Hint(f"did you mean `{option}`?")
        return Hint(f"`odonata {command}` has no option for {what}")
    if typed in WITHOUT_EFFECT:
        return Hint(f"leave it out: {WITHOUT_EFFECT[typed][1]}")
    return None


def exported(value: str) -> tuple[list[str], list[str]]:
    """The variables that srun's `--export` sets, and its words without effect here, where the
    whole environment is passed on."""
    words = value.split(",")
    return [w for w in words if "=" in w], [w for w in words if w in ("NONE", "NIL")]


def place_of_mapping(option: str, value: str) -> str | Hint | None:
    """The option here that is equivalent to `--map-by VALUE` of Open MPI and Hydra; None: no
    effect."""
    word = value.lower().partition(":")[0] if not value.lower().startswith("ppr") else "ppr"
    if word == "ppr":
        found = re.fullmatch(r"ppr:([0-9]+):node.*", value.lower())
        if found:
            return f"--ppn {found[1]}"
    elif word == "node":
        return "--placement round-robin"
    elif word in ("core", "slot", "hwthread", "socket", "package", "numa", "l1cache", "l2cache",
                  "l3cache", "board", "hwt"):  # fmt: skip
        return None
    return Hint(f"`{option} {value}` places ranks: `--ppn`, `--placement` or `--hostfile` do here")
