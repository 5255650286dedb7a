"""Interfaces of the kernel on simulated file systems, and clocks of programs without MPI."""

from __future__ import annotations

import platform

import pytest

QUIET = ("--machine", "aurora", "--compute", "none", "--quiet")


def python(odonata, script: str):
    (odonata.cwd / "program.py").write_text(script)
    done = odonata("run", "-n", 1, *QUIET, "--", "python", "program.py")
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_clocks_of_programs_without_mpi_have_the_time_of_file_calls(odonata):
    # A small write to a new file: less than 0.1 s, and no less than a round trip to a server. The
    # child of a fork begins at the time of its parent.
    script = """
import os, time
def call(name):
    start = time.time()
    with open("/lus/flare/" + name, "wb") as file:
        file.write(bytes(1000))
    print(time.time() - start, flush=True)
call("a")
before = time.time()
if os.fork() == 0:
    call("b")
    os._exit(0 if time.time() > before else 1)
assert os.wait()[1] == 0
"""
    durations = [float(word) for word in python(odonata, script)]
    assert len(durations) == 2
    assert all(2e-6 < duration < 0.1 for duration in durations)


def test_time_before_mpi_init_counts_once(odonata):
    script = """
import time
start = time.time()
open("/lus/flare/a", "wb").write(bytes(1 << 20))
middle = time.time()
from mpi4py import MPI
assert middle - start > 1e-5
assert 0 <= time.time() - middle < 1e-5
"""
    python(odonata, script)


@pytest.mark.skipif(platform.machine() != "x86_64", reason="numbers of system calls")
def test_io_submit_is_charged_and_rings_are_refused(odonata):
    script = """
import ctypes, errno, os, struct, time
libc = ctypes.CDLL(None, use_errno=True)
SETUP, GETEVENTS, SUBMIT, RING = 206, 208, 209, 425
assert libc.syscall(RING, 8, ctypes.create_string_buffer(200)) == -1
assert ctypes.get_errno() == errno.ENOSYS
context = ctypes.c_ulong(0)
assert libc.syscall(SETUP, 8, ctypes.byref(context)) == 0
fd = os.open("/lus/flare/x", os.O_RDWR | os.O_CREAT)
data = ctypes.create_string_buffer(os.urandom(1 << 20), 1 << 20)
READ, WRITE = 0, 1
def submit(operation, buffer, offset):
    fields = (0, 0, 0, operation, 0, fd, ctypes.addressof(buffer), len(buffer), offset)
    block = ctypes.create_string_buffer(struct.pack("QIIHhiQQqQII", *fields, 0, 0, 0))
    blocks = (ctypes.c_void_p * 1)(ctypes.addressof(block))
    start = time.time()
    assert libc.syscall(SUBMIT, context, 1, blocks) == 1
    took = time.time() - start
    events = ctypes.create_string_buffer(32)
    assert libc.syscall(GETEVENTS, context, 1, 1, events, None) == 1
    assert struct.unpack("QQqq", events.raw)[2] == len(buffer)
    return took
# At most 100 GB/s.
assert submit(WRITE, data, 4096) > (1 << 20) / 100e9
assert os.fstat(fd).st_size == 4096 + (1 << 20)
found = ctypes.create_string_buffer(1 << 20)
assert submit(READ, found, 4096) > 1e-6
assert found.raw == data.raw == os.pread(fd, 1 << 20, 4096)
"""
    python(odonata, script)
