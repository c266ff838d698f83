"""What the user wants, and whether memory is needed for it."""

from pathlib import Path
from typing import get_args

import pytest

from agents.chat.context import IntentName
from agents.chat.intent import ALIKE, IntentDetector, example_utterances, intent_of
from memory.language.languages import may_not_be_english
from tests.scripted_model import ScriptedModel, status
from utils.circuit import CircuitBreaker
from utils.embeddings import LocalEmbedder
from utils.encoder import DIMENSIONS, MODEL, load_encoder
from utils.remote_embedder import RemoteEmbedder


@pytest.fixture
def local(home: Path) -> LocalEmbedder:
    return LocalEmbedder(load_encoder(home), model=MODEL, dimensions=DIMENSIONS)


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("How do wasps build their nest?", "question"),
        ("what is the name of my parrot", "question"),
        ("Any clue where my gloves are", "question"),
        ("Wann hat meine Tante Geburtstag", "question"),
        ("ما اسم قطتي؟", "question"),
        ("My parrot is called Pepper", "chat"),
        ("We spoke with the teacher on Tuesday.", "chat"),
        ("Mein Papagei heißt Pepper und ist grün.", "chat"),
        ("good evening everyone", "chat"),
        ("What did I tell you about my parrot?", "recall"),
        ("do you recall what we said about the loan", "recall"),
        ("Was habe ich dir über meinen Papagei erzählt?", "recall"),
        ("Помнишь, что я говорил о брате?", "recall"),
        ("Summarise our whole conversation", "summarise"),
        ("Could you recap the things we talked about?", "summarise"),
        ("Kannst du zusammenfassen, was wir besprochen haben?", "summarise"),
        ("우리 대화를 요약해 줘", "summarise"),
        ("where is the nearest bank", "location"),
        ("Où est la boulangerie la plus proche ?", "location"),
        ("What can you see in the attached picture?", "image"),
        ("remember that my wifi password is hunter2", "remember"),
        ("Please forget everything about my dog.", "forget"),
    ],
)
async def test_what_a_query_does_is_its_intent(local: LocalEmbedder, query: str, name: IntentName) -> None:
    assert (await IntentDetector(local).detect(query, images=False, use_memory=True)).name == name


@pytest.mark.parametrize(
    ("query", "forgets"),
    [
        ("Vergiss meine Telefonnummer", True),
        ("Oublie mon numéro de téléphone", True),
        ("Merk dir, dass mein Schließfach die Nummer 7 hat", False),
        ("Recuerda que mi pasaporte está en la carpeta azul", False),
    ],
)
async def test_a_request_to_remember_in_another_language_forgets_nothing(
    local: LocalEmbedder, query: str, forgets: bool
) -> None:
    intent = await IntentDetector(local).detect(query, images=False, use_memory=True)
    assert (intent.name == "forget") == forgets


async def test_an_attached_image_is_what_a_question_is_about_but_not_a_request_to_remember() -> None:
    detector = IntentDetector()
    for query, name in (("What is this?", "image"), ("hi", "image"), ("remember that my dog is Rex", "remember")):
        assert (await detector.detect(query, images=True, use_memory=True)).name == name


@pytest.mark.parametrize("query", ["Hello there!", "ok, thanks a lot!", "Guten Abend!", "merci beaucoup", "おはよう"])
async def test_small_talk_needs_no_memory(local: LocalEmbedder, query: str) -> None:
    intent = await IntentDetector(local).detect(query, images=False, use_memory=True)
    assert (intent.name, intent.need_memory) == ("chat", False)


@pytest.mark.parametrize("query", ["yes", "No", "sure!", "Hi, my name is Ann", "my tip on Rome was the Pantheon"])
async def test_what_means_something_after_what_was_said_before_needs_memory(local: LocalEmbedder, query: str) -> None:
    assert (await IntentDetector(local).detect(query, images=False, use_memory=True)).need_memory


@pytest.mark.parametrize("name", get_args(IntentName))
def test_memory_is_needed_for_all_but_storing_and_deleting(name: IntentName) -> None:
    intent = intent_of(name, use_memory=True)
    assert intent.need_memory is (name not in ("remember", "forget"))
    assert intent.memory_reason
    refused = intent_of(name, use_memory=False)
    assert not refused.need_memory
    assert "not to use memory" in refused.memory_reason


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("Could you recap the things we talked about?", "summarise"),
        ("what's shown on the attached photograph?", "image"),
    ],
)
async def test_likeness_to_an_example_decides_where_an_embedder_is_to_read_all(
    local: LocalEmbedder, query: str, name: IntentName
) -> None:
    intent = await IntentDetector(embedder=local).detect(query, images=False, use_memory=True)
    assert intent.name == name


@pytest.mark.parametrize(
    "query",
    ["Summarise what I’ve said about sailing", "What’s my dog called? 🐶", "£5 – for what?", "I like the café."],
)
def test_english_is_english_whatever_marks_it_has(query: str) -> None:
    assert not may_not_be_english(query)


async def test_every_example_is_of_its_own_intent(local: LocalEmbedder) -> None:
    detector = IntentDetector(embedder=local)
    for name, text in example_utterances():
        assert (await detector.detect(text, images=False, use_memory=True)).name == name


@pytest.mark.parametrize(
    "query",
    [
        "you could forget about my dog one day",
        "I want my address out of your head",
        "My dog, remember him",
        "drop my number",
    ],
)
async def test_likeness_alone_never_stores_or_deletes(local: LocalEmbedder, query: str) -> None:
    assert {name for name, _ in example_utterances()}.isdisjoint({"remember", "forget"})
    for detector in (IntentDetector(local), IntentDetector(local, local)):
        assert (await detector.detect(query, images=False, use_memory=True)).name not in ("remember", "forget")


async def test_a_query_like_no_example_is_judged_by_what_it_does(local: LocalEmbedder) -> None:
    query = "zxqv 42 blorf?"
    vectors = await local.embed([query, *(text for _, text in example_utterances())])
    assert float((vectors[1:] @ vectors[0]).max()) < ALIKE
    assert (await IntentDetector(local, local).detect(query, images=False, use_memory=True)).name == "question"


async def test_what_a_query_does_decides_while_the_embedding_model_is_away(
    local: LocalEmbedder, scripted_model: ScriptedModel, model_settings: object
) -> None:
    from openai import AsyncOpenAI

    scripted_model.always(status(503), on="embeddings")
    async with AsyncOpenAI(base_url=scripted_model.url, api_key="sk-test", max_retries=0) as client:
        away = RemoteEmbedder(client, "m", deadline=2, breaker=CircuitBreaker("embedding"))
        intent = await IntentDetector(local, away).detect("recap our talk", images=False, use_memory=True)
        assert intent.name == "summarise"
        assert len(scripted_model.asked("embeddings")) > 0
