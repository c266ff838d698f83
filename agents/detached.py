"""Answers that go on whoever listens: one request begins one, others follow it from its beginning, or stop it.

One that another process gives is followed by its draft in the store, and stopped by a mark on it.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

from agents.chat import ChatRequest
from agents.events import Delta, Event, Finished, Started
from memory.ids import user_of
from memory.turns import Drafts
from utils.errors import AnswerStopped, NotFound

SECONDS_KEPT = 30.0  # that an answer can still be followed once it has ended
LOOK_AGAIN = 0.5  # seconds between two looks at the draft of an answer that another process gives
NOT_UNDER_WAY = "No such answer is under way"


class Detached:
    """The answers under way, each by its user and `turn_id`. `stream`: answers a request in events."""

    def __init__(self, stream: Callable[[ChatRequest], AsyncGenerator[Event, None]], drafts: Drafts) -> None:
        self._stream = stream
        self._drafts = drafts
        self._answers: dict[tuple[str, str], _UnderWay] = {}

    async def begin(self, request: ChatRequest) -> AsyncGenerator[Event, None]:
        """Begins an answer and follows it, or the one that an earlier try of the request began. Where nobody follows
        any more, it goes on. Raises what comes before the first event."""
        begun = self._answers.get((request.owner, request.turn_id))
        if begun is not None and (not begun.task.done() or begun.is_whole):
            return begun.follow()
        stream = self._stream(request)
        started = await anext(stream)
        assert isinstance(started, Started)  # noqa: S101
        asked = started.context.request
        at = user_of(asked.owner), asked.turn_id
        answer = self._answers[at] = _UnderWay(asked.owner, asked.session_id, started, stream)
        loop = asyncio.get_running_loop()
        answer.task.add_done_callback(lambda _: loop.call_later(SECONDS_KEPT, self._let_go, at, answer))
        return answer.follow()

    async def follow(self, owner: str, turn_id: str) -> AsyncGenerator[Event, None]:
        """An answer that was begun, from its beginning. One of another process comes as deltas alone. Raises
        `NotFound`."""
        if (answer := self._answers.get((user_of(owner), turn_id))) is not None:
            return answer.follow()
        so_far = await self._drafts.so_far(owner, turn_id)
        if so_far is None:
            raise NotFound(NOT_UNDER_WAY)
        return self._drafted(owner, turn_id, so_far)

    async def stop(self, owner: str, turn_id: str) -> None:
        """Ends an answer; what came so far is kept as interrupted. Raises `NotFound` for one that is not under way."""
        answer = self._answers.get((user_of(owner), turn_id))
        if answer is not None and not answer.task.done():
            await answer.stop()
        elif not await self._drafts.stop(owner, turn_id):
            raise NotFound(NOT_UNDER_WAY)

    async def of_session(self, owner: str, session_id: str) -> list[str]:
        """`turn_id` of the answers under way in a session."""
        here = [
            turn_id
            for (_, turn_id), answer in self._answers.items()
            if (answer.owner, answer.session_id) == (owner, session_id) and not answer.task.done()
        ]
        return list(dict.fromkeys([*here, *await self._drafts.of_session(owner, session_id)]))

    async def close(self) -> None:
        """Stops all; what came so far is kept."""
        await asyncio.gather(*(answer.stop() for answer in self._answers.values()))

    async def _drafted(self, owner: str, turn_id: str, so_far: str) -> AsyncGenerator[Event, None]:
        told, text = "", so_far
        while True:
            if len(text) > len(told):
                yield Delta(text[len(told) :])
                told = text
            await asyncio.sleep(LOOK_AGAIN)
            if (later := await self._drafts.so_far(owner, turn_id)) is None:
                return
            text = later

    def _let_go(self, at: tuple[str, str], answer: "_UnderWay") -> None:
        if self._answers.get(at) is answer:
            del self._answers[at]


class _UnderWay:
    """One answer: its events so far, and the task that reads the next ones."""

    def __init__(self, owner: str, session_id: str, started: Event, rest: AsyncGenerator[Event, None]) -> None:
        self.owner = owner
        self.session_id = session_id
        self._events = [started]
        self._grown = asyncio.Event()
        self.task = asyncio.create_task(self._read(rest))
        self.task.add_done_callback(self._ended)

    async def follow(self) -> AsyncGenerator[Event, None]:
        """All events, from the first on. Raises what ended the stream too early."""
        at = 0
        while at < len(self._events) or not self.task.done():
            if at < len(self._events):
                yield self._events[at]
                at += 1
            else:
                await self._grown.wait()
        if self.task.cancelled():
            raise AnswerStopped
        self.task.result()

    @property
    def is_whole(self) -> bool:
        return isinstance(self._events[-1], Finished)

    async def stop(self) -> None:
        """Returns once it has ended."""
        self.task.cancel()
        await asyncio.wait([self.task])

    async def _read(self, stream: AsyncGenerator[Event, None]) -> None:
        async with aclosing(stream):
            async for event in stream:
                self._events.append(event)
                self._tell()

    def _ended(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled():
            task.exception()  # told to those who follow; where nobody does, it is no error of the event loop's
        self._tell()

    def _tell(self) -> None:
        self._grown.set()
        self._grown = asyncio.Event()
