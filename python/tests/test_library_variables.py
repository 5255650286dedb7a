"""Variables and tuning files of the MPI libraries: their effect on a run, and the note if they have
none. Two equivalent settings give the same digest.
"""

from __future__ import annotations

import sys

import odonata as od
import pytest
from odonata import launch

MACHINE = "dragonfly-1056"
# Output of a public autotuner.
AVG_PPN = """{
  "collective=allreduce": {
    "comm_type=intra": {
      "comm_avg_ppn<=4": {"algorithm=MPIR_Allreduce_intra_ring": {}},
      "comm_avg_ppn=any": {"algorithm=MPIR_Allreduce_intra_recursive_doubling": {}}
    },
    "comm_type=inter": {"algorithm=MPIR_Allreduce_inter_reduce_exchange_bcast": {}}
  }
}"""
GENERIC = "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE"
COMPOSITIONS = "MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE"
POSIX = "MPIR_CVAR_CH4_POSIX_COLL_SELECTION_TUNING_JSON_FILE"
FLAT = {"MPIR_CVAR_ALLREDUCE_COMPOSITION": "2"}
SUM = """
from mpi4py import MPI
data = bytearray(8 * 600)
MPI.COMM_WORLD.Allreduce(MPI.IN_PLACE, [data, MPI.DOUBLE])
"""


@pytest.fixture
def run(tmp_path):
    """Runs a script with environment variables, without computation."""

    def run(script, env=None, *, machine=MACHINE, nodes=2, ppn=4, mpi="mpich", **more):
        (tmp_path / "script.py").write_text(script)
        job = od.machine(machine).job(nodes=nodes, ppn=ppn, mpi=mpi, **more)
        program = [sys.executable, "script.py"]
        return od.run(
            job, program, fidelity="loggp", compute="none", env=env or {}, wdir=tmp_path
        )

    return run


def test_a_tuning_file_can_depend_on_the_ranks_per_node(run, tmp_path):
    (tmp_path / "tuned.json").write_text(AVG_PPN)
    for ppn, algorithm in ((4, "ring"), (5, "recursive_doubling")):
        by_file = run(SUM, {GENERIC: "tuned.json", **FLAT}, ppn=ppn)
        forced = {"MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM": algorithm, **FLAT}
        by_hand = run(SUM, forced, ppn=ppn)
        assert by_file.summary["digest"] == by_hand.summary["digest"], algorithm
        assert by_file.summary.get("notes", []) == []
    other = {"MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM": "ring", **FLAT}
    assert by_file.summary["digest"] != run(SUM, other, ppn=5).summary["digest"]


def test_tuning_files_of_compositions_and_of_the_node(run, tmp_path):
    (tmp_path / "ch4.json").write_text(
        '{"collective=allreduce": {"composition=MPIDI_Allreduce_intra_composition_beta": {}}}'
    )
    (tmp_path / "tuned.json").write_text(AVG_PPN)
    (tmp_path / "posix.json").write_text(
        '{"collective=bcast": {"algorithm=MPIDI_POSIX_mpi_bcast_ipc_read": {}}}'
    )
    own = run(SUM)
    flat = run(SUM, {COMPOSITIONS: "ch4.json"})
    assert flat.summary["digest"] == run(SUM, FLAT).summary["digest"] != own.summary["digest"]
    both = run(SUM, {COMPOSITIONS: "ch4.json", GENERIC: "tuned.json"})
    ring = {"MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM": "ring", **FLAT}
    assert both.summary["digest"] == run(SUM, ring).summary["digest"]
    within = run(SUM, {POSIX: "posix.json"})
    assert within.summary["digest"] == own.summary["digest"]
    (note,) = within.summary["notes"]
    assert note.startswith("posix.json: bcast: within a node MPIDI_POSIX_mpi_bcast_ipc_read is not")
    with pytest.raises(od.InputError, match="MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE"):
        run(SUM, {GENERIC: "ch4.json"})


def test_open_mpi_takes_json_and_forced_algorithms(run, tmp_path):
    (tmp_path / "rules.json").write_text(
        '{"rule_file_version": 3, "module": "tuned", "collectives": {"allreduce":'
        ' [{"comm_size_min": 8, "comm_size_max": 8, "rules": [{"alg": "ring",}]}]}}'
    )
    use = {"OMPI_MCA_coll_tuned_use_dynamic_rules": "true"}
    file = {"OMPI_MCA_coll_tuned_dynamic_rules_filename": "rules.json"}
    ring = {"OMPI_MCA_coll_tuned_allreduce_algorithm": "4"}
    own = run(SUM, mpi="openmpi").summary["digest"]
    found = [run(SUM, env, mpi="openmpi") for env in ({**use, **file}, {**use, **ring}, ring)]
    digests = [result.summary["digest"] for result in found]
    assert digests[0] == digests[1] != own
    assert digests[2] == own and "has no effect without" in found[2].summary["notes"][0]
    with pytest.raises(od.InputError, match="a number from 0 to 7 or one of ignore"):
        run(SUM, {**use, "OMPI_MCA_coll_tuned_allreduce_algorithm": "rign"}, mpi="openmpi")
    # Another library ignores them.
    assert run(SUM, {**use, **ring}).summary["digest"] == run(SUM).summary["digest"]


def test_ranks_are_reordered_as_by_cray_mpich(run, tmp_path):
    script = "from mpi4py import MPI"

    def nodes(env, mpi="cray-mpich"):
        found = run(script, env, mpi=mpi).ranks["node"].to_pylist()
        return [sorted(set(found)).index(node) for node in found]

    method = "MPICH_RANK_REORDER_METHOD"
    # [CRAY] intro_mpi: 8 processes on two nodes of four.
    assert nodes({}) == nodes({method: "1"}) == [0, 0, 0, 0, 1, 1, 1, 1]
    assert nodes({method: "0"}) == [0, 1, 0, 1, 0, 1, 0, 1]
    assert nodes({method: "2"}) == [0, 1, 1, 0, 0, 1, 1, 0]
    (tmp_path / "MPICH_RANK_ORDER").write_text("# by a tool\n7-4\n0,1,2,3\n")
    assert nodes({method: "3"}) == [1, 1, 1, 1, 0, 0, 0, 0]
    (tmp_path / "mine").write_text("0,2,4,6 1,3,5,7")
    assert nodes({method: "3", "MPICH_RANK_REORDER_FILE": "mine"}) == [0, 1, 0, 1, 0, 1, 0, 1]
    # MPICH itself does not read the variable.
    assert nodes({method: "0"}, "mpich") == [0, 0, 0, 0, 1, 1, 1, 1]
    notes = launch.ignored_variables([{method: "0"}], "mpich", "slingshot")
    assert notes == [f"set, but not read by `mpich`: {method}"]
    for env, wanted in (
        ({method: "4"}, "2 .folded. or 3"),
        ({method: "3", "MPICH_RANK_REORDER_FILE": "none"}, "an order of ranks .No such file"),
        ({method: "3", "MPICH_RANK_REORDER_FILE": "script.py"}, "a range of ranks"),
    ):
        with pytest.raises(od.InputError, match=wanted):
            nodes(env)
    (tmp_path / "mine").write_text("0-6")
    with pytest.raises(od.InputError, match="7 is missing"):
        nodes({method: "3", "MPICH_RANK_REORDER_FILE": "mine"})


def test_the_user_selects_the_nic_of_each_rank(run):
    script = """
from mpi4py import MPI
w = MPI.COMM_WORLD
w.Sendrecv(bytearray(1 << 16), (w.rank + 4) % 8, recvbuf=bytearray(1 << 16))
"""

    def digest(env=None, **more):
        options = {"machine": "aurora", "mpi": "cray-mpich", **more}
        return run(script, env, **options).summary["digest"]

    policy, mapping = "MPICH_OFI_NIC_POLICY", "MPICH_OFI_NIC_MAPPING"
    one = digest({policy: "USER", mapping: "0:0-3"})
    assert one == digest(nic_policy="single") != digest()
    turns = digest({policy: "USER", mapping: "0:0; 1:1; 2:2; 3:3"})
    assert turns == digest({policy: "ROUND-ROBIN"}) != one
    assert digest(nic_policy="user:0:0-3") == one
    for env, wanted in (
        ({policy: "USER"}, mapping),
        ({policy: "USER", mapping: "0:0-2"}, "3 has none"),
        ({policy: "USER", mapping: "8:0-3"}, "0 to 7"),
        ({policy: "USER", mapping: "0;1"}, "such as"),
        ({policy: "BLCK"}, "one of block, numa, round-robin, gpu, single"),
    ):
        with pytest.raises(od.InputError, match=wanted):
            digest(env)


def test_collectives_begin_with_a_barrier_on_request(run):
    script = """
from mpi4py import MPI
w = MPI.COMM_WORLD
for _ in range(3):
    {barrier}w.Bcast(bytearray(64), root=0)
    w.Gather(bytearray(8), bytearray(64) if w.rank == 0 else None, root=0)
"""
    plain, synchronized = script.format(barrier=""), script.format(barrier="w.Barrier(); ")
    sync = {"MPICH_COLL_SYNC": "mpi_bcast"}
    own, by_hand = run(plain, mpi="cray-mpich"), run(synchronized, mpi="cray-mpich")
    synced = run(plain, sync, mpi="cray-mpich")
    assert synced.time == by_hand.time > own.time
    assert synced.summary["digest"] == by_hand.summary["digest"]
    assert "MPI_Barrier" not in synced.calls["function"].to_pylist()
    everywhere = run(plain, {"MPICH_COLL_SYNC": "1"}, mpi="cray-mpich")
    assert everywhere.time > synced.time
    assert run(plain, {"MPICH_COLL_SYNC": "0"}, mpi="cray-mpich").time == own.time
    noted = run(plain, {"MPICH_COLL_SYNC": "MPI_Bcsat"}, mpi="cray-mpich")
    assert noted.time == own.time and "did you mean `mpi_bcast`?" in noted.summary["notes"][0]
    assert run(plain, sync, mpi="mpich").time == run(plain, mpi="mpich").time


def test_variables_that_are_not_modeled_are_named():
    set_ones = {
        "FI_MR_CACHE_MONITOR": "kdreg2",
        "FI_UNIVERSE_SIZE": "8192",
        "FI_OFI_RXM_SAR_LIMIT": "3145728",
        "FI_CXI_DEFAULT_VNI": "1",
        "MPICH_OFI_NUM_NICS": "1",
        f"{GENERIC}_GPU": "gpu.json",
    }
    honored = {"FI_CXI_RX_MATCH_MODE": "software", GENERIC: "x", "FI_LOG_LEVEL": "warn"}
    notes = launch.ignored_variables([{**set_ones, **honored}], "cray-mpich", "slingshot")
    assert notes == [f"set, but not modeled: {', '.join(sorted(set_ones))}"]
    # With several jobs, each job has its own placement.
    variables = [{"MPICH_OFI_NIC_POLICY": "NUMA"}]
    notes = launch.ignored_variables(variables, "cray-mpich", "slingshot", False)
    assert notes == ["set, but not modeled: MPICH_OFI_NIC_POLICY"]


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"\0",
        b"\xff\xfe{\x00",
        b"{",
        b"[]",
        b"{}\n{}",
        b'{"collectives": {"allreduce": [{"rules": [{"alg": "',
        b'{"collective=allreduce": ' * 5000,
        b'{"collectives": ' + b"[" * 100_000,
        b'{"collective=allreduce": {"comm_avg_ppn<=99999999999999999999": {}}}',
        b'{"collective=\xc3\xa4": {}}',
        b"rule-file-version-3\n1 2 1",
        b"9" * 10_000,
    ],
)
def test_a_damaged_tuning_file_is_an_input_error(tmp_path, damage):
    rules = tmp_path / "rules"
    rules.write_bytes(damage)
    with pytest.raises(od.InputError) as caught:
        od.bench.allreduce(od.machine(MACHINE).job(nodes=2, coll_rules=rules), sizes=[8])
    assert caught.value.diagnostics[0].wanted and len(str(caught.value)) < 2_000
