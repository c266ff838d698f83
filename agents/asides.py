"""Asides: what fronts and coding agents put into a user's message besides the user's words, by `config/asides.toml`."""

import re
import tomllib
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import config

TABLE = Path(config.__file__).parent / "asides.toml"
_OPENED = re.compile(r"\s*<([a-z][\w-]*)(?:\s[^<>]*)?>")
_TAG = re.compile(r"<(/)?([a-z][\w-]*)(?:\s[^<>]*)?(?<!/)>")


@dataclass(frozen=True)
class Aside:
    """One kind: an `element`, or a text that `begins` so and `holds` this, up to its last `ends`; a text `behind` the
    user's words; or, `around` them, an element that goes without its content. An element's name may end in `*`.
    `pairs`: what the user's words have in pairs, if at all, behind its `ends`. `complaint`: of a loop that checks
    answers, to be answered in the place of the answer before it."""

    front: str
    what: str
    seen: str
    element: str = ""
    begins: str = ""
    holds: str = ""
    ends: str = ""
    pairs: str = ""
    around: str = ""
    behind: str = ""
    complaint: bool = False

    def end_in(self, text: str) -> int | None:
        """Where the aside ends that a text begins with; None where it begins with none of this kind."""
        if not self.begins or not text.startswith(self.begins) or self.holds not in text:
            return None
        if not self.ends:
            return len(text)
        last = end = text.rfind(self.ends)
        behind, number = len(text), 0
        while self.pairs and end >= 0:
            number += text.count(self.pairs, end + len(self.ends) - 1, behind)
            if number % 2 == 0:
                break
            behind, end = end + len(self.ends) - 1, text.rfind(self.ends, 0, end)
        end = last if end < 0 else end
        return None if end < 0 else end + len(self.ends)


@cache
def asides() -> tuple[Aside, ...]:
    return tuple(Aside(**row) for row in tomllib.loads(TABLE.read_text(encoding="utf-8"))["aside"])


@cache
def _beginnings() -> tuple[str, ...]:
    return tuple(aside.begins for aside in asides() if aside.begins)


def is_complaint(text: str) -> bool:
    """Whether a text is the complaint of a loop that checks answers."""
    return any(aside.complaint and aside.end_in(text) is not None for aside in asides())


def without_asides(text: str) -> str:
    """A text without the asides that it begins or ends with; as it came where there are none."""
    for aside in asides():
        if aside.behind and text.endswith(aside.behind):
            text = text.removesuffix(aside.behind).strip()
    words = text.lstrip()
    if words.startswith(_beginnings()):
        end = next((end for aside in asides() if (end := aside.end_in(words)) is not None), None)
        text = text if end is None else words[end:].strip()
    at, inner = 0, []
    closed: dict[int, int] | None = None
    while (opened := _OPENED.match(text, at)) is not None and (kept := _kept(opened[1])) is not None:
        closed = _closed(text) if closed is None else closed
        closing = f"</{opened[1]}>"
        close = closed.get(opened.end()) or text.find(closing, opened.end())
        if close < 0:
            break
        inner += [text[opened.end() : close].strip()] * kept
        at = close + len(closing)
    return "\n".join(filter(None, [*inner, text[at:].strip()])) if at else text


def _closed(text: str) -> dict[int, int]:
    """Where the content of elements ends, by where it begins. Others of the same name may stand in it."""
    begun, closed = defaultdict[str, list[int]](list), dict[int, int]()
    for tag in _TAG.finditer(text):
        if not tag[1]:
            begun[tag[2]].append(tag.end())
        elif begun[tag[2]]:
            closed[begun[tag[2]].pop()] = tag.start()
    return closed


def _kept(element: str) -> bool | None:
    """Whether what stands in an element is the user's; None where the element is no aside."""
    for aside in asides():
        name = aside.element
        if name == element or (name.endswith("*") and element.startswith(name[:-1]) and element != name[:-1]):
            return False
        if aside.around == element:
            return True
    return None
