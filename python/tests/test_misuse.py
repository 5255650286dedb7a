"""Ways to misuse MPI: the right error class if errors return, a clear abort otherwise."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

import odonata as od

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "crates" / "mpiabi" / "tests" / "misuse"
PAGE = ROOT / "docs" / "reference" / "incorrect-programs.md"
COMPILER = Path(od.__file__).parent / "_bin" / "odonata-mpicc"

# The class that the standard requires, else that of the reference (MPICH 5.0.2).
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
    "aliased": "BUFFER",
    "gather_long_receive": "SUCCESS",
    "allgather_long_send": "SUCCESS",
    "allgather_long_receive": "SUCCESS",
    "alltoall_long_receive": "SUCCESS",
    "cut_element": "TYPE",
    "free_world": "COMM",
    "split_color": "SUCCESS",
    "group_rank": "RANK",
    "group_duplicate": "SUCCESS",
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

# Calls that the standard forbids and MPICH 5.0.2 or Open MPI 5 accepts: the class of Open MPI
# (from its source, ompi/mpi/c), and the note where one of them accepts the call.
BY_LIBRARY = {
    "aliased": ("SUCCESS", "MPI_Allreduce on rank 0 with the same buffer for sending"),
    "gather_long_receive": ("SUCCESS", "MPI_Gather on rank 0 with a block to itself"),
    "allgather_long_send": ("TRUNCATE", "MPI_Allgather on rank 0 with a block to itself"),
    "allgather_long_receive": ("SUCCESS", "MPI_Allgather on rank 0 with a block to itself"),
    "alltoall_long_receive": ("SUCCESS", "MPI_Alltoall on rank 0 with a block to itself"),
    "cut_element": ("SUCCESS", "MPI_Recv on rank 0 with a message that ends within an element"),
    "split_color": ("ARG", "MPI_Comm_split on rank 0 with a negative color"),
    "group_duplicate": ("SUCCESS", "MPI_Group_incl on rank 0 with a rank listed twice"),
}

# Calls that end the job: number of ranks and words of the message.
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
    """The program with all misuses, and the numbers of the error classes by name."""
    out = tmp_path_factory.mktemp("misuse") / "misuse"
    build(SOURCES / "misuse.c", out)
    header = (Path(od.__file__).parent / "_include" / "mpi.h").read_text()
    found = re.findall(r"#define MPI_ERR_(\w+)\s+(\d+)", header)
    return out, {"SUCCESS": 0, **{name: int(number) for name, number in found}}


def build(source: Path, out: Path, *flags: str) -> None:
    every = ["-O1", "-Wall", "-Werror", "-pthread", *flags]
    subprocess.run(["sh", COMPILER, *every, source, "-o", out], check=True)


def run(odonata, ranks: int, program: Path, *words: object, options: tuple = ("--quiet",)):
    return odonata("run", "-n", ranks, "--ppn", 3, "--machine", "dragonfly-1056", *options,
                   "--compute", "none", "--", program, *words)  # fmt: skip


def test_every_case_is_listed(misuse):
    alone = subprocess.run([misuse[0], "list"], capture_output=True, text=True, timeout=60)
    assert alone.stdout.split() == list(RETURNS)
    assert len(RETURNS) + len(STOPS) >= 45


@pytest.mark.parametrize("case", RETURNS)
def test_error_codes_have_the_right_class(odonata, misuse, case):
    program, classes = misuse
    done = run(odonata, 2, program, case)
    assert done.returncode == 0, done.stderr
    names = RETURNS[case] if isinstance(RETURNS[case], tuple) else (RETURNS[case],)
    report = sorted(done.stdout.splitlines())
    expected = [[f"rank {rank}: class {classes[name]}" for rank in range(2)] for name in names]
    assert report in expected, done.stderr


@pytest.mark.parametrize("case", STOPS)
def test_a_fatal_misuse_ends_the_job_with_a_reason(odonata, misuse, case):
    ranks, parts = STOPS[case]
    done = run(odonata, ranks, misuse[0], case)
    assert done.returncode != 0
    assert "survived" not in done.stdout or case == "collective_missing"
    for part in parts:
        assert part in done.stderr


@pytest.mark.parametrize("case", ["collective_same", "second_thread"])
def test_legal_calls_that_resemble_misuse_work(odonata, misuse, case):
    """Ranks of an allreduce pass two names of one type, or different types for a user-defined
    operator. With MPI_THREAD_SINGLE, a second thread calls MPI while no other thread does."""
    done = run(odonata, 2, misuse[0], case)
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == ["rank 0: survived", "rank 1: survived"]


def test_a_handler_may_raise_an_error_of_its_own(odonata, misuse):
    program, classes = misuse
    done = run(odonata, 1, program, "raising_handler")
    assert done.returncode == 0, done.stderr
    report = [f"rank 0: class {classes[name]}" for name in ("RANK", "TAG")]
    assert done.stdout.splitlines() == [*report, "rank 0: survived"]


def test_unfreed_objects_are_reported_at_the_end(odonata, misuse):
    done = run(odonata, 2, misuse[0], "leaks")
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("not freed at MPI_Finalize: 1 active request\n") == 1
    odonata.env["ODONATA_CHECK"] = "all"
    done = run(odonata, 2, misuse[0], "leaks")
    assert done.stderr.count("1 active request, 1 communicator, 1 datatype\n") == 2
    odonata.env["ODONATA_CHECK"] = "none"
    assert run(odonata, 2, misuse[0], "leaks").stderr == ""


def test_unfreed_objects_of_all_kinds_are_reported_on_request(odonata, misuse):
    odonata.env["ODONATA_CHECK"] = "all"
    done = run(odonata, 2, misuse[0], "leaks_of_all_kinds")
    left = "1 operation, 1 group, 1 window, 1 file, 1 info object, 1 inactive request\n"
    assert done.stderr.count(f"not freed at MPI_Finalize: {left}") == 2, done.stderr


@pytest.mark.parametrize("case", ["reused_in_flight", "other_type"])
def test_undetectable_misuse_is_not_reported(odonata, misuse, case):
    """The page of incorrect programs lists these cases; no false report is made."""
    done = run(odonata, 2, misuse[0], case)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("library", ["mpich", "openmpi"])
@pytest.mark.parametrize("case", BY_LIBRARY)
def test_misuse_that_a_library_accepts_is_noted_once(odonata, misuse, case, library):
    program, classes = misuse
    of_open_mpi, note = BY_LIBRARY[case]
    name = RETURNS[case] if library == "mpich" else of_open_mpi
    done = run(odonata, 2, program, case, options=("--mpi", library))
    report = [line for line in done.stdout.splitlines() if line.startswith("rank ")]
    assert sorted(report) == [f"rank {rank}: class {classes[name]}" for rank in range(2)]
    notes = done.stderr.count(f"not legal in MPI, though {library} accepts it: {note}")
    assert notes == (name == "SUCCESS"), done.stderr


class Corpus:
    """A program of some hundred incorrect calls, one row per call."""

    def __init__(self, program: Path):
        self.program = program

    def rows(self, odonata, *numbers: int, options: tuple = ("--quiet",)):
        """Number, category and name of each call, the expected class, and the class per rank."""
        done = run(odonata, 2, self.program, *numbers, options=options)
        assert done.returncode == 0, done.stderr
        calls: dict[int, tuple[str, str, str, list[str]]] = {}
        for line in done.stdout.splitlines():
            if line.count("\t") == 5:
                _, number, category, name, due, got = line.split("\t")
                calls.setdefault(int(number), (category, name, due, []))[3].append(got)
        return calls


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    out = tmp_path_factory.mktemp("corpus") / "corpus"
    build(SOURCES / "corpus.c", out)
    return Corpus(out)


def wrong(calls) -> list[tuple]:
    return [(n, name, due, got) for n, (_, name, due, got) in calls.items() if got != [due] * 2]


def table_of(calls) -> str:
    """The page's table of calls that are detected at the call or at matching."""
    rows: dict[str, tuple[int, set[str]]] = {}
    for category, _, due, _ in calls.values():
        if category != "legal":
            n, classes = rows.get(category, (0, set()))
            rows[category] = (n + 1, classes | {f"`MPI_ERR_{due}`"})
    lines = ["| category | calls | error classes |", "|---|---|---|"]
    lines += [f"| {c} | {n} | {', '.join(sorted(k))} |" for c, (n, k) in sorted(rows.items())]
    return "\n".join(lines)


def test_every_incorrect_call_of_the_corpus_is_reported(odonata, corpus):
    calls = corpus.rows(odonata)
    assert list(calls) == list(range(1, len(calls) + 1)) and len(calls) >= 600
    assert len({name + category for category, name, *_ in calls.values()}) == len(calls)
    assert wrong(calls) == []
    table = table_of(calls)
    if os.environ.get("ODONATA_WRITE"):
        before, _, rest = PAGE.read_text().partition("| category |")
        PAGE.write_text(f"{before}{table}\n\n{rest.partition(chr(10) * 2)[2]}")
    assert table in PAGE.read_text(), "stale: run this test with ODONATA_WRITE=1"


def test_the_other_abi_reports_the_same(odonata, corpus, tmp_path):
    out = tmp_path / "corpus"
    build(SOURCES / "corpus.c", out, "-abi=mpich")
    assert wrong(Corpus(out).rows(odonata)) == []


def test_open_mpi_reports_all_errors_that_it_checks(odonata, corpus):
    others = {"aliased": "SUCCESS", "rank twice": "RANK", "no such dimension": "DIMS"}
    for number, name, due, got in wrong(corpus.rows(odonata, options=("--mpi", "openmpi"))):
        which = name.rpartition(": ")[2].rpartition(", ")[2]
        is_cut = due == "TYPE" and " into " in name
        assert got == ["SUCCESS" if is_cut else others[which]] * 2, (number, name)


@pytest.mark.parametrize(
    "library, variable",
    [("mpich", "MPIR_CVAR_COLL_ALIAS_CHECK=0"), ("cray-mpich", "MPICH_NO_BUFFER_ALIAS_CHECK=1")],
)
def test_the_check_of_aliases_can_be_switched_off(odonata, corpus, library, variable):
    calls = corpus.rows(odonata, options=("--mpi", library, "--quiet"))
    aliased = [n for n, (_, name, _, _) in calls.items() if name.endswith("aliased")]
    assert len(aliased) >= 30 and wrong(calls) == []
    name, value = variable.split("=")
    odonata.env[name] = value
    done = run(odonata, 2, corpus.program, min(aliased), max(aliased), options=("--mpi", library))
    assert "not modeled" not in done.stderr and "not legal in MPI" not in done.stderr
    off = corpus.rows(odonata, min(aliased), max(aliased), options=("--mpi", library, "--quiet"))
    assert all(off[n][3] == ["SUCCESS"] * 2 for n in aliased)


# Values of arguments that are not under test, by type.
DEFAULTS = {
    "MPI_Comm": "MPI_COMM_WORLD",
    "MPI_Datatype": "MPI_INT",
    "MPI_Errhandler": "MPI_ERRORS_RETURN",
    "MPI_File": "MPI_FILE_NULL",
    "MPI_Group": "MPI_GROUP_EMPTY",
    "MPI_Info": "MPI_INFO_NULL",
    "MPI_Message": "MPI_MESSAGE_NULL",
    "MPI_Op": "MPI_SUM",
    "MPI_Request": "MPI_REQUEST_NULL",
    "MPI_Session": "MPI_SESSION_NULL",
    "MPI_Win": "win",
}
# Outputs that may be NULL: those of MPI_Init, a status, weights, and strings of length 0.
MAY_BE_NULL = {"argc", "argv", "sourceweights", "destweights", "pset_name"}


def null_calls() -> list[str]:
    """A line of C for each argument that points to one result, for every function."""
    table = (ROOT / "crates/mpiabi/interface/functions.tsv").read_text().splitlines()
    missing = (ROOT / "docs/reference/mpi.md").read_text().partition("## Not supported")[2]
    calls = []
    for row in (line.split("\t") for line in table if not line.startswith("#")):
        name, returns, arguments, place = row
        if returns != "int" or name.startswith("T_") or place == "mpich":
            continue
        if f"MPI_{name}:" in missing or arguments == "void":
            continue
        each = [a.strip() for a in arguments.split(",")]
        words = [a.rpartition(" ")[0].removeprefix("const ") for a in each]
        given = [
            "(void *)area" if "*" in a or "[" in a else DEFAULTS.get(word, "1")
            for a, word in zip(each, words, strict=True)
        ]
        for at, argument in enumerate(each):
            of, _, label = argument.rpartition("*")
            if not of or of.startswith("const") or "[" in label or label in MAY_BE_NULL:
                continue
            if of.strip() in ("void", "MPI_Status") or "_function" in of:
                continue
            if (name, label) == ("Info_get_string", "value"):
                continue
            values = ", ".join([*given[:at], "NULL", *given[at + 1 :]])
            calls.append(f'    report("{name}: {label}", MPI_{name}({values}));')
    return calls


@pytest.mark.parametrize("flags", [(), ("-abi=mpich",)])
def test_no_function_writes_its_result_through_null(odonata, tmp_path, flags):
    """As MPICH: "Null pointer in parameter ..." (MPI_ERR_ARG), with or without other errors."""
    calls = null_calls()
    assert len(calls) >= 350
    # The terminator is written even if the given length is 0.
    given = 'MPI_INFO_NULL, "key", 0, NULL, (void *)area'
    calls.append(f'    report("Info_get: value of length 0", MPI_Info_get({given}));')
    source = """#include <mpi.h>
#include <stdio.h>
static long area[64];
static void report(const char *call, int code)
{
    int class;
    MPI_Error_class(code, &class);
    if (class != MPI_ERR_ARG)
        printf("%s: class %d\\n", call, class);
}
int main(void)
{
    MPI_Win win;
    MPI_Init(NULL, NULL);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Win_create(area, 8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    CALLS
    MPI_Win_free(&win);
    return MPI_Finalize();
}
"""
    (tmp_path / "null.c").write_text(source.replace("    CALLS", "\n".join(calls)))
    build(tmp_path / "null.c", tmp_path / "null", *flags)
    done = run(odonata, 1, tmp_path / "null")
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
