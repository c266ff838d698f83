"""An import whose process is killed has lost nothing that it had kept, and a repeat ends it."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.checks import eventually
from tests.exports import MESSAGE, SESSION, bring_in, ended, exported, imported, lines_of
from tests.processes import Process, free_port, loci

MESSAGES = 700


def serving(home: Path, port: int) -> Process:
    process = loci(home, "serve", port=port)
    process.says("Loci is at")
    return process


def test_an_import_that_is_killed_in_the_middle_is_ended_by_a_repeat(tmp_path: Path) -> None:
    talk = [{**MESSAGE, "id": f"m{at}", "place": at, "content": f"part {at}"} for at in range(MESSAGES)]
    file = ended([{**SESSION, "places": MESSAGES}, *talk])
    lines = file.splitlines(True)
    port = free_port()
    address = f"http://127.0.0.1:{port}"

    with serving(tmp_path, port) as process, httpx.Client(base_url=address, timeout=60) as api:

        def cut() -> Iterator[bytes]:
            yield b"".join(lines[:500])
            eventually(lambda: api.get("/v1/sessions/s?user_id=ann").json().get("message_count", 0) >= 400)
            process.kill()
            yield b"".join(lines[500:])

        with httpx.Client(base_url=address, timeout=60) as other, pytest.raises(httpx.TransportError):
            bring_in(other, "ann", cut())
    with serving(tmp_path, port), httpx.Client(base_url=address, timeout=60) as api:
        new, there = imported(api, "ann", file)
        assert 0 < new["message"] <= MESSAGES - 400
        assert new["message"] + there["message"] == MESSAGES
        session = api.get("/v1/sessions/s?user_id=ann").json()
        assert (session["message_count"], session["pair_count"]) == (MESSAGES, 0)
        said = [line["id"] for line in lines_of(exported(api, "ann")) if line["kind"] == "message"]
        assert said == [f"m{at}" for at in range(MESSAGES)]
        assert imported(api, "ann", file)[0] == {}
