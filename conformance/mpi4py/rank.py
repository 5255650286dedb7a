"""One rank of mpi4py's test suite: its own main program, with every result written to a file.

`rank.py SUITE OUT ARGUMENTS...` runs SUITE/main.py. Beside what unittest prints, rank R appends to
OUT/R a line when a test begins and one for every result: a rank that dies leaves what it knew.
"""

from __future__ import annotations

import os
import runpy
import sys
import unittest
from pathlib import Path

suite, out = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()


def our_rank() -> str:
    """Asked of MPI when the first test begins: only then has the suite set its options."""
    from mpi4py import MPI

    return str(MPI.COMM_WORLD.Get_rank())


class Results(unittest.TextTestResult):
    """unittest's results, told to a file as well."""

    file = None

    def tell(self, test: unittest.TestCase, word: str, why: object = "") -> None:
        if Results.file is None:
            # Line by line, so that nothing is lost with a rank.
            Results.file = open(out / our_rank(), "a", buffering=1, encoding="utf-8")
        reason = " ".join(str(why).split())[:300]
        Results.file.write(f"{word}\t{test.id()}\t{reason}\n")

    def startTest(self, test):
        self.tell(test, "begin")
        super().startTest(test)

    def addSuccess(self, test):
        self.tell(test, "pass")
        super().addSuccess(test)

    def addSkip(self, test, reason):
        self.tell(test, "skip", reason)
        super().addSkip(test, reason)

    def addFailure(self, test, err):
        self.tell(test, "fail", err[1])
        super().addFailure(test, err)

    def addError(self, test, err):
        self.tell(test, "error", repr(err[1]))
        super().addError(test, err)

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self.tell(test, "fail", repr(err[1]))
        super().addSubTest(test, subtest, err)

    def addExpectedFailure(self, test, err):
        self.tell(test, "pass", "as expected, it fails")
        super().addExpectedFailure(test, err)

    def addUnexpectedSuccess(self, test):
        self.tell(test, "fail", "it was expected to fail")
        super().addUnexpectedSuccess(test)


# The suite's main program makes unittest's own runner; this is what it makes results of.
unittest.TextTestRunner.resultclass = Results
sys.argv = [str(suite / "main.py"), *sys.argv[3:]]
sys.path[0] = os.fspath(suite)
sys.dont_write_bytecode = True
runpy.run_path(sys.argv[0], run_name="__main__")
