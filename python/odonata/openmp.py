"""Wait policy of the ranks' OpenMP threads.

A thread that spins uses CPU time, which would be charged as computation, and takes the core from
working threads: a simulation has many ranks on few cores. So waiting threads sleep, with the
runtimes of GCC, LLVM and Intel.
"""

from __future__ import annotations

from collections.abc import Mapping

POLICY = "OMP_WAIT_POLICY"
# Variables that make threads sleep at once even if the policy is `active`: both runtimes prefer
# them to the policy.
SLEEP = {"GOMP_SPINCOUNT": "0", "KMP_BLOCKTIME": "0"}


def waiting(given: Mapping[str, str]) -> dict[str, str]:
    """The variables to set in addition to the user's, `given`."""
    if not spinning(given):
        return {POLICY: given.get(POLICY) or "passive"}
    return dict(SLEEP)


def spinning(given: Mapping[str, str]) -> list[str]:
    """The user's settings that make threads spin: `NAME=value`."""
    found = []
    if given.get(POLICY, "").strip().lower() == "active":
        found.append(f"{POLICY}={given[POLICY]}")
    found += [f"{k}={given[k]}" for k in SLEEP if given.get(k) and not _is_zero(given[k])]
    return found


def _is_zero(value: str) -> bool:
    """Whether a count or a time is 0; LLVM's runtime takes units of time."""
    return value.strip().lower().rstrip("mus") == "0"


def note(given: Mapping[str, str]) -> str | None:
    """A note about a policy that is not honored."""
    found = spinning(given)
    if not found:
        return None
    return (
        f"{', '.join(found)}: OpenMP threads sleep while they wait, so that waiting is not charged "
        "as computation (docs/models/live.md)"
    )
