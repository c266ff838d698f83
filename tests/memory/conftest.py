"""What do tests of the core share? The encoder, in this process."""

from pathlib import Path

import pytest

from utils.embeddings import LocalEmbedder
from utils.encoder import DIMENSIONS, MODEL, load_encoder


@pytest.fixture
def reader(home: Path) -> LocalEmbedder:
    return LocalEmbedder(load_encoder(home), model=MODEL, dimensions=DIMENSIONS)
