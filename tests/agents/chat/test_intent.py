"""Is it seen what the user wants, and whether memory is needed?"""

from pathlib import Path
from time import perf_counter
from typing import get_args

import pytest

from agents.chat.context import IntentName
from agents.chat.intent import ALIKE, IntentDetector, example_utterances, intent_of, is_small_talk, name_by_keywords
from memory.language.languages import may_not_be_english
from tests.scripted_model import ScriptedModel, status
from utils.circuit import CircuitBreaker
from utils.embeddings import LocalEmbedder
from utils.encoder import DIMENSIONS, MODEL, load_encoder
from utils.remote_embedder import RemoteEmbedder

TABLE: dict[IntentName, tuple[str, ...]] = {
    "question": (
        "What is the capital of France?",
        "what is my dog's name",
        "How do I boil an egg?",
        "When do I have to summarise our talk for my boss?",
        "Is it raining",
        "tell me about my cats",
        "explain photosynthesis",
        "What should I say to my boss?",
        "who said to be or not to be?",
        "Can you swim",
    ),
    "chat": (
        "I had a long day at work.",
        "My dog is called Biscuit",
        "hi",
        "Thank you!",
        "Yes",
        "Have a nice day!",
        "What a day!",
        "Can't wait to see you",
        "Will is my brother",
        "I love the weather in Spain",
        "I want to hang the picture in the hall",
        "I forgot my keys",
        "I can't remember my password",
        "My summary of the book is short",
    ),
    "recall": (
        "What did I tell you about my holiday?",
        "do you remember my dog?",
        "Remember what I told you about Rome",
        "When did we talk about Rome?",
        "Have I ever mentioned my brother to you?",
        "remind me what we decided last week",
        "What do you know about me?",
        "last time we spoke of Rome",
        "Did I tell you about the summary of the book?",
    ),
    "remember": (
        "remember that my wifi password is hunter2",
        "Don't forget that I am vegan.",
        "please remember: the code is 12",
        "Can you remember that my dog is Rex?",
    ),
    "forget": ("forget my wifi password", "Please forget everything about my dog.", "can you forget my address?"),
    "summarise": (
        "Summarise our conversation so far.",
        "Summarise what I told you about Rome",
        "recap",
        "tl;dr",
        "Can you give me a summary of this chat?",
        "Give me 3 bullet points summarising our chat",
        "List the key points of our last conversation",
        "What are the highlights of this discussion?",
    ),
    "image": ("What do you see in this picture?", "describe the attached screenshot", "Who is in my photo?"),
    "location": (
        "Where is the nearest pharmacy?",
        "restaurants near me",
        "What's the weather like today?",
        "How do I get to the station?",
    ),
}


@pytest.mark.parametrize(("name", "query"), [(name, query) for name, queries in TABLE.items() for query in queries])
def test_the_words_of_a_query_tell_its_intent(name: IntentName, query: str) -> None:
    assert name_by_keywords(query, images=False) == name


def test_the_table_has_every_intent() -> None:
    assert set(TABLE) == set(get_args(IntentName))


def test_an_attached_image_is_what_a_question_is_about_but_not_a_request_to_remember() -> None:
    assert name_by_keywords("What is this?", images=True) == "image"
    assert name_by_keywords("hi", images=True) == "image"
    assert name_by_keywords("remember that my dog is Rex", images=True) == "remember"


@pytest.mark.parametrize(
    "query", ["hi", "Hello there!", "Hi, how are you?", "ok, thanks a lot!", "Good morning", "bye"]
)
def test_small_talk_needs_no_memory(query: str) -> None:
    assert is_small_talk(query)
    intent = intent_of(name_by_keywords(query, images=False), query, use_memory=True)
    assert (intent.name, intent.need_memory) == ("chat", False)


@pytest.mark.parametrize("query", ["yes", "No", "sure!", "Hi, my name is Ann", "thanks for the tip on Rome"])
def test_what_means_something_after_what_was_said_before_needs_memory(query: str) -> None:
    assert intent_of(name_by_keywords(query, images=False), query, use_memory=True).need_memory


@pytest.mark.parametrize(("name", "needed"), [(name, name not in ("remember", "forget")) for name in TABLE])
def test_memory_is_needed_for_all_but_storing_and_deleting(name: IntentName, needed: bool) -> None:
    intent = intent_of(name, "anything at all", use_memory=True)
    assert intent.need_memory is needed
    assert intent.memory_reason
    refused = intent_of(name, "anything at all", use_memory=False)
    assert not refused.need_memory
    assert "not to use memory" in refused.memory_reason


@pytest.mark.parametrize(
    "text", ["what i " * 5_000, "hi " * 10_000, "remember " * 3_500, "please " * 4_500, "a" * 32_000]
)
def test_an_intent_is_found_quickly_in_the_longest_query(text: str) -> None:
    began = perf_counter()
    name_by_keywords(text, images=False)
    assert perf_counter() - began < 0.5


@pytest.fixture
def local(home: Path) -> LocalEmbedder:
    return LocalEmbedder(load_encoder(home), model=MODEL, dimensions=DIMENSIONS)


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("Could you recap the things we talked about?", "summarise"),
        ("what's shown on the attached photograph?", "image"),
        ("is there a pharmacy close to where I am?", "location"),
        ("a very short summary please of our conversation", "summarise"),
        ("I just adopted a kitten", "chat"),
    ],
)
async def test_likeness_to_an_example_finds_what_keywords_do_not(
    local: LocalEmbedder, query: str, name: IntentName
) -> None:
    intent = await IntentDetector(embedder=local).detect(query, images=False, use_memory=True)
    assert intent.name == name


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("Kannst du zusammenfassen, was wir besprochen haben?", "summarise"),
        ("Riassumi la nostra conversazione", "summarise"),
        ("Faça um resumo da nossa conversa", "summarise"),
        ("Podsumuj naszą rozmowę", "summarise"),
        ("请概括一下刚才聊的内容", "summarise"),
        ("우리 대화를 요약해 줘", "summarise"),
        ("Was habe ich dir über meinen Urlaub erzählt?", "recall"),
        ("Помнишь, что я говорил о брате?", "recall"),
        ("Où est la pharmacie la plus proche ?", "location"),
        ("Wann kommt mein Bruder?", "question"),
        ("ما اسم كلبي؟", "question"),
        ("Do mojej pracy jadę godzinę.", "chat"),
        ("Die Zusammenfassung des Buches war langweilig.", "chat"),
        ("Notre conversation d'hier m'a fait du bien.", "chat"),
        ("Mein Bruder kommt am Freitag.", "chat"),
        ("Mein Hund heißt Biscuit und ist ein Spaniel.", "chat"),
        ("Am 12. Mai fliege ich nach Lissabon.", "chat"),
        ("I do remember the café, and what a summary it was.", "chat"),
    ],
)
async def test_in_other_languages_likeness_to_an_example_tells(
    local: LocalEmbedder, query: str, name: IntentName
) -> None:
    assert (await IntentDetector(local).detect(query, images=False, use_memory=True)).name == name


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


@pytest.mark.parametrize("query", ["remember that my dog is Rex", "forget my dog"])
async def test_likeness_alone_never_stores_or_deletes(local: LocalEmbedder, query: str) -> None:
    assert {name for name, _ in example_utterances()}.isdisjoint({"remember", "forget"})
    intent = await IntentDetector(embedder=local).detect(query, images=False, use_memory=True)
    assert intent.name == query.split()[0]


async def test_a_query_like_no_example_is_judged_by_its_words(local: LocalEmbedder) -> None:
    query = "zxqv 42 blorf?"
    assert (
        float(
            (await local.embed([query, *(t for _, t in example_utterances())]) @ (await local.embed([query]))[0])[
                1:
            ].max()
        )
        < ALIKE
    )
    assert (await IntentDetector(embedder=local).detect(query, images=False, use_memory=True)).name == "question"


async def test_keywords_decide_while_the_embedding_model_is_away(
    scripted_model: ScriptedModel, model_settings: object
) -> None:
    from openai import AsyncOpenAI

    scripted_model.always(status(503), on="embeddings")
    async with AsyncOpenAI(base_url=scripted_model.url, api_key="sk-test", max_retries=0) as client:
        away = RemoteEmbedder(client, "m", deadline=2, breaker=CircuitBreaker("embedding"))
        detector = IntentDetector(embedder=away)
        assert (await detector.detect("recap", images=False, use_memory=True)).name == "summarise"
        assert len(scripted_model.asked("embeddings")) > 0
        scripted_model.always(None, on="embeddings")
        assert (
            await detector.detect("Summarise our conversation so far.", images=False, use_memory=True)
        ).name == "summarise"
