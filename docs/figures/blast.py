"""The figure of docs/on-the-road-to-exascale.md: a blast wave computed by examples/sph.

    python docs/figures/blast.py

Runs the program with 46,080 particles on 8 ranks, and the program draws. Seven minutes.
"""

import subprocess
from pathlib import Path

from kept import options

ROOT = Path(__file__).resolve().parents[2]


def main() -> None:
    options(__doc__, draw=False)
    out = Path(__file__).with_suffix(".png")
    command = "odonata run -n 8 --machine aurora --compute none --quiet -- python".split()
    program = "examples/sph/sph.py --particles 32 --split 900 --time 0.06 --picture".split()
    subprocess.run([*command, *program, str(out)], cwd=ROOT, check=True)
    print(f"wrote {out.name}")


if __name__ == "__main__":
    main()
