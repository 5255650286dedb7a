"""Writes a timeline as an OTF2 archive: `NAME.otf2`, `NAME.def` and the directory `NAME`.

It uses the package `otf2` of the OTF2 project, which writes the files with its C library. Events of
a location are in the order of their times. Times are picoseconds.
"""

from __future__ import annotations

import contextlib
import importlib
import itertools
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import Diagnostics
from . import records as tl
from .paraver import COLLECTIVES, Line, ordered

PS_PER_S = 10**12
EXTRA = "the package otf2: pip install 'odonata[otf2]'"
# Kinds of events in the sorted lines.
ENTER, LEAVE, SEND, RECV, BEGIN, END = range(6)
ACCESS, ACCESSED, REQUEST, ACQUIRE, RELEASE, WINDOW = range(6, 12)
# Operations on windows.
ACCESSES = ("put", "get", "atomic")
PUT, GET, ATOMIC = range(3)
ONE_SIDED = (*ACCESSES, "lock", "unlock")
# The empty messages of post, start, complete and wait are on a communicator of this name. Their
# tag is 0 from a post to a start, and 1 from a complete to a wait (crates/mpiabi/src/win/sync.rs).
SYNCHRONIZATION = "synchronization of window"
POSTED, COMPLETED = 0, 1
LIBRARY_MESSAGES = 1 << 30  # the bit of a context that marks them


def package() -> Any:
    """The package `otf2`, which an extra installs."""
    return importlib.import_module("otf2")


def check(wrong: Diagnostics) -> None:
    """Add a diagnostic unless the package can be used."""
    try:
        package()
    except (ImportError, OSError) as error:
        wrong.add("timeline", ".otf2", f"{EXTRA} ({error})")


def write(source: Path, target: Path) -> None:
    """Convert the records of `source`."""
    otf2 = package()
    records = tl.open_records(source)
    calls = tl.Calls(records)
    name = target.stem
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{name}-") as passing:
        try:
            writer = otf2.writer.Writer(passing, name, timer_resolution=PS_PER_S)
            with contextlib.closing(writer) as archive:
                convert(otf2, archive, records, calls)
        except otf2.error.Error as error:
            raise OSError(None, f"OTF2: {error}", str(target)) from None
        replace(Path(passing), target)


def replace(new: Path, target: Path) -> None:
    """Move an archive to its place. Of an older one only the files of OTF2 are removed."""
    events = target.parent / target.stem
    for old in (*events.glob("*.evt"), *events.glob("*.def")):
        old.unlink()
    events.mkdir(exist_ok=True)
    for file in (new / target.stem).iterdir():
        file.replace(events / file.name)
    for suffix in (".def", target.suffix):
        (new / target.name).with_suffix(suffix).replace(target.with_suffix(suffix))


def convert(otf2: Any, archive: Any, records: tl.Records, calls: tl.Calls) -> None:
    """Write definitions and events."""
    footer = records.footer
    define = archive.definitions
    mpi = otf2.Paradigm.MPI
    root = define.system_tree_node(footer["machine"], class_name="machine")
    nodes = [define.system_tree_node(n, class_name="node", parent=root) for n in footer["nodes"]]
    locations = []
    for rank, node in enumerate(footer["node_of_rank"][: footer["ranks"]]):
        group = define.location_group(
            f"rank {rank}", location_group_type=otf2.LocationGroupType.PROCESS,
            system_tree_parent=nodes[node],
        )  # fmt: skip
        locations.append(define.location(f"rank {rank}", group=group))
    writers = [archive.event_writer_from_location(location) for location in locations]
    define.group(
        "MPI locations", group_type=otf2.GroupType.COMM_LOCATIONS, paradigm=mpi, members=locations
    )
    communicators, groups = {}, {}
    for context, members in calls.communicators.members.items():
        title = f"communicator {context}" if context else "MPI_COMM_WORLD"
        group = define.group(
            title, group_type=otf2.GroupType.COMM_GROUP, paradigm=mpi,
            members=[locations[rank] for rank in members],
        )  # fmt: skip
        communicators[context], groups[context] = define.comm(title, group=group), group
    regions: dict[int, Any] = {}
    synchronized = windows_of(records) & communicators.keys()
    for context in sorted(synchronized):
        title = f"{SYNCHRONIZATION} {context}"
        communicators[context | LIBRARY_MESSAGES] = define.comm(title, group=groups[context])
    windows: dict[int, Any] = {}

    def window(context: int) -> Any:
        if context not in windows:
            title = f"window {context}"
            windows[context] = define.rma_win(title, comm=communicators[context])
        return windows[context]

    def region(op: int) -> Any:
        if op not in regions:
            regions[op] = define.region(calls.names[op], paradigm=mpi)
        return regions[op]

    collectives = {
        op: getattr(otf2.CollectiveOp, name.upper())
        for op, name in enumerate(footer["operations"]) if is_collective(tl.mpi_name(name))
    }  # fmt: skip
    for time, line in ordered(events(records, calls, synchronized), records.path.parent):
        rank, kind, a, b, c, d, context = map(int, line.split())
        writer = writers[rank]
        if kind == ENTER:
            writer.enter(time, region(a))
        elif kind == LEAVE:
            writer.leave(time, region(a))
        elif kind == SEND:
            writer.mpi_send(time, a, communicators[context], max(b, 0), c)
        elif kind == RECV:
            writer.mpi_recv(time, a, communicators[context], max(b, 0), c)
        elif kind == BEGIN:
            writer.mpi_collective_begin(time)
        elif kind >= ACCESS:
            one_sided(otf2, writer, time, window(context), kind, a, b, c, d)
        else:
            root_rank = b if b >= 0 else otf2.CollectiveRoot.NONE.value
            writer.mpi_collective_end(time, collectives[a], communicators[context], root_rank, c, d)


def windows_of(records: tl.Records) -> set[int]:
    """The communicators of the windows that ranks access or lock."""
    numbers = [records.footer["operations"].index(name) for name in ONE_SIDED]
    found: set[int] = set()
    for block in records.blocks():
        is_access = (block["kind"] == tl.OPERATION) & np.isin(block["op"], numbers)
        found.update(np.unique(block["context"][is_access]).tolist())
    return found


def one_sided(
    otf2: Any, writer: Any, time: int, window: Any, kind: int, name: int, peer: int, size: int,
    number: int,
) -> None:  # fmt: skip
    """Write an event of a window. `number` matches the events of one access."""
    if kind == WINDOW:
        writer.rma_win_create(time, window)
    elif kind == ACCESS and name == PUT:
        writer.rma_put(time, window, peer, size, number)
    elif kind == ACCESS and name == GET:
        writer.rma_get(time, window, peer, size, number)
    elif kind == ACCESS:
        returned = name - ATOMIC
        what = otf2.RmaAtomicType
        what = what.FETCH_AND_ACCUMULATE if returned else what.ACCUMULATE
        writer.rma_atomic(time, window, peer, what, size - returned, returned, number)
    elif kind == ACCESSED:
        writer.rma_op_complete_remote(time, window, number)
    elif kind == RELEASE:
        writer.rma_release_lock(time, window, peer, number)
    else:
        lock = otf2.LockType.EXCLUSIVE if size else otf2.LockType.SHARED
        write = writer.rma_request_lock if kind == REQUEST else writer.rma_acquire_lock
        write(time, window, peer, number, lock)


def is_collective(name: str) -> bool:
    return name.removeprefix("MPI_") in COLLECTIVES


def events(records: tl.Records, calls: tl.Calls, synchronized: set[int]) -> Iterator[Line]:
    """Events with their times, in no order: rank, kind, four numbers and the communicator.
    `synchronized` are the communicators of windows."""
    communicators = calls.communicators
    accesses = itertools.count(1)
    created: set[tuple[int, int]] = set()
    for block in records.blocks():
        yield from of_windows(calls, block, accesses, created)
        some = calls.of(block)
        keys = ("rank", "op", "begin", "end", "bytes", "block", "peer", "context", "within")
        columns = (some[key].tolist() for key in keys)
        for rank, op, begin, end, size, part, peer, context, within in zip(*columns, strict=True):
            yield begin, f"{rank} {ENTER} {op} 0 0 0 0\n"
            if within != tl.NO_OPERATION:
                yield begin, f"{rank} {BEGIN} {within} 0 0 0 0\n"
                root = peer if peer != tl.NO_PEER else -1
                is_root = communicators.rank_in(context, rank) == root
                n = len(communicators.members[context])
                name = records.footer["operations"][within]
                back = tl.received(name, size, part, is_root, n)
                yield end, f"{rank} {END} {within} {root} {size} {back} {context}\n"
            yield end, f"{rank} {LEAVE} {op} 0 0 0 0\n"
        is_user = (block["kind"] == tl.MESSAGE) & (block["flags"] & tl.COLLECTIVE == 0)
        some = block[is_user]
        keys = ("rank", "peer", "begin", "end", "bytes", "tag", "context")
        columns = (some[key].tolist() for key in keys)
        for rank, peer, begin, end, size, tag, context in zip(*columns, strict=True):
            own = context & ~LIBRARY_MESSAGES
            of = own if own in synchronized else context
            found, sender, receiver = communicators.of_message(of, rank, peer)
            if found != own or own not in synchronized:
                context = found
            yield begin, f"{rank} {SEND} {receiver} {tag} {size} 0 {context}\n"
            yield end, f"{peer} {RECV} {sender} {tag} {size} 0 {context}\n"


def of_windows(
    calls: tl.Calls, block: Any, accesses: Iterator[int], created: set[tuple[int, int]]
) -> Iterator[Line]:
    """Events of accesses and locks. Each rank and window in `created` has its creation."""
    footer, communicators = calls.records.footer, calls.communicators
    names = dict(enumerate(footer["operations"][: footer["operations"].index("barrier")]))
    some = block[block["kind"] == tl.OPERATION]
    keys = ("rank", "op", "begin", "end", "bytes", "peer", "context", "flags", "tag")
    columns = (some[key].tolist() for key in keys)
    for rank, op, begin, end, size, peer, context, flags, tag in zip(*columns, strict=True):
        name = names.get(op)
        if name not in ONE_SIDED:
            continue
        context, _, peer = communicators.of_message(context, rank, peer)
        if (rank, context) not in created:
            created.add((rank, context))
            yield 0, f"{rank} {WINDOW} 0 0 0 0 {context}\n"
        if name in ACCESSES:
            number = next(accesses)
            what = ACCESSES.index(name)
            # An atomic access also has the bytes that return.
            what += tag if what == ATOMIC else 0
            yield begin, f"{rank} {ACCESS} {what} {peer} {size} {number} {context}\n"
            yield end, f"{rank} {ACCESSED} 0 {peer} {size} {number} {context}\n"
        elif name == "lock":
            exclusive = int(flags & tl.EXCLUSIVE != 0)
            yield begin, f"{rank} {REQUEST} 0 {peer} {exclusive} 0 {context}\n"
            yield end, f"{rank} {ACQUIRE} 0 {peer} {exclusive} 0 {context}\n"
        else:
            yield end, f"{rank} {RELEASE} 0 {peer} 0 0 {context}\n"
