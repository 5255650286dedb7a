"""A machine: counts, bandwidths and latencies, and the effect of a changed parameter.

    python examples/01_machine.py
"""

import odonata as od

for name in od.presets():
    facts = od.machine(name).summary
    print(f"{name:16} {facts['nodes']:>7,} nodes  {facts['endpoints']:>7,} NICs  "
          f"{facts['switches']:>6,} switches")  # fmt: skip

aurora = od.machine("aurora")
near = aurora.summary["zero_load_latency_s"]
print(f"\n8 bytes one way on aurora: {near['same_switch'] * 1e6:.2f} us through one switch, "
      f"{near['same_group'] * 1e6:.2f} us in a group, "
      f"{near['other_group'] * 1e6:.2f} us between groups")  # fmt: skip

# The same machine with slower switches. Quantities have a unit, as in the machine file.
slow = aurora.with_({"switch.latency": "450 ns"}).summary["zero_load_latency_s"]
added = slow["other_group"] - near["other_group"]
print(f"100 ns more in a switch costs {added * 1e9:.0f} ns between groups: "
      f"{added / 100e-9:.0f} switches on the path")  # fmt: skip

# Invalid input is reported before the run, with the nearest valid word.
try:
    print(aurora.with_({"switch.latncy": "450 ns"}).summary)
except od.InputError as error:
    print(f"refused: {error.diagnostics[0]}")
