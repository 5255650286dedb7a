"""Predictions that a change of names, texts or structure must not change.

`testdata/digests.toml` lists about 120 runs with the digest of each: every preset machine, routing
policy and fidelity, faults, traffic classes, jobs, programs and replays. A digest covers the time
and order of every message of its run. After a change of a prediction that is meant, list it in
CHANGELOG.md and write the digests anew: `python python/tests/test_digests.py --write`.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / "testdata" / "digests.toml"
WORKERS = 2
LIMIT_S = 300  # guard against hanging; the slowest run takes a few seconds


def odonata(command: str, scratch: str) -> dict:
    """The JSON result of `odonata COMMAND`, run in the root of the repository."""
    name, *words = command.replace("{tmp}", scratch).split()
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [sys.executable, "-m", "odonata", name, "--json", "--quiet", *words],
        cwd=ROOT, env={**os.environ, "PATH": path}, capture_output=True, text=True, timeout=LIMIT_S,
    )  # fmt: skip
    assert done.returncode == 0, f"{command}: exit {done.returncode}\n{done.stderr}"
    return json.loads(done.stdout)


def digests_in(result: object) -> list[str]:
    """Every value of a key `digest`, in the order of the result."""
    if isinstance(result, list):
        return [digest for item in result for digest in digests_in(item)]
    if not isinstance(result, dict):
        return []
    own = [result["digest"]] if isinstance(result.get("digest"), str) else []
    return own + [digest for item in result.values() for digest in digests_in(item)]


def digest_of(run: dict[str, str]) -> str:
    """The digest of a run, or a hash of its digests if it has several."""
    with tempfile.TemporaryDirectory() as scratch:
        if before := run.get("before"):
            odonata(before, scratch)
        found = digests_in(odonata(run["command"], scratch))
    assert found, f"{run['command']}: the result has no digest"
    if len(found) == 1:
        return found[0]
    return hashlib.sha256(" ".join(found).encode()).hexdigest()[:16]


def found_and_recorded() -> list[tuple[dict[str, str], str]]:
    runs = tomllib.loads(TABLE.read_text())["run"]
    with ThreadPoolExecutor(WORKERS) as pool:
        return list(zip(runs, pool.map(digest_of, runs), strict=True))


def test_digests_are_those_recorded():
    changed = [
        f"{run['command']}\n    recorded {run['digest']}, found {digest}"
        for run, digest in found_and_recorded()
        if digest != run["digest"]
    ]
    assert not changed, "\n".join(changed)


def write() -> None:
    """Record the digests that the runs have."""
    text = TABLE.read_text()
    head = text[: text.index("[[run]]")]
    rows = []
    for run, digest in found_and_recorded():
        keys = {**run, "digest": digest}
        rows.append("[[run]]\n" + "".join(f'{key} = "{value}"\n' for key, value in keys.items()))
    TABLE.write_text(head + "\n".join(rows))


if __name__ == "__main__":
    assert sys.argv[1:] == ["--write"], "usage: test_digests.py --write"
    write()
