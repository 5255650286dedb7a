"""Tests the files of `odonata tune` with MPICH.

MPICH prints nothing when it accepts a file, and ends the program when it rejects one. The tests:

- A program runs with the file of every collective.
- A file with an unknown algorithm is rejected.
- A file without one of the collectives is rejected.
- A file with recursive doubling for three ranks ends in an assertion of that algorithm, which shows
  that the named algorithm runs.
- The same assertion shows whether a condition above the algorithm is true.
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
# Condition, ranks, nodes, and whether it is true. MPICH places the ranks on the nodes cyclically.
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
    """Whether MPICH accepts the written files and rejects the incorrect ones."""
    reference = places.reference()
    program = str(places.compiled(HERE / "collectives.c"))
    fine = True
    with tempfile.TemporaryDirectory() as scratch:
        cwd = Path(scratch)
        for collective in COLLECTIVES:
            file = tuned(collective, cwd / collective)
            for ranks in RANKS:
                what = f"{collective}, {ranks} ranks"
                fine &= check_file(what, reference, file, ranks, program, cwd)
        file = tuned("allgather", cwd / "wrong")
        rules = json.loads(file.read_text(encoding="utf-8"))
        for condition, ranks, nodes, holds in CONDITIONS:
            rule = {
                condition: {"algorithm=MPIR_Allgather_intra_recursive_doubling": {}},
                "any": {"algorithm=MPIR_Allgather_intra_ring": {}},
            }
            rules["collective=allgather"]["comm_type=intra"] = rule
            file.write_text(json.dumps(rules) + "\n", encoding="utf-8")
            what = f"{condition}, {ranks} ranks on {nodes} nodes"
            asserts = "allgather_intra_recursive_doubling.c" if holds else None
            knob = f"MPIR_CVAR_NUM_CLIQUES={nodes}"
            place = places.Reference(reference.home, (*reference.knobs, knob))
            fine &= check_file(what, place, file, ranks, program, cwd, asserts)
        refused = {
            "an unknown algorithm": {"algorithm=MPIR_Allgather_intra_quick": {}},
            "recursive doubling": {"algorithm=MPIR_Allgather_intra_recursive_doubling": {}},
        }
        words = {
            "an unknown algorithm": "unrecognized key algorithm=MPIR_Allgather_intra_quick",
            "recursive doubling": "allgather_intra_recursive_doubling.c",
        }
        for what, intra in refused.items():
            rules["collective=allgather"]["comm_type=intra"] = intra
            file.write_text(json.dumps(rules), encoding="utf-8")
            fine &= check_file(f"rejects {what}", reference, file, 3, program, cwd, words[what])
        del rules["collective=bcast"]
        file.write_text(json.dumps(rules), encoding="utf-8")
        what = "rejects a file without bcast"
        fine &= check_file(what, reference, file, 3, program, cwd, "Assertion")
    return fine


def tuned(collective: str, out: Path) -> Path:
    """MPICH's file for a few sizes and ranks, in which any algorithm may be the fastest."""
    place = places.Twin()
    command = [
        *(place.python, "-m", "odonata", "tune", collective, "--machine", place.machine),
        *("--nodes", "1,2", "--ppn", "2", "--sizes", "8:256Ki", "--quiet", "--out", str(out)),
    ]
    subprocess.run(command, check=True, env=place.environment(), stdout=subprocess.DEVNULL)
    return out / "mpich.json"


def check_file(
    what: str,
    reference: places.Reference,
    file: Path,
    ranks: int,
    program: str,
    cwd: Path,
    refusal: str | None = None,
) -> bool:
    """Runs the program with the file; `refusal` is the expected message of MPICH."""
    place = places.Reference(reference.home, (*reference.knobs, f"{VARIABLE}={file}"))
    done = places.run(place, ranks, [program], seconds=SECONDS, cwd=cwd)
    if refusal is None:
        fine = done.code == 0 and done.out.strip() == "fine"
    else:
        fine = done.code != 0 and refusal in done.out + done.err
    print(f"tuning: {what}: {'as expected' if fine else 'FAILED'}", flush=True)
    if not fine:
        print(done.out + done.err)
    return fine
