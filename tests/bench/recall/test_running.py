"""A system is told every message, asked every question that counts, and left empty."""

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from bench.recall.corpus import Conversation, Corpus, Message, Question
from bench.recall.running import run_corpus
from bench.recall.small_talk import QUESTIONS
from bench.recall.system import Found

NOON = datetime(2025, 3, 1, 12, tzinfo=UTC)


class Notes:
    """A system that finds what shares a word with the query."""

    description = "notes"

    def __init__(self, fails_on: str = "") -> None:
        self.kept: dict[str, list[Message]] = {}
        self.sessions: list[str] = []
        self.told: list[Message] = []
        self.asked: list[str] = []
        self._fails_on = fails_on

    async def add(self, owner: str, session: str, messages: Sequence[Message]) -> None:
        self.kept.setdefault(owner, []).extend(messages)
        self.told.extend(messages)
        self.sessions.append(session)

    async def search(self, owner: str, query: str, top_k: int) -> list[Found]:
        if self._fails_on and self._fails_on in query:
            raise RuntimeError("out of order")
        self.asked.append(query)
        words = set(query.casefold().split())
        return [Found(one.id, 0.75) for one in self.kept[owner] if words & set(one.text.casefold().split())][:top_k]

    async def forget(self, owner: str) -> None:
        del self.kept[owner]


def conversation(identifier: str, questions: int = 1) -> Conversation:
    said = [("m1", "1", "bees make honey"), ("m2", "1", "a b c"), ("m3", "2", "honey is sweet")]
    return Conversation(
        identifier,
        tuple(Message(one, session, "user", text, NOON, "Ann") for one, session, text in said),
        (
            *(Question(f"q{n}", f"honey {n}", "single_hop", ("m1", "m3")) for n in range(questions)),
            Question("none", "unanswered", "temporal"),
            Question("never", "never said", "abstention"),
        ),
    )


async def test_what_is_found_comes_back_under_the_ids_of_the_corpus() -> None:
    found = await run_corpus(Notes(), Corpus("little", (conversation("c1"),)))
    assert (found.corpus, found.conversations, found.messages) == ("little", 1, 3)
    asked = [row for row in found.rows if row.category != "small_talk"]
    assert [(row.conversation, row.question, row.found, row.scores) for row in asked] == [
        ("c1", "q0", ("m1", "m3"), (0.75, 0.75)),
        ("c1", "never", (), ()),
    ]
    assert found.times is not None
    assert 0 < found.times.p50 <= found.times.p95


async def test_conversations_share_no_ids_and_are_forgotten() -> None:
    notes = Notes()
    await run_corpus(notes, Corpus("little", (conversation("c1"), conversation("c2"))))
    assert len({message.id for message in notes.told}) == len(notes.told) == 6
    assert len(set(notes.sessions)) == len(notes.sessions) == 4
    assert notes.kept == {}


async def test_small_talk_is_made_in_every_conversation() -> None:
    found = await run_corpus(Notes(), Corpus("little", (conversation("c1"), conversation("c2"))))
    assert sum(row.category == "small_talk" for row in found.rows) == 2 * len(QUESTIONS) >= 40


async def test_a_run_that_fails_leaves_nothing_behind() -> None:
    notes = Notes(fails_on="honey")
    with pytest.raises(RuntimeError, match="out of order"):
        await run_corpus(notes, Corpus("little", (conversation("c1"),)))
    assert notes.kept == {}


async def test_a_part_can_be_asked_for() -> None:
    steps: list[tuple[int, int]] = []
    corpus = Corpus("little", tuple(conversation(f"c{n}", questions=7) for n in range(6)))
    found = await run_corpus(
        Notes(), corpus, questions=2, conversations=3, progress=lambda done, of: steps.append((done, of))
    )
    asked = [(row.conversation, row.question) for row in found.rows if row.category != "small_talk"]
    assert asked == [(name, question) for name in ("c0", "c2", "c4") for question in ("q0", "q4")]
    assert steps == [(0, 3), (1, 3), (2, 3), (3, 3)]
