"""One rank of mpi4py's test suite: runs its main program and writes every result to a file.

`rank.py SUITE OUT ARGUMENTS...` runs SUITE/main.py. In addition to the output of unittest, rank R
appends a line to OUT/R when a test begins and for every result. So the file of a rank that dies has
the results up to then.
"""

from __future__ import annotations

import os
import runpy
import sys
import unittest
from pathlib import Path

suite, out = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()


def our_rank() -> str:
    """Called when the first test begins: only then has the suite set its options of MPI."""
    from mpi4py import MPI

    return str(MPI.COMM_WORLD.Get_rank())


class Results(unittest.TextTestResult):
    """unittest's results, also written to a file."""

    file = None

    def record(self, test: unittest.TestCase, word: str, why: object = "") -> None:
        if Results.file is None:
            # Line buffered, so that a rank that dies loses no result.
            Results.file = open(out / our_rank(), "a", buffering=1, encoding="utf-8")
        reason = " ".join(str(why).split())[:300]
        Results.file.write(f"{word}\t{test.id()}\t{reason}\n")

    def startTest(self, test):
        self.record(test, "begin")
        super().startTest(test)

    def addSuccess(self, test):
        self.record(test, "pass")
        super().addSuccess(test)

    def addSkip(self, test, reason):
        self.record(test, "skip", reason)
        super().addSkip(test, reason)

    def addFailure(self, test, err):
        self.record(test, "fail", err[1])
        super().addFailure(test, err)

    def addError(self, test, err):
        self.record(test, "error", repr(err[1]))
        super().addError(test, err)

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self.record(test, "fail", repr(err[1]))
        super().addSubTest(test, subtest, err)

    def addExpectedFailure(self, test, err):
        self.record(test, "pass", "as expected, it fails")
        super().addExpectedFailure(test, err)

    def addUnexpectedSuccess(self, test):
        self.record(test, "fail", "it was expected to fail")
        super().addUnexpectedSuccess(test)


# The suite's main program creates unittest's runner, which uses this class for results.
unittest.TextTestRunner.resultclass = Results
sys.argv = [str(suite / "main.py"), *sys.argv[3:]]
sys.path[0] = os.fspath(suite)
sys.dont_write_bytecode = True
runpy.run_path(sys.argv[0], run_name="__main__")
