"""What the commands of `loci` share: where they write, how they fail, on which loop they run."""

import sys
from collections.abc import Callable, Coroutine
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, NoReturn, ParamSpec

import typer
from pydantic import TypeAdapter, ValidationError
from rich.console import Console
from rich.markup import escape

from api.wire.reasons import wrong
from utils.fields import Identifier, ProjectName
from utils.loops import new_runner

P = ParamSpec("P")
IDENTIFIER: TypeAdapter[str] = TypeAdapter(Identifier)
PROJECT: TypeAdapter[str] = TypeAdapter(ProjectName)

out = Console(emoji=False)
err = Console(stderr=True, emoji=False)

Home = Annotated[Path | None, typer.Option("--home", help="Instead of LOCI_HOME")]


def fail(message: str) -> NoReturn:
    err.print(f"[red]loci:[/red] {escape(message)}", highlight=False, soft_wrap=True)
    sys.exit(1)


def identifier(option: str, value: str) -> str:
    """A checked value of an option; the command fails where it cannot be one."""
    try:
        return IDENTIFIER.validate_python(value, strict=True)
    except ValidationError as error:
        fail(f"{option}: {wrong(error, '')}")


def named_project(value: str | None) -> str | None:
    """The same of `--project`."""
    try:
        return None if value is None else PROJECT.validate_python(value, strict=True)
    except ValidationError as error:
        fail(f"--project: {wrong(error, '')}")


def asynchronous(command: Callable[P, Coroutine[Any, Any, None]]) -> Callable[P, None]:
    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        with new_runner() as runner:
            runner.run(command(*args, **kwargs))

    return run
