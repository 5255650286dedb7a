"""Imports a script's modules once, then forks the ranks. Runs in the user's interpreter.

    python [options] _warm.py MODULES TARGET...

TARGET is the part after the interpreter's options: `script.py args`, `-m module args` or
`-c command args`. MODULES is a list of modules to import in addition to those that `scan` finds, or
`none`.

Importing is the same work in every rank, so one process does it. The ranks are copies of that
process and share its memory until they write to it. The module knows two environment variables of
odonata, and needs the standard library of Python 3.8 or newer. It runs no line of the user's
program. If that is impossible (the script's folder shadows a module, for example), it reports so
and ends, and the launcher starts an interpreter per rank.

A rank has the state of a fresh interpreter: `__main__`, `sys.argv`, `sys.path[0]`, the frames of a
traceback, the exit status. `mpi4py.MPI` is loaded but not initialized. It appears, and calls
`MPI_Init`, when the script imports it.

Protocol with the launcher, over a sequenced-packet socket: first `ready` or the reason for failure.
Then, for each batch of ranks, `FIRST LAST` and a line with the variables of each rank (and two
descriptors per rank if output is labeled), answered by the process ids. This process ends with the
socket. The ranks are then children of the launcher, and start when it closes its end of a pipe.
"""

import os
import sys

# Modules that a fresh interpreter has loaded before its script.
_EARLY = frozenset(name.partition(".")[0] for name in sys.modules)

# Names that the user's program must not see: removed before anything is imported.
_SOCKET, _GATE, _LAUNCHER = map(int, os.environ.pop("ODONATA_WARM").split(","))

PDEATHSIG = 1  # <linux/prctl.h>
KILLED = 128 + 9
# Bytes of a message: 64 ranks with two dozen short variables each.
LONGEST = 1 << 17

# Modules that may be shared: their import starts no thread, opens no file and calls no MPI
# function. From the standard library those that such programs use; `mpi4py` is handled separately.
SHARED = frozenset(
    "numpy scipy abc argparse array ast base64 bisect bz2 cmath collections configparser "
    "contextlib copy csv ctypes dataclasses datetime decimal enum errno fractions functools gc "
    "getopt glob gzip hashlib heapq hmac inspect io itertools json keyword linecache logging "
    "lzma math mmap numbers operator optparse os pathlib pickle pkgutil platform pprint queue "
    "random re resource secrets select selectors shlex shutil signal socket stat statistics "
    "string struct subprocess sys sysconfig tempfile textwrap threading time timeit tokenize "
    "traceback types typing unittest uuid warnings weakref zipfile zlib".split()
)
# Submodules that numpy loads at their first use; most programs use them.
NUMPY = ("numpy.linalg", "numpy.random", "numpy.fft")
# Variables that numerical libraries read during their import.
LIBRARY_VARIABLES = ("OPENBLAS_", "GOTO_", "OMP_", "MKL_", "BLIS_", "NPY_", "KMP_", "NUMEXPR_")
# Largest number of the user's files that are scanned for imports.
MOST_FILES = 200


class Unfit(Exception):
    """The reason why ranks of this program cannot be copies of one process."""


class Found:
    """The imports in a program's text."""

    def __init__(self):
        self.modules = set()
        self.sets_rc = False
        self.sets_variables = False
        self.harmless = set()


def scan(source, path, folder, found):
    """Collect imports of a text and of the modules next to it, without running them."""
    import ast

    todo, seen = [(source, path)], {path}
    while todo and len(seen) <= MOST_FILES:
        source, path = todo.pop()
        try:
            tree = ast.parse(source, path)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        names = set()
        for node in ast.walk(tree):
            scan_node(ast, node, names, found)
        found.modules |= names
        for name in names:
            for file in files_of(name, folder):
                if file not in seen:
                    seen.add(file)
                    todo.append((read(file), file))


def scan_node(ast, node, names, found):
    """Collect from one node of the syntax tree."""
    if isinstance(node, ast.Import):
        names.update(alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and not node.level:
        names.add(node.module)
        names.update(f"{node.module}.{alias.name}" for alias in node.names)
    elif isinstance(node, ast.Attribute) and node.attr in ("rc", "profile"):
        found.sets_rc |= getattr(node.value, "id", "") == "mpi4py"
    elif isinstance(node, (ast.Assign, ast.Call)):
        found.harmless.update(map(id, harmless(ast, node)))
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isupper():
        # The script may set it before it imports the library, and relies on its effect.
        is_library_variable = node.value.startswith(LIBRARY_VARIABLES)
        found.sets_variables |= is_library_variable and id(node) not in found.harmless
        found.sets_rc |= node.value.startswith("MPI4PY_")
    found.sets_rc |= bool(names & {"mpi4py.rc", "mpi4py.profile"})


def harmless(ast, node):
    """Constants that name a variable that is read, or set to its present value."""
    if isinstance(node, ast.Call):
        if getattr(node.func, "attr", "") in ("get", "getenv"):
            return node.args
        if getattr(node.func, "attr", "") == "setdefault":
            return [a for a in node.args if variable(a) is not None]
        return []
    keys = [t.slice for t in node.targets if isinstance(t, ast.Subscript)]
    keys = [k if isinstance(k, ast.Constant) else getattr(k, "value", k) for k in keys]  # 3.8
    given = getattr(node.value, "value", None)
    return [k for k in keys if given and variable(k) == given]


def variable(node):
    """The value of the variable that a constant names, if it names one.

    Keys of all types occur here: `rows[3]`, `planes[...]`.
    """
    name = getattr(node, "value", None)
    return os.environ.get(name) if isinstance(name, str) else None


def files_of(name, folder):
    """Files in the script's folder that an import of `name` would read."""
    parts = name.split(".")
    for n in range(1, len(parts) + 1):
        base = os.path.join(folder, *parts[:n])
        for file in (base + ".py", os.path.join(base, "__init__.py")):
            if os.path.isfile(file):
                yield file


def read(path):
    with open(path, "rb") as file:
        return file.read()


def bare_main():
    """A `__main__` module like the interpreter's."""
    main = sys.modules["__main__"] = type(sys)("__main__")
    main.__builtins__ = sys.modules["builtins"]
    if sys.version_info < (3, 14):
        main.__annotations__ = {}
    return main


class Script:
    """`python script.py args`, or `python -c command args`."""

    def __init__(self, words):
        if words[0] == "-c":
            self.path, self.argv = None, ["-c", *words[2:]]
            self.source, shown = os.fsencode(words[1]), "<string>"
        else:
            self.argv = words
            # Since 3.9 the interpreter makes it absolute.
            self.path = words[0] if sys.version_info < (3, 9) else os.path.abspath(words[0])
            shown = self.path
            if not os.path.isfile(words[0]):
                raise Unfit("the script is not a file")
            self.source = read(words[0])
            if b"\0" in self.source:
                raise Unfit("the script is not a text")
        try:
            self.code = compile(self.source, shown, "exec", dont_inherit=True)
        except (SyntaxError, ValueError) as error:
            raise Unfit("the script does not compile") from error
        self.folder = os.path.dirname(os.path.realpath(words[0])) if self.path else ""

    def run(self):
        from importlib.machinery import BuiltinImporter, SourceFileLoader

        main = bare_main()
        if self.path:
            main.__file__ = self.path
            main.__loader__ = SourceFileLoader("__main__", self.path)
            if sys.version_info < (3, 15):
                main.__cached__ = None
        else:
            main.__loader__ = BuiltinImporter
        exec(self.code, main.__dict__)


class Module:
    """`python -m module args`."""

    def __init__(self, words):
        import importlib.util
        import runpy  # noqa: F401 - as the interpreter does it

        self.name, self.argv, self.path = words[1], ["-m", *words[2:]], None
        self.folder = os.getcwd()
        self.source = b""
        # Importing a parent would run it: search for files only.
        for base in (self.folder, *sys.path):
            for file in files_of(self.name, base):
                self.source, self.path = read(file), file
            for file in files_of(f"{self.name}.__main__", base):
                self.source, self.path = read(file), file
            if self.path:
                return
        raise Unfit("the module is not a text next to the others")

    def run(self):
        import runpy

        bare_main()
        runpy._run_module_as_main(self.name)


class Appear:
    """Provides the preloaded `mpi4py.MPI` at its first import, and initializes it then."""

    def __init__(self, module):
        self.module, self.spec = module, module.__spec__

    def find_spec(self, name, path=None, target=None):
        if name != "mpi4py.MPI":
            return None
        sys.meta_path.remove(self)
        from importlib.machinery import ModuleSpec

        return ModuleSpec(name, self, origin=self.spec.origin)

    def create_module(self, spec):
        return self.module

    def exec_module(self, module):
        module.__spec__, module.__loader__ = self.spec, self.spec.loader
        # Cleared after every module but this one and `builtins`.
        sys._odonata_farewell = Farewell(module)
        rc = sys.modules["mpi4py"].rc
        rc.initialize, rc.finalize = self.initialize, self.finalize
        if rc.initialize in (False, "no") or module.Is_initialized():
            return
        if rc.threads in (False, "no"):
            module.Init()
        else:
            module.Init_thread(getattr(module, f"THREAD_{rc.thread_level}".upper()))


def preload_mpi():
    """Load `mpi4py.MPI` without `MPI_Init`, and hide it.

    Its options are read at that time. So all ranks finalize by the default, and a program that sets
    `mpi4py.rc` itself (see `scan`) is not started this way.
    """
    import mpi4py

    rc = mpi4py.rc
    before = rc.initialize, rc.finalize
    rc.initialize, rc.finalize = False, True
    try:
        from mpi4py import MPI

        if MPI.Is_initialized():
            raise Unfit("MPI was initialized by an import")
        finder = Appear(MPI)
        finder.initialize, finder.finalize = before
        sys.meta_path.insert(0, finder)
        del sys.modules["mpi4py.MPI"], mpi4py.MPI
        return MPI
    except ImportError:
        pass  # the ranks will report it
    finally:
        rc.initialize, rc.finalize = before
    return None


def warm(target, words):
    """Import the ranks' modules; return `mpi4py.MPI` if it is loaded for them."""
    import importlib

    found = Found()
    scan(target.source, target.path or "", target.folder or os.getcwd(), found)
    bare = isinstance(target, Module) and target.name in ("mpi4py", "mpi4py.run")
    if bare and target.argv[1:]:
        # mpi4py's runner of scripts; its options set `mpi4py.rc`.
        found.sets_rc |= target.argv[1].startswith("-") and target.argv[1] not in ("-m", "-c")
        if os.path.isfile(target.argv[1]):
            file = target.argv[1]
            scan(read(file), file, os.path.dirname(os.path.abspath(file)), found)
        found.modules.add("mpi4py.MPI")
    requested = set() if words == "auto" else set(words.split(","))
    shared = SHARED - {"numpy", "scipy"} if found.sets_variables else SHARED
    known = {name for name in found.modules if name.partition(".")[0] in shared}
    if any(name.partition(".")[0] == "numpy" for name in known):
        known.update(NUMPY)
    uses_mpi = any(name.partition(".")[0] == "mpi4py" for name in found.modules)
    if uses_mpi:
        known.add("mpi4py")
    for name in sorted(known | requested):
        try:
            importlib.import_module(name)
        except ImportError as error:
            if name in requested:
                raise Unfit("`%s` cannot be imported: %s" % (name, error)) from None
            # An attribute, or missing: the ranks will report it.
    by_default = not found.sets_rc and not any(k.startswith("MPI4PY_RC_") for k in os.environ)
    if by_default and "mpi4py" in sys.modules and uses_mpi:
        return preload_mpi()
    return None


def check_shadows(folder):
    """Check that no file of the script's folder shadows an imported module."""
    loaded = {name.partition(".")[0] for name in sys.modules} - _EARLY
    try:
        names_here = {entry.partition(".")[0] for entry in os.listdir(folder or ".")}
    except OSError:
        names_here = set()
    shadows = sorted(loaded & names_here)
    if shadows:
        raise Unfit("the script's folder has a module `%s` of its own" % shadows[0])


def prepare(modules, words, has_folder):
    """The target, with all its modules loaded."""
    if words[0] == "-m":
        target = Module(words)
    else:
        target = Script(words)
    mpi = warm(target, modules)
    if has_folder:
        check_shadows(target.folder)
        sys.path.insert(0, target.folder)
    if hasattr(sys, "orig_argv"):
        at = len(sys.orig_argv) - len(sys.argv)
        sys.orig_argv[at : at + 2] = []
    sys.argv = target.argv
    if len(os.listdir("/proc/self/task")) > 1:
        raise Unfit("an import started a thread")
    return target, mpi


def serve(channel):
    """Fork ranks on request of the launcher; returns in each rank, with its variables."""
    import array

    while True:
        text, more, _, _ = channel.recvmsg(LONGEST, 4096)
        if not text:
            sys.stdout.flush()
            os._exit(0)
        numbers, *variables = text.decode().split("\n")
        first, last = map(int, numbers.split())
        fds = array.array("i")
        for _, _, data in more:
            fds.frombytes(data)
        pids = []
        for rank in range(first, last):
            pid = os.fork()
            if pid == 0:
                own = fds[2 * (rank - first) :][:2]
                for number, fd in enumerate(own, 1):
                    os.dup2(fd, number)
                for fd in fds:
                    os.close(fd)
                return variables[rank - first]
            pids.append(str(pid))
        for fd in fds:
            os.close(fd)
        channel.send(" ".join(pids).encode())


def become(variables, prctl):
    """Continue as the rank once the launcher is the parent."""
    os.environ.update(pair.split("=", 1) for pair in variables.split())
    platform = sys.modules.get("platform")
    if hasattr(platform, "_uname_cache"):
        # An import (`uuid`) has cached the host's name; the rank has its node's.
        platform._uname_cache = None
    if os.environ["ODONATA_RANK"] != "0":
        null = os.open(os.devnull, os.O_RDONLY)
        if null:
            os.dup2(null, 0)
            os.close(null)
    # Ends when the launcher reports that all ranks exist, or has ended.
    os.read(_GATE, 1)
    os.close(_GATE)
    if os.getppid() != _LAUNCHER:
        os._exit(KILLED)
    prctl(PDEATHSIG, 9, 0, 0, 0)
    if os.getppid() != _LAUNCHER:
        os._exit(KILLED)
    random = sys.modules.get("numpy.random")
    if random:
        random.seed()


def run(target):
    """Run the program as the interpreter would."""
    try:
        target.run()
    except SystemExit:
        raise
    except BaseException as error:
        trace = error.__traceback__
        while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
            trace = trace.tb_next
        sys.last_type, sys.last_value, sys.last_traceback = type(error), error, trace
        sys.excepthook(type(error), error.with_traceback(trace), trace)
        if isinstance(error, KeyboardInterrupt):
            # The interpreter ends itself by the signal, after its exit handlers.
            sys.excepthook = lambda *_: None
            raise
        sys.exit(1)


class Farewell:
    """Finalizes MPI when the program's last objects are freed.

    `mpi4py` would finalize at the very end, after the interpreter has torn down its modules. Each
    rank would then wait for the others with private copies of shared memory.
    """

    def __init__(self, module):
        self.finalize, self.is_finalized = module.Finalize, module.Is_finalized
        self.is_initialized, self.set_abort_status = module.Is_initialized, module._set_abort_status
        self.aborts = False
        module._set_abort_status = self._set_abort_status

    # Introspection finds the module's usual name, and no docstring.
    def _set_abort_status(self, status):
        self.aborts = True
        self.set_abort_status(status)

    def __del__(self):
        if self.is_initialized() and not self.is_finalized() and not self.aborts:
            self.finalize()


def keep_modules(mpi):
    """Keep shared memory shared when a rank ends.

    At its end an interpreter tears down every module, which would copy the shared memory. So the
    preloaded modules are removed from its tables, and held by a reference that is never released.
    The program's own modules, objects and files end as usual.
    """
    import ctypes

    kept = dict(sys.modules)
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(kept))
    for name in ("sys", "builtins", "__main__"):
        kept.pop(name, None)
    if mpi:
        kept["mpi4py.MPI"] = mpi

    def let_go():
        for name, module in kept.items():
            if sys.modules.get(name) is module:
                del sys.modules[name]

    return let_go


def main():
    has_folder = not (getattr(sys.flags, "safe_path", False) or sys.flags.isolated)
    if has_folder:
        del sys.path[0]  # this file's folder
    import _socket
    import ctypes
    import gc

    channel = _socket.socket(fileno=_SOCKET)
    try:
        target, mpi = prepare(sys.argv[1], sys.argv[2:], has_folder)
    except Unfit as why:
        channel.send(str(why).encode(errors="replace"))
        os._exit(0)
    prctl = ctypes.CDLL(None).prctl
    sys.stdout.flush()
    sys.stderr.flush()
    import atexit

    atexit.register(keep_modules(mpi))
    # The ranks' garbage collectors ignore the present objects, so these stay shared.
    gc.collect()
    gc.freeze()
    channel.send(b"ready")
    variables = serve(channel)
    channel.close()
    become(variables, prctl)
    return target


if __name__ == "__main__":
    run(main())
