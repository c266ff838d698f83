"""What is no export is refused, with the line that is wrong; what came before it stays, and the whole file ends it."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from api import portable
from memory.lines import Line
from tests.checks import problem
from tests.exports import HEADER, MESSAGE, NDJSON, SESSION, bring_in, ended, exported, file_of, imported, lines_of

END = {"kind": "end", "counts": {}}
TIMES = dict.fromkeys(("created_at", "updated_at"), "2024-05-01T12:00:00Z")
FACT = {
    "kind": "fact", "id": "f1", "memory_id": "default", "text": "Lives in Madrid.", "valid_from": "2024-05-01",
    "sources": [], "decided_by": "user", **TIMES,
    "history": [{"event": "ADD", "at": "2024-05-01T12:00:00Z", "by": "user"}],
}  # fmt: skip
MEMORY = {"kind": "memory", "key": "dog", "value": "Rex", "version": 1, "sources": [], "history": [], **TIMES}
TASK = {"kind": "task", "task_id": "t", "epoch": "0" * 32, "steps": 1, "of_session": False, **TIMES}
TRACE = {
    "kind": "trace", "id": "abcdefgh", "task_id": "t", "step": 1, "place": 0, "tool_call_id": "c", "tool_name": "ls",
    "raw_input": "", "raw_output": "a", "query": "", "timestamp": "2024-05-01T12:00:00Z", "summary": "a",
    "model": "rule_based", "observed": True,
}  # fmt: skip
VERSION = {
    "kind": "bank_version", "type": "project", "id": "loci", "epoch": "0" * 32, "version": 1,
    "at": "2024-05-01T12:00:00Z", "by": "rule_based", "reason": "created", "changes": [], "tokens": 1,
    "files": [{"name": "context.md", "version": 1}], "texts": [{"name": "context.md", "text": "# Context"}],
}  # fmt: skip
BANK = {
    "kind": "bank", "type": "project", "id": "loci", "epoch": "0" * 32, "name": "Loci", "version": 1, "errors": [],
    "created_at": "2024-05-01T12:00:00Z",
}  # fmt: skip


def refused(api: httpx.Client, user: str, file: Any, *statuses: int) -> str:
    return str(problem(bring_in(api, user, file), *(statuses or (400, 422)))["detail"])


def test_a_cut_file_is_refused_wherever_it_is_cut_and_the_whole_one_ends_it(api: httpx.Client, user: str) -> None:
    talk = [{**MESSAGE, "id": f"m{at}", "place": at, "content": f"part {at}"} for at in range(3)]
    file = ended([SESSION, *talk, MEMORY])
    lines = file.splitlines(True)
    for size in (len(lines[0]) - 9, *(len(b"".join(lines[:count])) for count in range(1, len(lines))), len(file) - 2):
        assert "is cut" in refused(api, user, file[:size], 400)
    assert "is cut" in refused(api, user, b"", 400)
    new, there = imported(api, user, file)
    assert {kind: new.get(kind, 0) + there.get(kind, 0) for kind in new | there} == {
        "session": 1,
        "message": 3,
        "memory": 1,
    }
    session = api.get("/v1/sessions/s", params={"user_id": user}).json()
    assert session["message_count"] == 3
    assert "those of the lines" in refused(api, user, b"".join(lines[:3] + lines[4:]), 400)


def test_the_file_may_end_without_a_line_break_and_have_blank_lines(api: httpx.Client, user: str) -> None:
    file = ended([SESSION, MESSAGE]).replace(b"\n", b"\r\n\n").strip()
    assert imported(api, user, file)[0] == {"session": 1, "message": 1}


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (b"{\n", "Line 3"),
        (b"[1, 2]\n", "not a JSON object"),
        (b'{"kind": "message", "x": "\xff"}\n', "JSON in UTF-8"),
        (b'{"kind": "message", "score": NaN}\n', "JSON"),
        (b'{"kind": ' + b"[" * 500 + b"]" * 500 + b"}\n", "deep"),
        (b'{"kind": ' + b"[" * 200_000 + b"\n", "Line 3"),
        ({"kind": "message", "place": 2**70}, "line.3.place"),
        ({"kind": "spell"}, "kind: must be one of"),
        ({"kind": ["message"]}, "kind: must be one of"),
        ({}, "kind: must be one of"),
        (HEADER, "kind: must be one of"),
        ({**MESSAGE, "user_id": "somebody"}, "user_id: unknown field"),
        ({**MESSAGE, "id": "a\x00b"}, "line.3.id"),
        ({**MESSAGE, "id": ""}, "line.3.id"),
        ({**MESSAGE, "id": "x" * 300}, "line.3.id"),
        ({**MESSAGE, "id": {"$gt": ""}}, "line.3.id"),
        ({**MESSAGE, "session_id": "t"}, "Line 3: session_id"),
        ({**MESSAGE, "place": 10}, "Line 3: place"),
        ({**MESSAGE, "place": -1}, "line.3.place"),
        ({**MESSAGE, "place": 1.0}, "line.3.place"),
        ({**MESSAGE, "role": "root"}, "line.3.role"),
        ({**MESSAGE, "content": None}, "line.3.content"),
        ({**MESSAGE, "content": ["text"]}, "line.3.content"),
        ({**MESSAGE, "timestamp": 1_700_000_000}, "line.3.timestamp"),
        ({**MESSAGE, "timestamp": "0001-01-01T00:00:00Z"}, "line.3.timestamp"),
        ({**MESSAGE, "embed": {"state": "done"}}, "embed: unknown field"),
        ({**SESSION, "id": "a/b"}, "line.3.id"),
        ({**SESSION, "places": 2**40}, "line.3.places"),
        ({**SESSION, "epoch": "$"}, "line.3.epoch"),
        ({**FACT, "history": []}, "line.3.history"),
        ({**FACT, "history": [{**FACT["history"][0], "event": "NONE"}]}, "line.3.history"),  # type: ignore[index]
        ({**MEMORY, "key": "a\nb"}, "line.3.key"),
        ({"kind": "entry", "key": "..", "value": "", "version": 1, **TIMES}, "line.3.key"),
        ({"kind": "entry", "key": "a\x00", "value": "", "version": 1, **TIMES}, "line.3.key"),
        (TRACE, "Line 3: task_id"),
        (BANK, "Line 3: version"),
        ({**VERSION, "version": 2}, "Line 3: version"),
        ({**VERSION, "texts": []}, "Line 3: files"),
        ({**VERSION, "files": []}, "Line 3: texts"),
        ({**VERSION, "files": [{"name": "../x.md", "version": 1}]}, "Line 3: files"),
        ({**VERSION, "type": "global"}, "Line 3: id"),
        ({**VERSION, "id": "../x"}, "line.3.id"),
    ],
)
def test_a_hostile_line_is_refused_by_its_number(api: httpx.Client, user: str, line: Any, told: str) -> None:
    assert told in refused(api, user, file_of([HEADER, SESSION, line, END]))


@pytest.mark.parametrize(
    ("first", "told"),
    [
        ({**HEADER, "version": 2}, "a newer Loci"),
        ({**HEADER, "version": 0}, "line.1.version"),
        ({**HEADER, "version": "1"}, "line.1.version"),
        ({**HEADER, "format": "another"}, "not the first line"),
        ({**HEADER, "user_id": "a/b"}, "line.1.user_id"),
        (MESSAGE, "not the first line"),
        (END, "not the first line"),
    ],
)
def test_what_does_not_begin_as_an_export_is_refused(api: httpx.Client, user: str, first: Any, told: str) -> None:
    assert told in refused(api, user, file_of([first, END]))


def test_nothing_may_stand_behind_the_end(api: httpx.Client, user: str) -> None:
    assert "behind the last line" in refused(api, user, file_of([HEADER, END, SESSION]), 400)


def test_a_bank_comes_whole_or_not_at_all(api: httpx.Client, user: str) -> None:
    second = {**VERSION, "version": 2, "texts": [], "files": [{"name": "context.md", "version": 1}]}
    missing = [
        [VERSION],
        [VERSION, MEMORY],
        [VERSION, second, {**BANK, "version": 1}],
        [VERSION, {**BANK, "id": "other"}],
    ]
    for lines in missing:
        assert "Line " in refused(api, user, ended(lines), 400)
        assert api.get("/v1/banks", params={"user_id": user}).json()["items"] == []
    file = ended([VERSION, second, {**BANK, "version": 2}])
    assert imported(api, user, file)[0] == {"bank_version": 2, "bank": 1}
    bank = api.get("/v1/banks/project/loci", params={"user_id": user}).json()
    assert bank["content"] == {"context.md": "# Context"} or "# Context" in json.dumps(bank)
    assert imported(api, user, file)[0] == {}
    made = {"user_id": user, "content": "We decided to use SQLite."}
    assert api.post("/v1/banks/project/loci/update", json=made).json()["version"] == 3


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("?limit=3", NDJSON, 422),
        ("?user_id=somebody-else", NDJSON, 422),
        ("", {"content-type": "application/json"}, 415),
        ("", {}, 415),
    ],
)
def test_a_request_that_is_none_is_refused(
    api: httpx.Client, user: str, path: str, headers: dict[str, str], status: int
) -> None:
    problem(api.post(f"/v1/users/{user}/import{path}", content=ended([]), headers=headers), status)


def test_a_line_may_not_be_as_long_as_one_likes(api: httpx.Client, user: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(portable, "LONGEST_LINE", 300_000)
    long = {**MESSAGE, "content": "x" * 400_000}
    assert "Line 3" in refused(api, user, file_of([HEADER, SESSION, long, END]), 413)
    assert "Line 3" in refused(api, user, file_of([HEADER, SESSION]) + b"x" * 400_000, 413)


def test_a_document_that_the_store_does_not_take_is_told_with_its_line(api: httpx.Client, user: str) -> None:
    long = {**MESSAGE, "content": "x" * 17_000_000}
    assert "Line 3: The store takes at most" in refused(api, user, file_of([HEADER, SESSION, long, END]), 400)


def test_with_keys_each_user_has_the_own_memory_alone(serve: Callable[..., str]) -> None:
    with httpx.Client(base_url=serve(api_keys="ann:key-of-ann,bob:key-of-bob"), timeout=30) as api:
        key = {"X-API-Key": "key-of-ann"}
        problem(api.get("/v1/users/ann/export"), 401)
        problem(api.get("/v1/users/bob/export", headers=key), 403)
        problem(api.post("/v1/users/bob/import", content=ended([]), headers=NDJSON | key), 403)
        problem(api.post("/v1/users/ann/import", content=ended([]), headers=NDJSON), 401)
        assert api.post("/v1/users/ann/import", content=ended([SESSION, MESSAGE]), headers=NDJSON | key).json()
        assert api.get("/v1/users/ann/export", headers=key).content.count(b"\n") == 4


def test_a_user_nobody_knows_has_an_export_that_comes_in(api: httpx.Client, user: str) -> None:
    lines = lines_of(exported(api, user))
    assert [line["kind"] for line in lines] == ["export", "end"]
    assert set(lines[1]["counts"].values()) == {0}
    assert imported(api, user, exported(api, user)) == ({}, {})


def test_two_exports_of_the_same_are_the_same_but_for_their_moment(api: httpx.Client, user: str) -> None:
    for session in ("b", "a"):
        talk = [{"role": "user", "content": f"{session} {at}"} for at in range(3)]
        api.post("/v1/messages", json={"user_id": user, "session_id": session, "messages": talk})
    one, two = (exported(api, user).split(b"\n", 1) for _ in range(2))
    assert one[1] == two[1]
    assert [line["id"] for line in lines_of(one[1]) if line["kind"] == "session"] == ["a", "b"]


EVERY = [SESSION, MESSAGE, FACT, MEMORY, TASK, TRACE, VERSION, BANK]
leaves = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
leaves |= st.sampled_from(["\ud800", "\x00", "$gt", "2024-01-01T00:00:00Z", "s", "t"])
values = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
READ = ["/v1/sessions", "/v1/sessions/s/messages", "/v1/facts?ended=true", "/v1/facts/f1/history", "/v1/memories"]
READ += ["/v1/memories/dog/history", "/v1/scratchpad", "/v1/tool-memory/records", "/v1/banks/project/loci/versions"]
READ += ["/v1/banks/project/loci", "/v1/observations"]


def shapes_under(base: type[Line]) -> Iterator[type[Line]]:
    yield base
    for shape in base.__subclasses__():
        yield from shapes_under(shape)


names = ["kind", *sorted({name for shape in shapes_under(Line) for name in shape.model_fields})]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(at=st.integers(0, len(EVERY) - 1), changes=st.dictionaries(st.sampled_from(names), values, max_size=3))
def test_any_line_gets_a_sound_answer(api: httpx.Client, at: int, changes: dict[str, Any]) -> None:
    lines = [dict(line) for line in EVERY]
    lines[at] |= changes
    counts = {kind: sum(line["kind"] == kind for line in EVERY) for kind in {line["kind"] for line in EVERY}}
    file = file_of([HEADER, *lines, {"kind": "end", "counts": counts}])
    answer = bring_in(api, "fuzzed-import", file)
    assert answer.status_code < 500, answer.text
    if answer.status_code >= 400:
        problem(answer, answer.status_code)
    assert api.get("/v1/users/fuzzed-import/export").status_code == 200
    for path in READ:
        assert api.get(path, params={"user_id": "fuzzed-import"}).status_code < 500, path


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(raw=st.binary(max_size=200) | st.builds(lambda raw: file_of([HEADER]) + raw, st.binary(max_size=200)))
def test_any_bytes_get_a_sound_answer(api: httpx.Client, raw: bytes) -> None:
    answer = bring_in(api, "fuzzed-import", raw)
    assert answer.status_code < 500, answer.text
