"""Waiting at the keyboard while the event loop goes on.

The main thread reads the lines: Python gives Ctrl-C to it alone, and only there does a line editor that is interrupted
put the terminal back as it was. The event loop runs in a thread beside it, so that what was said is embedded meanwhile.
"""

import asyncio
import os
import select
import signal
import sys
import threading
from collections.abc import Coroutine, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from queue import SimpleQueue
from types import FrameType
from typing import Any, TypeVar

from utils.errors import InvalidInput
from utils.loops import new_runner

T = TypeVar("T")
PATIENCE = 0.05  # seconds until a Ctrl-C that has not reached Python is pressed again


class Keyboard:
    """Runs a command in the main thread, and gives it the lines that are typed or come through a pipe.

    `attended`: somebody types them. Ctrl-C cancels the command, but where it waits for a line: that is then the end of
    them. Of what comes through a pipe it is the end in any case.
    """

    def __init__(self) -> None:
        self.attended = sys.stdin is not None and sys.stdin.isatty()
        self._asked: SimpleQueue[tuple[str, Future[str | None]] | None] = SimpleQueue()
        self._reading = False  # the main thread is
        self._waiting = False  # the command is, for a line
        self._ended = False
        self._task: asyncio.Task[Any] | None = None
        self._untaken: int | None = None  # a pipe that holds something while a Ctrl-C has not reached Python

    def run(self, command: Coroutine[Any, Any, T]) -> T:
        """What the command returns. Raises what it raises, and `KeyboardInterrupt` where it was cancelled."""
        if self.attended:
            _edit_lines()
        with self._taking_ctrl_c(), ThreadPoolExecutor(1) as beside:
            result = beside.submit(self._run, command)
            result.add_done_callback(lambda _: self._asked.put(None))
            while (asked := self._asked.get()) is not None:
                prompt, line = asked
                try:
                    line.set_result(self._read(prompt))
                except Exception as error:  # the command's to know
                    line.set_exception(error)
            try:
                return result.result()
            except asyncio.CancelledError:
                raise KeyboardInterrupt from None

    async def line(self, prompt: str) -> str | None:
        """The next line, None where there is no other. Raises `InvalidInput` for one that is no text."""
        if self._ended:
            return None
        line: Future[str | None] = Future()
        self._waiting = True
        try:
            self._asked.put((prompt, line))
            return await asyncio.wrap_future(line)
        finally:
            self._waiting = False

    def _run(self, command: Coroutine[Any, Any, T]) -> T:
        async def run() -> T:
            self._task = task = asyncio.create_task(command)
            if self._untaken is not None:
                self._watch(self._untaken)
            return await task

        with new_runner() as runner:
            return runner.run(run())

    def _read(self, prompt: str) -> str | None:
        try:
            self._reading = True
            try:
                return _next_line(prompt)
            finally:
                self._reading = False
        except (EOFError, KeyboardInterrupt):
            if self.attended:
                _write("\n")
            return None
        except UnicodeDecodeError:
            raise InvalidInput("The line is not UTF-8 text") from None

    @contextmanager
    def _taking_ctrl_c(self) -> Iterator[None]:
        """Unless it is taken by somebody else, or ignored, as in the background of a shell script."""
        if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
            yield
            return
        self._untaken, told = os.pipe()
        os.set_blocking(self._untaken, False)
        os.set_blocking(told, False)
        before = signal.set_wakeup_fd(told, warn_on_full_buffer=False)
        signal.signal(signal.SIGINT, self._pressed)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            signal.set_wakeup_fd(before)
            os.close(told)
            os.close(self._untaken)

    def _watch(self, untaken: int) -> None:
        """A line editor that begins to wait just when Ctrl-C is pressed is not woken by it, and Python hears of it with
        the next key only: it is pressed again until it is taken."""
        loop = asyncio.get_running_loop()

        def look() -> None:
            loop.remove_reader(untaken)
            loop.call_later(PATIENCE, press_again)

        def press_again() -> None:
            if select.select([untaken], [], [], 0)[0]:
                signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
            loop.add_reader(untaken, look)

        loop.add_reader(untaken, look)

    def _pressed(self, number: int, frame: FrameType | None) -> None:
        if self._untaken is not None:
            with suppress(BlockingIOError):
                os.read(self._untaken, 4096)
        if self._reading:
            self._reading = False
            raise KeyboardInterrupt
        if self._task is not None:
            with suppress(RuntimeError):  # the loop is closed: nothing is left to cancel
                self._task.get_loop().call_soon_threadsafe(self._cancel, self._task)

    def _cancel(self, task: asyncio.Task[Any]) -> None:
        self._ended = not self.attended
        if not self._waiting:  # else a line is just coming, or has just come
            task.cancel()


def _edit_lines() -> None:
    """Has `input` edit lines and know those of before; several lines that are pasted at once are one."""
    with suppress(ImportError):
        import readline  # importing it changes `input` already

        readline.parse_and_bind("set enable-bracketed-paste on")


def _next_line(prompt: str) -> str:
    """Raises `EOFError` where there is none."""
    if sys.stdin is None:
        raise EOFError
    if sys.stdin.isatty():
        if sys.stdout.isatty():
            return input(prompt)
        _write(prompt)
    raw = sys.stdin.buffer.readline()
    if not raw:
        raise EOFError
    return raw.decode().rstrip("\r\n")


def _write(text: str) -> None:
    """Shows what is no part of the answers to whoever sits there, even where these go into a file."""
    screen = sys.stdout if sys.stdout.isatty() else sys.stderr
    screen.write(text)
    screen.flush()
