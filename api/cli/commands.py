"""The command `loci`."""

import logging
import os
import sys
import webbrowser
from codecs import BOM_UTF8
from contextlib import nullcontext, suppress
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from typing import Annotated

import typer
from dotenv import dotenv_values
from pydantic import SecretStr, ValidationError
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from agents.open import open_memory
from api.cli.chat import Conversation
from api.cli.chat import chat as converse
from api.cli.doctor import examine
from api.cli.keys import app as keys
from api.cli.store import app as store
from api.cli.terminal import asynchronous, err, fail, identifier, named_project, out
from api.cli.transfers import batches_of, export_to, import_export, import_source, turns_of, unhurried
from api.portable import is_export
from api.wire.chat import QueryRequest
from api.wire.reasons import wrong
from api.wire.search import SearchRequest
from config.recipes import QUERY
from config.settings import Settings
from embedded.launch import StoreStartError
from memory.ids import new_id
from memory.portable import AUTO, Wanted, is_foreign
from memory.recall import with_overrides
from utils.errors import LociError
from utils.local_model import local_model
from utils.loops import loading
from utils.mongo import StoreError, foreseen
from utils.text import masked
from workers.run import run_beat, run_worker

# Loggers of libraries that tell too much, some of them what users say.
OTHERS = (
    "asyncio", "celery", "httpcore", "httpcore2", "httpx", "httpx2", "kombu", "mcp", "openai", "pymongo",
    "sse_starlette",
)  # fmt: skip

app = typer.Typer(no_args_is_help=True, add_completion=False)
app.add_typer(store, name="store")
app.add_typer(keys, name="keys")
User = Annotated[str, typer.Option("--user", "-u", help="Whose memory")]
Project = Annotated[str | None, typer.Option("--project", "-p", help="In which of the user's projects")]
Session = Annotated[str | None, typer.Option("--session", "-s", help="Go on with a session")]


def main() -> None:
    """Runs the command; errors that Loci foresees are one line, not a traceback."""
    logging.basicConfig(level=logging.INFO, format="%(levelname)-8s %(name)s  %(message)s", stream=sys.stderr)
    for name in OTHERS:
        logging.getLogger(name).setLevel(logging.WARNING)
    try:
        app()
    except (LociError, StoreStartError) as error:
        fail(str(error))
    except ValidationError as error:
        fail(wrong(error, whole=""))
    except StoreError as error:
        fail(f"{foreseen(error).detail}: see `loci doctor`")


def _tell_version(asked: bool) -> None:
    if asked:
        out.print(version("loci"), highlight=False)
        raise typer.Exit


@app.callback()
def log_as_set(
    asked: Annotated[
        bool, typer.Option("--version", callback=_tell_version, is_eager=True, help="Print the version")
    ] = False,
) -> None:
    """Loci: a chat backend that remembers."""
    with suppress(ValidationError):  # the command tells what is wrong with its settings
        logging.getLogger().setLevel(Settings().log_level)


@app.command()
@asynchronous
async def serve(
    host: Annotated[str | None, typer.Option(help="Instead of HOST")] = None,
    port: Annotated[int | None, typer.Option(min=0, max=65535, help="Instead of PORT; 0 for any")] = None,
    open_page: Annotated[bool, typer.Option("--open", help="Open the chat page in a browser")] = False,
    make_key: Annotated[bool, typer.Option("--make-key", help="Make an API key where one is needed")] = False,
    with_model: Annotated[
        bool, typer.Option("--local-model", help="Have a small model in this process answer; needs `make local` once")
    ] = False,
    workers: Annotated[int, typer.Option(min=1, max=64, help="Processes that answer, on the same port")] = 1,
    listening: Annotated[str, typer.Option(hidden=True)] = "",
) -> None:
    """Serve the API and the chat page; without REDIS_URL the workers run inside."""
    with loading():
        from api.app import create_app  # FastAPI and all routes, which no other command needs
        from api.server import serve as serve_api

    named = {"host": host, "port": port}
    settings = Settings(**{name: value for name, value in named.items() if value is not None})  # type: ignore[arg-type]

    def started(address: str) -> None:
        err.print(f"Loci is at [bold]{address}[/bold]  (Ctrl-C stops it)", highlight=False)
        if open_page and sys.stderr.isatty():
            webbrowser.open(address)

    with local_model(settings) if with_model else nullcontext(settings) as settings:
        options = ["--host", settings.host, "--port", str(settings.port), *(["--local-model"] if with_model else [])]
        sockets = [int(one) for one in listening.split(",") if one]
        app = create_app(settings, make_key=make_key)
        await serve_api(app, settings, started, beside=workers - 1, options=options, listening=sockets)


@app.command()
def worker(
    beat: Annotated[bool, typer.Option("--beat", help="Send the sweeps too")] = False,
    concurrency: Annotated[int, typer.Option("--concurrency", "-c", min=1, help="Processes")] = 1,
) -> None:
    """Embed and summarise for the API; needs REDIS_URL."""
    run_worker(Settings(), concurrency=concurrency, beat=beat)


@app.command()
def beat() -> None:
    """Only send the sweeps; needs REDIS_URL."""
    run_beat(Settings())


@app.command()
@asynchronous
async def mcp(user: User = "default") -> None:
    """Serve memory banks to one MCP client over standard input and output, as desktop clients start it."""
    with loading():
        from api.mcp.stdio import serve as serve_mcp  # its SDK takes half a second to import

    await serve_mcp(Settings(), identifier("--user", user))


@app.command()
@asynchronous
async def ask(
    question: Annotated[str, typer.Argument(help="What to ask")],
    user: User = "default",
    session: Session = None,
    project: Project = None,
) -> None:
    """Ask one question and print the answer as it comes."""
    checked = QueryRequest(query=question, user_id=user, session_id=session, project=project)
    async with open_memory() as memory:
        session = checked.session_id or new_id()
        conversation = Conversation(memory, checked.user_id, session, out, err, project=checked.project)
        await conversation.answer(checked.query)
        conversation.show_sources()
        conversation.end()


@app.command()
def chat(user: User = "default", session: Session = None, project: Project = None) -> None:
    """Hold a conversation in the terminal; each line of a pipe is a message."""
    user, session = identifier("--user", user), new_id() if session is None else identifier("--session", session)
    logging.getLogger("utils.openai_client").setLevel(logging.ERROR)  # the conversation tells it, in its place
    if not converse(user, session, named_project(project)):
        raise typer.Exit(1)


@app.command()
@asynchronous
async def search(
    query: Annotated[str, typer.Argument(help="What to look for")],
    user: User = "default",
    top_k: Annotated[int, typer.Option("--top-k", "-k", min=1, max=50)] = 8,
    project: Project = None,
) -> None:
    """Recall without answering: what an answer would go by, each text once."""
    checked = SearchRequest(query=query, user_id=user, top_k=top_k, project=project)
    async with open_memory() as memory:
        at = await memory.within(checked.user_id, checked.project)
        found = await memory.search(at.owner, checked.query, with_overrides(QUERY, top_k=top_k))
    table = Table("score", "when", "who", "what", box=None)
    for hit in found.hits:
        who = hit.gist.name or hit.gist.role
        table.add_row(f"{hit.score:.3f}", f"{hit.gist.timestamp:%Y-%m-%d}", Text(who), Text(hit.gist.content))
    out.print(table)


@app.command()
@asynchronous
async def export(
    file: Annotated[Path | None, typer.Argument(help="The file to make; not given: standard output")] = None,
    user: User = "default",
) -> None:
    """Write everything of a user to a JSONL file, which `loci import` brings in, here or elsewhere."""
    user = identifier("--user", user)
    async with open_memory() as memory:
        await export_to(memory, user, file)


@app.command("import")
@asynchronous
async def import_messages(
    file: Annotated[
        typer.FileBinaryRead,
        typer.Argument(help="JSONL, one message a line, what `loci export` made, or an export of another product"),
    ],
    user: User = "default",
    session: Annotated[str, typer.Option("--session", "-s", help="For lines without a session_id")] = "imported",
    source: Annotated[Wanted, typer.Option("--from", help="Whose export it is, where that is to be checked")] = AUTO,
    project: Annotated[str | None, typer.Option("--project", "-p", help="For lines without a project")] = None,
) -> None:
    """Import messages from a JSONL file: {role, content, session_id?, project?, id?, name?, timestamp?} a line; all
    that `loci export` wrote, of whichever user; or conversations and memories of another product. - is standard input.

    Lines without an id get one from the file's name and the lines up to theirs: the same file imports once, and one
    that grew imports what is new.
    """
    user, session = identifier("--user", user), identifier("--session", session)
    if source != AUTO or is_foreign(file.peek().removeprefix(BOM_UTF8)):
        async with open_memory(nudge=unhurried) as memory:
            broken = await import_source(memory, user, file, source)
        if broken:
            fail(broken)
        return
    first = file.readline().removeprefix(BOM_UTF8)
    if is_export(first):
        async with open_memory() as memory:
            await import_export(memory, user, first, file)
        return
    lines = list(turns_of(file.name, chain([first], file), session, named_project(project)))
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    accepted = duplicates = 0
    async with open_memory() as memory:
        with Progress(*columns, console=err) as progress:
            kept = progress.add_task("messages", total=len(lines))
            for session_id, turns in batches_of(lines):
                done = await memory.add(user, session_id, turns, project=turns[0].project, wait=True)
                accepted += done.accepted
                duplicates += done.duplicates
                progress.advance(kept, len(turns))
        await memory.engine.chats.summaries.work()
    out.print(f"{accepted} imported, {duplicates} already there")


@app.command()
@asynchronous
async def reembed() -> None:
    """Embed anew what another embedding model embedded; may be stopped and started again."""
    async with open_memory() as memory:
        total = await memory.engine.gists.queue.count_outdated()
        with Progress(TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), console=err) as progress:
            task = progress.add_task("gists", total=total)
            async for done in memory.engine.reembed():
                progress.advance(task, done)
        left = await memory.engine.gists.queue.count_outdated()
        out.print(f"{total - left} embedded anew with {memory.engine.gists.embedder.model}")


@app.command()
def settings() -> None:
    """Print every setting with its value and where it comes from; secrets are masked."""
    table = Table("setting", "value", "from", "what it does", box=None)
    there = Settings()
    environment = {name.upper() for name, value in os.environ.items() if value}
    file = {name.upper() for name, value in dotenv_values(".env").items() if value}
    for name, field in Settings.model_fields.items():
        value, upper = getattr(there, name), name.upper()
        source = "environment" if upper in environment else ".env" if upper in file else "default"
        secret = isinstance(value, SecretStr)
        shown = masked(value.get_secret_value()) if secret else "" if value is None else str(value)
        table.add_row(upper, Text(shown), source, Text(field.description or ""))
    out.print(table)


@app.command()
@asynchronous
async def doctor(quick: Annotated[bool, typer.Option("--quick", help="Store and broker alone")] = False) -> None:
    """Check store, broker and models, and say what to do."""
    findings = await examine(Settings(), quick=quick)
    for finding in findings:
        mark = "[green]ok  [/green]" if finding.ok else "[red]FAIL[/red]"
        out.print(f"{mark} {finding.name}: {escape(finding.detail)}", highlight=False, soft_wrap=True)
        if finding.advice:
            out.print(f"     {escape(finding.advice)}", highlight=False, soft_wrap=True)
    if not all(finding.ok for finding in findings):
        raise typer.Exit(1)
