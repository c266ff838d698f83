"""Quotes of a text that is gone, in answers by rules, and what is left of these without them. Pure functions.

Rules tell texts in two forms: between quotation marks, with a number behind them or none, and as the lines of a
summary, "- …", "- Ann: …", "- Q: … A: …". Both may be cut, and an answer may quote another.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from utils.sentences import split_sentences
from utils.text import cut_at_word
from utils.vectors import batches

QUOTED = 100  # characters of a sentence by which a quotation of it is known
SHORTEST_CUT = 110  # characters to which rules cut what they tell, or more
PATTERN = 16_000  # bytes of a pattern, of which MongoDB takes 16,384

_BEFORE = r"(?:“|- |: )"
_REST = r"[^\n]*?(?=” \[\d+\]|”?(?:\n|$))"  # to the end of the quotation, or else of the line


@dataclass(frozen=True)
class Told:
    """What is to be in no answer by rules any more: `texts`, whole or their sentences, and `lines` of a model's."""

    texts: tuple[str, ...]
    lines: frozenset[str] = frozenset()

    def but_for(self, text: str) -> "Told":
        """Without the sentences that a text says."""
        stays = set(split_sentences(text))
        gone = (part for one in self.texts for part in split_sentences(one) if part not in stays)
        return Told(tuple(gone), self.lines)

    def patterns(self) -> list[str]:
        """Patterns, each of a length that MongoDB takes, that find the answers that tell it."""
        lines = [re.escape(line[:QUOTED]) for line in self.lines]
        return [*_patterns_of(self.texts), *_together(r"(?:^|\n)", lines)]

    def taken_out_of(self, answer: str) -> str:
        """An answer by rules with "…" in the place of what it quotes of the texts, and of each of the lines."""
        for text in _stripped(self.texts):
            answer = answer.replace(f"“{text}”", "“…”")
        for pattern in _patterns_of(self.texts):
            answer = re.sub(rf"({_BEFORE}){pattern.removeprefix(_BEFORE)}{_REST}", r"\1…", answer)
        return "\n".join("- …" if line in self.lines else line for line in answer.split("\n"))


def patterns_of_values(values: Collection[str]) -> list[str]:
    """Patterns, each of a length that MongoDB takes, that find values as an answer tells them, in any case; of a long
    one, its beginning."""
    return _together(r"(?i)(?<!\w)", [re.escape(value[:QUOTED]) for value in values])


def lines_of(text: str) -> set[str]:
    """The lines of a text that say something."""
    return {line for line in text.splitlines() if line.strip()}


def _patterns_of(texts: Collection[str]) -> list[str]:
    """Patterns that find quotations of texts and of any sentence of them."""
    whole = [_beginning(text, text[:QUOTED]) for text in _stripped(texts)]
    sentences = [" ".join(part.split()) for text in texts for part in split_sentences(text)]
    return _together(_BEFORE, [*whole, *(_beginning(sentence, _uncut(sentence)) for sentence in sentences)])


def _stripped(texts: Collection[str]) -> list[str]:
    return [text for text in map(str.strip, texts) if text]


def _uncut(sentence: str) -> str:
    """What stands of a sentence wherever it is told."""
    if len(sentence) <= QUOTED:
        return sentence
    return min(sentence[:QUOTED].rstrip(), cut_at_word(sentence, SHORTEST_CUT).removesuffix("…"), key=len)


def _beginning(text: str, known: str) -> str:
    """A pattern for what is `known` of a text; of a whole one that ends in a word, not where the word goes on."""
    return re.escape(known) + (r"(?!\w)" if known == text and re.search(r"\w$", text) else "")


def _together(before: str, known: Sequence[str]) -> list[str]:
    each = list(dict.fromkeys(known))
    found = batches([len(one.encode()) + 1 for one in each], most=len(each), bound=PATTERN)
    return [f"{before}(?:{'|'.join(each[some])})" for some in found]
