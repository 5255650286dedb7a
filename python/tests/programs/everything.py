"""Many kinds of calls: master and workers with wildcards, a halo, collectives, polls, probes."""
from mpi4py import MPI
import array

comm = MPI.COMM_WORLD
me, n = comm.rank, comm.size
buf = bytearray(1 << 18)

# A halo with nonblocking calls, eager and rendezvous, completed in another order.
for size in (64, 1 << 17):
    right, left = (me + 1) % n, (me - 1) % n
    into = bytearray(size)
    requests = [comm.Irecv(into, source=left, tag=3), comm.Isend(bytes(size), dest=right, tag=3)]
    requests[1].Wait()
    requests[0].Wait()

# Workers answer the first request; the master receives from any source with any tag.
if me == 0:
    for _ in range(3 * (n - 1)):
        status = MPI.Status()
        comm.Recv(buf, source=MPI.ANY_SOURCE, tag=MPI.ANY_TAG, status=status)
        comm.Send(bytes(8), dest=status.source, tag=50)
else:
    for i in range(3):
        comm.Send(bytes(100 * me + i), dest=0, tag=10 + i)
        comm.Recv(buf, source=0, tag=50)

# Collectives on parts of the world.
half = comm.Split(me % 2, me)
values = array.array("d", [float(me)] * 1000)
total = array.array("d", [0.0] * 1000)
half.Allreduce(values, total)
comm.Bcast(buf, root=n - 1)
gathered = comm.allgather(me * "x")
request = comm.Ibarrier()
while not request.Test():
    pass
# A probe in a loop, and matched probes.
if me == 0:
    for _ in range(n - 1):
        status = MPI.Status()
        while not comm.Iprobe(source=MPI.ANY_SOURCE, tag=99, status=status):
            pass
        comm.Recv(buf, source=status.source, tag=99)
else:
    comm.Send(bytes(5000), dest=0, tag=99)
    if me == 1:
        comm.Send(bytes(10), dest=0, tag=98)
if me == 0:
    message = comm.Mprobe(source=1, tag=98)
    message.Recv(buf)
# Waits for any of several requests.
if me == 0:
    requests = [comm.Irecv(bytearray(64), source=r, tag=5) for r in range(1, n)]
    while any(requests):
        MPI.Request.Waitany(requests)
else:
    comm.Ssend(bytes(64), dest=0, tag=5)
comm.Barrier()
