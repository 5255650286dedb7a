"""A thread of rank 0 waits in MPI for a message that another thread causes rank 1 to send."""
import threading

from mpi4py import MPI

comm = MPI.COMM_WORLD


def receive():
    comm.Recv(bytearray(8), source=1, tag=1)


def sleeps(thread):
    with open(f"/proc/self/task/{thread.native_id}/stat") as file:
        return file.read().rpartition(")")[2].split()[0] == "S"


if comm.rank == 0:
    other = threading.Thread(target=receive)
    other.start()
    # Inside MPI the thread sleeps at every check.
    looks = 0
    while looks < 2000:
        looks = looks + 1 if sleeps(other) else 0
    comm.Send(bytes(8), dest=1, tag=2)
    other.join()
else:
    comm.Recv(bytearray(8), source=0, tag=2)
    comm.Send(bytes(8), dest=0, tag=1)
