"""Answers as server-sent events."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from agents.events import Delta, Event, Finished, Started
from api.http.problems import problem_of
from api.wire.chat import QueryResponse, QueryStarted
from utils.fields import Wire

MEDIA_TYPE = "text/event-stream"
HEADERS = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}


class DeltaOut(Wire):
    text: str


def _event(name: str, data: str) -> bytes:
    """One event; JSON has no line breaks of its own, so its data is one line."""
    return f"event: {name}\ndata: {data}\n\n".encode()


async def events(first: Event, rest: AsyncGenerator[Event, None], request_id: str) -> AsyncGenerator[bytes, None]:
    """The stream of one answer: meta, deltas, and done or error."""
    async with aclosing(rest):
        try:
            yield _encoded(first)
            async for event in rest:
                yield _encoded(event)
        except Exception as error:
            yield error_event(error, request_id)


def error_event(error: Exception, request_id: str) -> bytes:
    """The last event of a stream that failed."""
    _, body, _ = problem_of(error, request_id)
    return _event("error", body.decode())


def _encoded(event: Event) -> bytes:
    match event:
        case Started():
            return _event("meta", QueryStarted.of(event.context).model_dump_json())
        case Delta():
            return _event("delta", DeltaOut(text=event.text).model_dump_json())
        case Finished():
            return _event("done", QueryResponse.of(event).model_dump_json())
