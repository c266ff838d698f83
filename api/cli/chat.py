"""`loci chat`: what may be typed, what is shown of an answer, what ends it.

The main thread reads the lines, for Python gives Ctrl-C to it alone. The event loop runs in a thread beside it, so that
what was said is embedded meanwhile.
"""

import asyncio
import re
import sys
from collections.abc import Coroutine, Iterator
from concurrent.futures import CancelledError
from contextlib import AsyncExitStack, aclosing, contextmanager, suppress
from threading import Thread
from typing import Any, TextIO, TypeVar

from pydantic import TypeAdapter, ValidationError
from rich.console import Console
from rich.text import Text

from agents.chat import ChatRequest, Citation
from agents.events import Delta, Finished
from agents.memory import Memory
from agents.open import open_memory
from api.cli.terminal import err, out
from api.wire.reasons import reason_of
from memory.ids import new_id
from utils.errors import InvalidInput, LociError
from utils.fields import Query
from utils.loops import new_runner
from utils.mongo import StoreError, foreseen
from utils.text import CONTROL_CHARACTERS, cut_at_word

PROMPT = "> "
COMMAND = re.compile(r"/[a-z]+")  # "/etc/hosts is empty" is a message
HELP = """\
/sources  what the last answer rests on
/new      begin a new session
/quit     end, as Ctrl-D does
/help     this list
Ctrl-C breaks an answer off; at the prompt it ends the conversation."""

QUERY: TypeAdapter[str] = TypeAdapter(Query)

T = TypeVar("T")


def chat(owner: str, session_id: str, project: str | None = None) -> bool:
    """Answers line after line until they end; False where lines of a pipe were not all answered in full.

    Ctrl-C breaks an answer off; at the prompt it is the end, and of what comes through a pipe. Raises
    `KeyboardInterrupt` where it comes before the memory is open.
    """
    attended = sys.stdin is not None and sys.stdin.isatty()
    screens = (out, err) if attended else (Console(color_system=None), Console(color_system=None, stderr=True))
    whole = True
    with _Beside() as beside, beside.opened() as memory:
        conversation = Conversation(memory, owner, session_id, *screens, project=project)
        if attended:
            _edit_lines()
            err.print("/help lists what there is besides talking; Ctrl-D ends it", style="dim", highlight=False)
        for line in _lines(attended=attended):
            whole &= beside.run(conversation.take(line))
            if beside.interrupted and not attended:
                break
        conversation.end()
    return whole or attended


class Conversation:
    """Lines that are answered, or are commands. `out` shows answers and what was asked for, `err` everything about
    them."""

    def __init__(
        self, memory: Memory, owner: str, session_id: str, out: Console, err: Console, *, project: str | None = None
    ) -> None:
        self._memory = memory
        self._owner = owner
        self._session_id = session_id
        self._project = project
        self._out = out
        self._err = err
        self._begun = False  # something was said in the session
        self._in_line = False  # the last text shown did not end its line
        self._sources: tuple[Citation, ...] | None = None  # of the last answer, if it is whole

    async def take(self, line: str | bytes) -> bool:
        """Does what a line asks for; whether that was done in full. Cancelled, it breaks its answer off."""
        try:
            text = _text_of(line)
            match text.strip():
                case "":
                    pass
                case "/help":
                    self._out.print(HELP, markup=False, highlight=False, soft_wrap=True)
                case "/sources":
                    self.show_sources(self._out.width)
                case "/new":
                    self.end()
                    self._session_id, self._begun, self._sources = new_id(), False, None
                    self._tell("a new session")
                case command if COMMAND.fullmatch(command):
                    raise InvalidInput(f"There is no {command}; /help lists what there is")
                case _:
                    return await self.answer(_checked(text))
        except (LociError, StoreError) as error:
            self._err.print(Text.assemble(("loci: ", "red"), foreseen(error).detail), soft_wrap=True)
            return False
        return True

    def end(self) -> None:
        """Tells under which name the session goes on, if anything was said in it."""
        if self._begun:
            self._tell(f"session {self._session_id}")

    async def answer(self, query: str) -> bool:
        """Shows the answer as it comes; whether it came to its end."""
        self._begun, self._sources, fallback = True, None, None
        request = ChatRequest(query, self._owner, self._session_id, new_id(), project=self._project)
        try:
            async with aclosing(self._memory.stream(request)) as events:
                async for event in events:
                    match event:
                        case Delta():
                            self._show(event.text)
                        case Finished():
                            self._sources, fallback = event.answer.citations, event.answer.fallback
                        case _:
                            pass
        except asyncio.CancelledError:
            self._show("\n")  # behind the ^C that the terminal shows
            self._tell("broken off; what came is kept")
            return False
        finally:
            if self._in_line:
                self._show("\n")
        if fallback is not None:
            self._tell(f"answered without the model: {fallback}")
        return True

    def _show(self, text: str) -> None:
        """Writes text as it is, but for what would steer the terminal: it may quote anything that was ever imported."""
        if shown := CONTROL_CHARACTERS.sub("", text):
            self._out.file.write(shown)
            self._out.file.flush()
            self._in_line = not shown.endswith("\n")

    def show_sources(self, characters: int | None = None) -> None:
        """`characters`: of each at most; None for all."""
        if self._sources is None:
            self._tell("there is no finished answer to show sources of")
        elif not self._sources:
            self._tell("the last answer rests on nothing that was remembered")
        for citation in self._sources or ():
            quote = cut_at_word(f"[{citation.n}] {citation.said_at:%Y-%m-%d} {citation.content}", characters)
            self._out.print(Text(CONTROL_CHARACTERS.sub("", quote)), style="dim", soft_wrap=True)

    def _tell(self, notice: str) -> None:
        self._err.print(Text(notice), style="dim", soft_wrap=True)


class _Beside:
    """An event loop in a thread of its own. `interrupted`: Ctrl-C ended what ran last."""

    def __init__(self) -> None:
        self._runner = new_runner()
        self._loop = self._runner.get_loop()
        self._thread = Thread(target=self._loop.run_forever)
        self.interrupted = False

    def __enter__(self) -> "_Beside":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._runner.close()

    @contextmanager
    def opened(self) -> Iterator[Memory]:
        """The memory of the settings."""
        stack = AsyncExitStack()
        try:
            yield self.run(stack.enter_async_context(open_memory()))
        finally:
            self.run(stack.aclose())

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """What some work returns. Ctrl-C cancels it; raises `KeyboardInterrupt` where it does not return then."""
        pressed = asyncio.Event()
        self.interrupted = False
        result = asyncio.run_coroutine_threadsafe(_until(pressed, work), self._loop)
        try:
            return result.result()
        except KeyboardInterrupt:
            self.interrupted = True
            self._loop.call_soon_threadsafe(pressed.set)
        try:
            return result.result()
        except CancelledError:
            raise KeyboardInterrupt from None


async def _until(pressed: asyncio.Event, work: Coroutine[Any, Any, T]) -> T:
    task, waiting = asyncio.ensure_future(work), asyncio.ensure_future(pressed.wait())
    await asyncio.wait([task, waiting], return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()
    task.cancel()  # nothing, where it has ended
    return await task


def _edit_lines() -> None:
    """Has `input` edit lines and know those of before; several lines that are pasted at once are one."""
    with suppress(ImportError):
        import readline  # importing it changes `input` already

        readline.parse_and_bind("set enable-bracketed-paste on")


def _lines(*, attended: bool) -> Iterator[str | bytes]:
    """The lines up to their end, to `/quit` or to Ctrl-C. The prompt is no part of the answers: it goes to whoever sits
    there, even where these go into a file."""
    screen = sys.stdout if sys.stdout.isatty() else sys.stderr
    edited = attended and screen is sys.stdout
    with suppress(EOFError, KeyboardInterrupt):
        while sys.stdin is not None:
            if attended and not edited:
                _write(screen, PROMPT)
            line = input(PROMPT) if edited else sys.stdin.buffer.readline()
            if line.strip() in ("/quit", b"/quit"):
                return
            if line == b"":
                break
            yield line
    if attended:
        _write(screen, "\n")


def _write(screen: TextIO, text: str) -> None:
    screen.write(text)
    screen.flush()


def _text_of(line: str | bytes) -> str:
    """Raises `InvalidInput`."""
    try:
        return line if isinstance(line, str) else line.decode().rstrip("\r\n")
    except UnicodeDecodeError:
        raise InvalidInput("The line is not UTF-8 text") from None


def _checked(line: str) -> str:
    """The line as a question. Raises `InvalidInput` where it is none."""
    if CONTROL_CHARACTERS.search(line):
        raise InvalidInput("A message has no control characters in it")
    try:
        return QUERY.validate_python(line, strict=True)
    except ValidationError as error:
        raise InvalidInput(reason_of(error.errors()[0])) from None
