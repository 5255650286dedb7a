"""Ends normally with the given exit status."""

import sys

from mpi4py import MPI

MPI.COMM_WORLD.Barrier()
print("on stdout")
print("on stderr", file=sys.stderr)
MPI.Finalize()
sys.exit(int(sys.argv[1]))
