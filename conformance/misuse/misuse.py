"""The corpus of incorrect MPI calls, run with odonata and with the reference library.

odonata makes all calls of `corpus.c` in one run. The reference makes them one at a time, because
some of them end or block it. It must return the expected class of each call, except for those in
`exceptions.toml`, which lists its behavior.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import places

HERE = Path(__file__).resolve().parent
SOURCE = places.ROOT / "crates" / "mpiabi" / "tests" / "misuse" / "corpus.c"
RANKS = 2
SECONDS = 20
# The behavior of the reference in a call that does not return.
ENDS = "ends"


def main() -> bool:
    """Whether both libraries behave as expected."""
    reference = places.reference()
    program = str(places.compiled(SOURCE))
    listed = places.toml((HERE / "exceptions.toml").read_text(encoding="utf-8"))
    excused = {name: does for does, part in listed.items() for name in part["calls"]}
    with tempfile.TemporaryDirectory() as scratch:
        cwd = Path(scratch)
        twin = places.run(places.Twin(), RANKS, [program], seconds=SECONDS * 6, cwd=cwd)
        calls = rows(twin.out)
        fine = twin.code == 0 and all(got == [due] * RANKS for _, due, got in calls.values())
        word = "as expected" if fine else "FAILED"
        print(f"misuse: {len(calls)} calls, {word} with odonata", flush=True)
        for number, (name, due, _) in calls.items():
            done = places.run(reference, RANKS, [program, str(number)], seconds=SECONDS, cwd=cwd)
            got = rows(done.out).get(number, ("", "", []))[2]
            does = got[0] if len(got) == RANKS and len(set(got)) == 1 else ENDS
            expected = excused.pop(name, due)
            # The effect of an invalid address may differ from run to run.
            if does != expected and (expected, does) != (ENDS, due):
                print(f"misuse: {number} {name}: expected {due}, the reference: {does}", flush=True)
                fine = False
    for name, does in excused.items():
        print(f"misuse: exceptions.toml names {name!r} ({does}), which is not a call of the corpus")
    return fine and not excused


def rows(out: str) -> dict[int, tuple[str, str, list[str]]]:
    """Name, expected class and returned classes, by number."""
    found: dict[int, tuple[str, str, list[str]]] = {}
    for line in out.splitlines():
        if line.count("\t") == 5:
            _, number, _, name, due, got = line.split("\t")
            found.setdefault(int(number), (name, due, []))[2].append(got)
    return found
