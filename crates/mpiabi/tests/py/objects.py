"""Pickled objects by every method of mpi4py: matched probes, wildcards, collectives, splits."""

from mpi4py import MPI

world = MPI.COMM_WORLD
me, np = world.rank, world.size


def thing(rank, n=3):
    return {"rank": rank, "list": list(range(n)), "text": "x" * (rank % 5), "none": None}


def main():
    # Every rank to every rank, in an order that differs by rank.
    sends = [world.isend(thing(me, to), dest=to, tag=to) for to in range(np)]
    seen = set()
    for _ in range(np):
        status = MPI.Status()
        got = world.recv(source=MPI.ANY_SOURCE, tag=me, status=status)
        assert got == thing(status.source, me), got
        seen.add(status.source)
    assert seen == set(range(np))
    MPI.Request.waitall(sends)

    after, before = (me + 1) % np, (me - 1) % np
    assert world.sendrecv(thing(me, 100_000), after, source=before) == thing(before, 100_000)
    message = None
    request = world.isend(thing(me), after)
    while message is None:
        message = world.improbe(before)
    assert message.recv() == thing(before)
    request.wait()

    assert world.bcast(thing(me) if me == np - 1 else None, np - 1) == thing(np - 1)
    assert world.allgather(thing(me)) == [thing(r) for r in range(np)]
    gathered = world.gather(thing(me), 0)
    assert gathered == ([thing(r) for r in range(np)] if me == 0 else None)
    assert world.scatter(gathered, 0) == thing(me)
    assert world.alltoall([(me, to) for to in range(np)]) == [(r, me) for r in range(np)]
    assert world.allreduce(me + 1) == np * (np + 1) // 2
    # Concatenation does not commute.
    assert world.allreduce([me]) == list(range(np))
    assert world.scan([me]) == list(range(me + 1))
    assert world.exscan([me]) == (list(range(me)) if me else None)

    part = world.Split(me % 2, -me)
    assert part.allgather(me) == [r for r in reversed(range(np)) if r % 2 == me % 2]
    part.Free()
    node = world.Split_type(MPI.COMM_TYPE_SHARED)
    assert len(set(node.allgather(MPI.Get_processor_name()))) == 1
    node.Free()
    if me == 0:
        print(f"objects: {np} ranks: good")


main()
