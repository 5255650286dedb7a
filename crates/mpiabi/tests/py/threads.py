"""Concurrent Python threads in MPI, with Python objects, operators and callbacks."""

import threading

from mpi4py import MPI

world = MPI.COMM_WORLD
me, np = world.rank, world.size
THREADS, ROUNDS = 4, 10

assert MPI.Query_thread() == MPI.THREAD_MULTIPLE
assert MPI.Is_thread_main()


def together(body):
    failed = []

    def guarded(i):
        try:
            body(i)
        except BaseException as error:
            failed.append(error)
            world.Abort(1)

    threads = [threading.Thread(target=guarded, args=(i,)) for i in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed, failed


comms = [world.Dup() for _ in range(THREADS)]


def ring(i):
    comm = comms[i]
    for n in range(ROUNDS):
        got = comm.sendrecv((me, n, i, "x" * 1000 * n), (me + 1) % np, source=(me - 1) % np)
        assert got == ((me - 1) % np, n, i, "x" * 1000 * n)


def either(a, b, datatype):
    b[0] = a[0] ^ b[0]


def collectives(i):
    comm = comms[i]
    for n in range(ROUNDS):
        assert comm.allgather((me, n)) == [(r, n) for r in range(np)]
        # An operator in Python needs the interpreter, which another thread may hold.
        op = MPI.Op.Create(either, commute=True)
        out = bytearray(1)
        comm.Allreduce([bytes([me + 1]), MPI.BYTE], [out, MPI.BYTE], op=op)
        want = 0
        for r in range(np):
            want ^= r + 1
        assert out[0] == want, (out, want)
        op.Free()
        comm.Barrier()


def attributes(i):
    copied = []

    def copy(comm, keyval, value):
        copied.append(value)
        return value + 1

    keyval = MPI.Comm.Create_keyval(copy_fn=copy)
    for n in range(ROUNDS):
        comms[i].Set_attr(keyval, n)
        new = comms[i].Dup()
        assert new.Get_attr(keyval) == n + 1 and copied[-1] == n
        new.Free()
    MPI.Comm.Free_keyval(keyval)


def main():
    together(ring)
    together(collectives)
    together(attributes)
    # One thread waits for a message that another thread of its rank sends.
    got = []
    thread = threading.Thread(target=lambda: got.append(comms[0].recv(source=me, tag=5)))
    thread.start()
    comms[0].send({"from": me}, dest=me, tag=5)
    thread.join()
    assert got == [{"from": me}]
    for comm in comms:
        comm.Free()
    world.Barrier()
    if me == 0:
        print(f"threads: {np} ranks: good")


main()
