"""Time from a switch failure to new routes: odonata's routing sweep, and OpenSM on ibsim.

    python docs/figures/routing_sweep.py [--groups 12,36] [--switches 8]

Prints a table for docs/lab. OpenSM and ibsim are Debian's packages `opensm` and `ibsim-utils`;
without them only odonata's times are printed. Both handle dragonflies of the same groups and
switches, in one run: groups are fully connected inside, and any two groups have one link.
"""

import argparse
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from odonata.core import ControlPlane

WAIT_S = 300.0


def links(groups, switches):
    """Pairs of switches of a dragonfly with one link between any two groups."""
    for group in range(groups):
        first = group * switches
        for a in range(switches):
            for b in range(a + 1, switches):
                yield first + a, first + b
    used = [0] * groups
    for a in range(groups):
        for b in range(a + 1, groups):
            yield a * switches + used[a] % switches, b * switches + used[b] % switches
            used[a] += 1
            used[b] += 1


def net_file(groups, switches):
    """The network in ibsim's format: one host per switch."""
    n = groups * switches
    ports = [[f'"H{at}"[1]'] for at in range(n)]
    for a, b in links(groups, switches):
        ports[a].append(f'"S{b}"[{len(ports[b]) + 1}]')
        ports[b].append(f'"S{a}"[{len(ports[a])}]')
    text = []
    for at in range(n):  # the first port of the file is that of the subnet manager
        text.append(f'Hca 1 "H{at}"\n[1] "S{at}"[1]\n')
    for at, own in enumerate(ports):
        rows = "".join(f"[{port}] {far}\n" for port, far in enumerate(own, 1))
        text.append(f'Switch {len(own)} "S{at}"\n{rows}')
    return "\n".join(text)


def wait_for(log, what, count):
    """Wait until `what` is in the log `count` times; the time, or None."""
    end = time.perf_counter() + WAIT_S
    while time.perf_counter() < end:
        if log.exists() and log.read_text(encoding="utf-8", errors="replace").count(what) >= count:
            return time.perf_counter()
        time.sleep(0.0005)
    return None


def opensm_ms(groups, switches):
    """Milliseconds from `Unlink` of a switch until OpenSM's routes are set; None without it."""
    if not (shutil.which("opensm") and shutil.which("ibsim") and shutil.which("ibsim-run")):
        return None
    n = groups * switches
    with tempfile.TemporaryDirectory() as folder:
        net, log = Path(folder) / "net", Path(folder) / "opensm.log"
        net.write_text(net_file(groups, switches), encoding="utf-8")
        (Path(folder) / "opensm.conf").write_text("force_log_flush TRUE\n", encoding="utf-8")
        size = ["-N", str(2 * n + 64), "-S", str(n + 32), "-P", str(n * 64 + 1024)]
        sim = subprocess.Popen(
            ["ibsim", "-s", *size, str(net)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=folder,
        )
        time.sleep(1.0 + n / 500)
        place = {**os.environ, "OSM_TMP_DIR": folder, "OSM_CACHE_DIR": folder, "SIM_HOST": "H0"}
        manager = subprocess.Popen(
            ["ibsim-run", "opensm", "-F", "opensm.conf", "-e", "-f", str(log), "-s0", "-D3"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            env=place,
        )
        try:
            if wait_for(log, "SUBNET UP", 1) is None:
                return None
            time.sleep(1.0)
            before = log.read_text(encoding="utf-8", errors="replace").count("SUBNET UP")
            start = time.perf_counter()
            sim.stdin.write(f'Unlink "S{n - 1}"\n'.encode())
            sim.stdin.flush()
            end = wait_for(log, "SUBNET UP", before + 1)
            return None if end is None else (end - start) * 1e3
        finally:
            for process in (manager, sim):
                process.kill()
                process.wait()


def odonata_ms(groups, switches):
    """Wall milliseconds of the routing sweep that reads the failure of a switch."""
    keys = {
        "groups.compute.count": groups,
        "groups.compute.switches": switches,
        "groups.compute.nodes": switches,
        "groups.compute.global_ports": -(-(groups - 1) // switches),
        "global.links.compute.compute": 1,
        "switch.ports": 64,
    }
    machine = {"name": "dragonfly-1056", "set": [[key, str(value)] for key, value in keys.items()]}
    plane = ControlPlane({"machine": machine, "options": {"start": "running"}})
    return sweep_ms(plane)


def sweep_ms(plane):
    answer = plane.apply({"method": "GET", "path": "/fabric/switches", "query": ""})
    target = answer["body"]["documentLinks"][-1].rsplit("/", 1)[1]
    plane.advance(1.0)
    fault = {"kind": "DOWN", "target": target}
    plane.apply({"method": "POST", "path": "/simulation/faults", "body": fault})
    plane.advance(4.9999)
    start = time.perf_counter()
    plane.advance(7.0)  # the sweep at 5 s, and its end
    return (time.perf_counter() - start) * 1e3


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--groups", default="12,36")
    parser.add_argument("--switches", type=int, default=8)
    options = parser.parse_args()
    print("| switches | odonata, ms | OpenSM on ibsim, ms | ratio |")
    print("|---|---|---|---|")
    for groups in map(int, options.groups.split(",")):
        own, other = odonata_ms(groups, options.switches), opensm_ms(groups, options.switches)
        times = "- | -" if other is None else f"{other:.0f} | {other / own:.0f}"
        print(f"| {groups * options.switches:,} | {own:.3f} | {times} |", flush=True)
    aurora = ControlPlane({"machine": "aurora", "options": {"start": "running"}})
    print(f"| 5,600 (Aurora) | {sweep_ms(aurora):.3f} | - | - |")


if __name__ == "__main__":
    main()
