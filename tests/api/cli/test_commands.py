"""The command `loci`."""

import json
import os
import re
import signal
import subprocess
import sys
from contextlib import suppress
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import httpx
import pytest
from pymongo import MongoClient

from config.recipes import QUERY
from tests.checks import eventually
from tests.conftest import RunHere
from tests.cross_encoder import write_cross_encoder
from tests.embedded.drivers import kept_attached
from tests.processes import free_port, loci, run
from tests.scripted_model import ScriptedModel, answer, status


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home that the commands of this file share, so that its store starts once."""
    return tmp_path_factory.mktemp("cli")


@pytest.fixture
def here(place: Path, run_here: RunHere) -> RunHere:
    """Runs a command in this process, in the home that all share."""
    return partial(run_here, place)


def one_line(done: subprocess.CompletedProcess[str]) -> str:
    """What a command that failed says: one line and no traceback."""
    assert done.returncode != 0
    lines = [line for line in done.stderr.splitlines() if not line.startswith("Building the local encoder")]
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("loci: ")
    return lines[0]


def write(file: Path, *lines: Any) -> Path:
    file.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines) + "\n")
    return file


def test_a_question_is_answered_from_what_was_said_before(here: RunHere) -> None:
    told = here("ask", "The heron nests by the old mill.", "--user", "ann")
    assert told.returncode == 0, told.stderr
    session = re.search(r"session (\S+)", told.stderr)
    assert session
    asked = here("ask", "Where does the heron nest?", "--user", "ann")
    assert "old mill" in asked.stdout
    assert "[1]" in asked.stdout
    again = here("ask", "And then?", "--user", "ann", "--session", session[1])
    assert f"session {session[1]}" in again.stderr


def test_an_answer_of_a_model_is_printed_as_it_comes(here: RunHere) -> None:
    with ScriptedModel() as model:
        model.script(answer("Forty-two [not markup] [/b]."))
        done = here("ask", "What is it?", "-u", "bob", openai_base_url=model.url, embedding_model="local")
    assert done.stdout.splitlines()[0] == "Forty-two [not markup] [/b]."


@pytest.mark.parametrize(
    "arguments", [("ask", " "), ("ask", "x" * 32_001), ("ask", "hello", "--user", "a/b"), ("search", "")]
)
def test_a_question_that_is_none_is_refused_in_one_line(here: RunHere, arguments: tuple[str, ...]) -> None:
    one_line(here(*arguments))


def test_a_file_is_imported_once_and_found(here: RunHere, tmp_path: Path) -> None:
    file = write(
        tmp_path / "said.jsonl",
        {"role": "user", "content": "My [bold]locker[/] code is 4711.", "session_id": "gym", "name": "[red]Carl[/red]"},
        "",
        {"role": "assistant", "content": "Noted.", "session_id": "gym", "timestamp": "2024-05-01T12:00:00Z"},
        *({"role": "user", "content": f"Lap {number}", "session_id": "pool"} for number in range(450)),
    )
    first = here("import", str(file), "--user", "carl")
    assert (first.returncode, first.stdout) == (0, "452 imported, 0 already there\n"), first.stderr
    assert "452/452" in first.stderr
    again = here("import", str(file), "--user", "carl")
    assert again.stdout == "0 imported, 452 already there\n"
    found = here("search", "What is my locker code?", "--user", "carl", "--top-k", "1")
    assert "My [bold]locker[/] code is 4711." in " ".join(found.stdout.split())
    assert "[red]Carl[/red]" in found.stdout
    assert here("search", "locker", "--user", "nobody").stdout.split() == ["score", "when", "who", "what"]


def test_a_line_of_a_file_may_name_its_project(here: RunHere, tmp_path: Path) -> None:
    said = {"role": "user", "content": "My boat is called Nixe."}
    file = write(tmp_path / "said.jsonl", said | {"session_id": "sea", "project": "boat"}, said | {"content": "Hi."})
    assert here("import", str(file), "--user", "nils", "--project", "shore").stdout == "2 imported, 0 already there\n"
    mixed = write(tmp_path / "mixed.jsonl", said | {"session_id": "sea", "project": "car"})
    assert "The session is in the project 'boat'" in here("import", str(mixed), "--user", "nils").stderr
    assert "Nixe" in here("ask", "What is my boat called?", "-u", "nils", "-p", "boat").stdout
    assert "Nixe" in here("search", "boat", "-u", "nils", "-p", "boat").stdout
    one_line(here("search", "boat", "-u", "nils", "-p", "a/b"))


def test_files_that_share_lines_are_both_imported_whole(here: RunHere, tmp_path: Path) -> None:
    hello = {"role": "user", "content": "Hello"}
    one = write(tmp_path / "one.jsonl", hello, {"role": "assistant", "content": "Good morning"})
    two = write(tmp_path / "two.jsonl", hello, {"role": "assistant", "content": "Good evening"})
    for file in (one, two):
        assert here("import", str(file), "--user", "emma").stdout == "2 imported, 0 already there\n"
    with one.open("a") as file:
        file.write(json.dumps({"role": "user", "content": "How are you?"}) + "\n")
    assert here("import", str(one), "--user", "emma").stdout == "1 imported, 2 already there\n"


def test_a_search_says_each_text_once_and_nothing_that_is_far_off(here: RunHere, tmp_path: Path) -> None:
    lines = [{"role": "user", "content": "My canoe is green.", "session_id": f"s{at}"} for at in range(3)]
    others = [{"role": "assistant", "content": f"Run step {at} of the installer."} for at in range(20)]
    here("import", str(write(tmp_path / "said.jsonl", *lines, *others)), "--user", "sara")
    found = here("search", "What colour is my canoe?", "--user", "sara", "--top-k", "50").stdout
    assert found.count("My canoe is green.") == 1
    scores = [float(score) for score in re.findall(r"^ (0\.\d{3}) ", found, re.MULTILINE)]
    assert 0 < len(scores) < 10 and min(scores) >= QUERY.floor


def test_messages_are_imported_from_standard_input(
    here: RunHere, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "piped.jsonl"
    file.write_text('{"role": "user", "content": "My canoe is green."}\n')
    for expected in ("1 imported, 0 already there\n", "0 imported, 1 already there\n"):
        with file.open() as piped:
            monkeypatch.setattr(sys, "stdin", piped)
            assert here("import", "-", "--user", "gina").stdout == expected


def test_a_file_that_is_not_there_or_is_a_folder_is_told_in_one_line(here: RunHere, tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "nothing.jsonl"):
        refused = here("import", str(path))
        assert refused.returncode != 0
        assert "Traceback" not in refused.stderr
        assert path.name in refused.stderr.replace("\n", "")


def test_what_was_exported_comes_into_another_store(here: RunHere, tmp_path: Path) -> None:
    told = write(
        tmp_path / "told.jsonl",
        {"role": "user", "content": "My canoe is green.", "session_id": "lake", "timestamp": "2024-05-01T12:00:00Z"},
        {"role": "assistant", "content": "Noted.", "session_id": "lake", "timestamp": "2024-05-01T12:01:00Z"},
    )
    here("import", str(told), "--user", "hans")
    file = tmp_path / "hans.jsonl"
    made = here("export", str(file), "--user", "hans")
    assert made.returncode == 0, made.stderr
    printed = here("export", "--user", "hans").stdout.splitlines()
    assert printed[1:] == file.read_text().splitlines()[1:]
    assert "is there already" in one_line(here("export", str(file), "--user", "hans"))
    assert "lost" in one_line(here("export", str(tmp_path / "lost" / "x.jsonl"), "--user", "hans"))
    elsewhere = {"loci_home": tmp_path / "elsewhere"}
    for expected in ("4 imported, 0 already there\n", "0 imported, 4 already there\n"):
        brought = here("import", str(file), "--user", "olga", **elsewhere)
        assert (brought.returncode, brought.stdout) == (0, expected), brought.stderr
    found = here("search", "What colour is my canoe?", "--user", "olga", "--top-k", "1", **elsewhere)
    assert "2024-05-01" in found.stdout and "My canoe is green." in found.stdout
    assert [path.name for path in tmp_path.glob("*.part")] == []


def test_an_export_that_is_cut_or_wrong_is_refused_in_one_line(here: RunHere, tmp_path: Path) -> None:
    file = tmp_path / "ida.jsonl"
    here("export", str(file), "--user", "ida")
    first, last = file.read_text().splitlines()
    assert "is cut" in one_line(here("import", str(write(tmp_path / "cut.jsonl", first)), "--user", "ida"))
    wrong = write(tmp_path / "wrong.jsonl", first, {"kind": "memory", "key": 1}, last)
    refused = one_line(here("import", str(wrong), "--user", "ida"))
    assert "Line 2: " in refused and "key: Input should be a valid string" in refused


def test_a_mark_of_byte_order_before_a_file_is_no_part_of_it(here: RunHere, tmp_path: Path) -> None:
    said = write(tmp_path / "said.jsonl", {"role": "user", "content": "Hello"})
    export = tmp_path / "export.jsonl"
    for file, user in ((said, "eva"), (export, "eve")):
        file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes())
        assert here("import", str(file), "--user", user).returncode == 0
        export.unlink(missing_ok=True)
        here("export", str(export), "--user", user)
    assert '"content":"Hello"' in export.read_text()


@pytest.mark.parametrize("option", ["--user", "--session"])
def test_an_import_for_nobody_is_refused_in_one_line(here: RunHere, tmp_path: Path, option: str) -> None:
    file = write(tmp_path / "said.jsonl", {"role": "user", "content": "Hello"})
    assert f"{option}: " in one_line(here("import", str(file), option, "a/b"))


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "not valid json"),
        ("[1]", "not a json object"),
        ('{"role": "user"}', "content"),
        ('{"role": "king", "content": "x"}', "role"),
        ('{"role": "user", "content": "secret \\ud800"}', "not valid json"),
        ('{"role": "user", "content": "secret \\u0000"}', "control characters"),
        ('{"role": "user", "content": "secret", "extra": 1}', "extra"),
        ('{"role": "user", "content": "secret", "session_id": 5}', "string"),
        ('{"role": "user", "content": "secret", "session_id": "a/b"}', "without slashes"),
        ('{"role": "user", "content": "secret", "timestamp": 5}', "timestamp"),
    ],
)
def test_a_bad_line_is_named_before_anything_is_stored(here: RunHere, tmp_path: Path, line: str, reason: str) -> None:
    file = write(tmp_path / "[b]said.jsonl", {"role": "user", "content": "Good"}, line)
    said = one_line(here("import", str(file), "--user", "dora"))
    assert "line 2" in said
    assert reason in said.lower()
    assert "secret" not in said
    assert here("search", "Good", "--user", "dora").stdout.split() == ["score", "when", "who", "what"]


def test_bytes_that_are_no_text_are_a_bad_line(here: RunHere, tmp_path: Path) -> None:
    file = tmp_path / "said.jsonl"
    file.write_bytes(b'{"role": "user", "content": "\xff"}\n')
    assert "line 1" in one_line(here("import", str(file)))


def test_settings_are_shown_with_their_source_and_without_secrets(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("CHAT_MODEL=from-the-file\nPORT=1234\n")
    secrets = {
        "openai_api_key": "sk-0123456789abcdef",
        "mongodb_uri": "mongodb://root:hunter2@db.example/",
        "api_keys": "ann:short",
    }
    done = run(tmp_path, "settings", **secrets, port=4321, columns=200)
    assert done.returncode == 0
    rows = {line.split()[0]: line.split()[1:] for line in done.stdout.splitlines()[1:] if line.strip()}
    assert rows["CHAT_MODEL"][:2] == ["from-the-file", ".env"]
    assert rows["PORT"][:2] == ["4321", "environment"]
    assert rows["HOST"][:2] == ["127.0.0.1", "default"]
    for secret in ("0123456789", "hunter2", "short", "root:"):
        assert secret not in done.stdout


def test_the_doctor_finds_nothing_wrong_with_a_sound_installation(here: RunHere) -> None:
    done = here("doctor")
    assert done.returncode == 0, done.stdout
    assert [line.split()[1] for line in done.stdout.splitlines() if line.startswith("ok")] == [
        "store:",
        "broker:",
        "embeddings:",
        "chat",
        "memory",
    ]


def test_the_doctor_says_what_to_do_about_what_is_down(here: RunHere) -> None:
    with ScriptedModel() as model:
        model.always(status(401))
        model.always(status(401), on="embeddings")
        redis = f"redis://127.0.0.1:{free_port()}/0"
        done = here("doctor", redis_url=redis, openai_base_url=model.url, openai_api_key="sk-secret-0123456789")
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    failed = [line.split(":")[0] for line in lines if line.startswith("FAIL")]
    assert failed == ["FAIL broker", "FAIL embeddings", "FAIL chat model"]
    assert "unset REDIS_URL" in done.stdout
    assert "OPENAI_API_KEY" in done.stdout
    assert "sk-secret" not in done.stdout + done.stderr


def test_the_doctor_tries_the_cross_encoder_where_there_is_one(here: RunHere, tmp_path: Path) -> None:
    folder = write_cross_encoder(tmp_path / "cross-encoder", {})
    sound = here("doctor", rerank_model=folder, columns=400)
    assert sound.returncode == 0, sound.stdout
    assert re.search(r"ok   cross-encoder: \S+cross-encoder, [\d.]+ ms", sound.stdout)
    (folder / "tokenizer.json").unlink()
    failed = here("doctor", rerank_model=folder / ".." / "cross-encoder", columns=400)
    assert failed.returncode == 1
    assert "FAIL cross-encoder: RERANK_MODEL: there is no tokenizer.json" in failed.stdout
    assert "Unset RERANK_MODEL" in failed.stdout


def test_the_doctor_looks_at_the_mirror_where_there_is_one(here: RunHere, tmp_path: Path) -> None:
    folder = tmp_path / "mirror"
    sound = here("doctor", mirror_path=folder, columns=400)
    assert sound.returncode == 0, sound.stdout
    assert f"ok   mirror: {folder}\n" in sound.stdout
    assert not folder.exists()
    folder.mkdir()
    (folder / ".store").write_bytes(b"\xff\xfe of another")
    other = here("doctor", mirror_path=folder, columns=400)
    assert other.returncode == 1
    assert f"FAIL mirror: MIRROR_PATH={folder} has the files of another database" in other.stdout
    taken = here("doctor", mirror_path=folder / ".store", columns=400)
    assert taken.returncode == 1
    assert f"FAIL mirror: {folder / '.store'}: Not a directory" in taken.stdout


@pytest.mark.parametrize(
    ("arguments", "settings", "said"),
    [
        (["serve"], {"host": "0.0.0.0", "port": 0}, "set API_KEYS"),
        (["serve"], {"host": "::", "port": 0}, "set API_KEYS"),
        (["serve"], {"host": "no.such.host.invalid"}, "HOST"),
        (["serve"], {"api_keys": "hunter2"}, "API_KEYS must be"),
        (["serve"], {"port": "http"}, "PORT"),
        (["serve"], {"openai_base_url": "hunter2", "port": 0}, "OPENAI_BASE_URL"),
        (["serve", "--local-model"], {"openai_api_key": "sk", "port": 0}, "OPENAI_BASE_URL: unset them"),
        (["serve"], {"redis_url": "hunter2", "port": 0}, "REDIS_URL: must be redis://"),
        (["worker"], {"redis_url": "hunter2"}, "REDIS_URL: must be redis://"),
        (["doctor"], {"redis_url": "hunter2://host"}, "REDIS_URL: must be redis://"),
        (["worker"], {}, "REDIS_URL is not set"),
        (["beat"], {}, "REDIS_URL is not set"),
        (["ask", "hello"], {"mongodb_uri": "hunter2://"}, "MONGODB_URI"),
        (["serve"], {"mongodb_uri": "hunter2", "port": 0}, "MONGODB_URI: must be mongodb://"),
        (["doctor"], {"mongodb_uri": "mongodb://hunter2:99999"}, "MONGODB_URI: must be mongodb://"),
        (["serve"], {"rerank_model": "/no/such/model.onnx", "port": 0}, "RERANK_MODEL: there is no ONNX file"),
        (["ask", "hello"], {"rerank_model": "/no/such/model.onnx"}, "RERANK_MODEL: there is no ONNX file"),
        (["ask", "hello"], {"loci_home": "/dev/null/home"}, "cannot be made"),
    ],
)
def test_what_cannot_work_is_said_in_one_line(
    here: RunHere, arguments: list[str], settings: dict[str, object], said: str
) -> None:
    line = one_line(here(*arguments, **settings))
    assert said in line
    assert "hunter2" not in line


def test_a_second_server_on_a_port_says_so_and_the_first_serves_on(place: Path) -> None:
    port = free_port()
    with loci(place, "serve", port=port) as first:
        first.says("Loci is at")
        assert f"Port {port} of 127.0.0.1 is in use" in one_line(run(place, "serve", port=port))
        assert httpx.get(f"http://127.0.0.1:{port}/readyz").status_code == 200
        assert first.stop() == 0
        assert "Traceback" not in first.output


@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM])
def test_a_server_ends_when_it_is_told_to(place: Path, kind: signal.Signals) -> None:
    with loci(place, "serve", port=0) as server:
        address = server.says(r"Loci is at (\S+)")[1]
        body = {"query": "hello", "session_id": "told"}
        assert httpx.post(f"{address}/query", json=body).status_code == 200
        assert server.stop(kind=kind) == 0
        assert "Traceback" not in server.output


def test_a_server_for_others_makes_a_key_when_asked(tmp_path: Path) -> None:
    with loci(tmp_path, "serve", "--make-key", host="0.0.0.0", port=0) as server:
        key = server.says(r"shown this once: (\S+)")[1]
        port = server.says(r"Loci is at http://0\.0\.0\.0:(\d+)")[1]
        address = f"http://127.0.0.1:{port}/v1/sessions"
        assert httpx.get(address).status_code == 401
        assert httpx.get(address, headers={"X-API-Key": key}).status_code == 200
        assert server.stop() == 0
    with loci(tmp_path, "serve", host="0.0.0.0", port=0) as server:
        port = server.says(r"Loci is at http://0\.0\.0\.0:(\d+)")[1]
        assert httpx.get(f"http://127.0.0.1:{port}/v1/sessions", headers={"X-API-Key": key}).status_code == 200
        assert server.stop() == 0


def test_a_server_listens_where_its_options_say(place: Path) -> None:
    port = free_port()
    elsewhere = {"host": "no.such.host.invalid", "port": 1}
    with loci(place, "serve", "--host", "localhost", "--port", str(port), **elsewhere) as server:
        address = server.says(r"Loci is at (\S+)")[1]
        assert address == f"http://localhost:{port}"
        assert httpx.get(f"http://127.0.0.1:{port}/readyz").status_code == 200
        assert server.stop() == 0
    assert "set API_KEYS" in one_line(run(place, "serve", "--host", "0.0.0.0", "--port", "0"))


def children_of(pid: int) -> list[int]:
    """The processes that answer beside a server, by their ids."""
    listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=False)
    serving = []
    for child in map(int, listed.stdout.split()):
        with suppress(FileNotFoundError, ProcessLookupError):  # it has ended meanwhile
            command = Path(f"/proc/{child}/cmdline").read_bytes()
            serving += [child] if b"--listening" in command else []
    return serving


@pytest.mark.skipif(not Path("/proc").exists(), reason="looks at processes as Linux shows them")
@pytest.mark.parametrize("kill", [signal.SIGTERM, signal.SIGKILL])
def test_several_processes_answer_on_one_port_as_long_as_the_first(place: Path, kill: signal.Signals) -> None:
    with loci(place, "serve", "--port", "0", "--workers", "2") as server:
        address = server.says(r"Loci is at (\S+)")[1]
        [first] = eventually(lambda: children_of(server.pid))
        told = {"query": "My sledge is called Rosebud.", "session_id": "told"}
        assert httpx.post(f"{address}/query", json=told).status_code == 200
        os.kill(first, signal.SIGKILL)
        [again] = eventually(lambda: [child for child in children_of(server.pid) if child != first])
        answered = set[str]()
        eventually(lambda: answered.add(_process_of(address)) or len(answered) == 2, 60)
        server.ask_to_stop(kill)
        eventually(lambda: not _is_running(again), 40)
        assert "Traceback" not in server.output
    with pytest.raises(httpx.TransportError):
        httpx.get(f"{address}/livez")


def _is_running(pid: int) -> bool:
    """Whether a process is there, and no mere entry that nobody has asked for yet."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes() != b""
    except (FileNotFoundError, ProcessLookupError):
        return False


def _process_of(address: str) -> str:
    """What tells one process that answers from another: when it began."""
    figures = httpx.get(f"{address}/metrics").text
    found = re.search(r"^process_start_time_seconds (\S+)", figures, re.MULTILINE)
    assert found, figures
    return found[1]


def test_the_version_is_printed(here: RunHere) -> None:
    assert here("--version").stdout == f"{version('loci')}\n"


def test_the_store_alone_is_joined_by_the_other_commands(tmp_path: Path, run_here: RunHere) -> None:
    state = tmp_path / "store" / "store.json"
    with loci(tmp_path, "store") as store:
        eventually(state.exists)
        pid = json.loads(state.read_text())["pid"]
        assert run_here(tmp_path, "ask", "hello").returncode == 0
        assert json.loads(state.read_text())["pid"] == pid
        second = run(tmp_path, "store")
        assert second.returncode != 0 and "another server has" in second.stderr
        assert store.stop() == 0


def test_the_store_alone_follows_a_server_that_was_just_stopped(tmp_path: Path, run_here: RunHere) -> None:
    with loci(tmp_path, "serve", port=0) as server:
        server.says("Loci is at")
        refused = run(tmp_path, "store")
        assert refused.returncode != 0 and "another server has" in refused.stderr and "waiting" not in refused.stderr
        assert server.stop(kind=signal.SIGINT) == 0
    with loci(tmp_path, "store") as store:
        store.says("ends when nobody needs it: waiting 13 seconds at most")
        os.kill(json.loads((tmp_path / "store" / "store.json").read_text())["pid"], signal.SIGTERM)  # before its time
        store.says(r"serving .*/store on")
        assert run_here(tmp_path, "ask", "hello").returncode == 0
        assert store.stop(kind=signal.SIGINT) == 0


def test_the_store_gives_back_the_room_of_what_was_deleted(tmp_path: Path, run_here: RunHere) -> None:
    refused = run_here(tmp_path, "store", "compact")
    assert refused.returncode == 1 and "there is no store in" in refused.stderr
    assert run_here(tmp_path, "ask", "hello").returncode == 0
    with kept_attached(tmp_path) as uri, MongoClient(uri) as client:
        client.loci.large.insert_one({"_id": 1, "pad": os.urandom(3_000_000)})
        client.loci.large.delete_one({"_id": 1})
        joined = run_here(tmp_path, "store", "compact")
        assert float(re.match(r"([\d.]+) MB freed, [\d.]+ MB left\n$", joined.stdout)[1]) > 2.5
    assert run_here(tmp_path, "store", "compact").stdout.startswith("0.0 MB freed")


def test_a_backup_taken_while_loci_runs_is_a_store_again(tmp_path: Path, run_here: RunHere) -> None:
    home, copy = tmp_path / "home", tmp_path / "loci.db"
    assert run_here(home, "ask", "Remember that my boat is called Heron.").returncode == 0
    with loci(home, "store"):
        eventually((home / "store" / "store.json").exists)
        assert re.match(r"[\d.]+ MB in .*loci\.db\n$", run_here(home, "store", "backup", str(copy)).stdout)
        again = run_here(home, "store", "backup", str(copy))
        assert again.returncode == 1 and "is there already" in again.stderr
        named_before = run_here(
            tmp_path / "elsewhere", "store", "--home", str(home), "backup", str(tmp_path / "same.db")
        )
        assert named_before.returncode == 0
    assert (tmp_path / "same.db").stat().st_size == copy.stat().st_size
    restored = tmp_path / "restored" / "store" / "data.db"
    restored.parent.mkdir(parents=True)
    copy.rename(restored)
    assert "Heron" in run_here(tmp_path / "restored", "ask", "What is my boat called?").stdout


def test_another_model_embeds_anew_what_is_there(here: RunHere, tmp_path: Path) -> None:
    file = write(tmp_path / "said.jsonl", {"role": "user", "content": "The heron nests by the mill."})
    assert here("import", str(file), mongodb_db="other").returncode == 0
    with ScriptedModel() as model:
        done = here("reembed", openai_base_url=model.url, mongodb_db="other")
        assert done.returncode == 0, done.stderr
        assert done.stdout == "1 embedded anew with text-embedding-3-small\n"
        found = here("search", "heron mill", openai_base_url=model.url, mongodb_db="other")
    assert "The heron nests by the mill." in " ".join(found.stdout.split())
    assert here("reembed", mongodb_db="other").stdout.startswith("1 embedded anew with loci-e5-1")
