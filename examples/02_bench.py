"""Benchmarks: latency and bandwidth between two nodes, and a collective on many.

    python examples/02_bench.py
"""

import odonata as od

pair = od.machine("aurora").job(nodes=2, ppn=1)

latency = od.bench.latency(pair, sizes=[8, 64, 128, 16384, 32768])
print("size      latency")
for row in latency.rows:
    print(f"{row['bytes']:>6} B  {row['latency_s'] * 1e6:.2f} us")

# Above 64 B the NIC reads the data from host memory, not from the command: one step.
by_size = {row["bytes"]: row["latency_s"] for row in latency.rows}
print(f"the DMA step between 64 and 128 B: {(by_size[128] - by_size[64]) * 1e9:.0f} ns")

rate = od.bench.bw(pair, sizes=[4 << 20]).rows[0]["bandwidth_B_per_s"]
print(f"4 MiB one way: {rate / 1e9:.1f} GB/s")

# The closed form agrees with the packet model where nothing contends.
closed = od.bench.latency(pair, sizes=[8], fidelity="loggp").rows[0]["latency_s"]
print(f"8 B, closed form against packets: {closed / by_size[8]:.3f}")

for nodes in (4, 16, 64):
    job = od.machine("aurora").job(nodes=nodes, ppn=1)
    row = od.bench.allreduce(job, sizes=[8]).rows[0]
    print(f"allreduce of 8 B over {nodes:>2} nodes: {row['latency_s'] * 1e6:.2f} us")
