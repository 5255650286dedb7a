"""Ranks that communicate outside MPI, and ranks that wait for other reasons."""

from __future__ import annotations

import importlib.util
import json
import shlex
import subprocess

import pytest

MACHINE = ("--machine", "dragonfly-1056", "--ppn", "1")

# Rank 0 waits for rank 1 in the kernel; rank 1 gets there after a barrier that rank 2 delays.
HEAD = """
import fcntl, mmap, multiprocessing.connection, os, select, socket, subprocess, sys, threading, time
from mpi4py import MPI
world = MPI.COMM_WORLD
rank = world.rank
pair = MPI.COMM_WORLD.Split(int(rank > 0))
def others():
    world.Get_rank() and pair.Barrier()
"""
METHODS = {
    "socket": """
if rank == 0:
    server = socket.create_server(("127.0.0.1", 0))
    world.bcast(server.getsockname()[1])
    peer, _ = server.accept()
    print(peer.recv(5).decode())
else:
    port = world.bcast(None)
    others()
    if rank == 1:
        client = socket.create_connection(("127.0.0.1", port))
        client.sendall(b"hello")
""",
    "socket with a timeout": """
if rank == 0:
    server = socket.create_server(("127.0.0.1", 0))
    server.settimeout(100)
    world.bcast(server.getsockname()[1])
    peer, _ = server.accept()
    print(peer.recv(5).decode())
else:
    port = world.bcast(None)
    others()
    if rank == 1:
        client = socket.create_connection(("127.0.0.1", port))
        client.sendall(b"hello")
""",
    "connection": """
if rank == 0:
    with multiprocessing.connection.Listener("channel") as listener:
        world.Barrier()
        print(listener.accept().recv())
else:
    world.Barrier()
    others()
    if rank == 1:
        multiprocessing.connection.Client("channel").send("hello")
""",
    "named pipe": """
if rank == 0:
    os.mkfifo("channel")
    world.Barrier()
    print(open("channel").read())
else:
    world.Barrier()
    others()
    if rank == 1:
        print("hello", end="", file=open("channel", "w"))
""",
    "file lock": """
file = open("channel", "w")
if rank == 1:
    fcntl.flock(file, fcntl.LOCK_EX)
world.Barrier()
if rank == 0:
    fcntl.flock(file, fcntl.LOCK_EX)
    print("hello")
else:
    others()
    fcntl.flock(file, fcntl.LOCK_UN)
""",
    "event loop in a thread": """
if rank == 0:
    server = socket.create_server(("127.0.0.1", 0))
    world.bcast(server.getsockname()[1])
    came = threading.Event()
    def loop():
        while not select.select([server], [], [], 0.05)[0]:
            pass
        came.set()
    threading.Thread(target=loop).start()
    came.wait()
    print("hello")
else:
    port = world.bcast(None)
    others()
    if rank == 1:
        socket.create_connection(("127.0.0.1", port))
""",
    "child process": """
if rank == 0:
    server = socket.create_server(("127.0.0.1", 0))
    world.bcast(server.getsockname()[1])
    text = "import socket; print(socket.socket(fileno=%d).accept()[0].recv(5).decode())"
    words = [sys.executable, "-c", text % server.fileno()]
    subprocess.run(words, check=True, pass_fds=[server.fileno()])
else:
    port = world.bcast(None)
    others()
    if rank == 1:
        client = socket.create_connection(("127.0.0.1", port))
        client.sendall(b"hello")
""",
}
TAIL = "\nworld.Barrier()\n"


def write(tmp_path, text: str):
    script = tmp_path / "program.py"
    script.write_text(HEAD + text + TAIL)
    return script


@pytest.mark.parametrize("method", METHODS)
def test_ranks_that_wait_for_each_other_in_the_kernel_continue(odonata, tmp_path, method):
    script = write(tmp_path, METHODS[method])
    done = odonata("run", "-n", 3, *MACHINE, "--json", "--", "python", script)
    assert done.returncode == 0, done.stderr
    assert "hello\n" in done.stderr
    (note,) = (n for n in json.loads(done.stdout)["notes"] if "outside MPI" in n)
    assert note.startswith("1 of 3 ranks waited outside MPI, first rank 0 in ")
    assert "not modeled" in note


NOT = {
    "reads its input": "rank or sys.stdin.read(1) or 1 / 0",
    "computes": "deadline = time.process_time() + 0.4\nwhile time.process_time() < deadline: pass",
    "waits for a process": "rank or subprocess.run(['sleep', '0.5'], check=True)",
    "writes a file": "f = open('f%d' % rank, 'wb'); f.write(bytes(1 << 24)); os.fsync(f)",
    "waits for a thread": "rank or (t := threading.Timer(0.4, print)).start() or t.join()",
}


@pytest.mark.parametrize("what", NOT)
def test_the_simulation_waits_for_ranks_that_wait_for_no_other_rank(odonata, tmp_path, what):
    """All ranks but 0 are in the barrier; the simulator does not continue without rank 0."""
    script = write(tmp_path, NOT[what])
    words = ("run", "-n", 3, *MACHINE, "--compute", "none", "--json", "--", "python", script)
    late = "{ sleep 0.5; echo; } | " if what == "reads its input" else ""
    command = late + shlex.join(odonata.arguments(*words))
    done = subprocess.run(["sh", "-c", command], cwd=odonata.cwd, env=odonata.env,
                          capture_output=True, text=True, timeout=300)  # fmt: skip
    assert done.returncode == 0, done.stderr
    notes = json.loads(done.stdout).get("notes") or []
    assert not [n for n in notes if "outside MPI" in n], notes


@pytest.mark.skipif(
    importlib.util.find_spec("torch") is None, reason="PyTorch (torch) is not installed"
)
def test_torch_distributed(odonata, tmp_path):
    """Its rendezvous by MPI, then its own collectives by TCP."""
    text = """
import torch.distributed as dist, torch
address = world.bcast(("127.0.0.1", socket.create_server(("127.0.0.1", 0)).getsockname()[1]))
os.environ.update(MASTER_ADDR=address[0], MASTER_PORT=str(address[1]))
dist.init_process_group("gloo", rank=rank, world_size=world.size)
sum = torch.ones(4) * rank
dist.all_reduce(sum)
print("hello" if sum.tolist() == [3.0] * 4 else "wrong", flush=True)
dist.destroy_process_group()
"""
    done = odonata("run", "-n", 3, *MACHINE, "--", "python", write(tmp_path, text))
    assert done.returncode == 0, done.stderr
    assert done.stdout == "hello\n" * 3


@pytest.mark.skipif(
    importlib.util.find_spec("dask_mpi") is None, reason="dask-mpi (dask_mpi) is not installed"
)
def test_dask_mpi(odonata, tmp_path):
    """Scheduler, client and worker are ranks that start with MPI and communicate by TCP."""
    script = tmp_path / "program.py"
    script.write_text(
        "import dask_mpi\n"
        "from distributed import Client\n"
        "dask_mpi.initialize(dashboard=False, nthreads=1)\n"
        "with Client() as client:\n"
        "    print(client.submit(sum, [1, 2, 3]).result(), flush=True)\n"
    )
    done = odonata("run", "-n", 3, *MACHINE, "--", "python", script)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "6\n"
