"""Whose words a sentence is, by what is said before it: who speaks, or what the text is that is to be worked on.

"Anna: I live in Paris." tells nothing of the user, nor does what follows "Please answer this mail". Whether a label
names who speaks, and whether a text follows that is not what the user tells, the encoder decides.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from fitted import FITTED
from memory.facts.rules.replacing import border_in
from memory.language import EVEN, doing
from utils.sentences import split_sentences
from utils.text import ends_with_question_mark
from utils.vectors import Floats

BORDERS = FITTED / "leads.npy"  # (2, 385) float32: before another's text, and of a speaker; each with an offset
# How likely a lead is before another's text: on a line of its own; on the same line a task, or else, or abroad.
LIKELY, OF_TASK, SURELY, ABROAD = 0.5, 0.7, 0.8, 0.65
LONGEST = 200  # characters of a lead
MOST = 20  # leads of a message

_LABEL = re.compile(r"[\W\d]*(?:[ap]m\W+)?(?P<label>[^\W\d_][\w.'’-]*(?: [\w.'’-]+){0,2}) ?:(?= |$)")
_UP_TO_COLON = re.compile(r"[^:：]+(?:：|:(?=\s))")


class Said(NamedTuple):
    """A sentence, and what is said before it. `label`: of who speaks, or of what it is. `above`, `before`: leads on
    other lines, and on its own."""

    sentence: str
    label: str = ""
    above: tuple[str, ...] = ()
    before: tuple[str, ...] = ()

    def is_own(self, vectors: Mapping[str, Floats], *, whoever: bool = False, foreign: bool = False) -> bool:
        """Whether it is what the user tells; `whoever`: though another is named as who speaks. `vectors`: of the
        `leads_of` it, by the local encoder. `foreign`: it is in another language than English."""
        of_another, of_speaker = border_in(BORDERS)
        surely = ABROAD if foreign else SURELY
        return not (
            (self.label and not whoever and _likely(vectors[self.label], of_speaker) >= LIKELY)
            or any(_likely(vectors[lead], of_another) >= LIKELY for lead in self.above)
            or any(_likely(vectors[lead], of_another) >= surely for lead in self.before)
            or any(_is_task(vectors[bare], bare, of_another) for bare in map(_bare, self.before))
        )

    @property
    def named(self) -> tuple[str, ...]:
        """Who is named as who speaks, and what leads it in on its own line."""
        return self.label, *(lead for lead in self.before if lead.endswith((":", "：")))

    @property
    def leads(self) -> tuple[str, ...]:
        """All by which is told whose words it is."""
        return *filter(None, (self.label,)), *self.above, *self.before, *map(_bare, self.before)


def said_in(text: str) -> Iterator[Said]:
    """The sentences of a text, each with what is said before it."""
    label, above = "", list[str]()
    for line in text.split("\n"):
        before = list[str]()
        if labelled := _LABEL.match(line):
            label = labelled["label"]
        sentences = split_sentences(line)
        for sentence in sentences:
            if lead := _lead(sentence):
                before.append(lead)
            yield Said(sentence, label, tuple(above[-MOST:]), tuple(before[-MOST:]))
            if len(sentence) <= LONGEST and not ends_with_question_mark(sentence):
                before.append(sentence)
        above += [sentence for sentence in sentences[-1:] if len(sentence) <= LONGEST]


def has_lead(sentence: str) -> bool:
    """Whether a sentence is led in with a colon."""
    return bool(_lead(sentence))


def _lead(sentence: str) -> str:
    """What stands up to a colon, with it; empty where there is none."""
    found = _UP_TO_COLON.match(sentence)
    return found[0] if found and len(found[0]) <= LONGEST else ""


def leads_of(said: Iterable[Said]) -> set[str]:
    """The texts by which is told whose words some sentences are."""
    return {lead for one in said for lead in one.leads}


def _bare(lead: str) -> str:
    return lead.rstrip(" :：")


def _is_task(vector: Floats, lead: str, of_another: Floats) -> bool:
    """Whether a lead bids to do something with what follows, as a translation."""
    return _likely(vector, of_another) >= OF_TASK and doing(vector, lead).requests >= EVEN


def _likely(vector: Floats, border: Floats) -> float:
    return float(1 / (1 + np.exp(-(vector @ border[:-1] + border[-1]))))
