"""The state of a fabric on disk: one SQLite file.

The state of a control plane is its machine, its seed and the ordered log of requests, each with its
simulated time. A request is in the log before it is acknowledged, so `kill -9` loses none. Tokens
are stored as hashes.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import secrets
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

SCHEMA = """
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS log (n INTEGER PRIMARY KEY, at_s REAL NOT NULL, request TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS tokens (
    name TEXT PRIMARY KEY, role TEXT NOT NULL, sha256 TEXT NOT NULL UNIQUE
);
"""
# Version of the tables and of the requests in the log.
FORMAT = 1


class StoreError(Exception):
    """The file cannot be used; the message states why."""


class Store:
    """Log, clock and tokens of one fabric. One process at a time writes, see `Lease`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            # Autocommit: transactions are explicit. The worker thread of `plane` uses it alone.
            self.db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            self.db.execute("PRAGMA journal_mode = WAL")
            # Each commit reaches the disk, so that also a power failure loses no acknowledged one.
            self.db.execute("PRAGMA synchronous = FULL")
            self.db.executescript(SCHEMA)
            found = self.fact("format")
        except sqlite3.Error as error:
            raise StoreError(f"cannot use `{path}`: {error}") from None
        if found is None:
            self.set_facts({"format": FORMAT})
        elif found != FORMAT:
            raise StoreError(f"`{path}` has format {found}, this odonata reads format {FORMAT}")

    def fact(self, name: str) -> Any:
        """A stored value, or None."""
        row = self.db.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
        return None if row is None else json.loads(row[0])

    def set_facts(self, values: dict[str, Any]) -> None:
        """Store several values at once."""
        rows = [(name, json.dumps(value)) for name, value in values.items()]
        self._write("INSERT OR REPLACE INTO facts VALUES (?, ?)", rows)

    def append(self, entries: Sequence[tuple[float, str]]) -> None:
        """Append requests with their simulated times; when this returns, they are on disk."""
        self._write("INSERT INTO log (at_s, request) VALUES (?, ?)", entries)

    def _write(self, statement: str, rows: Sequence[tuple[Any, ...]]) -> None:
        """One transaction, all or nothing."""
        self.db.execute("BEGIN IMMEDIATE")
        try:
            self.db.executemany(statement, rows)
            self.db.execute("COMMIT")
        except sqlite3.Error:
            if self.db.in_transaction:
                self.db.execute("ROLLBACK")
            raise

    def entries(self, after: int = 0) -> Iterator[tuple[int, float, str]]:
        """Number, time and request of all entries after a number, in order."""
        yield from self.db.execute(
            "SELECT n, at_s, request FROM log WHERE n > ? ORDER BY n", (after,)
        )

    def n_entries(self) -> int:
        """The number of logged requests."""
        return self.db.execute("SELECT count(*) FROM log").fetchone()[0]

    def create_token(self, name: str, role: str) -> str:
        """A new token of a role; one of the same name is replaced. Only its hash is stored."""
        token = secrets.token_urlsafe(32)
        self.db.execute(
            "INSERT OR REPLACE INTO tokens VALUES (?, ?, ?)", (name, role, hashed(token))
        )
        return token

    def delete_token(self, name: str) -> bool:
        """Revoke a token. Returns whether it existed."""
        return self.db.execute("DELETE FROM tokens WHERE name = ?", (name,)).rowcount > 0

    def tokens(self) -> list[tuple[str, str, str]]:
        """Name, role and hash of all tokens, by name."""
        return self.db.execute("SELECT name, role, sha256 FROM tokens ORDER BY name").fetchall()

    def close(self) -> None:
        """Close the file."""
        self.db.close()


def hashed(token: str) -> str:
    """The form in which a token is stored. A token has 256 random bits, so no salt is needed."""
    return hashlib.sha256(token.encode()).hexdigest()


class Lease:
    """The right to write a fabric's file. The operating system ends it with the process."""

    def __init__(self, path: Path) -> None:
        self.file = os.open(path.with_name(path.name + ".lock"), os.O_RDWR | os.O_CREAT, 0o600)

    def take(self) -> bool:
        """Take the lease if no other process has it."""
        try:
            fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def release(self) -> None:
        """Return the lease."""
        os.close(self.file)
