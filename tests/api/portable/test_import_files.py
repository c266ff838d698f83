"""Files of other products as a page sends them: they come in once, are told of meanwhile, and harm nobody."""

import io
import json
import zipfile
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from api import portable
from api.routes import users
from memory.portable import layouts
from tests import sources
from tests.checks import problem
from tests.exports import MESSAGE, SESSION, ended
from tests.sources import chatgpt, json_of, talk, zip_of

FILE = {"content-type": "application/octet-stream"}
OTTERS = zip_of(conversations__json=json_of([chatgpt(), talk("rivers")]))
TALKS = 200
MANY = json_of([talk(f"talk-{number}") for number in range(TALKS)])


def send(api: httpx.Client, user: str, file: Any, wanted: str = "auto", **headers: str) -> httpx.Response:
    path = f"/v1/users/{user}/import"
    return api.post(path, params={"from": wanted}, content=file, headers=FILE | headers, timeout=60)


def told(answer: httpx.Response) -> list[dict[str, Any]]:
    """The lines of an answer."""
    assert answer.status_code == 200, answer.text
    return [json.loads(line) for line in answer.text.splitlines()]


def came(counts: dict[str, int]) -> dict[str, int]:
    return {kind: count for kind, count in counts.items() if count}


def titles(api: httpx.Client, user: str) -> list[str]:
    return [one["title"] for one in api.get("/v1/sessions", params={"user_id": user}).json()["items"]]


def test_an_export_of_chatgpt_comes_in_once(api: httpx.Client, user: str) -> None:
    *progress, last = told(send(api, user, OTTERS))
    for line in progress:
        assert line.keys() == {"imported", "already_there", "source", "read", "size"}
    assert came(last["imported"]) == {"session": 2, "message": 8}
    assert came(last["already_there"]) == {}
    assert (last["source"], last["problem"]) == ("chatgpt", None)
    assert last["read"] == last["size"] > 0
    left_out = {one["reason"]: (one["count"], one["ids"]) for one in last["left_out"]}
    assert left_out["thoughts of the model"] == (1, ["think"])
    assert left_out["in a branch that was not shown"] == (1, ["old"])
    assert titles(api, user) == ["Talk rivers", "Otters"]
    again = told(send(api, user, OTTERS, "chatgpt"))[-1]
    assert (came(again["imported"]), came(again["already_there"])) == ({}, {"session": 2, "message": 8})


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("claude", json_of([sources.CLAUDE])),
        ("openwebui", json_of([sources.OPENWEBUI])),
        ("librechat", json_of(sources.librechat(recursive=True))),
        ("mem0", json_of(sources.MEM0)),
        ("openmemory", zip_of(memories__json=json_of(sources.OPENMEMORY))),
        ("letta", json_of(sources.LETTA)),
        ("sharegpt", b"\n".join(map(json_of, sources.SHAREGPT))),
        ("loci", ended([SESSION, MESSAGE])),
    ],
)
def test_it_is_seen_whose_file_it_is(api: httpx.Client, user: str, name: str, content: bytes) -> None:
    last = told(send(api, user, content))[-1]
    assert (last["source"], last["problem"]) == (name, None)
    assert sum(last["imported"].values()) > 0
    assert sum(told(send(api, user, content))[-1]["imported"].values()) == 0


def bomb() -> bytes:
    """A zip file of 100 KB with 100 MB in it."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("conversations.json", b"[" + b" " * 100_000_000 + b"]")
    return made.getvalue()


@pytest.mark.parametrize(
    ("content", "wanted", "detail"),
    [
        (b"", "auto", "it is empty"),
        (b"Dear diary", "auto", "neither JSON"),
        (b"[]", "auto", "no conversations or memories"),
        (b'[{"a": 1}]', "auto", "no conversations or memories"),
        (OTTERS, "claude", "use --from chatgpt"),
        (OTTERS[:-200], "auto", "damaged or cut"),
        (zip_of(photo__png=b"x"), "auto", "no conversations and no other JSON"),
        (bomb(), "auto", "unpacks to far more"),
        (b'{"role": "user", "content": "Hi"}\n', "auto", "POST /v1/messages"),
        (b'{"kind": "export", "format": "loci", "version": 9}\n', "auto", "a newer Loci"),
    ],
)
def test_what_cannot_be_read_is_refused(api: httpx.Client, user: str, content: bytes, wanted: str, detail: str) -> None:
    assert detail in problem(send(api, user, content, wanted), 400)["detail"]
    assert titles(api, user) == []


def test_a_file_that_is_too_large_is_refused(api: httpx.Client, user: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (portable, users):
        monkeypatch.setattr(module, "LARGEST_FILE", len(OTTERS) - 1)
    problem(send(api, user, OTTERS), 413)
    problem(send(api, user, iter([OTTERS[:100], OTTERS[100:]])), 413)  # whose length nobody said
    monkeypatch.setattr(layouts, "LONGEST", 1_000)
    long = json_of([talk("short"), talk("long") | {"padding": "x" * 200_000}])
    monkeypatch.setattr(portable, "LARGEST_FILE", 1_000_000)
    monkeypatch.setattr(users, "LARGEST_FILE", 1_000_000)
    assert "cannot be read" in problem(send(api, user, long), 400)["detail"]
    assert titles(api, user) == []


def test_a_zip_file_with_too_many_files_in_it_is_refused(
    api: httpx.Client, user: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {f"{number}__json": b"[]" for number in range(200)}
    monkeypatch.setattr(layouts, "DIRECTORY", 5_000)
    assert "too many files" in problem(send(api, user, zip_of(**files)), 400)["detail"]


def test_what_may_be_sent_by_another_page_or_names_another_thing_is_refused(api: httpx.Client, user: str) -> None:
    problem(send(api, user, OTTERS, **{"content-type": "text/plain"}), 415)
    problem(send(api, user, OTTERS, "diary"), 422)
    path = f"/v1/users/{user}/import"
    problem(api.post(path, params={"from": "auto", "user_id": "other"}, content=OTTERS, headers=FILE), 422)
    problem(api.post(path, params={"from": "auto", "project": "p"}, content=OTTERS, headers=FILE), 422)
    problem(api.post(path, content=OTTERS, headers=FILE), 415)
    assert titles(api, user) == []


def test_nobody_imports_for_another_user(serve: Callable[..., str]) -> None:
    with httpx.Client(base_url=serve(api_keys="ann:key-of-ann,bob:key-of-bob")) as api:
        problem(send(api, "ann", OTTERS), 401)
        problem(send(api, "ann", OTTERS, **{"x-api-key": "key-of-bob"}), 403)
        for user, count in (("ann", 0), ("bob", 2)):
            key = {"x-api-key": f"key-of-{user}"}
            if count:
                assert told(send(api, user, OTTERS, **key))[-1]["problem"] is None
            assert len(api.get("/v1/sessions", headers=key).json()["items"]) == count


def test_a_file_that_breaks_off_is_read_up_to_there(api: httpx.Client, user: str) -> None:
    last = told(send(api, user, MANY[:-40_000]))[-1]
    assert "it is cut" in last["problem"]["detail"]
    assert last["problem"]["status"] == 400
    before = last["imported"]["session"]
    assert 0 < before < TALKS
    last = told(send(api, user, MANY))[-1]
    assert last["problem"] is None
    assert (last["imported"]["session"], last["already_there"]["session"]) == (TALKS - before, before)


def test_who_leaves_ends_the_import_and_may_send_the_file_again(api: httpx.Client, user: str) -> None:
    path = f"/v1/users/{user}/import"
    with api.stream("POST", path, params={"from": "auto"}, content=MANY, headers=FILE) as answer:
        line = json.loads(next(answer.iter_lines()))
        assert line["source"] == "chatgpt"
    assert line["imported"]["session"] < TALKS

    assert send(api, user, OTTERS).elapsed.total_seconds() < 3  # before a lease of whoever left would be over
    last = told(send(api, user, MANY))[-1]
    assert last["imported"]["session"] + last["already_there"]["session"] == TALKS
    assert last["imported"]["session"] > 0
