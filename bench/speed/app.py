"""`python -m bench.speed.app [--free-encoder]`: the API as `loci serve` runs it. Its first line is its address.

With --free-encoder every text is told to have the same vectors, in no time: what is left of a time is the cost of
everything but the encoder.
"""

import sys
from collections.abc import Sequence

import numpy as np

import agents.open
from api.app import create_app
from api.server import serve
from config.settings import Settings
from utils.embeddings import LocalEmbedder, open_local_embedder
from utils.encoder import Reading
from utils.loops import new_runner
from utils.vectors import Floats

TEXT = "Every message says the same, in some ten words."


class FreeEncoder:
    """The built-in encoder, asked for one text alone."""

    healthy = True

    def __init__(self, encoder: LocalEmbedder) -> None:
        self.model, self.dimensions = encoder.model, encoder.dimensions
        self._encoder = encoder

    def read_ahead(self, text: str) -> None:
        """Nothing is gained by it."""

    async def read_all_ahead(self, texts: Sequence[str]) -> None:
        """Nor by this."""

    async def embed(self, texts: Sequence[str]) -> Floats:
        if not texts:
            return np.empty((0, self.dimensions), np.float32)
        return await self._encoder.embed([TEXT] * len(texts))

    async def read(self, texts: Sequence[str]) -> list[Reading]:
        return await self._encoder.read([TEXT] * len(texts))


def main() -> None:
    if "--free-encoder" in sys.argv[1:]:
        agents.open.open_local_embedder = lambda settings: FreeEncoder(  # type: ignore[assignment, attr-defined, return-value]
            open_local_embedder(settings)
        )
    settings = Settings()
    with new_runner() as runner:
        runner.run(serve(create_app(settings), settings, lambda address: print(address, flush=True)))


if __name__ == "__main__":
    main()
