"""Unmodified programs on a simulated file system, without a simulator.

`libodonata_io.so` maps paths below a mount to a backing directory. A program must behave as in a
plain directory.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import odonata as od

LIBRARY = Path(od.__file__).parent / "_lib" / "libodonata_io.so"
PROGRAMS = Path(__file__).with_name("programs")
# A mount that no computer has; the directory above it does not exist either.
MOUNT = "/odonata-test/flare"
GUARD_S = 120
# Numbers of `FileCallKind` (crates/workload/src/file.rs).
OPEN, CLOSE, READ, WRITE, STAT = 0, 1, 2, 3, 5
MKDIR, UNLINK, RENAME = 7, 9, 10


def encoded(path: Path | str) -> str:
    """A path as in `encode_mounts` (crates/workload/src/file_request.rs)."""
    plain = b"/._-"
    return "".join(
        chr(b) if chr(b).isalnum() and b < 128 or b in plain else f"%{b:02x}"
        for b in os.fsencode(path)
    )


def is_needed(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


class Store:
    """A backing directory, and programs with a mount on it."""

    def __init__(self, folder: Path):
        self.backing = folder / "store" / MOUNT[1:]
        self.backing.mkdir(parents=True)
        self.folder = folder
        self.mounts = f"0={encoded(MOUNT)}={encoded(self.backing)}"

    def environment(self, **more: str) -> dict[str, str]:
        # Programs of the test use the system's names and messages.
        plain = {k: v for k, v in os.environ.items() if k not in ("LD_PRELOAD", "CDPATH")}
        own = {"LD_PRELOAD": str(LIBRARY), "ODONATA_MOUNTS": self.mounts, "LC_ALL": "C.UTF-8"}
        return {**plain, **own, **more}

    def run(self, *arguments: object, cwd: Path | None = None, **more: str):
        return subprocess.run(
            [str(a) for a in arguments],
            env=self.environment(**more),
            cwd=cwd or self.folder,
            capture_output=True,
            text=True,
            timeout=GUARD_S,
        )

    def shell(self, script: str, **more: str) -> str:
        done = self.run("bash", "-c", f"set -e; {script}", **more)
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
        return done.stdout


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path)


def both(store: Store, script: str) -> str:
    """The output of a script in a plain directory and on the mount, which must be equal."""
    plain = store.folder / "plain"
    plain.mkdir(exist_ok=True)
    env = {**store.environment(), "LD_PRELOAD": "", "ODONATA_MOUNTS": ""}
    outputs = []
    for top, env in ((str(plain), env), (MOUNT, store.environment())):
        done = subprocess.run(
            ["bash", "-c", f"set -e; {script}"],
            env={**env, "TOP": top, "HOST": str(store.folder)},
            cwd=store.folder,
            capture_output=True,
            text=True,
            timeout=GUARD_S,
        )
        assert done.returncode == 0, (top, done.stdout, done.stderr)
        text = done.stdout + done.stderr
        assert str(store.backing) not in text, text
        outputs.append(text.replace(top, "TOP"))
    assert outputs[0] == outputs[1]
    return outputs[1]


def compiled(tmp_path: Path, name: str, *options: str) -> Path:
    out = tmp_path / Path(name).stem
    source = PROGRAMS / name
    subprocess.run(["cc", "-O1", "-w", source, "-o", out, *options], check=True)
    return out


@pytest.mark.parametrize("fortified", [0, 2])
def test_every_call(store, tmp_path, fortified):
    options = (f"-D_FORTIFY_SOURCE={fortified}", "-U_FORTIFY_SOURCE", "-pthread", "-ldl")
    options = options if fortified == 0 else (options[0], *options[2:])
    program = compiled(tmp_path, "posix_calls.c", *options)
    text = both(store, f"mkdir $TOP/w; {program} $TOP/w")
    assert text.count("\n") > 300


@pytest.mark.parametrize("seed", range(4))
def test_random_calls(store, tmp_path, seed):
    """As in a plain directory, whatever the order of calls."""
    program = compiled(tmp_path, "posix_random.c")
    entries = "cd $TOP/w; find . -printf '%p %M\\n' | sort"
    text = both(store, f"mkdir $TOP/w; {program} $TOP/w {seed} 20000; {entries}")
    assert text.count("\n") > 10_000


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("mount", ["/lus/flare", "/daos"])
def test_random_calls_in_a_simulation(odonata, tmp_path, seed, mount):
    """The simulator executes calls on names: with the same results as the kernel."""
    program = compiled(tmp_path, "posix_random.c")
    # The directory above has the attributes of a mount's root.
    (tmp_path / "parent").mkdir(mode=0o755)
    plain = tmp_path / "parent" / "w"
    plain.mkdir()
    n = 2000
    refused = ["no-links"] if mount == "/daos" else []
    arguments = [program, plain, str(seed), str(n), *refused]
    expected = subprocess.run(arguments, capture_output=True, text=True, check=True).stdout
    script = f"mkdir {mount}/w; {program} {mount}/w {seed} {n}"
    run = ("run", "-n", 1, "--machine", "aurora", "--compute", "none", "--quiet", "--")
    done = odonata(*run, "bash", "-c", script)
    assert done.returncode == 0, done.stderr
    found = done.stdout.replace(f"{mount}/w", "TOP").splitlines()
    assert found == expected.replace(str(plain), "TOP").splitlines()


@pytest.mark.parametrize(
    "script",
    [
        "cd $TOP; mkdir -p a/b; echo x > a/b/f; ls -R; stat -c '%n %s %A %h' a/b/f; wc -c a/b/f",
        "cd $TOP; touch -d 2001-02-03 t; stat -c '%y' t; touch t2; test t2 -nt t; cp -p t t3;"
        "stat -c %Y t3; mv t t4; ls; rm t4; ls; rm -rf $TOP/*; ls",
        "cd $TOP; mkdir d; echo 1 > d/1; ln -s 1 d/l; ln d/1 d/h; cp -a d e; diff -r d e;"
        "stat -c '%h %F %N' e/*; find . | sort; find . -type l; find . -name '*1' -size -2 | sort",
        "cd $TOP; ln -s $TOP/x l; readlink l; echo via > l; cat $TOP/x; readlink -f l; realpath l;"
        "ln -s .. up; cd up; pwd -P > /dev/null",
        "cd $TOP; seq 1000 > s; head -n 2 s; tail -n 1 s; sort -rn s | head -n 1; split -n 4 s p.;"
        "cat p.* | cmp - s; sha256sum s | cut -c 1-64; dd if=s of=t bs=100 count=3 2> /dev/null;"
        "wc -c t; truncate -s 1M t; du -b t | cut -f 1; grep -c 9 s; sed -i 1d s; head -n 1 s",
        "cd $TOP; f=$(mktemp -p .); test -f $f; d=$(mktemp -d $TOP/XXXXXX); test -d $d; rmdir $d",
        "cd $TOP; for i in 1 2 3; do echo $i >> log; done; cat < log; exec 5> out; echo five >&5;"
        "exec 5>&-; cat out; echo *; echo $TOP/l*; cat <<< here > h; cat h; (cd /; ls $TOP)",
        "cd $TOP; mkdir -p x/y; cd x/y; pwd; cd ..; pwd; cd ../y 2> /dev/null || echo none; cd ..;"
        "test -d x/../x",
        "cd $TOP; mkfifo p; (echo through > p) & cat p; wait; install -m 640 p2 q 2> /dev/null"
        " || echo missing; chmod 600 p; stat -c %A p; test ! -e none; test -p p",
        "cd $TOP; printf '#!/bin/sh\\necho $# ${0##*/}\\n' > run; chmod +x run; ./run a b;"
        "$TOP/run; PATH=$TOP:$PATH; run c; sh run; env -i $TOP/run; xargs ./run < /dev/null",
        "cd $TOP; touch a b; ls -1 > $HOST/list; xargs rm -v < $HOST/list; ls;"
        "test $(ls | wc -l) = 0",
        "cd $TOP; mkdir -p a; touch a/f; rmdir a 2> /dev/null || echo full; mv a $HOST/moved;"
        "ls $HOST/moved; mv $HOST/moved $TOP/back; ls -R; rm -r back",
    ],
)
def test_core_utilities_and_shell(store, script):
    both(store, script)


TREE = """
mkdir -p $TOP/src/d/e
seq 5000 > $TOP/src/numbers
echo é > $TOP/src/d/ü
ln -s ../numbers $TOP/src/d/link
ln $TOP/src/numbers $TOP/src/hard
chmod 700 $TOP/src/d/e
truncate -s 1M $TOP/src/d/sparse
"""
SUMS = """
find . -type f | sort | xargs sha256sum
find . -printf '%p %M %n %l\\n' | sort
"""
TAR = """
cd $TOP
tar cf t.tar src
tar tf t.tar | sort
mkdir out two
tar xf t.tar -C out
tar czf - src > $HOST/t.tgz
tar xzf $HOST/t.tgz -C two
diff -r src two/src
cd out/src
"""
COPY = """
cp -a $TOP/src $HOST/copy
cp -a $HOST/copy $TOP/back
rm -r $HOST/copy
cd $TOP/back
"""
RSYNC = """
rsync -aH $TOP/src/ $TOP/out/
rsync -aHi $TOP/src/ $TOP/out/
cd $TOP/out
"""
GIT = """
export HOME=$HOST GIT_CONFIG_NOSYSTEM=1
commit="git -c user.name=n -c user.email=e commit -q"
cd $TOP
git init -q -b main one
cd one
for i in $(seq 30); do echo $i > f$i; done
git add .
$commit -m 1
echo 2 > f1
$commit -a -m 2
cd ..
git clone -q one two
cd two
git log --format=%s
git status --short
git fsck 2> /dev/null
ls
git gc -q
git clone -q file://$TOP/one $TOP/three
diff -r f1 ../three/f1
"""
SQLITE = """
cd $TOP
for journal in delete wal; do
    sqlite3 $journal.db "
        pragma journal_mode=$journal;
        create table t(a);
        with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000)
            insert into t select i from n;
        begin; insert into t values(-1); rollback;
        select count(*), sum(a) from t;
        pragma integrity_check;
        vacuum;"
done
ls
"""


def test_tar(store):
    both(store, TREE + TAR + SUMS)


def test_cp(store):
    both(store, TREE + COPY + SUMS)


def test_rsync(store):
    is_needed("rsync")
    both(store, TREE + RSYNC + SUMS)


def test_git(store):
    is_needed("git")
    both(store, GIT)


def test_sqlite(store):
    is_needed("sqlite3")
    both(store, SQLITE)


PYTHON = """
import filecmp, glob, mmap, os, pathlib, shutil, sqlite3, subprocess, sys, tempfile
top = pathlib.Path(os.environ["TOP"])
tree = top / "tree"
(tree / "a" / "b").mkdir(parents=True)
(tree / "a" / "text").write_text("text" * 1000)
(tree / "a" / "b" / "bytes").write_bytes(os.urandom(100_000))
os.symlink("text", tree / "a" / "link")
shutil.copytree(tree, top / "copy", symlinks=True)
same = filecmp.dircmp(tree, top / "copy")
print(same.left_only, same.right_only, same.diff_files, sorted(same.common))
shutil.move(top / "copy", top / "moved")
print(sorted(str(p.relative_to(top)) for p in top.rglob("*")))
print(sorted(glob.glob(str(top / "*" / "a" / "*"))))
print([sorted(entry.name for entry in os.scandir(top / "tree"))], (tree / "a" / "link").resolve())
shutil.make_archive(str(top / "archive"), "zip", tree)
shutil.unpack_archive(top / "archive.zip", top / "unpacked")
print(filecmp.cmp(tree / "a" / "text", top / "unpacked" / "a" / "text", shallow=False))
with tempfile.NamedTemporaryFile(dir=top) as file, tempfile.TemporaryDirectory(dir=top) as folder:
    file.write(b"temporary"), file.flush()
    print(os.path.getsize(file.name), os.listdir(folder))
with open(top / "map", "w+b") as file:
    file.truncate(8192)
    with mmap.mmap(file.fileno(), 8192) as memory:
        memory[100:106] = b"mapped"
    print(file.read()[100:106])
fd = os.open(top, os.O_RDONLY)
print(sorted(os.listdir(fd))[:3], os.stat("map", dir_fd=fd).st_size)
os.chdir(tree / "a")
print(os.getcwd(), os.path.abspath(".."), os.path.realpath("link"), os.readlink("link"))
print(subprocess.run(["cat", "../a/text"], capture_output=True, cwd=tree / "a").stdout[:8])
print(subprocess.run(["pwd"], capture_output=True, text=True, cwd=top / "tree").stdout)
with open(top / "child", "w") as out:
    subprocess.run(["echo", "redirected"], stdout=out, close_fds=True)
print((top / "child").read_text(), os.path.samefile(top / "child", f"{top}/./child"))
with sqlite3.connect(top / "base") as base:
    base.execute("create table t(a)")
    base.executemany("insert into t values(?)", [(i,) for i in range(1000)])
print(sqlite3.connect(top / "base").execute("select sum(a) from t").fetchone())
(top / "module.py").write_text("VALUE = 9")
sys.path.insert(0, str(top))
import module
print(module.VALUE, module.__file__)
os.chdir("/")
shutil.rmtree(tree)
print(tree.exists(), os.access(top, os.W_OK))
"""


def test_python(store, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(PYTHON)
    both(store, f"{sys.executable} {script}")


SLASHES = """
import itertools, os
os.chdir(os.environ["TOP"])
os.makedirs("d/e")
open("f", "w").close()
for name, target in (("ld", "d"), ("lf", "f"), ("ln", "nothing"), ("le", "d/e"), ("lds", "d/")):
    os.symlink(target, name)
flags = (os.O_WRONLY | os.O_CREAT, os.O_RDWR | os.O_CREAT | os.O_EXCL, os.O_RDONLY, os.O_PATH)
firsts, lasts = ("d", "f", "ld", "ln", "le", "none"), ("c", "d", "f", "ld", "lf", "ln", "lds")
for first, last, end, how in itertools.product(firsts, lasts, ("", "/", "//", "/."), flags):
    path = f"{first}/../{last}{end}"
    try:
        os.close(os.open(path, how))
        result = "opened"
    except OSError as error:
        result = error.strerror
    print(path, how, result, sorted(os.listdir(".")))
    for made in ("c", "d/c", "nothing"):
        if os.path.exists(made):
            os.unlink(made)
"""


def test_names_that_end_with_a_slash(store, tmp_path):
    """`open(O_CREAT)` of one is EISDIR, also after `..`."""
    script = tmp_path / "slashes.py"
    script.write_text(SLASHES)
    text = both(store, f"{sys.executable} {script}")
    assert "d/../c/ 65 Is a directory" in text


def test_paths_that_cross_the_border_of_a_mount(store):
    """`..`, links and prefixes, on both sides."""
    (store.folder / "outside").write_text("outside")
    (store.folder / "enter").symlink_to(MOUNT)
    (store.folder / "enter-file").symlink_to(f"{MOUNT}/d/f")
    up = "../" * (len(store.folder.parts) - 1)
    text = store.shell(
        f"mkdir {MOUNT}/d; echo inside > {MOUNT}/d/f; cd {MOUNT}/d;"
        f"cat ../../..{store.folder}/outside; echo; cat ./../d/f;"
        f"ln -s {store.folder}/outside leaves; cat leaves; echo; readlink leaves;"
        f"ln -s ../../../..{store.folder}/outside relative; cat relative; echo;"
        f"cd {store.folder}; cat enter/d/f enter-file; echo new > enter/new; cat {MOUNT}/new;"
        f"ls enter/; cat {up}{MOUNT[1:]}/d/f; cat /.{MOUNT}//d/./f /tmp/..{MOUNT}/d/f;"
        f"cd enter/d; pwd -P; cd -P ../..; pwd; ls; realpath {store.folder}/enter/d"
    )
    outside = f"{store.folder}/outside"
    assert text == (
        f"outside\ninside\noutside\n{outside}\noutside\ninside\ninside\nnew\nd\nnew\n"
        f"inside\ninside\ninside\n{MOUNT}/d\n"
        f"{os.path.dirname(MOUNT)}\nflare\n{MOUNT}/d\n"
    )
    missing = store.run("cat", f"{MOUNT}2/d/f")
    assert missing.returncode == 1 and "No such file" in missing.stderr
    assert not (store.folder / "new").exists()


def test_the_mount_is_a_file_system_of_its_own(store):
    (store.folder / "file").write_text("x")
    text = store.shell(
        f"stat -c %d {MOUNT} {store.folder} | uniq | wc -l;"
        f"df --output=target {MOUNT} | tail -n 1;"
        f"ln {store.folder}/file {MOUNT}/hard 2> /dev/null || echo refused; mkdir -p {MOUNT}/a/b;"
        f"rmdir {MOUNT} 2> /dev/null || echo busy;"
        f"find {MOUNT} -xdev | wc -l; ls {os.path.dirname(MOUNT)}; grep -c {MOUNT} /proc/mounts"
    )
    assert text == f"2\n{MOUNT}\nrefused\nbusy\n3\nflare\n1\n"
    assert not Path(MOUNT).parent.exists()


def test_several_mounts(store):
    """The longest path counts; names may have any byte."""
    odd = store.folder / "a b:c=%d"
    (odd / "deep").mkdir(parents=True)
    inner = f"{MOUNT}/inner"
    store.mounts += f":1={encoded('/odonata-test/x y')}={encoded(odd)}"
    store.mounts += f":2={encoded(inner)}={encoded(odd / 'deep')}"
    store.shell(f"echo 1 > '/odonata-test/x y/f'; echo 2 > {inner}/g; echo 3 > {MOUNT}/h")
    assert (odd / "f").read_text() == "1\n"
    assert (odd / "deep" / "g").read_text() == "2\n"
    assert (store.backing / "h").read_text() == "3\n"
    store.mounts += f":3={encoded('/odonata-test/again')}={encoded(store.backing)}"
    store.shell(f"cd /odonata-test/again; pwd; mv h ../flare/i; mv {MOUNT}/i /odonata-test/again/h")
    text = store.shell(f"cd {MOUNT}; cat inner/g; cd inner; pwd; mv g ../moved; ls ..")
    assert text == f"2\n{inner}\nmoved\nh\n" or text == f"2\n{inner}\nh\nmoved\n"
    assert (store.backing / "moved").exists()


def test_a_mount_over_an_existing_directory_hides_it(store):
    real = store.folder / "real"
    real.mkdir()
    (real / "hidden").write_text("hidden")
    (store.folder / "link").symlink_to(real)
    store.mounts = f"0={encoded(real)}={encoded(store.backing)}"
    text = store.shell(
        f"ls {real}; echo shown > {real}/f; cat {real}/f; cd {store.folder}; ls real link/;"
        f"cat link/f real/../real/f; echo two > link/g; cd real; ls"
    )
    assert text == "shown\nlink/:\nf\n\nreal:\nf\nshown\nshown\nf\ng\n"
    assert sorted(p.name for p in real.iterdir()) == ["hidden"]


def test_an_invalid_variable_is_reported(store):
    store.mounts = "0=relative=/x"
    done = store.run("true")
    assert done.returncode == 0
    assert "ODONATA_MOUNTS is invalid" in done.stderr


def test_without_mounts_nothing_changes(store, tmp_path):
    del_mounts = {"ODONATA_MOUNTS": ""}
    done = store.run("bash", "-c", f"echo x > f; cat f; ls {MOUNT}", cwd=tmp_path, **del_mounts)
    assert done.stdout == "x\n"
    assert "No such file" in done.stderr


class Recorder:
    """Requests that a program would submit to a simulator."""

    def __init__(self, store: Store, folder: Path):
        self.store, self.log = store, folder / "requests"
        self.library = folder / "librecord.so"
        source = PROGRAMS / "posix_record.c"
        command = ["cc", "-shared", "-fPIC", "-w", source, "-o", self.library]
        subprocess.run(command, check=True)

    def __call__(self, *arguments: object) -> list[tuple[int, int, str, int, int]]:
        self.log.unlink(missing_ok=True)
        variables = {
            "ODONATA_MPI_LIBRARY": str(self.library),
            "ODONATA_TEST_LOG": str(self.log),
        }
        done = self.store.run(*arguments, **variables)
        assert done.returncode == 0, done.stderr
        found = []
        for line in self.log.read_text().splitlines() if self.log.exists() else ():
            kind, flags, rest = line.split(" ", 2)
            path, offset, n = rest.rsplit(" ", 2)
            found.append((int(kind), int(flags), path[1:], int(offset), int(n)))
        return found


@pytest.fixture
def record(store, tmp_path) -> Recorder:
    return Recorder(store, tmp_path)


def bytes_of(requests, kind: int) -> int:
    return sum(n for k, _, _, _, n in requests if k == kind)


STREAM = r"""
#include <stdio.h>
int main(void) {
    FILE *file = fopen(NAME, "w");
    for (int i = 0; i < 2000; i++)
        fprintf(file, "0123456789\n");
    fclose(file);
    char line[100];
    int n = 0;
    file = fopen(NAME, "r");
    while (fgets(line, sizeof line, file))
        n++;
    fclose(file);
    return n != 2000;
}
"""


def test_transfers_of_streams_are_submitted(record, tmp_path):
    """The C library's own calls: offsets without gaps, and all bytes."""
    source = tmp_path / "stream.c"
    source.write_text(STREAM)
    define = f'-DNAME="{MOUNT}/stream"'
    subprocess.run(["cc", define, source, "-o", tmp_path / "stream"], check=True)
    requests = record(tmp_path / "stream")
    writes = [(offset, n) for kind, _, _, offset, n in requests if kind == WRITE]
    assert writes[0][0] == 0
    assert all(a + n == b for (a, n), (b, _) in zip(writes, writes[1:]))
    assert sum(n for _, n in writes) == 22_000
    reads = [offset for kind, _, _, offset, _ in requests if kind == READ]
    assert reads[-1] == 22_000  # the last finds the end
    assert [k for k, *_ in requests].count(OPEN) == 2
    assert [k for k, *_ in requests].count(CLOSE) == 2


def test_redirections_are_submitted(record):
    """A descriptor that a child inherits is recognized, and closed once."""
    requests = record("bash", "-c", f"seq 10000 > {MOUNT}/out; cat < {MOUNT}/out > /dev/null")
    assert bytes_of(requests, WRITE) == len("".join(f"{i}\n" for i in range(1, 10001)))
    assert [path for kind, _, path, *_ in requests if kind == OPEN] == ["out", "out"]
    assert [kind for kind, *_ in requests].count(CLOSE) == 2


def test_names_are_submitted_relative_to_the_mount(record):
    script = f"cd {MOUNT}; mkdir d; cd d; touch ../d/./f; mv f ../g; rm {MOUNT}//g"
    requests = record("bash", "-c", script)
    named = [(kind, path) for kind, _, path, *_ in requests if kind in (MKDIR, RENAME, UNLINK)]
    assert named == [(MKDIR, "d"), (RENAME, "d/f"), (UNLINK, "g")]
    assert (OPEN, "d/f") in [(kind, path) for kind, _, path, *_ in requests]


def test_the_order_of_entries_is_a_function_of_their_names(record):
    """As the order of calls of programs that read directories depends on it."""
    names = [f"n{i}" for i in range(100)]
    store = record.store
    orders = []
    for these in (names, names[::-1]):
        shutil.rmtree(store.backing)
        store.backing.mkdir()
        for name in these:
            (store.backing / name).touch()
        orders.append(store.shell(f"ls -f {MOUNT}"))
    assert orders[0] == orders[1]


def test_other_files_are_not_submitted(record, tmp_path):
    script = f"ls / > {tmp_path}/list; cat {tmp_path}/list; cp /etc/passwd ."
    assert record("bash", "-c", script) == []


def test_below_another_preloaded_library(store, tmp_path):
    """A profiler is first, and calls the functions of this library."""
    source, library = tmp_path / "profiler.c", tmp_path / "libprofiler.so"
    source.write_text(r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <unistd.h>
#include <stdio.h>
#include <fcntl.h>
#include <stdarg.h>
static int n;
int open64(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    int (*real)(const char *, int, ...) = dlsym(RTLD_NEXT, "open64");
    n++;
    return real(path, flags, va_arg(more, int));
}
int open(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    int (*real)(const char *, int, ...) = dlsym(RTLD_NEXT, "open");
    n++;
    return real(path, flags, va_arg(more, int));
}
__attribute__((destructor)) static void end(void) { if (n > 0) creat(COUNTED, 0644); }
""")
    define = f'-DCOUNTED="{tmp_path}/counted"'
    command = ["cc", "-shared", "-fPIC", define, source, "-o", library, "-ldl"]
    subprocess.run(command, check=True)
    (store.backing / "f").write_text("content")
    done = store.run("cat", f"{MOUNT}/f", LD_PRELOAD=f"{library}:{LIBRARY}")
    assert (done.stdout, done.stderr) == ("content", "")
    assert (tmp_path / "counted").exists()
