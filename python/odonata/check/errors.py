"""What prevents a measurement."""

from __future__ import annotations

from ..errors import Error


class CannotRun(Error):
    """A command of the campaign failed: it could not start, ended with an error or took too long,
    or its output has no result."""
