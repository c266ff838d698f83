"""What a text does is told in languages and words that the borders were not fitted on.

The figures differ by a point between processors, for the encoder runs in int8 or in float32: each border here keeps two
points at least from what both give (`LOCI_TEST_ENCODER=float32` or `int8` runs the tests with the other).
"""

import json

import numpy as np
import pytest

from bench.fit_acts import DATA, KINDS
from memory.language.heads import ACTS, BORDERS, EVEN, Act, Doing, asked_by, doing, marks_of
from utils.embeddings import LocalEmbedder
from utils.encoder import DIMENSIONS

Told = list[tuple[str, str, Doing]]  # what each text does, the text, and what it does by the borders


@pytest.fixture
async def held_out(reader: LocalEmbedder) -> Told:
    data = json.loads((DATA / "acts.json").read_text("utf-8"))["held_out"]
    every = [(kind, text) for kinds in data.values() for kind, texts in kinds.items() for text in texts]
    vectors = await reader.embed([text for _, text in every])
    return [(kind, text, doing(vector, text)) for (kind, text), vector in zip(every, vectors, strict=True)]


def test_there_is_a_border_for_each_act() -> None:
    assert np.load(BORDERS).shape == (len(ACTS), DIMENSIONS + len(marks_of("")) + 1)


def test_no_example_held_out_is_one_that_the_borders_were_fitted_on() -> None:
    data = json.loads((DATA / "acts.json").read_text("utf-8"))
    fitted = {text for kinds in data["examples"].values() for texts in kinds.values() for text in texts}
    assert not fitted & {text for kinds in data["held_out"].values() for texts in kinds.values() for text in texts}


@pytest.mark.parametrize(
    ("act", "found", "false"), [("asks", 0.8, 0.09), ("forgets", 0.5, 0.02), ("summarises", 0.6, 0.03)]
)
async def test_what_is_asked_is_told_in_other_words_and_languages(
    held_out: Told, act: Act, found: float, false: float
) -> None:
    does = np.array([act in KINDS[kind] for kind, _, _ in held_out])
    told = np.array([asked_by(text, one) == act for _, text, one in held_out])
    assert told[does].mean() >= found
    assert told[~does].mean() <= false


async def test_what_is_surely_asked_is_less_of_what_is_told(held_out: Told) -> None:
    told = [(text, one) for kind, text, one in held_out if kind in ("state", "change")]
    surely = [text for text, one in told if asked_by(text, one, surely=True)]
    assert len(surely) <= len([text for text, one in told if asked_by(text, one)])
    assert len(surely) <= 0.06 * len(told)


async def test_what_changes_is_told_in_other_words_and_languages(held_out: Told) -> None:
    does = np.array(["changes" in KINDS[kind] for kind, _, _ in held_out])
    told = np.array([one.changes >= EVEN for _, _, one in held_out])
    assert told[does].mean() >= 0.75
    assert told[~does].mean() <= 0.03


async def test_of_what_is_told_next_to_nothing_is_a_request_to_forget(held_out: Told) -> None:
    told = [one.forgets >= EVEN for kind, _, one in held_out if kind in ("state", "change")]
    assert sum(told) <= 0.03 * len(told)


async def test_what_asks_is_told_from_what_states(held_out: Told) -> None:
    asks = [one.wants for kind, _, one in held_out if kind in ("ask", "seek", "recall")]
    states = [one.wants for kind, _, one in held_out if kind in ("state", "change", "correct")]
    assert np.mean(asks) >= 0.85
    assert np.mean(states) <= 0.08


@pytest.mark.parametrize(("kind", "found"), [("chat", 0.85), ("task", 0.65), ("correct", 0.9), ("tell_ask", 0.9)])
async def test_the_likeliest_deed_is_what_a_text_does(held_out: Told, kind: str, found: float) -> None:
    right = [one.deed in KINDS[kind] for other, _, one in held_out if other == kind]
    assert len(right) > 10
    assert np.mean(right) >= found


@pytest.mark.parametrize(
    "text",
    [
        "waht is my landlords phone number",
        "wheer did i park teh car",
        "whos my sisters new boyfirend",
        "how mcuh did the boiler cost",
        "when is grandpas birthady",
        "wich platform does the night train leave from",
        "did nadia ever finish her thesis",
        "What did Ravi do on 3 March 2021?",
        "how long was the ferry delayed",
    ],
)
async def test_a_question_is_one_without_a_mark_and_with_slips(reader: LocalEmbedder, text: str) -> None:
    [vector] = await reader.embed([text])
    assert doing(vector, text).wants


@pytest.mark.parametrize(
    ("text", "supposing"),
    [
        ("If we had a balcony, we would sleep outside.", True),
        ("i wish my flat had a bath", True),
        ("Maybe I'll become a forester.", True),
        ("Ojalá viviera en Cádiz.", True),
        ("Wenn ich größer wäre, würde ich Basketball spielen.", True),
        ("If I sleep badly I get a headache.", False),
        ("When we had a balcony we slept outside.", False),
        ("My boss said that I may leave at four.", False),
        ("We will get a new boiler in March.", False),
        ("Cuando era joven, bailaba mucho.", False),
    ],
)
async def test_what_would_be_is_told_from_what_is(reader: LocalEmbedder, text: str, supposing: bool) -> None:
    [vector] = await reader.embed([text])
    assert doing(vector, text).supposing is supposing
