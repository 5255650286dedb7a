"""The package: its stub is correct, and light commands import few modules."""

import ast
import graphlib
import os
import pickle
import re
import subprocess
import sys
from pathlib import Path

import odonata
import odonata.errors
import pytest
from conftest import ROOT
from odonata import _core, cli

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def test_the_stub_lists_all_names_of_the_core():
    stub = ast.parse(Path(odonata.__file__).with_name("_core.pyi").read_text())
    named = {n.name for n in stub.body if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
    public = {name for name in dir(_core) if not name.startswith("_")}
    assert named == public


def test_everything_public_is_documented():
    for name in odonata.__all__:
        assert getattr(odonata, name).__doc__, name


def test_missing_attributes_raise_attribute_error():
    for name in ("", "..", ".bench", "a b", "_nothing", "nothing", "bench.run"):
        with pytest.raises(AttributeError):
            getattr(odonata, name)


def test_errors_can_be_pickled():
    first = odonata.errors.Diagnostic("a", "b", "c; d", "e")
    two = [first, odonata.errors.Diagnostic("f", "", "g")]
    for error in (odonata.InputError(two), odonata.SimulatedFailure("no", "limit", [{"rank": 1}])):
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))


def test_help_imports_no_heavy_modules():
    code = (
        "import sys\n"
        "from odonata import cli\n"
        "assert cli.code_of(['--help']) == 0\n"
        "heavy = {'pyarrow', 'matplotlib', 'jinja2', 'numpy', 'rich', 'odonata._core'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (run.returncode, run.stderr.strip()) == (0, "[]")


def test_published_measurements_are_read_when_they_are_used():
    code = (
        "import sys\n"
        "from odonata import plot, published, report\n"
        "read = published.latencies, published.curves\n"
        "print({'tomllib', 'tomli'} & set(sys.modules), [f.cache_info().currsize for f in read])\n"
        "published.latencies()\n"
        "print([f.cache_info().currsize for f in read])\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "set() [0, 0]\n[1, 0]\n"


# Packages that a user may have, and what imports them then.
OPTIONAL = {
    "pandas": "`to_pandas`",
    "mpi4py": "the interpreter that starts ranks, if their script imports it",
    "h5py": "conformance/libraries, which builds it over parallel HDF5",
    "IPython": "a notebook, whose kernel has it",
}
# Folders, and the arrays of pyproject.toml that list what their scripts import.
DECLARED = {
    "python/odonata": ("dependencies", "dask", "fabric"),
    "docs": ("dependencies", "docs"),
    "examples": ("dependencies", "test"),
    "fuzz": ("dependencies", "test"),
    "conformance": ("dependencies", "test", "conformance"),
    "validation": ("dependencies", "test"),
    "python/tests": ("dependencies", "test"),
}


def third_party(path: Path) -> set[str]:
    """The packages that a script imports, without those of Python and of the tree."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {name.name.partition(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.add((node.module or "").partition(".")[0])
    ours = {"odonata", *(file.stem for top in DECLARED for file in (ROOT / top).rglob("*.py"))}
    return found - set(sys.stdlib_module_names) - ours - {"tomllib"}


@pytest.mark.parametrize("folder", DECLARED)
def test_every_imported_package_is_declared(folder):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lists = {"dependencies": project["dependencies"], **project["optional-dependencies"]}
    words = [entry for name in DECLARED[folder] for entry in lists[name]]
    declared = {re.match("[A-Za-z0-9_-]+", word)[0].replace("-", "_") for word in words}
    files = [*(ROOT / folder).rglob("*.py")]
    imported = {name: path.name for path in files for name in third_party(path)}
    missing = {n: path for n, path in imported.items() if n not in declared | OPTIONAL.keys()}
    assert files and not missing


def test_a_run_imports_only_required_modules():
    """Imports dominate the start time of a run."""
    code = (
        "import sys\n"
        "from odonata import cli\n"
        "words = ['run', '-n', '2', '--machine', 'dragonfly-1056', '--', '/bin/true']\n"
        "assert cli.code_of(words) == 0\n"
        "print(' '.join(sys.modules))\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(run.stdout.split())
    assert "odonata.launch" in loaded
    heavy = {"pyarrow", "matplotlib", "jinja2", "numpy", "rich", "importlib.metadata",
             "email", "hashlib", "odonata.sweeps", "odonata.multi_job", "odonata.extrapolating",
             "odonata.published"}
    others = {f"odonata.commands.{name}" for name in ("bench", "traffic", "tune", "validate")}
    assert not loaded & (heavy | others)


def test_the_command_line_has_all_commands():
    assert [command.name for command in cli.cli.commands.values()] == list(cli.COMMANDS)
    with pytest.raises(KeyError):
        cli.load("nothing")


def test_ctrl_c_is_handled_during_imports_of_the_command_line(tmp_path):
    code = (
        "import sys, odonata.__main__\n"
        "print(sorted(name for name in sys.modules if 'odonata' in name))\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    modules = ["odonata", "odonata.__main__", "odonata.interrupts"]
    assert run.stdout == f"{modules}\n", run.stderr
    # Ctrl-C while click is imported.
    (tmp_path / "click.py").write_text("raise KeyboardInterrupt\n")
    before = os.environ.get("PYTHONPATH")
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [str(tmp_path), before]))}
    for start in (["-m", "odonata"], ["-c", "from odonata.__main__ import main; main()"]):
        words = [sys.executable, *start, "machines"]
        run = subprocess.run(words, env=env, capture_output=True, text=True)
        assert (run.returncode, run.stdout, run.stderr) == (130, "", "odonata: interrupted\n")
        with open("/dev/full", "w") as full:  # which allows no other output
            run = subprocess.run(words, env=env, stdout=subprocess.PIPE, stderr=full)
        assert (run.returncode, run.stdout) == (130, b"")
    project = (ROOT / "pyproject.toml").read_text()
    assert '\nodonata = "odonata.__main__:main"\n' in project


def imports(path: Path) -> set[Path]:
    """The modules of the package that a module imports, at any level and for types."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level:
            of = path.parents[node.level - 1].joinpath(*(node.module or "").split("."))
            for at in (of / name.name for name in node.names):
                files = (at.with_suffix(".py"), at / "__init__.py", at.with_suffix(".pyi"))
                files += (of.with_suffix(".py"), of / "__init__.py")
                found.add(next(file for file in files if file.is_file()))
    return found


def test_imports_of_the_package_have_no_cycle():
    package = Path(odonata.__file__).parent
    needs = {path: imports(path) for path in package.rglob("*.py")}
    assert needs[package / "cli.py"] >= {package / "text.py", package / "commands" / "run.py"}
    try:
        graphlib.TopologicalSorter(needs).prepare()
    except graphlib.CycleError as error:
        circle = [str(path.relative_to(package)) for path in error.args[1]]
        raise AssertionError(f"a circle of imports: {' <- '.join(circle)}") from None


def test_cmake_can_read_the_wrapper_output():
    scripts = Path(odonata.__file__).with_name("_bin")
    for name in ("odonata-mpicc", "odonata-mpicxx"):
        shown = subprocess.run(["sh", scripts / name, "-show"], capture_output=True, text=True)
        # Parsed like FindMPI, which drops a library that is not given by `-L` and `-l`.
        (include,), (folder,), (library,) = (
            re.findall(rf" -{letter}([^ ]+)", shown.stdout) for letter in "ILl"
        )
        assert (Path(include) / "mpi.h").exists() and (Path(folder) / f"lib{library}.so").exists()


def reads_text(call: ast.Call) -> bool:
    """Whether a call opens a file as text without naming an encoding, which is the locale's then:
    a container without a locale has ASCII."""
    named = {keyword.arg: keyword.value for keyword in call.keywords}
    at = call.func
    of = ast.unparse(at.value) if isinstance(at, ast.Attribute) else ""
    name = at.attr if isinstance(at, ast.Attribute) else getattr(at, "id", "")
    if "encoding" in named or of in ("os", "tarfile", "store") and name == "open":
        return False
    if name in ("open", "fdopen"):
        is_method = bool(of) and of != "os"
        mode = named.get("mode") or (call.args[1 - is_method :] or [None])[0]
        return mode is None or "b" not in ast.unparse(mode)
    return name in ("read_text", "write_text") and bool(of)


def test_text_files_are_read_and_written_in_a_named_encoding():
    """In the package and in all scripts but those of tests."""
    folders = ("python", "docs", "conformance", "fuzz", "validation", "examples", "crates")
    files = [file for folder in folders for file in (ROOT / folder).rglob("*.py")
             if "tests" not in file.parts]  # fmt: skip
    wrong = [
        f"{file.relative_to(ROOT)}:{call.lineno}"
        for file in files
        for call in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call) and reads_text(call)
    ]
    assert len(files) > 100 and not wrong
    for text in ("open(p)", "p.open()", "open(p, 'w')", "p.open('a')", "p.read_text()",
                 "os.fdopen(1, 'w')"):  # fmt: skip
        assert reads_text(ast.parse(text).body[0].value), text
    for text in ("open(p, 'rb')", "p.open('wb')", "os.open(p, f)", "open(p, encoding='utf-8')",
                 "read_text(p)"):  # fmt: skip
        assert not reads_text(ast.parse(text).body[0].value), text
