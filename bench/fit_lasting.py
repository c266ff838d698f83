"""Fits by which border `memory/facts/rules/extract.py` tells what stays true of a user.

    python -m bench.fit_lasting

Fitted on the sentences of `bench/data/lasting.json` and, as what does not last, on what users ask for in
`bench/data/acts.json`: a logistic regression over the encoder's embedding. Tells first how well it does on sentences of
each language after those of all others, and on a fifth of the English ones after the rest.
"""

import asyncio
import json
from pathlib import Path
from typing import NamedTuple

import numpy as np

from bench.fit_acts import border
from config.settings import Settings
from memory.facts.rules.extract import LASTING
from utils.embeddings import open_local_embedder
from utils.vectors import Floats

DATA = Path(__file__).with_name("data")
ASKED = ("ask", "forget", "summarise", "task")  # kinds of `acts.json` that state nothing
ASKED_WEIGHT = 0.3
FOLDS = 5  # of the English sentences


class Example(NamedTuple):
    text: str
    lasts: bool
    language: str
    weight: float


def examples() -> list[Example]:
    own = json.loads((DATA / "lasting.json").read_text("utf-8"))
    found = [
        Example(text, kind == "lasting", language, 0.5)
        for kind, languages in own.items()
        for language, sentences in languages.items()
        for sentence in sentences
        for text in (sentence, sentence.rstrip(".。।!"))
    ]
    asked = json.loads((DATA / "acts.json").read_text("utf-8"))["examples"]
    for language, kinds in asked.items():
        found += [Example(text, False, language, ASKED_WEIGHT) for kind in ASKED for text in kinds.get(kind, [])]
    return found


async def main() -> None:
    reader = await asyncio.to_thread(open_local_embedder, Settings())
    known = examples()
    vectors = await reader.embed([one.text for one in known])
    lasts = np.array([one.lasts for one in known])
    weights = np.array([one.weight for one in known])
    bare = [one.text.rstrip(".。।!") for one in known]
    fold = {text: at % FOLDS for at, text in enumerate(dict.fromkeys(bare))}
    group = np.array(
        [f"en {fold[text]}" if one.language == "en" else one.language for one, text in zip(known, bare, strict=True)]
    )
    left_out = np.zeros(len(known))
    for name in sorted(set(group)):
        out = group == name
        left_out[out] = likely(border(vectors[~out], lasts[~out], weights[~out]), vectors[out])
    english, own = np.char.startswith(group, "en "), weights != ASKED_WEIGHT
    for title, among in (("English", english), ("other languages", ~english)):
        found = left_out >= 0.5
        print(
            f"{title}: {np.mean(found[among & lasts]):.3f} of what lasts, "
            f"{np.mean(found[among & ~lasts & own]):.3f} of what passes, "
            f"{np.mean(found[among & ~own]):.3f} of what is asked for, left out"
        )
    for at in np.flatnonzero(own & ((left_out >= 0.5) != lasts)):
        if known[at].text == bare[at]:
            print(f"  {left_out[at]:.2f} {'lasts ' if lasts[at] else 'passes'} {known[at].text}")
    np.save(LASTING, border(vectors, lasts, weights))
    print(f"written to {LASTING}")


def likely(weights: Floats, vectors: Floats) -> Floats:
    found: Floats = 1 / (1 + np.exp(-(vectors @ weights[:-1] + weights[-1])))
    return found


if __name__ == "__main__":
    asyncio.run(main())
