"""Quotations, code and what is to be worked on, taken out of a message: what the user says in own words is left."""

import re

LEFT_OUT = "\ufffc"  # stands for a quotation, so that no sentence is read as if it had none
LONGEST_QUOTED = 3  # words in quotation marks that may be a name or a nickname

_FENCE = re.compile(r"`{3,}|^[^\S\n]*~{3,}", re.MULTILINE)
_QUOTED_LINE = re.compile(r"^ ?>.*$", re.MULTILINE)
_QUOTATION = re.compile(r"(?<![^\s(\[{:,;.–—-])\"([^\"]*)\"|[“„]([^“”„]*)[”“]|«([^«»]*)»")
_SPOKEN = re.compile(r"\s*(?:i|my|we|our)\b", re.IGNORECASE)
_BLANKS = re.compile(r"[^\S\n]+")
_BLANK_LINES = re.compile(r" ?\n\s*")
_MARKS = re.compile(r"^ ?(?:(?:[-*+•–]|#{1,6}|\d{1,2}[.)]) )+|\*\*|__", re.MULTILINE)
_LEAD = (
    r"^(?:(?:hi|hello|hey|ok|okay|so|now|and|then|please|kindly|can you|could you|would you|will you|let['’]s|help me|"
    r"i (?:want|need) you to|i['’]d like you to|i would like you to|just)\b[ ,!.\n]*)*"
)
_WORK_ON = re.compile(
    _LEAD + r"(?:(?:re)?write(?! (?:(?:this|that|it) )?down)|translate|summari[sz]e|proof-?read|correct|fix|explain|"
    r"continue|paraphrase|rephrase|reword|edit|improve|shorten|polish|revise|simplify|draft|compose|complete|analy[sz]e)"
    r"(?=:| ?\n| [^\W_]| [\"“'«(\ufffc])",
    re.IGNORECASE,
)
_WHAT_FOLLOWS = re.compile(r"[:\n]")


def own_words(message: str) -> str:
    """What the user says in a message, blanks collapsed and bullets taken off, lines kept: without code in fences,
    quoted lines, longer quotations, and a text that the user asks to have worked on."""
    text = _BLANKS.sub(" ", _without_code(message))
    text = _QUOTED_LINE.sub("", text)
    text = _BLANK_LINES.sub("\n", _QUOTATION.sub(_left_out, text)).strip()
    return _MARKS.sub("", _without_material(text))


def _without_code(text: str) -> str:
    """`text` without what stands between fences; one that is never closed goes on to the end, as in Markdown."""
    kept: list[str] = []
    opened, at = "", 0
    for found in _FENCE.finditer(text):
        fence = found[0].strip()
        if not opened:
            kept.append(text[at : found.start()])
            opened = fence
        elif fence.startswith(opened):
            opened, at = "", found.end()
    return "\n".join(kept if opened else [*kept, text[at:]])


def _left_out(found: re.Match[str]) -> str:
    quoted = next(part for part in found.groups() if part is not None)
    spoken = len(quoted.split()) > LONGEST_QUOTED or _SPOKEN.match(quoted)
    return LEFT_OUT if spoken else str(quoted)


def _without_material(text: str) -> str:
    """`text` without the sentence that asks to work on a text, and without that text."""
    if not _WORK_ON.match(text):
        return text
    if _WHAT_FOLLOWS.search(text):
        return ""
    end = re.search(r"[.!?] ", text)
    return text[end.end() :] if end else ""
