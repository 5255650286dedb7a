"""Draw the figures whose predictions have changed, and write docs/gallery.md.

    python docs/figures/make.py [--check] [--all] [NAME...]

Without names, every figure is drawn again that has no digests yet or whose probes (see
figures.toml) have other digests than in `digests.json`. With names, those are drawn. With `--all`,
every one is, which takes hours. `--check` draws nothing, and fails if a figure or the gallery is
out of date.
"""

from __future__ import annotations

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

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
GALLERY = ROOT / "docs" / "gallery.md"
DIGESTS = HERE / "digests.json"
WORKERS = 2
LIMIT_S = 300  # guard against a hanging probe; each takes about a second
# Programs that scripts take as an argument, compiled first.
PROGRAMS = {"scale": "examples/patches.c"}


def figures() -> list[dict]:
    return tomllib.loads((HERE / "figures.toml").read_text(encoding="utf-8"))["figure"]


def picture_of(figure: dict) -> Path:
    return HERE / f"{figure.get('picture', figure['name'])}.png"


def recorded() -> dict[str, dict[str, str]]:
    """The digests of each figure's probes when it was drawn."""
    return json.loads(DIGESTS.read_text(encoding="utf-8")) if DIGESTS.exists() else {}


def digest_of(probe: str) -> str:
    """The digest that a probe's run has now."""
    name, *words = shlex.split(probe)
    command = [sys.executable, "-m", "odonata", name, "--json", "--quiet", *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=LIMIT_S)
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


def current(chosen: Iterable[dict]) -> dict[str, dict[str, str]]:
    """The digests of each figure's probes now."""
    chosen = list(chosen)
    probes = [probe for figure in chosen for probe in figure["probes"]]
    with ThreadPoolExecutor(WORKERS) as pool:
        digests = dict(zip(probes, pool.map(digest_of, probes), strict=True))
    return {f["name"]: {probe: digests[probe] for probe in f["probes"]} for f in chosen}


def stale(found: dict[str, dict[str, str]]) -> list[str]:
    """Figures whose recorded digests are not those of `found`."""
    old = recorded()
    return [name for name, digests in found.items() if old.get(name) != digests]


def draw(figure: dict) -> None:
    """Runs a figure's script. Points kept from other predictions are removed first."""
    name = figure["name"]
    kept = picture_of(figure).with_suffix(".json")
    if figure["probes"] and name != "first_flight":
        kept.unlink(missing_ok=True)
    words = [sys.executable, str(HERE / f"{name}.py")]
    with tempfile.TemporaryDirectory() as folder:
        if source := PROGRAMS.get(name):
            program = Path(folder) / "program"
            compiler = Path(sys.executable).with_name("odonata-mpicc")
            subprocess.run([compiler, "-O2", ROOT / source, "-o", program], check=True)
            words.append(str(program))
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        subprocess.run(words, cwd=ROOT, env={**os.environ, "PATH": path}, check=True)


def record(found: dict[str, dict[str, str]]) -> None:
    """Stores the digests of figures that were drawn."""
    digests = {**recorded(), **found}
    listed = {f["name"]: digests[f["name"]] for f in figures() if f["name"] in digests}
    DIGESTS.write_text(json.dumps(listed, indent=1) + "\n", encoding="utf-8")


def gallery() -> str:
    """The page with all figures."""
    lines = [
        "# Gallery",
        "",
        "<!-- Written by docs/figures/make.py from figures.toml; do not edit this page. -->",
        "",
        "This page has every figure, with its script and the command of one of its points. `make",
        "figures` redraws the figures whose predictions have changed. A test fails if a figure is",
        "older than its predictions.",
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
    names = [word for word in words if not word.startswith("-")]
    if unknown := set(names) - {f["name"] for f in everything}:
        print(f"no figure is named {', '.join(sorted(unknown))}", file=sys.stderr)
        return 2
    chosen = [f for f in everything if not names or f["name"] in names]
    found = current(chosen)
    wanted = stale(found)
    if "--check" in words:
        wrong = [f"{name}: older than the predictions it shows" for name in wanted]
        if not GALLERY.exists() or GALLERY.read_text(encoding="utf-8") != gallery():
            wrong.append("docs/gallery.md: not as figures.toml defines it")
        print("\n".join(wrong), end="\n" if wrong else "")
        return 1 if wrong else 0
    for figure in chosen:
        name = figure["name"]
        if name in wanted or names or "--all" in words:
            print(f"{name}: {time_of(figure)}", flush=True)
            draw(figure)
            record({name: found[name]})
    GALLERY.write_text(gallery(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
