"""The commands that predict on a machine and have `--json`: those of a parameter sweep."""

from . import bench, replay, run, traffic, tune
from .command import Commands

SWEEPABLE = Commands(
    commands=[run.run, bench.run, tune.tune, traffic.traffic, replay.replay]
)
