"""What a text does, in any language: asks, gives a task, tells, corrects, chats, asks to forget or to sum up.

The encoder puts texts that do the same near to each other in all languages that it knows; `python -m bench.fit_acts`
fits the borders between them on written examples.
"""

from dataclasses import dataclass
from functools import cache
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from fitted import FITTED
from utils.text import ends_with_full_stop, ends_with_question_mark
from utils.vectors import Floats

Deed = Literal["asks", "requests", "states", "corrects", "chats", "forgets", "summarises"]
Act = Literal[Deed, "recalls", "places", "looks", "changes", "whole", "home", "work", "others", "supposes"]
Asked = Literal["asks", "forgets", "summarises"]
DEEDS: tuple[Deed, ...] = get_args(Deed)
ACTS: tuple[Act, ...] = get_args(Act)

# (acts, 384 + 3 + 1) float32: weights of the embedding, of the mark at the end, an offset
BORDERS = FITTED / "acts.npy"
MARK = 0.5  # how much a mark counts beside an embedding of length 1
LONGEST = 200  # characters of a text that only asks
# How likely what is asked is to be, of a text that ends without a mark and of one that ends with it.
LIKELY: dict[Asked, tuple[float, float]] = {"asks": (0.5, 0.8), "forgets": (0.5, 0.8), "summarises": (0.55, 0.8)}
SURE = (0.75, 0.9)
EVEN = 0.5
SUPPOSING = 0.8  # from which on a text tells what would be: of what is so, hardly any reaches 0.65
MARKED = 0.6  # how likely a text with a question mark asks at least; what tells all the more is told all the same
NARROW = 0.6  # how likely a summary or a deletion is wanted of a text that asks


@dataclass(frozen=True)
class Doing:
    """How likely a text does what, each in 0..1.

    `asks`: for what the user told, or anything else. `requests`: a task of a language model. `states`: it tells
    something; `corrects`: and says that something was wrong. `chats`: a courtesy, by which nothing could be found.
    `forgets`: asks to delete something. `summarises`: asks for a summary; `whole`: of all that was said, and not of
    something. `recalls`: asks what was said. `places`: asks what is near, or the way. `looks`: asks what an image
    shows. `changes`: tells that something is otherwise from now on. `home`, `work`: it is about where
    somebody lives, or works. `others`: it is about somebody else than the user. `supposes`: it tells what would be, or
    is wished for, and not what is so.
    """

    asks: float
    requests: float
    states: float
    corrects: float
    chats: float
    forgets: float
    summarises: float
    recalls: float
    places: float
    looks: float
    changes: float
    whole: float
    home: float
    work: float
    others: float
    supposes: float

    @property
    def deed(self) -> Deed:
        """What a text most likely does. One that asks for a summary, or to forget, asks, too."""
        narrow = max(("summarises", self.summarises), ("forgets", self.forgets), key=lambda one: one[1])
        if narrow[1] >= NARROW and self.asks >= max(self.states, self.chats):
            return "summarises" if narrow[0] == "summarises" else "forgets"
        return max(DEEDS, key=lambda deed: getattr(self, deed))

    @property
    def wants(self) -> bool:
        """Whether a text rather wants something of whoever reads it than tells something."""
        return max(self.asks, self.forgets, self.summarises, self.requests) > max(self.states, self.chats)

    @property
    def asks_alone(self) -> bool:
        """Whether a text asks for an answer, a summary or a deletion, and gives no task of another kind."""
        return self.deed in ("asks", "forgets", "summarises")

    @property
    def supposing(self) -> bool:
        """Whether a text tells what would be, or is wished for, so that it says nothing of what is so."""
        return self.supposes >= SUPPOSING

    @property
    def tells(self) -> bool:
        """Whether a text tells something, though it may ask, too."""
        return self.states >= EVEN or self.deed in ("states", "corrects")


def asked_by(text: str, does: Doing, *, surely: bool = False) -> Asked | None:
    """What a text asks for, where it is likely enough; `surely`: so that it tells nothing."""
    best: Asked = max(LIKELY, key=lambda act: getattr(does, act))
    if len(text) > LONGEST or (does.states > getattr(does, best) and not ends_with_question_mark(text)):
        return None
    ends = ends_with_full_stop(text) or ends_with_question_mark(text)
    least = (SURE if surely else LIKELY[best])[ends]
    return best if getattr(does, best) >= least else None


def doing(vector: Floats, text: str = "") -> Doing:
    """`vector`: of a text, by the local encoder, (384,). `text`: the same, for the mark at its end."""
    borders = _borders()
    read = np.concatenate((vector, marks_of(text)))
    likely = 1 / (1 + np.exp(-(borders[:, :-1] @ read + borders[:, -1])))
    if ends_with_question_mark(text):
        likely[ACTS.index("asks")] = max(likely[ACTS.index("asks")], MARKED)
    return Doing(**dict(zip(ACTS, likely.tolist(), strict=True)))


def marks_of(text: str) -> Floats:
    """With which mark a text ends, (3,): one of a question, of a statement, of an exclamation."""
    ends = ends_with_question_mark(text), ends_with_full_stop(text), text.rstrip()[-1:] in ("!", "！")
    return np.array(ends, np.float32) * np.float32(MARK)


@cache
def _borders() -> NDArray[np.float32]:
    borders: NDArray[np.float32] = np.load(BORDERS)
    return borders
