"""The version of odonata."""

from __future__ import annotations

import functools

from . import core


@functools.cache
def version() -> str:
    """The core's version, from Cargo.toml like that of the package. Reading the package's metadata
    takes longer than all other imports of a command."""
    try:
        return core.core().__version__
    except ImportError:  # a source tree that was never built
        return "0+unknown"


def __getattr__(name: str) -> str:
    if name == "__version__":
        return version()
    raise AttributeError(f"module `{__name__}` has no attribute `{name}`")
