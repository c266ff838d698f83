"""Fits by which borders `memory/facts/rules/leads.py` tells what is said before another's text.

    python -m bench.fit_leads

Fitted on `bench/data/leads.json` and, as what stands before the user's own words, on labels and on what users tell in
`bench/data/lasting.json`: logistic regressions over the encoder's embedding. Tells first how well they do on each
language after all others, and on a fifth of the English and of the labels after the rest.
"""

import asyncio
import json

import numpy as np

from bench.fit_acts import border
from bench.fit_lasting import DATA, FOLDS, likely
from config.settings import Settings
from memory.facts.rules.leads import BORDERS
from utils.embeddings import open_local_embedder

TOLD_WEIGHT = 0.3  # of what is no lead


async def main() -> None:
    reader = await asyncio.to_thread(open_local_embedder, Settings())
    leads = json.loads((DATA / "leads.json").read_text("utf-8"))
    sentences = json.loads((DATA / "lasting.json").read_text("utf-8"))
    told = {language: [*sentences["lasting"][language], *texts] for language, texts in sentences["passing"].items()}
    fitted = []
    labels = {"any": [f"{label}:" for kind in ("speakers", "headings") for label in leads[kind]["any"]]}
    for yes, no, other in (("anothers", "own", told | labels), ("speakers", "headings", {})):
        known = [
            (text, kind == yes, language, weight)
            for kind, languages, weight in ((yes, leads[yes], 1.0), (no, leads[no], 1.0), ("told", other, TOLD_WEIGHT))
            for language, texts in languages.items()
            for text in texts
        ]
        vectors = await reader.embed([text for text, *_ in known])
        is_one = np.array([one for _, one, *_ in known])
        weights = np.array([weight for *_, weight in known])
        group = np.array(
            [f"{lang} {at % FOLDS}" if lang in ("en", "any") else lang for at, (_, _, lang, _) in enumerate(known)]
        )
        left_out = np.zeros(len(known))
        for name in sorted(set(group)):
            out = group == name
            left_out[out] = likely(border(vectors[~out], is_one[~out], weights[~out]), vectors[out])
        taken = left_out >= 0.5
        print(f"{yes}: {np.mean(taken[is_one]):.3f}, of {no} {np.mean(taken[~is_one & (weights == 1)]):.3f}, left out")
        for at in np.flatnonzero(taken != is_one):
            print(f"  {left_out[at]:.2f} {yes if is_one[at] else no}: {known[at][0]}")
        fitted.append(border(vectors, is_one, weights))
    np.save(BORDERS, np.stack(fitted))
    print(f"written to {BORDERS}")


if __name__ == "__main__":
    asyncio.run(main())
