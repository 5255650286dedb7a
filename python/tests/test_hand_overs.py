"""A rank blocks once per collective, whatever the number of ranks."""

from __future__ import annotations

import json
import subprocess

import pytest
from test_storm import COMPILER

PROGRAM = r"""
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    for (int i = 0, sum, one = 1; i < atoi(argv[1]); i++)
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
"""


@pytest.mark.parametrize("ranks", [3, 64, 1024])
def test_an_allreduce_is_one_hand_over_per_rank(odonata, tmp_path, ranks):
    (tmp_path / "rounds.c").write_text(PROGRAM)
    program = tmp_path / "rounds"
    subprocess.run([COMPILER, tmp_path / "rounds.c", "-o", program], check=True)

    def hand_overs(rounds: int) -> int:
        done = odonata("run", "-n", ranks, "--ppn", "8", "--machine", "aurora", "--fidelity",
                       "loggp", "--compute", "none", "--json", "--quiet", "--", program,
                       rounds)  # fmt: skip
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)["hand_overs"]

    # Start and end cost the same in both.
    assert hand_overs(7) - hand_overs(2) == 5 * ranks
