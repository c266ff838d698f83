"""Fits by which borders `memory/facts/rules/replacing.py` tells that a fact takes another's place.

    python -m bench.fit_replacing

Fitted on the pairs of `bench/data/replaced.json`, what users say and what they say later, of which the first is over or
both hold; and on what is said first in other pairs, or lasts, beside later ones, of which both hold. First which
sentences tell of a turn, with those of `bench/data/acts.json` that do, and which two sentences follow each other so;
then, over the signs of a pair, which are replaced. All are logistic regressions. Tells first how well it does on a
fifth of the pairs after the others.
"""

import asyncio
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bench.fit_acts import border
from config.settings import Settings
from memory.facts.rules.extract import candidates
from memory.facts.rules.replacing import LIKELY, PAIRING, PERHAPS, REPLACING, TURNING, both, mentions_it, signs
from memory.facts.rules.statement import read_statement
from memory.language.person import third_person
from utils.embeddings import open_local_embedder
from utils.encoder import Reading
from utils.vectors import Floats

DATA = Path(__file__).with_name("data")
FOLDS = 5
ACROSS = 3  # pairs across others, for each
ACROSS_WEIGHT = 0.5
ACTS_WEIGHT = 0.5
STRENGTH, OF_PAIRS = 1e-3, 1e-4  # of the regularisation
AT = datetime(2026, 3, 2, 9, tzinfo=UTC)  # when all is said


class Pair(NamedTuple):
    old: str
    new: str
    replaced: bool
    weight: float = 1.0
    of_fold: int | None = None  # of the pair that it was made of

    @property
    def fold(self) -> int:
        return sum(self.old.encode()) % FOLDS if self.of_fold is None else self.of_fold


class Sentence(NamedTuple):
    text: str
    turns: bool
    weight: float
    fold: int | None


def pairs() -> list[Pair]:
    told = json.loads((DATA / "replaced.json").read_text("utf-8"))
    own = [Pair(_fact(old), _fact(new), kind == "replaced") for kind, found in told.items() for old, new in found]
    lasting = json.loads((DATA / "lasting.json").read_text("utf-8"))["lasting"]
    unrelated = [_fact(sentence) for sentences in lasting.values() for sentence in sentences]
    across: list[Pair] = []
    for at, pair in enumerate(own):
        for step in range(1, ACROSS + 1):
            other, alone = own[(at + 37 * step) % len(own)], unrelated[(11 * at + 37 * step) % len(unrelated)]
            texts = ((pair.old, other.new), (alone, pair.new)) if other.old != pair.old else ((alone, pair.new),)
            across += [Pair(old, new, False, ACROSS_WEIGHT, pair.fold) for old, new in texts]
    return own + across


def sentences(some: list[Pair]) -> list[Sentence]:
    own = [pair for pair in some if pair.weight == 1]
    found = [Sentence(pair.new, pair.replaced, 1.0, pair.fold) for pair in own]
    found += [Sentence(pair.old, False, 1.0, pair.fold) for pair in own]
    for kinds in json.loads((DATA / "acts.json").read_text("utf-8"))["examples"].values():
        for kind in ("change", "state"):
            found += [Sentence(text, kind == "change", ACTS_WEIGHT, None) for text in kinds.get(kind, [])]
    return found


def _fact(sentence: str) -> str:
    """A sentence as the one fact that is made of it, or as it stands in the third person."""
    found = candidates(sentence, AT)
    return found[0].text if len(found) == 1 else third_person(sentence)


async def main() -> None:
    some = pairs()
    told = sentences(some)
    reader = await asyncio.to_thread(open_local_embedder, Settings())
    texts = list(dict.fromkeys([*(text for pair in some for text in pair[:2]), *(one.text for one in told)]))
    readings = dict(zip(texts, await reader.read(texts), strict=True))
    vectors = np.stack([readings[one.text].sentence for one in told])
    turns = np.array([one.turns for one in told])
    told_weights = np.array([one.weight for one in told])
    told_folds = np.array([FOLDS if one.fold is None else one.fold for one in told])
    by_text: dict[str, float] = {}
    for fold in range(FOLDS):
        known = told_folds != fold
        fitted = border(vectors[known], turns[known], told_weights[known], STRENGTH)
        by_text |= {told[at].text: float(vectors[at] @ fitted[:-1] + fitted[-1]) for at in np.flatnonzero(~known)}
    replaced, weights = np.array([pair.replaced for pair in some]), np.array([pair.weight for pair in some])
    folds = np.array([pair.fold for pair in some])
    news = np.stack([readings[pair.new].sentence for pair in some])
    two = both(news, np.stack([readings[pair.old].sentence for pair in some]))
    follows = np.zeros(len(some), np.float32)
    for fold in range(FOLDS):
        known = folds != fold
        fitted = border(two[known], replaced[known], weights[known], OF_PAIRS)
        follows[~known] = two[~known] @ fitted[:-1] + fitted[-1]
    found = _signs(some, readings, by_text, follows)
    left_out = np.zeros(len(some))
    for fold in range(FOLDS):
        known = folds != fold
        fitted = _fitted(found[known], replaced[known], weights[known])
        left_out[~known] = 1 / (1 + np.exp(-(found[~known] @ fitted[:-1] + fitted[-1])))
    across = weights == ACROSS_WEIGHT
    for least in (PERHAPS, LIKELY, 0.9):
        print(
            f"{least}: {np.mean(left_out[replaced] >= least):.3f} of what is replaced, "
            f"{np.mean(left_out[~replaced & ~across] >= least):.3f} of what stands beside, "
            f"{np.mean(left_out[across] >= least):.3f} of what is of other things, left out"
        )
    for at in np.flatnonzero(~across & ((left_out >= LIKELY) != replaced)):
        print(f"  {left_out[at]:.2f} {'replaced' if replaced[at] else 'beside  '} {some[at].old} | {some[at].new}")
    np.save(TURNING, border(vectors, turns, told_weights, STRENGTH))
    np.save(PAIRING, border(two, replaced, weights, OF_PAIRS))
    # Over turns and pairs that were left out, as those of sentences to come are.
    np.save(REPLACING, _fitted(found, replaced, weights))
    print(f"written to {TURNING}, {PAIRING} and {REPLACING}")


def _signs(some: list[Pair], readings: Mapping[str, Reading], turns: Mapping[str, float], follows: Floats) -> Floats:
    read = {text: read_statement(text) for text in readings}

    def of(pair: Pair, follow: float) -> Floats:
        two = read[pair.new], read[pair.old], readings[pair.new], readings[pair.old]
        return signs(*two, mentions=mentions_it(*two), turns=turns[pair.new], follows=follow)

    return np.stack([of(pair, follow) for pair, follow in zip(some, follows.tolist(), strict=True)])


def _fitted(found: Floats, replaced: NDArray[np.bool_], weights: NDArray[np.float64]) -> NDArray[np.float32]:
    """A border over signs as they are, fitted over them at one scale."""
    spread = found.std(0) + 1e-6
    fitted = border(found / spread, replaced, weights, STRENGTH)
    return np.append(fitted[:-1] / spread, fitted[-1]).astype(np.float32)


if __name__ == "__main__":
    asyncio.run(main())
