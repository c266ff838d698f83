"""Whether a compressed history still holds what an agent needs next.

    python -m bench.tool_memory RUNS.json [--runs 0] [--window 8]

RUNS.json: recorded runs of an agent that calls tools, `[{"traj": [message, ...]}, ...]` in OpenAI's chat format, as
tau-bench publishes them. Before each recorded call of tools, the history is compressed by a started server, over HTTP,
as by an agent that sends it whole at each step; beside it stand the history's newest messages alone. The values that
the call has as arguments, of four characters or more, should still stand where they stood:

kept: of all that stood somewhere in the history; deep: of those that stood in results of former calls alone;
attributed: of those, the ones that stand in a record that also names their tool and their key. size: characters of the
compressed histories to those of the whole ones, system prompts left out of both.
"""

import argparse
import json
import re
import time
import uuid
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from agents.tools.messages import Interaction, calls_of, interactions, said_in
from bench.recall.table import table
from bench.speed.connection import Connection, connected
from bench.speed.report import figure
from bench.speed.server import Server
from bench.speed.times import milliseconds_since, times
from memory.views.json_values import Json
from memory.views.records import read_json
from utils.loops import new_runner

SHORTEST = 4  # characters of a value that is looked for

Message = Mapping[str, Any]
Compress = Callable[[str, Sequence[Message]], Awaitable[Sequence[Message]]]


@dataclass
class Found:
    """Counts over all steps: of needed values and those kept; `took`: milliseconds of each step."""

    needed: int = 0
    kept: int = 0
    deep: int = 0
    deep_kept: int = 0
    attributed: int = 0
    whole: int = 0
    compressed: int = 0
    took: list[float] = field(default_factory=list)

    def row(self, name: str) -> list[str]:
        at = times(self.took)
        shares = (self.kept / self.needed, self.deep_kept / self.deep, self.attributed / self.deep)
        size = self.compressed / self.whole
        return [name, *(f"{share:.3f}" for share in (*shares, size)), figure(at.p50), figure(at.p95)]


async def measure(runs: Sequence[Sequence[Message]], compress: Compress) -> Found:
    found = Found()
    for run in runs:
        task = uuid.uuid4().hex
        for at, message in enumerate(run):
            if not calls_of(message):
                continue
            history = run[:at]
            began = time.perf_counter()
            view = await compress(task, history)
            found.took.append(milliseconds_since(began))
            _count(found, history, view, list(_needed(message)))
    return found


def _count(found: Found, history: Sequence[Message], view: Sequence[Message], needed: Sequence[str]) -> None:
    said, shown = _text(history), _text(view, [message for message in history if message["role"] == "system"])
    found.whole += len(said)
    found.compressed += len(shown)
    records = [part for message in view for part in _records(message)]
    every = interactions(history)
    near = _near(history, every[-1] if every else None)
    for value in needed:
        if value not in said:
            continue
        found.needed += 1
        found.kept += value in shown
        told = [one for interaction in every[:-1] for one in interaction.results if value in one.content]
        if value in near or not told:
            continue
        found.deep += 1
        found.deep_kept += value in shown
        places = {(one.tool_name, key) for one in told for key in _keys(read_json(one.content), value) or {""}}
        found.attributed += any(
            value in part and tool in part and key in part for part in records for tool, key in places
        )


def _needed(message: Message) -> Iterator[str]:
    """The values of a message's calls, each once."""
    arguments = [read_json(str(call.get("function", {}).get("arguments", ""))) for call in calls_of(message)]
    for one in arguments:
        yield from dict.fromkeys(value for value in _values(one) if len(value) >= SHORTEST)


def _values(value: Json) -> Iterator[str]:
    if isinstance(value, Mapping):
        for item in value.values():
            yield from _values(item)
    elif isinstance(value, list):
        for item in value:
            yield from _values(item)
    elif value is not None and not isinstance(value, bool):
        yield str(value)


def _keys(value: Json, wanted: str, key: str = "") -> set[str]:
    """The keys under which a value stands; none for one that is a key itself."""
    if isinstance(value, Mapping):
        inner = [{""} if name == wanted else set() for name in value]
        return set().union(*inner, *(_keys(item, wanted, name) for name, item in value.items()))
    if isinstance(value, list):
        return set().union(*(_keys(item, wanted, key) for item in value))
    return {key} if not isinstance(value, bool) and value is not None and str(value) == wanted else set()


def _near(history: Sequence[Message], last: Interaction | None) -> str:
    """What the user said, and the last calls with their results."""
    tail = range(last.start, last.end) if last else range(0)
    return "\n".join(said_in(one) for at, one in enumerate(history) if at in tail or one["role"] == "user")


def _text(messages: Sequence[Message], without: Sequence[Message] = ()) -> str:
    own = (one for one in messages if one not in without and (without or one["role"] != "system"))
    return "\n".join(map(said_in, own))


def _records(message: Message) -> list[str]:
    """A message in parts, one each for what stands under a mark of a record."""
    return re.split(r"(?=\[RETRIEVED RECORD)", f"{message.get('name') or ''}\n{said_in(message)}")


def by_window(most: int) -> Compress:
    """The newest messages, so many."""

    async def newest(task: str, history: Sequence[Message]) -> list[Message]:
        prompts = [message for message in history if message["role"] == "system"]
        return [*prompts, *[message for message in history if message["role"] != "system"][-most:]]

    return newest


def over_http(connection: Connection) -> Compress:
    async def compress(task: str, history: Sequence[Message]) -> list[Message]:
        body: dict[str, object] = {"task_id": task, "messages": history}
        content, _ = await connection.post("/v1/tool-memory/compress", body)
        view: list[Message] = json.loads(content)["messages"]
        return view

    return compress


async def _measure_all(server: Server, runs: Sequence[Sequence[Message]], window: int) -> list[list[str]]:
    async with connected(server.url) as connection:
        loci = await measure(runs, over_http(connection))
    newest = await measure(runs, by_window(window))
    return [loci.row("Loci, over HTTP"), newest.row(f"newest {window} messages")]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.tool_memory",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--runs", type=int, default=0, help="so many of them; 0 for all")
    parser.add_argument("--window", type=int, default=8, help="messages that are kept for comparison")
    options = parser.parse_args(arguments)
    runs = [one["traj"] for one in json.loads(options.data.read_text())][: options.runs or None]
    with TemporaryDirectory(prefix="loci-tools-") as folder, new_runner() as runner:
        server = Server(Path(folder), free_encoder=False)
        try:
            server.start()
            rows = runner.run(_measure_all(server, runs, options.window))
        finally:
            server.stop()
    print(table(["history", "kept", "deep", "attributed", "size", "p50, ms", "p95, ms"], rows))


if __name__ == "__main__":
    main()
