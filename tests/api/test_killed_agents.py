"""What is left of an agent's task when the process is killed in the middle of it: all that was acknowledged, once."""

from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx

from tests.checks import eventually
from tests.processes import Process, free_port, serving
from tests.scripted_model import ScriptedModel, answer, hang
from tests.tool_calls import BOOK, context, step, user

PATH = "/v1/tool-memory"
NOTE = "The zeppelin is late."


def compress(api: httpx.Client, number: int) -> dict[str, Any]:
    """One step of an agent that sends the newest interaction alone."""
    body = {"task_id": "t", "messages": [user(BOOK), *step(number)]}
    found: dict[str, Any] = api.post(f"{PATH}/compress", json=body).raise_for_status().json()
    return found


def test_a_task_goes_on_after_kills_with_all_that_was_acknowledged(
    tmp_path: Path, scripted_model: ScriptedModel
) -> None:
    port = free_port()
    address = f"http://127.0.0.1:{port}"

    def start() -> Process:
        return serving(tmp_path / "home", scripted_model.url, port)

    scripted_model.always(hang(), on="observer")
    done: list[int] = []
    with ThreadPoolExecutor(1) as beside:
        for kill in range(3):
            with start() as process, httpx.Client(base_url=address, timeout=30) as api:

                def work(api: httpx.Client = api, first: int = 100 * kill) -> None:
                    with suppress(httpx.TransportError):
                        for number in range(first, first + 50):
                            compress(api, number)
                            done.append(number)

                before = len(done)
                working: Future[None] = beside.submit(work)
                eventually(lambda before=before: len(done) >= before + 5)
                process.kill()
                working.result(30)
    scripted_model.always(answer(NOTE), on="observer")
    with start(), httpx.Client(base_url=address, timeout=30) as api:
        view = compress(api, 1_000)
        assert [number for number in done if f"HAT{number:03}" not in context(view["messages"])] == []
        items = api.get(f"{PATH}/records", params={"limit": 200, "task_id": "t"}).json()["items"]
        calls = [one["tool_call_id"] for one in items]
        assert len(calls) == len(set(calls)) and {f"c{number}" for number in done} < set(calls)

        def noted() -> bool:
            found = api.get(f"{PATH}/records", params={"limit": 200, "task_id": "t"}).json()["items"]
            return all(one["summary"] == NOTE for one in found)

        eventually(noted, 90)  # a lease runs out, and the sweep gives its jobs to others
