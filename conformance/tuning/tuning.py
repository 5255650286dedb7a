"""The files `odonata tune` writes, read by MPICH itself.

MPICH says nothing when it takes a file, and ends the program when it cannot. So five things are
shown: programs run with the file of every collective; one that names an algorithm MPICH has not is
refused; one that leaves out a collective is; one that names recursive doubling for three ranks
ends in that very algorithm, which asserts on such sizes: the algorithm named is the one that runs;
and a condition above it shows so whether it holds.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path

import places

HERE = Path(__file__).resolve().parent
VARIABLE = "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE"
COLLECTIVES = (
    "bcast", "reduce", "allreduce", "allgather", "allgatherv", "alltoall", "alltoallv", "gather",
    "scatter", "reduce_scatter", "reduce_scatter_block",
)  # fmt: skip
SECONDS = 120
RANKS = (2, 3, 4)
# Whether a condition holds for so many ranks on so many nodes, which MPICH takes in turn.
CONDITIONS = (
    ("comm_avg_ppn<=3", 6, 2, True),
    ("comm_avg_ppn<3", 6, 2, False),
    ("comm_avg_ppn<3", 5, 2, True),
    ("comm_avg_ppn<=2", 5, 2, False),
    ("comm_avg_ppn<=1", 3, 3, True),
    ("comm_avg_ppn<1", 3, 3, False),
    ("count<=20000", 3, 1, True),
    ("count<=0", 3, 1, False),
    ("comm_size=node_comm_size", 3, 1, True),
    ("comm_size=node_comm_size", 6, 2, False),
    ("is_node_consecutive=yes", 3, 1, False),
    ("is_node_consecutive=yes", 6, 2, False),
    ("is_node_consecutive=no", 3, 3, True),
    ("comm_hierarchy=parent", 6, 2, True),
    ("comm_hierarchy=parent", 3, 3, False),
    ("comm_hierarchy=flat", 3, 3, True),
)


def main() -> bool:
    """Whether MPICH takes what is written and refuses what is not meant to be."""
    reference = places.reference()
    program = str(places.compiled(HERE / "collectives.c"))
    fine = True
    with tempfile.TemporaryDirectory() as scratch:
        cwd = Path(scratch)
        for collective in COLLECTIVES:
            file = tuned(collective, cwd / collective)
            for ranks in RANKS:
                fine &= told(f"{collective}, {ranks} ranks", reference, file, ranks, program, cwd)
        file = tuned("allgather", cwd / "wrong")
        rules = json.loads(file.read_text())
        for condition, ranks, nodes, holds in CONDITIONS:
            asked = {
                condition: {"algorithm=MPIR_Allgather_intra_recursive_doubling": {}},
                "any": {"algorithm=MPIR_Allgather_intra_ring": {}},
            }
            rules["collective=allgather"]["comm_type=intra"] = asked
            file.write_text(json.dumps(rules) + "\n")
            what = f"{condition}, {ranks} ranks on {nodes} nodes"
            asserts = "allgather_intra_recursive_doubling.c" if holds else None
            knob = f"MPIR_CVAR_NUM_CLIQUES={nodes}"
            place = places.Reference(reference.home, (*reference.knobs, knob))
            fine &= told(what, place, file, ranks, program, cwd, asserts)
        refused = {
            "an algorithm it has not": {"algorithm=MPIR_Allgather_intra_quick": {}},
            "recursive doubling": {"algorithm=MPIR_Allgather_intra_recursive_doubling": {}},
        }
        words = {
            "an algorithm it has not": "unrecognized key algorithm=MPIR_Allgather_intra_quick",
            "recursive doubling": "allgather_intra_recursive_doubling.c",
        }
        for what, intra in refused.items():
            rules["collective=allgather"]["comm_type=intra"] = intra
            file.write_text(json.dumps(rules))
            fine &= told(f"refuses {what}", reference, file, 3, program, cwd, words[what])
        del rules["collective=bcast"]
        file.write_text(json.dumps(rules))
        fine &= told("refuses a file without bcast", reference, file, 3, program, cwd, "Assertion")
    return fine


def tuned(collective: str, out: Path) -> Path:
    """MPICH's file for a few sizes on few ranks, in which every algorithm may win somewhere."""
    place = places.Twin()
    command = [
        *(place.python, "-m", "odonata", "tune", collective, "--machine", place.machine),
        *("--nodes", "1,2", "--ppn", "2", "--sizes", "8:256Ki", "--quiet", "--out", str(out)),
    ]
    subprocess.run(command, check=True, env=place.environment(), stdout=subprocess.DEVNULL)
    return out / "mpich.json"


def told(
    what: str,
    reference: places.Reference,
    file: Path,
    ranks: int,
    program: str,
    cwd: Path,
    refusal: str | None = None,
) -> bool:
    """Runs the program with the file; `refusal` is what MPICH is to say of it."""
    place = places.Reference(reference.home, (*reference.knobs, f"{VARIABLE}={file}"))
    done = places.run(place, ranks, [program], seconds=SECONDS, cwd=cwd)
    if refusal is None:
        fine = done.code == 0 and done.out.strip() == "fine"
    else:
        fine = done.code != 0 and refusal in done.out + done.err
    print(f"tuning: {what}: {'as it should be' if fine else 'FAILED'}", flush=True)
    if not fine:
        print(done.out + done.err)
    return fine
