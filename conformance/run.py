"""`make conformance`: runs MPI programs and compares their results with the reference library's.

    run.py [--part] [mpi4py|storm|tuning|fortran|misuse|programs|libraries|posix] ...

Runs all of them if none is named.

--part is the subset of `make test`, which takes two minutes. Without it everything runs, with
odonata and with the reference library.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
# Plain scripts in neighboring folders: nothing here is installed.
FOLDERS = ("", "mpi4py", "storm", "tuning", "fortran", "misuse", "programs", "libraries",
           "posix")  # fmt: skip
sys.path[:0] = [str(HERE / name) for name in FOLDERS]


def main() -> int:
    import libraries
    import misuse
    import mpich_fortran
    import posix_suites
    import programs
    import storms
    import suite
    import tuning

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--part", action="store_true", help="run the part of `make test`.")
    commands = parser.add_subparsers(dest="what")
    tests = commands.add_parser("mpi4py", help="mpi4py's own test suite.")
    tests.add_argument("modules", nargs="*", help="modules of the suite, such as `rma`.")
    tests.add_argument("-n", type=int, action="append", choices=suite.RANKS, help="ranks.")
    storm = commands.add_parser("storm", help="random programs, compared byte for byte.")
    storm.add_argument("names", nargs="*", help="storms, such as `p2p`.")
    storm.add_argument("--seed", type=int, help="a printed seed; random by default.")
    storm.add_argument("--rounds", type=int, help="rounds of each run.")
    storm.add_argument("-n", type=int, action="append", help="ranks.")
    commands.add_parser("tuning", help="files that `odonata tune` writes, read by MPICH.")
    commands.add_parser("fortran", help="MPICH's own tests of Fortran.")
    commands.add_parser("misuse", help="incorrect calls, compared with MPICH.")
    commands.add_parser("libraries", help="HDF5, h5py and PnetCDF on simulated file systems.")
    program = commands.add_parser("programs", help="programs on simulated file systems.")
    program.add_argument("names", nargs="*", help="checks, such as `git`.")
    files = commands.add_parser("posix", help="pjdfstest, fsx and random calls on files.")
    files.add_argument("--seeds", type=int, help="number of seeds of each random test.")
    files.add_argument("--calls", type=int, help="random calls per seed.")
    given = parser.parse_args()

    start = time.monotonic()
    fine = True
    if given.what in (None, "storm"):
        one = given.what == "storm"
        fine &= storms.main(
            part=given.part,
            names=given.names if one else [],
            seed=given.seed if one else None,
            rounds=given.rounds if one else None,
            ranks=given.n if one else None,
        )
    if given.what in (None, "programs"):
        fine &= programs.main(part=given.part, names=given.names if given.what else [])
    if given.what in (None, "libraries"):
        fine &= libraries.main(part=given.part)
    if given.what in (None, "mpi4py"):
        one = given.what == "mpi4py"
        chosen = (given.n if one else None) or suite.RANKS
        fine &= suite.main(
            part=given.part, modules=given.modules if one else [], ranks=tuple(chosen)
        )
    if given.what == "tuning" or given.what is None and not given.part:
        fine &= tuning.main()
    if given.what == "fortran" or given.what is None and not given.part:
        fine &= mpich_fortran.main()
    if given.what == "misuse" or given.what is None and not given.part:
        fine &= misuse.main()
    if given.what in (None, "posix"):
        one = given.what == "posix"
        fine &= posix_suites.main(
            part=given.part,
            seeds=given.seeds if one else None,
            calls=given.calls if one else None,
        )
    print(f"{'all as expected' if fine else 'FAILED'}, after {time.monotonic() - start:.0f} s")
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
