"""Sparse exchange: every rank sends messages to a few ranks that do not expect them.

The calls are those of Shamrock (src/shamalgs, `vector_allgatherv` and `sparse_exchange`), in their
present form and in earlier ones, which fail or are slow on many nodes.
"""

from dataclasses import dataclass

import numpy as np
from mpi4py import MPI

Message = tuple[int, np.ndarray]  # the other rank, and bytes


@dataclass
class Exchange:
    """The variant of the calls; an instance sends messages when it is called."""

    comm: MPI.Comm
    receive: str = "sizes"  # lengths of messages are in their headers, or "probe": MPI_Probe
    tags: str = "sender"  # number of a message at its sender, or "global": in the job
    total: str = "sum"  # each rank adds the counts, or "allreduce": MPI adds them
    represents: int = 1  # global tags are those of a job that is so many times larger
    in_flight: int = 128  # requests at once, as in Shamrock; 0: any number
    largest: int = 0  # messages of the job in one exchange so far

    def gather(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The rows of all ranks in rank order, and their number per rank: Shamrock's vector
        allgather."""
        rows = np.ascontiguousarray(rows)
        counts = np.empty(self.comm.size, np.int32)
        mine = np.array([len(rows)], np.int32)
        self.comm.Allgather(mine, counts)
        if self.total == "allreduce":
            total = np.empty(1, np.int32)
            self.comm.Allreduce(mine, total, MPI.SUM)
            n = int(total[0])
        else:
            n = int(counts.sum())
        every = np.empty((n, *rows.shape[1:]), rows.dtype)
        if n:
            length = rows.dtype.itemsize * int(np.prod(rows.shape[1:]))
            sizes = counts * length
            starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
            self.comm.Allgatherv([rows, MPI.BYTE], [every, sizes, starts, MPI.BYTE])
        return every, counts

    def __call__(self, messages: list[Message]) -> list[Message]:
        """Send messages of (destination, bytes), and return those received, of (source, bytes)."""
        me, probes = self.comm.rank, self.receive == "probe"
        # A header: the two ranks in 32 bits each, and the length unless receivers probe for it.
        headers = [(me << 32 | to, len(data))[: 1 if probes else 2] for to, data in messages]
        every, counts = self.gather(np.array(headers, np.int64).reshape(-1, 1 if probes else 2))
        self.largest = max(self.largest, len(every))
        source, target = every[:, 0] >> 32, every[:, 0] & 0xFFFFFFFF
        tag = np.arange(len(every)) * self.represents
        if self.tags == "sender":
            tag = np.arange(len(every)) - np.repeat(np.cumsum(counts) - counts, counts)
        outgoing = iter(messages)
        received: list[Message] = []
        requests: list[MPI.Request] = []
        related = np.flatnonzero((source == me) | (target == me))
        if probes:  # all sends come first
            related = related[np.argsort(target[related] == me, kind="stable")]
        for k in related.tolist():
            if source[k] == me:
                to, data = next(outgoing)
                requests.append(self.comm.Isend([data, MPI.BYTE], dest=to, tag=tag[k]))
            else:
                requests.append(self.receive_one(int(source[k]), int(tag[k]), every[k], received))
            while 0 < self.in_flight < len(requests) and not probes:
                done = set(MPI.Request.Waitsome(requests))
                requests = [r for n, r in enumerate(requests) if n not in done]
        MPI.Request.Waitall(requests)
        return received

    def receive_one(self, source: int, tag: int, header: np.ndarray, received: list[Message]):
        if self.receive == "probe":
            status = MPI.Status()
            self.comm.Probe(source, tag, status)
            length = status.Get_count(MPI.BYTE)
        else:
            length = int(header[1])
        data = np.empty(length, np.uint8)
        received.append((source, data))
        return self.comm.Irecv([data, MPI.BYTE], source=source, tag=tag)

    def reduce(self, value: float, op: MPI.Op) -> float:
        """One number over all ranks."""
        total = np.empty(1)
        self.comm.Allreduce(np.array([value], float), total, op)
        return float(total[0])
