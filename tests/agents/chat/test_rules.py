"""Are answers without a model useful, and honest where nothing is known?"""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from agents.memory import Memory
from memory.domain import RULE_BASED
from tests.conversations import START, UNKNOWN, USER, pairs, request, say, settle, turn
from utils.clock import now

ANN = (
    "I live in Lisbon and work as a nurse.",
    "I am allergic to peanuts.",
    "My sister Ana gets married on 14 June 2025.",
    "I have two cats, Tom and Jerry.",
)
BEN = (
    "The project deadline is March 3rd.",
    "We decided to use PostgreSQL for the database.",
    "My manager is called Petra.",
    "My plane to Oslo departs at 9 am on Friday.",
)
CLEO = (
    "My favourite colour is blue.",
    "My birthday is on 12 May.",
    "I parked the car on level 3.",
    "My locker number is 12.",
    "I play the cello in an orchestra.",
)


async def test_a_question_is_answered_at_once_from_the_same_session(quiet: Memory) -> None:
    await quiet.chat(request("my dog is called Biscuit"))  # not even embedded yet
    finished = await quiet.chat(request("what is my dog's name?"))
    assert finished.answer.text == "You told me: “my dog is called Biscuit” [1]"
    assert finished.answer.model == RULE_BASED
    (citation,) = finished.answer.citations
    assert (citation.n, citation.content, citation.role) == (1, "my dog is called Biscuit", "user")


async def test_a_question_is_answered_from_another_session(quiet: Memory) -> None:
    await say(quiet, "my dog is called Biscuit", session_id="s1")
    assert await say(quiet, "what is my dog's name?", session_id="s2") == "You told me: “my dog is called Biscuit” [1]"


@pytest.mark.parametrize(
    ("told", "question", "expected"),
    [
        (ANN, "where do I live?", "Lisbon"),
        (ANN, "what is my job?", "nurse"),
        (ANN, "what am I allergic to?", "peanuts"),
        (ANN, "when does my sister get married?", "14 June"),
        (ANN, "when is Ana's wedding?", "14 June"),
        (ANN, "how many cats do I have?", "two cats"),
        (ANN, "what are my cats called?", "Tom and Jerry"),
        (ANN, "do you remember my cats?", "Tom and Jerry"),
        (BEN, "when is the deadline?", "March 3rd"),
        (BEN, "which database did we choose?", "PostgreSQL"),
        (BEN, "what did we decide about the database?", "PostgreSQL"),
        (BEN, "who is my boss?", "Petra"),
        (BEN, "when does my flight leave?", "9 am on Friday"),
        (CLEO, "what's my favorite color?", "blue"),
        (CLEO, "when is my birthday?", "12 May"),
        (CLEO, "where did I park the car?", "level 3"),
        (CLEO, "what is my locker number?", "12"),
        (CLEO, "what instrument do I play?", "cello"),
    ],
)
async def test_what_a_user_told_answers_the_questions_about_it(
    quiet: Memory, told: tuple[str, ...], question: str, expected: str
) -> None:
    await say(quiet, *told)
    answer = await say(quiet, question)
    assert expected in answer
    assert answer.startswith("You told me")
    assert answer.count("\n") <= 1


@pytest.mark.parametrize(
    ("told", "question"),
    [
        (ANN, "what is the capital of France?"),
        (ANN, "what is my brother's name?"),
        (ANN, "what is my dog's name?"),
        (ANN, "how old is my car?"),
        (BEN, "when is my brother's birthday?"),
        (BEN, "what is the wifi password?"),
        (CLEO, "what colour is my car?"),
        (CLEO, "what is my phone number?"),
        (CLEO, "when is my mother's birthday?"),
        ((), "what is my dog's name?"),
    ],
)
async def test_what_nobody_told_is_not_known(quiet: Memory, told: tuple[str, ...], question: str) -> None:
    await say(quiet, "Hello!", *told)
    assert (await say(quiet, question)).startswith(UNKNOWN)


async def test_a_question_is_not_answered_with_a_question_or_a_request_to_forget(quiet: Memory) -> None:
    await say(quiet, "what is my dog's name?", "tell me my dog's name", "forget my dog's name")
    assert (await say(quiet, "what is my dog's name?")).startswith(UNKNOWN)


async def test_a_fact_is_told_once_with_the_message_that_stated_it_left_out(quiet: Memory) -> None:
    await say(quiet, "remember that my wifi password is hunter2")
    for session in ("s1", "s2"):
        answer = await say(quiet, "what is my wifi password?", session_id=session)
        assert answer == "You asked me to remember: wifi password: hunter2 [1]"


async def test_a_fact_whose_key_is_made_of_its_value_is_told_by_its_value_alone(quiet: Memory) -> None:
    assert await say(quiet, "remember that I prefer window seats") == "I'll remember: I prefer window seats."
    answer = await say(quiet, "which seats do I prefer?")
    assert answer == "You asked me to remember: I prefer window seats [1]"


async def test_sentences_of_a_short_message_are_told_together(quiet: Memory) -> None:
    await say(quiet, "Hello! I have a dog. His name is Biscuit and he is 4.")
    assert "His name is Biscuit" in await say(quiet, "what is my dog's name?")


async def test_other_languages_are_answered_by_likeness_and_shared_words(quiet: Memory) -> None:
    await say(quiet, "Ich wohne in Berlin.", "Mein Hund heißt Rex.")
    assert "Rex" in await say(quiet, "Wie heißt mein Hund?")
    assert "Berlin" in await say(quiet, "Wo wohne ich?")


async def test_a_changed_fact_is_told_as_it_is_now(quiet: Memory) -> None:
    await say(quiet, "remember that my dog is called Rex", "remember that my dog is called Biscuit")
    answer = await say(quiet, "what is my dog called?", session_id="s2")
    assert "Biscuit" in answer
    assert "Rex" not in answer


async def test_what_is_known_of_the_user_is_listed(quiet: Memory) -> None:
    await say(quiet, "remember that my dog is Biscuit", *ANN, *(f"what is thing {n}?" for n in range(8)))
    answer = await say(quiet, "what do you know about me?")
    assert "dog: Biscuit" in answer
    assert "Lisbon" in answer
    assert "thing" not in answer


async def test_an_answer_of_the_assistant_is_quoted_as_such(quiet: Memory) -> None:
    said = turn("a1", "The wedding cake should be lemon with poppy seeds.", "assistant", model="gpt-4o-mini")
    await quiet.add(USER, "s1", [turn("q1", "Any ideas?"), said], wait=True)
    answer = await say(quiet, "which wedding cake should it be?")
    assert answer == "I told you: “The wedding cake should be lemon with poppy seeds.” [1]"


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("hi", "Hello! How can I help?"),
        ("thanks a lot!", "You're welcome."),
        ("bye", "Goodbye. I'll remember what we talked about."),
        ("yes", "All right."),
        ("I like trains.", "Noted. I'll remember that."),
        ("summarise our conversation", "There is nothing to summarise yet."),
    ],
)
async def test_small_talk_and_statements_have_plain_answers(quiet: Memory, query: str, answer: str) -> None:
    assert await say(quiet, query) == answer


async def test_a_short_conversation_is_summarised_from_its_first_message(quiet: Memory) -> None:
    await say(quiet, *BEN, "when is the deadline?", *(f"and what is thing {n}?" for n in range(4)))
    answer = await say(quiet, "summarise our conversation")
    assert "The project deadline is March 3rd." in answer
    assert "We decided to use PostgreSQL for the database." in answer


async def test_a_long_conversation_is_summarised_by_its_summaries_and_what_came_after(quiet: Memory) -> None:
    await quiet.add(USER, "s1", [turn("m1", "We decided to launch on 3 March."), *pairs(10)][:20])
    await settle(quiet)
    await say(quiet, "My sister Ana moved to Porto.")
    answer = await say(quiet, "summarise our conversation")
    assert "launch on 3 March" in answer
    assert "Ana moved to Porto" in answer


async def test_without_memory_the_answer_says_that_it_did_not_look(quiet: Memory) -> None:
    await say(quiet, "my dog is called Biscuit")
    answer = await say(quiet, "what is my dog called?", use_memory=False)
    assert answer.startswith("I did not look into my memory")


async def test_a_relative_time_is_told_with_the_day_on_which_it_was_said(quiet: Memory) -> None:
    await quiet.add(USER, "s1", [turn("m1", "I went to the dentist yesterday.")], wait=True)
    answer = await say(quiet, "When did I go to the dentist?", session_id="s2")
    assert answer == "You told me on 2025-03-01: “I went to the dentist yesterday.” [1]"


@pytest.mark.parametrize(
    ("said", "answered"),
    [
        ("please don't remember this: my salary is 1234", "What is said here is kept."),
        ("Write a poem about my dog", "I can't do that without a language model."),
        ("Translate hello to French", "I can't do that without a language model."),
        ("Who are you?", "I'm Loci, and I remember."),
    ],
)
async def test_what_rules_cannot_do_is_not_promised(quiet: Memory, said: str, answered: str) -> None:
    assert (await say(quiet, said)).startswith(answered)


async def test_a_named_speaker_is_named(quiet: Memory) -> None:
    await quiet.add(USER, "s1", [turn("m1", "I ran a charity race.", "assistant", name="Melanie")], wait=True)
    assert await say(quiet, "Who ran a charity race?", session_id="s2") == "Melanie said: “I ran a charity race.” [1]"


async def test_a_question_about_the_place_is_answered_by_the_request_itself(quiet: Memory) -> None:
    assert "Lisbon, Portugal" in await say(quiet, "Where am I?", location="Lisbon, Portugal")


@pytest.mark.parametrize("text", ["Danke schön!", "спасибо", "Merci beaucoup", "Danke dir", "Danke euch, alles klar"])
async def test_a_courtesy_of_another_language_is_not_noted(quiet: Memory, text: str) -> None:
    assert await say(quiet, text) == "All right."


async def test_of_a_period_that_is_named_is_told_what_was_said_then(quiet: Memory) -> None:
    runs = {(2025, 6, 20): "Ran 4 km in 26 minutes.", (2025, 10, 4): "Ran 7 km, slow.", (2025, 10, 23): "Ran 9 km."}
    said = [
        turn(f"run{number}", text, timestamp=datetime(*day, 18, tzinfo=UTC))
        for number, (day, text) in enumerate(runs.items())
    ]
    await quiet.add(USER, "s2", said)
    await settle(quiet)
    answer = await say(quiet, "How many km ran I in October 2025?")
    assert "You told me on 2025-10-04: “Ran 7 km, slow.”" in answer
    assert "2025-10-23" in answer
    assert "26 minutes" not in answer


async def test_what_names_the_period_itself_was_said_at_any_time(quiet: Memory) -> None:
    await quiet.add(USER, "s2", [turn("m1", "My flight to Rome is on 12 October 2025.", timestamp=START)])
    await settle(quiet)
    assert "12 October" in await say(quiet, "When is my flight to Rome in October 2025?")


THINGS = ("cup", "hat", "pen", "key", "lamp", "coin", "ring", "book")
PIXEL = (
    "My cat Pixel ate a lily this morning.",
    "I baked rye bread today.",
    "The vet kept Pixel over night.",
    "The bread was too dark.",
    "Pixel is home again and purrs.",
)


@pytest.mark.parametrize(
    ("query", "told", "left_out"),
    [
        ("Summarise what happened with Pixel", ["lily", "vet", "purrs"], ["bread"]),
        ("please recap the story of the rye bread", ["rye bread"], ["Pixel"]),
        ("Give me a summary of our conversation", ["lily", "rye bread", "purrs"], []),
        ("tl;dr", ["lily", "rye bread", "purrs"], []),
        ("Summarise what we said about submarines", ["nothing about that", "lily", "rye bread"], []),
        ("Summarise our chat in French, please", ["lily", "rye bread", "purrs"], ["nothing"]),
        ("What did we talk about today?", ["lily", "rye bread", "purrs"], []),
    ],
)
async def test_a_summary_is_of_what_is_asked_for(
    quiet: Memory, query: str, told: list[str], left_out: list[str]
) -> None:
    await say(quiet, *PIXEL)
    answer = await say(quiet, query)
    assert [word for word in told if word not in answer] == [word for word in left_out if word in answer] == []


async def test_a_summary_of_a_subject_is_in_order_and_cites_what_was_said(quiet: Memory) -> None:
    await say(quiet, *PIXEL)
    finished = await quiet.chat(request("Summarise what happened with Pixel"))
    assert [one.content for one in finished.answer.citations] == [text for text in PIXEL if "Pixel" in text]


async def test_a_summary_of_a_time_is_of_what_was_said_then(quiet: Memory) -> None:
    later = replace(turn("m2", "We moved into the new flat."), timestamp=START + timedelta(days=70))
    await quiet.add(USER, "s1", [turn("m1", "We painted the kitchen."), later], wait=True)
    answer = await say(quiet, "Summarise what I told you in May 2025", session_id="s2")
    assert "flat" in answer and "kitchen" not in answer


@pytest.mark.parametrize(
    "question",
    ["Was habe ich im Mai 2025 erzählt?", "¿Qué pasó en mayo de 2025?", "Qu'est-ce qui s'est passé en mai 2025 ?"],
)
async def test_a_time_named_in_another_language_is_answered_by_what_was_said_then(quiet: Memory, question: str) -> None:
    later = replace(turn("m2", "Swantje kam nach Lisboa."), timestamp=START + timedelta(days=70))
    await quiet.add(USER, "s1", [turn("m1", "Matthis kam nach Kiel."), later], wait=True)
    answer = await say(quiet, question, session_id="s2")
    assert "Lisboa" in answer and "Kiel" not in answer


@pytest.mark.parametrize(
    ("length", "lines"),
    [
        ("in 3 bullet points", 3),
        ("in two short sentences", 2),
        ("in 1 line", 1),
        ("in 8 points", 8),
    ],
)
async def test_a_summary_is_as_long_as_it_is_asked_to_be(quiet: Memory, length: str, lines: int) -> None:
    await say(quiet, *[f"My {thing} is kept in box {number}." for number, thing in enumerate(THINGS)])
    for query in (f"Summarise our chat {length}", f"Summarise what I told you about my box {length}"):
        answer = await say(quiet, query)
        assert len(answer.splitlines()) == lines
        assert "nothing" not in answer


async def test_a_request_for_a_summary_is_not_summarised(quiet: Memory) -> None:
    await say(quiet, *PIXEL)
    for query in (
        "Summarise what happened with Zanzibar",
        "recap last week",
        "tl;dr",
        "List everything about Zanzibar.",
    ):
        await say(quiet, query)
    for query in ("Summarise what happened with Zanzibar", "TL;DR please", "What do you know about me?"):
        answer = await say(quiet, query)
        assert "Zanzibar" not in answer and "recap" not in answer and "tl;dr" not in answer


async def test_a_summary_of_a_subject_tells_what_was_repeated_once(quiet: Memory) -> None:
    await say(quiet, *["Pixel purrs."] * 7, "Pixel ate a lily.")
    answer = await say(quiet, "Summarise what happened with Pixel")
    assert answer.count("purrs") == 1
    assert "lily" in answer


@pytest.mark.parametrize("when", ["last week", "in the last ten days", "lately, in the past two weeks"])
async def test_a_summary_of_a_time_that_is_relative_to_now(quiet: Memory, when: str) -> None:
    said = {"m1": ("We painted the kitchen.", 90), "m2": ("We moved into the new flat.", 7)}
    turns = [turn(name, text, timestamp=now() - timedelta(days=days)) for name, (text, days) in said.items()]
    await quiet.add(USER, "s1", turns, wait=True)
    answer = await say(quiet, f"Summarise what I told you {when}", session_id="s2")
    assert "flat" in answer and "kitchen" not in answer


@pytest.mark.parametrize("query", ["What's my name?", "what is my name", "Who am I?", "What do I do for a living?"])
async def test_who_has_introduced_themselves_is_known(quiet: Memory, query: str) -> None:
    await say(quiet, "I'm Ann and I work as a nurse.", "My sister Clara lives in Lisbon.", "I like trains.")
    await settle(quiet)
    for session in ("s1", "s2"):
        assert "I'm Ann" in await say(quiet, query, session_id=session)


async def test_a_citation_has_the_score_of_the_search(quiet: Memory) -> None:
    await quiet.add(USER, "s1", [turn("m1", "My dog is called Biscuit.")], wait=True)
    finished = await quiet.chat(request("What is my dog called?", session_id="s2"))
    assert finished.context.bundle is not None
    [citation], [hit] = finished.answer.citations, finished.context.bundle.recall.hits
    assert citation.score == hit.score


async def test_what_tells_before_it_asks_answers(quiet: Memory) -> None:
    told = "My blood pressure was 151 over 94 this morning, should I worry?"
    answer = await say(quiet, told, "The plumber takes 85 an hour. Is that a lot?", "What was my blood pressure?")
    assert "My blood pressure was 151 over 94 this morning" in answer
    assert "85 an hour" in await say(quiet, "How much does the plumber take?")
    assert (await say(quiet, "The roofer takes 70. Is that a lot?")).startswith("I'll remember what you told me.")


async def test_courtesies_are_not_told_of_a_day(quiet: Memory) -> None:
    await say(quiet, "I sold the boat.", "Thanks a lot!", "lol")
    answer = await say(quiet, "What did I tell you today?")
    assert "I sold the boat." in answer
    assert "Thanks" not in answer and "lol" not in answer


async def test_who_is_asked_what_somebody_did_then_tells_what_they_said(quiet: Memory) -> None:
    said = [
        turn("m1", "Did 120 miles with the club today.", name="Daniel", timestamp=datetime(2025, 6, 13, tzinfo=UTC)),
        turn("m2", "I did one hour of pottery.", name="Priya", timestamp=datetime(2025, 6, 13, 1, tzinfo=UTC)),
        turn("m3", "Sprocket hates fireworks.", name="Daniel", timestamp=datetime(2025, 11, 5, tzinfo=UTC)),
    ]
    await quiet.add(USER, "chat", said, wait=True)
    answer = await say(quiet, "What did Daniel do in June?")
    assert "120 miles" in answer
    assert "pottery" not in answer and "fireworks" not in answer


HEALTH = (
    "I have been diagnosed with type 2 diabetes.",
    "I take metformin twice a day.",
    "My blood pressure was 145 over 90.",
)


@pytest.mark.parametrize("asked", ["Give me a summary of my health", "Summarise my state of health"])
async def test_a_summary_is_of_what_belongs_to_its_subject_without_its_words(quiet: Memory, asked: str) -> None:
    await say(quiet, *HEALTH, session_id="s1")
    await say(quiet, "My mortgage is with Nordea.", "I play the cello.", "We fly to Lisbon on 3 May.", session_id="s2")
    await say(quiet, "Who is Denise?", "What's happening on 1 December?", session_id="s3")
    told = await say(quiet, asked, session_id="s3")
    assert [line.split("“")[1].split("”")[0] for line in told.splitlines()] == list(HEALTH)


@pytest.mark.parametrize("subject", ["my chess games", "quantum physics", "what I said of Denise", "my flight LX40"])
async def test_a_summary_of_what_was_never_spoken_of_says_so(quiet: Memory, subject: str) -> None:
    await say(quiet, *HEALTH, "My sister is called Anna.", "We fly to Lisbon on 3 May.", session_id="s1")
    asked = f"Summarise {subject}"
    assert await say(quiet, "Who is Denise?", asked, session_id="s2") == "I found nothing about that."
    assert (await say(quiet, asked, session_id="s1")).startswith("I found nothing about that. In all:\n- I have been")


async def test_stored_summaries_and_prompts_hold_statements_and_no_questions(quiet: Memory) -> None:
    await say(quiet, *("Who is Denise?", "What's on 1 December?") * 4, "I like opera.", "Where is my hat?")
    await say(quiet, *("Who is Denise?", "What's on 1 December?") * 5, session_id="s2")
    stored = await quiet.engine.chats.summaries.of_session(USER, "s1")
    assert [one.text for one in stored] == ["- I like opera."]
    assert [one.text for one in await quiet.engine.chats.summaries.newest(USER, "s2", 3)] == ["- I like opera."]
    assert await say(quiet, "Summarise our conversation", session_id="s1") == "- I like opera."
