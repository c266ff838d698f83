"""Thoughts that reasoning models write into their answers: `<think>…</think>`, whole texts and streams.

A thought that never ends takes all that follows, where it begins a line; in the middle of one its mark is something
said. Where only an end stands, all before it is thought: the model's template began it.
"""

import re

_BEGINS = re.compile(r"<(?:think(?:ing)?|thought)>", re.IGNORECASE)
_ENDS = re.compile(r"</(?:think(?:ing)?|thought)>", re.IGNORECASE)
_LONGEST_MARK = len("</thinking>")


def without_thoughts(text: str) -> str:
    """A text without its thoughts; as it stands where it has none."""
    begins, ends = _BEGINS.search(text), _ENDS.search(text)
    if begins is None and ends is None:
        return text
    if ends is not None and (begins is None or ends.start() < begins.start()):
        text = text[ends.end() :]
    stream = SpokenStream()
    said = stream.read(text) + stream.rest()
    return said if said == text else said.strip()


class SpokenStream:
    """What is said of a text that comes in pieces. What may be part of a thought is held back until that is known."""

    def __init__(self) -> None:
        self._held = ""
        self._looked = 0  # characters of it in which no thought ends
        self._thinking = False  # what is held begins with a thought
        self._begins_line = True  # nothing but blanks has been said in the line
        self._trims = False  # blanks that follow are dropped, as behind a thought that began a line

    def read(self, piece: str) -> str:
        """What is said by now and was not given yet."""
        self._held += piece
        said: list[str] = []
        while self._held:
            if self._thinking:
                if (ends := _ENDS.search(self._held, self._looked)) is None:
                    if self._begins_line:  # nothing of it is ever said
                        self._held = self._held[-_LONGEST_MARK:]
                    self._looked = max(0, len(self._held) - _LONGEST_MARK)
                    break
                self._held, self._thinking = self._held[ends.end() :], False
                self._trims = self._begins_line
            begins = _BEGINS.search(self._held)
            sure = begins.start() if begins is not None else self._held.rfind("<", -_LONGEST_MARK)
            sure = len(self._held) if sure < 0 else sure
            said.append(self._say(self._held[:sure]))
            self._held, self._looked, self._thinking = self._held[sure:], 0, begins is not None
            if begins is None:
                break
        return "".join(said)

    def rest(self) -> str:
        """What is said of what was held back, at the end of the text."""
        held, self._held = self._held, ""
        return "" if self._thinking and self._begins_line else self._say(held)

    def _say(self, text: str) -> str:
        text = text.lstrip() if self._trims else text
        if text:
            self._trims = False
            before, _, line = text.rpartition("\n")
            self._begins_line = not line.strip() and (self._begins_line or len(before) < len(text) - len(line))
        return text
