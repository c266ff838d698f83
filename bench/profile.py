"""In which order a profile has what is known of a user: `python -m bench.profile [--list]`.

`data/profile.json` has facts in nine languages, each with how much an assistant needs to know it. Of each two of a
language of which one is needed more, told is how many a profile has in that order, which chance would have of half of
them; those `held_out` were written after the descriptions of kinds (`memory/facts/kinds.toml`). `--list` prints each
fact with what it is taken for.
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np

from bench.recall.table import table
from config.settings import Settings
from memory.facts.kinds import Needs
from utils.embeddings import open_local_embedder
from utils.loops import new_runner

DATA = Path(__file__).with_name("data") / "profile.json"
PARTS = ("facts", "held_out")


class Judged(NamedTuple):
    """`wanted`: how much a fact is needed, 1 to 4; `need`: what it is taken for, in 0..1."""

    part: str
    language: str
    text: str
    wanted: int
    need: float


async def judge() -> list[Judged]:
    reader = open_local_embedder(Settings())
    data = json.loads(DATA.read_text("utf-8"))
    facts = [(part, language, fact) for part in PARTS for language, facts in data[part].items() for fact in facts]
    needs = await Needs(reader).of(list(await reader.embed([fact["text"] for _, _, fact in facts])))
    return [
        Judged(part, language, fact["text"], fact["need"], need)
        for (part, language, fact), need in zip(facts, needs, strict=True)
    ]


def in_order(facts: Sequence[Judged]) -> Iterator[bool]:
    """Of each two facts of a language that are not needed alike, whether the one that is needed more comes first."""
    for one, other in combinations(facts, 2):
        if one.language == other.language and one.wanted != other.wanted:
            yield (one.need > other.need) == (one.wanted > other.wanted) and one.need != other.need


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true")
    listed = parser.parse_args().list
    with new_runner() as runner:
        every = runner.run(judge())
    rows = []
    for part in PARTS:
        facts = [fact for fact in every if fact.part == part]
        for language in [*dict.fromkeys(fact.language for fact in facts), None]:
            those = [fact for fact in facts if language in (fact.language, None)]
            orders = list(in_order(those))
            share = f"{100 * np.mean(orders):.1f}"
            rows.append([f"{part}, {language or 'all'}", str(len(those)), f"{sum(orders)} of {len(orders)}", share])
    print(table(("facts", "number", "pairs in order", "%"), rows))
    for fact in sorted(every, key=lambda fact: -fact.need) if listed else ():
        print(f"{fact.need:.2f} {fact.wanted} {fact.part:8} {fact.text}")


if __name__ == "__main__":
    main()
