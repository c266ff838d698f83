"""How many tokens models take, and how many they count of a text.

No provider's tokenizer is there without a download. So tokens are estimated (`count_tokens`), and each model's own
counts of earlier prompts correct that. A process learns them anew, by its first prompt.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping

from config.contexts import context_tokens

LEAST_COUNTED = 200  # estimated tokens of a prompt from which on it says something of its model
LEAST_SCALE, MOST_SCALE = 0.5, 3.0  # tokens for each estimated one; what is beyond was counted otherwise
MOST_MODELS = 100  # whose scales are kept: requests name models as they like
WAITED = 1.0  # seconds that the first prompt waits for what the provider says of its models
AGAIN = 600.0  # seconds after which it is asked again, beside a prompt

ReadLengths = Callable[[], Awaitable[Mapping[str, int]]]


class ModelTokens:
    """What is known of models' tokens. `set_to`: the tokens that some take, by their names, as the settings say."""

    def __init__(self, set_to: Mapping[str, int], read: ReadLengths | None = None) -> None:
        """`read`: asks the provider what its models take, as `context_lengths` tells; it never raises."""
        self._set_to = set_to
        self._read = read
        self._reading: asyncio.Task[Mapping[str, int]] | None = None
        self._read_at = 0.0
        self._lengths: Mapping[str, int] = {}
        self._scales: dict[str, float] = {}

    async def window(self, model: str) -> int | None:
        """The tokens of a prompt with its answer that a model takes: by the settings, the provider or the table; None
        where nobody knows."""
        if model in self._set_to:
            return self._set_to[model]
        if self._read is not None:
            await self._look(self._read)
        return self._lengths.get(model) or self._lengths.get("") or context_tokens(model)

    async def _look(self, read: ReadLengths) -> None:
        if self._reading is None or (self._reading.done() and time.monotonic() - self._read_at > AGAIN):
            self._read_at, first = time.monotonic(), self._reading is None
            self._reading = asyncio.ensure_future(read())
            if first:
                await asyncio.wait([self._reading], timeout=WAITED)
        if self._reading.done():
            self._lengths = self._reading.result()

    async def close(self) -> None:
        """Asks no longer."""
        if self._reading is not None and not self._reading.done():
            self._reading.cancel()
            await asyncio.wait([self._reading])

    def scale(self, model: str) -> float:
        """How many tokens a model counts for each of an estimate."""
        return self._scales.get(model, 1.0)

    def learn(self, model: str, counted: int, estimated: int) -> None:
        """Takes up what a model counted of a prompt, in part, for one prompt may be of an unusual kind."""
        if estimated < LEAST_COUNTED or counted <= 0:
            return
        known, seen = self.scale(model), min(max(counted / estimated, LEAST_SCALE), MOST_SCALE)
        if model in self._scales or len(self._scales) < MOST_MODELS:
            self._scales[model] = seen if model not in self._scales else (known + seen) / 2
