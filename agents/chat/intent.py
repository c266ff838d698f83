"""What does the user want, and is memory needed for it? By keywords, or by likeness to example utterances."""

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
from memory.language.asking import asks, ends_as_question
from memory.language.courtesy import is_courtesy
from memory.language.heads import Asked, asked_by, doing
from memory.language.languages import is_foreign
from utils.embeddings import Embedder
from utils.errors import ModelError
from utils.text import words

EXAMPLES = Path(config.__file__).parent / "intent_examples.json"
LOOKED_AT = 600  # characters of a query that keywords are looked for in
ALIKE = 0.46  # cosine similarity to an example from which on it decides
LONGEST_FRAGMENT = 12  # words of what is looked for without asking: "weather in Bergen"
ALIKE_ELSEWHERE = 0.56  # the same of a text in another language than English, of which keywords know little
LEAST_ASKED = 6  # letters of a text in another language that asks without its mark

_KEYWORDS: tuple[tuple[IntentName, str], ...] = (
    ("summarise", r"^(please |can you |could you )*(summari[sz]e|recap|sum up|tl;?dr)\b"),
    (
        "recall",
        r"\b(what|when|where|who|which|how|did|have|had)\b(?!.*\b(should|could|can|shall|must|would)\b).*\b(i|we)\b.{0,20}\b(tell|told|say|said|mention(ed)?|"
        r"talk(ed)?|discuss(ed)?|ask(ed)?)\b|\b(do|did|can) you (still )?(remember|recall)\b|\bremind me\b|"
        r"\bwhat (do|did) you (know|remember) about\b|\bwhat have i (told|said)\b|\blast time we\b|"
        r"^(please )?remember (what|when|where|who|how|the time)\b",
    ),
    ("summarise", r"\b(a|the) (summary|recap) of\b"),
    (
        "summarise",
        r"^(please |now |so |ok(ay)?,? )*(give|list|write|tell|show|make|(can|could|would|will) you|in \w+ \w+|"
        r"what (are|were|is) (the|our))\b.{0,40}"
        r"\b(summari[sz](e|es|ing)|recap(ping)?|sum(ming)? up|points (of|on|about|from)|(highlights|gist) of)\b.{0,30}"
        r"\b(our|this|the|we) ((whole|entire|last|first|past|few|\d+) ){0,3}"
        r"(chat|conversation|talk|discussion|session|message|discussed|talked|said)",
    ),
    ("image", r"\b(this|the|that|attached|my) (image|picture|photo|screenshot|diagram)s?\b"),
    (
        "location",
        r"\bnear (me|here|by)\b|\bnearby\b|\baround here\b|\bwhere am i\b|\bin my area\b|\b(closest|nearest)\b|"
        r"\bdirections? to\b|\bhow do i get to\b|\bweather\b",
    ),
)
_PATTERNS = tuple((name, re.compile(pattern, re.IGNORECASE)) for name, pattern in _KEYWORDS)
# What asks for something, though it is no question: "Remind me where I parked."
_BIDS = re.compile(
    r"^\W*(?:(?:please|now|so|ok|okay|can you|could you|would you)\b\W*)*"
    r"(?:remind|remember|tell|give|show|find|look|search|get)\b",
    re.IGNORECASE,
)
_STATED = re.compile(r"[.!]\s*$|:\s")
_STATES = re.compile(r"^(i|i['’](m|ve|ll|d)|we|my|our|he|she|it|they|the|there|this|that)\b", re.IGNORECASE)
_PLEASANTRY = (
    r"(hi|hello|hey|hiya|yo|good (morning|afternoon|evening|night)|(many )?thanks|thank you|thx|so much|a lot|"
    r"very much|bye|goodbye|see you( later| soon)?|ok(ay)?|cool|great|nice|lol|haha+|"
    r"how are you( doing)?( today)?|what['’]?s up|how['’]?s it going|there|all|everyone|loci|again|for your help)"
)
_SMALL_TALK = re.compile(rf"^\W*{_PLEASANTRY}(\W+{_PLEASANTRY})*\W*$", re.IGNORECASE)
_ASSENT = re.compile(
    r"^\W*(yes|no|yep|yeah|nope|sure|perfect|right|exactly)( please| thanks| thank you)?\W*$", re.IGNORECASE
)

# What likeness may make of a query that keywords call a question or a statement. "My dog is called Biscuit" is as like
# "What is my dog's name?" as anything, and asks nothing.
_MORE_EXACT: dict[IntentName, tuple[IntentName, ...]] = {
    "question": ("recall", "summarise", "location"),
    "chat": ("summarise",),
}

_BY_ACT: dict[Asked, IntentName] = {"asks": "question", "forgets": "forget", "summarises": "summarise"}

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


def is_small_talk(query: str) -> bool:
    """Whether the text is a greeting, thanks, or another line that says nothing to recall by."""
    return _SMALL_TALK.match(query) is not None


def is_assent(query: str) -> bool:
    """Whether the text only says yes or no, which means something after what was said before."""
    return _ASSENT.match(query) is not None


def intent_of(name: IntentName, query: str, *, use_memory: bool) -> Intent:
    """The decision on memory that goes with an intent."""
    if not use_memory:
        return Intent(name, False, "the request says not to use memory")
    if name == "chat" and is_small_talk(query):
        return Intent(name, False, "small talk needs no memory")
    return Intent(name, *_REASONS[name])


def name_by_keywords(query: str, *, images: bool) -> IntentName:
    """The intent by the words of the query."""
    text = query.strip()
    if len(text) > LOOKED_AT:  # what is wanted stands at the beginning or at the end
        text = f"{text[: LOOKED_AT // 2]}\n{text[-LOOKED_AT // 2 :]}"
    if is_small_talk(text):
        return "image" if images else "chat"
    if statement_to_remember(text):
        return "remember"
    if statement_to_forget(text):
        return "forget"
    if images:
        return "image"
    if _STATES.match(text) and not ends_as_question(text):
        return "chat"
    asking = asks(text)
    tells = not asking and _BIDS.match(text) is None and (_STATED.search(text) or len(words(text)) > LONGEST_FRAGMENT)
    for name, pattern in _PATTERNS:
        if pattern.search(text) and not (tells and name in ("recall", "location")):
            return name
    return "question" if asking else "chat"


class IntentDetector:
    """Finds the intent of a query: by keywords, which are English, or by likeness to examples."""

    def __init__(self, reader: Embedder | None = None, embedder: Embedder | None = None) -> None:
        """`reader`: reads queries in other languages, of which keywords tell little. `embedder`: reads every query;
        keywords decide where nothing is alike enough, or it is away."""
        self._reader = reader
        self._elsewhere = _Examples(reader, ALIKE_ELSEWHERE) if reader is not None else None
        self._everywhere = _Examples(embedder, ALIKE) if embedder is not None else None

    async def detect(self, query: str, *, images: bool, use_memory: bool) -> Intent:
        name = name_by_keywords(query, images=images)
        # Storing and deleting change data, and an attached image is a fact: likeness alone never decides those.
        if name not in ("remember", "forget") and not images:
            if self._everywhere is not None:
                name = await self._everywhere.nearest(query) or name
            elif self._elsewhere is not None and name in _MORE_EXACT and is_foreign(query):
                alike = await self._elsewhere.nearest(query)
                name = alike if alike in _MORE_EXACT[name] else await self._by_act(query, name)
        return intent_of(name, query, use_memory=use_memory)

    async def _by_act(self, query: str, name: IntentName) -> IntentName:
        """The intent by what a text in another language does. `name`: by keywords, "question" or "chat"."""
        text = query.strip()
        if self._reader is None or not LEAST_ASKED <= len(text) <= LOOKED_AT or is_courtesy(text):
            return name
        try:
            found = doing((await self._reader.embed([query]))[0])
        except ModelError:
            return name
        asked = asked_by(text, found)
        return _BY_ACT[asked] if asked is not None else name


class _Examples:
    """The examples as an embedding model reads them. `alike`: cosine similarity from which on one decides."""

    def __init__(self, embedder: Embedder, alike: float) -> None:
        self._embedder = embedder
        self._alike = alike
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
        return self._names[best] if alike[best] >= self._alike else None


@lru_cache
def example_utterances() -> list[tuple[IntentName, str]]:
    """The example utterances of `config/intent_examples.json`, each with its intent."""
    examples: dict[IntentName, list[str]] = json.loads(EXAMPLES.read_text(encoding="utf-8"))
    return [(name, text) for name, texts in examples.items() for text in texts]
