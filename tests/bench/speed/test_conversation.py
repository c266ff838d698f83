"""What is said is distinct, enough, and the same in every run."""

from bench.speed.conversation import PER_SESSION, conversation

SAID = conversation(1_000, 200)


def test_no_text_is_there_twice_and_there_are_as_many_as_were_asked_for() -> None:
    assert len({message.text for message in SAID.messages}) == len(SAID.messages) == 1_000
    assert len(set(SAID.questions)) == len(SAID.questions) == 200
    few = conversation(5, 200)
    assert (len(few.messages), len(few.questions)) == (5, 200)


def test_it_is_the_same_every_time() -> None:
    assert conversation(1_000, 200) == SAID


def test_messages_stand_in_sessions_in_time_order() -> None:
    times = [message.timestamp for message in SAID.messages]
    assert times == sorted(set(times))
    sessions = [message.session for message in SAID.messages]
    assert sessions[:PER_SESSION] == ["said-in-0"] * PER_SESSION
    assert sessions[PER_SESSION] == "said-in-1"
