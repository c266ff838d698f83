"""The encoder, by which rules tell what lasts and what is on the same."""

from pathlib import Path

import pytest

from utils.encoder import Encoder, load_encoder


@pytest.fixture(scope="session")
def encoder(home: Path) -> Encoder:
    return load_encoder(home)
