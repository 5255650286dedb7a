"""Inside the node: which NIC a rank has, and GPU buffers, through the command line."""

from __future__ import annotations

import json

import pytest

import odonata as od

AURORA = ("--machine", "aurora", "--compute", "none", "--quiet", "--json")
STRIPES = {
    "MPIR_CVAR_CH4_OFI_ENABLE_MULTI_NIC_STRIPING": "1",
    "MPIR_CVAR_CH4_OFI_MAX_NICS": "4",
}


def ring(odonata, program, *more, payload=8, ppn=4, env=None):
    """The summary of a ring over two nodes, and its messages."""
    ranks = ("-n", 2 * ppn, "--ppn", ppn)
    done = odonata("run", *ranks, *AURORA, *more, "--", "python", program("ring"), payload, env=env)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), done.stderr


def test_a_run_takes_the_nics_that_its_environment_names(odonata, program):
    time = lambda *more, **env: ring(odonata, program, *more, env=env)[0]["time_s"]  # noqa: E731
    far = ("--set", "node.far_nic_latency=1 us")
    block = time(*far)
    assert time(*far, MPICH_OFI_NIC_POLICY="NUMA") == block
    by_word = time(*far, "--nic-policy", "round-robin")
    # Ranks 2 and 3 run on CPU 1 and have NICs of CPU 0; rank 3 sends to the other node.
    assert by_word == time(*far, MPICH_OFI_NIC_POLICY="ROUND-ROBIN") > block + 1e-6


def test_long_messages_of_a_run_are_split_over_nics(odonata, program):
    payload = 8 << 20
    whole = ring(odonata, program, payload=payload, ppn=1)[0]["time_s"]
    split, output = ring(odonata, program, payload=payload, ppn=1, env=STRIPES)
    # One message per direction at once: one NIC has 21.2 GB/s per direction, then four do.
    saved = payload / 21.2e9 * 3 / 4
    assert split["time_s"] == pytest.approx(whole - saved, rel=0.05)
    assert "not modeled" not in output


def test_gpu_buffers_from_python():
    job = od.machine("aurora").job(nodes=1, ppn=2, mpi="cray-mpich")
    host, gpu = (
        od.bench.bw(job, sizes=[4 << 20], buffers=where).rows[0]["bandwidth_B_per_s"]
        for where in ("host", "gpu")
    )
    # Host buffers: a copy by a core from the other CPU. GPU buffers: Xe-Link.
    assert host == pytest.approx(10.1e9, rel=0.02) and gpu == pytest.approx(28e9, rel=0.02)
    # 4 KiB: copies into host memory and back, by the CPU, of 1,085 ns and 4 KiB at 54 GB/s each.
    host, gpu = (
        od.bench.allreduce(job, sizes=[4096], buffers=where).rows[0]["latency_s"]
        for where in ("host", "gpu")
    )
    assert gpu - host == pytest.approx(2 * (1085e-9 + 4096 / 54e9), rel=0.02)
    with pytest.raises(od.InputError, match="poll host memory"):
        od.bench.put_latency(job, buffers="gpu")


def test_packing_time_depends_on_the_element_type(odonata, program):
    """On 8 ranks, two of Bruck's three rounds send four non-contiguous blocks. MPICH takes 0.55 ns
    per element, packed and unpacked, and at least 1/12 ns per byte."""
    done = odonata("run", "-n", 8, "--ppn", 1, "--machine", "dragonfly-1056", "--mpi", "mpich",
                   "--compute", "none", "--quiet", "--", "python", program("elements"), 4096,
                   env={"MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM": "brucks"})  # fmt: skip
    assert done.returncode == 0, done.stderr
    as_bytes, as_doubles = map(float, done.stdout.split())
    # Ranks are not fully synchronous: some of the time overlaps with waiting.
    nanoseconds = 2 * 2 * 4 * 4096 * (0.55 - 1 / 12)
    assert as_bytes - as_doubles == pytest.approx(nanoseconds / 1e3, rel=0.02)


def test_gpu_buffers_are_packed_at_no_cost(odonata, tmp_path):
    dear = tmp_path / "dear.toml"
    dear.write_text('like = "mpich"\nmove_block = "9 us"\npack_block = "9 us"\n')
    ask = ("bench", "alltoall", "--machine", "aurora", "--nodes", "2", "--ppn", "4", "--sizes", "8",
           "--buffers", "gpu", "--fidelity", "loggp", "--json", "--quiet")  # fmt: skip
    took = [json.loads(odonata(*ask, "--mpi", mpi).stdout) for mpi in ("mpich", dear)]
    plain, with_dear = [answer["rows"][0]["latency_s"] for answer in took]
    assert plain == with_dear
