"""What others measured, and what we predict for it.

Every curve carries its source and what differs between the measurement and the prediction. Some
of these points set a parameter of the model, and there agreement proves nothing: `sets` says
which. No curve was fitted as a whole; the rest of each is prediction.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from . import bench
from .machines import machine


@dataclass(frozen=True)
class Curve:
    """One-way latencies over message size, and which preset predicts them how."""

    what: str
    source: str
    conditions: str
    sets: str  # which of the points are inputs of the model
    preset: str
    points: tuple[tuple[int, float], ...]  # bytes, microseconds
    benchmark: str = "latency"
    mpi: str = "mpich"


LATENCIES = (
    Curve(
        "Slingshot-11, two NICs on one switch, no MPI",
        "HewlettPackard/shs-libcxi, man/cxi_send_lat.1.md",
        "verbs-level send; predicted without MPI's overheads",
        "8 B and the step to 128 B set the NIC's latencies",
        "aurora",
        ((1, 1.65), (8, 1.64), (64, 1.63), (128, 2.22), (256, 2.28), (512, 2.35), (1024, 2.43)),
        benchmark="put_latency",
    ),
    Curve(
        "LUMI-G, MPI between two nodes, host memory",
        "public LUMI-G OSU study, OMB 7.5, osu_latency",
        "Open MPI, whether on one switch is not said; predicted on one switch",
        "64 B sets MPI's overhead",
        "lumi-g",
        ((1, 2.34), (64, 2.34), (128, 2.88), (512, 2.93)),
        mpi="openmpi",
    ),
    Curve(
        "LUMI-G, MPI between two nodes, GPU memory",
        "public LUMI-G OSU study, OMB 7.5, osu_latency, GCD 0",
        "Cray MPICH, GPU buffers; predicted with host buffers",
        "the difference of 8 and 16 KiB and the place of the step to 32 KiB",
        "lumi-g",
        ((8, 2.41), (128, 2.97), (1024, 3.28), (8192, 3.89), (16384, 4.50), (32768, 7.92),
         (65536, 9.30), (1048576, 50.08), (4194304, 179.66)),
        mpi="cray-mpich",
    ),
    Curve(
        "Piz Daint, Aries, MPI between two nodes",
        "Sarus documentation, osu_latency on Cray XC50",
        "Cray MPICH on XC50; predicted on the XC30, whose prototype had 1.3 µs at 8 B",
        "the difference of 1 and 4 KiB, and the step to 8 KiB",
        "cascade-3k",
        ((8, 1.11), (256, 1.12), (1024, 1.39), (4096, 2.27), (8192, 4.21), (32768, 6.73),
         (131072, 16.69), (1048576, 109.28), (4194304, 431.85)),
        mpi="cray-mpich",
    ),
)  # fmt: skip


def compare(fidelity: str = "packet") -> list[dict[str, Any]]:
    """Predict every published point: one row each, with the error as a fraction."""
    rows = []
    for curve in LATENCIES:
        job = machine(curve.preset).job(nodes=2, ppn=1, mpi=curve.mpi)
        sizes = [size for size, _ in curve.points]
        predicted = bench.run(curve.benchmark, job, sizes, fidelity).rows
        for (size, measured_us), row in zip(curve.points, predicted, strict=True):
            measured = measured_us * 1e-6
            rows.append(
                {
                    "what": curve.what,
                    "preset": curve.preset,
                    "bytes": size,
                    "measured_s": measured,
                    "predicted_s": row["latency_s"],
                    "error": row["latency_s"] / measured - 1.0,
                    "conditions": curve.conditions,
                    "sets": curve.sets,
                    "source": curve.source,
                }
            )
    return rows
