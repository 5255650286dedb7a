"""Application models: `App`, and the calls of `Phases` (docs/application-models.md)."""

from __future__ import annotations

from .model import App
from .phases import Distribution, Grid, Phases, counts, exponential, lognormal, normal, uniform
from .running import AppResult, AppRow, load, run

__all__ = [
    "App", "AppResult", "AppRow", "Distribution", "Grid", "Phases", "counts", "exponential",
    "load", "lognormal", "normal", "run", "uniform",
]  # fmt: skip
