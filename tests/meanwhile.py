"""Something that happens between two calls to the store, when a test says so."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest


class Killed(BaseException):
    """The process is gone: nobody handles it."""


def meanwhile(
    patch: pytest.MonkeyPatch,
    target: object,
    method: str,
    happens: Callable[[], Awaitable[object]],
    *,
    call: int = 1,
    after: bool = False,
) -> None:
    """Has something happen once: just before a call of a method, counted from now, or just after it."""
    real = getattr(target, method)
    calls = 0

    async def interrupted(*arguments: Any, **named: Any) -> Any:
        nonlocal calls
        calls += 1
        now = calls == call
        if now and not after:
            await happens()
        result = await real(*arguments, **named)
        if now and after:
            await happens()
        return result

    patch.setattr(target, method, interrupted)


async def kill() -> None:
    raise Killed
