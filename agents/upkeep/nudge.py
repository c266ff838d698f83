"""Nudges: who is told that there is work to do."""

from typing import Protocol


class Nudge(Protocol):
    """Tells whoever embeds, summarises, learns or observes that there is work; never blocks, may be lost."""

    def embed(self) -> None: ...

    def summarise(self) -> None: ...

    def learn(self) -> None: ...

    def observe(self) -> None: ...
