"""The commands of `odonata`, one file each. `questions` lists those that a sweep can run; the sweep
command itself is in `sweeps/command.py`."""
