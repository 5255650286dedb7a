"""The commands of `odonata`, a file each. `questions` are those that a sweep can ask; the sweep
itself stands above them, in `sweeps/command.py`."""
