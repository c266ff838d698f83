"""What does a text do, in whatever language it is: does it ask, ask to forget or to sum up, or tell of a change?

Rules know the words for that in English alone. The encoder puts what does the same near to each other in all languages
that it knows; `python -m bench.fit_acts` fits on written examples where the borders are.
"""

from dataclasses import dataclass
from functools import cache
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from fitted import FITTED
from utils.text import ends_with_full_stop, ends_with_question_mark
from utils.vectors import Floats

Act = Literal["asks", "forgets", "summarises", "changes", "whole", "home", "work", "others"]
Asked = Literal["asks", "forgets", "summarises"]
ACTS: tuple[Act, ...] = get_args(Act)

BORDERS = FITTED / "acts.npy"  # (acts, 385) float32: weights of the embedding's parts, and an offset
LONGEST = 200  # characters of a text that only asks
# How likely what is asked is to be, of a text that ends without a mark and of one that ends with it.
LIKELY: dict[Asked, tuple[float, float]] = {"asks": (0.55, 0.8), "forgets": (0.5, 0.8), "summarises": (0.55, 0.8)}
SURE = (0.75, 0.9)


@dataclass(frozen=True)
class Doing:
    """How likely a text does what, each in 0..1. `asks`: for what the user told, or anything else. `forgets`: asks to
    delete something. `summarises`: asks for a summary; `whole`: of all that was said, and not of something. `changes`:
    tells that something is otherwise from now on. `home`, `work`: it is about where somebody lives, or works. `others`:
    about somebody else than the user."""

    asks: float
    forgets: float
    summarises: float
    changes: float
    whole: float
    home: float
    work: float
    others: float


def asked_by(text: str, does: Doing, *, surely: bool = False) -> Asked | None:
    """What a text asks for, where it is likely enough; `surely`: so that it tells nothing."""
    best: Asked = max(LIKELY, key=lambda act: getattr(does, act))
    if len(text) > LONGEST:
        return None
    ends = ends_with_full_stop(text) or ends_with_question_mark(text)
    least = (SURE if surely else LIKELY[best])[ends]
    return best if getattr(does, best) >= least else None


def doing(vector: Floats) -> Doing:
    """`vector`: of a text, by the local encoder, (384,)."""
    borders = _borders()
    likely = 1 / (1 + np.exp(-(borders[:, :-1] @ vector + borders[:, -1])))
    return Doing(**dict(zip(ACTS, likely.tolist(), strict=True)))


@cache
def _borders() -> NDArray[np.float32]:
    found: NDArray[np.float32] = np.load(BORDERS)
    return found
