"""Computes in steps, with child processes in sessions of their own: for tests that kill."""

import os
import subprocess
import sys

if os.environ.get("STORM_HELPERS"):
    subprocess.Popen(["sleep", "300"], start_new_session=True, stdout=subprocess.DEVNULL,
                     stderr=subprocess.DEVNULL)  # fmt: skip
from mpi4py import MPI

comm = MPI.COMM_WORLD
for _ in range(int(sys.argv[1])):
    comm.allreduce(comm.rank)
