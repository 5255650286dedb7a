"""Commands of job scripts for simulated file systems: `lfs`, `daos`, `dfuse` and its scripts.

They run in the ranks, without the rest of the package and with the standard library only. Layouts
travel as extended attributes, which the simulator charges and keeps (`crates/live`).
"""
