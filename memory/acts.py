"""What does a text do, in whatever language it is: does it ask, ask to forget or to sum up, or tell of a change?

Rules know the words for that in English alone. The encoder puts what does the same near to each other in all languages
that it knows; `python -m bench.fit_acts` fits on written examples where the borders are.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from utils.vectors import Floats

Act = Literal["asks", "forgets", "summarises", "changes", "whole", "home", "work", "others"]
ACTS: tuple[Act, ...] = ("asks", "forgets", "summarises", "changes", "whole", "home", "work", "others")

BORDERS = Path(__file__).with_name("acts.npy")  # (acts, 385) float32: weights of the embedding's parts, and an offset
ASKED = ("asks", "forgets", "summarises")  # of these a text does one at most


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

    def asked(self, likely: float) -> Act | None:
        """What it asks for, where that is likely enough."""
        best: Act = max(("asks", "forgets", "summarises"), key=lambda act: getattr(self, act))
        return best if getattr(self, best) >= likely else None


def doing(vector: Floats) -> Doing:
    """`vector`: of a text, by the local encoder, (384,)."""
    borders = _borders()
    likely = 1 / (1 + np.exp(-(borders[:, :-1] @ vector + borders[:, -1])))
    return Doing(**dict(zip(ACTS, likely.tolist(), strict=True)))


@cache
def _borders() -> NDArray[np.float32]:
    found: NDArray[np.float32] = np.load(BORDERS)
    return found
