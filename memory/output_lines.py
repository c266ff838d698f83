"""Which lines of a step's output can be read? Those of prose, logs, error messages and tables, without what decorates
them; of JSON, what it tells; of HTML, its text."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memory.output_json import errors_of_cut_json, errors_of_json, told_by_json
from utils.pages import read_page
from utils.text import uncoloured

NO_PROSE = ("{", "}", "[", "]", "<", "$ ", "at ", 'File "')  # how lines begin of code, JSON and stack traces

_STAMP = re.compile(
    r"^\[?(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\]?\s+"
    r"(?:\[?(?:INFO|DEBUG|NOTICE)\]?:?\s+)?"
)
_RULE = re.compile(r"^[\s=\-_*~#+|:─━═│┃]{3,}$")
_AROUND = re.compile(r"^[=\-_*~#─━═]{3,}\s*|(?<=\s)[=\-_*~#─━═]{3,}$")
_BAR = re.compile(r"[█▓▒░▏▎▍▌▋▊▉━]{2,}|\[=*>? *\] *\d")
_PYTEST = re.compile(r"^E\s{2,}(?=\S)")


@dataclass(frozen=True)
class Line:
    """`is_code`: it stands in a fence of Markdown, or in a stack trace. `is_finding`: JSON tells it, as it stands."""

    text: str
    is_code: bool = False
    is_finding: bool = False


def lines_of(output: str) -> Iterator[Line]:
    """The lines of an output, in order, none of them blank."""
    if (told := told_by_json(output)) is not None:
        yield from (Line(text, is_finding=True) for text in told)
        return
    if output.lstrip().startswith(("{", "[")):
        yield from (Line(text, is_finding=True) for text in errors_of_cut_json(output))
    in_code = in_trace = False
    head: list[str] = []  # the cells of a table's first row
    for raw in read_page(output).splitlines():
        line = uncoloured(raw)
        if line.lstrip().startswith("```"):
            in_code = not in_code
            continue
        bare = line.strip()
        if not bare:
            continue
        in_trace = bare.startswith("Traceback (") or (in_trace and line[:1].isspace())
        if in_trace:
            continue
        if bare.startswith("|"):
            cells = [cell.strip() for cell in bare.strip("|").split("|")]
            if head and not _RULE.match(bare):
                yield Line(
                    "; ".join(f"{name}: {cell}" for name, cell in zip(head, cells, strict=False) if name and cell)
                )
            head = head or cells
            continue
        head = []
        if bare.startswith("{"):
            yield from (Line(text, is_finding=True) for text in errors_of_json(bare))
        if not _RULE.match(bare) and not _BAR.search(bare) and not bare.startswith(NO_PROSE):
            yield Line(_PYTEST.sub("", _STAMP.sub("", _AROUND.sub("", line.rstrip()).rstrip())), in_code)
