"""How do rows of a list say nothing twice?"""

from collections import Counter
from collections.abc import Sequence
from typing import TypeAlias

FIELD = "|"  # between the fields of a row
SHARED = 4  # characters that two rows have in common, from which they are told together

Row: TypeAlias = tuple[str, ...]


def told_once(rows: Sequence[Row], plain: Sequence[bool]) -> list[str]:
    """Each row once, with how often it comes where that is more often. Neighbours that differ in one `plain` field
    share what else they say: `HAT1,HAT2|2024-05-21`."""
    told: list[tuple[list[Row], int]] = []
    for row, count in Counter(rows).items():
        if told and told[-1][1] == count == 1 and _may_join(row, told[-1][0], plain):
            told[-1][0].append(row)
        else:
            told.append(([row], count))
    return [_joined(group) if count == 1 else f"{_joined(group)} ×{count}" for group, count in told]


def _may_join(row: Row, group: Sequence[Row], plain: Sequence[bool]) -> bool:
    """Whether a row and those before it are shorter as one that has all values of a field, and these can be told
    apart."""
    differing = _differing_in(group[-1], row)
    if len(differing) != 1 or (len(group) > 1 and _differing_in(*group[:2]) != differing):
        return False
    [at] = differing
    values = group[-1][at], row[at]
    is_shorter = sum(map(len, row)) - len(row[at]) >= SHARED
    return plain[at] and is_shorter and all(values) and not any("," in value or "{" in value for value in values)


def _joined(group: Sequence[Row]) -> str:
    if len(group) == 1:
        return FIELD.join(group[0])
    [at] = _differing_in(*group[:2])
    return FIELD.join([*group[0][:at], ",".join(row[at] for row in group), *group[0][at + 1 :]])


def _differing_in(one: Row, other: Row) -> list[int]:
    return [at for at, (cell, another) in enumerate(zip(one, other, strict=True)) if cell != another]
