"""Verdicts of conformance/ and validation/ on the output of programs, tested on small texts.

`make conformance` runs the programs themselves, and `make test` a part of them.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from conftest import ROOT

PARTS = ("", "mpi4py", "storm", "posix")
sys.path[:0] = [str(ROOT / "conformance" / part) for part in PARTS]
sys.path.append(str(ROOT / "validation"))

import mpi4py_table  # noqa: E402
import places  # noqa: E402
import posix_suites  # noqa: E402
import storms  # noqa: E402
import suite  # noqa: E402
import validate  # noqa: E402


def outcome(**verdicts: str) -> suite.Outcome:
    found = suite.Outcome()
    for test, verdict in verdicts.items():
        found.record(test, verdict, "because")
    return found


def exempt(tests: str, *verdicts: str) -> suite.Exempt:
    return suite.Exempt(tests, suite.RANKS, verdicts or ("fail", "error"), "a reason")


def judged(simulated, reference=None, known=(), all_run=True) -> list[str]:
    return suite.judge({2: simulated}, {2: reference or outcome()}, list(known), all_run=all_run)


def test_a_failure_without_an_exception_is_wrong():
    (line,) = judged(outcome(good="pass", bad="fail"), outcome(good="pass", bad="pass"))
    assert line == "2 ranks: bad: fail (pass on the reference): because"
    assert judged(outcome(bad="fail"), known=[exempt("b*")]) == []
    assert len(judged(outcome(bad="died"), known=[exempt("b*")], all_run=False)) == 1


def test_an_unused_exception_is_stale():
    assert judged(outcome(good="pass"), known=[exempt("bad")]) == [
        "stale exception: `bad` no longer fails"
    ]
    # A part of the suite does not show whether an exception is stale.
    assert judged(outcome(good="pass"), known=[exempt("bad")], all_run=False) == []


def test_skips_are_wrong_only_where_the_reference_does_not_skip():
    assert judged(outcome(t="skip"), outcome(t="skip")) == []
    assert judged(outcome(t="skip")) == []
    (line,) = judged(outcome(t="skip"), outcome(t="pass"))
    assert line.startswith("2 ranks: t: skip (pass on the reference)")
    assert judged(outcome(t="skip"), outcome(t="pass"), [exempt("t", "skip")]) == []


def test_tests_that_never_ran_are_missed():
    (line,) = judged(outcome(), outcome(t="pass"))
    assert line == "2 ranks: t: did not run; pass on the reference"


def test_the_verdict_of_a_test_is_that_of_its_worst_rank(tmp_path: Path):
    (tmp_path / "0").write_text("begin\ta\npass\ta\nbegin\tb\npass\tb\n")
    (tmp_path / "1").write_text("begin\ta\nfail\ta\t1 != 2\nbegin\tb\n")
    found = suite.Outcome()
    assert suite.read(tmp_path, found) == "b", "the test in which a rank died"
    assert found.verdicts == {"a": "fail", "b": "pass"} and found.reasons["a"] == "1 != 2"


def test_reference_verdicts_are_kept_unless_they_timed_out(tmp_path: Path, monkeypatch):
    ran = []

    def run_module(place, suite_, module, ranks):
        ran.append((place.name, module))
        return suite.Outcome({"t": "pass"}, {}, is_whole=module != "slow")

    monkeypatch.setattr(suite, "run_module", run_module)
    monkeypatch.setattr(places, "CACHE", tmp_path)
    reference, at = places.Reference(tmp_path), tmp_path / "mpi4py-1.0" / "test"
    for module in ("quick", "slow") * 2:
        assert suite.run_or_recall(reference, at, module, 2).verdicts == {"t": "pass"}
        assert suite.run_or_recall(places.Twin(), at, module, 2).verdicts == {"t": "pass"}
    assert ran.count(("reference", "quick")) == 1 and ran.count(("reference", "slow")) == 2
    assert ran.count(("twin", "quick")) == 2, "the twin may have changed"


def test_exceptions_have_reasons():
    entry = '[[except]]\ntests = "t*"\n'
    (found,) = suite.exceptions(entry + 'ranks = [1]\nreason = "why"\n')
    assert found.covers("test", 1, "fail") and not found.covers("test", 2, "fail")
    for slip in ("", 'reason = ""\n', 'reason = "why"\nrank = 1\n', 'reason = "w"\nranks = [4]\n'):
        with pytest.raises(SystemExit):
            suite.exceptions(entry + slip)


def test_the_exceptions_are_readable():
    suite.exceptions(suite.EXCEPTIONS.read_text(encoding="utf-8"))


def test_the_table_counts():
    simulated = {2: outcome(a="pass", b="fail", c="skip")}
    text = mpi4py_table.page(simulated, {2: outcome(a="pass")}, [exempt("b")])
    assert "| 2 | odonata | 3 | 1 | 1 | 1 |" in text and "| 2 | mpich | 1 | 1 | 0 | 0 |" in text
    assert "| `b` | 1, 2, 3, 8 | a reason |" in text


def test_the_first_difference_of_storms_is_reported():
    assert storms.first_difference("a\nb\n", "a\nc\n") == "line 2: odonata `b`, reference `c`"
    assert storms.first_difference("a\n", "a\nb\n") == "odonata wrote 1 lines, the reference 2"


def test_short_storms_have_fixed_seeds_and_full_ones_new_seeds():
    def seeds(part: bool) -> list[int]:
        runs = storms.plan(part=part, chosen=["x"], seed=None, rounds=None, ranks=None)
        return [run.seed for run in runs]

    assert seeds(part=True) == seeds(part=True) != []
    assert seeds(part=False) != seeds(part=False)


def test_a_run_that_does_not_end_is_ended(tmp_path: Path):
    class Here:
        def command(self, ranks, program):
            return program

        def environment(self):
            return {}

    forever = [sys.executable, "-c", "import signal; signal.pause()"]
    assert places.run(Here(), 1, forever, seconds=0.2, cwd=tmp_path).code is None
    done = places.run(Here(), 1, [sys.executable, "-c", "print(1)"], seconds=60, cwd=tmp_path)
    assert (done.code, done.out) == (0, "1\n")


REPORT = """\
Current time (1795178938) is today
||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)=        0.0073574 ...... PASSED
WALL   192   192  32  32   2   4     0.01 PASSED    0.022  0.00
Begin of Summary section.
Success=1
HPL_time=0.827787
MPIFFT_maxErr=1.04738e-15
PTRANS_GBs=0.00706334
"""


def test_results_of_hpcc_are_residuals_and_no_times():
    answers = validate.hpcc_answers(REPORT)
    assert "0.0073574" in answers and "MPIFFT_maxErr=1.04738e-15" in answers
    assert "PTRANS_GBs" not in answers and "HPL_time" not in answers
    assert "WALL 192 192 32 32 2 4 PASSED 0.00" in answers
    slower = REPORT.replace("0.01 PASSED    0.022", "9.99 PASSED    0.001")
    assert validate.hpcc_answers(slower) == answers
    assert validate.hpcc_answers(REPORT.replace("0.0073574", "0.0073575")) != answers


def test_lost_updates_of_randomaccess_do_not_count_but_its_verdict_does():
    text = "Found {} errors in 262144 locations ({}).\nBegin of Summary section.\n"
    text += "MPIRandomAccess_Errors={}\nMPIRandomAccess_N=262144\n"
    answers = validate.hpcc_answers(text.format(0, "passed", 0))
    assert validate.hpcc_answers(text.format(13, "passed", 13)) == answers
    assert validate.hpcc_answers(text.format(13, "failed", 13)) != answers
    assert "262144" in answers


def test_results_of_lammps_are_thermodynamics_and_no_times():
    out = (
        "Step Temp E_pair\n       0         1.44   -6.7733681\n"
        "Loop time of 9.67522 on 8 procs\n99.5% CPU use with 8 MPI tasks\n"
        "Pair    | 0.22258    | 0.34392    | 0.40398    |   9.5 |  3.17\n"
        "Nlocal:        4000.00 ave        4037 max        3972 min\nTotal wall time: 0:00:15\n"
    )
    assert validate.lammps_answers(out).splitlines() == [
        "Step Temp E_pair",
        "       0         1.44   -6.7733681",
        "Nlocal:        4000.00 ave        4037 max        3972 min",
    ]


def test_a_run_that_never_starts_the_tests_fails(tmp_path):
    class Broken:
        python = "python"

        def command(self, ranks: int, program: list[str]) -> list[str]:
            return ["sh", "-c", "echo no such library >&2; exit 1"]

        def environment(self) -> dict[str, str]:
            return {}

    found = suite.run_module(Broken(), tmp_path, "rma", 2)
    assert found.verdicts == {"test_rma": "died"}
    assert found.reasons["test_rma"] == "exit code 1: no such library"


PJDFSTEST = """
link::efault_either                                                           ok
link::changed_ctime_success::char                                         FAILED
\tassertion failed
link::exdev_target                                                       skipped
Summary: 1 failed, 1 skipped, 1 passed, 0 expected failures, 3 total
"""


def test_verdicts_of_pjdfstest_are_those_of_a_plain_directory(capsys):
    found = posix_suites.verdicts(PJDFSTEST)
    assert found == {
        "link::efault_either": "ok",
        "link::changed_ctime_success::char": "FAILED",
        "link::exdev_target": "skipped",
    }
    plain = {**found, "link::changed_ctime_success::char": "ok"}
    assert not posix_suites.compare("daos", plain, found, [])
    assert "changed_ctime_success::char: FAILED" in capsys.readouterr().out
    assert posix_suites.compare("daos", plain, found, ["link::changed_ctime_success::*"])
    # A test that ends the suite has no verdict, and no exception allows that.
    del found["link::changed_ctime_success::char"]
    assert not posix_suites.compare("daos", plain, found, ["link::changed_ctime_success::*"])


def test_the_first_difference_of_random_calls_is_printed():
    assert posix_suites.first_difference(["a", "b"], ["a", "c"]).startswith("'c', in a plain")
    assert posix_suites.first_difference(["a"], []) == "0 lines, in a plain directory 1"
