"""The options of `mpiexec`, `mpirun` and `srun` as options of `odonata run`.

For scripts that insist on a launcher's name. Which machine is simulated is not said there, so the
environment says it: `ODONATA_MACHINE`, and `ODONATA_RUN_OPTIONS` for further options of `run`.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .errors import Complaint, InputError, nearest

MACHINE = "ODONATA_MACHINE"
OPTIONS = "ODONATA_RUN_OPTIONS"

# Of each launcher: the option of `odonata run` that each of its own becomes. Hydra (MPICH, Intel),
# PALS and Open MPI all call theirs `mpiexec`; single dashes may be double.
MPIEXEC = {
    "-n": "-n",
    "-np": "-n",
    "-c": "-n",
    "-ppn": "--ppn",
    "-perhost": "--ppn",
    "-npernode": "--ppn",
    "-N": "--ppn",
    "-f": "--hostfile",
    "-hostfile": "--hostfile",
    "-machinefile": "--hostfile",
    "-machine": "--hostfile",
    "-env": "--env",
    "-wdir": "--wdir",
    "-wd": "--wdir",
    "-l": "-l",
    "-prepend-rank": "-l",
    "-label": "-l",
    "-tag-output": "-l",
}
SRUN = {
    "-n": "-n",
    "--ntasks": "-n",
    "--ntasks-per-node": "--ppn",
    "-D": "--wdir",
    "--chdir": "--wdir",
    "-l": "-l",
    "--label": "-l",
}
# Options with a value that change nothing in the simulated job: cores and GPUs are not modeled, and
# there is no queue. The rest that is passed over is a flag, or has its value behind `=`.
MPIEXEC_IGNORED = (
    "-bind-to -map-by -rank-by -genvlist -envlist -iface -launcher -rmk -ranks-per-proc -cc "
    "-cpu-bind -mem-bind -gpu-bind -d -depth -prefix -path -ppr -mca -gmca -pmi-port -j -O "
    "-topolib -hosts-order -exitcodes -timeout -outfile-pattern -errfile-pattern"
).split()
MPIEXEC_FLAGS = (
    "-genvall -envall -genvnone -oversubscribe -use-hwthread-cpus -allow-run-as-root "
    "-report-bindings -line-buffer -verbose -v -q -quiet -no-vni -abort-on-failure -bynode -byslot "
    "-bind-to-core -bind-to-socket -bind-to-none -nolocal -print-all-exitcodes -prepend-rank"
).split()
SRUN_IGNORED = (
    "-c -p -A -t -J -q -C -o -e -i -x -G --cpus-per-task --partition --account --time --job-name "
    "--qos --constraint --output --error --input --exclude --gpus --mem --mem-per-cpu --mpi "
    "--cpu-bind --mem-bind --gpu-bind --gpus-per-node --gpus-per-task --ntasks-per-gpu "
    "--ntasks-per-socket --ntasks-per-core --threads-per-core --hint --network "
    "--reservation --licenses --accel-bind --cores-per-socket --wait --jobid --open-mode"
).split()
SRUN_FLAGS = (
    "-u --unbuffered -v --verbose -Q --quiet -s --oversubscribe --overcommit -O --exclusive "
    "--overlap --exact --pty --no-kill -k -H --interactive -K --kill-on-bad-exit"
).split()


@dataclass
class Asked:
    """What a launcher's command line asks for."""

    run: list[str] = field(default_factory=list)
    program: list[str] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)
    wrong: list[Complaint] = field(default_factory=list)
    nodes: int | None = None
    values: dict[str, str] = field(default_factory=dict)


def command_of(
    name: str, arguments: Sequence[str], environment: Mapping[str, str]
) -> tuple[list[str], list[str]]:
    """The command line of `odonata` that does what `name` and `arguments` ask, and the options
    that it leaves out. Raises `InputError` with all complaints."""
    asked = _srun(arguments) if name == "srun" else _mpiexec(arguments)
    machine = environment.get(MACHINE, "").strip()
    if not machine:
        asked.wrong.append(
            Complaint(
                MACHINE,
                "nothing",
                "the machine to simulate, as of `odonata run --machine`",
                f"export {MACHINE}=aurora",
            )
        )
    try:
        more = shlex.split(environment.get(OPTIONS, ""))
    except ValueError as error:
        found = environment.get(OPTIONS, "")
        asked.wrong.append(Complaint(OPTIONS, found, f"options of `odonata run` ({error})"))
        more = []
    if not asked.program:
        asked.wrong.append(Complaint(name, "no program", "a program to run behind the options"))
    if asked.wrong:
        raise InputError(asked.wrong)
    for option, value in asked.values.items():
        asked.run += [option, value]
    return ["run", "--machine", machine, *asked.run, *more, "--", *asked.program], asked.ignored


def _mpiexec(arguments: Sequence[str]) -> Asked:
    asked = Asked(values={"-n": "1"})
    rest = list(arguments)
    while rest and rest[0].startswith("-") and rest[0] != "--":
        typed = rest.pop(0)
        option, equals, value = typed.partition("=")
        option = "-" + option.lstrip("-")
        flag = option in ("-l", "-prepend-rank", "-label", "-tag-output")
        if option in ("-genv", "-env") and not equals:
            # Hydra: a name and a value; PALS: `-env NAME=VALUE`.
            key = _value(asked, typed, rest)
            asked.run += ["--env", key if "=" in key else f"{key}={_value(asked, typed, rest)}"]
        elif option in ("-genv", "-env"):
            asked.run += ["--env", value]
        elif option == "-x":
            key = _value(asked, typed, rest)
            asked.run += ["--env", key] if "=" in key else []  # else passed on as it is
        elif option in ("-host", "-hosts", "-H"):
            _hosts(asked, typed, value if equals else _value(asked, typed, rest))
        elif option in MPIEXEC and flag:
            asked.run.append("-l")
        elif option in MPIEXEC:
            _put(asked, MPIEXEC[option], value if equals else _value(asked, typed, rest))
        elif option == "-mca":
            asked.ignored.append(f"{typed} {_value(asked, typed, rest)}")
            _value(asked, typed, rest)
        elif option == "-map-by" and (mapped := value if equals else _value(asked, typed, rest)):
            per_node = re.fullmatch(r"ppr:(\d+):node(:.*)?", mapped)
            if per_node:
                _put(asked, "--ppn", per_node[1])
            else:
                asked.ignored.append(f"{typed} {mapped}")
        else:
            known = [*MPIEXEC, "-genv", "-host"]
            _ignore(asked, typed, rest, MPIEXEC_IGNORED, MPIEXEC_FLAGS, known)
    _program(asked, rest)
    return asked


def _srun(arguments: Sequence[str]) -> Asked:
    asked = Asked()
    rest = list(arguments)
    while rest and rest[0].startswith("-") and rest[0] != "--":
        typed = rest.pop(0)
        option, equals, value = typed.partition("=")
        if not option.startswith("--") and len(option) > 2:
            # `-n8`
            option, value, equals = typed[:2], typed[2:], "="
        if option in ("-N", "--nodes"):
            found = value if equals else _value(asked, typed, rest)
            if re.fullmatch(r"[1-9]\d{0,8}", found):
                asked.nodes = int(found)
            else:
                asked.wrong.append(Complaint(option, found, "a number of nodes"))
        elif option == "--export":
            found = value if equals else _value(asked, typed, rest)
            pairs = [item for item in found.split(",") if "=" in item]
            asked.run += [word for pair in pairs for word in ("--env", pair)]
            # The whole environment is passed on.
            asked.ignored += [f"--export={n}" for n in ("NONE", "NIL") if n in found.split(",")]
        elif option in ("-w", "--nodelist"):
            _hosts(asked, typed, value if equals else _value(asked, typed, rest))
        elif option in ("-m", "--distribution"):
            found = (value if equals else _value(asked, typed, rest)).split(":")[0].split(",")[0]
            if found == "cyclic":
                _put(asked, "--placement", "round-robin")
            elif found not in ("block", "*"):
                asked.ignored.append(typed)
        elif option in ("-l", "--label"):
            asked.run.append("-l")
        elif option in SRUN:
            _put(asked, SRUN[option], value if equals else _value(asked, typed, rest))
        else:
            known = [*SRUN, "-N", "--nodes", "--export", "-w", "-m", "--nodelist", "--distribution"]
            _ignore(asked, option if equals else typed, [] if equals else rest,
                    [] if equals else SRUN_IGNORED, SRUN_FLAGS + SRUN_IGNORED, known)  # fmt: skip
    _program(asked, rest)
    ranks, per_node = asked.values.get("-n"), asked.values.get("--ppn")
    if ranks is None:
        each = int(per_node) if per_node and per_node.isdecimal() else 1
        asked.values["-n"] = str((asked.nodes or 1) * each)
    elif asked.nodes and per_node is None and ranks.isdecimal():
        asked.values["--ppn"] = str(-(-int(ranks) // asked.nodes))
    return asked


def _value(asked: Asked, option: str, rest: list[str]) -> str:
    if rest:
        return rest.pop(0)
    asked.wrong.append(Complaint(option, "nothing", "a value"))
    return ""


def _put(asked: Asked, option: str, value: str) -> None:
    asked.values[option] = value


def _hosts(asked: Asked, typed: str, hosts: str) -> None:
    """Host names are those of a real machine: its nodes are not the simulated ones."""
    asked.ignored.append(f"{typed} {hosts}".strip())


def _ignore(
    asked: Asked,
    typed: str,
    rest: list[str],
    valued: Sequence[str],
    flags: Sequence[str],
    known: Sequence[str],
) -> None:
    """Pass over an option that changes nothing here; an unknown one is a complaint."""
    option = typed.partition("=")[0]
    if option not in flags and option not in valued:
        option = "-" + option.lstrip("-")
    if option in valued and "=" not in typed:
        asked.ignored.append(f"{typed} {_value(asked, typed, rest)}".strip())
    elif option in flags or option in valued:
        asked.ignored.append(typed)
    else:
        near = nearest(typed, [*known, *valued, *flags])
        hint = f"did you mean `{near}`?" if near else None
        asked.wrong.append(Complaint("option", typed, "an option that odonata knows", hint))


def _program(asked: Asked, rest: list[str]) -> None:
    asked.program = rest[1:] if rest[:1] == ["--"] else rest
    if ":" in asked.program:
        asked.wrong.append(Complaint("program", ":", "one program; MPMD is not supported"))
