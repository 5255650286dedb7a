"""The figures of the pages show current predictions, and the gallery lists them all."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from conftest import ROOT, script

FOLDER = ROOT / "docs" / "figures"
MAKE = script("docs/figures/make")
FIGURES = MAKE.figures()


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure["name"])
def test_a_figure_is_as_new_as_its_predictions(figure):
    """Else draw it again: `make figures`."""
    found = MAKE.current([figure])
    assert MAKE.recorded()[figure["name"]] == found[figure["name"]]


def test_changed_predictions_points_and_programs_are_noticed(monkeypatch):
    found = MAKE.recorded()
    assert MAKE.stale(found) == []
    for name, of, path in (
        ("saturation", "probes", None),
        ("tuning", "files", "docs/figures/tuning.json"),
        ("scale", "files", "examples/patches.c"),
    ):
        digests = found[name][of]
        changed = {**digests, path or next(iter(digests)): "0" * 16}
        assert path is None or path in digests
        assert MAKE.stale({**found, name: {**found[name], of: changed}}) == [name]


@pytest.fixture
def interrupted(monkeypatch, tmp_path):
    """`make.py` with one figure, whose script keeps a point and is then interrupted at times."""
    figure = {**next(f for f in FIGURES if f["name"] == "tuning"), "probes": ["probe"]}
    points = tmp_path / "tuning.json"
    state = {"digest": "old", "points": points, "computed": [], "ends": True}

    def draw(_figure):
        data = MAKE.kept.read(points)
        for name in "ab":
            if name not in data:
                state["computed"].append(name)
                data[name] = state["digest"]
                MAKE.kept.write(points, json.dumps(data))
            if not state["ends"]:
                raise KeyboardInterrupt

    monkeypatch.setattr(MAKE, "ROOT", tmp_path)
    monkeypatch.setattr(MAKE, "DIGESTS", tmp_path / "digests.json")
    monkeypatch.setattr(MAKE, "GALLERY", tmp_path / "gallery.md")
    monkeypatch.setattr(MAKE, "BEGUN", tmp_path / "begun")
    monkeypatch.setattr(MAKE, "figures", lambda: [figure])
    monkeypatch.setattr(MAKE, "points_of", lambda _: points)
    monkeypatch.setattr(MAKE, "gallery", lambda: "")
    monkeypatch.setattr(MAKE, "digest_of", lambda _: state["digest"])
    monkeypatch.setattr(MAKE, "draw", draw)

    def make(*words: str, ends: bool = True) -> list[str]:
        """The points that a call computes."""
        state["computed"], state["ends"] = [], ends
        if ends:
            assert MAKE.main(list(words)) == 0
        else:
            with pytest.raises(KeyboardInterrupt):
                MAKE.main(list(words))
        return state["computed"]

    return make, state


def test_an_interrupted_drawing_continues(interrupted):
    make, state = interrupted
    assert make(ends=False) == ["a"]
    assert make() == ["b"]
    assert make() == make("tuning") == []
    # Points of other predictions are computed again, also if only a part of them was.
    state["digest"] = "new"
    assert make(ends=False) == ["a"]
    state["digest"] = "newer"
    assert make(ends=False) == ["a"]
    assert make() == ["b"]
    assert json.loads(state["points"].read_text()) == {"a": "newer", "b": "newer"}
    # So are those of an interrupted drawing whose change is undone.
    state["digest"] = "other"
    assert make(ends=False) == ["a"]
    state["digest"] = "newer"
    assert make() == ["a", "b"]
    assert make("--all", ends=False) == ["a"]
    assert MAKE.main(["--check"]) == 1
    assert make("--all") == ["b"]
    assert make("--all") == ["a", "b"]


def test_points_that_were_edited_make_a_figure_stale(interrupted, capsys):
    make, state = interrupted
    make()
    state["points"].write_text('{"a": "old"}')
    assert MAKE.main(["--check"]) == 1 and capsys.readouterr().out.endswith("tuning: stale\n")
    assert make() == ["b"]
    assert MAKE.main(["--check"]) == 0


SCRIPTS = [
    *(f"docs/figures/{name}" for name in ("make", *(figure["name"] for figure in FIGURES))),
    "docs/reference/generate", "docs/reference/predictions", "docs/tutorial/notebooks",
    "python/generate_vocabulary",
]  # fmt: skip


@pytest.mark.parametrize("name", SCRIPTS)
def test_unknown_options_are_refused(name, tmp_path):
    program = ["program"] if name == "docs/figures/scale" else []
    words = [sys.executable, str(ROOT / f"{name}.py"), *program, "--nonesuch"]
    done = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path, timeout=60)
    assert done.returncode == 2 and "--nonesuch" in done.stderr, done.stderr


def test_every_picture_is_listed_and_shown_on_its_page():
    assert {MAKE.picture_of(f).name for f in FIGURES} == {p.name for p in FOLDER.glob("*.png")}
    for figure in FIGURES:
        assert (FOLDER / f"{figure['name']}.py").exists()
        assert MAKE.picture_of(figure).name in (ROOT / figure["page"]).read_text()


def test_the_gallery_is_current():
    """Else run `make figures`."""
    assert MAKE.GALLERY.read_text() == MAKE.gallery()
