"""What do the encoder's embeddings tell of messages in other languages, which rules know only by words?"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from memory.language.heads import Doing, asked_by, doing
from memory.language.languages import is_foreign
from utils.embeddings import LocalEmbedder
from utils.errors import ModelError
from utils.vectors import Floats

LONGEST = 400  # characters of a text that is heard; a longer one tells several things
OF_ALL = 0.3  # how likely a summary is one of everything
LIKELY = 0.5  # how likely it is of what is told no surer that a text does something


@dataclass(frozen=True)
class Heard:
    """By the texts that were heard: `vectors`, (384,) each, and what they do. Of all others it knows nothing."""

    vectors: Mapping[str, Floats] = field(default_factory=dict)
    doings: Mapping[str, Doing] = field(default_factory=dict)

    def alike(self, one: str, other: str) -> float:
        """The cosine similarity of two texts; 0 where one was not heard."""
        if one not in self.vectors or other not in self.vectors:
            return 0.0
        return float(self.vectors[one] @ self.vectors[other])

    def tells(self, text: str) -> bool:
        """Whether a text may tell something: it is not one that only asks, or asks to forget or to sum up."""
        found = self.doings.get(text) if is_foreign(text) else None
        return found is None or asked_by(text, found, surely=True) is None

    def changes(self, text: str, likely: float = LIKELY) -> bool:
        """Whether a text tells that something is otherwise from now on."""
        found = self.doings.get(text)
        return found is not None and found.changes >= likely

    def matter(self, text: str) -> Literal["home", "work"] | None:
        """Whether a text is about where somebody lives, or works."""
        found = self.doings.get(text)
        if found is None or max(found.home, found.work) < LIKELY:
            return None
        return "home" if found.home > found.work else "work"

    def of_others(self, text: str) -> bool:
        """Whether a text is about somebody else than the user."""
        found = self.doings.get(text)
        return found is not None and found.others >= LIKELY

    def asks_for_all(self, text: str) -> bool | None:
        """Whether a summary is asked for of everything, and not of one subject; None where that is not known."""
        found = self.doings.get(text)
        return None if found is None else found.whole >= OF_ALL


NOTHING_HEARD = Heard()


async def hear(reader: LocalEmbedder, query: str, texts: Iterable[str]) -> Heard:
    """Hears a query and what was told before, as far as these are in other languages than English: of a query in
    another one, all; nothing where the encoder fails."""
    elsewhere = is_foreign(query)
    short = dict.fromkeys(text for text in texts if 0 < len(text) <= LONGEST)
    wanted = [text for text in short if elsewhere or is_foreign(text)]
    if not wanted and not elsewhere:
        return NOTHING_HEARD
    every = list(dict.fromkeys([query, *wanted])) if 0 < len(query) <= LONGEST else wanted
    try:
        vectors = dict(zip(every, await reader.embed(every), strict=True))
    except ModelError:
        return NOTHING_HEARD
    return Heard(vectors, {text: doing(text, vector) for text, vector in vectors.items()})
