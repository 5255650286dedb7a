"""The options of `mpiexec`, `mpirun` and `srun` as options of `odonata run`.

For scripts that call a launcher by name. `ODONATA_MACHINE` selects the simulated machine, and
`ODONATA_RUN_OPTIONS` has further options of `run`.

`synonyms` has the meaning of options; this module has only the differences between launchers.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .errors import Diagnostic, InputError, hint_of_option
from .names import PLACEMENTS
from .synonyms import (
    MEANINGS,
    FILES,
    MAPPINGS,
    MEANS,
    VARIABLES,
    WITHOUT_EFFECT,
    Hint,
    exported,
    meant,
    place_of_mapping,
)

MACHINE = "ODONATA_MACHINE"
OPTIONS = "ODONATA_RUN_OPTIONS"

# Options with a different meaning in other launchers or in `odonata run`: a word of `MEANINGS` or
# `_option`, or the number of words after an option without effect. Hydra (MPICH, Intel), PALS and
# Open MPI all have an `mpiexec`.
MPIEXEC: dict[str, str | int] = {
    "-N": "ppn",  # PALS and Open MPI; the number of nodes with srun
    "-c": "ranks",  # Open MPI; cores per rank with srun
    "-x": "environment",  # Open MPI; nodes to leave out with srun
    "-e": "environment",  # PALS; the file for stderr with srun
    "-q": "quiet",  # Open MPI; a quality of service with srun
    "-machine": "hosts",  # Hydra, a list of nodes; `odonata run --machine` is another thing
    "-mca": "parameter",  # Open MPI, which passes them on as variables
    "-gmca": "parameter",
    "-bynode": "cyclic",  # Open MPI
    "-ppr": "per resource",
}
SRUN: dict[str, str | int] = {
    "-N": "nodes",
    "-D": "directory",  # debugging with aprun
    "-m": "placement",  # memory per rank with aprun
    "-x": "hosts",
    "-r": "hosts",  # the first node; reserved cores with aprun
    "-L": 1,  # licenses; a list of nodes with aprun
    "-e": 1,
    "-q": 1,
    "-T": 1,  # threads that start ranks
    "--mpi": 1,  # a plugin; a library with `odonata run`
    "-H": 0,  # hold; a list of nodes with Open MPI
    "-O": 0,  # more ranks than cores
    "-I": 0,  # do not wait for nodes
    "-X": 0,  # do not show the state on Ctrl-C
}
FLAGS = ("label", "quiet")


@dataclass
class LaunchRequest:
    """The parsed command line of a launcher."""

    launcher: str
    rest: list[str]
    run: list[str] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)
    wrong: list[Diagnostic] = field(default_factory=list)
    nodes: int | None = None
    values: dict[str, str] = field(default_factory=dict)


def command_of(
    name: str, arguments: Sequence[str], environment: Mapping[str, str]
) -> tuple[list[str], list[str]]:
    """The equivalent command line of `odonata` for `name` and `arguments`, and the options without
    effect. Raises `InputError` with all diagnostics."""
    request = LaunchRequest(name, list(arguments))
    while request.rest and request.rest[0].startswith("-") and request.rest[0] != "--":
        _option(request, request.rest.pop(0))
    program = request.rest[1:] if request.rest[:1] == ["--"] else request.rest
    if ":" in program:
        request.wrong.append(Diagnostic("program", ":", "one program; MPMD is not supported"))
    machine = environment.get(MACHINE, "").strip()
    if not machine:
        request.wrong.append(
            Diagnostic(
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
        request.wrong.append(Diagnostic(OPTIONS, found, f"options of `odonata run` ({error})"))
        more = []
    if not program:
        request.wrong.append(Diagnostic(name, "no program", "a program to run behind the options"))
    if request.wrong:
        raise InputError(request.wrong)
    _size(request)
    for option, value in request.values.items():
        request.run += [option, value]
    return ["run", "--machine", machine, *request.run, *more, "--", *program], request.ignored


def _differing(launcher: str) -> Mapping[str, str | int]:
    return SRUN if launcher == "srun" else MPIEXEC


def _meaning(launcher: str, option: str) -> str | int | None:
    """The meaning of an option in `MEANINGS`, or the number of words after one without effect;
    None for an unknown option."""
    found = _differing(launcher).get(option)
    if found is None and option in MAPPINGS:
        return "mapping"
    if found is None and option in (*FILES, *WITHOUT_EFFECT):
        return 1 if option in FILES else WITHOUT_EFFECT[option][0]
    return MEANS.get(option) if found is None else found


def _option(request: LaunchRequest, typed: str) -> None:
    """Read one option, with the words after it."""
    option, equals, value = typed.partition("=")
    if request.launcher != "srun":
        # One dash is accepted for two, and the reverse.
        bare = option.lstrip("-")
        spelled = (option, f"-{bare}", f"--{bare}")
        option = next((o for o in spelled if _meaning(request.launcher, o) is not None), option)
    elif not option.startswith("--") and len(typed) > 2:
        # `-n8`, and several flags after one dash: `-lu`. `-K1` is a flag with a value.
        option, equals, value = typed[:2], "=", typed[2:]
        if _meaning("srun", option) in (0, *FLAGS) and not value.isdecimal():
            request.rest.insert(0, f"-{value}")
            equals, value, typed = "", "", option
    meaning = _meaning(request.launcher, option)
    if meaning is None:
        _unknown(request, typed)
    elif meaning in FLAGS:
        request.run.append(MEANINGS[str(meaning)][0][0])
    elif meaning == "cyclic":
        request.values["--placement"] = "round-robin"
    elif isinstance(meaning, int):
        behind = [] if equals else [_word(request, typed) for _ in range(meaning)]
        request.ignored.append(" ".join([typed, *behind]))
    else:
        _valued(request, option, meaning, value if equals else _word(request, typed))


def _valued(request: LaunchRequest, option: str, meaning: str, value: str) -> None:
    """An option with the value `value`."""
    if meaning == "mapping":
        _map(request, option, value)
    elif meaning == "per resource":
        _map(request, option, f"ppr:{value}")
    elif meaning == "placement":
        _distribute(request, option, value)
    elif meaning == "environment":
        _variable(request, option, value)
    elif meaning == "parameter":
        request.run += ["--env", f"OMPI_MCA_{value}={_word(request, option)}"]
    elif meaning == "hosts":
        # Names of a real machine: its nodes are not the simulated ones.
        request.ignored.append(f"{option} {value}")
    elif meaning != "nodes":
        request.values[MEANINGS[meaning][0][0]] = value
    elif re.fullmatch(r"[1-9]\d{0,8}", value):
        request.nodes = int(value)
    else:
        request.wrong.append(Diagnostic(option, value, "a number of nodes"))


def _unknown(request: LaunchRequest, typed: str) -> None:
    known = (*_differing(request.launcher), *MEANS, *WITHOUT_EFFECT, *FILES, *MAPPINGS)
    # srun has no options with one dash and several letters.
    legal = [o for o in known if request.launcher != "srun" or not re.match("-[^-]{2}", o)]
    hint = hint_of_option(typed.partition("=")[0], "run", legal)
    request.wrong.append(Diagnostic("option", typed, "an option that odonata knows", hint))


def _word(request: LaunchRequest, option: str) -> str:
    if request.rest:
        return request.rest.pop(0)
    request.wrong.append(Diagnostic(option, "nothing", "a value"))
    return ""


def _variable(request: LaunchRequest, option: str, found: str) -> None:
    """Variables; a name without a value passes the present value on."""
    if option == "--export":
        pairs, ignored = exported(found)
        request.ignored += [f"--export={word}" for word in ignored]
    elif "=" not in found and option in (*VARIABLES, "--env"):
        pairs = [f"{found}={_word(request, option)}"]
    else:
        pairs = [found] if "=" in found else []
    request.run += [word for pair in pairs for word in ("--env", pair)]


def _map(request: LaunchRequest, option: str, value: str) -> None:
    """`--map-by`: no effect within a node."""
    placed = place_of_mapping(option, value)
    if isinstance(placed, Hint):
        wanted = "`node`, `ppr:P:node` or an object within a node, such as `core`"
        request.wrong.append(Diagnostic(option, value, wanted, placed.text))
    elif placed is None:
        request.ignored.append(f"{option} {value}")
    else:
        name, _, word = placed.partition(" ")
        request.values[name] = word


def _distribute(request: LaunchRequest, option: str, value: str) -> None:
    """srun's `--distribution`, whose first word concerns nodes."""
    first = re.split("[:,]", value)[0]
    placement = meant("placement", first, PLACEMENTS)
    if first == "*" or placement == "contiguous":
        return  # the default
    if isinstance(placement, str):
        request.values["--placement"] = placement
    else:
        hint = placement.text if placement else None
        request.wrong.append(Diagnostic(option, value, "`block` or `cyclic`", hint))


def _size(request: LaunchRequest) -> None:
    """The number of ranks, or of ranks per node, where the nodes give it."""
    ranks, per_node = request.values.get("-n"), request.values.get("--ppn")
    if ranks is None:
        each = int(per_node) if per_node and per_node.isdecimal() else 1
        alone = 1 if request.launcher != "srun" else each
        request.values["-n"] = str(request.nodes * each if request.nodes else alone)
    elif request.nodes and per_node is None and ranks.isdecimal():
        request.values["--ppn"] = str(-(-int(ranks) // request.nodes))
