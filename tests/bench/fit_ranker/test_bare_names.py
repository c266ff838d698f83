"""Bare names: those that somebody looks for who types nothing else."""

from datetime import UTC, datetime

from bench.fit_ranker.examples import MOST_NAMES, NAMES, bare_names
from bench.recall.corpus import Conversation, Message


def conversation(*texts: str) -> Conversation:
    moment = datetime(2024, 5, 21, tzinfo=UTC)
    return Conversation("c", tuple(Message(f"m{at}", "s", "user", text, moment) for at, text in enumerate(texts)), ())


def test_names_are_of_one_message_alone_and_stand_within_a_sentence() -> None:
    said = conversation(
        "Yesterday I met Henrietta Vos there.", "My boat is with Bob.", "I like Bob, order A7-1234 too."
    )
    found = {(one.text, one.evidence, one.category) for one in bare_names(said)}
    assert found == {("Henrietta Vos", ("m0",), NAMES), ("A7-1234", ("m2",), NAMES)}


def test_a_conversation_gives_a_few_from_its_beginning_to_its_end() -> None:
    letters = "ABCDEFGHIJKLMNOPQRSTUVWX"
    said = conversation(*[f"there was {letter}{'enry' * 2} again" for letter in letters])
    found = bare_names(said)
    assert len(found) == MOST_NAMES and found[0].evidence == ("m0",) and found[-1].evidence[0] == "m20"
