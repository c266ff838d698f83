"""`loci import` of other products' files: what it brings in, what it says, and what a server shows of it."""

import io
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests import sources
from tests.checks import eventually
from tests.conftest import RunHere
from tests.processes import loci, run, stored
from tests.sources import chatgpt, json_of, talk, zip_of
from tests.terminals import CTRL_C, Terminal


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home that the commands of this file share, so that its store starts once."""
    return tmp_path_factory.mktemp("imports")


@pytest.fixture
def here(place: Path, run_here: RunHere) -> RunHere:
    return partial(run_here, place)


def written(folder: Path, name: str, content: bytes) -> str:
    (folder / name).write_bytes(content)
    return str(folder / name)


def test_a_served_api_shows_what_came_of_an_export_of_chatgpt(
    serve: Callable[..., str], make_settings: Callable[..., Any], run_here: RunHere, tmp_path: Path
) -> None:
    """The command and the server share one database, as they do where both run."""
    with httpx.Client(base_url=serve(), timeout=30) as api:
        settings = make_settings()
        file = written(tmp_path, "export.zip", zip_of(conversations__json=json_of([chatgpt(), talk("rivers")])))
        shared = {"mongodb_uri": settings.mongodb_uri.get_secret_value(), "mongodb_db": settings.mongodb_db}
        done = run_here(tmp_path / "home", "import", file, "--user", "ann", **shared)
        assert done.returncode == 0, done.stderr
        assert done.stdout.splitlines() == [
            "2 sessions, 8 messages imported, 0 already there",
            "left out: 2 not shown in the conversation: instructions, context (sys, about)",
            "left out: 1 thoughts of the model (think)",
            "left out: 1 attachments, of which the text keeps the name alone (q2)",
            "left out: 1 without text (null)",
            "left out: 1 in a branch that was not shown (old)",
        ]
        sessions = api.get("/v1/sessions", params={"user_id": "ann"}).json()["items"]
        assert [(one["title"], one["message_count"]) for one in sessions] == [("Talk rivers", 2), ("Otters", 6)]
        assert sessions[1]["created_at"] == "2024-05-01T12:00:00Z"
        address = f"/v1/sessions/{sessions[1]['id']}/messages"
        messages = api.get(address, params={"user_id": "ann"}).json()["items"]
        assert [message["role"] for message in messages[:4]] == ["user", "assistant", "tool", "assistant"]
        assert messages[0]["timestamp"] == "2024-05-01T12:00:00.250000Z"
        assert (messages[2]["name"], messages[3]["model"]) == ("python", "gpt-5")
        assert api.get("/v1/sessions", params={"user_id": "bob"}).json()["items"] == []
        asked = {"user_id": "ann", "query": "Where does the otter live?"}
        assert "weir" in str(api.post("/v1/search", json=asked).json())
        assert run_here(tmp_path / "home", "import", file, "--user", "ann", **shared).stdout.startswith(
            "0 sessions, 0 messages imported, 10 already there\n"
        )


@pytest.mark.parametrize(
    ("name", "content", "came"),
    [
        ("claude.json", json_of([sources.CLAUDE]), "1 session, 3 messages"),
        ("openwebui.json", json_of([sources.OPENWEBUI]), "1 session, 2 messages"),
        ("librechat.json", json_of(sources.librechat(recursive=True)), "1 session, 3 messages"),
        ("mem0.json", json_of(sources.MEM0), "1 session, 1 message, 1 fact"),
        ("openmemory.zip", zip_of(memories__json=json_of(sources.OPENMEMORY)), "1 fact"),
        ("letta.af", json_of(sources.LETTA), "2 sessions, 3 messages, 1 fact"),
        ("sharegpt.jsonl", b"\n".join(map(json_of, sources.SHAREGPT)), "2 sessions, 5 messages"),
    ],
)
def test_files_of_each_source_come_in_once(here: RunHere, tmp_path: Path, name: str, content: bytes, came: str) -> None:
    file, user = written(tmp_path, name, content), name.partition(".")[0]
    first = here("import", file, "--user", user)
    assert (first.returncode, first.stdout.splitlines()[0]) == (0, f"{came} imported, 0 already there"), first.stderr
    again = here("import", file, "--user", user, "--from", user)
    assert again.stdout.splitlines()[0].startswith("0 ")
    assert first.stdout.splitlines()[1:] == again.stdout.splitlines()[1:]


def test_what_another_product_knew_is_in_the_profile(here: RunHere, tmp_path: Path) -> None:
    here("import", written(tmp_path, "mem0.json", json_of(sources.MEM0)), "--user", "vera")
    exported = here("export", "--user", "vera").stdout
    assert '"text":"Keeps three goats"' in exported and '"decided_by":"mem0"' in exported
    assert "secret" not in exported


def test_an_export_is_read_from_standard_input(here: RunHere, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = Path(written(tmp_path, "piped.json", json_of([talk("piped")])))
    with file.open() as piped:
        monkeypatch.setattr(sys, "stdin", piped)
        assert here("import", "-", "--user", "paul").stdout == "1 session, 2 messages imported, 0 already there\n"
    archive = io.TextIOWrapper(io.BufferedReader(_Pipe(zip_of(conversations__json=b"[]"))))
    monkeypatch.setattr(sys, "stdin", archive)
    assert "cannot be read from standard input" in here("import", "-").stderr


class _Pipe(io.RawIOBase):
    """Bytes that can be read once, in order."""

    name = "<stdin>"

    def __init__(self, content: bytes) -> None:
        self._content = io.BytesIO(content)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return self._content.readinto(buffer)


@pytest.mark.parametrize(
    ("content", "more", "reason"),
    [
        (b"", (), "it is empty"),
        (b"<html>", (), "it is neither JSON"),
        (b'[{"a": 1}]', (), "no conversations or memories of"),
        (zip_of(a__txt=b"x"), (), "the zip file has no conversations"),
        (b"PK\x03\x04" + b"x" * 99, (), "the zip file is damaged or cut"),
        (json_of([talk("x")]), ("--from", "letta"), "use --from chatgpt"),
        (json_of([talk("x")]), ("--from", "zep"), "'zep' is not one of"),
    ],
)
def test_a_file_that_cannot_be_read_is_told_in_words(
    here: RunHere, tmp_path: Path, content: bytes, more: tuple[str, ...], reason: str
) -> None:
    refused = here("import", written(tmp_path, "file", content), "--user", "rita", *more)
    assert refused.returncode != 0
    assert reason in refused.stderr and "Traceback" not in refused.stderr
    assert refused.stdout == ""


def test_what_came_before_a_break_stays_and_is_told(here: RunHere, tmp_path: Path) -> None:
    whole = json_of([talk("one"), talk("two")])
    cut = here("import", written(tmp_path, "cut.json", whole[:-40]), "--user", "cora")
    assert cut.returncode == 1
    assert cut.stdout == "1 session, 2 messages imported, 0 already there\n"
    assert "cut.json: it is cut: it ends in the middle. What was imported stays" in cut.stderr
    rest = here("import", written(tmp_path, "whole.json", whole), "--user", "cora")
    assert rest.stdout == "1 session, 2 messages imported, 3 already there\n"


def test_a_line_that_has_form_feeds_is_taken_with_blanks(here: RunHere, tmp_path: Path) -> None:
    line = b'{"role": "user", "content": "One\\fTwo\\u0085Three\\u000bFour"}\n'
    assert here("import", written(tmp_path, "said.jsonl", line), "--user", "faye").returncode == 0
    assert '"content":"One Two Three Four"' in here("export", "--user", "faye").stdout


def test_a_bar_shows_how_far_it_is_at_a_terminal_and_nowhere_else(place: Path, tmp_path: Path) -> None:
    file = written(tmp_path, "export.json", json_of([talk("bar", 8)]))
    with Terminal(place, "import", file, "--user", "tess") as terminal:
        terminal.says(r"read .*[kM]?B.*")
        terminal.says("1 session, 8 messages imported")
        assert terminal.ends() == 0
    piped = run(place, "import", file, "--user", "tess")
    assert piped.stdout == "0 sessions, 0 messages imported, 9 already there\n"
    assert "read" not in piped.stderr


def test_ctrl_c_ends_an_import_at_once(place: Path, tmp_path: Path) -> None:
    file = written(tmp_path, "export.json", json_of([talk(f"c{at}", 400) for at in range(40)]))
    with Terminal(place, "import", file, "--user", "cleo") as terminal:
        terminal.says("read")
        terminal.types(CTRL_C)
        assert terminal.ends() == 130
        assert "Traceback" not in terminal.output


def test_an_import_that_is_killed_half_way_is_ended_by_a_repeat(tmp_path: Path) -> None:
    """Each message once and in order, in sessions whose counts are right."""
    talks = [talk(f"t{at}", 400) for at in range(20)]
    file = written(tmp_path, "export.json", json_of(talks))
    home = tmp_path / "home"
    with loci(home, "store"):
        eventually((home / "store" / "store.json").exists)
        with loci(home, "import", file, "--user", "kim") as importing, stored(home) as database:
            eventually(lambda: database.vectors.count_documents({}) >= 1_000, 60)
            importing.kill()
            came = database.vectors.count_documents({})
            assert came < 8_000
            again = loci(home, "import", file, "--user", "kim")
            with again:
                eventually(lambda: database.vectors.count_documents({}) == 8_000, 60)
                eventually(lambda: not database.sessions.count_documents({"importing": True}), 60)
            told = {
                (one["session_id"], one["message_index"]): one["content"]
                for one in database.vectors.find({}, {"session_id": 1, "message_index": 1, "content": 1})
            }
            assert len(told) == 8_000
            for session in database.sessions.find({}):
                name = session["title"].removeprefix("Talk ")
                assert [told[session["session_id"], at] for at in range(400)] == [
                    f"Part {at} of {name}." for at in range(400)
                ]
                assert (session["message_count"], session["pair_count"]) == (400, 200)
