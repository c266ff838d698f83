"""What a question asks for is answered by what was told, and nothing else is told as knowledge."""

from datetime import UTC, datetime

import pytest

from agents.chat.answering import NEEDS_MODEL, NEVER_TOLD, NOT_KNOWN, ONCE
from agents.memory import Memory
from tests.conversations import say, told


@pytest.mark.parametrize(
    ("asked", "answers"),
    [
        ("What is my horse called and where does my uncle live?", ["Juniper", "Turku"]),
        ("where does my uncle live, and what is my rabbit called", ["Turku", "Momo"]),
        (
            "What is my rabbit called and who is my doctor?",
            ["Momo", "I don't know anything about “who is my doctor” yet"],
        ),
    ],
)
async def test_each_of_the_questions_that_a_message_joins_is_answered(
    quiet: Memory, asked: str, answers: list[str]
) -> None:
    await say(quiet, "My horse is called Juniper.", "My uncle lives in Turku.", "My rabbit is called Momo.")
    reply = await say(quiet, asked, session_id="s2")
    assert all(answer in reply for answer in answers)


@pytest.mark.parametrize(
    ("first", "second", "question", "answer"),
    [
        ("My desk at the studio is number 31", "My desk at the lab is number 8", "what's my desk at the studio?", "31"),
        (
            "My train on Friday leaves at 16:05",
            "My train on Sunday leaves at 19:20",
            "when's my train on Friday?",
            "16:05",
        ),
        ("My first bike was a Peugeot", "My third bike is a Trek", "what was my first bike?", "Peugeot"),
        ("The blue key opens the shed.", "The red key opens the garage.", "what does the blue key open?", "shed"),
        ("My cousin Lea lives in Ghent", "My boss Lea moved to Porto", "where does my cousin Lea live?", "Ghent"),
        ("Im Sommer fahre ich Rad", "Im Winter fahre ich Bus", "Was fahre ich im Sommer?", "Rad"),
    ],
)
async def test_what_is_said_of_two_things_is_no_version_of_one_of_them(
    quiet: Memory, first: str, second: str, question: str, answer: str
) -> None:
    await told(quiet, ("2026-05-04", first), ("2026-05-06", second))
    [reply] = (await say(quiet, question, session_id="s2")).splitlines()
    assert answer in reply


@pytest.mark.parametrize(
    ("said", "asked", "is_of_it"),
    [
        ("I see the vet on Thursday at 9:15", "what did I do the day before yesterday?", False),
        ("I see the vet on Thursday at 9:15", "what do I have on Thursday?", True),
        ("I saw the vet on Thursday at 9:15", "what did I do the day before yesterday?", True),
        ("The plumber is coming on Monday", "what is on the day after tomorrow?", True),
    ],
)
async def test_a_weekday_is_the_next_one_where_nothing_past_is_told(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch, said: str, asked: str, is_of_it: bool
) -> None:
    await told(quiet, ("2026-05-02", said))  # a Saturday
    monkeypatch.setattr("agents.chat.answering.now", lambda: datetime(2026, 5, 2, 12, tzinfo=UTC))
    assert (said in await say(quiet, asked, session_id="s2")) is is_of_it


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("draft a speech about my grandmother", "tell me about my grandmother"),
        ("My oven is a Neff.", "Tell me a riddle"),
        ("My oven is a Neff.", "Teach me a few words of Czech"),
        ("My oven is a Neff.", "What's 30% of 90?"),
    ],
)
async def test_what_was_requested_of_a_model_is_not_told_and_what_needs_one_says_so(
    quiet: Memory, said: str, asked: str
) -> None:
    await say(quiet, said)
    reply = await say(quiet, asked, session_id="s2")
    assert said not in reply and (reply == NEEDS_MODEL or reply.startswith(NOT_KNOWN))
    assert (reply == NEEDS_MODEL) is (said == "My oven is a Neff.")


@pytest.mark.parametrize(
    ("said", "asked", "answers"),
    [
        ("My uncle Jan lives in Riga", "where do I live?", False),
        ("My daughter Ines is allergic to bees", "what am I allergic to?", False),
        ("My uncle Jan lives in Riga", "where does my uncle live?", True),
        ("My daughter Ines is allergic to bees and so am I", "what am I allergic to?", True),
    ],
)
async def test_what_is_told_of_somebody_else_does_not_answer_what_the_user_asks_of_themselves(
    quiet: Memory, said: str, asked: str, answers: bool
) -> None:
    await say(quiet, said)
    assert (said in await say(quiet, asked, session_id="s2")) is answers


@pytest.mark.parametrize(
    ("asked", "zone", "answer"),
    [
        ("what's today's date?", None, "It's Tuesday, 30 June 2026."),
        ("which day is it", "Asia/Tokyo", "It's Wednesday, 1 July 2026."),
        ("What time is it now?", "Europe/Lisbon", "It's 21:05 (Europe/Lisbon)."),
        ("Wie spät ist es?", None, "It's 20:05 (UTC)."),
    ],
)
async def test_the_clock_says_what_day_it_is_and_nothing_that_was_told(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch, asked: str, zone: str | None, answer: str
) -> None:
    await say(quiet, "My alarm code is 5512 today.", "It's Monday and I'm off.")
    monkeypatch.setattr("agents.chat.answering.now", lambda: datetime(2026, 6, 30, 20, 5, tzinfo=UTC))
    assert await say(quiet, asked, session_id="s2", timezone=zone) == answer


@pytest.mark.parametrize(
    ("said", "asked", "answer"),
    [
        ("My cousin Aino teaches chemistry.", "What does she teach?", "chemistry"),
        ("My landlord is called Piotr.", "What is his name?", "Piotr"),
        ("My grandfather Otto collects stamps.", "what does he collect", "stamps"),
    ],
)
async def test_a_pronoun_means_whom_the_message_before_names(quiet: Memory, said: str, asked: str, answer: str) -> None:
    await say(quiet, said)
    assert answer in await say(quiet, asked)


@pytest.mark.parametrize("asked", ["Did I ever talk about {}?", "have I told you about {}", "Did I mention {} before?"])
async def test_whether_something_was_told_is_yes_or_no(quiet: Memory, asked: str) -> None:
    await say(quiet, "We adopted a parrot from the shelter.")
    assert (await say(quiet, asked.format("a parrot"), session_id="s2")).startswith("Yes. You told me")
    assert await say(quiet, asked.format("a tractor"), session_id="s3") == NEVER_TOLD


@pytest.mark.parametrize(
    ("told", "thing", "other"),
    [
        ("We have a ferret.", "a ferret", "a hamster"),
        ("It rained on the allotment.", "the allotment", "the greenhouse"),
        ("Tomorrow the kiln is fired.", "a kiln", "a loom"),
    ],
)
async def test_what_was_said_in_passing_was_mentioned(quiet: Memory, told: str, thing: str, other: str) -> None:
    await say(quiet, told)
    assert told in await say(quiet, f"Did I ever mention {thing}?", session_id="s2")
    assert await say(quiet, f"Have I ever mentioned {other}?", session_id="s3") == NEVER_TOLD


@pytest.mark.parametrize(
    "asked", ["what is 144/12", "What should I wear to a job interview?", "how do I poach an egg?"]
)
async def test_what_takes_a_model_says_so(quiet: Memory, asked: str) -> None:
    await say(quiet, "My bike is purple.")
    assert await say(quiet, asked, session_id="s2") == NEEDS_MODEL


@pytest.mark.parametrize(
    "asked",
    [
        "What did I ask you to remember?",
        "list everything I told you to keep in mind",
        "What did I note to self?",
        "My notes?",
    ],
)
async def test_all_that_was_to_be_remembered_is_listed(quiet: Memory, asked: str) -> None:
    await say(
        quiet, "remember that my desk is number 31", "remember that the alarm code is 9-4-2", "My bike is purple."
    )
    reply = await say(quiet, asked, session_id="s2")
    assert "31" in reply and "9-4-2" in reply and "purple" not in reply


@pytest.mark.parametrize(
    ("said", "now", "then"),
    [
        ("My aunt used to run a bakery.", "What does my aunt run?", "What did my aunt use to run?"),
        ("I studied in Leuven until 2015.", "Where do I study?", "Where did I study?"),
    ],
)
async def test_what_was_so_once_is_not_told_as_what_is(quiet: Memory, said: str, now: str, then: str) -> None:
    await say(quiet, said)
    assert (await say(quiet, now, session_id="s2")).startswith(ONCE)
    assert (await say(quiet, then, session_id="s3")).startswith("You told me")


@pytest.mark.parametrize(
    ("day", "said", "asked"),
    [
        ("2024-04-11", "I saw the optician yesterday.", "What did I do on 10 April 2024?"),
        ("2024-04-11", "Three days ago we climbed the tower.", "What did we do on 8 April 2024?"),
        ("2024-04-11", "Next Tuesday I sing at the town hall.", "What do I do on 16 April 2024?"),
        ("2024-04-11", "Last Sunday I baked a pie.", "What happened on 7 April 2024?"),
    ],
)
async def test_what_was_said_about_a_day_comes_before_what_was_said_on_it(
    quiet: Memory, day: str, said: str, asked: str
) -> None:
    asked_day = datetime.strptime(asked.split(" on ")[1].strip("?"), "%d %B %Y").replace(tzinfo=UTC).date().isoformat()
    await told(quiet, (asked_day, "I like ferns."), (day, said))
    quoted = (await say(quiet, asked, session_id="s2")).splitlines()
    assert said.strip(".") in quoted[0]
    assert "ferns" in quoted[1]


@pytest.mark.parametrize(
    ("before", "after", "asked", "now", "old"),
    [
        ("Choir practice is at 6:30.", "Choir practice is at 7:45.", "When is choir practice?", "7:45", "6:30"),
        (
            "The gamma launch is on 2 March.",
            "The launch was moved to 9 April.",
            "When is the launch?",
            "April",
            "March",
        ),
        ("My desk is in room 12.", "My desk is in room 40.", "Where is my desk?", "room 40", "room 12"),
    ],
)
async def test_of_two_values_the_newest_answers(
    quiet: Memory, before: str, after: str, asked: str, now: str, old: str
) -> None:
    await told(quiet, ("2024-02-02", before), ("2024-03-05", after))
    first, second = (await say(quiet, asked, session_id="s2")).splitlines()
    assert now in first
    assert second.startswith("(Until 2024-03-05: ") and old in second


@pytest.mark.parametrize(
    ("before", "after", "asked", "now", "others"),
    [
        ("I live in Ghent.", "I moved to Tallinn.", "Where do I live?", "Tallinn", "Ghent"),
        ("My bike is a Kona.", "I sold the Kona and bought a Trek.", "What is my bike?", "Trek", "Kona"),
        ("My vet is Dr. Amsel.", "I changed vets, I go to Dr. Moor now.", "Who is my vet?", "Moor", "Amsel"),
        ("I work at Ravn.", "I'm with Halm now.", "Where do I work?", "Halm", "Ravn"),
        ("I live in Ghent and I work at Ravn.", "I moved to Tallinn.", "Where do I work?", None, "Tallinn"),
    ],
)
async def test_what_replaced_an_answer_answers_and_the_other_stands_behind_it(
    quiet: Memory, before: str, after: str, asked: str, now: str | None, others: str
) -> None:
    await told(quiet, ("2024-02-02", before), ("2024-03-05", after))
    await quiet.engine.knowledge.queue.work()
    first, *rest = (await say(quiet, asked, session_id="s2")).splitlines()
    if now is None:
        assert others not in first
    else:
        assert now in first and others in rest[0] and rest[0].startswith("(Until 2024-03-05: ")


async def test_what_was_replaced_answers_what_was_so_before(quiet: Memory) -> None:
    await told(quiet, ("2024-02-02", "I live in Ghent."), ("2024-03-05", "I moved to Tallinn."))
    await quiet.engine.knowledge.queue.work()
    assert "Ghent" in (await say(quiet, "Where did I use to live?", session_id="s2")).splitlines()[0]


@pytest.mark.parametrize(
    ("was", "now", "asked"),
    [
        ("I live in Ghent.", "I moved to Tallinn.", "Where did I live before Tallinn?"),
        ("My phone number is 555-1234.", "My phone number is 555-9876 now.", "What was my old number?"),
        ("My seat is 12A.", "They changed my seat to 14C.", "What was my previous seat?"),
    ],
)
async def test_what_was_before_is_told_with_what_took_its_place(quiet: Memory, was: str, now: str, asked: str) -> None:
    await told(quiet, ("2024-02-02", was), ("2024-03-05", now))
    await quiet.engine.knowledge.queue.work()
    first, second = (await say(quiet, asked, session_id="s2")).splitlines()
    assert was in first and first.startswith("(Until 2024-03-05: ") and now in second


async def test_how_old_somebody_is_asks_for_what_is(quiet: Memory) -> None:
    await told(quiet, ("2024-02-02", "My daughter is 5 years old."), ("2025-02-02", "My daughter is 6 years old."))
    await quiet.engine.knowledge.queue.work()
    assert "6" in (await say(quiet, "How old is my daughter?", session_id="s2")).splitlines()[0]


@pytest.mark.parametrize("request_", ["Write a limerick about my uncle", "Give me a soup recipe", "Tell me a story"])
async def test_requests_are_not_what_is_known_of_the_user(quiet: Memory, request_: str) -> None:
    await say(quiet, "My uncle lives in Turku.", request_)
    reply = await say(quiet, "What do you know about me?")
    assert "Turku" in reply and request_ not in reply


@pytest.mark.parametrize(
    ("told", "corrected", "asked", "now", "once"),
    [
        ("My sewing class is on Tuesday.", "Actually it is on Thursday.", "When is my sewing class?", "Thurs", "Tues"),
        (
            "The demo deadline is 9 May.",
            "Actually the deadline is 4 June.",
            "When is the demo deadline?",
            "June",
            "May",
        ),
        ("The meeting is at 9.", "Actually, it's at 10.", "When is the meeting?", "10", "9"),
        ("The party is at Tom's place.", "Correction: it is at Ann's.", "Where is the party?", "Ann's", "Tom's"),
        ("The gate code is 4711.", "Sorry, it's 4712.", "What's the gate code?", "4712", "4711"),
    ],
)
async def test_a_correction_that_does_not_name_what_it_is_of_answers(
    quiet: Memory, told: str, corrected: str, asked: str, now: str, once: str
) -> None:
    for text in (told, corrected):
        await say(quiet, text)
        await quiet.engine.knowledge.queue.work()
    answer = await say(quiet, asked, session_id="s2")
    assert now in answer and once not in answer


async def test_what_was_told_of_yesterday_is_not_of_the_day_it_was_told_on(quiet: Memory) -> None:
    await told(quiet, ("2023-05-08", "I went to the dentist yesterday."))
    assert "dentist" in await say(quiet, "What did I do on 7 May 2023?")
    assert "dentist" not in await say(quiet, "What did I do on 8 May 2023?")
    assert "dentist" in await say(quiet, "What did I tell you on 8 May 2023?")


@pytest.mark.parametrize(
    ("asked", "answer"),
    [("Who did I call on 9 July 2024?", "I called Omar yesterday."), ("Who did I call on 8 July 2024?", NOT_KNOWN)],
)
async def test_what_was_told_of_yesterday_answers_for_its_date(quiet: Memory, asked: str, answer: str) -> None:
    await told(quiet, ("2024-07-10", "I called Omar yesterday."))
    assert answer in await say(quiet, asked)


async def test_of_two_of_which_facts_hold_none_is_an_older_version(quiet: Memory) -> None:
    for text in ("My cat is called Momo.", "My cat Momo hates carrots."):
        await say(quiet, text)
        await quiet.engine.knowledge.queue.work()
    answer = await say(quiet, "What does my cat hate?", session_id="s2")
    assert "carrots" in answer and "called" not in answer


async def test_what_was_asked_before_takes_nothing_from_what_answers(quiet: Memory) -> None:
    await say(quiet, "My sister Eva is a dentist.")
    for asked in ("What's her job?", "What does my sister do?", "What does Eva like?"):
        await say(quiet, asked, session_id="s2")
    assert "dentist" in await say(quiet, "What does Eva do?", session_id="s2")


@pytest.mark.parametrize("asked", ["wats my favourite colour", "whats my favorite color", "wat is my favourite colour"])
async def test_a_slip_in_the_word_that_asks_is_read_over(quiet: Memory, asked: str) -> None:
    await say(quiet, "My favourite colour is teal.")
    assert "teal" in await say(quiet, asked, session_id="s2")


@pytest.mark.parametrize("told", ["Dont remember this: my PIN is 4455", "Off the record: I hate my boss."])
async def test_what_is_not_to_be_kept_leaves_nothing(quiet: Memory, told: str) -> None:
    assert await say(quiet, told, project="new") == "All right, I won't remember that."
    collections = quiet.engine.store.collections
    for kept in (collections.vectors, collections.sessions, collections.projects):
        assert await kept.count_documents({}) == 0


async def test_who_forgets_a_thing_does_not_ask_for_silence(quiet: Memory) -> None:
    await say(quiet, "Don't forget this: my PIN is 4455.")
    assert "4455" in await say(quiet, "What is my PIN?", session_id="s2")


@pytest.mark.parametrize(
    ("told", "asked", "answer"),
    [
        ("I live in Ghent with my husband Joris.", "What is my husband's name?", "Joris"),
        ("I share a flat with my friend Milo.", "What is my friend's name?", "Milo"),
        ("I drove to Split with my wife Vesna.", "What is my wife's name?", "Vesna"),
    ],
)
async def test_what_a_fact_answers_the_message_of_it_does(quiet: Memory, told: str, asked: str, answer: str) -> None:
    await say(quiet, told)
    await quiet.engine.knowledge.queue.work()
    await quiet.engine.gists.queue.step()
    assert f"{answer}" in await say(quiet, asked, session_id="s2")


@pytest.mark.parametrize(
    ("first", "second", "asked", "answer"),
    [
        ("I love Italian food.", "I hate Thai food.", "What food do I love?", "I love Italian food."),
        ("My brother likes jazz.", "My brother hates rock.", "What music does my brother like?", "likes jazz."),
    ],
)
async def test_what_is_liked_and_what_is_not_are_two_things(
    quiet: Memory, first: str, second: str, asked: str, answer: str
) -> None:
    for text in (first, second):
        await say(quiet, text)
        await quiet.engine.knowledge.queue.work()
    said = await say(quiet, asked, session_id="s2")
    assert answer in said and "Until" not in said


async def test_a_question_is_answered_whatever_goes_on_behind_it_however_often(quiet: Memory) -> None:
    await say(quiet, "My recital is on Friday at 14:00.")
    for behind in ("Use bullet points.", "One word, please.", "I forgot.", "Format it as JSON."):
        assert "Friday at 14:00" in await say(quiet, f"When is my recital? {behind}", session_id="s2"), behind
    assert await say(quiet, "Guess what? I won a prize!") == "Noted. I'll remember that."
