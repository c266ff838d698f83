"""What tests of the agents share with those of the core, and with each other."""

from collections.abc import Iterator

import pytest

from agents.tools import view as tool_view
from tests.memory.conftest import both as both


@pytest.fixture(scope="module")
def no_history_is_little() -> Iterator[None]:
    """Of short histories something is left out, too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tool_view, "LITTLE", 0)
        yield
