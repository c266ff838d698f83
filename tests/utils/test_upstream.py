"""Events out of a stream that comes in pieces."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from utils.errors import ModelUnavailable
from utils.upstream import LONGEST_EVENT, EventSplitter


def events(pieces: list[bytes]) -> list[bytes]:
    splitter = EventSplitter()
    found = [event for piece in pieces for event in splitter.feed(piece)]
    return [*found, rest] if (rest := splitter.rest()) else found


@given(
    st.lists(st.sampled_from(["data: ü", ": keep-alive", "data: a\ndata: b", "event: x\ndata: {}"]), max_size=6),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.data(),
)
def test_events_are_the_same_however_the_stream_is_cut(said: list[str], line_end: str, data: st.DataObject) -> None:
    stream = "".join(f"{event}\n\n" for event in said).replace("\n", line_end).encode()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=8)))
    pieces = [stream[start:end] for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    assert events(pieces) == [f"{event}\n\n".encode() for event in said]


def test_the_last_event_needs_no_end() -> None:
    assert events([b"data: 1\n\ndata: 2"]) == [b"data: 1\n\n", b"data: 2\n\n"]
    assert events([b"\n\n\n"]) == []


@pytest.mark.timeout(20)
def test_a_long_event_in_small_pieces_is_read_in_time_that_grows_with_its_length() -> None:
    piece = b"x" * 1024
    splitter = EventSplitter()
    with pytest.raises(ModelUnavailable):
        for _ in range(LONGEST_EVENT // 1024 + 1):
            list(splitter.feed(piece))
