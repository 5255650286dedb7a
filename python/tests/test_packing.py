"""Non-contiguous datatypes are packed as docs/models/library-packing.md defines."""

from __future__ import annotations

import json
import subprocess

import pytest
from test_storm import COMPILER

import odonata as od

# Only packing takes time: 1 ns per line of 64 B, unless the values take longer.
LIBRARY = """
like = "none"
local_copy_rate = "64 GB/s"
pack_element = "0.1 ns"
pack_member = "5 ns"
"""

# Rank 0 sends, rank 1 receives and reports the time: first with contiguous data. An argument
# selects the layout.
PROGRAM = r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static char *buffer, *packed;
static int rank;
static double took(const char *how, MPI_Datatype type, int count) {
    MPI_Request request;
    MPI_Win win;
    int size, position = 0;
    MPI_Type_size(type, &size);
    MPI_Win_create(buffer, 1 << 20, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    if (!strcmp(how, "persistent") && rank == 0)
        MPI_Send_init(buffer, count, type, 1, 7, MPI_COMM_WORLD, &request);
    if (!strcmp(how, "persistent") && rank == 1)
        MPI_Recv_init(buffer, count, type, 0, 7, MPI_COMM_WORLD, &request);
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    double begun = MPI_Wtime();
    if (!strcmp(how, "blocking") && rank == 0)
        MPI_Send(buffer, count, type, 1, 7, MPI_COMM_WORLD);
    else if (!strcmp(how, "packed") && rank == 0) {
        MPI_Pack(buffer, count, type, packed, 1 << 20, &position, MPI_COMM_WORLD);
        MPI_Send(packed, position, MPI_PACKED, 1, 7, MPI_COMM_WORLD);
    } else if (!strcmp(how, "packed")) {
        MPI_Recv(packed, count * size, MPI_PACKED, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Unpack(packed, 1 << 20, &position, buffer, count, type, MPI_COMM_WORLD);
    } else if (!strcmp(how, "blocking"))
        MPI_Recv(buffer, count, type, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else if (!strcmp(how, "nonblocking")) {
        if (rank == 0)
            MPI_Isend(buffer, count, type, 1, 7, MPI_COMM_WORLD, &request);
        else
            MPI_Irecv(buffer, count, type, 0, 7, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (!strcmp(how, "persistent")) {
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
    } else if (!strcmp(how, "bcast"))
        MPI_Bcast(buffer, count, type, 0, MPI_COMM_WORLD);
    else if (!strcmp(how, "get") && rank == 1) {
        MPI_Get(buffer, count, type, 0, 0, count * size, MPI_BYTE, win);
        MPI_Win_flush(0, win);
    }
    double ended = MPI_Wtime();
    MPI_Win_unlock(0, win);
    MPI_Win_free(&win);
    MPI_Barrier(MPI_COMM_WORLD);
    return ended - begun;
}
int main(int argc, char **argv) {
    MPI_Datatype vector, column, items, plain;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    buffer = calloc(1, 1 << 20), packed = calloc(1, 1 << 20);
    /* 1,000 doubles in lines of their own; the same as 1,000 items; 500 items of two members. */
    MPI_Type_vector(1000, 1, 16, MPI_DOUBLE, &vector);
    MPI_Type_create_resized(MPI_DOUBLE, 0, 128, &column);
    int lengths[2] = {1, 1};
    MPI_Aint at[2] = {0, 8};
    MPI_Datatype types[2] = {MPI_DOUBLE, MPI_INT}, pair;
    MPI_Type_create_struct(2, lengths, at, types, &pair);
    MPI_Type_create_resized(pair, 0, 16, &items);
    MPI_Type_contiguous(1000, MPI_DOUBLE, &plain);
    MPI_Type_commit(&vector), MPI_Type_commit(&column);
    MPI_Type_commit(&items), MPI_Type_commit(&plain);
    took(argv[1], MPI_DOUBLE, 1000); /* the first has to be met */
    double flat = took(argv[1], MPI_DOUBLE, 1000);
    double same = took(argv[1], plain, 1);
    double apart = took(argv[1], vector, 1);
    double each = took(argv[1], column, 1000);
    double short_flat = took(argv[1], MPI_BYTE, 6000);
    double members = took(argv[1], items, 500);
    if (rank == 1)
        printf("%.0f %.0f %.0f %.0f\n", (same - flat) * 1e9, (apart - flat) * 1e9,
               (each - flat) * 1e9, (members - short_flat) * 1e9);
    MPI_Finalize();
    return 0;
}
"""


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    folder = tmp_path_factory.mktemp("packing")
    (folder / "packing.c").write_text(PROGRAM)
    (folder / "mine.toml").write_text(LIBRARY)
    program = folder / "packing"
    subprocess.run([COMPILER, "-Wall", "-Werror", folder / "packing.c", "-o", program], check=True)
    return program


# Packed and unpacked once each: 1,000 lines; 500 items in 125 lines, or 1,000 members.
BOTH = [0, 2 * 1000, 2 * 1000, 2 * 5000]
ONE = [0, 1000, 1000, 5000]


@pytest.mark.parametrize(
    ("how", "wanted"),
    [
        ("blocking", BOTH),
        ("nonblocking", BOTH),
        ("persistent", BOTH),
        # Packed by the program as computation, which is not charged here.
        ("packed", [0, 0, 0, 0]),
        ("get", ONE),
        # The root packs, the other unpacks.
        ("bcast", BOTH),
    ],
)
def test_non_contiguous_data_takes_the_packing_time(odonata, compiled, how, wanted):
    library = compiled.parent / "mine.toml"
    done = odonata("run", "-n", 2, "--ppn", 1, "--machine", "aurora", "--mpi", library,
                   "--compute", "none", "--quiet", "--", compiled, how)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert [int(n) for n in done.stdout.split()] == wanted, done.stdout


def replay(odonata, record, library) -> dict:
    done = odonata("replay", record, "--machine", "aurora", "--ppn", 1, "--mpi", library,
                   "--json", "--quiet")  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_recording_has_the_layout_of_the_data(odonata, compiled, tmp_path):
    library, record = compiled.parent / "mine.toml", tmp_path / "run.parquet"
    done = odonata("run", "-n", 2, "--ppn", 1, "--machine", "aurora", "--mpi", library,
                   "--compute", "none", "--json", "--quiet", "--record", record, "--",
                   compiled, "nonblocking")  # fmt: skip
    assert done.returncode == 0, done.stderr
    slower = compiled.parent / "slower.toml"
    slower.write_text(LIBRARY.replace("64 GB/s", "32 GB/s"))
    took = [replay(odonata, record, of)["time_s"] for of in (library, slower)]
    # The vector's lines and the column's, in and out.
    assert took[1] - took[0] == pytest.approx(4 * 1000e-9, abs=1e-12)


CHAIN = r"""
#include <mpi.h>
int main(int argc, char **argv) {
    static double grid[64][64];
    int rank, size;
    MPI_Datatype column;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Type_vector(64, 1, 64, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    int left = rank ? rank - 1 : MPI_PROC_NULL, right = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
    for (int i = 0; i < 3; i++) {
        MPI_Sendrecv(&grid[0][1], 1, column, left, 1, &grid[0][63], 1, column, right, 1,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Sendrecv(&grid[0][62], 1, column, right, 2, &grid[0][0], 1, column, left, 2,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
"""


def test_extrapolated_ranks_pack_like_recorded_ones(odonata, compiled, tmp_path):
    (tmp_path / "chain.c").write_text(CHAIN)
    subprocess.run([COMPILER, tmp_path / "chain.c", "-o", tmp_path / "chain"], check=True)
    library = compiled.parent / "mine.toml"
    for ranks in (4, 5, 8):
        done = odonata("run", "-n", ranks, "--ppn", 1, "--machine", "aurora", "--mpi", library,
                       "--compute", "none", "--quiet", "--record", f"{ranks}.parquet", "--",
                       "./chain")  # fmt: skip
        assert done.returncode == 0, done.stderr
    made = tmp_path / "made.parquet"
    od.extrapolate([tmp_path / "4.parquet", tmp_path / "5.parquet"], ranks=8, record=made)
    more, recorded = (replay(odonata, f, library) for f in (made, tmp_path / "8.parquet"))
    assert (more["time_s"], more["digest"]) == (recorded["time_s"], recorded["digest"])
