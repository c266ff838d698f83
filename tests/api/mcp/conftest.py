"""The address at which tests call MCP."""

from collections.abc import Callable

import pytest


@pytest.fixture
def address(serve: Callable[..., str]) -> str:
    """A server without keys."""
    return serve()
