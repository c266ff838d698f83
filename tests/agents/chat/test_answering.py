"""Answers without a model: quotes of what was told, dated and newest first, and silence where nothing is likely."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from agents.chat.answering import NEEDS_MODEL, NOT_ASKED, NOTHING_DELETED
from agents.chat.context import HistoryItem
from agents.chat.passages import statements
from agents.memory import Memory
from memory.domain import RULE_BASED
from tests.conversations import START, UNKNOWN, USER, messages, pairs, request, say, settle, turn
from tests.scripted_model import ScriptedModel, status
from tests.scripted_model import answer as completion

IDA = (
    "My dog is called Rollo and he's a whippet.",
    "I work as a tax adviser in Ghent.",
    "My sister Noor lives in Antwerp.",
    "The bike shed code is 6613.",
    "Dentist appointment is on 4 May at 10:30.",
    "I'm allergic to strawberries.",
)
FRITZ = (
    "Meine Katze heißt Minka.",
    "Mein Bruder arbeitet in Linz.",
    "Der Zug nach Graz fährt um 7:52.",
    "Die WLAN-Passwort ist apfelbaum12.",
)


@pytest.mark.parametrize(
    ("told", "question", "expected"),
    [
        (IDA, "what's my dog called?", "Rollo"),
        (IDA, "Where does my sister live?", "Antwerp"),
        (IDA, "code for the bike shed", "6613"),
        (IDA, "any idea when my dentist appointment is", "4 May"),
        (IDA, "What am I allergic to?", "strawberries"),
        (FRITZ, "Wie heißt meine Katze?", "Minka"),
        (FRITZ, "Wo arbeitet mein Bruder?", "Linz"),
        (FRITZ, "What is my cat called?", "Minka"),
    ],
)
async def test_what_was_told_answers_whatever_form_the_question_has(
    quiet: Memory, told: tuple[str, ...], question: str, expected: str
) -> None:
    await say(quiet, *told)
    answer = await say(quiet, question, session_id="s2")
    assert answer.startswith("You told me: “") and expected in answer.splitlines()[0]


@pytest.mark.parametrize(
    ("told", "question"),
    [
        (IDA, "Where does my brother live?"),
        (IDA, "When is my hairdresser appointment?"),
        (IDA, "What is the capital of Peru?"),
        (IDA, "what's the code for the gym?"),
        (IDA, "What is Noor allergic to?"),
        (FRITZ, "Wo arbeitet meine Schwester?"),
        (FRITZ, "Wann fährt der Zug nach Salzburg?"),
        ((), "Where do I live?"),
        (("Room 12 has the projector.",), "What does room 14 have?"),
    ],
)
async def test_near_misses_are_not_quoted(quiet: Memory, told: tuple[str, ...], question: str) -> None:
    await say(quiet, "Hello!", *told)
    assert (await say(quiet, question, session_id="s2")).startswith(UNKNOWN)


async def test_the_first_conversation_of_the_readme(quiet: Memory) -> None:
    await say(quiet, "My dog is called Biscuit.", session_id="monday")
    finished = await quiet.chat(request("What is my dog's name?", "tuesday"))
    assert finished.answer.text == "You told me: “My dog is called Biscuit.” [1]"
    assert finished.answer.model == RULE_BASED
    assert finished.context.bundle is not None
    [citation], [hit] = finished.answer.citations, finished.context.bundle.recall.hits
    assert (citation.n, citation.content, citation.role) == (1, "My dog is called Biscuit.", "user")
    assert citation.score == hit.score


async def test_a_message_of_another_day_carries_it(quiet: Memory) -> None:
    await quiet.add(USER, "s1", [turn("m1", "I went to the dentist yesterday.")], wait=True)
    answer = await say(quiet, "When did I go to the dentist?", session_id="s2")
    assert answer == "You told me on 2025-03-01: “I went to the dentist yesterday.” [1]"


@pytest.mark.parametrize(
    ("before", "after", "question"),
    [
        ("My manager is Gustavo.", "My new manager is Wen.", "Who is my manager?"),
        ("The rent is 940 euros.", "The rent went up to 1100 euros.", "How much is the rent?"),
        ("Choir practice is on Mondays.", "Choir practice moved to Thursdays.", "When is choir practice?"),
        ("Ich wohne in Bremen.", "Ich wohne jetzt in Köln.", "Wo wohne ich?"),
    ],
)
async def test_of_two_that_say_the_same_the_newer_comes_first_and_an_older_one_is_marked(
    quiet: Memory, before: str, after: str, question: str
) -> None:
    await quiet.add(USER, "s1", [turn("m1", before), turn("m2", after, timestamp=START + timedelta(days=9))], wait=True)
    first, *others = (await say(quiet, question, session_id="s2")).splitlines()
    assert first == f"You told me on 2025-03-10: “{after}” [1]"
    assert others in ([], [f"(Until 2025-03-10: you told me on 2025-03-01: “{before}”) [2]"])


async def test_what_was_so_before_is_marked(quiet: Memory) -> None:
    said = [turn("m1", "The rent is 940 euros."), turn("m2", "The rent went up to 1100 euros."), turn("m3", IDA[1])]
    await quiet.add(USER, "s1", said, wait=True)
    answer = await say(quiet, "How much is the rent?", session_id="s2")
    assert answer.splitlines() == [
        "You told me on 2025-03-01: “The rent went up to 1100 euros.” [1]",
        "(Until 2025-03-01 12:02: you told me on 2025-03-01: “The rent is 940 euros.”) [2]",
    ]


async def test_questions_and_requests_are_never_quoted_as_what_was_told(quiet: Memory) -> None:
    asked = "What is the code of my bike lock?"
    await say(quiet, asked, "Summarise what I said about my bike lock", "forget the code of my bike lock")
    assert (await say(quiet, asked, session_id="s2")).startswith(UNKNOWN)


async def test_an_answer_of_the_assistant_is_quoted_as_such_and_one_by_rules_never(quiet: Memory) -> None:
    said = turn("a1", "The wedding cake should be lemon with poppy seeds.", "assistant", model="gpt-4o-mini")
    by_rules = turn("a2", "The wedding cake should be chocolate.", "assistant", model=RULE_BASED)
    await quiet.add(USER, "s1", [turn("q1", "Any ideas?"), said, by_rules], wait=True)
    answer = await say(quiet, "Which wedding cake should it be?", session_id="s2")
    assert answer == f"I told you on 2025-03-01: “{said.content}” [1]"


async def test_a_named_speaker_is_named(quiet: Memory) -> None:
    await quiet.add(USER, "s1", [turn("m1", "I ran a charity race.", "assistant", name="Melanie")], wait=True)
    answer = await say(quiet, "Who ran a charity race?", session_id="s2")
    assert answer == "Melanie said on 2025-03-01: “I ran a charity race.” [1]"


@pytest.mark.parametrize(
    ("asked", "question", "kept"),
    [
        ("remember that my wifi password is hunter2", "what is my wifi password?", "wifi password: hunter2"),
        ("Remind me that the gate code is 4711", "What is the gate code?", "gate code: 4711"),
        ("Note to self: buy milk", "What did I note to self?", "buy milk"),
    ],
)
async def test_what_the_user_asked_to_remember_is_told_once(
    quiet: Memory, asked: str, question: str, kept: str
) -> None:
    assert await say(quiet, asked) == f"I'll remember: {kept}."
    answer = await say(quiet, question, session_id="s2")
    assert answer == f"You asked me to remember: {kept} [1]"


async def test_what_was_just_kept_is_corrected_as_a_fact_and_under_its_key(quiet: Memory) -> None:
    for text in ("remember that my shoe size is 39", "No, it's 40."):
        await say(quiet, text)
        await quiet.engine.knowledge.queue.work()
    assert (await quiet.engine.chats.keyvalues.get(USER, "shoe size")).value == "40"
    assert [fact.text for fact in await quiet.engine.knowledge.facts.in_force(USER)] == ["The user's shoe size is 40."]
    answer = await say(quiet, "What is my shoe size?", session_id="s2")
    assert "40" in answer and "39" not in answer


async def test_a_key_that_ends_beyond_ascii_is_forgotten_with_what_stated_it(quiet: Memory) -> None:
    await say(quiet, "I like trains.", "remember that my café is Blau", "My café is Blau.")
    await quiet.engine.knowledge.queue.work()
    answer = await say(quiet, "forget my café", session_id="s2")
    assert answer == "I have forgotten “café” and the messages in which you told me."
    said = [one["content"] for session in ("s1", "s2") for one in await messages(quiet, session)]
    assert "I like trains." in said and not any("Blau" in text for text in said)
    assert [fact.text for fact in await quiet.engine.knowledge.facts.in_force(USER)] == ["The user likes trains."]


async def test_what_a_model_said_of_the_user_is_no_evidence_when_it_is_away(
    with_model: Memory, scripted_model: ScriptedModel
) -> None:
    scripted_model.script(completion("Your favourite cheese is Gouda."))
    await say(with_model, "Do you have any ideas for the party?")
    said = turn("a1", "Your sister lives in Lyon.", "assistant", model="gpt-4o-mini")
    await with_model.add(USER, "s2", [turn("q1", "Any ideas?"), said], wait=True)
    scripted_model.always(status(503))
    for asked in ("What is my favourite cheese?", "Where does my sister live?"):
        for session in ("s1", "s2", "s3"):
            assert (await say(with_model, asked, session_id=session)).startswith(UNKNOWN)


@pytest.mark.parametrize(
    "text", ["I like trains.", "my sister moved to Lyon last week", "dentist on Friday", "Mein Hund ist krank."]
)
async def test_what_tells_something_new_is_noted(quiet: Memory, text: str) -> None:
    await say(quiet, *IDA)
    assert await say(quiet, text, session_id="s2") == "Noted. I'll remember that."


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("hi", "Hello! How can I help?"),
        ("thanks a lot!", "You're welcome."),
        ("bye", "Goodbye. I'll remember what we talked about."),
        ("Danke schön!", "All right."),
        ("yes", "All right."),
        ("?", "What would you like to know?"),
        ("summarise our conversation", "There is nothing to summarise yet."),
        ("Write a poem about my dog", NEEDS_MODEL),
        ("Schreib mir ein Gedicht über meinen Hund", NEEDS_MODEL),
    ],
)
async def test_what_needs_no_memory_has_a_plain_answer(quiet: Memory, query: str, answer: str) -> None:
    assert await say(quiet, query) == answer


async def test_who_asks_to_delete_what_no_rule_understands_is_told_how(quiet: Memory) -> None:
    assert await say(quiet, "delete this conversation") == NOTHING_DELETED


async def test_without_memory_the_answer_says_that_it_did_not_look(quiet: Memory) -> None:
    await say(quiet, "My dog is called Biscuit.")
    assert await say(quiet, "What is my dog called?", use_memory=False) == NOT_ASKED


async def test_the_place_that_a_request_tells_is_told(quiet: Memory) -> None:
    assert "Lisbon, Portugal" in await say(quiet, "Where am I?", location="Lisbon, Portugal")


async def test_all_that_is_known_is_what_was_to_be_remembered_and_then_what_was_told(quiet: Memory) -> None:
    await say(quiet, "remember that my dog is Biscuit", *IDA, *(f"what is thing {n}?" for n in range(4)))
    lines = (await say(quiet, "what do you know about me?")).splitlines()
    assert lines[0] == "You asked me to remember: dog: Biscuit [1]"
    assert any("Ghent" in line for line in lines) and not any("thing" in line for line in lines)


async def test_of_a_time_that_is_asked_for_alone_is_told_what_was_said_then(quiet: Memory) -> None:
    runs = {(2025, 6, 20): "Ran 4 km in 26 minutes.", (2025, 10, 4): "Ran 7 km, slow.", (2025, 10, 23): "Ran 9 km."}
    said = [
        turn(f"run{n}", text, timestamp=datetime(*day, 18, tzinfo=UTC)) for n, (day, text) in enumerate(runs.items())
    ]
    await quiet.add(USER, "s2", said, wait=True)
    assert (await say(quiet, "What did I do in October 2025?")).splitlines() == [
        "You told me on 2025-10-04: “Ran 7 km, slow.” [1]",
        "You told me on 2025-10-23: “Ran 9 km.” [2]",
    ]


PIXEL = (
    "My cat Pixel ate a lily this morning.",
    "I baked rye bread today.",
    "The vet kept Pixel over night.",
    "Pixel is home again and purrs.",
)


@pytest.mark.parametrize(
    ("query", "told", "left_out"),
    [
        ("Summarise what happened with Pixel", ["lily", "vet", "purrs"], ["bread"]),
        ("Give me a summary of our conversation", ["lily", "rye bread", "purrs"], []),
        ("Summarise what we said about submarines", ["nothing about that", "lily", "rye bread"], []),
        ("Fasse unser Gespräch zusammen.", ["lily", "rye bread"], ["nothing"]),
    ],
)
async def test_a_summary_is_of_what_is_asked_for(
    quiet: Memory, query: str, told: list[str], left_out: list[str]
) -> None:
    await say(quiet, *PIXEL)
    answer = await say(quiet, query)
    assert [word for word in told if word not in answer] == [word for word in left_out if word in answer] == []


async def test_a_summary_of_a_time_is_of_what_was_said_then(quiet: Memory) -> None:
    later = replace(turn("m2", "We moved into the new flat."), timestamp=START + timedelta(days=70))
    await quiet.add(USER, "s1", [turn("m1", "We painted the kitchen."), later], wait=True)
    answer = await say(quiet, "Summarise what I told you in May 2025", session_id="s2")
    assert "flat" in answer and "kitchen" not in answer


async def test_a_long_conversation_is_summarised_by_its_summaries_and_what_came_after(quiet: Memory) -> None:
    await quiet.add(USER, "s1", [turn("m1", "We decided to launch on 3 March."), *pairs(10)][:20])
    await settle(quiet)
    await say(quiet, "My sister Ana moved to Porto.")
    answer = await say(quiet, "summarise our conversation")
    assert "launch on 3 March" in answer and "Ana moved to Porto" in answer


async def test_stored_summaries_and_prompts_hold_statements_and_no_questions(quiet: Memory) -> None:
    await say(quiet, *("Who is Denise?", "What's on 1 December?") * 4, "I like opera.", "Where is my hat?")
    await say(quiet, *("Who is Denise?", "What's on 1 December?") * 5, session_id="s2")
    stored = await quiet.engine.chats.summaries.of_session(USER, "s1")
    assert [one.text for one in stored] == ["- I like opera."]
    assert await say(quiet, "Summarise our conversation", session_id="s1") == "- I like opera."


async def test_what_a_request_brings_of_its_history_is_quoted_without_a_citation(quiet: Memory) -> None:
    history = (HistoryItem("user", "My canoe is called Otter."), HistoryItem("assistant", "Nice!"))
    finished = await quiet.chat(request("What is my canoe called?", history=history))
    assert finished.answer.text == "You told me: “My canoe is called Otter.”"
    assert finished.answer.citations == ()


@pytest.mark.parametrize(
    ("content", "passages"),
    [
        ("Hello! I have a dog. His name is Rollo.", ["I have a dog. His name is Rollo."]),
        ("The plumber takes 85. Is that a lot? He comes on Friday.", ["The plumber takes 85. … He comes on Friday."]),
        ("What is my name?", []),
        ("Thanks a lot!", []),
    ],
)
def test_what_a_message_states_is_told_together_without_questions(content: str, passages: list[str]) -> None:
    assert statements(content, by_user=True) == passages


def test_a_long_message_has_several_passages_of_whole_sentences() -> None:
    sentences = [f"This is sentence number {n} of a rather long message." for n in range(9)]
    passages = statements(" ".join(sentences), by_user=True)
    assert len(passages) > 1 and " ".join(passages) == " ".join(sentences)
    assert all(len(passage) <= 160 for passage in passages)
