"""`fmctl`: reads and changes documents of the fabric manager."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

from . import go_text
from .client import Client, ClientError, path_of

USAGE = """usage: fmctl get COLLECTION[/ID] [--raw]
       fmctl create COLLECTION[/ID] [KEY=VALUE ...] [--raw]
       fmctl update COLLECTION/ID KEY=VALUE ... [--raw]
       fmctl delete COLLECTION/ID [--raw]"""
VERBS = {"get": "GET", "create": "POST", "update": "PATCH", "delete": "DELETE"}
RAW = ("--raw", "-r")


def main(words: Sequence[str]) -> int:
    """Run `fmctl` with these arguments. Returns the exit status."""
    plain = [word for word in words if word not in RAW]
    if not plain or plain[0] in ("-h", "--help", "help"):
        print(USAGE, file=sys.stderr if not plain else sys.stdout)
        return 0 if plain else 2
    verb, *rest = plain
    wrong = [word for word in rest[1:] if "=" not in word]
    needs_values = verb == "update"
    if verb not in VERBS or not rest or wrong or (needs_values and len(rest) < 2):
        print(USAGE, file=sys.stderr)
        return 2
    if verb in ("get", "delete") and rest[1:]:
        print(f"fmctl {verb}: takes no values\n{USAGE}", file=sys.stderr)
        return 2
    try:
        found = run(Client(), verb, rest[0], dict(word.split("=", 1) for word in rest[1:]))
    except ClientError as error:
        print(f"fmctl: {error}", file=sys.stderr)
        return 1
    if found is not None and (verb != "update" or len(plain) < len(words)):
        is_raw = len(plain) < len(words)
        print(json.dumps(found, indent=2) if is_raw else go_text.document(found))
    return 0


def run(client: Client, verb: str, words: str, given: dict[str, str]) -> Any:
    """Send the request of a verb."""
    path = path_of(words)
    if verb == "get":
        return client.get(path)
    if verb == "delete":
        return client.request("DELETE", path)
    fields = {key: read(text) for key, text in given.items()}
    if verb == "create":
        parent, _, name = path.rpartition("/")
        if parent in ("", "/fabric", "/fabric/vni", "/fabric/collectives", "/simulation"):
            return client.request("POST", path, fields)
        return client.request("POST", parent, {"documentSelfLink": name, **fields})
    # A list with one element is given as the element.
    before = client.get(path)
    for key, found in fields.items():
        if isinstance(before.get(key), list) and not isinstance(found, list):
            fields[key] = [read(part) for part in given[key].split(",")] if given[key] else []
    return client.request("PATCH", path, fields)


def read(text: str) -> Any:
    """A value: JSON, or a text."""
    try:
        return json.loads(text)
    except ValueError:
        return text
