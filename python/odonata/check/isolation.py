"""Search for few bad items among many, with a test of a group of items.

`is_slow(groups)` measures disjoint groups at once and returns for each whether it is slow.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

Rounds = Callable[[list[list[int]]], list[bool]]


def halves(items: Sequence[int], is_slow: Rounds) -> tuple[list[int], int]:
    """Adaptive halving: the bad items, and the number of rounds.

    All halves of one level are measured at once, so k bad items among n need about log2(n) rounds.
    """
    suspects, rounds = [list(items)], 0
    found: list[int] = []
    while suspects:
        parts = []
        for group in suspects:
            middle = (len(group) + 1) // 2
            parts += [part for part in (group[:middle], group[middle:]) if part]
        verdicts = is_slow(parts)
        rounds += 1
        suspects = []
        for part, slow in zip(parts, verdicts, strict=True):
            if slow and len(part) == 1:
                found += part
            elif slow:
                suspects.append(part)
    return sorted(found), rounds


def overlapping(
    items: Sequence[int], size: int, copies: int, seed: int, is_slow: Rounds
) -> tuple[list[int], int]:
    """Group testing in one shot: each item is in `copies` random groups; an item all of whose
    groups are slow is suspect. Groups that share no item are measured at once."""
    rng = random.Random(seed)
    in_groups: dict[int, list[bool]] = {item: [] for item in items}
    for _ in range(copies):
        order = list(items)
        rng.shuffle(order)
        count = max(1, round(len(order) / size))
        groups = [group for group in (order[i::count] for i in range(count)) if group]
        for group, slow in zip(groups, is_slow(groups), strict=True):
            for item in group:
                in_groups[item].append(slow)
    return sorted(item for item, slow in in_groups.items() if all(slow)), copies
