"""What others measured, and what we predict for it.

Every curve carries its source and what differs between the measurement and the prediction. Some
of these points set a parameter of the model, and there agreement proves nothing: `sets` says
which. No curve was fitted as a whole; the rest of each is prediction.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import benchmarks, core, tables
from .errors import Diagnostics, SimulatedFailure
from .machines import machine

# What a curve's predictions may differ by, as fractions: on the mean of its points, and the worst;
# and what the prediction of a single number may.
MEAN, WORST = 0.05, 0.15
SINGLE = 0.10

# MiB/s, as GPCNeT and dgnettest print, in MB/s.
MIB = 1.048576


@dataclass(frozen=True)
class Curve:
    """One quantity over message size, and which preset predicts it how."""

    id: str
    what: str
    source: str
    conditions: str
    sets: str  # which of the points are inputs of the model
    preset: str
    points: tuple[tuple[int, float], ...]  # bytes; microseconds, or MB/s of a bandwidth
    tail: float | None = None  # of the one point, what 99 of 100 iterations keep
    benchmark: str = "latency"
    mpi: str = "mpich"
    nodes: int = 2
    ppn: int = 1
    placement: str = "contiguous"
    buffers: str = "host"
    nic_policy: str | None = None
    window: int | None = None
    # Of the predicted bandwidth one part in so many is what was measured.
    parts: int = 1
    # What its library has otherwise than the profile, as a profile would say it.
    profile: str = ""
    # Flows where packets would take longer than a report should.
    fidelity: str = "packet"

    @property
    def column(self) -> str:
        return benchmarks.KINDS[self.benchmark].column

    @property
    def unit(self) -> float:
        """What a point's number times this is: seconds, or bytes a second."""
        return 1e-6 if self.column == "latency_s" else 1e6


DEIC = (
    "DeiC-HPC/BitBulldozersLab, container approaches on LUMI, OMB 7.5 on two nodes of a rank each"
)
# ofiwg/libfabric's provider cxi had FI_CXI_RDZV_THRESHOLD 2,048 before 16,384. That 1.22 had it is
# read from the step of these curves.
OLDER_PROVIDER = """
[fabric.slingshot]
eager_max = "4097 B"
"""

# MPICH before it had the kernel copy, built without XPMEM: within a node all goes through cells,
# which had 16 KiB and a header in them.
ALL_CELLS = """
shm_eager_max = "16000 B"
shm_cell = "16 KiB"
cma_min = "unlimited"
xpmem_min = "unlimited"
"""

LATENCIES = (
    Curve(
        "cxi_send_lat",
        "Slingshot-11, two NICs on one switch, no MPI",
        "HewlettPackard/shs-libcxi, man/cxi_send_lat.1.md",
        "verbs-level send; predicted without MPI's overheads",
        "8 B and the step to 128 B set the NIC's latencies, the rise from there to 1 KiB shares in "
        "setting the rate at which it stages packets",
        "aurora",
        ((1, 1.65), (8, 1.64), (64, 1.63), (128, 2.22), (256, 2.28), (512, 2.35), (1024, 2.43)),
        benchmark="put_latency",
    ),
    Curve(
        "lumi_host_latency",
        "LUMI-G, MPI between two nodes, host memory",
        "public LUMI-G OSU study, OMB 7.5, osu_latency",
        "Open MPI, whether on one switch is not said; predicted on one switch",
        "64 B sets MPI's overhead",
        "lumi-g",
        ((1, 2.34), (64, 2.34), (128, 2.88), (512, 2.93)),
        mpi="openmpi",
    ),
    Curve(
        "lumi_gpu_latency",
        "LUMI-G, MPI between two nodes, GPU memory",
        "public LUMI-G OSU study, OMB 7.5, osu_latency, GCD 0",
        "Cray MPICH, GPU buffers",
        "8 B sets what a GPU buffer adds; the difference of 8 and 16 KiB and the place of the step "
        "to 32 KiB",
        "lumi-g",
        ((8, 2.41), (128, 2.97), (1024, 3.28), (8192, 3.89), (16384, 4.50), (32768, 7.92),
         (65536, 9.30), (1048576, 50.08), (4194304, 179.66)),
        mpi="cray-mpich",
        buffers="gpu",
    ),
    Curve(
        "daint_osu_latency",
        "Piz Daint, Aries, MPI between two nodes",
        "Sarus documentation, osu_latency on Cray XC50",
        "Cray MPICH on XC50, between which nodes is not said; predicted on one blade",
        "8 B sets how fast its cores go through MPI, the difference of 1 and 4 KiB the rate of "
        "eager copies, and the step to 8 KiB when blocks are transferred",
        "piz-daint",
        ((8, 1.11), (256, 1.12), (1024, 1.39), (4096, 2.27), (8192, 4.21), (32768, 6.73),
         (131072, 16.69), (1048576, 109.28), (4194304, 431.85)),
        mpi="cray-mpich",
    ),
)  # fmt: skip


# What takes longer to predict than a report should, or is not a latency.
OTHERS = (
    Curve(
        "cxi_read_lat",
        "Slingshot-11, RDMA read between two NICs on one switch",
        "HewlettPackard/shs-libcxi, man/cxi_read_lat.1.md",
        "verbs-level read, to its completion",
        "the rise from 128 B to 1 KiB shares in setting the rate at which a NIC stages packets",
        "aurora",
        ((1, 2.70), (8, 2.69), (64, 2.70), (128, 2.71), (256, 2.74), (512, 2.77), (1024, 2.87)),
        benchmark="get_latency",
    ),
    Curve(
        "cxi_write_bw_bidir",
        "Slingshot-11, RDMA writes both ways at once, the sum of both",
        "HewlettPackard/shs-libcxi, man/cxi_write_bw.1.md",
        "lists of 256 writes, each list's last completion waited for, and so predicted",
        "1 KiB sets how often a process has a message for its NIC, 64 KiB the host interface's "
        "rate, 4 KiB shares in setting what a message of several packets takes of it",
        "aurora",
        ((1024, 29314.66), (2048, 36613.15), (4096, 34763.74), (8192, 38461.53),
         (16384, 40333.92), (32768, 41334.64), (65536, 40550.70)),
        benchmark="put_bibw",
        window=256,
    ),
    Curve(
        "cxi_send_bw_bidir",
        "Slingshot-11, sends both ways at once without MPI, the sum of both",
        "HewlettPackard/shs-libcxi, man/cxi_send_bw.1.md",
        "lists of 256 sends, each awaited and answered, and so predicted",
        "1 KiB sets what a send of one process takes of a NIC, 64 KiB the host interface's "
        "rate, 4 KiB shares in setting what a message of several packets takes of it",
        "aurora",
        ((1024, 20269.48), (2048, 26609.00), (4096, 29113.95), (8192, 36687.14),
         (16384, 40324.60), (32768, 42307.73), (65536, 42765.29)),
        benchmark="bibw",
        mpi="none",
        window=256,
    ),
    Curve(
        "lumi_host_latency_cray",
        "LUMI-G, Cray MPICH between two nodes, host memory",
        DEIC,
        "Cray MPICH 8.1.29; whether on one switch is not said",
        "none",
        "lumi-g",
        ((1, 2.3), (8, 2.32), (64, 2.33), (128, 2.87), (512, 2.95), (1024, 3.01), (4096, 3.26),
         (8192, 3.65), (16384, 4.3), (32768, 7.68), (65536, 9.11), (262144, 17.79),
         (1048576, 52.58), (4194304, 191.63)),
        mpi="cray-mpich",
    ),
    Curve(
        "lumi_host_latency_mpich",
        "LUMI-G, MPICH between two nodes, host memory",
        DEIC,
        "MPICH 4.2.3 on libfabric 1.22, whose rendezvous begins above 4,097 B, and so predicted",
        "8 B sets what the receiver's CPU takes",
        "lumi-g",
        ((1, 2.59), (8, 2.58), (64, 2.63), (128, 3.12), (512, 3.22), (1024, 3.29), (4096, 3.55),
         (8192, 6.49), (16384, 7.14), (32768, 7.97), (65536, 9.68), (262144, 18.2),
         (1048576, 52.89), (4194304, 191.76)),
        profile=OLDER_PROVIDER,
    ),
    Curve(
        "lumi_gpu_latency_cray",
        "LUMI-G, Cray MPICH between two nodes, GPU memory, another study",
        DEIC,
        "Cray MPICH 8.1.29; whether on one switch is not said",
        "none",
        "lumi-g",
        ((1, 2.54), (8, 2.56), (64, 2.56), (128, 3.1), (512, 3.43), (1024, 3.6), (4096, 3.93),
         (8192, 4.16), (16384, 4.69), (32768, 8.37), (65536, 9.7), (262144, 17.8),
         (1048576, 50.21), (4194304, 180.6)),
        mpi="cray-mpich",
        buffers="gpu",
    ),
    Curve(
        "lumi_host_bw_cray",
        "LUMI-G, Cray MPICH between two nodes, bandwidth, host memory",
        DEIC,
        "Cray MPICH 8.1.29; whether on one switch is not said",
        "1 B sets what the sender's CPU takes, 4 MiB what a NIC reads of host memory",
        "lumi-g",
        ((1, 1.8), (8, 14.44), (64, 114.33), (128, 231.01), (512, 914.56), (1024, 1825.57),
         (4096, 7260.73), (8192, 13722.94), (16384, 17347.99), (32768, 18859.19),
         (65536, 20834.00), (262144, 22188.02), (1048576, 22498.72), (4194304, 22584.56)),
        benchmark="bw",
        mpi="cray-mpich",
    ),
    Curve(
        "lumi_host_bw_mpich",
        "LUMI-G, MPICH between two nodes, bandwidth, host memory",
        DEIC,
        "MPICH 4.2.3 on libfabric 1.22, whose rendezvous begins above 4,097 B, and so predicted",
        "1 B sets what the sender's CPU takes",
        "lumi-g",
        ((1, 1.43), (8, 11.49), (64, 91.9), (128, 182.15), (512, 718.93), (1024, 1434.79),
         (4096, 5727.93), (8192, 10455.09), (16384, 16230.03), (32768, 18746.15),
         (65536, 20741.79), (262144, 22184.69), (1048576, 22536.05), (4194304, 22626.56)),
        benchmark="bw",
        profile=OLDER_PROVIDER,
    ),
    Curve(
        "lumi_gpu_bw_cray",
        "LUMI-G, Cray MPICH between two nodes, bandwidth, GPU memory",
        DEIC,
        "Cray MPICH 8.1.29; whether on one switch is not said",
        "4 MiB shows that the link is the limit",
        "lumi-g",
        ((1, 1.53), (8, 12.66), (64, 100.14), (128, 201.29), (512, 798.18), (1024, 1595.32),
         (4096, 6341.36), (8192, 12624.95), (16384, 20232.51), (32768, 19402.73),
         (65536, 22365.23), (262144, 23590.67), (1048576, 23879.56), (4194304, 23950.99)),
        benchmark="bw",
        mpi="cray-mpich",
        buffers="gpu",
    ),
    Curve(
        "frontier_intra_bw",
        "Frontier, MPI within a node, host memory",
        "pmodels/mpich, issue 7723, osu_bw of OMB 7.5 with two ranks on a node",
        "Cray MPICH; between which cores is not said. Beyond 64 KiB it was not at hand",
        "16 and 64 KiB set what a single copy needs to start and the rate of a core",
        "frontier",
        ((1, 3.87), (8, 32.67), (64, 245.75), (128, 487.85), (256, 536.78), (512, 999.86),
         (1024, 1203.84), (2048, 2377.42), (4096, 4632.42), (8192, 7536.08), (16384, 10942.85),
         (32768, 16478.34), (65536, 20884.19)),
        benchmark="bw",
        mpi="cray-mpich",
        nodes=1,
        ppn=2,
    ),
    Curve(
        "sunspot_far_latency",
        "Sunspot, MPICH within a node between NUMA domains, host memory",
        "pmodels/mpich, pull request 7150, latencies of September 2024",
        "MPICH 4.3 in development, to all appearance without XPMEM; that the machine, of Sapphire "
        "Rapids, is Sunspot is said in pull request 7046. Predicted between the two CPUs of a node "
        "of aurora",
        "8 B sets how much farther the other CPU is, 8 KiB the rate of copies between them",
        "aurora",
        ((1, 0.62), (8, 0.60), (64, 0.61), (128, 0.68), (256, 0.72), (512, 0.80), (1024, 0.94),
         (2048, 1.11), (4096, 1.51), (8192, 2.22), (16384, 5.20), (32768, 7.06), (65536, 11.08),
         (131072, 18.96), (262144, 32.38), (524288, 55.74), (1048576, 108.36), (2097152, 236.55),
         (4194304, 506.49)),
        nodes=1,
        ppn=2,
        profile=ALL_CELLS,
    ),
    Curve(
        "lumi_gpu_latency_openmpi",
        "LUMI-G, Open MPI between two nodes, GPU memory",
        "public LUMI-G OSU study, OMB 7.5, osu_latency, GCD 7",
        "Open MPI, GPU buffers",
        "the place of the step to 8 KiB; that there is none at 128 B",
        "lumi-g",
        ((1, 2.93), (8, 2.92), (64, 2.92), (128, 2.94), (256, 2.96), (1024, 3.11), (2048, 3.25),
         (4096, 3.40), (8192, 6.51), (16384, 6.92), (32768, 7.70), (65536, 9.10), (262144, 17.25),
         (1048576, 49.84), (4194304, 179.48)),
        mpi="openmpi",
        buffers="gpu",
    ),
    Curve(
        "elbert_osu_mbw_mr",
        "Elbert, osu_mbw_mr on 64 nodes of 8 NICs, 4 ranks a NIC",
        "HewlettPackard/shs-docs, fabric_validation_using_osu_tests.md",
        "where the nodes are and which library is not said; the step at 8 KiB is the older "
        "provider's, which the Open MPI profile has",
        "1 to 64 B set how fast Elbert's cores go through MPI, 1 to 64 KiB what a message takes of "
        "a NIC",
        "elbert",
        ((1, 2238.68), (8, 18029.10), (64, 136488.16), (128, 264199.64), (256, 504191.55),
         (512, 1002982.31), (1024, 1883179.25), (2048, 2786505.95), (4096, 3245610.39),
         (8192, 3492389.73), (16384, 4770180.77), (32768, 5106849.27), (65536, 5443378.29)),
        benchmark="mbw_mr",
        mpi="openmpi",
        nodes=64,
        ppn=32,
        placement="random",
    ),
    Curve(
        "elbert_osu_mbw_mr_long",
        "Elbert, the same from 128 KiB on",
        "HewlettPackard/shs-docs, fabric_validation_using_osu_tests.md",
        "as above; predicted in closed form, packets would take too long",
        "none",
        "elbert",
        ((128 << 10, 5428900.72), (256 << 10, 5511979.83), (512 << 10, 5509387.81),
         (1 << 20, 5558304.69), (2 << 20, 5432969.50), (4 << 20, 5457474.28)),
        benchmark="mbw_mr",
        mpi="openmpi",
        nodes=64,
        ppn=32,
        placement="random",
        fidelity="loggp",
    ),
    Curve(
        "elbert_osu_multi_lat",
        "Elbert, osu_multi_lat on 64 nodes of 8 NICs, 4 ranks a NIC",
        "HewlettPackard/shs-docs, fabric_validation_using_osu_tests.md",
        "as above, by packets. From 256 KiB on it needs more than a NIC has (4 MiB in 234.77 µs by "
        "four ranks: 36 GB/s each way), so fewer ranks must have been at it at once; not predicted",
        "1 to 64 B set how far Elbert's hosts are from their NICs, 128 B to 4 KiB how long a NIC "
        "fetches from memory",
        "elbert",
        ((1, 4.35), (8, 4.23), (64, 4.20), (128, 5.15), (256, 5.63), (1024, 5.76), (2048, 5.89),
         (4096, 6.22), (8192, 12.36), (16384, 13.03), (32768, 14.84), (65536, 17.52)),
        benchmark="multi_lat",
        mpi="openmpi",
        nodes=64,
        ppn=32,
        placement="random",
    ),
)  # fmt: skip

# dgnettest's all-to-all of Elbert's fabric validation: ranks, and the mean of all sets and rounds
# that are printed, MiB/s a rank. Its rate times its seconds is a block for every rank of the set,
# the rank's own too (to 0.1 of a block where 1,024 and 304 are printed).
_ALL2ALL = ((32, 13819), (40, 14031), (48, 13708), (56, 12977), (192, 10038), (304, 10335),
            (1024, 5437))  # fmt: skip
_BLOCK = 128 << 10


def _all2all(ranks: int, rate: float) -> Curve:
    """A set of nodes at `rate` MiB/s a rank: microseconds of a call in which each rank sends all
    others a block."""
    where = "128 nodes of four groups"
    if ranks < 1024:
        where = f"{ranks // 8} nodes of a {'chassis' if ranks <= 64 else 'group'}"
    return Curve(
        f"elbert_all2all_{ranks}",
        f"Elbert, dgnettest all2all on {where}, a rank a NIC",
        "HewlettPackard/shs-docs, fabric_validation_using_dgnettest.md",
        "Cray MPICH, its version is not said"
        + ("; predicted by flows, links between groups as on Aurora" if ranks == 1024 else ""),
        "none",
        "elbert",
        ((_BLOCK, ranks * _BLOCK / (rate * MIB)),),
        benchmark="alltoall",
        mpi="cray-mpich",
        nodes=ranks // 8,
        ppn=8,
        placement="group-spread:4" if ranks == 1024 else "contiguous",
        fidelity="flow" if ranks == 1024 else "packet",
    )


# dgnettest's bisection there, the same: ranks, and the mean of the healthy sets and all rounds,
# MiB/s a rank; 24, 40 and 56 ranks are odd numbers of nodes.
_BISECT = ((16, 8795), (32, 8840), (48, 8858), (24, 7719), (40, 7573), (56, 7542), (192, 7561),
           (304, 7522), (1024, 4505))  # fmt: skip


def _bisect(ranks: int, rate: float) -> Curve:
    """The halves of a set of nodes exchange messages at `rate` MiB/s a rank."""
    where = "128 nodes of four groups"
    if ranks < 1024:
        where = f"{ranks // 8} nodes of a {'chassis' if ranks <= 64 else 'group'}"
    return Curve(
        f"elbert_bisect_{ranks}",
        f"Elbert, dgnettest bisect on {where}, a rank a NIC",
        "HewlettPackard/shs-docs, fabric_validation_using_dgnettest.md",
        "in what order halves exchange is not public; predicted as pairs that send and then "
        "receive, one pair of ranks after the other",
        "none",
        "elbert",
        ((_BLOCK, rate * MIB),),
        benchmark="bisect",
        mpi="cray-mpich",
        nodes=ranks // 8,
        ppn=8,
        placement="group-spread:4" if ranks == 1024 else "contiguous",
    )


def _gpcnet(
    name: str, size: int, mean: float, tail: float, nodes: int = 64, **more: Any
) -> Curve:
    """A row of GPCNeT's tables: microseconds, or MiB/s a rank."""
    kind = benchmarks.KINDS[name]
    unit = 1.0 if kind.column == "latency_s" else MIB
    test = "" if nodes == 64 else f"_{nodes}"
    return Curve(
        f"elbert_{name}{test}",
        f"Elbert, {kind.title}, {nodes} nodes of 8 NICs, 4 ranks a NIC",
        "HewlettPackard/shs-docs, fabric_validation_using_gpcnet_tests.md; netbench/GPCNET",
        "where the nodes are and which library is not said; mean and what 99 of 100 iterations "
        "keep. Fewer rings and iterations are predicted than were measured",
        "none",
        "elbert",
        ((size, mean * unit),),
        tail=tail * unit,
        benchmark=name,
        mpi="cray-mpich",
        nodes=nodes,
        ppn=32,
        placement="random",
        **more,
    )


_BW = 128 << 10
GPCNET = (
    _gpcnet("rr_lat", 8, 2.9, 4.4),
    _gpcnet("rr_get_lat", 8, 4.4, 5.4),
    _gpcnet("rr_bw", _BW, 4086.5, 2504.7),
    _gpcnet("rr_put_bw", _BW, 4910.4, 2582.1),
    _gpcnet("rr_bw_sync", _BW, 3786.1, 485.1),
    _gpcnet("nat_bw", _BW, 4975.3, 3436.7),
    _gpcnet("multiple_allreduce", 8, 25.3, 27.7),
    _gpcnet("multiple_alltoall", 4 << 10, 2648.4, 2454.7),
    # The tests of GPCNeT's load test before there is load.
    _gpcnet("rr_lat", 8, 2.9, 4.3, nodes=13),
    _gpcnet("rr_bw_sync", _BW, 4061.4, 2829.5, nodes=13),
    _gpcnet("multiple_allreduce", 8, 20.2, 22.2, nodes=13),
)

# One NIC of Elbert, without MPI.
_ONE_NIC = "HewlettPackard/shs-docs, fabric_validation/"
ELBERT_NICS = (
    Curve(
        "elbert_loopback_bw",
        "Elbert, cxi_gpu_loopback_bw: a NIC writes to itself over its switch, host memory",
        _ONE_NIC + "loopback_performance_test.md",
        "the mean of the four NICs printed; predicted as two NICs that write to each other, half "
        "of the sum",
        "none",
        "elbert",
        ((512 << 10, 23094),),
        benchmark="put_bibw",
        parts=2,
    ),
    Curve(
        "elbert_gateway_read_bw",
        "Elbert, cxi_read_bw from a compute node to a gateway",
        _ONE_NIC + "bandwidth_check_of_single_interface.md",
        "predicted between two compute nodes of two groups, lists of 256",
        "none",
        "elbert",
        ((64 << 10, 20561.27),),
        benchmark="get_bw",
        window=256,
        placement="group-spread:2",
    ),
    Curve(
        "elbert_gateway_read_lat",
        "Elbert, cxi_read_lat from a compute node to a gateway",
        _ONE_NIC + "latency_test_on_single_interface.md",
        "a millisecond between two reads; predicted between two compute nodes of two groups",
        "none",
        "elbert",
        ((8, 6.95),),
        benchmark="get_latency",
        placement="group-spread:2",
    ),
)

# Libraries compared on one machine, and what a socket's NICs carry: single numbers.
SLIDES = "MVAPICH over Slingshot (slides), Spock"
AURORA = "Scaling MPI Applications on Aurora, 5.1"
PROFILES = {
    "mvapich2x": "mvapich-plus",
    "mvapich2gdr": "mvapich-plus",
    "ompi_ucx": "openmpi",
    "craympich": "cray-mpich",
}


def _on_spock(
    where: str, library: str, name: str, value: float, conditions: str, sets: str, **more: Any
) -> Curve:
    """One number of the slides: microseconds at 4 B, or the peak in MB/s at 4 MiB."""
    size, words = (4, "latency") if name == "lat" else (4 << 20, "peak bandwidth")
    inside = "within a node" if ".intra" in where else "between nodes"
    memory = "GPU" if where.startswith("gpu") else "host"
    return Curve(
        f"S2.{where}.{library}.{name}",
        f"Spock, {library} {inside}, {memory} memory: {words}",
        SLIDES,
        conditions,
        sets,
        "spock",
        ((size, value),),
        mpi=PROFILES[library],
        nodes=1 if ".intra" in where else 2,
        ppn=2 if ".intra" in where else 1,
        buffers=memory.lower(),
        **more,
    )


_PEAK = "the peak, at a size that the slide does not say; predicted at 4 MiB"
# Infinity Fabric brings 46 GB/s one way, so 88 and 52.5 GB/s cannot be one way.
_BOTH = "the slide says bandwidth; read as both ways together, for the link has 46 GB/s each way"
NUMBERS = (
    *(_all2all(*set_of) for set_of in _ALL2ALL),
    *(_bisect(*set_of) for set_of in _BISECT),
    *GPCNET,
    *ELBERT_NICS,
    *(
        _on_spock("cpu.intra", library, "lat", value, "4 B", "this number sets the overhead")
        for library, value in (("mvapich2x", 0.22), ("ompi_ucx", 0.31), ("craympich", 0.27))
    ),
    *(
        _on_spock("cpu.intra", library, "bw", value, _PEAK,
                  "the mean of three libraries sets the rate of a core", benchmark="bw")
        for library, value in (("mvapich2x", 39200), ("ompi_ucx", 38200), ("craympich", 42000))
    ),
    _on_spock("cpu.inter", "craympich", "lat", 2.07, "4 B", "this number sets the NIC's latency"),
    *(
        _on_spock("cpu.inter", library, "bw", 12240, _PEAK + ". The slide's unit is MB/s, for GB/s",
                  "none", benchmark="bw")
        for library in ("mvapich2x", "ompi_ucx", "craympich")
    ),
    *(
        _on_spock("gpu.intra", library, "lat", value, "4 B", "this number sets the overhead")
        for library, value in (("mvapich2gdr", 2.01), ("ompi_ucx", 3.79), ("craympich", 2.44))
    ),
    *(
        _on_spock("gpu.intra", library, "bw", value, _BOTH, sets, benchmark="bibw")
        for library, value, sets in (
            ("mvapich2gdr", 52500, "this number sets the rate of the library's copies"),
            ("ompi_ucx", 30200, "this number sets the rate of the library's copies"),
            ("craympich", 88000, "none"),
        )
    ),
    Curve(
        "S0.bw.host_socket",
        "Aurora, the four NICs of a socket, host memory",
        AURORA,
        "8 ranks a socket, two a NIC; predicted at 1 MiB, half of what a node sends",
        "this number shares in setting what a NIC moves one way",
        "aurora",
        ((1 << 20, 90000),),
        benchmark="mbw_mr",
        mpi="mpich-aurora",
        ppn=16,
        parts=2,
    ),
    Curve(
        "aurora_alltoallv_384",
        "Aurora, osu_alltoallv of 4 KiB on 32 nodes of 12 ranks",
        "pmodels/mpich, issue 7601, OMB 7.5",
        "Aurora's MPICH of September 2025; where the nodes are is not said, predicted contiguous. "
        "Half of its iterations take at most 407 µs, all of them 467 on the mean",
        "none",
        "aurora",
        ((4096, 467.38),),
        benchmark="alltoallv",
        mpi="mpich-aurora",
        nodes=32,
        ppn=12,
    ),
    Curve(
        "S0.gpu.bw1nic",
        "Aurora, one NIC, GPU memory",
        AURORA,
        "several ranks on one NIC, 256 KiB; predicted with four",
        "this number shares in setting what a NIC moves one way",
        "aurora",
        ((256 << 10, 23000),),
        benchmark="mbw_mr",
        mpi="mpich-aurora",
        ppn=4,
        buffers="gpu",
        nic_policy="single",
    ),
    Curve(
        "S0.gpu.bw_socket",
        "Aurora, the four NICs of a socket, GPU memory",
        AURORA,
        "balanced over the NICs; predicted with 8 ranks a socket at 1 MiB, half of a node's",
        "this number sets what a socket's NICs get from GPUs",
        "aurora",
        ((1 << 20, 70000),),
        benchmark="mbw_mr",
        mpi="mpich-aurora",
        ppn=16,
        buffers="gpu",
        parts=2,
    ),
)  # fmt: skip

CURVES = LATENCIES + OTHERS + NUMBERS


def chosen(wrong: Diagnostics, ids: Sequence[str]) -> tuple[Curve, ...]:
    """The curves of these ids, all if there are none; `wrong` hears of ids that no curve has."""
    known = {curve.id: curve for curve in CURVES}
    named = [name for name in ids if wrong.word("curve", name, known, "a published curve")]
    return tuple(known[name] for name in named) or CURVES


def compare(
    fidelity: str | None = None, curves: Iterable[Curve] = LATENCIES
) -> list[dict[str, Any]]:
    """Predict every published point: one row each, with the error as a fraction.

    `measured_s` and `predicted_s` are seconds; of a bandwidth there are `measured_B_per_s` and
    `predicted_B_per_s` instead.
    """
    return [row for curve in curves for row in predict(curve, fidelity)]


def predict(
    curve: Curve,
    fidelity: str | None = None,
    *,
    tick: core.Tick | None = None,
    stop: core.Stop | None = None,
) -> list[dict[str, Any]]:
    """The rows of one curve; fewer than its points if it was stopped.

    `fidelity` is the curve's own unless given.
    """
    sizes = [size for size, _ in curve.points]
    with tempfile.TemporaryDirectory() as folder:
        mpi = curve.mpi
        if curve.profile:
            profile = Path(folder) / f"{mpi}.toml"
            profile.write_text(f'like = "{mpi}"\n{curve.profile}')
            mpi = str(profile)
        job = machine(curve.preset).job(
            nodes=curve.nodes,
            ppn=curve.ppn,
            mpi=mpi,
            placement=curve.placement,
            nic_policy=curve.nic_policy,
        )
        summary = benchmarks.ask(
            curve.benchmark, job, sizes, fidelity or curve.fidelity,
            buffers=curve.buffers, window=curve.window, tick=tick, stop=stop,
        )  # fmt: skip
    if failure := summary.get("failure"):
        raise SimulatedFailure.of(failure, None)
    predicted = tables.rows_of(summary["rows"])
    unit = "s" if curve.column == "latency_s" else "B_per_s"
    points = [("mean", curve.column, *point) for point in curve.points]
    if curve.tail is not None:
        predicted *= 2
        points.append(("p99", curve.column.replace("_", "_p99_", 1), sizes[0], curve.tail))
    rows = []
    for (statistic, column, size, number), row in zip(points, predicted):
        measured, told = number * curve.unit, row[column] / curve.parts
        rows.append(
            {
                "id": curve.id,
                "what": curve.what,
                "preset": curve.preset,
                "bytes": size,
                "statistic": statistic,
                f"measured_{unit}": measured,
                f"predicted_{unit}": told,
                "error": told / measured - 1.0,
                "conditions": curve.conditions,
                "sets": curve.sets,
                "source": curve.source,
            }
        )
    return rows


def verdict(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """How far off the rows of one curve are, as fractions, and whether that is within bounds.

    Rows of one size are single numbers, its mean and its tail.
    """
    errors = [abs(row["error"]) for row in rows]
    mean, worst = sum(errors) / len(errors), max(errors)
    sizes = {row["bytes"] for row in rows}
    bounds = (MEAN, WORST) if len(sizes) > 1 else (SINGLE, SINGLE)
    return {
        "id": rows[0]["id"],
        "points": len(rows),
        "sizes": len(sizes),
        "mean_error": mean,
        "worst_error": worst,
        "passes": mean <= bounds[0] and worst <= bounds[1],
    }
