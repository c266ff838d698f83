"""The requests that take messages in are those that were asked for."""

from typing import Any

from api.wire.sessions import MessagesRequest
from bench.speed.ingest import bodies


def made(batch: int, calls: int, per_session: int, *, wait: bool = False) -> list[Any]:
    return list(bodies("ada", ["a", "b", "c"], batch, calls, per_session, wait=wait))


def test_texts_go_on_where_the_last_call_ended() -> None:
    said = [[message["content"] for message in body["messages"]] for body in made(2, 3, 2)]
    assert said == [["a", "b"], ["c", "a"], ["b", "c"]]


def test_single_messages_share_a_session() -> None:
    assert [body["session_id"] for body in made(1, 4, 3)] == ["ada-in-0"] * 3 + ["ada-in-1"]


def test_a_batch_larger_than_a_session_has_one_of_its_own() -> None:
    assert [body["session_id"] for body in made(5, 2, 3)] == ["ada-in-0", "ada-in-1"]


def test_the_api_takes_them() -> None:
    assert MessagesRequest.model_validate(made(500, 1, 500, wait=True)[0]).wait
