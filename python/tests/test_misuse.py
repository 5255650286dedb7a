"""Ways to misuse MPI: the right error class for who asks, a clear stop for who does not."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

import odonata as od

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "crates" / "mpiabi" / "tests" / "misuse" / "misuse.c"
COMPILER = Path(od.__file__).parent / "_bin" / "odonata-mpicc"

# The class the standard asks for; where it asks for none, the reference's (MPICH 5.0.2).
RETURNS = {
    "send_rank_too_big": "RANK",
    "send_rank_negative": "RANK",
    "send_any_source": "RANK",
    "recv_rank": "RANK",
    "send_tag_negative": "TAG",
    "send_any_tag": "TAG",
    "send_tag_beyond": "TAG",
    "recv_tag_negative": "TAG",
    "type_null": "TYPE",
    "type_uncommitted": "TYPE",
    "type_freed": "TYPE",
    "type_garbage": "TYPE",
    "count_negative": "COUNT",
    "recv_count_negative": "COUNT",
    "buffer_null": "BUFFER",
    "comm_null": "COMM",
    "comm_freed": "COMM",
    "truncated": "TRUNCATE",
    "truncated_waitall": "IN_STATUS",
    "waits_negative": "COUNT",
    "request_garbage": "REQUEST",
    "request_freed": "REQUEST",
    "request_free_null": "REQUEST",
    "request_twice": "REQUEST",
    "start_active": "REQUEST",
    "start_plain": "REQUEST",
    "cancel_null": "REQUEST",
    "grequest_complete_plain": "REQUEST",
    "message_twice": "REQUEST",
    "bsend_without": "BUFFER",
    "bsend_small": "BUFFER",
    "detach_twice": "BUFFER",
    "attach_twice": "BUFFER",
    "pready_inactive": "REQUEST",
    "pready_range": "ARG",
    "pready_again": "ARG",
    "precv_any_source": "RANK",
    "vector_negative": "COUNT",
    "indexed_negative": "COUNT",
    "subarray_beyond": "ARG",
    "darray_grid": "ARG",
    "type_free_predefined": "TYPE",
    "contents_of_named": "TYPE",
    "unpack_beyond": "TRUNCATE",
    "match_size": "ARG",
    "root_beyond": "ROOT",
    "root_negative": "ROOT",
    "op_null": "OP",
    "op_of_type": "OP",
    "op_of_derived": "OP",
    "op_freed": "OP",
    "op_free_predefined": "OP",
    "collective_count": "COUNT",
    "free_world": "COMM",
    "split_color": "ARG",
    "group_rank": "RANK",
    "group_duplicate": "RANK",
    "group_freed": "GROUP",
    "dims_impossible": "DIMS",
    "cart_too_many": ("DIMS", "ARG", "TOPOLOGY"),
    "cart_of_none": "TOPOLOGY",
    "graph_invalid": ("RANK", "ARG", "TOPOLOGY"),
    "inter_overlap": ("COMM", "RANK", "ARG", "GROUP"),
    "info_key_long": "INFO_KEY",
    "info_freed": "INFO",
    "info_no_key": "INFO_NOKEY",
    "keyval_invalid": "KEYVAL",
    "keyval_predefined": "KEYVAL",
    "attr_freed": "COMM",
    "errhandler_freed": "ERRHANDLER",
    "error_code": "ARG",
    "init_twice": "OTHER",
}

# What ends the job, and what has to be in the message.
STOPS = {
    "finalize_twice": (2, ["rank ", "MPI_Finalize"]),
    "call_after_finalize": (2, ["rank ", "MPI_Barrier", "after MPI_Finalize"]),
    "call_before_init": (2, ["MPI_Comm_rank", "before MPI_Init"]),
    "fatal_by_default": (2, ["rank 0 on ", "MPI_Send", "MPI_COMM_WORLD", "invalid rank"]),
    "fatal_on_a_duplicate": (2, ["rank 0 on ", "MPI_Send", "communicator ", "invalid rank"]),
    "collective_kinds": (2, ["rank 1 on ", "MPI_Bcast", "MPI_Barrier"]),
    "collective_roots": (2, ["rank 1 on ", "MPI_Bcast", "root 1", "root 0"]),
    "collective_counts": (2, ["rank 1 on ", "MPI_Allreduce", "8 B", "4 B"]),
    "collective_ops": (2, ["rank 1 on ", "MPI_SUM of int32", "rank 0 ", "MPI_MAX of int32"]),
    "collective_types": (2, ["rank 1 on ", "MPI_SUM of int32", "rank 0 ", "MPI_SUM of float32"]),
    "collective_pairs": (2, ["rank 1 on ", "MPI_Reduce", "MPI_MINLOC", "datatypes differ"]),
    "collective_own_op": (2, ["rank 1 on ", "MPI_Scan", "a commutative operator", "MPI_SUM"]),
    "collective_commutes": (2, ["rank 1 on ", "MPI_Reduce_scatter_block", "a commutative operator",
                                "rank 0 ", "a non-commutative operator"]),
    "collective_missing": (2, ["rank 1 on ", "MPI_Barrier", "not called by rank 0"]),
    "wait_unmatched": (2, ["deadlock", "rank 0 on ", "MPI_Wait", "receive from rank 1, tag 5"]),
    "recv_self": (2, ["deadlock", "rank 0 on ", "MPI_Recv", "receive from rank 0"]),
    "send_self_big": (2, ["deadlock", "rank 0 on ", "MPI_Send", "no receive was posted"]),
    "head_to_head": (2, ["deadlock", "rank 0 on ", "MPI_Ssend", "no receive was posted"]),
    "unmarked_partition": (2, ["rank 0 on ", "MPI_Wait", "MPI_Pready"]),
    "grequest_never_completed": (2, ["rank 0 on ", "MPI_Wait", "MPI_Grequest_complete"]),
    "abort_in_handler": (2, ["rank 0 on ", "MPI_Abort with code 9"]),
    "call_after_abort": (2, ["rank 0 on ", "MPI_Abort with code 5"]),
    "abort_code_zero": (2, ["rank 0 on ", "MPI_Abort with code 0"]),
    "exit_without_finalize": (2, ["rank 0 on ", "without MPI_Finalize"]),
    "two_threads": (2, ["rank ", "MPI_Isend", "another thread", "MPI_Allreduce",
                        "MPI_THREAD_MULTIPLE"]),
    "unsupported": (2, ["rank 0 on ", "MPI_Comm_join", "not supported"]),
}


@pytest.fixture(scope="module")
def misuse(tmp_path_factory):
    """The program of all misuses, and the numbers of the error classes by name."""
    out = tmp_path_factory.mktemp("misuse") / "misuse"
    flags = ["-O1", "-Wall", "-Werror", "-pthread"]
    subprocess.run(["sh", COMPILER, *flags, SOURCE, "-o", out], check=True)
    header = (Path(od.__file__).parent / "_include" / "mpi.h").read_text()
    found = re.findall(r"#define MPI_ERR_(\w+)\s+(\d+)", header)
    return out, {name: int(number) for name, number in found}


def run(odonata, ranks: int, program: Path, case: str):
    return odonata("run", "-n", ranks, "--ppn", 3, "--machine", "dragonfly-1056", "--quiet",
                   "--compute", "none", "--", program, case)  # fmt: skip


def test_every_case_is_listed(misuse):
    alone = subprocess.run([misuse[0], "list"], capture_output=True, text=True, timeout=60)
    assert alone.stdout.split() == list(RETURNS)
    assert len(RETURNS) + len(STOPS) >= 45


@pytest.mark.parametrize("case", RETURNS)
def test_who_asks_for_codes_gets_the_class(odonata, misuse, case):
    program, classes = misuse
    done = run(odonata, 2, program, case)
    assert done.returncode == 0, done.stderr
    names = RETURNS[case] if isinstance(RETURNS[case], tuple) else (RETURNS[case],)
    told = sorted(done.stdout.splitlines())
    expected = [[f"rank {rank}: class {classes[name]}" for rank in range(2)] for name in names]
    assert told in expected, done.stderr


@pytest.mark.parametrize("case", STOPS)
def test_who_does_not_is_stopped_with_a_reason(odonata, misuse, case):
    ranks, parts = STOPS[case]
    done = run(odonata, ranks, misuse[0], case)
    assert done.returncode != 0
    assert "survived" not in done.stdout or case == "collective_missing"
    for part in parts:
        assert part in done.stderr


@pytest.mark.parametrize("case", ["collective_same", "second_thread"])
def test_what_only_looks_wrong_works(odonata, misuse, case):
    """Two names of one type, two operators that only their programs can tell apart; a thread that
    calls MPI while no other does, though the program asked for one."""
    done = run(odonata, 2, misuse[0], case)
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == ["rank 0: survived", "rank 1: survived"]


def test_a_handler_may_raise_an_error_of_its_own(odonata, misuse):
    program, classes = misuse
    done = run(odonata, 1, program, "raising_handler")
    assert done.returncode == 0, done.stderr
    told = [f"rank 0: class {classes[name]}" for name in ("RANK", "TAG")]
    assert done.stdout.splitlines() == [*told, "rank 0: survived"]


def test_what_is_left_at_the_end_is_told(odonata, misuse):
    done = run(odonata, 2, misuse[0], "leaks")
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("left behind at MPI_Finalize: 1 active request\n") == 1
    odonata.env["ODONATA_CHECK"] = "all"
    done = run(odonata, 2, misuse[0], "leaks")
    assert done.stderr.count("1 active request, 1 communicator, 1 datatype\n") == 2
    odonata.env["ODONATA_CHECK"] = "none"
    assert run(odonata, 2, misuse[0], "leaks").stderr == ""
