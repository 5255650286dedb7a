"""Ranks have the variables of the machine's launcher, and of no other launcher."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

# Variables of a launcher under which odonata itself runs.
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
STARTS = ("PMI", "PALS_", "PBS_", "SLURM", "OMPI_", "MPI_LOCAL")
# Every rank writes its own file.
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


def seen_by(odonata, *words: str, ranks: int = 5, env: dict = OUTER) -> list[dict[str, str]]:
    """Variables of each of five ranks: two on each of two nodes, and the last alone."""
    (odonata.cwd / "who.py").write_text(SCRIPT)
    done = odonata(
        "run", "-n", ranks, "-ppn", 2, "--quiet", "--compute", "none", *words, env=env
    )
    assert done.returncode == 0, done.stderr
    return [json.loads((odonata.cwd / str(rank)).read_text()) for rank in range(ranks)]


PMI = {"PMI_RANK": "3", "PMI_SIZE": "5", "PMI_LOCAL_RANK": "1", "PMI_LOCAL_SIZE": "2"}
# Rank 3 is the second on the second node. (PALS: mpiexec(1) of HPE's Cray PALS; PBS: qsub(1B).)
PALS = {
    "PALS_RANKID": "3",
    "PALS_NODEID": "1",
    "PALS_LOCAL_RANKID": "1",
    "PALS_LOCAL_SIZE": "2",
    "PALS_APID": "1000001.0",
    "PMIX_RANK": "3",
    "PMIX_NAMESPACE": "1000001.aurora-pbs.0",
    "PMIX_HOSTNAME": "x4000c0s1b0n0",
    "PBS_JOBID": "1000001.aurora-pbs",
    "PBS_ENVIRONMENT": "PBS_BATCH",
}
# srun(1), OUTPUT ENVIRONMENT VARIABLES.
SLURM = {
    "SLURM_PROCID": "3",
    "SLURM_NODEID": "1",
    "SLURM_LOCALID": "1",
    "SLURM_GTIDS": "2,3",
    "SLURM_NTASKS": "5",
    "SLURM_NPROCS": "5",
    "SLURM_NNODES": "3",
    "SLURM_JOB_NUM_NODES": "3",
    "SLURM_JOB_NODELIST": "frontier[00001-00003]",
    "SLURM_NODELIST": "frontier[00001-00003]",
    "SLURM_STEP_NODELIST": "frontier[00001-00003]",
    "SLURM_TASKS_PER_NODE": "2(x2),1",
    "SLURM_STEP_TASKS_PER_NODE": "2(x2),1",
    "SLURM_STEP_NUM_NODES": "3",
    "SLURM_STEP_NUM_TASKS": "5",
    "SLURM_STEP_ID": "0",
    "SLURM_STEPID": "0",
    "SLURM_JOB_CPUS_PER_NODE": "56(x3)",
    "SLURM_CPUS_ON_NODE": "56",
    "SLURM_CLUSTER_NAME": "frontier",
    "SLURMD_NODENAME": "frontier00002",
    "SLURM_TOPOLOGY_ADDR": "frontier00002",
    "SLURM_TOPOLOGY_ADDR_PATTERN": "node",
    "SLURM_LAUNCH_NODE_IPADDR": "127.64.0.1",
    "SLURM_SRUN_COMM_HOST": "127.64.0.1",
    # This variable describes the environment of odonata, not a rank.
    "SLURM_JOB_ID": "5",
    "SLURM_JOBID": "5",
}
# Variables that depend on where the test runs.
PLACES = {
    "aurora": {"PBS_NODEFILE", "PBS_O_WORKDIR", "PBS_JOBNAME"},
    "frontier": {"SLURM_SUBMIT_DIR", "SLURM_JOB_NAME"},
}


@pytest.mark.parametrize("machine, its", [("aurora", PALS), ("frontier", SLURM)])
@pytest.mark.parametrize("how", [("auto", "mpi"), ("none", "mpi"), ("none", "")])
def test_a_rank_has_the_variables_of_its_launcher(odonata, machine, its, how):
    warm, mpi = how
    words = [sys.executable, "who.py", *filter(None, [mpi])]
    seen = seen_by(odonata, "--machine", machine, "--warm", warm, "--", *words)
    places = {key: value for key, value in seen[3].items() if key in PLACES[machine]}
    assert set(places) == PLACES[machine]
    assert seen[3] == {**PMI, **its, **places}
    directory = places.get("PBS_O_WORKDIR") or places["SLURM_SUBMIT_DIR"]
    assert directory == str(odonata.cwd)
    assert [s["PMI_RANK"] for s in seen] == ["0", "1", "2", "3", "4"]
    assert [s["PMI_LOCAL_SIZE"] for s in seen] == ["2", "2", "2", "2", "1"]


@pytest.mark.parametrize("warm", ["auto", "none"])
def test_variables_of_the_user_have_precedence(odonata, warm):
    more = ("--env", "SLURM_LOCALID=9", "--env", "PALS_RANKID=8", "--warm", warm)
    more += ("--env", "SLURM_JOB_NODELIST=mine")
    seen = seen_by(odonata, "--machine", "lumi-g", *more, "--", sys.executable, "who.py")
    assert [s["SLURM_LOCALID"] for s in seen] == ["9"] * 5
    assert [s["PALS_RANKID"] for s in seen] == ["8"] * 5
    assert [s["SLURM_JOB_NODELIST"] for s in seen] == ["mine"] * 5
    assert [s["SLURM_PROCID"] for s in seen] == ["0", "1", "2", "3", "4"]


def test_the_machine_file_selects_the_launcher(odonata):
    words = ("--", sys.executable, "who.py")
    seen = seen_by(odonata, "--machine", "frontier", "--set", "launcher=pals", *words, env={})
    assert seen[3]["PMIX_RANK"] == "3" and not any(k.startswith("SLURM") for k in seen[3])
    seen = seen_by(odonata, "--machine", "aurora", "--set", "launcher=slurm", *words, env={})
    assert seen[4]["SLURM_JOB_ID"] == "1000001"
    assert seen[4]["SLURM_JOB_NODELIST"] == "x4000c0s0b0n0,x4000c0s1b0n0,x4000c0s2b0n0"


@pytest.mark.parametrize("machine", ["aurora", "frontier"])
def test_the_job_was_submitted_where_the_command_ran(odonata, machine):
    """PBS_O_WORKDIR of qsub(1B), SLURM_SUBMIT_DIR of srun(1): not the ranks' directory."""
    (odonata.cwd / "elsewhere").mkdir()
    script = 'echo "$PBS_O_WORKDIR$SLURM_SUBMIT_DIR $PWD"'
    done = odonata("run", "-n", 1, "--machine", machine, "--wdir", "elsewhere", "--quiet", "--",
                   "sh", "-c", script)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{odonata.cwd} {odonata.cwd}/elsewhere\n"


# One write per rank, so that lines of ranks do not mix.
LISTS = 'test -f "$PBS_NODEFILE" && echo $(sort "$PBS_NODEFILE") "$PBS_NODEFILE"'


def test_the_node_file_lists_the_nodes_and_is_gone_afterwards(odonata):
    done = odonata("run", "-n", 3, "-ppn", 2, "--machine", "aurora", "--quiet", "--placement",
                   "round-robin", "--", "sh", "-c", LISTS)  # fmt: skip
    assert done.returncode == 0, done.stderr
    lines = {line.split()[-1]: line.split()[:-1] for line in done.stdout.splitlines()}
    assert list(lines.values()) == [["x4000c0s0b0n0", "x4000c0s1b0n0"]]
    assert not Path(next(iter(lines))).exists()


def test_a_binding_script_assigns_each_rank_its_own_tile(odonata):
    """As user guides of Aurora bind ranks to GPU tiles, six GPUs of two."""
    script = "echo $((PMIX_RANK % 12)) $((PALS_LOCAL_RANKID / 2)).$((PALS_LOCAL_RANKID % 2))"
    done = odonata("run", "-n", 12, "-ppn", 12, "--machine", "aurora", "--quiet", "--", "sh", "-c",
                   script)  # fmt: skip
    assert done.returncode == 0, done.stderr
    wanted = {f"{tile} {tile // 2}.{tile % 2}" for tile in range(12)}
    assert set(done.stdout.splitlines()) == wanted


JOBS = """
[[job]]
program = ["sh", "-c", "echo 1 $SLURM_JOB_ID $SLURM_JOB_NODELIST $SLURM_TASKS_PER_NODE"]
ranks = 3
ppn = 2
[[job]]
program = ["sh", "-c", "echo 2 $SLURM_JOB_ID $SLURM_JOB_NODELIST $SLURM_TASKS_PER_NODE"]
ranks = 2
"""


def test_concurrent_jobs_have_their_own_variables(odonata):
    (odonata.cwd / "jobs.toml").write_text(JOBS)
    done = odonata("run", "--jobs", "jobs.toml", "--machine", "lumi-c", "--quiet", "--no-alone")
    assert done.returncode == 0, done.stderr
    assert set(done.stdout.splitlines()) == {
        "1 1000001 nid[001000-001001] 2,1",
        "2 1000002 nid[001002-001003] 1(x2)",
    }
