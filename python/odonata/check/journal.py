"""The journal of a campaign: one JSON line per finished measurement, on disk before the next.

A line is appended and flushed to the device at once. After a kill at any point the journal has
whole lines, and perhaps the start of one more, which is dropped.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

from ..errors import Diagnostics


class Journal:
    """Finished measurements by key and repeat. Without a path nothing is stored."""

    def __init__(self, path: Path | None, campaign: str):
        self.path = path
        self.found: dict[str, Any] = {}
        self.reused = self.added = 0
        self._file = None
        if path is None:
            return
        digest = hashlib.sha256(campaign.encode()).hexdigest()
        kept = self._read(path, digest)
        self._file = open(path, "ab")  # noqa: SIM115 - open as long as the campaign runs
        self._file.truncate(kept)
        if kept == 0:
            self._append({"campaign": digest})

    def _read(self, path: Path, digest: str) -> int:
        """Read all whole lines, and return their bytes."""
        if not path.exists():
            return 0
        data = path.read_bytes()
        kept = 0
        lines = data.splitlines(keepends=True)
        first = json.dumps({"campaign": digest}).encode()
        if lines and not lines[-1].endswith(b"\n"):
            # A kill left a part of it. Of a single line, it must be a part of our first one.
            if len(lines) > 1 or first.startswith(lines[0]):
                lines.pop()
        for number, line in enumerate(lines):
            try:
                row = json.loads(line)
                is_own = row.get("campaign") == digest if number == 0 else "key" in row
            except (ValueError, AttributeError, TypeError):
                is_own = False
            if not is_own:
                wrong = Diagnostics()
                place = f"line {number + 1} of {path}"
                wrong.add("out", place, "the journal of this campaign file, or --force")
                wrong.raise_any()
            if number:
                self.found[row["key"]] = row["value"]
            kept += len(line)
        return kept

    def _append(self, row: dict[str, Any]) -> None:
        if self._file is not None:
            self._file.write(json.dumps(row).encode() + b"\n")
            self._file.flush()
            os.fsync(self._file.fileno())

    def get(self, key: str) -> Any:
        value = self.found.get(key)
        self.reused += value is not None
        return value

    def put(self, key: str, value: Any) -> None:
        self.found[key] = value
        self.added += 1
        self._append({"key": key, "value": value})

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
