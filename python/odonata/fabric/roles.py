"""Roles of tokens, and what each may call.

The roles and their rights are those of the public management network policy of Cray-HPE/cray-opa
(`hmn.yaml`). The area `simulation` has this service's own extensions.
"""

from __future__ import annotations

ROLES = ("admin", "operator", "guest", "wlm", "security")
READ = frozenset({"GET", "HEAD"})
WRITE = frozenset({"PATCH", "POST", "PUT"})
# Areas that an operator may change.
OPERATED = ("fabric", "telemetry", "switch-telemetry", "host-settings", "port-sets")
# Areas without secrets or settings of the fabric's own: the page and its data.
TOKENS = "simulation/tokens"


def area(path: str) -> str:
    """The first component of a path: `fabric` of `/fabric/ports`."""
    return path.lstrip("/").partition("/")[0]


def is_below(path: str, *prefixes: str) -> bool:
    """Whether a path is one of these or below one."""
    plain = path.strip("/")
    return any(plain == prefix or plain.startswith(f"{prefix}/") for prefix in prefixes)


def may(role: str, method: str, path: str) -> bool:
    """Whether a role may call a method on a path (without a base path)."""
    if role == "admin":
        return True
    if is_below(path, TOKENS):
        return False
    if is_below(path, "certmgr", "fabric/rosetta-auth-token"):
        return role == "security" or (role == "operator" and method in READ)
    if role == "operator":
        changes = method in WRITE and area(path) in (*OPERATED, "simulation")
        return method in READ or changes
    if role == "wlm" and is_below(path, "fabric/collectives"):
        return True
    if role in ("guest", "wlm"):
        return method in READ and area(path) in ("fabric", "simulation")
    return False
