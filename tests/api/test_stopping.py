"""What a client is told whose answer still streams when the server is told to stop."""

import json
from contextlib import ExitStack
from pathlib import Path

import httpx

from tests.api.test_killed_streams import STREAMS
from tests.checks import eventually
from tests.processes import free_port, serving
from tests.scripted_model import Behaviour, ScriptedModel

SESSIONS = {"/query": "asked", "/v1/chat/completions": "proxied"}


def test_streams_end_with_an_error_and_what_came_is_kept(scripted_model: ScriptedModel, tmp_path: Path) -> None:
    scripted_model.script(*[Behaviour(pieces=("Once ", "upon ", "a time"), hang_after=3)] * 2)
    home, port = tmp_path / "home", free_port()
    address = f"http://127.0.0.1:{port}"
    with serving(home, scripted_model.url, port) as process, ExitStack() as open_streams:
        streams = {}
        for path, body in STREAMS.items():
            api = open_streams.enter_context(httpx.Client(base_url=address, timeout=30))
            session = {"session_id" if path == "/query" else "memory_id": SESSIONS[path]}
            answered = open_streams.enter_context(api.stream("POST", path, json=body | session))
            streams[path] = answered.iter_lines()
            while "upon" not in next(streams[path]):
                pass
        process.ask_to_stop()
        ends = {path: [line for line in lines if line] for path, lines in streams.items()}
        process.stop(25)
        assert "Traceback" not in process.output
        assert "Exception" not in process.output
    assert ends["/query"][-2] == "event: error"
    told = json.loads(ends["/query"][-1].removeprefix("data: "))
    assert (told["status"], told["title"]) == (503, "Server stopping")
    [error] = [json.loads(line.removeprefix("data: ")) for line in ends["/v1/chat/completions"]]
    assert error["error"]["type"] == "server_error"
    assert error["error"]["message"] == told["detail"]
    with serving(home, scripted_model.url, port), httpx.Client(base_url=address, timeout=30) as api:
        for path in STREAMS:
            kept = eventually(lambda of=path: api.get(f"/v1/sessions/{SESSIONS[of]}/messages").json()["items"][1:], 40)
            assert [(one["content"].strip(), one["interrupted"]) for one in kept] == [("Once upon", True)]
