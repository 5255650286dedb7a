"""Commands of job scripts on simulated file systems: `lfs`, `daos`, `dfuse` and its scripts."""

from __future__ import annotations

import re
import struct

import pytest
from odonata.storage_commands import facts, layouts, lfs, mounting
from odonata.storage_commands.layouts import EOF, Component

MACHINE = ("--machine", "aurora", "--fidelity", "loggp", "--compute", "none")
# Aurora's machine file.
OSTS, MDTS, TARGETS = 160, 40, 32_768


def script(odonata, text: str, ranks: int = 1, status: int = 0):
    """The output of a job script that ends with `status`."""
    done = odonata("run", "-n", ranks, *MACHINE, "--quiet", "--", "bash", "-c", text)
    assert done.returncode == status, done.stderr
    return done


def test_a_layout_survives_its_attribute():
    parts = [
        Component(end=64 << 10, on_mdt=True),
        Component(end=1 << 30, count=4, size=1 << 20, index=7),
        Component(end=EOF, count=-1, size=4 << 20, pool="flash", overstriping=False),
    ]
    assert layouts.unpack(layouts.pack(parts)) == parts
    plain = Component(count=8, size=4 << 20)
    value = layouts.pack([plain])
    # struct lov_user_md_v1: magic, pattern, object, stripe size, count and first OST.
    assert struct.unpack("<IIQQIHH", value) == (0x0BD10BD0, 1, 0, 0, 4 << 20, 8, 0xFFFF)
    assert layouts.unpack(value) == [plain]


def test_sizes_have_binary_suffixes():
    sizes = {"1048576": 1 << 20, "1M": 1 << 20, "4MiB": 4 << 20, "2g": 2 << 30, "64kb": 64 << 10}
    assert {text: facts.read_size(text) for text in sizes} == sizes
    for wrong in ("", "M", "-1", "1x", "1.5M"):
        with pytest.raises(ValueError):
            facts.read_size(wrong)


def test_a_mount_survives_its_entry():
    mount = mounting.Mounted(3, "/tmp/a pool/c=d:e%", "/tmp/store/daos/ü")
    entry = f"3={mounting.encode(mount.path)}={mounting.encode(mount.backing)}"
    assert entry.isascii() and ":" not in entry
    assert mounting.decode(entry) == mount


@pytest.mark.parametrize(
    "words, expected",
    [
        ("-c 4", [Component(count=4)]),
        ("-c -1 -S 4M -i 3", [Component(count=-1, size=4 << 20, index=3)]),
        ("-C 200", [Component(count=200, overstriping=True)]),
        (
            "-E 64K -L mdt -E 1G -c 2 -S 1M -E -1 -c 8",
            [
                Component(end=64 << 10, on_mdt=True),
                Component(end=1 << 30, count=2, size=1 << 20),
                Component(count=8, size=1 << 20),
            ],
        ),
    ],
)
def test_options_of_setstripe(words, expected):
    options, _ = lfs._options(words.split(), lfs.SHORT_OPTIONS, lfs.LONG_OPTIONS)
    request = lfs.Request()
    for option, text in options:
        request.take(option, text)
    system = {"osts": OSTS, "pools": [], "name": "flare"}
    assert request.components(system) == expected


def test_a_file_gets_the_layout_that_was_set(odonata):
    out = script(
        odonata,
        "lfs setstripe -c 8 -S 4M /lus/flare/a && stat -c '%F %s %a' /lus/flare/a &&"
        " lfs getstripe /lus/flare/a && lfs getstripe -c /lus/flare/a &&"
        " lfs getstripe -S /lus/flare/a",
    ).stdout
    lines = out.splitlines()
    assert lines[:2] == ["regular empty file 0 644", "/lus/flare/a"]
    fields = dict(re.findall(r"^(lmm_\w+): +(\S+)$", out, re.MULTILINE))
    assert fields["lmm_stripe_count"] == "8" and fields["lmm_stripe_size"] == str(4 << 20)
    assert fields["lmm_pattern"] == "raid0" and fields["lmm_layout_gen"] == "0"
    assert lines[-2:] == ["8", str(4 << 20)]


def test_a_file_without_layout_has_the_default_of_the_file_system(odonata):
    out = script(odonata, "echo x > /lus/flare/a; lfs getstripe -c -S /lus/flare/a").stdout
    assert out.split() == ["1", str(1 << 20)]


def test_new_entries_inherit_the_default_of_their_directory(odonata):
    out = script(
        odonata,
        "mkdir /lus/flare/d; touch /lus/flare/d/before; lfs setstripe -c 4 /lus/flare/d;"
        "mkdir /lus/flare/d/e; echo x > /lus/flare/d/e/f; lfs setstripe -c 2 /lus/flare/d/own;"
        "for f in d d/before d/e d/e/f d/own; do lfs getstripe -d -c /lus/flare/$f; done;"
        "lfs setstripe -d /lus/flare/d; lfs getstripe -d /lus/flare/d",
    ).stdout.splitlines()
    assert out[:5] == ["4", "1", "4", "4", "2"]
    assert out[6].split()[:4] == ["stripe_count:", "1", "stripe_size:", str(1 << 20)]


def test_a_composite_layout_is_printed_by_components(odonata):
    out = script(
        odonata,
        "lfs setstripe -E 64K -L mdt -E 1G -c 2 -E -1 -c -1 -S 4M /lus/flare/a;"
        "lfs getstripe /lus/flare/a",
    ).stdout
    assert "lcm_entry_count:   3" in out
    values = re.findall(r"(e_start|e_end|lmm_stripe_count|lmm_pattern): +(\S+)", out)
    found = {key: [value for name, value in values if name == key] for key, _ in values}
    assert found["e_start"] == ["0", str(64 << 10), str(1 << 30)]
    assert found["e_end"] == [str(64 << 10), str(1 << 30), "EOF"]
    assert found["lmm_pattern"] == ["mdt", "raid0", "raid0"]
    assert found["lmm_stripe_count"][1:] == ["2", str(OSTS)]


def test_directories_on_chosen_mdts(odonata):
    out = script(
        odonata,
        "lfs mkdir -i 3 /lus/flare/one && lfs mkdir -c 4 -i 38 /lus/flare/four &&"
        " lfs setstripe -c 2 /lus/flare/four && mkdir /lus/flare/four/plain &&"
        " for d in one four four/plain; do lfs getdirstripe -i /lus/flare/$d;"
        " lfs getdirstripe -c /lus/flare/$d; done; lfs getdirstripe /lus/flare/four;"
        " stat -c %a /lus/flare/one; lfs getstripe -d -c /lus/flare/four",
    ).stdout.split()
    assert out[:6] == ["3", "0", "38", "4", "0", "0"]
    # The MDTs are numbered from 0 after the last.
    at = out.index("mdtidx")
    assert out[at + 1 : at + 5] == ["38", "39", "0", "1"]
    assert out[-2:] == ["755", "2"]


def test_targets_and_space(odonata):
    out = script(odonata, "lfs osts /lus/flare; lfs mdts /lus/flare; lfs df /lus/flare").stdout
    lines = out.splitlines()
    assert lines[:2] == ["OBDS:", "0: flare-OST0000_UUID ACTIVE"]
    assert lines[OSTS] == "159: flare-OST009f_UUID ACTIVE"
    assert lines[OSTS + 1 : OSTS + 3] == ["MDTS:", "0: flare-MDT0000_UUID ACTIVE"]
    rows = [line.split() for line in lines if "/lus/flare" in line]
    targets = [row for row in rows if row[0].startswith("flare-OST")]
    assert len(targets) == OSTS
    assert all(int(size) == int(used) + int(free) for _, size, used, free, *_ in targets)
    summary = rows[-1]
    assert summary[0] == "filesystem_summary:"
    assert int(summary[1]) == sum(int(row[1]) for row in targets)


@pytest.mark.parametrize(
    "command, status, message",
    [
        ("lfs setstripe -S 100 /lus/flare/a", 1, "invalid stripe size '100'"),
        ("lfs setstripe -c x /lus/flare/a", 1, "invalid stripe count 'x'"),
        ("lfs setstripe -i 160 /lus/flare/a", 22, "invalid stripe offset '160'"),
        ("lfs setstripe -p none_such /lus/flare/a", 22, "pool 'flare.none_such'"),
        ("lfs setstripe -o 1,2 /lus/flare/a", 1, "option -o"),
        ("lfs setstripe -E 1M -E 1M /lus/flare/a", 1, "invalid component end '1048576'"),
        ("lfs setstripe -c 2", 1, "FILE must be specified"),
        ("lfs setstripe -c 2 /lus/flare/none/a", 2, "No such file or directory"),
        ("echo x > /lus/flare/a; lfs setstripe -c 2 /lus/flare/a", 17, "stripe already set"),
        ("lfs getstripe /lus/flare/a", 2, "No such file or directory"),
        ("lfs getstripe /daos", 25, "not a Lustre file system"),
        ("lfs getstripe /", 25, "not a Lustre file system"),
        ("lfs mkdir -i 40 /lus/flare/d", 22, "invalid MDT index '40'"),
        ("mkdir /lus/flare/d; lfs mkdir -c 2 /lus/flare/d", 17, "File exists"),
        ("lfs quota /lus/flare", 1, "not one of the modeled commands"),
        ("daos container create pool", 1, "LABEL"),
        ("daos container create pool c --type HDF5", 1, "DER_NOSYS(-1010)"),
        ("daos container create pool c --file-oclass S0", 1, "does not fit"),
        ("daos container create pool c --file-oclass XX", 1, "unknown object class 'XX'"),
        ("daos container create pool c --colour red", 1, "unknown flag `colour'"),
        ("daos container create pool c --properties rd_fac:4", 1, "rd_fac:4"),
        ("daos container create pool c --properties rd_fac:2 --file-oclass S1", 1, "redundancy"),
        ("daos cont create p c && daos cont create p c", 1, "DER_EXIST(-1004)"),
        ("daos container query pool c", 1, "DER_NONEXIST(-1005)"),
        ("daos container destroy pool c", 1, "DER_NONEXIST(-1005)"),
        ("daos system query", 1, "not one of the modeled commands"),
        ("launch-dfuse.sh pool", 1, "POOL:CONTAINER expected"),
        ("launch-dfuse.sh pool:c", 1, "DER_NONEXIST(-1005)"),
        ("clean-dfuse.sh pool:c", 1, "not a mount"),
        ("dfuse /tmp", 1, "no pool"),
        ("dfuse /no/such/place p c", 1, "mountpoint is no directory"),
    ],
)
def test_errors_are_those_of_the_real_commands(odonata, command, status, message):
    done = odonata(
        "run", "-n", 1, *MACHINE, "--quiet", "--", "bash", "-c", f"{command}; echo status $?"
    )
    assert message in done.stderr, (done.stdout, done.stderr)
    assert done.stdout.splitlines()[-1] == f"status {status}"


def test_a_container_has_the_properties_that_were_set(odonata):
    out = script(
        odonata,
        "daos container create --type POSIX pool cont --properties rd_fac:2,cksum:off"
        " --chunk-size=2M --file-oclass=EC_16P2GX --dir-oclass RP_3G1;"
        "daos cont query pool cont; daos cont get-prop pool cont --properties rd_fac;"
        "daos cont list pool; daos pool list",
    ).stdout
    rows = dict(re.findall(r"^  (\S.*?) *: (.*)$", out, re.MULTILINE))
    assert rows["File Object Class"] == "EC_16P2GX" and rows["Dir Object Class"] == "RP_3G1"
    assert rows["Chunk Size"] == "2.0 MiB" and rows["Container redundancy factor"] == "2"
    assert "Redundancy Factor (rd_fac)       rd_fac2" in out
    number = rows["Container UUID"]
    assert f"{number} cont" in out and f"0/{TARGETS}" in out


@pytest.mark.parametrize(
    "factor, file, directory, chunk",
    # Defaults of dc_set_oclass on at least 22 servers, with cells of 128 KiB.
    [
        (0, "SX", "S1", "1.0 MiB"),
        (1, "EC_16P1GX", "RP_2G1", "4.0 MiB"),
        (3, "EC_16P3GX", "RP_4G1", "4.0 MiB"),
    ],
)
def test_classes_follow_the_redundancy_factor(odonata, factor, file, directory, chunk):
    command = f"daos cont create p c --properties rd_fac:{factor} && daos cont query p c"
    rows = dict(re.findall(r"^  (\S.*?) *: (.*)$", script(odonata, command).stdout, re.MULTILINE))
    assert (rows["File Object Class"], rows["Dir Object Class"]) == (file, directory)
    assert rows["Chunk Size"] == chunk


def test_a_pool_has_all_targets(odonata):
    out = script(odonata, "daos pool query pool").stdout
    assert f"ntarget={TARGETS}, disabled=0" in out and f"- Target count:{TARGETS}" in out
    # 256 GB of SCM per target, and 16 NVMes of 15.3 TB on each of 1,024 servers.
    assert "Total size: 8.4 PB" in out and "Total size: 250.7 PB" in out


def test_a_container_is_mounted_and_unmounted(odonata):
    out = script(
        odonata,
        "daos cont create pool cont > /dev/null && launch-dfuse.sh pool:cont &&"
        " echo hello > /tmp/pool/cont/a && cd /tmp/pool/cont && pwd && cat a &&"
        " cat /daos/pool/cont/a && cp a b && ls && mv b /tmp/pool/cont/c && cd / &&"
        " ls -a /tmp/pool/cont | head -2 && stat -c %F /tmp/pool &&"
        " clean-dfuse.sh pool:cont && test ! -e /tmp/pool/cont && ls /daos/pool/cont",
    ).stdout.split()
    assert out == ["/tmp/pool/cont", "hello", "hello", "a", "b", ".", "..", "directory", "a", "c"]


def test_all_ranks_see_a_mount(odonata):
    text = (
        "if test $ODONATA_RANK = 0; then daos cont create p c > /dev/null; launch-dfuse.sh p:c;"
        " echo hello > /tmp/p/c/a; touch /daos/ready; fi;"
        "until test -e /daos/ready; do sleep 0.1; done; cat /tmp/p/c/a"
    )
    assert script(odonata, text, ranks=3).stdout.split() == ["hello"] * 3


def test_a_mount_hides_a_real_directory(odonata):
    place = odonata.cwd / "mountpoint"
    place.mkdir()
    out = script(
        odonata,
        f"daos cont create p c > /dev/null; dfuse -m {place} --pool p --cont c;"
        f" echo x > {place}/a; cat /daos/p/c/a; daos cont destroy p c; echo status $?;"
        f" fusermount3 -u {place}; ls {place}; daos cont destroy p c",
    ).stdout.splitlines()
    assert out == ["x", "status 1", "Successfully destroyed container c"]
    assert list(place.iterdir()) == []


def test_machines_without_file_systems_have_no_commands(odonata):
    options = ("--machine", "dragonfly-1056", "--fidelity", "loggp", "--quiet")
    done = odonata("run", "-n", 1, *options, "--", "bash", "-c", "command -v lfs daos; echo none")
    assert done.stdout == "none\n"
    done = odonata("run", "-n", 1, *options, "--", "lfs", "osts")
    assert done.returncode == 2 and "lfs" in done.stderr
