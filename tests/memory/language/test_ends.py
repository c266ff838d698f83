"""Questions for what was said first or last, or for all."""

import pytest

from memory.language.ends import End, asks_for_all, end_asked_for

FIRST_TOLD = End(last=False, role="user", asking=False)
LAST_SAID = End(last=True, role="user")
LAST_REPLY = End(last=True, role="assistant")


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("What was the first thing I told you?", FIRST_TOLD),
        ("what was the very first thing that I’ve told you so far", FIRST_TOLD),
        ("What was the first thing I ever told you?", End(last=False, role="user", asking=False, ever=True)),
        ("What's the last thing I said?", LAST_SAID),
        ("Remind me of the last thing I said, please", LAST_SAID),
        ("what was my last message", LAST_SAID),
        ("What did I just say?", LAST_SAID),
        ("What did I say before that?", LAST_SAID),
        ("What was my first question in this chat?", End(last=False, role="user", asking=True)),
        ("What did I ask first?", End(last=False, role="user", asking=True)),
        ("What did you just say?", LAST_REPLY),
        ("Can you repeat your previous answer please?", LAST_REPLY),
    ],
)
def test_a_message_may_be_meant_by_its_place_alone(text: str, end: End) -> None:
    assert end_asked_for(text) == end


@pytest.mark.parametrize(
    "text",
    [
        "What was the first thing I bought?",
        "What was the first thing I said about Rome?",
        "What did I say last week?",
        "What did I tell Ben first?",
        "What was my first job?",
        "What is the last thing on my list?",
        "What is my first name?",
        "The first thing I told you was wrong.",
        "What was the first thing I told you" + " so far" * 50,
    ],
)
def test_what_is_meant_by_more_than_its_place_is_searched_for(text: str) -> None:
    assert end_asked_for(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "Tell me everything you know about me",
        "What do you know about me?",
        "Summarise what you know about me.",
        "Give me a short summary of what I told you",
        "What have I told you so far?",
        "List everything I've told you",
        "Everything you remember about me, please",
        "What do you remember?",
        "Who am I?",
        "Tell me about myself!",
    ],
)
def test_all_may_be_asked_for(text: str) -> None:
    assert asks_for_all(text)


@pytest.mark.parametrize(
    "text",
    [
        "What do you know about Paula?",
        "What did I tell you about my sister?",
        "Tell me everything about Rome",
        "Tell me what I said yesterday",
        "Do you know my name?",
        "What do you remember about the trip?",
        "Summarise our conversation",
        "I told you everything",
    ],
)
def test_a_subject_or_a_time_is_not_all(text: str) -> None:
    assert not asks_for_all(text)
