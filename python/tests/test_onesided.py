"""One-sided communication where it ends a job: errors that no error handler receives."""

from __future__ import annotations

PROGRAM = """
from mpi4py import MPI
import numpy as np

win = MPI.Win.Create_dynamic(MPI.INFO_NULL, MPI.COMM_WORLD)
rank = MPI.COMM_WORLD.rank
mine = np.zeros(8)
win.Attach(mine)
there = MPI.COMM_WORLD.bcast(MPI.Get_address(mine), root=1)
win.Fence()
if rank == 0:
    win.Put(np.ones(4), 1, [MPI.Aint_add(there, {offset}), 4, MPI.DOUBLE])
win.Fence()
print(rank, mine.sum())
win.Detach(mine)
win.Free()
"""


def run(odonata, tmp_path, offset):
    program = tmp_path / "attached.py"
    program.write_text(PROGRAM.format(offset=offset))
    return odonata("run", "-n", 2, "--machine", "dragonfly-1056", "--quiet", "--compute", "none",
                   "--", "python", program)  # fmt: skip


def test_memory_that_is_not_attached_stops_the_job_with_rank_and_call(odonata, tmp_path):
    done = run(odonata, tmp_path, 32)
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == ["0 0.0", "1 4.0"]
    done = run(odonata, tmp_path, 40)
    assert done.returncode != 0
    for words in ("rank 1 on", "MPI_Put_c of rank 0", "is not attached"):
        assert words in done.stderr, done.stderr


def test_a_window_with_operations_under_way_is_not_freed(odonata, tmp_path):
    program = tmp_path / "leave.py"
    program.write_text(
        "from mpi4py import MPI\n"
        "import numpy as np\n"
        "win = MPI.Win.Allocate(8, comm=MPI.COMM_WORLD)\n"
        "win.Fence()\n"
        "win.Put(np.ones(1), 0)\n"
        "win.Free()\n"
    )
    done = odonata("run", "-n", 2, "--machine", "dragonfly-1056", "--quiet", "--compute", "none",
                   "--", "python", program)  # fmt: skip
    assert done.returncode != 0
    assert "wrong synchronization of one-sided calls" in done.stderr, done.stderr
