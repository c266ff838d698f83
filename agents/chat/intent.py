"""What the user wants, and whether memory is needed for it: by what the text does, in any language.

Only what stores or deletes is told by its exact words: likeness alone never decides that.
"""

import json
import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import config
from agents.chat.context import Intent, IntentName
from memory.facts import statement_to_forget, statement_to_remember
from memory.language import EVEN, Deed, Doing, asked_in, doing, is_foreign
from utils.embeddings import Embedder, LocalEmbedder
from utils.errors import ModelError
from utils.text import ends_with_question_mark

INTENT_EXAMPLES = Path(config.__file__).parent / "intent_examples.json"
LOOKED_AT = 600  # characters of a query that are read
ALIKE = 0.46  # cosine similarity to an example from which on it decides
SMALL_TALK = 0.8  # how likely it is that a text is a courtesy, for which memory is not asked

# Only yes or no, which means something after what was said before.
_ASSENT = re.compile(
    r"^\W*(yes|no|yep|yeah|nope|sure|perfect|right|exactly)( please| thanks| thank you)?\W*$", re.IGNORECASE
)

_REASONS: dict[IntentName, tuple[bool, str]] = {
    "question": (True, "a question may be answered by what was said before"),
    "chat": (True, "a statement may relate to what was said before"),
    "recall": (True, "the user asks for what was said before"),
    "remember": (False, "the user states something to keep; nothing has to be looked up"),
    "forget": (False, "the user asks to delete a stored fact; nothing has to be looked up"),
    "summarise": (True, "a summary is made of what was said before"),
    "image": (True, "a question about an image may refer to what was said before"),
    "location": (True, "a question about a place may depend on where the user lives or has been"),
}


def intent_of(name: IntentName, *, use_memory: bool, small_talk: bool = False, deed: Deed | None = None) -> Intent:
    """The decision on memory that goes with an intent."""
    if not use_memory:
        return Intent(name, False, "the request says not to use memory", deed)
    if name == "chat" and small_talk:
        return Intent(name, False, "small talk needs no memory", deed)
    return Intent(name, *_REASONS[name], deed)


def name_of(query: str, does: Doing) -> IntentName:
    """The intent by what a query does. A request to delete in English is exact, or it is none; in other languages it is
    one where that is as likely as not, for a request to remember looks like it."""
    match does.deed:
        case "summarises":
            return "summarise"
        case "forgets" if does.forgets >= EVEN and is_foreign(query):
            return "forget"
        case "asks" | "forgets":
            nearer: dict[IntentName, float] = {
                "recall": does.recalls,
                "location": does.places,
                "image": does.looks,
            }
            best = max(nearer, key=lambda name: nearer[name])
            return best if nearer[best] >= EVEN else "question"
        case _:
            return "chat"


def _deed_of(does: Doing) -> Deed:
    """What a query does: what is likely a task is one, though it looks even more like a statement."""
    return "requests" if does.deed == "states" and does.requests >= EVEN else does.deed


class IntentDetector:
    """Finds the intent of a query by what it does or, where an embedder is given, by likeness to examples."""

    def __init__(self, reader: LocalEmbedder | None = None, embedder: Embedder | None = None) -> None:
        """`reader`: the local encoder, by which it is told what a query does. `embedder`: reads every query first; what
        it does decides where nothing is alike enough, or the embedder is away."""
        self._reader = reader
        self._everywhere = _Examples(embedder) if embedder is not None else None

    async def detect(self, query: str, *, images: bool, use_memory: bool) -> Intent:
        text = query.strip()
        if statement_to_remember(text):
            return intent_of("remember", use_memory=use_memory)
        if statement_to_forget(text):
            return intent_of("forget", use_memory=use_memory)
        if images:
            return intent_of("image", use_memory=use_memory)
        text = asked_in(text)
        does = await self._read(_ends_of(text))
        if does is None:
            name: IntentName = "question" if ends_with_question_mark(text) else "chat"
        else:
            name = name_of(text, does)
        if self._everywhere is not None:
            name = await self._everywhere.nearest(query) or name
        small_talk = does is not None and does.chats >= SMALL_TALK and not _ASSENT.match(text)
        return intent_of(name, use_memory=use_memory, small_talk=small_talk, deed=_deed_of(does) if does else None)

    async def _read(self, text: str) -> Doing | None:
        """What a text does; None where no encoder is there to tell."""
        if self._reader is None:
            return None
        try:
            return doing((await self._reader.embed([text]))[0], text)
        except ModelError:
            return None


def _ends_of(text: str) -> str:
    """The beginning and the end of a long text, where what is wanted stands."""
    return text if len(text) <= LOOKED_AT else f"{text[: LOOKED_AT // 2]}\n{text[-LOOKED_AT // 2 :]}"


class _Examples:
    """The examples as an embedding model reads them."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._names: Sequence[IntentName] = ()
        self._matrix: NDArray[np.float32] | None = None

    async def nearest(self, query: str) -> IntentName | None:
        """The intent of the example that is most like a query; None where none is like it, or the model is away."""
        try:
            if self._matrix is None:
                examples = example_utterances()
                matrix = await self._embedder.embed([text for _, text in examples])
                self._names, self._matrix = [name for name, _ in examples], matrix
            alike = self._matrix @ (await self._embedder.embed([query]))[0]
        except ModelError:
            return None
        best = int(np.argmax(alike))
        return self._names[best] if alike[best] >= ALIKE else None


@lru_cache
def example_utterances() -> list[tuple[IntentName, str]]:
    """The example utterances of `config/intent_examples.json`, each with its intent."""
    examples: dict[IntentName, list[str]] = json.loads(INTENT_EXAMPLES.read_text(encoding="utf-8"))
    return [(name, text) for name, texts in examples.items() for text in texts]
