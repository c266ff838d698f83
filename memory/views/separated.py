"""Is a text a table whose fields stand between commas, semicolons or tabs, and what do its rows hold?"""

import csv
import re
from collections.abc import Mapping, Sequence

from memory.views.json_values import Scalar

SEPARATORS = (",", ";", "\t", "|")
FEWEST_FIELDS = 3
FEWEST_LINES = 4  # two sentences may have as many commas
MOSTLY = 0.9  # share of the lines that have as many fields as the first one

_NUMBER = re.compile(r"[-+]?\d{1,18}(?:\.\d{1,18})?")
_NAME = re.compile(r"(?=.*[^\W\d_]).{1,40}")  # of a column


def rows_of(lines: Sequence[str]) -> list[Mapping[str, Scalar]] | None:
    """For each line below the first one, its fields by the names that the first one has, numbers as such; None where
    the text is no table. O(characters)."""
    if len(lines) < FEWEST_LINES:
        return None
    for separator in SEPARATORS:
        if lines[0].count(separator) + 1 >= FEWEST_FIELDS:
            try:
                cells = list(csv.reader(lines, delimiter=separator))
            except csv.Error:  # of a field that is too long
                continue
            names = [cell.strip() for cell in cells[0]]
            like = sum(len(row) == len(names) for row in cells)
            is_table = len(cells) == len(lines) and len(set(names)) == len(names) and all(map(_NAME.fullmatch, names))
            if is_table and like >= MOSTLY * len(cells):
                return [dict(zip(names, map(_value, row), strict=False)) for row in cells[1:]]
    return None


def _value(cell: str) -> Scalar:
    text = cell.strip()
    if not _NUMBER.fullmatch(text):
        return text
    return float(text) if "." in text else int(text)
