"""What becomes of statements as facts where there is no language model.

    python -m bench.facts [--json]

Each item of bench/data/facts.json is what one user says. Its messages are told to `Memory.learn` in this process, over
a store of its own, and what is in force afterwards is compared with what should be. By kind of item it prints

facts: in force afterwards; false: of those, the ones that match a pattern of `not_in_force`, and those of a message
that holds no fact, unless they are expected; precision: the share of the others;
recall: the share of the expected facts that one in force and not false states;
right: the share of items with all that is expected and nothing false. Where a change leaves nothing to expect, what it
ends must have been in force before.

`--json` prints the figures, and of every item that is not right what is in force, false and missing.
"""

import argparse
import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Literal, get_args

from pydantic import TypeAdapter

from agents.memory import Memory
from agents.open import open_memory
from bench.recall.in_process import Quiet, passing_settings
from bench.recall.table import table
from utils.loops import new_runner
from utils.text import folded

DATA = Path(__file__).parent / "data" / "facts.json"
CONVERSATION = "default"

Kind = Literal["plain", "change", "others", "nothing"]
Pattern = tuple[tuple[str, ...], ...]
"""Groups of terms; a text matches where it meets a term of each group.

A term is a word or several, whole but for what a `*` stands for. `!word` is met where the word is missing. `@over`
stands for any of the words by which something is not so, or no longer."""


@dataclass(frozen=True)
class FactCase:
    """What a user says, and what of it should be in force in the end. `none`: places of the messages that hold no
    fact."""

    id: str
    kind: Kind
    language: str
    messages: tuple[str, ...]
    none: tuple[int, ...] = ()
    in_force: tuple[Pattern, ...] = ()
    not_in_force: tuple[Pattern, ...] = ()


@dataclass(frozen=True)
class Data:
    over: tuple[str, ...]
    items: tuple[FactCase, ...]


@dataclass(frozen=True)
class Outcome:
    """What became of an item. `missing`: expected facts that nothing in force states. `ended`: something was in force
    before the last message that should not be at the end."""

    item: FactCase
    facts: tuple[str, ...]
    false: tuple[str, ...]
    missing: tuple[Pattern, ...]
    ended: bool

    @property
    def right(self) -> bool:
        expects = self.item.kind != "change" or bool(self.item.in_force)
        return not self.false and not self.missing and (expects or self.ended)


@dataclass(frozen=True)
class Figures:
    """Counts over items. `right`: of the items."""

    items: int
    facts: int
    false: int
    expected: int
    stated: int
    right: int

    @property
    def precision(self) -> float:
        return 1 - self.false / self.facts if self.facts else 1.0

    @property
    def recall(self) -> float:
        return self.stated / self.expected if self.expected else 1.0


class Matcher:
    """Tells whether a text matches patterns. `over`: what `@over` stands for."""

    def __init__(self, over: Sequence[str]) -> None:
        self._over = over

    def matches(self, text: str, pattern: Pattern) -> bool:
        plain = _folded(text)
        return all(any(self._meets(plain, term) for term in group) for group in pattern)

    def matches_any(self, text: str, patterns: Sequence[Pattern]) -> bool:
        return any(self.matches(text, pattern) for pattern in patterns)

    def _meets(self, plain: str, term: str) -> bool:
        if term.startswith("!"):
            return not self._meets(plain, term[1:])
        words = self._over if term == "@over" else (term,)
        return any(_expression(word).search(plain) for word in words)


def _folded(text: str) -> str:
    return folded(text).replace("’", "'")


@cache
def _expression(word: str) -> re.Pattern[str]:
    middle = re.escape(_folded(word)).replace(r"\*", r"\w*")
    return re.compile(rf"(?<!\w){middle}(?!\w)")


def read_data(path: Path = DATA) -> Data:
    return TypeAdapter(Data).validate_json(path.read_bytes())


async def tell(memory: Memory, item: FactCase, matcher: Matcher) -> Outcome:
    """Tells an item to a user of its own, and judges what is in force then."""
    made_by: dict[str, int] = {}  # ids of facts, and the place of the message that made each
    before: list[str] = []
    for place, message in enumerate(item.messages):
        before += [fact.text for fact in await memory.engine.knowledge.facts.in_force(item.id, CONVERSATION)]
        for decided in await memory.learn(item.id, message, CONVERSATION):
            made_by.setdefault(decided.id, place)
    facts = await memory.engine.knowledge.facts.in_force(item.id, CONVERSATION)
    false = [
        fact.text
        for fact in facts
        if matcher.matches_any(fact.text, item.not_in_force)
        or (made_by.get(fact.id) in item.none and not matcher.matches_any(fact.text, item.in_force))
    ]
    true = [fact.text for fact in facts if fact.text not in false]
    return Outcome(
        item,
        tuple(fact.text for fact in facts),
        tuple(false),
        tuple(one for one in item.in_force if not any(matcher.matches(text, one) for text in true)),
        any(matcher.matches_any(text, item.not_in_force) for text in before),
    )


def figures(outcomes: Sequence[Outcome]) -> Figures:
    expected = sum(len(outcome.item.in_force) for outcome in outcomes)
    return Figures(
        len(outcomes),
        sum(len(outcome.facts) for outcome in outcomes),
        sum(len(outcome.false) for outcome in outcomes),
        expected,
        expected - sum(len(outcome.missing) for outcome in outcomes),
        sum(outcome.right for outcome in outcomes),
    )


def by_group(outcomes: Sequence[Outcome]) -> dict[str, Figures]:
    """Figures of each kind, of English and of other languages, and of all; of those that have an item."""
    groups = {kind: [one for one in outcomes if one.item.kind == kind] for kind in get_args(Kind)}
    groups["in English"] = [one for one in outcomes if one.item.language == "en"]
    groups["in other languages"] = [one for one in outcomes if one.item.language != "en"]
    groups["all"] = list(outcomes)
    return {name: figures(group) for name, group in groups.items() if group}


def report(groups: dict[str, Figures]) -> str:
    head = ("", "items", "facts", "false", "precision", "expected", "recall", "right")
    rows = [
        (
            *(name, str(one.items), str(one.facts), str(one.false), f"{one.precision:.3f}"),
            *(str(one.expected), f"{one.recall:.3f}", f"{one.right / one.items:.3f}"),
        )
        for name, one in groups.items()
    ]
    whole, changes = groups["all"], groups["change"]
    last = f"precision {whole.precision:.3f}, recall {whole.recall:.3f}, updates right {changes.right}/{changes.items}"
    return f"{table(head, rows)}\n\n{last} ({changes.right / changes.items:.3f}), false facts {whole.false}"


async def measure(data: Data) -> list[Outcome]:
    matcher = Matcher(data.over)
    with passing_settings() as settings:
        async with open_memory(settings, nudge=Quiet()) as memory:
            return [await tell(memory, item, matcher) for item in data.items]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    with new_runner() as runner:
        outcomes = runner.run(measure(read_data()))
    groups = by_group(outcomes)
    if arguments.json:
        counts = {
            name: {**asdict(one), "precision": one.precision, "recall": one.recall} for name, one in groups.items()
        }
        wrong = [asdict(outcome) for outcome in outcomes if not outcome.right]
        print(json.dumps({"figures": counts, "wrong": wrong}, ensure_ascii=False, indent=1))
    else:
        print(report(groups))


if __name__ == "__main__":
    main()
