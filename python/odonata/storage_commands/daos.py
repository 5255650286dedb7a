"""`daos`: pools and containers of a simulated DAOS system.

A container is the directory POOL/CONTAINER of the mount. All pools have all targets, so a pool
exists as soon as it is named. Options, messages and formats are those of DAOS 2.6 (docs.daos.io).
An option that is not modeled is an error.
"""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import sys
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from . import facts, mounting

# Layout of new files (`crates/live/src/file_layouts.rs`), and properties of the container.
LAYOUT = "lustre.lov"
PROPERTIES = "user.daos.properties"

# DER_* numbers of DAOS (include/daos_errno.h).
ERRORS = {
    "DER_INVAL": (-1003, "Invalid parameters"),
    "DER_EXIST": (-1004, "Entity already exists"),
    "DER_NONEXIST": (-1005, "The specified entity does not exist"),
    "DER_NOSYS": (-1010, "Function not implemented"),
}
LABEL = re.compile(r"[A-Za-z0-9:._-]{1,127}")
CLASS = re.compile(r"S(\d+|X)|RP_(\d+)G(\d+|X)|EC_(\d+)P(\d+)G(\d+|X)")
# Properties that change nothing in the simulation, with the values that DAOS accepts.
INERT = {
    "label": r".+",
    "csum_size": r"\d+[kKmM]?",
    "dedup": r"off",
    "compression": r"off",
    "encryption": r"off",
    "status": r"healthy|HEALTHY",
    "rd_lvl": r"\d+|rank|node",
    "perf_domain": r"\d+|rank|node|root|group",
}


class CommandError(Exception):
    """A message after `ERROR: daos: `."""


def der(name: str) -> str:
    """An error in the form of DAOS."""
    number, text = ERRORS[name]
    return f"{name}({number}): {text}"


def main(words: Sequence[str]) -> int:
    """Run `daos` with these arguments. Returns the exit status."""
    group = {"cont": "container"}.get(words[0], words[0]) if words else ""
    command = {"ls": "list"}.get(words[1], words[1]) if len(words) > 1 else ""
    run = COMMANDS.get((group, command))
    try:
        if run is None:
            known = ", ".join(" ".join(names) for names in COMMANDS)
            raise CommandError(f"'{group} {command}' is not one of the modeled commands: {known}")
        return run(words[2:])
    except CommandError as error:
        print(f"ERROR: daos: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"ERROR: daos: {error.filename}: {error.strerror}", file=sys.stderr)
        return 1


def split(
    words: Sequence[str], options: dict[str, str], flags: Sequence[str] = ()
) -> tuple[dict[str, str], list[str]]:
    """Options by their long names, and the other words. `options` has the long name for each
    spelling; those of `flags` have no value.
    """
    given: dict[str, str] = {}
    rest: list[str] = []
    todo = list(words)
    while todo:
        word = todo.pop(0)
        if not word.startswith("-") or word == "-":
            rest.append(word)
            continue
        name, equals, value = word.partition("=")
        if name not in options and not name.startswith("--") and len(name) > 2:
            name, equals, value = name[:2], "=", name[2:]
        if name not in options:
            raise CommandError(f"unknown flag `{name.lstrip('-')}' (wrong, or not modeled)")
        if options[name] in flags:
            value = "yes"
        elif not equals:
            if not todo:
                raise CommandError(f"expected argument for flag `{name}'")
            value = todo.pop(0)
        given[options[name]] = value
    return given, rest


def system() -> dict[str, Any]:
    """The first DAOS system that is mounted."""
    rows = facts.file_systems("daos")
    if not rows:
        raise CommandError(f"no DAOS system is mounted in this run: {der('DER_NONEXIST')}")
    return rows[0]


def checked(label: str, what: str) -> str:
    """A label of a pool or container."""
    if not LABEL.fullmatch(label) or label in (".", ".."):
        raise CommandError(f"invalid {what} label '{label}': {der('DER_INVAL')}")
    return label


def directory_of(pool: str, container: str = "") -> str:
    """The directory of a pool or of a container."""
    root = str(system()["mounts"][0])
    path = os.path.join(root, checked(pool, "pool"))
    return os.path.join(path, checked(container, "container")) if container else path


def identity(*names: str) -> uuid.UUID:
    """A UUID that is the same in every run."""
    return uuid.uuid5(uuid.NAMESPACE_URL, "daos://" + "/".join(names))


@dataclass
class Properties:
    """The properties of a container."""

    redundancy_factor: int
    file_class: str
    directory_class: str
    chunk_size: int
    others: dict[str, str]

    def text(self) -> str:
        """The attribute of the container."""
        return json.dumps(self.__dict__, sort_keys=True)


def _class_of(row: dict[str, Any], option: str, name: str) -> str:
    """An object class that exists and fits the pool."""
    found = CLASS.fullmatch(name.upper())
    if found is None:
        raise CommandError(f"unknown object class '{name}' of {option}: {der('DER_INVAL')}")
    groups = found[1] or found[3] or found[6]
    members = int(found[2] or 0) or int(found[4] or 0) + int(found[5] or 0) or 1
    shards = members * (1 if groups == "X" else int(groups))
    if members > row["servers"] or shards > row["targets"] or shards == 0:
        raise CommandError(
            f"object class '{name}' of {option} does not fit {row['servers']} servers with "
            f"{row['targets']} targets: {der('DER_INVAL')}"
        )
    return name.upper()


def _redundancy_of(name: str) -> int:
    """Failures that an object of this class survives."""
    found = CLASS.fullmatch(name)
    if found is None or found[1]:
        return 0
    return int(found[2]) - 1 if found[2] else int(found[5])


def _properties_of(row: dict[str, Any], text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for entry in filter(None, text.split(",")):
        key, colon, value = entry.partition(":")
        if not colon:
            key, colon, value = entry.partition("=")
        if not colon or not value:
            raise CommandError(f"invalid property '{entry}': KEY:VALUE expected")
        found[key] = value
    for key, value in found.items():
        match key:
            case "rd_fac" | "rf":
                is_known = value in ("0", "1", "2", "3")
            case "ec_cell_sz" | "ec_cell":
                is_known = _size(key, value) == row["cell_size"]
            case "cksum":
                is_known = (value == "off") == (row["checksums"] == "off")
            case "srv_cksum":
                is_known = (value == "off") == (row["checksums"] != "client-and-engine")
            case _:
                is_known = bool(re.fullmatch(INERT.get(key, "(?!)"), value))
        if not is_known:
            raise CommandError(
                f"property {key}:{value} is not the one of the machine file, or not modeled: "
                f"{der('DER_NOSYS')}"
            )
    return found


def _size(option: str, text: str) -> int:
    try:
        size = facts.read_size(text)
    except ValueError:
        size = 0
    if size == 0:
        raise CommandError(f"invalid size '{text}' of {option}: {der('DER_INVAL')}")
    return size


def _defaults(row: dict[str, Any], properties: dict[str, str]) -> Properties:
    """The properties of a container, from its redundancy factor."""
    text = properties.get("rd_fac", properties.get("rf"))
    factor = int(row["redundancy_factor"] if text is None else text)
    by_factor = row["containers"][factor]
    if by_factor is None:
        raise CommandError(
            f"rd_fac:{factor} needs more than {row['servers']} servers: {der('DER_INVAL')}"
        )
    is_default = text is None
    return Properties(
        factor,
        is_default and row["file_class"] or by_factor["file_class"],
        is_default and row["directory_class"] or by_factor["directory_class"],
        is_default and row["chunk_size"] or by_factor["chunk_size"],
        properties,
    )


CREATE = {
    **{name: "type" for name in ("--type", "-t")},
    **{name: "class" for name in ("--oclass", "-o")},
    **{name: "file" for name in ("--file-oclass", "-F")},
    **{name: "directory" for name in ("--dir-oclass", "-D")},
    **{name: "chunk" for name in ("--chunk-size", "-z")},
    "--properties": "properties",
    "--pool": "pool",
    "--label": "label",
    "-l": "label",
}


def container_create(words: Sequence[str]) -> int:
    """Create a container."""
    given, rest = split(words, CREATE)
    pool = given.get("pool") or (rest.pop(0) if rest else "")
    label = given.get("label") or (rest.pop(0) if rest else "")
    if not pool or not label or rest:
        raise CommandError("POOL and a LABEL are required: daos container create POOL LABEL")
    if given.get("type", "POSIX").upper() != "POSIX":
        raise CommandError(f"type {given['type']} is not modeled: {der('DER_NOSYS')}")
    row = system()
    properties = _defaults(row, _properties_of(row, given.get("properties", "")))
    if name := given.get("file") or given.get("class"):
        properties.file_class = _class_of(row, "--file-oclass", name)
        if "chunk" not in given:
            properties.chunk_size = 1 << 20
    if name := given.get("directory") or given.get("class"):
        properties.directory_class = _class_of(row, "--dir-oclass", name)
    for name in (properties.file_class, properties.directory_class):
        if _redundancy_of(name) < properties.redundancy_factor:
            raise CommandError(
                f"object class {name} has less redundancy than "
                f"rd_fac:{properties.redundancy_factor}: {der('DER_INVAL')}"
            )
    if "chunk" in given:
        properties.chunk_size = _size("--chunk-size", given["chunk"])
    path = directory_of(pool, label)
    if os.path.isdir(path):
        raise CommandError(f"failed to create container: {der('DER_EXIST')}")
    os.makedirs(path)
    layout = (
        f"oclass={properties.file_class} dir_oclass={properties.directory_class} "
        f"chunk_size={properties.chunk_size}"
    )
    try:
        os.setxattr(path, LAYOUT, layout.encode())
        os.setxattr(path, PROPERTIES, properties.text().encode())
    except OSError as error:
        os.rmdir(path)
        if error.errno == errno.EINVAL:
            raise CommandError(f"failed to create container: {der('DER_INVAL')}") from None
        raise
    number = identity(pool, label)
    print(f"  Container UUID : {number}")
    print(f"  Container Label: {label}")
    print("  Container Type : POSIX\n")
    print(f"Successfully created container {label}")
    return 0


def _container(
    words: Sequence[str], options: dict[str, str], flags: Sequence[str] = ()
) -> tuple[dict[str, str], str, str, str]:
    """The options, labels and directory of a container that exists."""
    options = {"--pool": "pool", "--cont": "cont", **options}
    given, rest = split(words, options, flags)
    pool = given.get("pool") or (rest.pop(0) if rest else "")
    container = given.get("cont") or (rest.pop(0) if rest else "")
    if not pool or not container or rest:
        raise CommandError("a POOL and a CONTAINER are required")
    path = directory_of(pool, container)
    if not os.path.isdir(path):
        raise CommandError(f"failed to open container {container}: {der('DER_NONEXIST')}")
    return given, pool, container, path


def _read_properties(path: str) -> Properties:
    """Those of a container; those of the machine file for a directory that is no container."""
    try:
        return Properties(**json.loads(os.getxattr(path, PROPERTIES)))
    except OSError as error:
        if error.errno != errno.ENODATA:
            raise
        return _defaults(system(), {})


def container_query(words: Sequence[str]) -> int:
    """Print the properties of a container."""
    _, pool, container, path = _container(words, {})
    properties = _read_properties(path)
    for name, value in (
        ("Container UUID", identity(pool, container)),
        ("Container Label", container),
        ("Container Type", "POSIX"),
        ("Pool UUID", identity(pool)),
        ("Container redundancy factor", properties.redundancy_factor),
        ("Number of open handles", 1),
        ("Number of snapshots", 0),
        ("Object Class", "UNKNOWN"),
        ("Dir Object Class", properties.directory_class),
        ("File Object Class", properties.file_class),
        ("Chunk Size", _binary(properties.chunk_size)),
    ):
        print(f"  {name:<27}: {value}")
    return 0


def container_get_prop(words: Sequence[str]) -> int:
    """Print the properties of a container in DAOS's names."""
    given, _, container, path = _container(words, {"--properties": "properties"})
    properties = _read_properties(path)
    row = system()
    rows = {
        "label": ("Label", container),
        "layout_type": ("Layout Type", "POSIX"),
        "rd_fac": ("Redundancy Factor", f"rd_fac{properties.redundancy_factor}"),
        "rd_lvl": ("Redundancy Level", "node (2)"),
        "ec_cell_sz": ("EC Cell Size", _binary(row["cell_size"])),
        "cksum": ("Checksum", "off" if row["checksums"] == "off" else "crc32"),
        "srv_cksum": (
            "Server Checksumming",
            "on" if row["checksums"] == "client-and-engine" else "off",
        ),
        "status": ("Health", "HEALTHY"),
    }
    chosen = given["properties"].split(",") if "properties" in given else list(rows)
    for name in chosen:
        if name not in rows:
            raise CommandError(f"unknown property {name}: {', '.join(rows)}")
    print(f"Properties for container {container}")
    print("Name                  Value")
    print("----                  -----")
    for name in chosen:
        title = f"{rows[name][0]} ({name})"
        print(f"{title:<32} {rows[name][1]}")
    return 0


def container_list(words: Sequence[str]) -> int:
    """List the containers of a pool."""
    given, rest = split(words, {"--pool": "pool"})
    pool = given.get("pool") or (rest.pop(0) if rest else "")
    if not pool or rest:
        raise CommandError("a POOL is required")
    path = directory_of(pool)
    names = sorted(os.listdir(path)) if os.path.isdir(path) else []
    names = [name for name in names if os.path.isdir(os.path.join(path, name))]
    if not names:
        print("No containers.")
        return 0
    print("UUID                                 Label")
    print("----                                 -----")
    for name in names:
        print(f"{identity(pool, name)} {name}")
    return 0


def container_destroy(words: Sequence[str]) -> int:
    """Remove a container with its files."""
    options = {"--force": "force", "-f": "force"}
    _, pool, container, path = _container(words, options, ("force",))
    for mount in mounting.mounted():
        if mount.backing.endswith(f"/{pool}/{container}"):
            raise CommandError(
                f"failed to destroy container {container}: DER_BUSY(-1012): Device or resource "
                f"busy: mounted at {mount.path}"
            )
    shutil.rmtree(path)
    print(f"Successfully destroyed container {container}")
    return 0


def pool_query(words: Sequence[str]) -> int:
    """Print the targets and the space of a pool."""
    given, rest = split(words, {"--pool": "pool"})
    pool = given.get("pool") or (rest.pop(0) if rest else "")
    if not pool or rest:
        raise CommandError("a POOL is required")
    checked(pool, "pool")
    row = system()
    targets = row["targets"]
    print(
        f"Pool {identity(pool)}, ntarget={targets}, disabled=0, leader=0, version=1, state=Ready"
    )
    print("Pool health info:")
    print("- Rebuild idle, 0 objs, 0 recs")
    print("Pool space info:")
    print(f"- Target count:{targets}")
    tiers = (("SCM", row["scm_capacity"]), ("NVMe", row["nvme_capacity"]))
    for i, (name, size) in enumerate(tiers):
        each = _decimal(size // targets)
        print(f"- Storage tier {i} ({name}):")
        print(f"  Total size: {_decimal(size)}")
        print(f"  Free: {_decimal(size)}, min:{each}, max:{each}, mean:{each}")
    return 0


def pool_list(words: Sequence[str]) -> int:
    """List the pools that have containers."""
    _, rest = split(words, {})
    if rest:
        raise CommandError(f"unexpected argument '{rest[0]}'")
    row = system()
    root = row["mounts"][0]
    names = [name for name in sorted(os.listdir(root)) if os.path.isdir(os.path.join(root, name))]
    if not names:
        print("No pools in system")
        return 0
    size = row["scm_capacity"] + row["nvme_capacity"]
    print("Pool                 Size     State Used Imbalance Disabled")
    print("----                 ----     ----- ---- --------- --------")
    for name in names:
        print(f"{name:<20} {_decimal(size):<8} Ready 0%   0%        0/{row['targets']}")
    return 0


def _binary(size: int) -> str:
    """A size in the form of `daos container query`."""
    value, unit = float(size), 0
    while value >= 1024 and unit < 5:
        value, unit = value / 1024, unit + 1
    return f"{value:.1f} {('B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB')[unit]}"


def _decimal(size: int) -> str:
    """A size in the form of `daos pool query`."""
    value, unit = float(size), 0
    while value >= 1000 and unit < 6:
        value, unit = value / 1000, unit + 1
    return f"{value:.1f} {('B', 'kB', 'MB', 'GB', 'TB', 'PB', 'EB')[unit]}"


COMMANDS: dict[tuple[str, str], Callable[[Sequence[str]], int]] = {
    ("container", "create"): container_create,
    ("container", "query"): container_query,
    ("container", "destroy"): container_destroy,
    ("container", "list"): container_list,
    ("container", "get-prop"): container_get_prop,
    ("pool", "query"): pool_query,
    ("pool", "list"): pool_list,
}
