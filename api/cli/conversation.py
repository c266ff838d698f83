"""`loci chat`: what may be typed, what is shown of an answer, what ends it."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from contextlib import aclosing

from pydantic import TypeAdapter, ValidationError
from pymongo.errors import PyMongoError
from rich.console import Console
from rich.text import Text

from agents.chat import ChatRequest, Citation
from agents.memory import Delta, Finished, Memory
from api.wire.fields import Query
from api.wire.reasons import message_of
from memory.ids import new_id
from utils.errors import InvalidInput, LociError
from utils.mongo import as_loci_error
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

Read = Callable[[str], Awaitable[str | None]]


class Conversation:
    """Lines that are answered one after the other, or are commands.

    `read`: shows a prompt and gives the next line, None where there is no other. `out` shows answers and what was asked
    for, `err` everything about them.
    """

    def __init__(self, memory: Memory, owner: str, session_id: str, read: Read, out: Console, err: Console) -> None:
        self._memory = memory
        self._owner = owner
        self._session_id = session_id
        self._read = read
        self._out = out
        self._err = err
        self._begun = False  # something was said in the session
        self._in_line = False  # the last text shown did not end its line
        self._sources: tuple[Citation, ...] | None = None  # of the last answer, if it is whole

    async def run(self) -> int:
        """Answers until the lines end; how many of them were not answered in full.

        Cancelled while it answers, it breaks that answer off and goes on; cancelled while it waits for a line, it ends.
        """
        unanswered = 0
        while True:
            try:
                line = await self._read(PROMPT)
                match line and line.strip():
                    case None | "/quit":
                        break
                    case "":
                        pass
                    case "/help":
                        self._out.print(HELP, markup=False, highlight=False, soft_wrap=True)
                    case "/sources":
                        self._show_sources()
                    case "/new":
                        self._begin_anew()
                    case str(command) if COMMAND.fullmatch(command):
                        raise InvalidInput(f"There is no {command}; /help lists what there is")
                    case _:
                        whole = await self._answer(_checked(line or ""))
                        unanswered += not whole
            except (LociError, PyMongoError) as error:
                self._complain(error)
                unanswered += 1
        self._tell_session()
        return unanswered

    async def _answer(self, query: str) -> bool:
        """Shows the answer as it comes; whether it came to its end."""
        self._begun, self._sources = True, None
        request = ChatRequest(query, self._owner, self._session_id, new_id())
        try:
            async with aclosing(self._memory.stream(request)) as events:
                async for event in events:
                    match event:
                        case Delta():
                            self._show(event.text)
                        case Finished():
                            self._sources = event.answer.citations
                        case _:
                            pass
        except asyncio.CancelledError:
            _go_on()
            self._show("\n")  # behind the ^C that the terminal shows
            self._tell("broken off; what came is kept")
            return False
        finally:
            if self._in_line:
                self._show("\n")
        return True

    def _show(self, text: str) -> None:
        """Writes text as it is, but for what would steer the terminal: it may quote anything that was ever imported."""
        if shown := CONTROL_CHARACTERS.sub("", text):
            self._out.file.write(shown)
            self._out.file.flush()
            self._in_line = not shown.endswith("\n")

    def _show_sources(self) -> None:
        if self._sources is None:
            self._tell("there is no finished answer to show sources of")
        elif not self._sources:
            self._tell("the last answer rests on nothing that was remembered")
        for citation in self._sources or ():
            quote = cut_at_word(f"[{citation.n}] {citation.timestamp:%Y-%m-%d} {citation.content}", self._out.width)
            self._out.print(Text(CONTROL_CHARACTERS.sub("", quote)), style="dim", soft_wrap=True)

    def _begin_anew(self) -> None:
        self._tell_session()
        self._session_id, self._begun, self._sources = new_id(), False, None
        self._tell("a new session")

    def _tell_session(self) -> None:
        if self._begun:
            self._tell(f"session {self._session_id}")

    def _tell(self, notice: str) -> None:
        self._err.print(Text(notice), style="dim", soft_wrap=True)

    def _complain(self, error: LociError | PyMongoError) -> None:
        known = as_loci_error(error) if isinstance(error, PyMongoError) else error
        if known is None:
            raise error
        self._err.print(Text.assemble(("loci: ", "red"), known.detail), soft_wrap=True)


def _go_on() -> None:
    """Takes back what cancelled the running task, so that its next wait is one like any other."""
    task = asyncio.current_task()
    while task is not None and task.uncancel():
        pass


def _checked(line: str) -> str:
    """The line as a question. Raises `InvalidInput` where it is none."""
    if CONTROL_CHARACTERS.search(line):
        raise InvalidInput("A message has no control characters in it")
    try:
        return QUERY.validate_python(line, strict=True)
    except ValidationError as error:
        raise InvalidInput(message_of(error.errors()[0])) from None
