"""Consolidation by rules."""

import pytest

from memory.observations.consolidation import SessionMessage, consolidate, summary_of


def told(*contents: str, role: str = "user") -> list[tuple[str, str]]:
    return [(one.category, one.content) for one in consolidate([SessionMessage(role, content) for content in contents])]


@pytest.mark.parametrize(
    "sentence",
    [
        "We decided to use OAuth2.",
        "The conclusion is that Redis suffices.",
        "It is IMPORTANT to rotate the keys.",
        "Remember to rotate the keys.",
        "Note that the gateway caches.",
        "The key insight: caches lie.",
        "We will use Redis.",
        "You should use Redis.",
        "They agreed on Redis.",
        "Don't forget: the demo is on Friday.",
        "It is not only important but urgent to rotate the keys.",
        "We did not like it but decided to use Redis.",
        "We agreed not to use Redis.",
        "We have to remember the keys.",
    ],
)
def test_each_of_the_documents_trigger_words_makes_an_insight(sentence: str) -> None:
    assert told(f"Hello there. {sentence} Bye.") == [("insight", sentence)]


def test_of_a_sentence_that_leaves_something_open_the_rest_is_told() -> None:
    assert told("It was undecided who presents; we agreed to meet at the mill.") == [
        ("insight", "we agreed to meet at the mill.")
    ]
    assert told("We decided on Redis; it is simple.") == [("insight", "We decided on Redis; it is simple.")]


def test_what_was_learned_is_a_lesson() -> None:
    assert told("We learned that caches lie. We agreed on Redis.") == [
        ("lesson", "We learned that caches lie."),
        ("insight", "We agreed on Redis."),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "I am undecided.",
        "Not yet decided.",
        "Who presents is not yet decided.",
        "It was undecided who presents; Ann asks around.",
        "The colour is to be decided by Ann.",
        "We haven't really agreed on a date.",
        "Nothing was decided about the launch.",
        "I don't remember the name of the mill.",
        "The colour of the button is not important.",
        "Wait until we have decided on the mill.",
        "Maybe we will use Kafka, not decided.",
        "We might all agree on it, and I asked whether we should use tabs.",
        "Nothing of note.",
        "Do you remember my dog?",
        "Is it important?",
        "Agreed.",
        "That's important!",
    ],
)
def test_questions_other_words_and_bare_consent_tell_nothing(text: str) -> None:
    assert told(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Before Monday we decided on Postgres.",
        "Once again we agreed on Postgres.",
        "Perhaps it rains, but we will use tents.",
        "If it rains we should use the tent.",
    ],
)
def test_what_is_settled_is_told_whatever_stands_before_it(text: str) -> None:
    assert told(text) == [("insight", text)]


@pytest.mark.parametrize(
    "text",
    [
        "Before we decide on a store we measure.",
        "Once we have agreed on a name we begin.",
        "I don’t remember the mill.",
    ],
)
def test_what_is_still_open_is_not(text: str) -> None:
    assert told(text) == []


def test_a_sentence_that_says_nothing_alone_comes_with_the_one_before() -> None:
    assert told("The keys rotate weekly. That's important!") == [
        ("insight", "The keys rotate weekly. That's important!")
    ]


@pytest.mark.parametrize(
    ("text", "notes"),
    [
        ("Finding: the disk is full.", [("finding", "the disk is full.")]),
        ("We looked. Lesson: never restart it. Insight: caches win!",
         [("lesson", "never restart it."), ("insight", "caches win!")]),
        ("**Key insight:** caches lie", [("insight", "caches lie")]),
        ("Decision: keep Redis", [("insight", "keep Redis")]),
        ("1. **Finding:** we agreed that db-1 is full", [("finding", "we agreed that db-1 is full")]),
        ("## Lessons learned\n- rotate the keys. Often.\n- test more\n\nThat is all.",
         [("lesson", "rotate the keys. Often."), ("lesson", "test more")]),
        ("Findings:\n- db-1 is full\n\nWe agreed on Redis.\n- a bullet",
         [("insight", "We agreed on Redis."), ("finding", "db-1 is full")]),
        ("Finding: is it full?\nLessons: none\nInsights:\n", []),
        ("Our findings are many, and the lesson was long.", []),
    ],
)  # fmt: skip
def test_a_label_says_what_a_note_is(text: str, notes: list[tuple[str, str]]) -> None:
    assert told(text) == notes
    assert told(text, role="assistant") == notes


def test_system_messages_and_answers_by_rules_tell_nothing() -> None:
    assert told("We decided on Redis.", role="system") == []
    assert consolidate([SessionMessage("assistant", "You told me: “We decided on Redis.”", model="rule_based")]) == ()


def test_the_last_long_message_of_the_assistant_is_the_summary() -> None:
    long, longer = "a" * 100, "b" * 101
    messages = [
        SessionMessage("assistant", longer),
        SessionMessage("assistant", long),
        SessionMessage("user", "c" * 200),
    ]
    summary = summary_of(messages)
    assert summary is not None and (summary.category, summary.content) == ("insight", longer)
    assert summary_of([SessionMessage("assistant", long), SessionMessage("user", longer)]) is None
    assert summary_of([SessionMessage("assistant", longer, model="rule_based")]) is None
    assert summary_of([]) is None


@pytest.mark.parametrize(
    "text",
    [
        "We have not decided yet whether to use Redis. It is important.",
        "Should we use Redis? That is important.",
        "Nobody has agreed to that yet. Remember!",
    ],
)
def test_what_is_open_does_not_become_settled_by_the_sentence_behind_it(text: str) -> None:
    assert told(text) == []
