"""JSON is read so that nothing slips in, and that nobody else waits for it."""

import threading
from typing import Any

import pytest
from starlette.types import Message

from api.wire import strict
from api.wire.strict import AT_ONCE, StrictRequest, read_json
from utils.errors import InvalidInput


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        (b'"\\u0000"', "the body"),
        (b'{"a": [1, {"b": ["x", "\\u0000"]}]}', "a.1.b.1"),
        (b'{"a": [{"\\u0000": 1}]}', "a.0"),
        (b'{"%s": "\\u0000"}' % (b"x" * 200), "x" * 100),
    ],
)
def test_the_place_of_a_control_character_is_told(raw: bytes, told: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        read_json(raw)
    assert caught.value.detail == f"{told}: a string has control characters"
    read_json(raw, control_characters=True)


@pytest.mark.parametrize("raw", [b"[" * 33 + b"]" * 33, b'{"a":' * 33 + b"1" + b"}" * 33, b"[9223372036854775808]"])
def test_what_is_nested_too_deeply_or_too_large_is_refused(raw: bytes) -> None:
    with pytest.raises(InvalidInput):
        read_json(raw, control_characters=True)
    read_json(b"[" * 32 + b"9223372036854775807" + b"]" * 32)


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        (b"[" * 100_000 + b"]" * 100_000, "depth limit exceeded"),
        (b'{"a": ' + b"9" * 5_000 + b"}", "number is infinity"),
        (b'{"a": 1e400}', "number is infinity"),
        (b'{"a": NaN}', "unexpected character"),
        (b'{"a": }', "line 1 column 7"),
        (b'{"a": "\xff"}', "not valid UTF-8"),
        (b'"\\ud800"', "surrogate"),
    ],
)
def test_why_a_body_is_no_json_is_told_without_it(raw: bytes, told: str) -> None:
    with pytest.raises(InvalidInput, match=rf"^Not valid JSON in UTF-8: .*{told}"):
        read_json(raw)


async def test_a_long_body_is_read_beside_the_event_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[int] = []

    def read(raw: bytes, **more: Any) -> Any:
        threads.append(threading.get_ident())
        return read_json(raw, **more)

    monkeypatch.setattr(strict, "read_json", read)
    for length in (10, AT_ONCE):
        body = b"[%s]" % (b" " * length)

        async def receive(body: bytes = body) -> Message:
            return {"type": "http.request", "body": body}

        assert await StrictRequest({"type": "http", "headers": []}, receive).json() == []
    assert [one == threading.get_ident() for one in threads] == [True, False]
