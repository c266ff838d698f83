"""Fits by which borders `memory/language/heads.py` tells what a text does: `python -m bench.fit_acts`.

Fitted on the examples and patterns of `bench/data/acts.json` and on what `bench/data/languages.json` has: its
questions, without their mark, ask, and what its users tell neither asks, nor asks to forget or to sum up. Each border
is a logistic regression over the encoder's embedding. Tells how well it does in each language after those of all
others, and with the examples held out, which are in other languages or other words.
"""

import argparse
import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from config.settings import Settings
from memory.language.heads import ACTS, BORDERS, Act
from utils.embeddings import open_local_embedder
from utils.vectors import Floats

DATA = Path(__file__).with_name("data")
ONLY_SOMETHING = "told"  # what it tells may be a change or not
LONGEST = 200  # characters of what a user tells

ABOUT: tuple[Act, ...] = ("home", "work", "others")  # lists of examples that are about it
KINDS: dict[str, Act] = {
    "ask": "asks",
    "forget": "forgets",
    "summarise": "summarises",
    "change": "changes",
    "question": "asks",
}
REAL = 1.0  # the weight of what stands in conversations
PATTERN_WEIGHT = 0.25  # of an example made of a pattern: there are twelve of each
STRENGTH = 1e-4  # of the regularisation
STEPS = 12  # of Newton's method
LIKELY = (0.5, 0.7, 0.85)


class Example(NamedTuple):
    """`kind`: one of `KINDS`, "whole" for a summary of all, "state", "task", or `ONLY_SOMETHING`."""

    text: str
    kind: str
    language: str
    weight: float
    about: frozenset[str] = frozenset()


def examples() -> list[Example]:
    data = json.loads((DATA / "acts.json").read_text("utf-8"))
    about = {act: frozenset(map(_bare, texts)) for act, texts in data["about"].items()}
    found = [
        one._replace(about=frozenset(act for act, texts in about.items() if _bare(one.text) in texts))
        for one in _listed(data["examples"])
    ]
    for language, patterns in data["patterns"].items():
        for at, what in enumerate(patterns["np"]):
            of = frozenset(["others"] if at in data["patterns_of_others"] else [])
            made = ((kind, one.format(what)) for kind in patterns if kind != "np" for one in patterns[kind])
            found += [Example(text, kind, language, PATTERN_WEIGHT, of) for kind, text in made]
    return [*found, *_real()]


def _bare(text: str) -> str:
    """A text without the mark of a statement's end."""
    return text.rstrip(".。।")


def held_out() -> list[Example]:
    return _listed(json.loads((DATA / "acts.json").read_text("utf-8"))["held_out"])


def _listed(languages: dict[str, dict[str, list[str]]]) -> list[Example]:
    """Each with the mark at its end and without."""
    return [
        Example(text, kind, language, 0.5)
        for language, kinds in languages.items()
        for kind, texts in kinds.items()
        for one in texts
        for text in (one, _bare(one))
    ]


def _real() -> list[Example]:
    found = []
    for one in json.loads((DATA / "languages.json").read_text("utf-8"))["conversations"]:
        language = one["id"].removeprefix("languages-")
        asked = (item["question"] for item in one["questions"] if item["category"] == "same")
        found += [Example(text.strip(" ¿?？"), "ask", language, REAL) for text in asked]
        told = (item["text"] for item in one["messages"] if item["role"] == "user")
        found += [
            Example(text, ONLY_SOMETHING, language, REAL)
            for text in told
            if len(text) <= LONGEST and not {"?", "？"} & set(text)
        ]
    return found


def border(
    vectors: Floats, yes: NDArray[np.bool_], weights: NDArray[np.float64], strength: float = STRENGTH
) -> NDArray[np.float32]:
    """Logistic regression by Newton's method; those that do it and those that do not weigh more alike than they are."""
    inputs = np.c_[vectors, np.ones(len(vectors))]
    weights = weights * np.where(yes, (weights * yes).sum(), (weights * ~yes).sum()) ** -0.5
    weights /= weights.sum()
    held = strength * np.eye(inputs.shape[1])
    held[-1, -1] = 1e-6
    found = np.zeros(inputs.shape[1])
    for _ in range(STEPS):
        likely = 1 / (1 + np.exp(-inputs @ found))
        slope = inputs.T @ ((likely - yes) * weights) + held @ found
        bend = (inputs * (weights * np.maximum(likely * (1 - likely), 1e-4))[:, None]).T @ inputs + held
        found -= np.linalg.solve(bend, slope)
    return found.astype(np.float32)


def borders(some: Sequence[Example], vectors: Floats) -> NDArray[np.float32]:
    """(acts, 385), in the order of `ACTS`."""
    kinds, real = np.array([one.kind for one in some]), np.array([one.weight == REAL for one in some])
    weights = np.array([one.weight for one in some])
    found = []
    for act in ACTS:
        if act == "whole":
            among, yes = np.isin(kinds, ("whole", "summarise")), kinds == "whole"
        elif act in ABOUT:
            among, yes = ~real, np.array([act in one.about for one in some])
        else:
            among = kinds != ONLY_SOMETHING if act == "changes" else np.ones(len(kinds), np.bool_)
            yes = does(act, kinds)
        found.append(border(vectors[among], yes[among], weights[among]))
    return np.stack(found)


def does(act: Act, kinds: NDArray[np.str_]) -> NDArray[np.bool_]:
    meant = [kind for kind, one in KINDS.items() if one == act] + (["whole"] if act in ("whole", "summarises") else [])
    return np.isin(kinds, meant)


def likely(weights: NDArray[np.float32], vectors: Floats) -> NDArray[np.float32]:
    found: NDArray[np.float32] = 1 / (1 + np.exp(-(vectors @ weights[:, :-1].T + weights[:, -1])))
    return found


def report(title: str, some: Sequence[Example], found: NDArray[np.float32]) -> None:
    kinds = np.array([one.kind for one in some])
    print(title)
    for at, act in enumerate(ACTS):
        told, among = kinds == ONLY_SOMETHING, kinds != ONLY_SOMETHING
        if act == "whole":
            among = np.isin(kinds, ("whole", "summarise"))
        elif act in ABOUT:
            among = np.array([one.weight != REAL for one in some])
        yes = among & (np.array([act in one.about for one in some]) if act in ABOUT else does(act, kinds))
        if not yes.any():
            continue
        rates = [
            f"{share}: {np.mean(found[yes, at] >= share):.2f}, "
            f"{np.mean(found[among & ~yes, at] >= share):.3f} of others"
            + (f", {np.mean(found[told, at] >= share):.3f} of chats" if told.any() else "")
            for share in LIKELY
        ]
        print(f"  {act:11}{'; '.join(rates)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="tell what is found in each example held out")
    asyncio.run(_fit(listed=parser.parse_args().list))


async def _fit(*, listed: bool) -> None:
    reader = await asyncio.to_thread(open_local_embedder, Settings())
    known, others = examples(), held_out()
    vectors = await reader.embed([one.text for one in known])
    languages = np.array([one.language for one in known])
    left_out = np.zeros((len(known), len(ACTS)), np.float32)
    for some in np.array_split(sorted(set(languages)), 7):
        out = np.isin(languages, some)
        left_out[out] = likely(borders([known[at] for at in np.flatnonzero(~out)], vectors[~out]), vectors[out])
    report(f"{len(known):,} examples, their languages left out", known, left_out)
    found = borders(known, vectors)
    over = likely(found, await reader.embed([one.text for one in others]))
    report(f"{len(others)} examples held out", others, over)
    if listed:
        for one, row in zip(others, over, strict=True):
            print(
                one.language, one.kind, *(f"{act}={share:.2f}" for act, share in zip(ACTS, row, strict=True)), one.text
            )
    np.save(BORDERS, found)
    print(f"written to {BORDERS}")


if __name__ == "__main__":
    main()
