"""What a user asks to be kept is kept, and only what was meant is deleted."""

import asyncio
from typing import Any

import pytest
from pymongo.errors import OperationFailure

from agents.chat.keeper_agent import NOTHING_STORED, OTHER_WAYS, SPOKEN_OF, WHICH
from agents.memory import Memory
from memory.domain import KeyValue, Turn
from memory.facts.rules.keeping import StatedValue, values_stated
from memory.oversight.saying import Saying
from tests.conversations import USER, messages, request, say, settle, turn
from utils.clock import now
from utils.errors import NotFound


async def values(memory: Memory, owner: str = USER) -> dict[str, str]:
    return {fact.key: fact.value for fact, _ in await memory.engine.chats.keyvalues.page(owner, limit=50, after=None)}


async def test_remember_keeps_a_fact_and_says_so(quiet: Memory) -> None:
    asked = request("remember that my wifi password is hunter2")
    finished = await quiet.chat(asked)
    assert finished.answer.text == "I'll remember: wifi password: hunter2."
    assert finished.context.ran == ("keeper_agent", "writer_agent")
    fact = await quiet.engine.chats.keyvalues.get(USER, "wifi password")
    assert (fact.value, fact.source) == ("hunter2", f"{asked.turn_id}.prompt")


async def test_a_changed_fact_is_told_with_what_was_before(quiet: Memory) -> None:
    await say(quiet, "remember that my dog is Rex")
    assert await say(quiet, "remember that my dog is Biscuit") == "I'll remember: dog: Biscuit (before: Rex)."


@pytest.mark.parametrize(
    ("keep", "correction", "key", "value"),
    [
        ("remember that my collar size is 41", "No, it's 42.", "collar size", "42"),
        ("remember that my locker is number 12", "Sorry, I meant 21.", "locker", "number 21"),
        ("remember that my horse is called Juno", "Actually it's Luna.", "horse", "Luna"),
        ("remember that my gate code is 4711", "No, my gate code is 4712.", "gate code", "4712"),
    ],
)
async def test_what_was_just_kept_is_corrected(quiet: Memory, keep: str, correction: str, key: str, value: str) -> None:
    assert (await say(quiet, keep, correction)).startswith("I'll remember: ")
    assert await values(quiet) == {key: value}
    await say(quiet, "I went for a walk.", "No, it's 77.")
    assert await values(quiet) == {key: value}


async def test_what_was_kept_again_is_corrected_too(quiet: Memory) -> None:
    await say(quiet, "remember that my bay is called Oak", "No, it's Elm.", "remember that my gate is 4")
    await say(quiet, "remember that my bay is called Elm", "No, it's Oak.")
    assert await values(quiet) == {"bay": "Oak", "gate": "4"}


@pytest.mark.parametrize(
    ("asked", "question", "answer"),
    [
        ("Could you please remember my parking spot is B7", "what is my parking spot?", "B7"),
        ("Would you remember that we left the key with Ute?", "who did we leave the key with?", "Ute"),
        ("Can you remember that Jonas returns on Friday?", "When does Jonas return?", "Friday"),
        ("can you keep in mind that the heating is off on Sundays?", "When is the heating off?", "Sundays"),
    ],
)
async def test_what_is_asked_politely_to_be_kept_is_found(
    quiet: Memory, asked: str, question: str, answer: str
) -> None:
    assert (await say(quiet, asked)).startswith("I'll remember: ")
    assert answer in await say(quiet, question, session_id="s2")


async def test_what_is_asked_of_something_by_its_name_is_not_kept(quiet: Memory) -> None:
    for asked in ("Can you remember that Netflix series I told you about?", "can you remember that Italian place?"):
        assert not (await say(quiet, asked)).startswith("I'll remember: ")


async def test_what_says_something_else_of_the_same_is_kept_beside_it(quiet: Memory) -> None:
    told = await say(quiet, "remember that my wife is called Elin", "remember that my wife is a teacher")
    assert told == "I'll remember: wife's job: a teacher."
    assert await values(quiet) == {"wife": "Elin", "wife's job": "a teacher"}
    assert "Elin" in (await say(quiet, "What's my wife's name?", session_id="s2")).splitlines()[0]
    assert "a teacher" in await say(quiet, "What is my wife's job?", session_id="s2")
    told = await say(quiet, "remember that my wife is a nurse")
    assert told == "I'll remember: wife's job: a nurse (before: a teacher)."


async def test_what_was_kept_of_old_under_one_key_is_found_and_changed_there(quiet: Memory) -> None:
    await quiet.engine.chats.keyvalues.put(USER, "wife", "a teacher")
    await say(quiet, "remember that my wife is called Elin", "remember that my wife is a nurse")
    assert await values(quiet) == {"wife": "a nurse", "wife's name": "Elin"}
    assert "Elin" in await say(quiet, "What's my wife's name?", session_id="s2")


async def test_forgetting_names_what_is_still_stored_of_the_same(quiet: Memory) -> None:
    await say(quiet, "My wife is a teacher.", "remember that my wife is called Elin")
    await say(quiet, "remember that my wife is a teacher", "remember that my dog food is Acana")
    assert (await say(quiet, "forget my wife")).startswith(
        "I have forgotten “wife” and the messages in which you told me. Still stored: “wife's job”."
    )
    await say(quiet, "forget my wife's job")
    assert await values(quiet) == {"dog food": "Acana"}
    assert not any("teacher" in one["content"] for one in await messages(quiet))


async def test_two_statements_at_once_are_both_kept(quiet: Memory) -> None:
    both = ("remember that my dog is Rex", "remember that my dog is 7")
    await asyncio.gather(*(say(quiet, one, session_id=one[-3:]) for one in both))
    assert sorted((await values(quiet)).values()) == ["7", "Rex"]


async def test_forget_deletes_the_fact_and_every_exchange_that_stated_it(quiet: Memory) -> None:
    await say(quiet, "remember that my PIN is 4711", session_id="s2")
    await say(quiet, "I like trains.", "remember that my PIN is 4711", "remember that my dog is Rex")
    answer = await say(quiet, "forget my PIN")
    assert answer == "I have forgotten “pin” and the messages in which you told me."
    assert await values(quiet) == {"dog": "Rex"}
    said = [one["content"] for session in ("s1", "s2") for one in await messages(quiet, session)]
    assert not any("4711" in text for text in said)
    assert "I like trains." in said
    assert not any("4711" in hit.gist.content for hit in (await quiet.search(USER, "my PIN is 4711")).hits)


@pytest.mark.parametrize(
    "said",
    [
        "My PIN is 4471",
        "Btw, my PIN is 4471.",
        "Hello! By the way: my pin is  4471!",
        "our PIN was 4471",
        "The PIN is 4471, by the way.",
        "My PIN is 4471 and stays so.",
    ],
)
async def test_forget_deletes_what_said_it_without_being_asked_to_remember_it(quiet: Memory, said: str) -> None:
    others = [
        "My pin board is green.",
        "Bob says: my PIN is 99",
        "Is my PIN safe?",
        "Actually, my PIN is 12 now",
    ]
    await say(quiet, said, *others, session_id="s2")
    await quiet.add(USER, "s3", [turn("m1", "My PIN is 4471", name="Bob")])
    await say(quiet, "remember that my PIN is 4471", "What is my PIN?")
    await say(quiet, said, owner="bob")
    answer = await say(quiet, "forget my PIN")
    assert answer == f"I have forgotten “pin” and the messages in which you told me. {SPOKEN_OF}"
    left = [one["content"] for session in ("s1", "s2") for one in await messages(quiet, session)]
    assert not any("4471" in text for text in left)
    assert set(others) <= set(left)
    assert [one["content"] for one in await messages(quiet, "s3")] == ["My PIN is 4471"]  # somebody else's
    assert said in [one["content"] for one in await messages(quiet, "s1", "bob")]


@pytest.mark.parametrize("said", ["I like opera.", "i like Opera!", "My PIN for the shed is 7781."])
async def test_forget_deletes_a_message_that_says_just_that(quiet: Memory, said: str) -> None:
    await say(quiet, said)
    await say(quiet, "I like opera and my PIN for the shed is 7781, you know.", session_id="s2")
    assert await say(quiet, f"Forget that {said}", session_id="s3") == "I have forgotten that."
    left = [one["content"] for session in ("s1", "s2", "s3") for one in await messages(quiet, session)]
    assert left[0] == "I like opera and my PIN for the shed is 7781, you know." and len(left) == 3


async def test_a_value_is_taken_out_whole_and_no_part_of_other_words(quiet: Memory) -> None:
    await say(quiet, "remember that my grade is A", "remember that my grade is A plus")
    told = [turn("m1", "Your grade is A plus, bravo! It was A.", "assistant")]
    await quiet.add(USER, "s2", told)
    await say(quiet, "forget my grade")
    assert [one["content"] for one in await messages(quiet, "s2")] == ["Your grade is …, bravo! It was …."]


def test_what_a_text_states_takes_no_longer_for_blanks() -> None:
    assert values_stated("my" + " " * 100_000 + "pin", "pin") == []
    assert values_stated('My PIN is "".', "pin") == []
    assert values_stated("My sister’s phone is 555 123.", "sister's phone") == [StatedValue("555 123", own=True)]
    assert values_stated("The PIN is 4471, by the way!", "PIN") == [StatedValue("4471", own=False)]


@pytest.mark.parametrize(
    ("told", "forgotten", "said", "stays"),
    [
        ("my rent is 1", "my rent", "My rent is 1,200 euros a month.", True),
        ("my sister is called Ann", "my sister", "My sister is called Ann Marie's friend.", True),
        ("my car is red", "my car", "The car is red in the photo that Petra took.", True),
        ("my code is A1", "my code", "My code is A1b.", True),
        ("my PIN is 4471", "my PIN", "My PIN is 4471, and never changes.", False),
    ],
)
async def test_a_value_that_only_begins_alike_is_another(
    quiet: Memory, told: str, forgotten: str, said: str, stays: bool
) -> None:
    await say(quiet, said, session_id="s1")
    await say(quiet, f"remember that {told}", session_id="s2")
    assert "I have forgotten" in await say(quiet, f"forget {forgotten}", session_id="s2")
    assert (said in [one["content"] for one in await messages(quiet, "s1")]) is stays


@pytest.mark.parametrize("meant", ["hello", "that. Where is my boat?", "where is my boat", "it! Which day is it?"])
async def test_what_names_nothing_that_was_told_deletes_nothing(quiet: Memory, meant: str) -> None:
    said = ["Hello", "Where is my boat?", "Where is my boat", "My boat is in Kiel."]
    await say(quiet, *said)
    await say(quiet, f"forget {meant}")
    assert {*said} <= {one["content"] for one in await messages(quiet, "s1")}


async def test_facts_near_what_was_forgotten_are_named(quiet: Memory) -> None:
    await say(quiet, "remember that my shed key is under the mat", "My shed is green.", session_id="s1")
    answer = await say(quiet, "forget that my shed is green", session_id="s2")
    assert answer == "I have forgotten that. Still stored: “shed key”."


async def test_a_fact_that_was_not_exactly_meant_is_named_and_stays(quiet: Memory) -> None:
    await say(quiet, "remember that my dog food is Acana")
    answer = await say(quiet, "forget my dog")
    assert "nothing was deleted" in answer
    assert "“dog food”" in answer
    assert await values(quiet) == {"dog food": "Acana"}


async def test_what_is_known_of_it_besides_is_said(quiet: Memory) -> None:
    await say(quiet, "My locker has a dent.", session_id="gym", proxied=True)
    await say(quiet, "remember that my locker is number 12")
    await quiet.engine.knowledge.queue.work()
    await quiet.learn("bob", "My locker is number 40.", "pool")
    answer = await say(quiet, "forget my locker")
    assert answer.endswith("Still known: “The user's locker has a dent.”.")
    assert [fact.text for fact in await quiet.engine.knowledge.facts.in_force(USER)] == [
        "The user's locker has a dent."
    ]


async def test_nothing_of_another_user_is_forgotten(quiet: Memory) -> None:
    await say(quiet, "remember that my PIN is 4711", owner="bob")
    assert "nothing was deleted" in await say(quiet, "forget my PIN")
    assert await values(quiet, "bob") == {"pin": "4711"}
    assert len(await messages(quiet, "s1", "bob")) == 2


async def test_a_request_to_remember_tried_again_keeps_one_version(quiet: Memory) -> None:
    for _ in range(2):
        await quiet.chat(request("remember that my dog is Rex", turn_id="t1", retried=True))
    assert (await quiet.engine.chats.keyvalues.get(USER, "dog")).version == 1
    assert len(await messages(quiet)) == 2


async def test_a_question_back_keeps_nothing(quiet: Memory) -> None:
    await say(quiet, "do you remember my dog?", "remember what I told you", "can you remember my dog's name?")
    assert await values(quiet) == {}


@pytest.mark.parametrize(
    "all_of_it",
    [
        "everything",
        "all you know",
        "my data",
        "all of my messages",
        "everything about me",
        "all my data",
        "everything you know about me",
        "all the information you have about me",
    ],
)
async def test_everything_is_not_forgotten_by_a_word(quiet: Memory, all_of_it: str) -> None:
    await say(quiet, "remember that my PIN is 4711")
    answer = await say(quiet, f"forget {all_of_it}")
    assert "nothing was deleted" in answer and "DELETE /v1/users" in answer
    assert "4711" in await say(quiet, "What is my PIN?")


async def test_forgetting_leaves_no_trace_of_the_value_nor_in_answers_that_told_it(quiet: Memory) -> None:
    await say(quiet, "remember that my vault is 31337", "what is my vault?", "what number is my locker?")
    answer = await say(quiet, "forget that my vault is 31337")
    assert answer == "I have forgotten “vault” and the messages in which you told me."
    database = quiet.engine.store.collections.vectors.database
    for name in await database.list_collection_names():
        assert "31337" not in str(await database[name].find({}).to_list(None)), name
    assert "31337" not in await say(quiet, "what is my vault?", session_id="s2")


async def test_a_fact_that_is_deleted_while_it_is_stored_is_no_error(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    await say(quiet, "Remember that my locker is 42.")

    async def gone(*_: object) -> list[KeyValue]:
        raise NotFound("No such memory")

    monkeypatch.setattr(quiet.engine.chats.keyvalues, "history", gone)
    assert await say(quiet, "Remember that my locker is 43.") == "I'll remember: locker: 43."


async def test_a_thing_of_which_one_fact_is_kept_is_forgotten_by_its_name(quiet: Memory) -> None:
    await say(quiet, "remember that my wife is called Elin", "remember that my wife is a teacher", "forget Elin")
    assert "I have forgotten" in await say(quiet, "forget my wife")
    assert "teacher" not in await say(quiet, "What does my wife do?")


async def left(memory: Memory, *sessions: str) -> list[str]:
    """What the user said that is still stored."""
    said = [one for session in sessions or ("s1",) for one in await messages(memory, session)]
    return [one["content"] for one in said if one["role"] == "user"]


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("My passport number is 533201987", "my passport number"),
        ("Btw, my passport number is 533201987!", "my passport number please"),
        ("The wifi password is hunter2.", "the wifi password"),
        ("I have a nut allergy.", "my allergy"),
        ("I've got a nut allergy", "my nut allergy"),
        ("I moved to Oslo in May.", "my home"),
        ("I work for Nokia.", "my employer"),
        ("I live in Oslo.", "where I live"),
        ("I'm 34 years old", "how old I am"),
        ("I was born on 3 May 1990.", "my birthday"),
        ("I am a nurse.", "my job"),
        ("My name is Ben.", "my name"),
        ("My sister's phone number is 555 12 12.", "my sister's phone number"),
        ("My boss is called Fatima.", "my boss's name"),
    ],
)
async def test_what_was_said_is_forgotten_by_its_name(quiet: Memory, said: str, meant: str) -> None:
    others = ["My phone number is 12.", "My brother is a baker and lives in Rome.", "I have a dog.", "What is that?"]
    await say(quiet, said, *others)
    await quiet.add(USER, "s2", [turn("m1", said, name="Bob")])
    await say(quiet, said, owner="bob")
    assert await say(quiet, f"forget {meant}", session_id="s3") == "I have forgotten that."
    assert await left(quiet, "s1", "s2", "s3") == [*others, said]
    assert len(await messages(quiet, "s1", "bob")) == 2


async def test_of_several_values_none_is_forgotten_and_each_is_named(quiet: Memory) -> None:
    await say(quiet, "My PIN is 4471.", "My PIN is 99, I think.", "My PIN is 4471!", "My PIN is 12?")
    answer = await say(quiet, "forget my PIN")
    assert answer == f"{WHICH}\n- My PIN is 4471.\n- My PIN is 99, I think.\n- My PIN is 4471!"
    assert await say(quiet, "forget that my PIN is 4471") == "I have forgotten that."
    assert await left(quiet) == ["My PIN is 99, I think.", "My PIN is 12?", "forget my PIN"]
    assert not any("4471" in one["content"] for one in await messages(quiet))
    assert await say(quiet, "forget my PIN") == "I have forgotten that."


async def test_what_a_message_says_besides_stays(quiet: Memory) -> None:
    await say(quiet, "I like tea. My PIN is 4471 and I live in Oslo. Is that so?", "What is my PIN?")
    assert await say(quiet, "forget my PIN") == "I have forgotten that."
    assert await left(quiet) == ["I like tea. I live in Oslo. Is that so?", "What is my PIN?"]
    assert not any("4471" in one["content"] for one in await messages(quiet))
    await settle(quiet)
    assert "Oslo" in (await quiet.search(USER, "Where do I live?")).hits[0].gist.content


async def test_an_earlier_request_that_named_the_value_goes_too(quiet: Memory) -> None:
    assert "nothing was deleted" in await say(quiet, "forget that my PIN is 4471")
    await say(quiet, "My PIN is 4471.", session_id="s2")
    assert await say(quiet, "forget that my PIN is 4471", session_id="s2") == "I have forgotten that."
    kept = [*await messages(quiet), *await messages(quiet, "s2")]
    assert "4471" not in str([message["content"] for message in kept])  # an id may have any digits


async def test_what_the_assistant_said_of_it_is_told_without_the_value(quiet: Memory) -> None:
    await quiet.add(USER, "s1", [turn("m1", "My PIN is 4471."), turn("m2", "Your PIN is 4471, noted.", "assistant")])
    assert await say(quiet, "forget my PIN", session_id="s2") == "I have forgotten that."
    assert [one["content"] for one in await messages(quiet)] == ["Your PIN is …, noted."]


async def test_facts_of_what_is_forgotten_go_with_it_whichever_door_it_was_told_by(quiet: Memory) -> None:
    await say(quiet, "My PIN is 4471.", session_id="bank", proxied=True)
    await say(quiet, "I work as a nurse.", "My cat food is Acana.")
    await quiet.engine.knowledge.queue.work()
    assert len(await quiet.engine.knowledge.facts.in_force(USER)) == 3
    assert await say(quiet, "forget my PIN", session_id="s2") == "I have forgotten that."
    assert await say(quiet, "forget my job", session_id="bank", proxied=True) == "I have forgotten that."
    assert NOTHING_STORED in await say(quiet, "forget my cat")
    assert [fact.text for fact in await quiet.engine.knowledge.facts.in_force(USER)] == [
        "The user's cat food is Acana."
    ]


@pytest.mark.parametrize("meant", ["my shoe size", "my cat", "Elin", "that my cat is grey", "the shed"])
async def test_what_is_not_known_is_refused_with_other_ways(quiet: Memory, meant: str) -> None:
    said = ["My cat food is Acana.", "My sister's shoe size is 38.", "I like the shed.", "What is my shoe size?"]
    await say(quiet, *said)
    assert await say(quiet, f"forget {meant}") == f"{NOTHING_STORED} {OTHER_WAYS}"
    assert await left(quiet) == [*said, f"forget {meant}"]


@pytest.mark.parametrize(
    ("asked", "gone"),
    [
        ("forget my kayak", {"The user's kayak is red.", "The user's kayak is green."}),
        ("forget that I have a canoe", {"The user has a canoe."}),
        ("forget that I work in Turku", {"The user works in Turku."}),
        ("forget that I like chess", set()),
    ],
)
async def test_facts_that_no_message_states_are_forgotten_with_those_that_they_replaced(
    quiet: Memory, asked: str, gone: set[str]
) -> None:
    async def known() -> set[str]:
        page = await quiet.engine.knowledge.facts.page(USER, limit=9, ended=True)
        return {fact.text for fact, _ in page}

    for text in ("My kayak is red.", "My kayak is green.", "I have a canoe.", "I work in Turku."):
        await quiet.learn(USER, text)
    before = await known()
    assert "default" not in await say(quiet, asked)
    assert before - await known() == gone


async def test_of_several_facts_that_may_be_meant_none_is_forgotten(quiet: Memory) -> None:
    for text in ("My sister Eva is a dentist.", "My sister Eva has a dog."):
        await quiet.learn(USER, text)
    answer = await say(quiet, "forget my sister Eva")
    assert "Which one?" in answer and "- The user's sister Eva has a dog." in answer
    assert len(await quiet.engine.knowledge.facts.page(USER, limit=9)) == 2


async def test_forgetting_that_cannot_find_what_stated_it_changes_nothing(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refused(*_: Any) -> None:
        raise OperationFailure("Regular expression is too long", 51091)

    await say(quiet, "remember that my ode is long")
    before = await messages(quiet)
    with monkeypatch.context() as patch:
        patch.setattr(Saying, "value", refused)
        with pytest.raises(OperationFailure):
            await say(quiet, "forget my ode", session_id="s2")
    assert await messages(quiet) == before
    assert await values(quiet) == {"ode": "long"}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("F++ linter", "F# linter"),
        ("B- shelf", "B shelf"),
        ("Q&A room", "QA room"),
        ("omega* pump", "omega pump"),
        ("bay #7", "bay 7"),
        ("$CACHE folder", "cache folder"),
        ("*8 dial", "8 dial"),
        ("-3 setting", "3 setting"),
        ("30% stake", "30 stake"),
    ],
)
async def test_keys_that_differ_in_symbols_are_keys_of_their_own(quiet: Memory, first: str, second: str) -> None:
    await say(quiet, f"remember that my {first} is green", f"remember that my {second} is red")
    assert await values(quiet) == {first.lower(): "green", second.lower(): "red"}
    await say(quiet, f"forget my {first}")
    assert await values(quiet) == {second.lower(): "red"}


@pytest.mark.parametrize(
    ("learnt", "kept", "question", "answer"),
    [
        (
            ("remember that my hat size is 56", "No, it's 58."),
            {"hat size": "58"},
            "What is my hat size?",
            "hat size: 58",
        ),
        (("Remind me that the vault code is 8123",), {"vault code": "8123"}, "What is the vault code?", "8123"),
        (("Note to self: oil the gate",), {"oil the gate": "oil the gate"}, "What did I note?", "oil the gate"),
        (("My hat size is 56", "No, it's 58."), {}, "What is my hat size?", "58"),
        (
            tuple(f"remember that my bay {name} is {at}" for at, name in enumerate(("C+", "C-", "C"), 41)),
            {"bay c+": "41", "bay c-": "42", "bay c": "43"},
            "What is my bay C?",
            "bay c: 43",
        ),
    ],
)
async def test_what_a_text_asks_to_remember_is_kept_though_it_is_no_message(
    quiet: Memory, learnt: tuple[str, ...], kept: dict[str, str], question: str, answer: str
) -> None:
    for text in learnt:
        assert await quiet.learn(USER, text)
    assert await values(quiet) == kept
    said = await say(quiet, question)
    assert answer in said and said.count("[") == 1


async def test_values_that_earlier_versions_kept_under_one_key_are_set_apart_by_their_messages(quiet: Memory) -> None:
    keyvalues, said = quiet.engine.chats.keyvalues, ("F++", "F#", "F++")
    turns = [Turn(f"m{at}", "user", f"remember that my {name} linter is {at}", now()) for at, name in enumerate(said)]
    await quiet.add(USER, "old", turns, wait=True)
    for at in range(len(said)):
        await keyvalues.put(USER, "f linter", str(at), source=f"m{at}")
    await say(quiet, "remember that my F linter is 7")
    assert await values(quiet) == {"f++ linter": "2", "f# linter": "1", "f linter": "7"}
    await keyvalues.put(USER, "q a room", "12", source="api")  # nothing tells what it is of
    await say(quiet, "remember that my Q&A room is 14")
    assert await values(quiet) == {
        "f++ linter": "2",
        "f# linter": "1",
        "f linter": "7",
        "q a room": "12",
        "q&a room": "14",
    }
