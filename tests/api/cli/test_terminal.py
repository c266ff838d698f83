"""`loci chat` hears what is typed, pasted, piped in or broken off."""

import io
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pymongo import MongoClient

from api.cli.commands import main
from tests.checks import eventually
from tests.embedded.drivers import kept_attached
from tests.processes import LOCI, environment
from tests.scripted_model import Behaviour, ScriptedModel, answer
from tests.terminals import CTRL_C, CTRL_D, UP, Terminal

STORY = Behaviour(pieces=("Once ", "upon ", "a time"), hang_after=3)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home that the commands of this file share, so that its store starts once."""
    return tmp_path_factory.mktemp("chat")


@pytest.fixture
def model(scripted_model: ScriptedModel) -> dict[str, Any]:
    """The settings that name the scripted model."""
    return {"openai_base_url": scripted_model.url, "openai_api_key": "sk", "embedding_model": "local"}


def piped(place: Path, lines: str | bytes, *arguments: str, **settings: object) -> subprocess.CompletedProcess[str]:
    """What becomes of lines that come through a pipe."""
    done = subprocess.run(
        [LOCI, "chat", *arguments],
        input=lines.encode() if isinstance(lines, str) else lines,
        env=environment(place, **settings),
        cwd=place,
        capture_output=True,
        timeout=60,
        check=False,
    )
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def stored(place: Path, session: str) -> list[tuple[str, bool]]:
    """The messages of a session, and whether they are marked as interrupted."""
    with kept_attached(place) as uri, MongoClient[dict[str, Any]](uri) as client:
        found = client.loci.vectors.find({"session_id": session}).sort("message_index")
        return [(one["content"], one.get("interrupted", False)) for one in found]


# At a terminal.


def test_a_conversation_at_a_terminal(place: Path) -> None:
    with Terminal(place, "chat", "--user", "ann") as terminal:
        terminal.says("/help")
        terminal.says("> ")
        terminal.types("The heron nests by the old mill.\r")
        terminal.says("Noted")
        terminal.says("> ")
        terminal.types("\rWhere does the heron nest?\r")
        terminal.says(r"old mill.*\[1\]")
        terminal.says("> ")
        terminal.types("/sources\r")
        terminal.says(r"\[1\] \d{4}-\d\d-\d\d The heron nests by the old mill\.")
        terminal.says("> ")
        terminal.types(CTRL_D)
        terminal.says(r"session \w+")
        assert terminal.ends() == 0


@pytest.mark.parametrize("last", ["/quit\r", f"half a line{CTRL_C}"])
def test_a_conversation_ends_when_it_is_told_to(place: Path, last: str) -> None:
    with Terminal(place, "chat") as terminal:
        terminal.says("> ")
        terminal.types(last)
        assert terminal.ends() == 0
        assert "Traceback" not in terminal.output


@pytest.mark.parametrize("hangs_up", [False, True])
def test_ctrl_c_ends_a_conversation_that_has_not_begun(place: Path, hangs_up: bool) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        uri = f"mongodb://127.0.0.1:{silent.getsockname()[1]}/"
        with Terminal(place, "chat", mongodb_uri=uri) as terminal:
            connection, _ = silent.accept()
            if hangs_up:
                connection.close()
            terminal.types(CTRL_C)
            assert terminal.ends(8) != 0  # the store would be waited for longer than that
            assert "Traceback" not in terminal.output
            connection.close()


def test_ctrl_c_breaks_an_answer_off_and_the_prompt_comes_again(
    place: Path, scripted_model: ScriptedModel, model: dict[str, Any]
) -> None:
    scripted_model.script(STORY, answer("Of course."))
    with Terminal(place, "chat", "--session", "tale", **model) as terminal:
        terminal.says("> ")
        terminal.types("Tell me a story.\r")
        terminal.says("Once upon ")
        terminal.types(CTRL_C)
        terminal.says("broken off")
        terminal.says("> ")
        terminal.types("Another one?\r")
        terminal.says("Of course.")
        terminal.says("> ")
        terminal.types(CTRL_C)
        terminal.says("session tale")
        assert terminal.ends() == 0
        assert "Traceback" not in terminal.output
    assert stored(place, "tale") == [
        ("Tell me a story.", False),
        ("Once upon ", True),
        ("Another one?", False),
        ("Of course.", False),
    ]


def test_what_was_typed_before_comes_back_and_is_edited(
    place: Path, scripted_model: ScriptedModel, model: dict[str, Any]
) -> None:
    pytest.importorskip("readline")
    with Terminal(place, "chat", **model) as terminal:
        terminal.says("> ")
        terminal.types("My boat is gray\r")
        terminal.says("You said:")
        terminal.says("> ")
        terminal.types(f"{UP}\x7f\x7feen\r")
        terminal.says("You said:")
        terminal.says(r"My boat is green\s")  # the answer's end, before which memory is quoted
        terminal.says("> ")
        terminal.types(CTRL_D)
        assert terminal.ends() == 0
    asked = [str(body["messages"][-1]["content"]) for body in scripted_model.asked("chat")]
    assert asked[0].endswith("My boat is gray")
    assert asked[1].endswith("My boat is green")


def test_several_lines_that_are_pasted_at_once_are_one_message(
    place: Path, scripted_model: ScriptedModel, model: dict[str, Any]
) -> None:
    if "GNU" not in (pytest.importorskip("readline").__doc__ or ""):
        pytest.skip("libedit knows nothing of pasting")
    with Terminal(place, "chat", "--session", "pasted", **model) as terminal:
        prompt = r"\x1b\[\?2004h> "  # asks the terminal to mark what is pasted; the answer may quote a ">" alone
        terminal.says(prompt)
        terminal.types("\x1b[200~one\ntwo\x1b[201~")
        terminal.types("\r")
        terminal.says("You said:")
        terminal.says(prompt)
        terminal.types(CTRL_D)
        assert terminal.ends() == 0
    assert stored(place, "pasted")[0] == ("one\ntwo", False)


def test_answers_go_into_a_file_and_the_prompt_does_not(place: Path, tmp_path: Path) -> None:
    with (tmp_path / "answers").open("wb") as file, Terminal(place, "chat", stdout=file) as terminal:
        terminal.says("> ")
        terminal.types("Thanks!\r")
        terminal.says("> ")
        terminal.types(CTRL_D)
        assert terminal.ends() == 0
    assert (tmp_path / "answers").read_text() == "You're welcome.\n"


# Through a pipe.


def test_each_line_of_a_pipe_is_a_message(place: Path) -> None:
    lines = "The otter sleeps under the pier.\r\n\nWhere does the otter sleep?\n/sources\nThanks!"
    done = piped(place, lines, "--user", "bob", "--session", "otters", force_color=1)
    assert done.returncode == 0, done.stderr
    assert "under the pier" in done.stdout.splitlines()[1]
    assert re.fullmatch(r"\[1\] \d{4}-\d\d-\d\d The otter sleeps under the pier\.", done.stdout.splitlines()[2])
    assert done.stdout.endswith("You're welcome.\n")
    assert done.stderr.splitlines()[-1] == "session otters"
    assert "\x1b" not in done.stdout + done.stderr
    assert [content for content, _ in stored(place, "otters")][::2] == [
        "The otter sleeps under the pier.",
        "Where does the otter sleep?",
        "Thanks!",
    ]


def test_a_line_that_is_no_text_is_told_and_the_next_is_answered(place: Path) -> None:
    done = piped(place, b"\xff\xfe\nThanks!\n")
    assert done.returncode == 1
    assert done.stdout == "You're welcome.\n"
    assert "loci: The line is not UTF-8 text\n" in done.stderr


def test_ctrl_c_ends_what_comes_through_a_pipe(
    place: Path, scripted_model: ScriptedModel, model: dict[str, Any], tmp_path: Path
) -> None:
    scripted_model.script(STORY)
    said, out = tmp_path / "said", tmp_path / "out"
    said.write_text("Tell me a story.\n" * 3)
    with said.open() as lines, out.open("wb") as answers:
        process = subprocess.Popen(
            [LOCI, "chat", "--session", "piped"],
            env=environment(place, **model),
            cwd=place,
            stdin=lines,
            stdout=answers,
            stderr=answers,
        )
    try:
        eventually(lambda: "upon" in out.read_text(), 30)
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 1
    finally:
        process.kill()
        process.wait()
    assert "broken off" in out.read_text()
    assert stored(place, "piped") == [("Tell me a story.", False), ("Once upon ", True)]


# In this process.


@pytest.mark.parametrize(
    ("arguments", "uri", "said"),
    [(["--user", "a/b"], "", "--user: "), (["--session", ""], "", "--session: "), ([], "hunter2://", "MONGODB_URI")],
)
def test_a_conversation_that_cannot_be_is_refused_in_one_line(
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    uri: str,
    said: str,
) -> None:
    monkeypatch.setenv("LOCI_HOME", str(place))
    if uri:
        monkeypatch.setenv("MONGODB_URI", uri)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"Hello\n")))
    monkeypatch.setattr(sys, "argv", ["loci", "chat", *arguments])
    with pytest.raises(SystemExit, match="1"):
        main()
    assert re.fullmatch(rf"loci: {said}.*\n", capsys.readouterr().err)
