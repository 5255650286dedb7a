"""Draw the figures that are stale, and write docs/gallery.md.

    python docs/figures/make.py [--check] [--all] [NAME...]

A figure is stale if its probes (see figures.toml), its kept points or its program differ from
those of `digests.json`, which describes the figure as it was drawn. With names, those figures are
drawn, stale or not. Kept points of the same predictions are not computed again, unless `--all` is
given, which takes hours for all figures. `--check` draws nothing, and fails if a figure or the
gallery is out of date. After an interruption the same command continues; with `--all` it computes
finished figures again, so name the others.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import kept

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
GALLERY = ROOT / "docs" / "gallery.md"
DIGESTS = HERE / "digests.json"
# The digests of the probes when the drawing of a figure began, until it ends.
BEGUN = ROOT / "target" / "figures"
WORKERS = 2
LIMIT_S = 300  # guard against a hanging probe; each takes about a second
WHOLE = ("first_flight",)  # scripts that compute and store all their points at once
# Files of predictions that scripts read.
READ = {
    "validation": (
        "docs/reference/application-predictions.json",
        "docs/reference/predictions.json",
        "docs/reference/storage-predictions.json",
    )
}
# Programs that scripts take as an argument, compiled first.
PROGRAMS = {"scale": "examples/patches.c"}


INTRODUCTION = """\
This page has every figure, with its script and the command of one of its points.
`make figures` draws the stale figures again, and a test fails while a figure is stale. An
interrupted call continues: scripts that take longer than five minutes keep each point in a file.

A figure is stale if one of these differs from when it was drawn:

- the digests of its probes, small runs of the models and machines that it shows
  ([figures.toml](figures/figures.toml)). A digest covers events of hosts and
  counters of a run, so it changes with the predictions of that model and machine;
- its kept points, and the program that it runs.

Another test compares all points of the first figure. Two changes are not noticed:

- of a script itself: after one, run `python docs/figures/make.py NAME`;
- in a part of a model that no probe reaches: `python docs/figures/make.py --all` computes all
  points again, in about a day."""


def figures() -> list[dict]:
    return tomllib.loads((HERE / "figures.toml").read_text(encoding="utf-8"))["figure"]


def picture_of(figure: dict) -> Path:
    return HERE / f"{figure.get('picture', figure['name'])}.png"


def points_of(figure: dict) -> Path:
    """The file of the figure's points, if its script keeps them."""
    return picture_of(figure).with_suffix(".json")


def recorded() -> dict[str, dict[str, dict[str, str]]]:
    """The digests of each figure's `probes` and `files` when it was drawn."""
    return kept.read(DIGESTS)


def files_of(figure: dict) -> dict[str, str]:
    """The digests of a figure's points, which its script keeps or reads, and of its program."""
    sources = [points_of(figure)]
    if program := PROGRAMS.get(figure["name"]):
        sources.append(ROOT / program)
    sources += [ROOT / path for path in READ.get(figure["name"], ())]
    return {
        str(path.relative_to(ROOT)): hashlib.sha256(path.read_bytes()).hexdigest()[:16]
        for path in sources
        if path.exists()
    }


def digest_of(probe: str) -> str:
    """The digest that a probe's run has now."""
    name, *words = shlex.split(probe)
    command = [sys.executable, "-m", "odonata", name, "--json", "--quiet", *words]
    done = subprocess.run(
        command, cwd=ROOT, env=environment(), capture_output=True, text=True, timeout=LIMIT_S
    )
    if done.returncode:
        raise SystemExit(f"{probe}: exit {done.returncode}\n{done.stderr}")
    found = digests_in(json.loads(done.stdout))
    if not found:
        raise SystemExit(f"{probe}: the result has no digest")
    if len(found) == 1:
        return found[0]
    return hashlib.sha256(" ".join(found).encode()).hexdigest()[:16]


def digests_in(result: object) -> list[str]:
    """Every value of a key `digest`, in the order of the result."""
    if isinstance(result, list):
        return [digest for item in result for digest in digests_in(item)]
    if not isinstance(result, dict):
        return []
    own = [result["digest"]] if isinstance(result.get("digest"), str) else []
    return own + [digest for item in result.values() for digest in digests_in(item)]


def environment() -> dict[str, str]:
    """Variables by which commands find `odonata` and `python`."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path}


def current(chosen: Iterable[dict]) -> dict[str, dict[str, dict[str, str]]]:
    """The digests of each figure's probes and files now."""
    chosen = list(chosen)
    probes = [probe for figure in chosen for probe in figure["probes"]]
    with ThreadPoolExecutor(WORKERS) as pool:
        digests = dict(zip(probes, pool.map(digest_of, probes), strict=True))
    return {
        f["name"]: {"probes": {p: digests[p] for p in f["probes"]}, "files": files_of(f)}
        for f in chosen
    }


def stale(found: dict[str, dict[str, dict[str, str]]]) -> list[str]:
    """Figures whose recorded digests are not those of `found`."""
    old = recorded()
    return [name for name, digests in found.items() if old.get(name) != digests]


def begin(figure: dict, probes: dict[str, str], again: bool) -> None:
    """Remove kept points of other predictions, or all if they are to be computed `again`.

    Points since an interrupted call with the same predictions remain. So do measurements, which
    depend on no prediction.
    """
    mark = BEGUN / f"{figure['name']}.json"
    begun = kept.read(mark) if mark.exists() else None
    drawn = recorded().get(figure["name"], {}).get("probes")
    if figure["probes"] and figure["name"] not in WHOLE and begun != probes:
        if again or begun is not None or drawn != probes:
            points_of(figure).unlink(missing_ok=True)
        BEGUN.mkdir(parents=True, exist_ok=True)
        kept.write(mark, json.dumps(probes))


def draw(figure: dict) -> None:
    """Run a figure's script."""
    name = figure["name"]
    words = [sys.executable, str(HERE / f"{name}.py")]
    with tempfile.TemporaryDirectory() as folder:
        if source := PROGRAMS.get(name):
            program = Path(folder) / "program"
            compiler = Path(sys.executable).with_name("odonata-mpicc")
            subprocess.run([compiler, "-O2", ROOT / source, "-o", program], check=True)
            words.append(str(program))
        subprocess.run(words, cwd=ROOT, env=environment(), check=True)


def record(figure: dict, probes: dict[str, str]) -> None:
    """Store the digests of a figure that was drawn."""
    digests = {**recorded(), figure["name"]: {"probes": probes, "files": files_of(figure)}}
    listed = {f["name"]: digests[f["name"]] for f in figures() if f["name"] in digests}
    kept.write(DIGESTS, json.dumps(listed, indent=1) + "\n")
    (BEGUN / f"{figure['name']}.json").unlink(missing_ok=True)


def gallery() -> str:
    """The page with all figures."""
    lines = [
        "# Gallery",
        "",
        "<!-- Written by docs/figures/make.py from figures.toml; do not edit this page. -->",
        "",
        *INTRODUCTION.splitlines(),
    ]
    for figure in figures():
        page = os.path.relpath(ROOT / figure["page"], GALLERY.parent)
        picture = picture_of(figure).relative_to(GALLERY.parent)
        script = f"python docs/figures/{figure['name']}.py"
        lines += ["", f"## {figure['title']}", "", f"![{figure['title']}]({picture})", ""]
        lines += [f"See [{figure['page']}]({page}). Time of all points: {time_of(figure)}.", ""]
        examples = [figure["example"]] if figure["example"] != script else []
        lines += ["```sh", script, *examples, "```"]
    return "\n".join(lines) + "\n"


def time_of(figure: dict) -> str:
    minutes = figure["minutes"]
    hours = f"about {round(minutes / 60)} hours"
    return hours if minutes >= 90 else f"{minutes} min"


def main(words: list[str]) -> int:
    everything = figures()
    parser = argparse.ArgumentParser(prog="make.py", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="draw nothing; fail if out of date")
    parser.add_argument("--all", action="store_true", help="compute all points again")
    parser.add_argument("names", nargs="*", metavar="NAME", help="a figure, stale or not")
    given = parser.parse_args(words)
    if unknown := set(given.names) - {f["name"] for f in everything}:
        parser.error(f"no figure is named {', '.join(sorted(unknown))}")
    chosen = [f for f in everything if not given.names or f["name"] in given.names]
    found = current(chosen)
    wanted = stale(found)
    if given.check:
        wrong = [f"{name}: stale" for name in wanted]
        if not GALLERY.exists() or GALLERY.read_text(encoding="utf-8") != gallery():
            wrong.append("docs/gallery.md: not as figures.toml defines it")
        print("\n".join(wrong), end="\n" if wrong else "")
        return 1 if wrong else 0
    for figure in chosen:
        name = figure["name"]
        if name in wanted or given.names or given.all:
            print(f"{name}: {time_of(figure)}", flush=True)
            begin(figure, found[name]["probes"], given.all)
            draw(figure)
            record(figure, found[name]["probes"])
    kept.write(GALLERY, gallery())
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except subprocess.CalledProcessError as error:
        sys.exit(f"figures: {shlex.join(map(str, error.cmd))}: exit code {error.returncode}")
    except KeyboardInterrupt:
        print("figures: interrupted; computed points are kept", file=sys.stderr)
        sys.exit(130)
