"""How much code one request runs through: `python -m bench.files_entered [--names]`.

Serves the API in this process over a store and an encoder of its own, asks each kind of request twice, and prints of
the second time how many of the project's files were entered, how many functions, and how many distinct moves from one
file to another there were, on the thread of the event loop. Workers run between requests, while a pause lets them end.
"""

import argparse
import asyncio
import json
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import FrameType
from typing import Any

import httpx

from api.app import create_app
from config.settings import Settings
from utils.loops import new_runner

ROOT = Path(__file__).parent.parent
PROJECT = tuple(f"{ROOT / part}/" for part in ("api", "agents", "memory", "utils", "config"))
QUIET = 1.5  # seconds in which background work comes to its end
STEPS = 8


def history() -> list[dict[str, Any]]:
    """An agent's history: each step finds thirty flights to another place."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Book me the cheapest flight to New York on 3 May."}]
    for step in range(STEPS):
        call = {"name": "search_flights", "arguments": json.dumps({"to": f"T{step}"})}
        flights = [{"id": f"HAT{step}{n:02}", "price": 100 + 7 * n % 90, "from": "SFO"} for n in range(30)]
        messages += [
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": f"c{step}", "type": "function", "function": call}],
            },
            {"role": "tool", "tool_call_id": f"c{step}", "content": json.dumps({"flights": flights})},
        ]
    return messages


REQUESTS: dict[str, tuple[str, Any]] = {
    "a question, POST /query": ("/query", {"query": "What is my dog called?", "session_id": "a"}),
    "a statement, POST /query": ("/query", {"query": "My cat is called Tofu.", "session_id": "a"}),
    "a search, POST /v1/search": ("/v1/search", {"query": "the dog's name"}),
    "a fact, POST /v1/facts": ("/v1/facts", {"text": "I live in Madrid."}),
    "a step of an agent, POST /v1/tool-memory/compress": (
        "/v1/tool-memory/compress",
        {"task_id": "t", "messages": history()},
    ),
    "an update of a bank": ("/v1/banks/project/loci/update", {"content": "We decided to use SQLite."}),
}


class Profile:
    """What was entered since the last `clear`, as `sys.setprofile` tells of it."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        self.files: set[str] = set()
        self.functions: set[tuple[str, str, int]] = set()
        self.moves: set[tuple[str, str]] = set()

    def __call__(self, frame: FrameType, event: str, argument: Any) -> None:
        name = frame.f_code.co_filename
        if event != "call" or not name.startswith(PROJECT):
            return
        self.files.add(name)
        self.functions.add((name, frame.f_code.co_name, frame.f_code.co_firstlineno))
        caller = frame.f_back
        while caller is not None and not caller.f_code.co_filename.startswith(PROJECT):
            caller = caller.f_back
        if caller is not None and caller.f_code.co_filename != name:
            self.moves.add((caller.f_code.co_filename, name))


async def measure(names: bool) -> None:
    with tempfile.TemporaryDirectory() as home:
        app = create_app(Settings(_env_file=None, loci_home=Path(home)))
        profile = Profile()
        async with app.router.lifespan_context(app):
            transport = httpx.ASGITransport(app=app, client=("127.0.0.1", 1))
            async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
                await client.post("/query", json={"query": "My dog is called Biscuit.", "session_id": "first"})
                for label, (path, body) in REQUESTS.items():
                    await _ask(lambda path=path, body=body: client.post(path, json=body), profile)  # type: ignore[misc]
                    print(
                        f"{label}: {len(profile.files)} files, {len(profile.functions)} functions, "
                        f"{len(profile.moves)} moves between files"
                    )
                    if names:
                        print(*(f"  {Path(name).relative_to(ROOT)}" for name in sorted(profile.files)), sep="\n")


async def _ask(ask: Callable[[], Awaitable[httpx.Response]], profile: Profile) -> None:
    (await ask()).raise_for_status()
    await asyncio.sleep(QUIET)
    profile.clear()
    sys.setprofile(profile)
    try:
        (await ask()).raise_for_status()
    finally:
        sys.setprofile(None)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--names", action="store_true", help="list the files")
    names: bool = parser.parse_args().names
    with new_runner() as runner:
        runner.run(measure(names))


if __name__ == "__main__":
    main()
