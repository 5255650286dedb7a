"""Prints variables and directory of a rank."""

import os

from mpi4py import MPI

names = ("MPI4PY_MPIABI", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "GIVEN")
if MPI.COMM_WORLD.rank == 0:
    for name in names:
        print(f"{name}={os.environ.get(name)}")
    print(f"cwd={os.getcwd()}")
    print(f"library={os.path.basename(os.environ['LD_LIBRARY_PATH'].split(':')[0])}", flush=True)
hosts = MPI.COMM_WORLD.gather(MPI.Get_processor_name())
if MPI.COMM_WORLD.rank == 0:
    print(f"hosts={len(set(hosts))}")
