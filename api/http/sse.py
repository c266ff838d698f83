"""Answers as server-sent events."""

import logging
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing

from pydantic import BaseModel

from agents.memory import Delta, Event, Finished, Started
from api.http.problems import problem_of
from api.wire.chat import QueryResponse, QueryStarted
from utils.fields import Wire

MEDIA_TYPE = "text/event-stream"
HEADERS = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}

log = logging.getLogger(__name__)


class DeltaOut(Wire):
    text: str


def encode(event: str, data: bytes) -> bytes:
    """One event; JSON has no line breaks of its own, so its data is one line."""
    return b"event: " + event.encode() + b"\ndata: " + data + b"\n\n"


def _json(model: BaseModel) -> bytes:
    return model.model_dump_json().encode()


async def events(first: Event, rest: AsyncGenerator[Event, None], request_id: str) -> AsyncIterator[bytes]:
    """The stream of one answer: meta, deltas, and done or error."""
    async with aclosing(rest):
        try:
            yield _encoded(first)
            async for event in rest:
                yield _encoded(event)
        except Exception as error:
            _, body, _ = problem_of(error, request_id)
            yield encode("error", body)


def _encoded(event: Event) -> bytes:
    match event:
        case Started():
            return encode("meta", _json(QueryStarted.of(event.context)))
        case Delta():
            return encode("delta", _json(DeltaOut(text=event.text)))
        case Finished():
            return encode("done", _json(QueryResponse.of(event)))
