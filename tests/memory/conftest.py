"""What tests of the core share: the encoder, in this process, two processes' memories, and a mirror."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from agents.memory import Memory
from agents.open import open_memory
from config.settings import Settings
from memory.traces.traces import Traces
from tests.conversations import Silent
from tests.mirrors import Mirroring, say, state
from utils.embeddings import LocalEmbedder
from utils.encoder import DIMENSIONS, MODEL, load_encoder


@pytest.fixture
def reader(home: Path) -> LocalEmbedder:
    return LocalEmbedder(load_encoder(home), model=MODEL, dimensions=DIMENSIONS)


@pytest.fixture
async def two(model_settings: Settings) -> AsyncIterator[tuple[Memory, Memory]]:
    """Two memories on one database, as two processes have them."""
    async with open_memory(model_settings, nudge=Silent()) as one, open_memory(model_settings, nudge=Silent()) as other:
        yield one, other


@pytest.fixture
async def both(make_settings: Callable[..., Settings]) -> AsyncIterator[tuple[Memory, Memory]]:
    """The same without a model."""
    settings = make_settings()
    async with open_memory(settings, nudge=Silent()) as one, open_memory(settings, nudge=Silent()) as other:
        yield one, other


@pytest.fixture
def traces(with_model: Memory) -> Traces:
    return with_model.engine.tools.traces


@pytest.fixture
async def mirrored(quiet: Memory, tmp_path: Path) -> Mirroring:
    """The mirror of a message and two facts of Ann's."""
    mirroring = Mirroring(quiet, tmp_path / "mirror")
    await mirroring.start()
    await say(quiet, "I live in Oslo.")
    await state(quiet, "The user lives in Oslo.", "The user loves figs.")
    await mirroring.settle()
    return mirroring
