"""The options of `mpiexec`, `mpirun` and `srun` as options of `odonata run`.

For scripts that insist on a launcher's name. Which machine is simulated is not said there, so the
environment says it: `ODONATA_MACHINE`, and `ODONATA_RUN_OPTIONS` for further options of `run`.

What an option means is in `synonyms`; here is only what differs by launcher.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .errors import Diagnostic, InputError, hint_of_option
from .names import PLACEMENTS
from .synonyms import (
    ASKS,
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

# What an option means to one launcher and not to the others, or not to `odonata run`: a word that
# `ASKS` or `_option` knows, or the number of words behind an option that changes nothing here.
# Hydra (MPICH, Intel), PALS and Open MPI all call theirs `mpiexec`.
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
class Asked:
    """What a launcher's command line asks for."""

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
    """The command line of `odonata` that does what `name` and `arguments` ask, and the options
    that it leaves out. Raises `InputError` with all complaints."""
    asked = Asked(name, list(arguments))
    while asked.rest and asked.rest[0].startswith("-") and asked.rest[0] != "--":
        _option(asked, asked.rest.pop(0))
    program = asked.rest[1:] if asked.rest[:1] == ["--"] else asked.rest
    if ":" in program:
        asked.wrong.append(Diagnostic("program", ":", "one program; MPMD is not supported"))
    machine = environment.get(MACHINE, "").strip()
    if not machine:
        asked.wrong.append(
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
        asked.wrong.append(Diagnostic(OPTIONS, found, f"options of `odonata run` ({error})"))
        more = []
    if not program:
        asked.wrong.append(Diagnostic(name, "no program", "a program to run behind the options"))
    if asked.wrong:
        raise InputError(asked.wrong)
    _size(asked)
    for option, value in asked.values.items():
        asked.run += [option, value]
    return ["run", "--machine", machine, *asked.run, *more, "--", *program], asked.ignored


def _differing(launcher: str) -> Mapping[str, str | int]:
    return SRUN if launcher == "srun" else MPIEXEC


def _meaning(launcher: str, option: str) -> str | int | None:
    """What an option asks for, as `ASKS` names it, or how many words stand behind one without
    effect; None for an option that is not known."""
    found = _differing(launcher).get(option)
    if found is None and option in MAPPINGS:
        return "mapping"
    if found is None and option in (*FILES, *WITHOUT_EFFECT):
        return 1 if option in FILES else WITHOUT_EFFECT[option][0]
    return MEANS.get(option) if found is None else found


def _option(asked: Asked, typed: str) -> None:
    """Read one option, with the words behind it."""
    option, equals, value = typed.partition("=")
    if asked.launcher != "srun":
        # One dash may be two, and the reverse.
        bare = option.lstrip("-")
        spelled = (option, f"-{bare}", f"--{bare}")
        option = next((o for o in spelled if _meaning(asked.launcher, o) is not None), option)
    elif not option.startswith("--") and len(typed) > 2:
        # `-n8`, and of flags several behind one dash: `-lu`. `-K1` is a flag with a value.
        option, equals, value = typed[:2], "=", typed[2:]
        if _meaning("srun", option) in (0, *FLAGS) and not value.isdecimal():
            asked.rest.insert(0, f"-{value}")
            equals, value, typed = "", "", option
    meaning = _meaning(asked.launcher, option)
    if meaning is None:
        _unknown(asked, typed)
    elif meaning in FLAGS:
        asked.run.append(ASKS[str(meaning)][0][0])
    elif meaning == "cyclic":
        asked.values["--placement"] = "round-robin"
    elif isinstance(meaning, int):
        behind = [] if equals else [_word(asked, typed) for _ in range(meaning)]
        asked.ignored.append(" ".join([typed, *behind]))
    else:
        _valued(asked, option, meaning, value if equals else _word(asked, typed))


def _valued(asked: Asked, option: str, meaning: str, value: str) -> None:
    """An option with the value `value`."""
    if meaning == "mapping":
        _map(asked, option, value)
    elif meaning == "per resource":
        _map(asked, option, f"ppr:{value}")
    elif meaning == "placement":
        _distribute(asked, option, value)
    elif meaning == "environment":
        _variable(asked, option, value)
    elif meaning == "parameter":
        asked.run += ["--env", f"OMPI_MCA_{value}={_word(asked, option)}"]
    elif meaning == "hosts":
        # Names of a real machine: its nodes are not the simulated ones.
        asked.ignored.append(f"{option} {value}")
    elif meaning != "nodes":
        asked.values[ASKS[meaning][0][0]] = value
    elif re.fullmatch(r"[1-9]\d{0,8}", value):
        asked.nodes = int(value)
    else:
        asked.wrong.append(Diagnostic(option, value, "a number of nodes"))


def _unknown(asked: Asked, typed: str) -> None:
    known = (*_differing(asked.launcher), *MEANS, *WITHOUT_EFFECT, *FILES, *MAPPINGS)
    # srun has no options of one dash and several letters.
    legal = [o for o in known if asked.launcher != "srun" or not re.match("-[^-]{2}", o)]
    hint = hint_of_option(typed.partition("=")[0], "run", legal)
    asked.wrong.append(Diagnostic("option", typed, "an option that odonata knows", hint))


def _word(asked: Asked, option: str) -> str:
    if asked.rest:
        return asked.rest.pop(0)
    asked.wrong.append(Diagnostic(option, "nothing", "a value"))
    return ""


def _variable(asked: Asked, option: str, found: str) -> None:
    """Variables; one that is only named is passed on as it is."""
    if option == "--export":
        pairs, ignored = exported(found)
        asked.ignored += [f"--export={word}" for word in ignored]
    elif "=" not in found and option in (*VARIABLES, "--env"):
        pairs = [f"{found}={_word(asked, option)}"]
    else:
        pairs = [found] if "=" in found else []
    asked.run += [word for pair in pairs for word in ("--env", pair)]


def _map(asked: Asked, option: str, value: str) -> None:
    """`--map-by`: within a node it changes nothing."""
    placed = place_of_mapping(option, value)
    if isinstance(placed, Hint):
        wanted = "`node`, `ppr:P:node` or an object within a node, such as `core`"
        asked.wrong.append(Diagnostic(option, value, wanted, placed.text))
    elif placed is None:
        asked.ignored.append(f"{option} {value}")
    else:
        name, _, word = placed.partition(" ")
        asked.values[name] = word


def _distribute(asked: Asked, option: str, value: str) -> None:
    """srun's `--distribution`, whose first word is that of nodes."""
    first = re.split("[:,]", value)[0]
    placement = meant("placement", first, PLACEMENTS)
    if first == "*" or placement == "contiguous":
        return  # the default
    if isinstance(placement, str):
        asked.values["--placement"] = placement
    else:
        hint = placement.text if placement else None
        asked.wrong.append(Diagnostic(option, value, "`block` or `cyclic`", hint))


def _size(asked: Asked) -> None:
    """The number of ranks, or of ranks per node, where the nodes give it."""
    ranks, per_node = asked.values.get("-n"), asked.values.get("--ppn")
    if ranks is None:
        each = int(per_node) if per_node and per_node.isdecimal() else 1
        alone = 1 if asked.launcher != "srun" else each
        asked.values["-n"] = str(asked.nodes * each if asked.nodes else alone)
    elif asked.nodes and per_node is None and ranks.isdecimal():
        asked.values["--ppn"] = str(-(-int(ranks) // asked.nodes))
