"""What rules note of outputs and conversations."""

import pytest

from memory.observation_rules import Said, consolidate, observe_by_rules, summary_of
from memory.observed import Category

OUTPUT = """\
## Result
I'll start by checking the deployment.
Auth uses OAuth2 with PKCE. PostgreSQL version is 15.2.
REST is simpler than GraphQL for this use case.
- Avoid library X - it lacks TypeScript support
What about the tests?
```
API_KEY=abc is 5
```
Done.
"""


def noted(output: str) -> dict[Category, list[str]]:
    notes: dict[Category, list[str]] = {"finding": [], "insight": [], "lesson": []}
    for one in observe_by_rules(output):
        notes[one.category].append(one.content)
    return notes


def test_each_sentence_is_noted_as_what_it_is() -> None:
    assert noted(OUTPUT) == {
        "finding": ["Auth uses OAuth2 with PKCE.", "PostgreSQL version is 15.2."],
        "insight": ["REST is simpler than GraphQL for this use case."],
        "lesson": ["Avoid library X - it lacks TypeScript support"],
    }


def test_labels_say_what_their_texts_are() -> None:
    output = (
        "Finding: it rains\n\n**Lessons learned:**\n- take an umbrella\n2. look up\nInsights:\n* wet is wet\nThe end."
    )
    assert noted(output) == {
        "finding": ["it rains"],
        "insight": ["wet is wet"],
        "lesson": ["take an umbrella", "look up"],
    }


def test_the_same_is_noted_once_and_not_too_much() -> None:
    assert noted("The limit is 100 requests a minute. " * 5)["finding"] == ["The limit is 100 requests a minute."]
    assert len(noted(" ".join(f"Server {n} has {n} cores." for n in range(100)))["finding"]) == 10


@pytest.mark.parametrize(
    "output",
    [
        "",
        "\n\n",
        "?",
        "```\nopen",
        "OK. " * 100,
        "x" * 4_000,
        "日本" * 500,
        "- \n" * 50,
        '{"message": "The limit is 100 now", "is": 5}',
    ],
)
def test_what_says_nothing_gives_nothing(output: str) -> None:
    assert observe_by_rules(output) == ()


def told(*contents: str, role: str = "user") -> list[tuple[str, str]]:
    return [(one.category, one.content) for one in consolidate([Said(role, content) for content in contents])]


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
    ],
)
def test_each_of_the_documents_trigger_words_makes_an_insight(sentence: str) -> None:
    assert told(f"Hello there. {sentence} Bye.") == [("insight", sentence)]


def test_what_was_learned_is_a_lesson() -> None:
    assert told("We learned that caches lie. We agreed on Redis.") == [
        ("lesson", "We learned that caches lie."),
        ("insight", "We agreed on Redis."),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "I am undecided.",
        "Nothing of note.",
        "Do you remember my dog?",
        "Is it important?",
        "Agreed.",
        "That's important!",
    ],
)
def test_questions_other_words_and_bare_consent_tell_nothing(text: str) -> None:
    assert told(text) == []


def test_a_sentence_that_says_nothing_alone_comes_with_the_one_before() -> None:
    assert told("The keys rotate weekly. That's important!") == [
        ("insight", "The keys rotate weekly. That's important!")
    ]


def test_system_messages_and_answers_by_rules_tell_nothing() -> None:
    assert told("We decided on Redis.", role="system") == []
    assert consolidate([Said("assistant", "You told me: “We decided on Redis.”", model="rule_based")]) == ()


def test_the_last_long_message_of_the_assistant_is_the_summary() -> None:
    long, longer = "a" * 100, "b" * 101
    messages = [Said("assistant", longer), Said("assistant", long), Said("user", "c" * 200)]
    summary = summary_of(messages)
    assert summary is not None and (summary.category, summary.content) == ("insight", longer)
    assert summary_of([Said("assistant", long), Said("user", longer)]) is None
    assert summary_of([Said("assistant", longer, model="rule_based")]) is None
    assert summary_of([]) is None
