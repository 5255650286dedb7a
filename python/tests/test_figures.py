"""The figures of the pages show current predictions, and the gallery lists them all."""

from __future__ import annotations

import importlib.util

import pytest
from conftest import ROOT

FOLDER = ROOT / "docs" / "figures"


def module():
    spec = importlib.util.spec_from_file_location("make", FOLDER / "make.py")
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


MAKE = module()
FIGURES = MAKE.figures()


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure["name"])
def test_a_figure_is_as_new_as_its_predictions(figure):
    """Else draw it again: `make figures`."""
    found = MAKE.current([figure])
    assert MAKE.recorded()[figure["name"]] == found[figure["name"]]


def test_a_changed_prediction_is_noticed():
    found = {figure["name"]: MAKE.recorded()[figure["name"]] for figure in FIGURES}
    assert MAKE.stale(found) == []
    name, probes = next((n, p) for n, p in found.items() if p)
    changed = {**found, name: {**probes, next(iter(probes)): "0" * 16}}
    assert MAKE.stale(changed) == [name]


def test_every_picture_is_listed_and_shown_on_its_page():
    assert {MAKE.picture_of(f).name for f in FIGURES} == {p.name for p in FOLDER.glob("*.png")}
    for figure in FIGURES:
        assert (FOLDER / f"{figure['name']}.py").exists()
        assert MAKE.picture_of(figure).name in (ROOT / figure["page"]).read_text()


def test_the_gallery_is_current():
    """Else run `make figures`."""
    assert MAKE.GALLERY.read_text() == MAKE.gallery()
