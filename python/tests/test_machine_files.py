"""Machine files that are `like` others: found relative to them, and named in diagnostics."""

from __future__ import annotations

import json

import pytest

import odonata as od


def write(folder, **files):
    for name, text in files.items():
        (folder / f"{name}.toml").write_text(text)


def test_a_base_file_is_found_beside_the_file_that_names_it(odonata, tmp_path):
    """In any working directory, and through a chain of files."""
    (tmp_path / "site").mkdir()
    write(tmp_path, mine='like = "site/all.toml"\nabout = "Mine"\n[groups.compute]\ncount = 4\n')
    write(tmp_path / "site", all='like = "../base.toml"\nsource = "Theirs"\n[groups.compute]\n')
    write(tmp_path, base='like = "aurora"\nrouting = "minimal"\n')
    mine = od.Machine.from_toml(tmp_path / "mine.toml")
    small = od.machine("aurora").summary["nodes"] // 166 * 4
    assert (mine.summary["name"], mine.summary["nodes"]) == ("mine", small)
    result = [mine.setting(key) for key in ("about", "source", "routing", "fabric")]
    assert result == ["Mine", "", "minimal", "slingshot"]
    done = odonata("show", "mine.toml", "--json")
    assert json.loads(done.stdout) == mine.summary, done.stderr


def test_machines_with_different_base_files_differ(tmp_path):
    found = []
    for latency in ("1 ns", "2 ns"):
        write(tmp_path, mine='like = "base.toml"\n', base=f'[switch]\nlatency = "{latency}"\n')
        found.append(od.Machine.from_toml(tmp_path / "mine.toml"))
    assert found[0] != found[1]


@pytest.mark.parametrize(
    ("base", "expected"),
    [
        ('like = "arora"', ["base.toml, like\n", "found   arora\n", "did you mean `aurora`?"]),
        ('like = "gone.toml"', ["base.toml, like\n", "found   gone.toml\n", "No such file"]),
        ('like = "\\u0000.toml"', ["base.toml, like\n", "embedded null byte"]),
        ('like = "./mine.toml"', ["base.toml, like\n", "found   ./mine.toml\n", "in turn"]),
        ('like = "aurora"\n[nic]\nwindow = 0\n[node]\ncores = "x"',
         ["base.toml, nic.window\n", "mine.toml, node.cores\n"]),
        ("like = ", ["base.toml, line 1\n", "mine.toml, node.cores\n"]),
    ],
)  # fmt: skip
def test_errors_of_a_base_file_name_that_file(odonata, tmp_path, base, expected):
    write(tmp_path, mine='like = "base.toml"\n[node]\ncores = 0\n', base=base)
    done = odonata("show", "mine.toml")
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    for words in expected:
        assert words in done.stderr, done.stderr
    assert "base.toml, node.cores" not in done.stderr, "the base file is not at fault"


def test_a_sweep_repeats_points_whose_base_file_has_changed(tmp_path):
    computed = []
    for latency in ("620 ns", "620 ns", "920 ns"):
        base = f'like = "dragonfly-1056"\n[nic]\nsend_latency = "{latency}"\n'
        write(tmp_path, mine='like = "base.toml"\n', base=base)
        command = {"command": "bench", "name": "latency", "fidelity": "loggp", "sizes": "8"}
        study = {"base": command, "grid": {"machine": [str(tmp_path / "mine.toml")]}}
        computed.append(od.sweep(study, out=tmp_path / "out").summary["computed"])
    assert computed == [1, 0, 1]


def test_node_kind_selects_the_nodes_of_a_job(odonata):
    """docs.nersc.gov: Perlmutter has 3,072 nodes without GPUs, and 1,792 with four."""
    shown = odonata("show", "perlmutter", "--node-kind", "cpu", "--json")
    assert json.loads(shown.stdout)["nodes"] == 3072, shown.stderr
    assert od.machine("perlmutter").summary["nodes"] == 1792
    assert od.machine("perlmutter").with_(node_kind="cpu").summary["nodes"] == 3072
    short = ("bench", "bw", "--buffers", "gpu", "--sizes", "8", "--machine", "perlmutter")
    assert odonata(*short).returncode == 0
    done = odonata(*short, "--node-kind", "cpu")
    assert done.returncode == 2 and "have no GPUs" in done.stderr
    done = odonata("bench", "bw", "--machine", "perlmutter", "--node-kind", "fpga")
    assert done.returncode == 2 and "one of cpu, gpu" in done.stderr
