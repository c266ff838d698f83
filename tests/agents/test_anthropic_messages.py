"""Where memory goes among the blocks of a request."""

from typing import Any

import pytest

from agents.anthropic_messages import messages_of, with_memory
from agents.openai_chat import kept_text, said_in
from tests.work import assert_work_grows_no_faster_than_a_text

MARK = {"type": "ephemeral"}


def text(said: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": said, **more}


def result(**more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": "t", "content": "rain", **more}


MEMORY = text("known")
ASIDE = text("<system-reminder>\nNow.\n</system-reminder>")
CALL = {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "weather", "input": {}}]}


def user(*blocks: Any) -> dict[str, Any]:
    return {"role": "user", "content": [*blocks]}


@pytest.mark.parametrize(
    ("messages", "made"),
    [
        ([{"role": "user", "content": "Q"}], [user(MEMORY, text("Q"))]),
        ([user(ASIDE, text("Q"))], [user(ASIDE, MEMORY, text("Q"))]),
        ([user(text("Q")), CALL, user(result(), ASIDE)], [user(MEMORY, text("Q")), CALL, user(result(), ASIDE)]),
        ([user(text("P", cache_control=MARK), text("Q"))], [user(text("P", cache_control=MARK), MEMORY, text("Q"))]),
        ([user(ASIDE, text("Q", cache_control=MARK))], [user(ASIDE, text("Q", cache_control=MARK), MEMORY)]),
        (
            [user(text("Q")), CALL, user(result(cache_control=MARK), text("now", cache_control=None))],
            [user(text("Q")), CALL, user(result(cache_control=MARK), MEMORY, text("now", cache_control=None))],
        ),
        (
            [user(text("A", cache_control=MARK)), {"role": "assistant", "content": "B"}, user(text("Q"))],
            [user(text("A", cache_control=MARK)), {"role": "assistant", "content": "B"}, user(MEMORY, text("Q"))],
        ),
        (
            [user(text("Q")), {"role": "system", "content": [text("S", cache_control=MARK)]}],
            [user(text("Q", cache_control=MARK), MEMORY), {"role": "system", "content": [text("S")]}],
        ),
        (
            [user(text("Q", cache_control=MARK)), {"role": "system", "content": [text("S", cache_control=MARK)]}],
            [user(text("Q", cache_control=MARK), MEMORY), {"role": "system", "content": [text("S")]}],
        ),
    ],
)
def test_memory_stands_before_the_users_words_or_behind_what_is_cached(messages: list[Any], made: list[Any]) -> None:
    assert with_memory({"messages": messages, "system": "S"}, "known") == {"messages": made, "system": "S"}


def test_a_breakpoint_that_the_provider_would_set_is_set_before_the_memory() -> None:
    made = with_memory({"cache_control": MARK, "messages": [{"role": "user", "content": "Q"}]}, "known")
    assert made == {"messages": [user(text("Q", cache_control=MARK), MEMORY)]}


def test_what_a_request_came_with_stays_as_it_was() -> None:
    asked = {"cache_control": MARK, "messages": [user(text("Q")), {"role": "system", "content": "S"}]}
    before = repr(asked)
    with_memory(asked, "known")
    assert repr(asked) == before


def test_where_no_user_says_anything_nothing_is_added() -> None:
    asked = {"messages": [user(ASIDE)]}
    assert with_memory(asked, "known") == asked


@pytest.mark.parametrize(
    ("blocks", "said"),
    [
        ([ASIDE, text("Q")], "Q"),
        ([text("<command-name>/compact</command-name>\n  <command-args></command-args>\n"), text("Q"), ASIDE], "Q"),
        ([text("<local-command-stdout>Done</local-command-stdout>\n"), text("P"), text("Q")], "P\nQ"),
        ([text("This session is being continued from a previous conversation that …"), text("Q")], "Q"),
        ([text("<system-reminder>Q")], "<system-reminder>Q"),
        ([text("<command>ls</command> fails, why?")], "<command>ls</command> fails, why?"),
        ([text("What is a <system-reminder>?</system-reminder>")], "What is a <system-reminder>?</system-reminder>"),
    ],
)
def test_what_an_agent_puts_beside_the_users_words_is_not_theirs(blocks: list[Any], said: str) -> None:
    assert said_in(blocks) == said
    assert [kept_text(message["content"]) for message in messages_of({"messages": [user(*blocks)]})] == [said]


@pytest.mark.parametrize("piece", ["<system-reminder>", "<bash-input></bash-input>"])
def test_asides_without_an_end_cost_no_more_than_their_length(piece: str) -> None:
    assert_work_grows_no_faster_than_a_text(said_in, lambda size: (piece * size)[:size], 50_000)


def test_what_the_system_says_amid_a_conversation_is_an_aside() -> None:
    system = [text("x-anthropic-billing-header: cc_version=2.1.332.9af;"), text("S")]
    said = messages_of({"system": system, "messages": [user(text("Q")), {"role": "system", "content": "Now."}]})
    assert said == [{"role": "system", "content": "S"}, user(text("Q"), ASIDE)]
