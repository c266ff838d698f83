"""Quotations and code, taken out of a message: what is left, the user says."""

import re

LEFT_OUT = "\ufffc"  # stands for a quotation, so that no sentence is read as if it had none
LONGEST_QUOTED = 3  # words in quotation marks that may be a name or a nickname

_FENCE = re.compile(r"`{3,}|^[^\S\n]*~{3,}", re.MULTILINE)
_QUOTED_LINE = re.compile(r"^ ?>.*$", re.MULTILINE)
_QUOTATION = re.compile(
    r"(?<![^\s(\[{:,;.–—-])\"([^\"]*)\"|[“„]([^“”„]*)[”“]|«([^«»]*)»"
    r"|(?<=[:,] )['‘](\S(?:[^\n'’‘]|['’](?=\w)){0,400})['’](?!\w)"
)
_SPOKEN = re.compile(r"\s*(?:i|my|we|our)\b", re.IGNORECASE)
_BLANKS = re.compile(r"[^\S\n]+")
_BLANK_LINES = re.compile(r" ?\n\s*")
_MARKS = re.compile(r"^ ?(?:(?:[-*+•–]|#{1,6}|\d{1,2}[.)]) )+|\*\*|__", re.MULTILINE)
_SUBJECT = r"(?:Subject|Betreff|Objet|Asunto|Oggetto|Assunto|Onderwerp)"
_HEADER = rf"(?:{_SUBJECT}|From|To|Cc|Date|Sent|Von|An|Datum|Gesendet|De|À|Envoyé|Para|Enviado|Da|Van|Aan) ?:"
# Two lines of the header of a mail (RFC 5322, and as clients paste it), one of which has its subject or an address.
_MAIL = re.compile(rf"^(?=(?:{_HEADER}.*\n){{0,3}}(?:{_SUBJECT} ?:|{_HEADER}.*@))(?:{_HEADER}.*\n){{2}}", re.MULTILINE)


def own_words(message: str) -> str:
    """What the user says in a message, blanks collapsed and bullets taken off, lines kept: without code in fences,
    quoted lines, longer quotations, and what follows the header of a mail."""
    text = _MAIL.split(_BLANKS.sub(" ", _without_code(message)), maxsplit=1)[0]
    text = _QUOTED_LINE.sub("", text)
    text = _BLANK_LINES.sub("\n", _QUOTATION.sub(_left_out, text)).strip()
    return _MARKS.sub("", text)


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
