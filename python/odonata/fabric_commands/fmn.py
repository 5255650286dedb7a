"""The family `fmn-VERB-THING`.

Texts of `fmn-show-status` are those of public guides. Of the other commands only the names are
public; they print the tables of `fmctl` (docs/fabric/differences.md).
"""

from __future__ import annotations

import getopt
import json
import re
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from . import go_text
from .client import Client, ClientError

# Things of `fmn-show-THING` and their collections.
SHOWN = {
    "port": "/fabric/ports",
    "edge-port": "/fabric/ports",
    "fabric-port": "/fabric/ports",
    "port-policy": "/fabric/port-policies",
    "link-policy": "/fabric/link-policies",
    "switch-policy": "/fabric/switch-policies",
}
POLICIES = ("port-policy", "link-policy", "switch-policy")
# Of the real family, but about parts that a simulated fabric does not have.
NOT_MODELED = {
    "show-lag": "link aggregation",
    "update-switch-firmware": "firmware of switches",
    "update-hsn-nic-config": "configuration of hosts",
    "update-discovery-service": "discovery of hosts",
    "update-compute-hsn-health": "health checks of hosts",
    "update-switch-lldp-health": "LLDP",
    "create-backup": "backups; the file of --state is one",
    "restore-backup": "backups; the file of --state is one",
    "delete-backup": "backups; the file of --state is one",
    "show-backup": "backups; the file of --state is one",
    "update-fabric-links": "another wiring; start with another machine file",
}


SWITCH_PORT = re.compile(r"x[0-9]+c[0-9]+r[0-9]+j[0-9]+p[0-9]+")


class UsageError(Exception):
    """A wrong option or argument."""


def main(words: Sequence[str]) -> int:
    """Run the command `words[0]` (without `fmn-`). Returns the exit status."""
    name, *rest = words
    run = COMMANDS.get(name)
    if run is None:
        about = NOT_MODELED.get(name)
        text = f"not modeled: {about}" if about else "not a command of this family"
        print(f"fmn-{name}: {text}", file=sys.stderr)
        return 2
    try:
        run(rest)
    except (UsageError, getopt.GetoptError) as error:
        print(f"fmn-{name}: {error}", file=sys.stderr)
        return 2
    except ClientError as error:
        print(f"fmn-{name}: {error}", file=sys.stderr)
        return 1
    return 0


def options(words: Sequence[str], short: str, *long: str) -> tuple[dict[str, str], list[str]]:
    """Options by name, and arguments."""
    found, rest = getopt.gnu_getopt(list(words), short, list(long))
    return dict(found), rest


def show_status(words: Sequence[str]) -> None:
    """`fmn-show-status [--details | -q]`."""
    given, rest = options(words, "q", "details", "detail")
    if rest:
        raise UsageError("usage: fmn-show-status [--details | -q]")
    found = Client().get("/simulation/status")
    print(quick(found) if "-q" in given else status(found, bool(given)))


def status(found: dict[str, Any], has_details: bool) -> str:
    """The text of `fmn-show-status`."""
    edge, fabric = found["edge"], found["fabric"]
    ports, switches = found["portsReported"], found["synchronizedSwitches"]
    lines = [
        f"Edge: {edge['online']} / {edge['total']}",
        f"Fabric: {fabric['online']} / {fabric['total']}",
        f"Ports Reported: {ports['reported']} / {ports['total']}",
        f"Fully Synchronized Switches: {switches['synchronized']} / {switches['total']}",
    ]
    if has_details:
        lines += ["", "Switches with Incomplete Configuration Synchronization Requiring Review:"]
        lines += found["incompleteSwitches"]
        lines += ["", "Downed links:"]
        lines += [f"Edge: {port}" for port in downed_ports(found, "edge")]
        lines += [f"Fabric: {port}" for port in downed_ports(found, "fabric")]
    return "\n".join(lines)


def downed_ports(found: dict[str, Any], kind: str) -> list[str]:
    """The ports of switches with a downed link: one of an edge link, both of a fabric link."""
    links = found["downedLinks"][kind]
    return [end for link in links for end in link.split("-") if SWITCH_PORT.fullmatch(end)]


def quick(found: dict[str, Any]) -> str:
    """The text of `fmn-show-status -q`."""
    lines = ["-" * 42, "Topology Status", f"Active: {found['activeTopology']}", "Health", "------"]
    lines += [f"{name}:{found['health'][name]}" for name in HEALTH]
    lines += ["For more detailed Health - run 'fmctl get health-engines/template-policy'", "", ""]
    lines.append("=" * 28)
    for name in ("edge", "fabric"):
        online, total = found[name]["online"], found[name]["total"]
        offline = total - online
        lines.append(f"{name.capitalize()} Total: {total} Online: {online}, Offline: {offline}")
    ports = found["portsReported"]
    lines.append(f"Ports Reported: {ports['reported']} / {ports['total']}")
    lines += ["=" * 28, "Offline Switches:", *found["offlineSwitches"]]
    return "\n".join(lines)


HEALTH = ("Runtime", "Configuration", "Traffic", "Security")


def show(thing: str) -> Callable[[Sequence[str]], None]:
    """`fmn-show-THING [NAME ...]`: the documents, or the names of all."""
    collection = SHOWN[thing]

    def run(words: Sequence[str]) -> None:
        given, names = options(words, "r", "raw", "port=", "name=")
        names += [given[key] for key in ("--port", "--name") if key in given]
        client = Client()
        if names:
            for name in names:
                found = client.get(f"{collection}/{name}")
                is_raw = "-r" in given or "--raw" in given
                print(json.dumps(found, indent=2) if is_raw else go_text.document(found))
            return
        kind = {"edge-port": "edge", "fabric-port": "fabric"}.get(thing)
        if kind is None and thing != "port":
            print(*(link.rpartition("/")[2] for link in client.links(collection)), sep="\n")
            return
        rows = [
            [one["conn_port"], one["portSubtype"], one["status"]["state"], one["dst_port"]]
            for one in client.documents(collection)
            if kind is None or one["portType"] == kind
        ]
        print(go_text.columns(["port", "type", "state", "dst_port"], rows))

    return run


def change_policy(verb: str, thing: str) -> Callable[[Sequence[str]], None]:
    """`fmn-create-`, `fmn-update-` and `fmn-delete-THING NAME [KEY=VALUE ...]`."""

    def run(words: Sequence[str]) -> None:
        from . import fmctl

        if not words or any("=" not in word for word in words[1:]):
            raise UsageError(f"usage: fmn-{verb}-{thing} NAME [KEY=VALUE ...]")
        values = dict(word.split("=", 1) for word in words[1:])
        found = fmctl.run(Client(), verb, f"{SHOWN[thing]}/{words[0]}", values)
        if found:
            print(go_text.document(found))

    return run


def reset_port(words: Sequence[str]) -> None:
    """`fmn-reset-port PORT ...`."""
    if not words:
        raise UsageError("usage: fmn-reset-port PORT ...")
    for port in words:
        Client().request("PATCH", f"/fabric/ports/{port}", {"action": "RESET"})
        print(f"{port}: reset")


def reset_switch(words: Sequence[str]) -> None:
    """`fmn-reset-switch -k|-r -i LIST`: LIST has xnames of switches, separated by commas."""
    given, rest = options(words, "kri:")
    names = [name for name in given.get("-i", "").split(",") if name]
    if rest or not names or ("-k" in given) == ("-r" in given):
        raise UsageError("usage: fmn-reset-switch -k|-r -i SWITCH[,SWITCH ...]")
    for name in names:
        Client().request("PATCH", f"/fabric/switches/{name}", {"action": "RESET"})
        print(f"{name}: reset")


def check_cable(words: Sequence[str]) -> None:
    """`fmn-check-cable LINK ...`: state and bit errors of links."""
    if not words:
        raise UsageError("usage: fmn-check-cable LINK ...")
    for name in words:
        print(go_text.document(Client().get(f"/fabric/links/{name}")))


def show_cluster(words: Sequence[str]) -> None:
    """`fmn-show-cluster`: the active and the standby manager."""
    options(words, "")
    client = Client()
    for link in client.links("/simulation/managers"):
        print(go_text.document(client.get(link)))


def failover(words: Sequence[str]) -> None:
    """`fmn-failover-active-standby`."""
    options(words, "")
    Client().request("POST", "/simulation/failover", {})
    print("failover started")


def synchronize(words: Sequence[str]) -> None:
    """`fmn-synchronize-active-standby`: both managers of a simulated pair have one state."""
    options(words, "")
    Client().get("/simulation/status")
    print("active and standby are synchronized")


def one_document(path: str) -> Callable[[Sequence[str]], None]:
    """A command that prints one document."""

    def run(words: Sequence[str]) -> None:
        options(words, "")
        print(go_text.document(Client().get(path)))

    return run


def update_fabric_policy(words: Sequence[str]) -> None:
    """`fmn-update-fabric-policy KEY=VALUE ...`: routing bias and group load."""
    from . import fmctl

    if not words or any("=" not in word for word in words):
        raise UsageError("usage: fmn-update-fabric-policy KEY=VALUE ...")
    values = dict(word.split("=", 1) for word in words)
    print(go_text.document(fmctl.run(Client(), "update", "routing/template-policy", values)))


def switch_firmware(words: Sequence[str]) -> None:
    """`fmn-show-switch-firmware`: one line per switch."""
    options(words, "")
    rows = [
        [one["documentSelfLink"].rpartition("/")[2], str(one.get("firmwareVersion", ""))]
        for one in Client().documents("/fabric/switches")
    ]
    print(go_text.columns(["switch", "firmwareVersion"], rows))


def diagnostics(words: Sequence[str]) -> None:
    """`fmn-get-diagnostics [FILE]`: status, sweeps, managers and faults as JSON."""
    if len(words) > 1:
        raise UsageError("usage: fmn-get-diagnostics [FILE]")
    client = Client()
    found = {
        path: client.get(path)
        for path in (
            "/simulation/status", "/simulation/sweeps", "/simulation/clock", "/simulation/faults",
            "/fabric/health-engines/template-policy", "/fabric/maintenances",
        )
    }  # fmt: skip
    text = json.dumps(found, indent=2)
    if not words:
        print(text)
        return
    try:
        with open(words[0], "w", encoding="utf-8") as file:
            file.write(text + "\n")
    except OSError as error:
        raise UsageError(f"{words[0]}: {error.strerror}") from None
    print(f"{time.strftime('%F %T')} written: {words[0]}")


COMMANDS: dict[str, Callable[[Sequence[str]], None]] = {
    "show-status": show_status,
    **{f"show-{thing}": show(thing) for thing in SHOWN},
    **{
        f"{verb}-{thing}": change_policy(verb, thing)
        for verb in ("create", "update", "delete")
        for thing in POLICIES
    },
    "reset-port": reset_port,
    "reset-switch": reset_switch,
    "check-cable": check_cable,
    "show-cluster": show_cluster,
    "failover-active-standby": failover,
    "synchronize-active-standby": synchronize,
    "show-fabric-management": one_document("/simulation/sweeps"),
    "update-fabric-policy": update_fabric_policy,
    "show-switch-firmware": switch_firmware,
    "get-diagnostics": diagnostics,
}
