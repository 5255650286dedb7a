"""The commands of `odonata`, one file each. `sweepable` lists those that a sweep can run; the sweep
command itself is in `sweeps/command.py`."""
