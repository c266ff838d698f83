"""`loci keys`: API keys, made, listed, rotated and revoked."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from api.cli.terminal import asynchronous, err, fail, identifier, out
from config.settings import Settings
from memory.store import SHOWN, Audit, Collections, StoredKeys
from utils.mongo import open_database

app = typer.Typer(no_args_is_help=True, help="API keys: make, list, rotate, revoke.")
Key = Annotated[str, typer.Argument(help="How the key begins, as `loci keys list` shows it")]
COMMAND_LINE = "command line"  # who it was, in the audit log


@asynccontextmanager
async def _keys(action: str, detail: str | None = None) -> AsyncIterator[StoredKeys]:
    """The keys of the store, once the audit log has what is to be done to them."""
    async with open_database(Settings()) as database:
        collections = Collections(database)
        if detail is not None:
            await Audit(collections).note(COMMAND_LINE, action, None, detail)
        yield StoredKeys(collections)


def _tell(key: str) -> None:
    err.print("The key, shown this once; only its hash is kept:")
    out.print(key, highlight=False, soft_wrap=True)


@app.command()
@asynchronous
async def create(
    user: Annotated[str | None, typer.Option("--user", "-u", help="Whose it is")] = None,
    acts: Annotated[
        bool, typer.Option("--acts-for-users", help="It is a service's, whose requests name the user")
    ] = False,
    name: Annotated[str | None, typer.Option(help="What it is for")] = None,
) -> None:
    """Make a key. From the first one on, every request needs one."""
    if acts == (user is not None):
        fail("give either --user or --acts-for-users")
    user = None if user is None else identifier("--user", user)
    async with _keys("keys create", user or "acts for users") as keys:
        first = not await keys.are_there()
        _tell(await keys.create(user, name))
    if first:
        told = "From now on every request needs one. `loci export --user default` has what was said without."
        err.print(told, highlight=False, soft_wrap=True)


@app.command("list")
@asynchronous
async def list_keys() -> None:
    """List the keys, each with when it was used last."""
    table = Table("key", "user", "name", "made", "used last", box=None)
    async with _keys("keys list") as keys:
        for key in await keys.listed():
            shown = "API_KEYS" if key.configured else f"{key.id}…"
            table.add_row(
                shown, Text(key.user or "acts for users"), Text(key.name or ""), _day(key.created_at), _day(key.used_at)
            )
    out.print(table if table.row_count else "There are no API keys: whoever asks from this machine may name any user.")


@app.command()
@asynchronous
async def rotate(key: Key) -> None:
    """Make a key in the place of another, which opens nothing from now on."""
    async with _keys("keys rotate", key[:SHOWN]) as keys:
        _tell(await keys.rotate(key.removesuffix("…")))


@app.command()
@asynchronous
async def revoke(key: Key) -> None:
    """Take a key away; it opens nothing from now on."""
    async with _keys("keys revoke", key[:SHOWN]) as keys:
        await keys.revoke(key.removesuffix("…"))
    out.print("revoked")


def _day(moment: datetime | None) -> str:
    return "" if moment is None else f"{moment:%Y-%m-%d %H:%M}"
