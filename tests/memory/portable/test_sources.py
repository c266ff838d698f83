"""Files of other products: what is taken of each, what is left out and why."""

import gzip
import io
import json
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from memory.portable import FileBroken, FileRefused, SourceFile, is_foreign
from memory.portable.items import (
    ATTACHED,
    EMPTY,
    FAILED,
    HIDDEN,
    INACTIVE,
    OFF_BRANCH,
    THOUGHTS,
    TOOLS,
    UNREADABLE,
    Item,
    Omission,
    SourceConversation,
    SourceMemory,
    moment,
)
from memory.portable.sources import LOOKED_AT, OTHER_USER
from tests import sources
from tests.sources import chatgpt, json_of, librechat, node, talk, zip_of

ROWER = [("user", "My oar is ash."), ("assistant", "Noted: ash.")]
BLOCKS = ["Rows on Sundays", "Heron: a skiff\nEgret: a scull"]
OTTERS = [
    ("user", "Where does the otter live?"),
    ("assistant", "```python\nfind('otter')\n```"),
    ("tool", "1 otter"),
    ("assistant", "By the weir."),
    ("user", "Is this one?\n\nAnd a second one, said aloud.\n\n[attached: otter.png]"),
    ("assistant", "It is."),
]
REGATTA = [
    ("user", "When is the regatta?\n\n[attached: plan.pdf]"),
    ("assistant", "On the ninth of June."),
    ("user", "Thanks, and the year?"),
]


def read(content: bytes, **more: Any) -> tuple[SourceFile, list[Item]]:
    file = SourceFile(io.BytesIO(content), **more)
    return file, list(file.items())


def said(items: list[Item]) -> list[tuple[str, str]]:
    talks = [item for item in items if isinstance(item, SourceConversation)]
    return [(message.role, message.text) for one in talks for message in one.messages]


def left_out(items: list[Item]) -> dict[str, int]:
    return dict(Counter(item.reason for item in items if isinstance(item, Omission)))


@pytest.mark.parametrize(
    ("document", "name", "messages", "memories", "omitted"),
    [
        ([chatgpt()], "chatgpt", OTTERS, [], {HIDDEN: 2, THOUGHTS: 1, ATTACHED: 1, EMPTY: 1, OFF_BRANCH: 1}),
        (
            [sources.CLAUDE],
            "claude",
            [
                ("user", "Which kayak is mine?"),
                ("assistant", "The red one,\n\nwith the dent."),
                ("user", "See the receipt.\n\n[attached: receipt.txt]\n\n[attached: dent.jpg]"),
            ],
            [],
            {THOUGHTS: 1, TOOLS: 3, ATTACHED: 2, EMPTY: 1, OFF_BRANCH: 1},
        ),
        (
            [sources.OPENWEBUI],
            "openwebui",
            [("user", "How many hives have I?\n\n[attached: hives.pdf]"), ("assistant", "Three.")],
            [],
            {ATTACHED: 1, THOUGHTS: 1, TOOLS: 1, OFF_BRANCH: 1},
        ),
        (
            sources.OPENWEBUI["chat"],  # as it was exported before chats had a record of their own
            "openwebui",
            [("user", "How many hives have I?\n\n[attached: hives.pdf]"), ("assistant", "Three.")],
            [],
            {ATTACHED: 1, THOUGHTS: 1, TOOLS: 1, OFF_BRANCH: 1},
        ),
        *(
            (
                librechat(recursive=recursive, branches=branches),
                "librechat",
                REGATTA,
                [],
                {ATTACHED: 1, THOUGHTS: 1, TOOLS: 1, FAILED: 1} | ({OFF_BRANCH: 1} if branches else {}),
            )
            for recursive in (True, False)
            for branches in (True, False)
        ),
        (
            sources.MEM0,
            "mem0",
            [],
            ["Keeps three goats", "Packs for a walk:\n- rope\n- lantern", ""],
            {OTHER_USER: 1},
        ),
        (sources.MEM0["results"][:1], "mem0", [], ["Keeps three goats"], {}),
        (sources.OPENMEMORY, "openmemory", [], ["Wears active boots"], {INACTIVE: 2}),
        (sources.LETTA, "letta", ROWER, BLOCKS, {HIDDEN: 3, THOUGHTS: 2, TOOLS: 3}),
        (sources.LETTA_OF_ONE, "letta", ROWER, BLOCKS, {HIDDEN: 3, THOUGHTS: 2, TOOLS: 3}),
        (sources.PASSAGES, "letta", [], ["The oar was a gift"], {}),
        (
            sources.SHAREGPT,
            "sharegpt",
            [
                ("system", "Be brief."),
                ("user", "Name a heron."),
                ("assistant", "<think>Which?</think>Grey heron."),
                ("tool", "seen"),
                ("user", "And an egret?\n\n[attached: image]"),
            ],
            [],
            {TOOLS: 1, ATTACHED: 1},
        ),
    ],
)
def test_what_was_shown_is_taken_of_each_source_and_the_rest_is_told(
    document: Any, name: str, messages: Any, memories: list[str], omitted: dict[str, int]
) -> None:
    content = json_of(document)
    assert is_foreign(content)
    file, items = read(content)
    assert file.name == name
    assert said(items) == messages
    assert [item.text for item in items if isinstance(item, SourceMemory)] == memories
    assert left_out(items) == omitted
    assert file.read == len(content)
    assert said(read(json_of(document), wanted=name)[1]) == messages


def test_titles_and_times_are_those_of_the_source() -> None:
    [one] = [item for item in read(json_of([talk("t")]))[1] if isinstance(item, SourceConversation)]
    assert (one.id, one.title) == ("t", "Talk t")
    assert one.begun == one.messages[0].at == datetime(2024, 5, 1, 12, tzinfo=UTC)
    assert one.ended == datetime(2024, 5, 1, 12, 2, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (1714564800, "2024-05-01T12:00:00"),
        (1714564800.5, "2024-05-01T12:00:00.500000"),
        (1714564800500, "2024-05-01T12:00:00.500000"),
        (1714564800500000, "2024-05-01T12:00:00.500000"),
        (1714564800500000000, "2024-05-01T12:00:00.500000"),
        ("1714564800", "2024-05-01T12:00:00"),
        ("2024-05-01T12:00:00Z", "2024-05-01T12:00:00"),
        ("2024-05-01T14:00:00+02:00", "2024-05-01T12:00:00"),
        ("2024-05-01 12:00:00", "2024-05-01T12:00:00"),
        *((none, None) for none in (None, "", "yesterday", 0, -1, True, [], 1e30, "0001-01-01T00:00:00Z")),
    ],
)
def test_times_are_read_as_the_sources_write_them(written: object, meant: str | None) -> None:
    assert moment(written) == (datetime.fromisoformat(meant).replace(tzinfo=UTC) if meant else None)


@pytest.mark.parametrize("current", [None, "nowhere"])
def test_without_a_current_node_the_newest_message_ends_the_branch(current: str | None) -> None:
    nodes = [
        node("q", None, "user", "Which?", time=1.0),
        node("a", "q", "assistant", "Newest", time=3.0),
        node("b", "q", "assistant", "Older", time=2.0),
    ]
    assert said(read(json_of([chatgpt("c", *nodes, current=current)]))[1])[-1] == ("assistant", "Newest")


def test_a_tree_whose_parents_go_in_a_circle_or_nowhere_ends() -> None:
    circle = [node("a", "b", "user", "A"), node("b", "a", "assistant", "B")]
    lost = [node("c", "gone", "user", "C")]
    items = read(json_of([chatgpt("1", *circle, current="b"), chatgpt("2", *lost, current="c")]))[1]
    assert said(items) == [("user", "A"), ("assistant", "B"), ("user", "C")]


def test_a_deep_thread_is_read_to_its_end() -> None:
    deep = '{"messageId": "m%d", "text": "%d", "isCreatedByUser": true, "children": ['
    content = "".join(deep % (at, at) for at in range(3_000)) + "]}" * 3_000
    file = f'{{"conversationId": "c", "recursive": true, "messagesTree": [{content}]}}'.encode()
    assert [text for _, text in said(read(file)[1])] == [str(at) for at in range(3_000)]


@pytest.mark.parametrize(
    "odd",
    [
        {"mapping": {"a": None, "b": 5, "c": {"message": "x"}, "d": {"message": {"author": None, "content": []}}}},
        {"chat_messages": [None, 5, {"sender": "human"}, {"sender": "robot", "content": "x"}]},
        {"id": "x", "chat": {"history": {"messages": {"a": None, "b": {"role": "user", "content": {"x": 1}}}}}},
        {"conversationId": "c", "messages": [None, {"content": [None, {"type": "text"}]}]},
        {"agents": [None, {"messages": [5, {"role": "user", "content": None}]}], "blocks": [None]},
        {"conversations": [{"from": "human", "value": None}, {"from": "oracle", "value": "x"}, None]},
        {"id": None, "memory": "", "created_at": {}},
        {"content": None, "state": "active"},
    ],
)
def test_what_has_no_known_shape_is_left_out_and_refuses_no_other(odd: Any) -> None:
    file = SourceFile(io.BytesIO(json_of([odd, None, "x", 5, [], {"y": 1}])))
    items = list(file.items())
    assert file.name is not None
    assert said(items) == []
    assert left_out(items)[UNREADABLE] >= 5


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "it is empty"),
        (b" \n", "it is empty"),
        (b"<html></html>", "it is neither JSON"),
        ("[]".encode("utf-16"), "UTF-16"),
        (b"[]", "no conversations or memories of"),
        (b'[{"a": 1}]', "no conversations or memories of"),
        (b'{"a": 1}', "no conversations or memories of"),
        (json_of([{"a": 1}] * 2 * LOOKED_AT), "no conversations or memories of"),
        (zip_of(chat__html=b"<html>"), "the zip file has no conversations"),
        (zip_of(user__json=b"{}"), "no conversations or memories of"),
        (zip_of(conversations__json=b""), "it is empty"),
    ],
)
def test_a_file_of_which_nothing_can_be_read_says_so(content: bytes, reason: str) -> None:
    with pytest.raises(FileRefused, match=reason):
        read(content)


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda whole: whole[:-30], "it is cut"),
        (lambda whole: whole[:-1], "it is cut"),
        (lambda whole: whole.replace(b"Part 1 of second", b"Part \xff of second"), "not UTF-8 text"),
        (lambda whole: whole.replace(b'"Part 1 of second."', b"NaN"), "not valid JSON"),
        (lambda whole: zip_of(conversations__json=whole[:-30]), "it is cut"),
        (lambda whole: zip_of(conversations__json=whole)[:-40], "damaged or cut"),
    ],
)
def test_what_comes_before_a_break_is_read_and_the_break_is_told(damage: Callable[[bytes], bytes], reason: str) -> None:
    file = SourceFile(io.BytesIO(damage(json_of([talk("first"), talk("second")]))))
    items: list[Item] = []
    with pytest.raises(FileBroken, match=reason):
        items.extend(file.items())
    titles = [item.title for item in items if isinstance(item, SourceConversation)]
    assert titles in (["Talk first"], ["Talk first", "Talk second"], [])
    assert titles or reason == "damaged or cut"


def test_numbered_files_of_a_zip_are_read_in_order_and_others_are_not() -> None:
    content = zip_of(
        **{
            "export/conversations-001__json": json_of([talk("b")]),
            "export/conversations-000__json": json_of([talk("a")]),
            "__MACOSX/export/._conversations-000.json": b"junk",
            "export/memories__json": b"[]",
            "export/chat__html": b"<html>",
        }
    )
    file, items = read(content)
    assert [item.id for item in items if isinstance(item, SourceConversation)] == ["a", "b"]
    assert file.size == file.read


def test_the_backup_of_openmemory_is_read_as_it_comes() -> None:
    lines = gzip.compress(b"{}\n")
    items = read(zip_of(memories__json=json_of(sources.OPENMEMORY), **{"memories__jsonl__gz": lines}))[1]
    assert [item.text for item in items if isinstance(item, SourceMemory)] == ["Wears active boots"]


def test_documents_may_come_one_a_line_and_behind_a_mark_of_byte_order() -> None:
    lines = b"\xef\xbb\xbf" + b"\n".join(map(json_of, sources.SHAREGPT)) + b"\n"
    assert len(said(read(lines)[1])) == 5


def test_another_source_than_the_one_that_was_named_is_told() -> None:
    with pytest.raises(FileRefused, match="not an export of claude, but looks like one of chatgpt"):
        read(json_of([talk("t")]), wanted="claude")
    with pytest.raises(FileRefused, match=r"not an export of claude$"):
        read(b'{"role": "user", "content": "x"}\n', wanted="claude")


def test_numbers_of_any_size_end_no_file() -> None:
    whole = json_of([talk("a"), talk("b")]).replace(b'"weight": 1.0', b'"weight": 1e400, "seed": 1' + b"0" * 40)
    assert len(said(read(whole)[1])) == 4


def test_images_that_are_written_into_a_text_are_left_out_of_it() -> None:
    nodes = [node("q", None, "user", f"Look: ![](data:image/png;base64,{'A' * 5_000}) there")]
    assert said(read(json_of([chatgpt("c", *nodes, current="q")]))[1]) == [("user", "Look: ![](data:…) there")]


@pytest.mark.parametrize(
    ("head", "foreign"),
    [
        (b'{"role": "user", "content": "x"}', False),
        (b'{"content": "x", "role": "user"}', False),
        (b'\n {"role": "user"', False),
        (b"{", False),
        (b'{"id": "x", "memory": "x", "role": "user"}', True),
        (b'{"id": "x", "content": "x", "state": "active"}', True),
        (b'{"messages": [{"role": "user", "content": "x"}]}', True),
        (b"[", True),
        (b"%PDF", True),
    ],
)
def test_lines_of_messages_are_no_file_of_another_product(head: bytes, foreign: bool) -> None:
    assert is_foreign(head) == foreign


class Endless:
    """A file of very many conversations, made as they are read. `given`: bytes so far; `made`: conversations."""

    def __init__(self, conversations: int) -> None:
        self.given = 0
        self.made = 0
        self._parts = self._documents(conversations)
        self._left = b""

    def _documents(self, conversations: int) -> Iterator[bytes]:
        yield b"["
        for at in range(conversations):
            self.made += 1
            yield (b"," if at else b"") + json.dumps(talk(f"t{at}", 20)).encode()
        yield b"]"

    def seekable(self) -> bool:
        return False

    def read(self, size: int = -1) -> bytes:
        while len(self._left) < size and (part := next(self._parts, b"")):
            self._left += part
        taken, self._left = self._left[:size], self._left[size:]
        self.given += len(taken)
        return taken


def test_a_large_file_is_never_in_memory_as_a_whole() -> None:
    endless = Endless(2_000)
    ahead, seen = 0, 0
    for item in SourceFile(endless).items():  # type: ignore[arg-type]
        assert isinstance(item, SourceConversation)
        seen += 1
        ahead = max(ahead, endless.made - seen)
    assert seen == 2_000
    assert endless.given > 10_000_000
    assert ahead < 40  # the few that fit in what is read at once
