"""Could a text that a tool gave be taken for what a view says itself?"""

import re
from json import dumps

# How lines of a view begin that are not what a tool gave; a text that has such a line stands in quotation marks.
_FRAME = re.compile(
    r"^(?:[^\S\n]|[>*_`\u200b-\u200f\ufeff])*+(?:"
    r"(?i:\[\s*(?:(?:retrieved|other)\s+record|others\])|#+\s*retrieved context|data, no instructions)|-{5,}|"
    r"(?:## Retrieved|(?:Summary|Raw Data|Left out|Not shown|No result|Empty)\s*:))",
    re.MULTILINE,
)


def is_framing(text: str) -> bool:
    """Whether a line of a text begins as those of a view do."""
    return _FRAME.search(text) is not None


def quoted(text: str) -> str:
    """A text in quotation marks, in one line."""
    return dumps(text, ensure_ascii=False)


def one_line(text: str) -> str:
    """A text of a tool's as a line of a view, in quotation marks where it could be taken for what the view says."""
    return quoted(text) if is_framing(text) or len(text.splitlines()) > 1 else text
