"""`loci store`: the built-in store run alone, copied, and made smaller."""

import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from pymongo import AsyncMongoClient

from api.cli.terminal import Home, asynchronous, err, fail, out
from config.settings import Settings
from embedded.backup import back_up
from embedded.launch import attached
from embedded.schema import FileRefused

app = typer.Typer(invoke_without_command=True, help="Run the built-in store alone, for mongosh, Compass or any driver.")


@app.callback()
def run(
    context: typer.Context,
    port: Annotated[int, typer.Option(help="Port on 127.0.0.1; 0 for any")] = 0,
    home: Home = None,
) -> None:
    context.obj = home
    if context.invoked_subcommand is None:  # a fresh interpreter takes a third of this one's memory
        command = [sys.executable, "-m", "embedded", "--home", str(_folder(context)), "--port", str(port)]
        os.execv(sys.executable, command)  # noqa: S606


@app.command()
@asynchronous
async def compact(context: typer.Context, home: Home = None) -> None:
    """Give the disk back what was deleted; reads go on, writes wait meanwhile."""
    folder = _folder(context, home)
    file = _file(folder)
    client: AsyncMongoClient[dict[str, Any]]
    async with attached(folder, idle_exit=1.0) as uri, AsyncMongoClient(uri) as client:
        for name in await client.list_database_names():
            collection = (await client[name].list_collection_names())[0]  # any of them stands for the file
            with err.status("writing the file anew"):
                freed = (await client[name].command("compact", collection))["bytesFreed"]
            out.print(f"{freed / 1e6:.1f} MB freed, {file.stat().st_size / 1e6:.1f} MB left", highlight=False)
            return
    out.print("the store is empty")


@app.command()
def backup(
    context: typer.Context, target: Annotated[Path, typer.Argument(help="The file to make")], home: Home = None
) -> None:
    """Copy the store as it is at this moment into one file; whoever uses it goes on."""
    try:
        size = back_up(_file(_folder(context, home)), target)
    except (FileExistsError, FileRefused) as error:
        fail(str(error))
    out.print(f"{size / 1e6:.1f} MB in {target}", highlight=False, soft_wrap=True)


def _file(folder: Path) -> Path:
    file = folder / "store" / "data.db"
    if not file.exists():
        fail(f"there is no store in {folder}")
    return file


def _folder(context: typer.Context, home: Path | None = None) -> Path:
    """The home that was named, behind the command or before it."""
    named: Path | None = home or context.obj
    return named or Settings().loci_home
