"""The files of the mirror as text: what is written is read again, and what cannot be read is told."""

from datetime import UTC, datetime

import frontmatter
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.mirror.files import MirrorEntry, Unreadable, Where, parse, path_of, plain, render, says, where

AT = datetime(2025, 3, 1, 12, 30, 5, 123000, tzinfo=UTC)
TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"], include_characters="\n\t\r"), max_size=300)
NAMES = TEXTS.map(lambda text: " ".join(text.split())[:200]).filter(bool)
MOMENTS = st.datetimes(datetime(1900, 1, 2), datetime(2199, 12, 30), timezones=st.just(UTC))


@given(NAMES, NAMES, MOMENTS, TEXTS)
def test_a_message_is_read_as_it_was_written(identifier: str, conversation: str, moment: datetime, text: str) -> None:
    entry = MirrorEntry(identifier, conversation, "user", moment, text)
    said = parse(render(entry))
    assert said == MirrorEntry(identifier, conversation, "user", moment, plain(text))
    assert says(render(entry), entry)


@given(TEXTS, st.lists(NAMES, max_size=3), MOMENTS)
def test_a_fact_is_read_as_it_was_written(text: str, sources: list[str], moment: datetime) -> None:
    entry = MirrorEntry("f1", "s", "fact", AT, text, valid_from=moment, sources=tuple(sources), decided_by="user")
    assert parse(render(entry)) == MirrorEntry(
        "f1", "s", "fact", AT, plain(text), valid_from=moment, sources=tuple(sources), decided_by="user"
    )


def test_a_file_has_front_matter_and_the_plain_text() -> None:
    entry = MirrorEntry("f1", "trip", "fact", AT, "The user lives in Oslo.", AT, ("m1",), "rule_based")
    post = frontmatter.loads(render(entry).decode())
    assert post.content == "The user lives in Oslo."
    assert post.metadata == {
        "id": "f1",
        "conversation_id": "trip",
        "role": "fact",
        "created_at": AT,
        "valid_from": AT,
        "sources": ["m1"],
        "decided_by": "rule_based",
    }
    assert render(entry).startswith(b"---\nid: f1\n") and render(entry).endswith(b"Oslo.\n")


def test_paths_are_those_of_the_layout() -> None:
    assert path_of(MirrorEntry("m1", "trip", "user", AT, "")) == "entries/trip/turns/user/2025-03-01T12-30-05Z__m1.md"
    assert path_of(MirrorEntry("m2", "trip", "tool", AT, "")) == "entries/trip/turns/tool/2025-03-01T12-30-05Z__m2.md"
    assert path_of(MirrorEntry("f1", "Trip", "fact", AT, "")) == "entries/%54rip/facts/2025-03-01T12-30-05Z__f1.md"
    assert path_of(MirrorEntry("x", "trip", "summary", AT, "")) == "entries/trip/summaries/summary.md"


@given(NAMES.filter(lambda name: "/" not in name and name not in (".", "..")), NAMES)
def test_a_path_tells_its_conversation_and_role(conversation: str, identifier: str) -> None:
    place = where(path_of(MirrorEntry(identifier, conversation, "user", AT, "")))
    assert place is not None and place.role == "user"
    assert place.conversation == (None if "~" in place.folder else conversation)


@pytest.mark.parametrize(
    "path",
    [
        "entries/../../bob/entries/s/facts/x.md",
        "entries/../facts/x.md",
        "entries/%2e%2e/facts/x.md",
        "entries/a%2fb/facts/x.md",
        "entries/s/facts/../x.md",
        "entries/s/facts/deep/x.md",
        "entries/s/x.md",
        "memory_index.json",
        "entries/s/facts/.x.md",
        "entries/s/facts/.x.md.swp",
        "entries/s/facts/x.md~",
        "entries/s/facts/#x.md#",
        "entries/s/facts/x.conflict.md",
        "entries/s/facts/x.conflict.2.md",
        "entries/.git/facts/x.md",
        "/entries/s/facts/x.md",
    ],
)
def test_what_is_no_file_of_the_mirror_is_not_read(path: str) -> None:
    assert where(path) is None


def test_an_id_does_not_look_like_a_conflict() -> None:
    assert where(path_of(MirrorEntry("m.conflict", "s", "user", AT, ""))) == Where("s", "s", "user")
    assert path_of(MirrorEntry("m.conflict", "s", "user", AT, "")) != path_of(
        MirrorEntry("m%2econflict", "s", "user", AT, "")
    )


def test_a_file_needs_no_front_matter() -> None:
    assert parse("\ufeffHello\r\nthere\n".encode()) == MirrorEntry(None, None, None, None, "Hello\nthere")
    assert parse(b"---\n---\nHello") == MirrorEntry(None, None, None, None, "Hello")
    assert parse(b"---\ntags: [a]\nid: 7\ncreated_at: 2025-03-01\n---\nHello\n\n---\nthere") == MirrorEntry(
        "7", None, None, datetime(2025, 3, 1, tzinfo=UTC), "Hello\n\n---\nthere"
    )


@pytest.mark.parametrize(
    "data",
    [
        b"---\nid: [\n---\ntext",
        b"---\nid: f1\ntext without an end",
        b"---\n- a list\n---\ntext",
        b"---\nno fields\n---\ntext",
        b"---\nid: {a: 1}\n---\ntext",
        b"---\nid: ''\n---\ntext",
        b"---\nid: !!python/object/apply:os.system [true]\n---\ntext",
        b"---\nid: *nowhere\n---\ntext",
        b"---\ncreated_at: 2025-13-45\n---\ntext",
        b"---\nid: " + b"[" * 20_000 + b"\n---\ntext",
        b"\xff\xfe",
        b"null \x00",
    ],
)
def test_a_file_that_cannot_be_read_is_told(data: bytes) -> None:
    assert isinstance(parse(data), Unreadable)
