"""Which odonata this is."""

from __future__ import annotations

import functools

from . import core


@functools.cache
def version() -> str:
    """The core's version. Package and core have the one in Cargo.toml, and asking the package's
    metadata takes longer than everything else that a command imports."""
    try:
        return core.core().__version__
    except ImportError:  # a source tree that was never built
        return "0+unknown"


def __getattr__(name: str) -> str:
    if name == "__version__":
        return version()
    raise AttributeError(f"module `{__name__}` has no attribute `{name}`")
