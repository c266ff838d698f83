"""Whether a sentence tells something lasting about its speaker, by the encoder, in whatever language it is."""

from functools import cache

import numpy as np

from fitted import FITTED
from utils.vectors import Floats

BORDER = FITTED / "lasting.npy"  # (385,) float32: weights of the embedding's parts, and an offset
LASTING = 0.5  # from which likelihood on a sentence counts as lasting; `python -m bench.fit_lasting` tells its errors


def lasting(vectors: Floats) -> Floats:
    """How likely each of some sentences tells what stays true of its speaker, or of their people and things, in 0..1;
    shape (n,). `vectors`: of the sentences, by the local encoder, (n, 384)."""
    border = _border()
    likely: Floats = 1 / (1 + np.exp(-(vectors @ border[:-1] + border[-1])))
    return likely


@cache
def _border() -> Floats:
    border: Floats = np.load(BORDER)
    return border
