"""SQLite on a simulated file system: transactions of each journal mode, of two processes, and a
process that ends within a transaction. Usage: databases.py DIR."""

import os
import sqlite3
import sys
from pathlib import Path

ROWS = 300


def check(connection: sqlite3.Connection, rows: int, total: int) -> None:
    assert connection.execute("pragma integrity_check").fetchone() == ("ok",)
    assert connection.execute("select count(*), sum(v) from t").fetchone() == (rows, total)


def transactions(path: Path, mode: str) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    assert connection.execute(f"pragma journal_mode={mode}").fetchone()[0] == mode
    connection.execute("create table t (k integer primary key, v integer, text blob)")
    connection.execute("create index i on t (v)")
    for first in range(0, ROWS, 50):
        connection.execute("begin immediate")
        for k in range(first, first + 50):
            connection.execute("insert into t values (?, ?, ?)", (k, k * k, os.urandom(k * 7)))
        connection.execute("commit")
    total = sum(k * k for k in range(ROWS))
    connection.execute("begin")
    connection.execute("delete from t")
    connection.execute("rollback")
    check(connection, ROWS, total)
    unfinished(path)
    check(connection, ROWS, total)
    exclusive(path, connection)
    # A smaller file after a deletion.
    connection.execute("delete from t where k % 2")
    if mode == "wal":
        connection.execute("pragma wal_checkpoint(truncate)")
    size = path.stat().st_size
    connection.execute("vacuum")
    if mode == "wal":
        connection.execute("pragma wal_checkpoint(truncate)")
    assert path.stat().st_size < size
    check(connection, ROWS // 2, sum(k * k for k in range(0, ROWS, 2)))
    connection.close()
    check(sqlite3.connect(path), ROWS // 2, sum(k * k for k in range(0, ROWS, 2)))


def unfinished(path: Path) -> None:
    """A process ends within a transaction whose pages have reached the file."""
    child = os.fork()
    if child == 0:
        mine = sqlite3.connect(path, isolation_level=None)
        mine.execute("pragma cache_size=1")
        mine.execute("begin immediate")
        mine.execute("update t set v = v + 1, text = zeroblob(3000)")
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0


def exclusive(path: Path, connection: sqlite3.Connection) -> None:
    """Another process cannot write during a transaction."""
    connection.execute("begin immediate")
    child = os.fork()
    if child == 0:
        other = sqlite3.connect(path, isolation_level=None, timeout=0)
        try:
            other.execute("begin immediate")
        except sqlite3.OperationalError as locked:
            os._exit(0 if "locked" in str(locked) else 2)
        os._exit(3)
    assert os.waitpid(child, 0)[1] == 0, "a second process wrote during a transaction"
    connection.execute("rollback")


for mode in sys.argv[2:] or ("delete", "truncate", "persist", "wal"):
    transactions(Path(sys.argv[1], mode + ".db"), mode)
print("sqlite: integrity_check ok")
