"""Embeddings by a provider."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from openai import AsyncOpenAI, BadRequestError, UnprocessableEntityError

from utils.answers import read_embeddings
from utils.circuit import CircuitBreaker
from utils.errors import ModelGarbage
from utils.openai_client import ask
from utils.text import repair
from utils.text_cache import TextCache
from utils.vectors import Floats, batches, normalised

# OpenAI takes 2,048 texts, 300,000 tokens and 8,191 tokens a text in one call. Byte-pair tokenizers have no more tokens
# than bytes, and of most texts three bytes or more a token.
TEXTS_PER_CALL = 256
BYTES_PER_CALL = 600_000
BYTES_PER_TEXT = (24_573, 8_191, 1_500)  # 8,191 tokens of most texts; of any text; 512 tokens of most texts

BLANK = "."  # stands in for a text without characters, which providers refuse

Encoding = Literal["base64", "float"]


class RemoteEmbedder:
    """An embedding model behind an OpenAI-compatible endpoint."""

    def __init__(
        self,
        client: AsyncOpenAI,
        model: str,
        *,
        deadline: float,
        breaker: CircuitBreaker,
        cache: TextCache[Floats] | None = None,
    ) -> None:
        self.model = model
        self.dimensions: int | None = None
        self._client = client
        self._deadline = deadline  # seconds a call of up to 256 texts, retries included
        self._breaker = breaker
        self._cache = cache if cache is not None else TextCache()
        self._space = f"{client.base_url} {model}"
        self._encoding: Encoding = "base64"

    @property
    def healthy(self) -> bool:
        return self._breaker.healthy

    async def embed(self, texts: Sequence[str]) -> Floats:
        """As `Embedder`: cut to some 8,191 tokens a text, and to less where the provider refuses that."""
        if not texts:
            return np.empty((0, self.dimensions or 0), dtype=np.float32)
        cleaned = [_cut(repair(text), BYTES_PER_TEXT[0]) if text.strip() else BLANK for text in texts]
        vectors = await self._cache.fill(self._space, cleaned, self._embed_all)
        if len({len(vector) for vector in vectors}) > 1:
            raise ModelGarbage("The embedding model changed its dimension")
        self.dimensions = len(vectors[0])
        return np.stack(vectors)

    async def _embed_all(self, texts: Sequence[str]) -> list[Floats]:
        sizes = [len(text.encode()) for text in texts]
        calls = batches(sizes, most=TEXTS_PER_CALL, bound=BYTES_PER_CALL)
        # A row is a view that would keep its whole batch in memory.
        return [row.copy() for call in calls for row in await self._embed_call(list(texts[call]))]

    async def _embed_call(self, texts: list[str]) -> Floats:
        async def attempt() -> Floats:
            return self._accept(read_embeddings(await self._send(texts), count=len(texts)))

        with self._breaker.watch():
            return await ask(attempt, deadline=self._deadline)

    async def _send(self, texts: list[str]) -> object:
        """The SDK's answer. A refusal may be about the encoding or about a text's length: try what is left to try."""
        remaining = [b for b in BYTES_PER_TEXT[1:] if any(len(text.encode()) > b for text in texts)]
        encoding = self._encoding
        cut = texts
        while True:
            try:
                answer = await self._client.embeddings.create(input=cut, model=self.model, encoding_format=encoding)
            except (BadRequestError, UnprocessableEntityError) as error:
                if encoding == "base64" and error.param in (None, "encoding_format"):
                    encoding = "float"
                elif remaining:
                    bound = remaining.pop(0)
                    cut = [_cut(text, bound) for text in cut]
                else:
                    raise
            else:
                if cut == texts:  # else the length may have been the reason
                    self._encoding = encoding
                return answer

    def _accept(self, vectors: Floats) -> Floats:
        """The vectors at length 1, when their dimension is the one seen before."""
        width = vectors.shape[1]
        if self.dimensions not in (None, width):
            raise ModelGarbage("The embedding model changed its dimension")
        self.dimensions = width
        return normalised(vectors)


def _cut(text: str, size: int) -> str:
    """The text's beginning, of at most `size` bytes in UTF-8."""
    if len(text) * 4 <= size:
        return text
    return text.encode()[:size].decode(errors="ignore")
