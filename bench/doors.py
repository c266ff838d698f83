"""What each of Loci's doors adds to a call that goes through it to a model.

    python -m bench.doors [--seconds 20] [--messages 1000] [--rest 0] [--translated]

A model that speaks every protocol answers at once, and is asked directly and through Loci by one client: chat
completions, completions, responses and Anthropic's messages, whole and streamed, in rounds that have each of them once,
in an order of their own. The conversation holds so many messages, embedded and summarised beforehand, and no question
is asked twice. `--rest`: the seconds for which the client reads before it asks on. `--translated`: the model chats
alone, and the other doors' requests become chat completions.

On a machine that is busy with other things the milliseconds say little; the processor time of Loci's two processes for
each call whose answer is whole, until that is there, says more.
"""

import argparse
import asyncio
import random
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import orjson

from bench.proxy import GAP, MEMORY, MODEL, SEED, WARM_ROUNDS, Body, fill, line_to, loci, model, questions
from bench.recall.table import table
from bench.speed.report import figure
from bench.speed.server import Server
from bench.speed.times import milliseconds_since, times
from memory.language.questions import read_question
from utils.encoder import load_encoder
from utils.loops import new_runner

FIRST = "This is answer "  # how an answer begins, by which its first token is known
PIECES = ("I have noted ", "what you said, ", "and come back ", "to it.")
HEAD: Body = {"id": "bench", "created": 1, "model": MODEL}
USAGE: Body = {"prompt_tokens": 9, "completion_tokens": 9, "total_tokens": 18}
TOLD: Body = {"input_tokens": 9, "output_tokens": 9}
AIMS = (15.0, 20.0)  # milliseconds beyond encoding, and until the first token


@dataclass(frozen=True)
class Door:
    """`path`: at Loci; `at_model`: of the model's protocol; `ask`: the field of a request that has the question."""

    name: str
    path: str
    at_model: str
    ask: str

    def request(self, question: str) -> Body:
        body: Body = {"model": MODEL, "max_tokens": 64} if self.ask != "input" else {"model": MODEL}
        return body | {self.ask: [{"role": "user", "content": question}] if self.ask == "messages" else question}


DOORS = (
    Door("chat completions", "/v1/chat/completions", "/v1/chat/completions", "messages"),
    Door("completions", "/v1/completions", "/v1/completions", "prompt"),
    Door("responses", "/v1/responses", "/v1/responses", "input"),
    Door("Anthropic's messages", "/anthropic/v1/messages", "/v1/messages", "messages"),
)


def _whole(path: str, text: str) -> Body:
    """An answer of a protocol."""
    match path.removeprefix("/v1"):
        case "/chat/completions":
            choice: Body = {"message": {"role": "assistant", "content": text}}
            return _choices("chat.completion", choice, "stop") | {"usage": USAGE}
        case "/completions":
            return _choices("text_completion", {"text": text}, "stop") | {"usage": USAGE}
        case "/responses":
            said = {"type": "output_text", "text": text, "annotations": []}
            item = {"id": "msg", "type": "message", "role": "assistant", "status": "completed", "content": [said]}
            return HEAD | {"object": "response", "status": "completed", "output": [item], "usage": TOLD}
        case _:
            content = [{"type": "text", "text": text}]
            return HEAD | {"type": "message", "role": "assistant", "content": content, "usage": TOLD}


def _choices(kind: str, choice: Body, reason: str | None = None) -> Body:
    return HEAD | {"object": kind, "choices": [{"index": 0, **choice, "finish_reason": reason}]}


def _events(path: str, pieces: Sequence[str]) -> list[bytes]:
    """The events of an answer, one a piece between what begins and ends it."""
    whole = _whole(path, "".join(pieces))
    match path.removeprefix("/v1"):
        case "/chat/completions":
            parts = [_choices("chat.completion.chunk", {"delta": {"content": piece}}) for piece in pieces]
            parts.append(_choices("chat.completion.chunk", {"delta": {}}, "stop"))
            return [*map(_event, parts), b"data: [DONE]\n\n"]
        case "/completions":
            parts = [_choices("text_completion", {"text": piece}) for piece in pieces]
            parts.append(_choices("text_completion", {"text": ""}, "stop"))
            return [*map(_event, parts), b"data: [DONE]\n\n"]
        case "/responses":
            place: Body = {"item_id": "msg", "output_index": 0, "content_index": 0}
            begun = HEAD | {"status": "in_progress", "output": []}
            parts = [{"type": "response.created", "response": begun}]
            parts += [{"type": "response.output_text.delta", **place, "delta": piece} for piece in pieces]
            parts.append({"type": "response.completed", "response": whole})
            return [_event({**part, "sequence_number": at}) for at, part in enumerate(parts)]
        case _:
            begins: Body = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
            parts = [{"type": "message_start", "message": whole | {"content": []}}, begins]
            deltas = [{"type": "text_delta", "text": piece} for piece in pieces]
            parts += [{"type": "content_block_delta", "index": 0, "delta": delta} for delta in deltas]
            parts.append({"type": "content_block_stop", "index": 0})
            parts.append({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": TOLD})
            parts.append({"type": "message_stop"})
            return [_event(part) for part in parts]


def _event(data: Body) -> bytes:
    named = f"event: {data['type']}\n".encode() if "type" in data else b""
    return named + b"data: " + orjson.dumps(data) + b"\n\n"


async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """The model: answers each request of a connection at once, in the protocol of its path."""
    with suppress(asyncio.IncompleteReadError, ConnectionError):
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            path = head.split()[1].decode().partition("?")[0]
            if head.startswith(b"GET"):
                _send(writer, {"object": "list", "data": []})
                continue
            length = next(int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:"))
            asked = orjson.loads(await reader.readexactly(length))
            pieces = (f"{FIRST}{time.time_ns()}. ", *PIECES)
            if asked.get("stream"):
                await _stream(writer, _events(path, pieces))
            else:
                _send(writer, _whole(path, "".join(pieces)))


def _send(writer: asyncio.StreamWriter, body: Body) -> None:
    data = orjson.dumps(body)
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(data) + data)


async def _stream(writer: asyncio.StreamWriter, events: Sequence[bytes]) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
    said = False
    for event in events:
        if said:
            await asyncio.sleep(GAP)
        said = said or FIRST.encode() in event
        writer.write(b"%x\r\n%s\r\n" % (len(event), event))
    writer.write(b"0\r\n\r\n")


Took = dict[tuple[str, str], list[float]]  # milliseconds, by the door and what was asked
PROCESSOR = "processor"
DIRECT, THROUGH, TOKEN_DIRECT, TOKEN_THROUGH = "direct", "through Loci", "first token, direct", "first token, through"
ENCODING = "encoding"


def processor_milliseconds(processes: Sequence[int]) -> float:
    """What processes have had of the processors so far, all threads together; 0 where the system does not tell."""
    threads = (thread for process in processes for thread in Path(f"/proc/{process}/task").glob("*/schedstat"))
    total = 0
    for thread in threads:
        with suppress(OSError):  # it has ended
            total += int(thread.read_text().split()[0])
    return total / 1e6


async def measure(
    server: Server, model_url: str, home: Path, names: dict[str, int], seconds: float, rest: float
) -> Took:
    """As many rounds as begin within so many seconds, and at least one; `rest` seconds before each call."""
    chance, asked, encoder = random.Random(SEED), questions(), load_encoder(home)
    took: Took = {}
    async with line_to(model_url) as direct, line_to(server.url) as through:

        async def call(door: Door, kind: str) -> None:
            await asyncio.sleep(rest)
            question = next(asked)
            body, own = door.request(question), {"memory_id": MEMORY}
            if kind == DIRECT:
                _, milliseconds = await direct.whole.post(door.at_model, body)
            elif kind == THROUGH:
                before = processor_milliseconds(server.processes)
                _, milliseconds = await through.whole.post(door.path, body | own)
                spent = processor_milliseconds(server.processes) - before
                took.setdefault((door.name, PROCESSOR), []).append(spent)
            elif kind == TOKEN_DIRECT:
                milliseconds = await direct.streams.until(FIRST.encode(), door.at_model, body)
            else:
                milliseconds = await through.streams.until(FIRST.encode(), door.path, body | own)
            took.setdefault((door.name, kind), []).append(milliseconds)
            bare = read_question(question, names, time.time()).bare
            began = time.perf_counter()
            encoder.read(list(dict.fromkeys((question, bare))))
            took.setdefault((door.name, ENCODING), []).append(milliseconds_since(began))

        calls = [(door, kind) for door in DOORS for kind in (DIRECT, THROUGH, TOKEN_DIRECT, TOKEN_THROUGH)]
        for _ in range(WARM_ROUNDS):
            for door, kind in chance.sample(calls, k=len(calls)):
                await call(door, kind)
        took.clear()
        until = time.monotonic() + seconds
        while not took or time.monotonic() < until:
            for door, kind in chance.sample(calls, k=len(calls)):
                await call(door, kind)
    return took


def report(took: Took, messages: int) -> str:
    """A table: what each door adds, as differences of medians."""
    rows = []
    for door in DOORS:
        p50 = {kind: times(took[door.name, kind]).p50 for kind in (DIRECT, THROUGH, TOKEN_DIRECT, TOKEN_THROUGH)}
        encoding = times(took[door.name, ENCODING]).p50
        added = p50[THROUGH] - p50[DIRECT]
        later = p50[TOKEN_THROUGH] - p50[TOKEN_DIRECT]
        figures = (p50[DIRECT], p50[THROUGH], encoding, added - encoding, later, times(took[door.name, PROCESSOR]).p50)
        rows.append([door.name, *map(figure, figures)])
    count = times(took[DOORS[0].name, THROUGH]).count
    columns = [
        "door",
        "direct, p50, ms",
        "through Loci",
        "encoding",
        "added beyond encoding",
        "first token later by",
        "processor",
    ]
    return (
        f"{count:,} rounds, in a conversation of {messages:,} messages and what the rounds add. "
        f"Aims: {AIMS[0]:.0f} ms beyond encoding, {AIMS[1]:.0f} ms to the first token.\n\n{table(columns, rows)}"
    )


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.doors", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--messages", type=int, default=1_000)
    parser.add_argument("--rest", type=float, default=0.0, help="seconds before each call")
    parser.add_argument("--translated", action="store_true")
    options = parser.parse_args(arguments)
    with TemporaryDirectory(prefix="loci-doors-") as folder, model(answer) as url, new_runner() as runner:
        own = (
            {"OPENAI_RESPONSES": "false"}
            if options.translated
            else {
                "OPENAI_RESPONSES": "true",
                "ANTHROPIC_BASE_URL": url,
            }
        )
        with loci(Path(folder), url, **own) as server:
            names = runner.run(fill(server, options.messages))
            took = runner.run(measure(server, url, Path(folder), names, options.seconds, options.rest))
    print(report(took, options.messages))


if __name__ == "__main__":
    main()
