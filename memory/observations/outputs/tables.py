"""What do the tables in an output say? Each row under the names of its columns; a row without names says nothing."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memory.views import rows_of
from utils.text import GAP, cut_at_word

FEWEST_COLUMNS = 3  # of a table with no line below its names; one that has it may have two
LONGEST = 400  # characters that are told of a row

_RULE = re.compile(r"^(?=.*(?:--|──|==))[\s|+:=\-│┼─├┤┌┬┐└┴┘]+$")
_RECORD = re.compile(r"-\[ RECORD \d+ \]")
_BAR = re.compile(r"[|│]")
_WIDE = re.compile(r" {2,}|\t")
_NAME = re.compile(r"(?!.*: )(?=.*(?:[^\W\d_]|%))[^.!?;=]{1,40}(?<![.,;:])")  # of a column
_NAME_OR_FILE = re.compile(rf"{_NAME.pattern}|[\w./\\-]{{1,80}}\.\w{{1,5}}")
_PART_OF_RULE = re.compile(r"[-─=]+")
_MARK = re.compile(r"^[●○×✖✔•] (?=\S)")
_TREE = re.compile(r"^[│├└─]+ ?(?=\S)")  # what draws a tree before a cell


@dataclass(frozen=True)
class Table:
    """Which lines a table takes, and what is told of its rows."""

    begin: int
    end: int
    rows: tuple[str, ...]


def tables_in(lines: Sequence[str]) -> Iterator[Table]:
    """The tables among lines, in order. Lines of nothing but a gap may stand between their rows."""
    at = 0
    while at < len(lines):
        table = _record(lines, at) or _ruled(lines, at) or _spaced(lines, at) or _separated(lines, at)
        if table is not None:
            yield table
        at = table.end if table is not None else at + 1


def _record(lines: Sequence[str], at: int) -> Table | None:
    """A row whose names stand before its cells, as psql shows wide ones."""
    if not _RECORD.match(lines[at]):
        return None
    end = at + 1
    while end < len(lines) and len(_cells(lines[end])) == 2:
        end += 1
    names, cells = zip(*map(_cells, lines[at + 1 : end]), strict=True) if end > at + 1 else (("",), ("",))
    return Table(at, end, _told(names, [cells]))


def _ruled(lines: Sequence[str], at: int) -> Table | None:
    """A table that has bars between its cells; names stand first, or below a line."""
    if len(cells := _cells(lines[at])) < 2 or _RULE.match(lines[at]):
        return None
    end, rows, parts = at + 1, [], [[cells]]
    is_ruled = end < len(lines) and _RULE.match(lines[end]) is not None
    if not is_ruled and not lines[at].lstrip().startswith("|"):
        return None
    while end < len(lines) and (_is_gap(lines[end]) or _RULE.match(lines[end]) or _BAR.search(lines[end])):
        if _RULE.match(lines[end]):
            parts.append([])
        elif not _is_gap(lines[end]) and len(row := _cells(lines[end])) == len(cells):
            rows.append(row)
            parts[-1].append(row)
        end += 1
    head, *body = parts
    if len(head) > 1 and body and all(len(part) == len(head) for part in filter(None, body)):
        cells, *rows = (_joined(part) for part in parts if part)
    return Table(at, end, _told(cells, rows))


def _joined(part: Sequence[Sequence[str]]) -> list[str]:
    """One row of several lines, as `nvidia-smi` shows them below a head of as many."""
    return [" ".join(filter(None, cell)) for cell in zip(*part, strict=True)]


def _cells(line: str) -> list[str]:
    bare = line.strip()
    bare = bare[1:] if bare[:1] in ("|", "│") else bare
    bare = bare[:-1] if bare[-1:] in ("|", "│") and line.strip()[:1] in ("|", "│") else bare
    return [cell.strip() for cell in _BAR.split(bare)]


def _spaced(lines: Sequence[str], at: int) -> Table | None:
    """A table whose cells stand below each other, with two blanks or more between some of the names. Of one with two
    names alike nothing is told."""
    names = _WIDE.split(lines[at].strip())
    end = at + 1
    is_ruled = end < len(lines) and _RULE.match(lines[end]) is not None
    may_name = _NAME_OR_FILE if is_ruled else _NAME
    if len(names) < (2 if is_ruled else FEWEST_COLUMNS) or not all(map(may_name.fullmatch, names)):
        return None
    rows: list[str] = []
    while end < len(lines) and lines[end].strip():
        if not _is_gap(lines[end]) and not _RULE.match(lines[end]):
            if _WIDE.search(lines[end].strip()) is None:
                break
            rows.append(lines[end])
        end += 1
    if not rows:
        return None
    rule = lines[at + 1] if is_ruled else ""
    head, *told = _aligned([_unmarked(line.expandtabs()) for line in [lines[at], *rows]], rule)
    is_table = len(set(head)) == len(head) and all(map(may_name.fullmatch, filter(None, head)))
    return Table(at, end, _told(head, told) if is_table else ())


def _unmarked(line: str) -> str:
    """A row without the mark before it, which has no name above it: "● nginx.service"."""
    mark = _MARK.match(line)
    return line if mark is None else " " * mark.end() + line[mark.end() :]


def _aligned(block: Sequence[str], rule: str) -> list[list[str]]:
    """The cells of lines that stand below each other, as the rule below the names shows their columns; where one is
    wider than its column, what stands between wide gaps, or the words of each line, of which the last column may have
    several."""
    if (spans := _ruled_columns(rule, block) or _columns(block)) is not None:
        return [[line[begin:until].strip() for begin, until in spans] for line in block]
    wide = [_WIDE.split(line.strip()) for line in block]
    if len({len(cells) for cells in wide}) == 1:
        return wide
    head = block[0].split()
    return [head, *(cells for line in block[1:] if len(cells := line.split(None, len(head) - 1)) == len(head))]


def _ruled_columns(rule: str, block: Sequence[str]) -> list[tuple[int, int]] | None:
    """Where the columns of a table begin and end, of whose rule each has a part; None where cells are wider."""
    begins = [part.start() for part in _PART_OF_RULE.finditer(rule)]
    if len(begins) < 2 or any(line[at - 1 : at].strip() for at in begins[1:] for line in block):
        return None
    return list(zip([0, *begins[1:]], [*begins[1:], max(map(len, block))], strict=True))


def _columns(block: Sequence[str]) -> list[tuple[int, int]] | None:
    """Where the columns of a table begin and end: its names, each with what stands below it; None where cells of two
    columns cannot be told apart. What has no name above it, or nothing below it, belongs to what is on its left."""
    width = max(map(len, block))
    filled = [any(line[at : at + 1].strip() for line in block) for at in range(width)]
    spans: list[tuple[int, int]] = []
    begin = 0
    for at in range(1, width + 1):
        if at < width and not (filled[at] and not filled[at - 1]):
            continue
        named = bool(block[0][begin:at].strip())
        has_rows = any(line[begin:at].strip() for line in block[1:])
        if spans and not (named and has_rows):
            spans[-1] = (spans[-1][0], at)
        else:
            spans.append((begin, at))
        begin = at
    apart = all(_WIDE.search(block[0][begin:until].strip()) is None for begin, until in spans)
    return spans if apart and len(spans) > 1 else None


def _separated(lines: Sequence[str], at: int) -> Table | None:
    """A table whose cells stand between commas, semicolons or tabs."""
    if at and lines[at - 1].strip():
        return None
    end = at
    while end < len(lines) and lines[end].strip():
        end += 1
    rows = rows_of([line for line in lines[at:end] if not _is_gap(line)])
    if rows is None or not any(isinstance(value, int | float) for row in rows for value in row.values()):
        return None
    names = list(rows[0])
    if not all(map(_NAME.fullmatch, names)):
        return None
    return Table(at, end, _told(names, [[str(row.get(name, "")) for name in names] for row in rows]))


def _told(names: Sequence[str], rows: Sequence[Sequence[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for row in rows if (text := _row(names, row))))


def _row(names: Sequence[str], cells: Sequence[str]) -> str:
    """A row on a line; what stands first without a name is the row's own."""
    said = [(name, _TREE.sub("", cell)) for name, cell in zip(names, cells, strict=False) if name and cell]
    if not names[0] and cells[0] and said:
        return cut_at_word(f"{cells[0].rstrip(':')}: {', '.join(f'{name} {cell}' for name, cell in said)}", LONGEST)
    return cut_at_word("; ".join(f"{name}: {cell}" for name, cell in said), LONGEST) if len(said) > 1 else ""


def _is_gap(line: str) -> bool:
    return line.strip() == GAP
