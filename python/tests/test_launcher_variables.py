"""Ranks see the variables of the launcher that the machine's users write, and no other's."""

from __future__ import annotations

import json
import sys

import pytest

# What a launcher that odonata itself runs under may have set.
OUTER = {
    "PMI_RANK": "77",
    "PMI_FD": "3",
    "PMIX_RANK": "77",
    "PALS_RANKID": "77",
    "SLURM_PROCID": "77",
    "SLURM_STEP_NUM_TASKS": "78",
    "SLURM_TASKS_PER_NODE": "78",
    "SLURM_JOB_ID": "5",
    "MPI_LOCALRANKID": "77",
    "OMPI_COMM_WORLD_RANK": "77",
}
STARTS = ("PMI", "PALS_", "SLURM_", "OMPI_", "MPI_LOCAL")
# Every rank writes a file of its own.
SCRIPT = f"""
import json, os, sys
seen = {{k: v for k, v in os.environ.items() if k.startswith({STARTS!r})}}
if sys.argv[1:] == ["mpi"]:
    from mpi4py import MPI
    node = MPI.COMM_WORLD.Split_type(MPI.COMM_TYPE_SHARED)
    assert MPI.COMM_WORLD.rank == int(seen["PMI_RANK"]), seen
    assert (node.rank, node.size) == (int(seen["PMI_LOCAL_RANK"]), int(seen["PMI_LOCAL_SIZE"]))
child = os.popen("echo $PMI_RANK $ODONATA_RANK").read().split()
assert child == [seen["PMI_RANK"], os.environ["ODONATA_RANK"]], child
json.dump(seen, open(os.environ["ODONATA_RANK"], "w"))
"""


def told(odonata, *arguments: str, ranks: int = 5) -> list[dict[str, str]]:
    """What each of five ranks saw: two on each of two nodes, and the last alone."""
    (odonata.cwd / "who.py").write_text(SCRIPT)
    done = odonata(
        "run", "-n", ranks, "-ppn", 2, "--quiet", "--compute", "none", *arguments, env=OUTER
    )
    assert done.returncode == 0, done.stderr
    return [json.loads((odonata.cwd / str(rank)).read_text()) for rank in range(ranks)]


PMI = {"PMI_RANK": "3", "PMI_SIZE": "5", "PMI_LOCAL_RANK": "1", "PMI_LOCAL_SIZE": "2"}
# Rank 3 is the second on the second node.
PALS = {"PALS_RANKID": "3", "PALS_NODEID": "1", "PALS_LOCAL_RANKID": "1", "PALS_LOCAL_SIZE": "2"}
SLURM = {
    "SLURM_PROCID": "3",
    "SLURM_NODEID": "1",
    "SLURM_LOCALID": "1",
    "SLURM_NTASKS": "5",
    "SLURM_NPROCS": "5",
    "SLURM_NNODES": "3",
}
# Says where odonata runs, not who a rank is.
KEPT = {"SLURM_JOB_ID": "5"}


@pytest.mark.parametrize("machine, its", [("aurora", PALS), ("frontier", SLURM)])
@pytest.mark.parametrize("how", [("auto", "mpi"), ("none", "mpi"), ("none", "")])
def test_a_rank_is_told_who_it_is(odonata, machine, its, how):
    warm, mpi = how
    words = [sys.executable, "who.py", *filter(None, [mpi])]
    seen = told(odonata, "--machine", machine, "--warm", warm, "--", *words)
    assert seen[3] == {**PMI, **its, **KEPT}
    assert [s["PMI_RANK"] for s in seen] == ["0", "1", "2", "3", "4"]
    assert [s["PMI_LOCAL_SIZE"] for s in seen] == ["2", "2", "2", "2", "1"]


@pytest.mark.parametrize("warm", ["auto", "none"])
def test_what_the_user_sets_for_all_ranks_wins(odonata, warm):
    more = ("--env", "SLURM_LOCALID=9", "--env", "PALS_RANKID=8", "--warm", warm)
    seen = told(odonata, "--machine", "lumi-g", *more, "--", sys.executable, "who.py")
    assert [s["SLURM_LOCALID"] for s in seen] == ["9"] * 5
    assert [s["PALS_RANKID"] for s in seen] == ["8"] * 5
    assert [s["SLURM_PROCID"] for s in seen] == ["0", "1", "2", "3", "4"]
