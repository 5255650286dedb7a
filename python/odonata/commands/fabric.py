"""`odonata fabric`: the fabric manager of a simulated machine, as a service and as commands."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from .. import fabric_plans, machines
from ..checks import Checks
from ..errors import Diagnostic, InputError
from ..fabric_commands.client import ADDRESS, DEFAULT, Client, ClientError
from ..streams import say
from ..terminal import escaped
from .command import Command, Commands, Late

NAMES = ("serve", "events", "advance", "commands")
NEEDED = "the packages of the extra `fabric`: pip install 'odonata[fabric]'"


def load(name: str) -> click.Command:
    """A subcommand."""
    found = {"serve": serve, "events": events, "advance": advance, "commands": commands}
    return found[name]


@click.group(
    "fabric",
    cls=Commands,
    commands=Late(NAMES, load),
    context_settings={"help_option_names": ["-h", "--help"]},
)
def fabric() -> None:
    """Serve and operate the fabric manager of a simulated machine.

    odonata fabric serve --machine aurora

    Its commands have the names of the real ones: `PATH=$(odonata fabric commands):$PATH`, then
    `fmctl get switches` (docs/fabric/README.md).
    """


@click.command("commands", cls=Command)
def commands() -> None:
    """Print the directory of `fmctl`, `fmn-show-status`, `linkdbg` and the others."""
    print(Path(__file__).resolve().parents[1] / "_bin" / "fabric")


URL = click.option(
    "--fabric", "address", default=None, metavar="URL",
    help=f"Address of the service.  [default: {ADDRESS} or {DEFAULT}]",
)  # fmt: skip


def reached(address: str | None, use: Callable[[Client], int]) -> int:
    """The exit code of a use of a service."""
    try:
        return use(Client(address))
    except ClientError as error:
        say(f"odonata: fabric: {error}")
        return 1


@click.command("events", cls=Command)
@click.argument("plan")
@URL
@click.option("--json", "as_json", is_flag=True, help="Print each request and answer as JSON.")
def events(plan: str, address: str | None, as_json: bool) -> int:
    """Send the requests of PLAN, a TOML file, at their simulated times.

    The simulated time must stand: `odonata fabric serve --speed 0`. The exit code is 1 if a request
    was refused (docs/fabric/README.md).
    """
    found = fabric_plans.read(plan)

    def show(row: dict[str, Any]) -> None:
        status = row["error"]["message"] if "error" in row else "done"
        line = f"{row['at_s']:12.3f} s  {row['request']}: {status}"
        print(json.dumps(row) if as_json else escaped(line), flush=True)

    return reached(address, lambda client: int(fabric_plans.play(client, found, show) > 0))


@click.command("advance", cls=Command)
@click.argument("seconds")
@URL
def advance(seconds: str, address: str | None) -> int:
    """Advance the simulated time by SECONDS."""
    wrong = Checks()
    span = real(wrong, "SECONDS", seconds, 31 * 86_400)
    wrong.raise_any()

    def use(client: Client) -> int:
        found = client.request("POST", "/simulation/clock/advance", {"seconds": span})
        print(f"{found['nowSeconds']:.3f} s")
        return 0

    return reached(address, use)


@click.command("serve", cls=Command)
@click.option(
    "--machine",
    default="aurora",
    metavar="NAME|FILE",
    help="Preset machine or machine file.  [default: aurora]",
)
@click.option(
    "--set", "changes", multiple=True, metavar="KEY=VALUE", help="Change a key of the machine file."
)
@click.option("--port", default="8000", metavar="N", help="Port.  [default: 8000]")
@click.option(
    "--host",
    default="127.0.0.1",
    metavar="ADDRESS",
    help="Address; others than loopback need TLS and tokens.  [default: 127.0.0.1]",
)
@click.option(
    "--state",
    default=None,
    metavar="FILE",
    help="File of the log.  [default: fabric-MACHINE.sqlite]",
)
@click.option("--seed", default="1", metavar="N", help="Seed of faults and tunings.  [default: 1]")
@click.option(
    "--speed",
    default=None,
    metavar="X",
    help="Simulated seconds per second; 0: time stands until it is advanced by "
    "/simulation/clock/advance.  [default: 1]",
)
@click.option(
    "--start",
    type=click.Choice(["running", "cold"]),
    default="running",
    help="Begin with all links up, or with an unconfigured fabric.  [default: running]",
)
@click.option("--no-auth", is_flag=True, help="Accept requests without a token; loopback only.")
@click.option(
    "--rate",
    default="1000",
    metavar="N",
    help="Requests per second of a client; 0: unlimited.  [default: 1000]",
)
@click.option("--tls-cert", default=None, metavar="FILE", help="Certificate, for https.")
@click.option("--tls-key", default=None, metavar="FILE", help="Its private key.")
def serve(**given: Any) -> int:
    """Serve the fabric manager of MACHINE over HTTP, with a live page at /.

    The state is in a file, which has every acknowledged request. A second process with the same
    file is a standby: it takes over when the first one ends.
    """
    try:
        from ..fabric import serving, store
        from ..fabric.service import Settings
    except ImportError as error:
        raise InputError([Diagnostic("odonata fabric", f"no `{error.name}`", NEEDED)]) from None
    wrong = Checks()
    machine = wrong.machine(given["machine"], given["changes"], None)
    machines.check_names(wrong, machine, "packet", "mpich")
    port = number(wrong, "--port", given["port"], 1, 65_535)
    seed = number(wrong, "--seed", given["seed"], 0, 2**63 - 1)
    speed = None if given["speed"] is None else real(wrong, "--speed", given["speed"], 10_000)
    rate = real(wrong, "--rate", given["rate"], 1e9)
    is_loopback = given["host"] in ("127.0.0.1", "localhost", "::1")
    has_tls = given["tls_cert"] is not None and given["tls_key"] is not None
    if (given["tls_cert"] is None) != (given["tls_key"] is None):
        wrong.add("--tls-key", given["tls_key"] or "nothing", "both --tls-cert and --tls-key")
    for option in ("tls_cert", "tls_key"):
        if given[option] is not None and not Path(given[option]).is_file():
            wrong.add(f"--{option.replace('_', '-')}", given[option], "a readable PEM file")
    if not is_loopback and (given["no_auth"] or not has_tls):
        wrong.add("--host", given["host"], "127.0.0.1, or another address with TLS and tokens")
    wrong.finish(machine)
    assert machine is not None, "reported above"
    path = Path(given["state"] or f"fabric-{Path(machine.name).stem}.sqlite")
    settings = Settings(not given["no_auth"], is_loopback, rate)
    how = serving.Serving(
        given["host"], port, path, speed, settings, given["tls_cert"], given["tls_key"]
    )
    request = {"machine": machine.request(), "seed": seed, "options": {"start": given["start"]}}
    try:
        return serving.serve(how, request, say)
    except store.StoreError as error:
        raise InputError([Diagnostic("--state", str(path), str(error))]) from None


def number(wrong: Checks, option: str, text: str, least: int, most: int) -> int:
    """A whole number."""
    if not (re.fullmatch("[0-9]{1,20}", text) and least <= int(text) <= most):
        wrong.add(option, text, f"a whole number from {least} to {most}")
        return least
    return int(text)


def real(wrong: Checks, option: str, text: str, most: float) -> float:
    """A number from 0 to `most`."""
    if not re.fullmatch(r"[0-9]{1,10}(\.[0-9]{1,9})?", text) or float(text) > most:
        wrong.add(option, text, f"a number from 0 to {most:g}")
        return 0.0
    return float(text)
