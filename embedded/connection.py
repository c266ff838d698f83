"""A connection: one client's stream of bytes, taken apart into requests, one at a time."""

import asyncio
import logging
from collections.abc import Callable
from itertools import count
from typing import cast

from embedded.codec import cursor_of
from embedded.dispatch import Dispatcher
from embedded.wire import HEADER_SIZE, Request, WireError, message_length, parse, reply_head

logger = logging.getLogger(__name__)

_MAX_BUFFERED = 1024 * 1024
_LARGE = 64 * 1024  # bytes of a reply from which on two writes cost less than a copy
_numbers = count(1)


class Connection(asyncio.Protocol):
    """One client. Requests are answered in the order they came; while one is under way the next ones wait."""

    def __init__(self, dispatcher: Dispatcher, changed: Callable[["Connection", bool], None]) -> None:
        self._dispatcher = dispatcher
        self._changed = changed
        self._number = next(_numbers)
        self._buffer = bytearray()
        self._transport: asyncio.Transport | None = None
        self._request: Request | None = None
        self._paused = False
        self._stalled = False  # a cursor's next batch waits until the client reads

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's is not a subclass
        host, port, *_ = transport.get_extra_info("peername") or ("", 0)
        self._dispatcher.activity.connected(self._number, f"{host}:{port}")
        self._changed(self, True)

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        if self._request is not None and self._request.exhaust:
            self._dispatcher.abandon(self._request)
        self._dispatcher.activity.disconnected(self._number)
        self._changed(self, False)

    def data_received(self, data: bytes) -> None:
        try:
            if (
                not self._buffer
                and self._request is None
                and not self._paused
                and len(data) >= HEADER_SIZE
                and (message_length(data) == len(data))
            ):
                self._handle(data)
                return
            self._buffer += data
            self._pump()
        except WireError as error:
            self._refuse(error)

    def pause_writing(self) -> None:
        """The client does not read its replies: it gets no more until it does."""
        self._paused = True

    def resume_writing(self) -> None:
        self._paused = False
        if self._stalled:
            self._exhaust()
        self._go_on()

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()

    def _pump(self) -> None:
        """Handle the whole messages in the buffer, until one is under way."""
        buffer = self._buffer
        while self._request is None and not self._paused and len(buffer) >= 4:
            length = message_length(buffer)
            if len(buffer) < length:
                break
            message = bytes(buffer[:length])
            del buffer[:length]
            self._handle(message)
        if self._transport is not None:
            if (self._request is not None or self._paused) and len(buffer) > _MAX_BUFFERED:
                self._transport.pause_reading()
            else:
                self._transport.resume_reading()

    def _handle(self, message: bytes) -> None:
        self._dispatcher.activity.bytes_in += len(message)
        request = self._request = parse(message)
        reply = self._dispatcher.handle(request, self._number, self._done)
        if reply is not None:
            self._answer(reply)

    def _done(self, reply: bytes) -> None:
        """The reply of a request that took longer; then on with those that waited."""
        self._answer(reply)
        self._go_on()

    def _go_on(self) -> None:
        if self._buffer:
            try:
                self._pump()
            except WireError as error:
                self._refuse(error)

    def _answer(self, reply: bytes) -> None:
        request, self._request = self._request, None
        if request is not None and request.wants_reply and self._transport is not None:
            more = request.exhaust and cursor_of(reply) != 0
            head = reply_head(request, reply, more=more)
            self._dispatcher.activity.bytes_out += len(head) + len(reply)
            if len(reply) < _LARGE:
                self._transport.write(head + reply)
            else:
                self._transport.writelines((head, reply))
            if more:
                self._request = request
                asyncio.get_running_loop().call_soon(self._exhaust)

    def _exhaust(self) -> None:
        """Sends the next batch of a cursor, for which the client does not ask."""
        self._stalled = self._paused
        if self._paused or self._request is None or self._transport is None:
            return
        reply = self._dispatcher.handle(self._request, self._number, self._done)
        if reply is not None:
            self._done(reply)

    def _refuse(self, error: Exception) -> None:
        logger.warning("connection %d closed: %s", self._number, error)
        self._buffer.clear()
        if self._transport is not None:
            self._transport.abort()
