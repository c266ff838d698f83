"""What Loci adds to a call that goes through it to a model.

    python -m bench.proxy [--seconds 10] [--messages 1000] [--rest 0]

A model that answers at once is asked directly and through Loci, by one client and in rounds. Each round has one call of
every kind, in an order of its own, so that all are measured under the same load: Loci's work after an answer, too. Of
that it never comes to an end when the client asks on at once; `--rest` is the seconds for which it reads first. The
conversation holds so many messages, embedded and summarised beforehand, and no question is asked twice: a call through
Loci includes the encoding of its question, and where it names a speaker, of the question without the name; beside it
stands how long that takes in this process. Of a stream, the first token is timed, from the request on and from the time
at which the model sent it, which stands in its chunk.
"""

import argparse
import asyncio
import multiprocessing
import random
import socket
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import count
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory
from typing import NamedTuple
from urllib.parse import urlsplit

import orjson

from api.auth import DEFAULT_USER
from bench.recall.over_http import over_http
from bench.recall.table import table
from bench.speed.connection import Connection, Refused, connected
from bench.speed.conversation import conversation
from bench.speed.report import figure
from bench.speed.server import Server
from bench.speed.times import milliseconds_since, times
from memory.language.questions import read_question
from utils.encoder import Encoder, load_encoder
from utils.loops import new_runner

PATH = "/v1/chat/completions"
MODEL = "scripted"
MEMORY = "bench"  # the conversation that is recalled and gone on with
PIECES = ("I have noted ", "what you said, ", "and come back ", "to it.")  # of a stream, after the first
GAP = 0.005  # seconds between two of them
LAST_CHUNK = b"\r\n0\r\n\r\n"
QUESTIONS = 500  # distinct ones, numbered where they come again
WARM_ROUNDS = 10
SUMMARISED_SECONDS = 600.0  # for what is imported
SEED = 7

Body = dict[str, object]
Call = Callable[[str], Awaitable[None]]
Answering = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """The model: answers each request of a connection at once, no two of them the same."""
    with suppress(asyncio.IncompleteReadError, ConnectionError):
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            if head.startswith(b"GET"):  # its models
                writer.write(b'HTTP/1.1 200 OK\r\ncontent-length: 27\r\n\r\n{"object":"list","data":[]}')
                continue
            asked = orjson.loads(await reader.readexactly(_length(head)))
            said = f"This is answer {time.time_ns()}. "
            if asked.get("stream"):
                await _stream(writer, said)
            else:
                writer.write(_whole(said + "".join(PIECES)))


async def _stream(writer: asyncio.StreamWriter, first: str) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
    writer.write(_event({"role": "assistant", "content": ""}))
    writer.write(_event({"content": first}, sent=time.time_ns()))
    for piece in PIECES:
        await asyncio.sleep(GAP)
        writer.write(_event({"content": piece}))
    writer.write(_event({}, "stop"))
    writer.write(_chunk(b"data: [DONE]\n\n") + _chunk(b""))


def _event(delta: Body, reason: str | None = None, **more: int) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    return _chunk(b"data: " + orjson.dumps(_body("chat.completion.chunk", choice) | more) + b"\n\n")


def _chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


def _whole(text: str) -> bytes:
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    body = orjson.dumps(_body("chat.completion", choice))
    return b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%s" % (len(body), body)


def _body(kind: str, choice: Body) -> Body:
    return {"id": "chatcmpl-bench", "object": kind, "created": int(time.time()), "model": MODEL, "choices": [choice]}


def _length(head: bytes) -> int:
    return next(int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:"))


def _run_model(listener: socket.socket, answering: Answering) -> None:
    async def serve() -> None:
        async with await asyncio.start_server(answering, sock=listener) as server:
            await server.serve_forever()

    with suppress(KeyboardInterrupt), new_runner() as runner:
        runner.run(serve())


@contextmanager
def model(answering: Answering = answer) -> Iterator[str]:
    """The address of a model in a process of its own. `answering`: what it does with a connection, by its name."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        process = multiprocessing.get_context("spawn").Process(
            target=_run_model, args=(listener, answering), daemon=True
        )
        process.start()
        port = listener.getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.join()


@contextmanager
def loci(home: Path, model_url: str, **settings: str) -> Iterator[Server]:
    """A started server that passes requests on to a model and embeds by itself. `settings`: others of its own."""
    chosen = {"OPENAI_BASE_URL": f"{model_url}/v1", "EMBEDDING_MODEL": "local"} | settings
    (home / ".env").write_text("".join(f"{name}={value}\n" for name, value in chosen.items()))
    server = Server(home, free_encoder=False)
    try:
        server.start()
        yield server
    finally:
        server.stop()


async def fill(server: Server, messages: int) -> dict[str, int]:
    """Gives the conversation so many messages; none is still to be embedded or summarised when it returns. Who speaks
    in it, lower case, each with a number."""
    said = conversation(messages, 0).messages
    async with over_http(server.url) as client:
        await client.add(DEFAULT_USER, MEMORY, said)
    await asyncio.to_thread(_wait_for_summaries, server)
    speakers = sorted({message.speaker.casefold() for message in said if message.speaker})
    return {name: number for number, name in enumerate(speakers, 1)}


def _wait_for_summaries(server: Server) -> None:
    until = time.monotonic() + SUMMARISED_SECONDS
    with server.database() as database:
        while database["sessions"].find_one({"summary.state": {"$in": ["pending", "leased"]}}):
            if time.monotonic() > until:
                raise TimeoutError("the imported messages are not summarised")
            time.sleep(0.05)


def questions() -> Iterator[str]:
    """About what was said, without end; no two are the same."""
    asked = conversation(0, QUESTIONS).questions
    for n in count(1):
        yield f"Question {n}: {asked[n % QUESTIONS]}"


class Token(NamedTuple):
    """Milliseconds until the first token of a stream came: after the request, and after the model sent it."""

    after_request: float
    after_sent: float


class Streams:
    """A connection whose answers are streams, one after the other."""

    def __init__(self, host: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._host = host
        self._reader = reader
        self._writer = writer

    async def first_token(self, body: Body) -> Token:
        """Returns when the whole stream has come. Raises `Refused` where it has no token."""
        began = await self._begin(PATH, body)
        sent, came = await self._token()
        await self._reader.readuntil(LAST_CHUNK)
        return Token((came - began) / 1e6, (came - sent) / 1e6)

    async def until(self, first: bytes, path: str, body: Body) -> float:
        """Milliseconds from a request on to a line of its answer that has `first`. Returns when the whole stream has
        come. Raises `Refused` where it has none."""
        began = await self._begin(path, body)
        while first not in (line := await self._reader.readline()):
            if line in (b"", b"0\r\n"):
                raise Refused(f"{path}: a stream without a token")
        came = time.time_ns()
        await self._reader.readuntil(LAST_CHUNK)
        return (came - began) / 1e6

    async def _begin(self, path: str, body: Body) -> int:
        """Sends a request; returns when, in nanoseconds of the clock, once the head of its answer has come."""
        payload = orjson.dumps(body | {"stream": True})
        head = f"POST {path} HTTP/1.1\r\nHost: {self._host}\r\nContent-Type: application/json\r\n"
        began = time.time_ns()
        self._writer.write(f"{head}Content-Length: {len(payload)}\r\n\r\n".encode() + payload)
        status = await self._reader.readuntil(b"\r\n\r\n")
        if not status.startswith(b"HTTP/1.1 200"):
            raise Refused(f"a stream of {self._host}: {status[:40]!r}")
        return began

    async def _token(self) -> tuple[int, int]:
        """Nanoseconds of the clock at which the first token was sent, and at which it came."""
        while (line := await self._reader.readline()) not in (b"", b"0\r\n"):
            came = time.time_ns()
            if line.startswith(b"data: {"):
                sent = orjson.loads(line[6:]).get("sent")
                if sent is not None:
                    return sent, came
        raise Refused(f"a stream of {self._host} has no token")

    async def close(self) -> None:
        self._writer.close()
        await self._writer.wait_closed()


@dataclass(frozen=True)
class Line:
    """To a server: a connection for whole answers, and one for streams."""

    whole: Connection
    streams: Streams


@asynccontextmanager
async def line_to(url: str) -> AsyncIterator[Line]:
    parts = urlsplit(url)
    async with connected(url) as whole:
        streams = Streams(parts.netloc, *await asyncio.open_connection(parts.hostname, parts.port))
        try:
            yield Line(whole, streams)
        finally:
            await streams.close()


class Took(StrEnum):
    """What is timed. `PLAIN`: memory is not read. `TOKEN_…`: from the request on; `SENT_…`: from the model on."""

    DIRECT = "direct"
    THROUGH = "through Loci"
    PLAIN = "through Loci, memory_strategy none"
    TOKEN_DIRECT = "first token after the request, direct"
    TOKEN_THROUGH = "first token after the request, through Loci"
    SENT_DIRECT = "first token after it was sent, direct"
    SENT_THROUGH = "first token after it was sent, through Loci"
    ENCODING = "encoding of what a search reads, in this process"


@dataclass(frozen=True)
class Measured:
    """Milliseconds, of each kind as many. `known`: how many memories a question was given."""

    took: dict[Took, list[float]] = field(default_factory=lambda: {kind: [] for kind in Took})
    known: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class Client:
    """The one that asks, directly and through Loci, and `measured` what it saw. `names`: of those who speak in what is
    recalled, lower case, and a number of each."""

    direct: Line
    through: Line
    encoder: Encoder
    names: Mapping[str, int]
    measured: Measured = field(default_factory=Measured)

    @property
    def calls(self) -> list[Call]:
        """One of every kind."""
        return [
            self._ask_directly,
            self._ask_through,
            self._ask_plainly,
            self._stream_directly,
            self._stream_through,
            self._encode,
        ]

    async def _ask_directly(self, question: str) -> None:
        _, took = await self.direct.whole.post(PATH, _request(question))
        self.measured.took[Took.DIRECT].append(took)

    async def _ask_through(self, question: str) -> None:
        content, took = await self.through.whole.post(PATH, _request(question, memory_id=MEMORY))
        self.measured.took[Took.THROUGH].append(took)
        self.measured.known.append(len(orjson.loads(content)["memory_hits"]))

    async def _ask_plainly(self, question: str) -> None:
        body = _request(question, memory_id=MEMORY, memory_strategy="none")
        _, took = await self.through.whole.post(PATH, body)
        self.measured.took[Took.PLAIN].append(took)

    async def _stream_directly(self, question: str) -> None:
        token = await self.direct.streams.first_token(_request(question))
        self.measured.took[Took.TOKEN_DIRECT].append(token.after_request)
        self.measured.took[Took.SENT_DIRECT].append(token.after_sent)

    async def _stream_through(self, question: str) -> None:
        token = await self.through.streams.first_token(_request(question, memory_id=MEMORY))
        self.measured.took[Took.TOKEN_THROUGH].append(token.after_request)
        self.measured.took[Took.SENT_THROUGH].append(token.after_sent)

    async def _encode(self, question: str) -> None:
        bare = read_question(question, self.names, time.time()).bare
        began = time.perf_counter()
        self.encoder.read(list(dict.fromkeys((question, bare))))
        self.measured.took[Took.ENCODING].append(milliseconds_since(began))


def _request(question: str, **more: str) -> Body:
    return {"model": MODEL, "messages": [{"role": "user", "content": question}], **more}


async def measure(
    server: Server, model_url: str, encoder: Encoder, names: Mapping[str, int], seconds: float, rest: float
) -> Measured:
    """As many rounds as begin within so many seconds, and at least one; `rest` seconds before each call."""
    chance, asked = random.Random(SEED), questions()
    async with line_to(model_url) as direct, line_to(server.url) as through:
        warm = Client(direct, through, encoder, names)
        for _ in range(WARM_ROUNDS):
            await _round(warm, asked, chance, 0.0)
        client = Client(direct, through, encoder, names)
        until = time.monotonic() + seconds
        await _round(client, asked, chance, rest)
        while time.monotonic() < until:
            await _round(client, asked, chance, rest)
    return client.measured


async def _round(client: Client, asked: Iterator[str], chance: random.Random, rest: float) -> None:
    for call in chance.sample(client.calls, k=len(client.calls)):
        await asyncio.sleep(rest)
        await call(next(asked))


def report(measured: Measured, messages: int) -> str:
    """Two tables: what was measured, and what Loci adds, as differences of the medians."""
    found = {kind: times(milliseconds) for kind, milliseconds in measured.took.items()}
    p50 = {kind: one.p50 for kind, one in found.items()}
    overhead = p50[Took.THROUGH] - p50[Took.DIRECT]
    added = {
        "overhead": overhead,
        "overhead beyond encoding": overhead - p50[Took.ENCODING],
        "overhead, memory_strategy none": p50[Took.PLAIN] - p50[Took.DIRECT],
        "first token later by, after the request": p50[Took.TOKEN_THROUGH] - p50[Took.TOKEN_DIRECT],
        "first token later by, after it was sent": p50[Took.SENT_THROUGH] - p50[Took.SENT_DIRECT],
    }
    beyond = added["overhead beyond encoding"] / p50[Took.ENCODING]
    return "\n\n".join(
        [
            f"{found[Took.DIRECT].count:,} rounds, in a conversation of {messages:,} messages and what the rounds add; "
            f"{mean(measured.known):.1f} memories a question.",
            table(
                ["call", "p50, ms", "p95, ms"],
                [[kind, figure(one.p50), figure(one.p95)] for kind, one in found.items()],
            ),
            table(["what Loci adds", "p50, ms"], [[name, figure(one)] for name, one in added.items()]),
            f"The overhead beyond encoding is {figure(beyond)} times the encoding.",
        ]
    )


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.proxy", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--messages", type=_number, default=1_000)
    parser.add_argument("--rest", type=float, default=0.0, help="seconds before each call")
    options = parser.parse_args(arguments)
    with TemporaryDirectory(prefix="loci-proxy-") as folder, model() as url, new_runner() as runner:
        home = Path(folder)
        with loci(home, url) as server:
            names = runner.run(fill(server, options.messages))
            measured = runner.run(measure(server, url, load_encoder(home), names, options.seconds, options.rest))
    print(report(measured, options.messages))


def _number(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError("must be a number from 1 on")
    return int(text)


if __name__ == "__main__":
    main()
