"""`lfs`: layouts of files and directories, and usage, of simulated Lustre file systems.

Options, messages and formats are those of Lustre 2.15 (lfs(1)). An option that is not modeled is an
error.
"""

from __future__ import annotations

import errno
import getopt
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from . import facts, layouts
from .layouts import EOF, Component

# Exit status after a wrong option.
USAGE = 1
# LOV_MIN_STRIPE_SIZE, and LOV_MAX_STRIPE_COUNT (lustre_user.h).
UNIT = 64 << 10
MOST_STRIPES = 2000

USAGES = {
    "setstripe": "[-d] [-E END] [-c COUNT] [-C COUNT] [-S SIZE] [-i INDEX] [-p POOL] [-L mdt] PATH",
    "getstripe": "[-d] [-r] [-c] [-S] [-i] [-p] [-L] [-y] PATH...",
    "mkdir": "[-c COUNT] [-i INDEX] [-m MODE] DIRECTORY...",
    "setdirstripe": "[-c COUNT] [-i INDEX] [-m MODE] DIRECTORY...",
    "getdirstripe": "[-c] [-i] DIRECTORY...",
    "df": "[-h] [-i] [PATH]",
    "osts": "[PATH]",
    "mdts": "[PATH]",
}


class CommandError(Exception):
    """A message after `lfs COMMAND: `, and the exit status."""

    def __init__(self, message: str, status: int = USAGE) -> None:
        super().__init__(message)
        self.status = status


def main(words: Sequence[str]) -> int:
    """Run `lfs` with these arguments. Returns the exit status."""
    command = words[0] if words else ""
    run = COMMANDS.get(command)
    if run is None:
        known = ", ".join(COMMANDS)
        print(f"lfs: '{command}' is not one of the modeled commands: {known}", file=sys.stderr)
        return USAGE
    try:
        return run(words[1:])
    except CommandError as error:
        print(f"lfs {command}: {error}", file=sys.stderr)
        if error.status == USAGE:
            print(f"usage: lfs {command} {USAGES[command]}", file=sys.stderr)
        return error.status
    except facts.NotHereError as error:
        print(f"lfs {command}: {error}: not a Lustre file system", file=sys.stderr)
        return errno.ENOTTY
    except OSError as error:
        print(f"lfs {command}: {error.filename}: {error.strerror}", file=sys.stderr)
        return error.errno or 1


def _options(
    words: Sequence[str], short: str, long: Sequence[str]
) -> tuple[list[tuple[str, str]], list[str]]:
    try:
        return getopt.gnu_getopt(list(words), short, list(long))
    except getopt.GetoptError as error:
        raise CommandError(f"{error.msg} (wrong, or not modeled)") from None


def _number(option: str, text: str, least: int, most: int) -> int:
    try:
        value = int(text, 0)
    except ValueError:
        value = least - 1
    if not least <= value <= most:
        raise CommandError(f"invalid {option} '{text}'")
    return value


def _size(option: str, text: str) -> int:
    try:
        return facts.read_size(text)
    except ValueError:
        raise CommandError(f"invalid {option} '{text}'") from None


# Options of `setstripe`, for `getopt`.
SHORT_OPTIONS = "dE:c:C:S:i:p:L:"
LONG_OPTIONS = (
    "delete",
    "component-end=",
    "stripe-count=",
    "overstripe-count=",
    "stripe-size=",
    "stripe-index=",
    "pool=",
    "layout=",
)


@dataclass
class Request:
    """The options of `setstripe`: the components that `-E` has ended, and the current one."""

    ended: list[Component] = field(default_factory=list)
    current: Component = Component()
    is_composite: bool = False
    is_set: bool = False
    deletes: bool = False

    def take(self, option: str, text: str) -> None:
        """Apply one option."""
        change = replace
        match option:
            case "-d" | "--delete":
                self.deletes = True
                return
            case "-E" | "--component-end":
                self.end_component()
                self.current = change(self.current, end=_end(text), on_mdt=False)
                self.is_composite = True
                return
            case "-c" | "--stripe-count":
                count = _number("stripe count", text, -1, MOST_STRIPES)
                self.current = change(self.current, count=count, overstriping=False)
            case "-C" | "--overstripe-count":
                count = _number("overstripe count", text, 1, MOST_STRIPES)
                self.current = change(self.current, count=count, overstriping=True)
            case "-S" | "--stripe-size":
                size = _size("stripe size", text)
                if size % UNIT or size >= 1 << 32:
                    raise CommandError(
                        f"invalid stripe size '{text}': must be a multiple of 65536 below 4 GiB"
                    )
                self.current = change(self.current, size=size)
            case "-i" | "--stripe-index":
                index = _number("stripe offset", text, -1, 65534)
                self.current = change(self.current, index=index)
            case "-p" | "--pool":
                pool = text.rsplit(".", 1)[-1]
                if not 0 < len(pool) <= layouts.POOL_NAME:
                    raise CommandError(f"invalid pool name '{text}'")
                self.current = change(self.current, pool="" if pool == "none" else pool)
            case "-L" | "--layout":
                if text not in ("mdt", "raid0"):
                    raise CommandError(f"layout type '{text}' is not modeled: mdt or raid0")
                self.current = change(self.current, on_mdt=text == "mdt")
        self.is_set = True

    def end_component(self) -> None:
        """`-E` begins the next component: it inherits the options, except the first OST."""
        if self.is_composite:
            self.ended.append(self.current)
            self.current = replace(self.current, index=-1)

    def components(self, system: dict[str, Any]) -> list[Component]:
        """The requested layout, checked against the file system."""
        if self.deletes:
            return layouts.default(system)
        parts = [*self.ended, self.current]
        start = 0
        for i, part in enumerate(parts):
            if part.end <= start:
                raise CommandError(f"invalid component end '{part.end}': not after the one before")
            if part.on_mdt and (i > 0 or not self.is_composite):
                raise CommandError("the layout 'mdt' is possible for the first component only")
            if part.end != EOF and part.end % max(part.size, UNIT):
                raise CommandError(
                    f"invalid component end '{part.end}': must be a multiple of the stripe size"
                )
            start = part.end
            _check(part, system)
        return [replace(part, count=0, size=0, pool="") if part.on_mdt else part for part in parts]


def _end(text: str) -> int:
    if text.lower() in ("-1", "eof"):
        return EOF
    end = _size("component end", text)
    if end == 0 or end % UNIT:
        raise CommandError(f"invalid component end '{text}': must be a multiple of 65536")
    return end


def _check(part: Component, system: dict[str, Any]) -> None:
    """Whether the OSTs and the pool exist."""
    osts = system["osts"]
    first = 0
    if part.pool:
        pool = next((pool for pool in system["pools"] if pool["name"] == part.pool), None)
        if pool is None:
            name = f"{system['name']}.{part.pool}"
            raise CommandError(f"pool '{name}' has no OSTs or does not exist", errno.EINVAL)
        first, osts = pool["first"], pool["osts"]
    if part.index >= 0 and not first <= part.index < first + osts:
        raise CommandError(f"invalid stripe offset '{part.index}': no such OST", errno.EINVAL)
    if part.count > osts and not part.overstriping:
        # Lustre reduces the count at creation, without an error.
        print(
            f"lfs setstripe: warning: stripe count {part.count} exceeds the {osts} OSTs",
            file=sys.stderr,
        )


def setstripe(words: Sequence[str]) -> int:
    """Create a file with a layout, or set the default of a directory."""
    options, paths = _options(words, SHORT_OPTIONS, LONG_OPTIONS)
    request = Request()
    for option, text in options:
        request.take(option, text)
    if not paths:
        raise CommandError("FILE must be specified")
    if request.deletes and (request.is_set or request.is_composite):
        raise CommandError("cannot specify -d with -s, -c, -o, -i or -E options")
    status = 0
    for path in paths:
        system, _ = facts.mount_of(path, "lustre")
        value = layouts.pack(request.components(system))
        if request.deletes and not os.path.isdir(path):
            raise CommandError(f"cannot delete the layout of '{path}': not a directory")
        try:
            os.setxattr(path, layouts.ATTRIBUTE, value)
        except OSError as error:
            already = error.errno == errno.EEXIST
            why = "stripe already set" if already else error.strerror
            print(f"lfs setstripe: setstripe error for '{path}': {why}", file=sys.stderr)
            status = error.errno or 1
    return status


def _tree(path: str, only_itself: bool, recursive: bool) -> Iterator[str]:
    """A path, with the entries of a directory, and those of its directories if recursive."""
    yield path
    if only_itself or not os.path.isdir(path):
        return
    for name in sorted(os.listdir(path)):
        entry = os.path.join(path, name)
        if os.path.islink(entry):
            continue
        if recursive or not os.path.isdir(entry):
            yield from _tree(entry, not recursive, recursive)
        else:
            yield entry


# Fields of `getstripe` that are printed alone, by their options.
FIELDS: dict[str, Callable[[Component, int, int], Any]] = {
    "-c": lambda part, stripes, _: stripes,
    "-S": lambda part, _, __: part.size,
    "-i": lambda _, __, first: first,
    "-p": lambda part, _, __: part.pool,
    "-L": lambda part, _, __: part.pattern,
}
LONG_FIELDS = {
    "--stripe-count": "-c",
    "--stripe-size": "-S",
    "--stripe-index": "-i",
    "--pool": "-p",
    "--layout": "-L",
}


def getstripe(words: Sequence[str]) -> int:
    """Print the layouts of files, and the defaults of directories."""
    long = ["directory", "recursive", *(name[2:] for name in LONG_FIELDS)]
    options, paths = _options(words, "dryvqcSipL", long)
    given = {LONG_FIELDS.get(option, option) for option, _ in options}
    fields = [name for name in FIELDS if name in given]
    only_itself = bool(given & {"-d", "--directory"})
    recursive = bool(given & {"-r", "--recursive"})
    if given & {"-y", "-v", "-q"}:
        raise CommandError("-y, -v and -q are not modeled")
    if not paths:
        raise CommandError("FILE must be specified")
    for path in paths:
        system, _ = facts.mount_of(path, "lustre")
        for entry in _tree(path, only_itself, recursive):
            _print_layout(entry, system, fields, len(paths) > 1 or os.path.isdir(path))
    return 0


def _print_layout(path: str, system: dict[str, Any], fields: list[str], is_named: bool) -> None:
    parts = layouts.read(path, system)
    is_directory = os.path.isdir(path)
    objects = [] if is_directory else layouts.objects(path)
    if fields:
        part = parts[-1]
        placed = objects[-1] if objects else []
        count = len(placed) or _resolved(part, system, is_directory)
        first = placed[0][0] if placed else part.index
        values = [FIELDS[name](part, count, first) for name in fields]
        print(" ".join([*([path] if is_named and not is_directory else []), *map(str, values)]))
        return
    print(path)
    if len(parts) > 1 or parts[0].end != EOF:
        _print_composite(parts, system, objects, is_directory)
    elif is_directory:
        print(_default_line(parts[0]))
    else:
        placed = objects[0] if objects else []
        for name, value in _lines(parts[0], placed, system):
            print(f"{name + ':':18} {value}")
        _print_table(placed)
    print()


def _resolved(part: Component, system: dict[str, Any], is_directory: bool) -> int:
    """Stripes of a file; a directory has the number that was set."""
    if is_directory or part.on_mdt:
        return part.count
    pools = {pool["name"]: pool["osts"] for pool in system["pools"]}
    osts = int(pools.get(part.pool, system["osts"]))
    return osts if part.count < 0 else part.count if part.overstriping else min(part.count, osts)


def _default_line(part: Component) -> str:
    pool = f" pool: {part.pool}" if part.pool else ""
    return (
        f"stripe_count:  {part.count} stripe_size:   {part.size} "
        f"pattern:       {part.pattern} stripe_offset: {part.index}{pool}"
    )


def _lines(
    part: Component,
    placed: list[tuple[int, int]],
    system: dict[str, Any],
    is_directory: bool = False,
) -> list[tuple[str, Any]]:
    stripes = len(placed) or _resolved(part, system, is_directory)
    first = placed[0][0] if placed else part.index
    lines = [
        ("lmm_stripe_count", stripes),
        ("lmm_stripe_size", part.size),
        ("lmm_pattern", part.pattern),
        ("lmm_layout_gen", 0),
        ("lmm_stripe_offset", first),
    ]
    return [*lines, ("lmm_pool", part.pool)] if part.pool else lines


def _print_table(placed: list[tuple[int, int]]) -> None:
    """The table of objects."""
    if not placed:
        return
    print("\tobdidx\t\t objid\t\t objid\t\t group")
    for ost, number in placed:
        print(f"\t{ost:6}\t{number:14}\t{number:#13x}\t{0:14}")


def _print_composite(
    parts: list[Component],
    system: dict[str, Any],
    objects: list[list[tuple[int, int]]],
    is_directory: bool,
) -> None:
    generation = len(parts) if objects else 0
    counts = {"layout_gen": generation, "mirror_count": 1, "entry_count": len(parts)}
    for name, value in counts.items():
        print(f"  {f'lcm_{name}:':18} {value}")
    start = 0
    for i, part in enumerate(parts):
        placed = objects[i] if i < len(objects) else []
        end = "EOF" if part.end == EOF else part.end
        of_component: list[tuple[str, Any]] = [
            ("id", "N/A" if is_directory else i + 1),
            ("mirror_id", "N/A" if is_directory else 0),
            ("flags", "init" if placed or part.on_mdt and not is_directory else 0),
            ("extent.e_start", start),
            ("extent.e_end", end),
        ]
        for name, value in of_component:
            print(f"    {f'lcme_{name}:':20} {value}")
        names = _lines(part, placed, system, is_directory)
        for name, value in names:
            shown = name.removeprefix("lmm_") if is_directory else name
            print(f"      {shown + ':':18} {value}")
        if placed and not part.on_mdt:
            print("      lmm_objects:")
            for n, (ost, number) in enumerate(placed):
                print(f"      - {n}: {{ l_ost_idx: {ost}, l_fid: [0x{ost:x}:0x{number:x}:0x0] }}")
        print()
        start = part.end


def mkdir(words: Sequence[str]) -> int:
    """Create directories on given MDTs, or striped over several."""
    long = ("mdt-count=", "mdt-index=", "mode=")
    options, paths = _options(words, "c:i:m:", long)
    count, first, mode = 0, None, None
    for option, text in options:
        match option:
            case "-c" | "--mdt-count":
                count = _number("MDT count", text, -1, MOST_STRIPES)
            case "-i" | "--mdt-index":
                if "," in text:
                    raise CommandError("a list of MDTs is not modeled: -c COUNT -i FIRST")
                first = _number("MDT index", text, -1, 65534)
            case _:
                mode = _mode(text)
    if not paths:
        raise CommandError("DIRECTORY must be specified")
    for path in paths:
        system, _ = facts.mount_of(path, "lustre")
        mdts = system["mdts"]
        if first is not None and first >= mdts:
            raise CommandError(f"invalid MDT index '{first}': no such MDT", errno.EINVAL)
        stripes = mdts if count == -1 else count
        if stripes > mdts:
            raise CommandError(f"invalid MDT count '{stripes}': {mdts} MDTs", errno.ERANGE)
        if os.path.lexists(path):
            print(f"lfs mkdir: dirstripe error on '{path}': File exists", file=sys.stderr)
            return errno.EEXIST
        _make_directory(path, stripes, -1 if first is None else first)
        if mode is not None:
            os.chmod(path, mode)
    return 0


def _mode(text: str) -> int:
    try:
        return int(text, 8)
    except ValueError:
        raise CommandError(f"invalid mode '{text}'") from None


def _make_directory(path: str, stripes: int, first: int) -> None:
    words = [f"mdt_count={stripes}"] if stripes > 0 else []
    words += [f"first_mdt={first}"] if first >= 0 else []
    if not words:
        os.mkdir(path)
        return
    os.setxattr(path, layouts.MDTS, " ".join(words).encode())
    mask = os.umask(0)
    os.umask(mask)
    if mask != 0o022:
        os.chmod(path, 0o777 & ~mask)


def getdirstripe(words: Sequence[str]) -> int:
    """Print the MDTs of directories that were created on given MDTs."""
    options, paths = _options(words, "ci", ("mdt-count", "mdt-index"))
    given = {option for option, _ in options}
    if not paths:
        raise CommandError("DIRECTORY must be specified")
    for path in paths:
        system, _ = facts.mount_of(path, "lustre")
        if not os.path.isdir(path):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path)
        values = {"mdt_count": 0, "first_mdt": 0}
        try:
            text = os.getxattr(path, layouts.MDTS).decode()
            pairs = (word.split("=") for word in text.split())
            values |= {key: int(value) for key, value in pairs}
        except OSError as error:
            if error.errno != errno.ENODATA:
                raise
        count, first = values["mdt_count"], values["first_mdt"]
        count = count if count > 1 else 0
        if given & {"-c", "--mdt-count"}:
            print(count)
        elif given & {"-i", "--mdt-index"}:
            print(first)
        else:
            kind = "fnv_1a_64" if count else "none"
            print(f"lmv_stripe_count: {count} lmv_stripe_offset: {first} lmv_hash_type: {kind}")
            if count:
                print("mdtidx")
                for i in range(count):
                    print(f"{(first + i) % system['mdts']:6}")
    return 0


def _chosen(paths: Sequence[str]) -> list[tuple[dict[str, Any], str]]:
    """The file systems of paths, or all, with a mount."""
    if paths:
        return [facts.mount_of(path, "lustre") for path in paths]
    return [(row, row["mounts"][0]) for row in facts.file_systems("lustre")]


def osts(words: Sequence[str]) -> int:
    """List the OSTs."""
    return _list_targets(words, "OBDS", "OST", "osts")


def mdts(words: Sequence[str]) -> int:
    """List the MDTs."""
    return _list_targets(words, "MDTS", "MDT", "mdts")


def _list_targets(words: Sequence[str], title: str, kind: str, key: str) -> int:
    _, paths = _options(words, "", ())
    for system, _ in _chosen(paths):
        print(f"{title}:")
        for i in range(system[key]):
            print(f"{i}: {system['name']}-{kind}{i:04x}_UUID ACTIVE")
    return 0


def _shown(kibibytes: int, is_human: bool) -> str:
    """A size of `df` in KiB."""
    if not is_human:
        return str(kibibytes)
    value, units = float(kibibytes), "KMGTPE"
    while value >= 1024 and len(units) > 1:
        value, units = value / 1024, units[1:]
    return f"{value:.1f}{units[0]}"


def df(words: Sequence[str]) -> int:
    """Print size and usage of each target."""
    options, paths = _options(words, "hi", ("human-readable", "inodes"))
    given = {option for option, _ in options}
    if given & {"-i", "--inodes"}:
        raise CommandError("inodes are not modeled")
    is_human = bool(given & {"-h", "--human-readable"})
    for system, mount in _chosen(paths):
        used = _usage(mount)
        heading = "bytes" if is_human else "1K-blocks"
        print(f"{'UUID':<20} {heading:>11} {'Used':>11} {'Available':>11} Use% Mounted on")
        total = taken = 0
        for i in range(system["osts"]):
            size, full = system["ost_capacity"] >> 10, used.get(i, 0) >> 10
            total, taken = total + size, taken + full
            name = f"{system['name']}-OST{i:04x}_UUID"
            _print_usage(name, size, full, f"{mount}[OST:{i}]", is_human)
        print()
        _print_usage("filesystem_summary:", total, taken, mount, is_human)
        print()
    return 0


def _print_usage(name: str, size: int, used: int, where: str, is_human: bool) -> None:
    percent = -(-100 * used // size)
    numbers = [_shown(value, is_human) for value in (size, used, size - used)]
    print(f"{name:<20} " + " ".join(f"{n:>11}" for n in numbers) + f" {percent:>3}% {where}")


def _usage(mount: str) -> dict[int, int]:
    """Used bytes by OST: those of all objects, as the simulator counts them."""
    try:
        text = os.getxattr(mount, "odonata.usage").decode()
    except OSError as error:
        if error.errno in (errno.ENODATA, errno.EOPNOTSUPP):
            return {}
        raise
    pairs = (word.split(":") for word in text.split())
    return {int(ost): int(used) for ost, used in pairs}


COMMANDS: dict[str, Callable[[Sequence[str]], int]] = {
    "setstripe": setstripe,
    "getstripe": getstripe,
    "mkdir": mkdir,
    "setdirstripe": mkdir,
    "getdirstripe": getdirstripe,
    "df": df,
    "osts": osts,
    "mdts": mdts,
}
