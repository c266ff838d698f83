"""Which part of a long message is shown where it is found?"""

from agents.tools.record_part import part_of
from memory.views import excerpt, talk_of
from utils.text import GAP


def passage(text: str, query: str, characters: int) -> str:
    """The whole of a short text; of a longer one the lines or sentences that a question speaks of, at most so many
    characters, or what stands around its words where these are longer; `…` where something is left out."""
    if len(text) <= characters:
        return text
    talk = talk_of([query], [query])
    shown = excerpt(text, talk, characters)
    if talk.words_of(shown) or not talk.words_of(text):
        return shown
    part = part_of(text, offset=0, limit=characters - 2 * len(GAP), query=query)
    if part is None:
        return shown
    before, after = GAP if part.begin else "", GAP if part.end < part.all else ""
    return f"{before}{part.text}{after}"
