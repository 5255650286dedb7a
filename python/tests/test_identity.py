"""A rank is on a simulated node: every query of the host name returns it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import odonata as od
import pytest

COMPILER = Path(od.__file__).parent / "_bin" / "odonata-mpicc"
PROGRAM = Path(__file__).with_name("programs") / "identity.c"
# Node names as in the machine files (machines/*.toml).
FIRST_TWO = {
    "aurora": ["x4000c0s0b0n0", "x4000c0s1b0n0"],
    "frontier": ["frontier00001", "frontier00002"],
    "lumi-g": ["nid005000", "nid005001"],
    "dragonfly-1056": ["dragonfly-1056-00000", "dragonfly-1056-00001"],
}


@pytest.fixture(scope="module")
def identity(tmp_path_factory):
    out = tmp_path_factory.mktemp("identity") / "identity"
    subprocess.run(["sh", COMPILER, "-O1", PROGRAM, "-o", out], check=True)
    return out


@pytest.mark.parametrize(
    ("machine", "how"),
    [("aurora", ()), ("frontier", ("--clock", "real")), ("dragonfly-1056", ())],
)
def test_a_c_program_sees_the_node_it_is_on(odonata, identity, machine, how):
    done = odonata("run", "-n", 4, "--ppn", 2, "--machine", machine, *how, "--quiet", "-l", "--",
                   identity)  # fmt: skip
    assert done.returncode == 0, done.stderr
    wanted = {f"[{rank}] {' '.join([FIRST_TWO[machine][rank // 2]] * 11)}" for rank in range(4)}
    assert set(done.stdout.splitlines()) == wanted


SCRIPT = """
import os, platform, socket, sys, uuid  # `uuid` calls platform.uname as it is imported
from mpi4py import MPI
world = MPI.COMM_WORLD
name = MPI.Get_processor_name()
read = open("/proc/sys/kernel/hostname").read().strip()
names = {platform.node(), socket.gethostname(), socket.getfqdn(), os.uname().nodename, read}
names.add(os.popen("uname -n").read().strip())
assert names == {name}, (names, name)
# A socket that rank 0 binds to its node's name is found from the other node.
server = socket.socket()
if world.rank == 0:
    server.bind((name, 0))
    server.listen()
where = world.bcast((name, server.getsockname()[1]) if world.rank == 0 else None)
if world.rank == world.size - 1:
    assert where[0] != name
    client = socket.create_connection(where)
    client.sendall(name.encode())
world.Barrier()
if world.rank == 0:
    other, _ = server.accept()
    print(other.recv(64).decode())
world.Barrier()
"""


@pytest.mark.parametrize("how", [("auto", "virtual"), ("none", "real")])
def test_a_python_program_sees_the_node_it_is_on(odonata, how):
    warm, clock = how
    how = ("--warm", warm, "--clock", clock, "--compute", "none", "--quiet")
    job = ("run", "-n", 3, "--ppn", 2, "--machine", "lumi-g", *how)
    done = odonata(*job, "--", sys.executable, "-c", SCRIPT)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "nid005001\n"


def test_a_wrapper_script_sees_the_node_it_is_on(odonata):
    """Before a rank calls MPI, and in processes that a script starts."""
    script = "echo $(uname -n) $(cat /proc/sys/kernel/hostname) $HOSTNAME"
    done = odonata("run", "-n", 2, "--machine", "aurora", "--quiet", "--", "sh", "-c", script,
                   env={"HOSTNAME": "login1"})  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == [" ".join([n] * 3) for n in FIRST_TWO["aurora"]]


HOSTS = {
    "aurora": ["x4305c3s2b0n0.hostmgmt2305.cm.aurora.alcf.anl.gov:2", "x4000c0s0b0n0 slots=2"],
    "frontier": ["frontier00007:2", "frontier[00100-00101]:1"],
    "lumi-c": ["nid[001234-001236,001240]:1"],
}


@pytest.mark.parametrize("machine", HOSTS)
def test_host_files_accept_the_machines_node_names(odonata, machine):
    wanted = {
        "aurora": ["x4305c3s2b0n0"] * 2 + ["x4000c0s0b0n0"] * 2,
        "frontier": ["frontier00007"] * 2 + ["frontier00100", "frontier00101"],
        "lumi-c": ["nid001234", "nid001235", "nid001236", "nid001240"],
    }[machine]
    (odonata.cwd / "hosts").write_text("\n".join(HOSTS[machine]))
    done = odonata("run", "-n", 4, "--machine", machine, "--hostfile", "hosts", "--quiet", "-l",
                   "--", "uname", "-n")  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == [f"[{n}] {name}" for n, name in enumerate(wanted)]


@pytest.mark.skipif(not shutil.which("gcc"), reason="needs GCC and its address sanitizer")
def test_address_sanitizer_works(odonata, tmp_path):
    source, out = tmp_path / "one.c", tmp_path / "one"
    source.write_text(
        "#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n"
        "int main() { char n[64]; gethostname(n, 64); puts(n); free(malloc(3)); return 0; }\n"
    )
    built = subprocess.run(["gcc", "-fsanitize=address", source, "-o", out], capture_output=True)
    if built.returncode:
        pytest.skip("no address sanitizer")
    done = odonata("run", "-n", 1, "--machine", "aurora", "--clock", "real", "--quiet", "--", out)
    assert (done.returncode, done.stdout) == (0, "x4000c0s0b0n0\n"), done.stderr


def test_the_summary_names_the_same_nodes(odonata, program):
    done = odonata("run", "-n", 2, "--machine", "aurora", "--quiet", "--out", "out", "--json", "--",
                   "python", program("ring"))  # fmt: skip
    assert done.returncode == 0, done.stderr
    import pyarrow.parquet

    assert json.loads(done.stdout)["nodes"] == 2
    table = pyarrow.parquet.read_table(odonata.cwd / "out" / "ranks.parquet")
    assert table.column("node").to_pylist() == FIRST_TWO["aurora"]
