"""Turns and gists as documents in `vectors`, each with its imprint: what recall goes by besides the embedding, namely
terms, vectors of tokens, and traits. Of a text that is longer than what these are made of, each piece has its own."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from memory.domain import Condensed, Gist, Turn
from memory.ids import fingerprint
from memory.language import LONGEST, Trait, doing, traits_of
from memory.store import pending
from utils.clock import now
from utils.embeddings import LocalEmbedder
from utils.encoder import FAMILY, MAX_CHARACTERS, MODEL, TOKEN_DIMENSIONS, Reading
from utils.mongo import Document
from utils.text import ends_with_question_mark, pieces_of, searched_words, stem
from utils.vectors import Floats, to_binary

Terms = NDArray[np.uint32]

AT_ONCE = 10_000  # characters up to which rules take a few milliseconds
MADE_BY = f"{MODEL}/1"  # what another version made is made anew by the workers, or by `loci reembed`
MOST = 4_096  # terms kept of a text
PIECE = 2_000  # characters of a piece of a long text
MOST_PIECES = 400  # of a text; of a very long one they are longer

_LITTLE_ENDIAN = np.dtype("<u4")

TEXT = {"embedding": 0, "recall": 0}  # a projection: all of a gist but what an index reads


@lru_cache(maxsize=65_536)
def hashed(stemmed: str) -> int:
    """The number that stands for a stem."""
    return crc32(stemmed.encode())


def terms_of(text: str) -> Terms:
    """The terms of a text in order, shape (n,)."""
    return np.array([hashed(stem(word)) for word in searched_words(text)[:MOST]], np.uint32)


def hashes(stems: Iterable[str]) -> Terms:
    """The terms of stems, in their order."""
    return np.array([hashed(one) for one in stems], np.uint32)


def to_bytes(terms: Terms) -> bytes:
    return terms.astype(_LITTLE_ENDIAN).tobytes()


def from_bytes(stored: bytes) -> Terms:
    """As `to_bytes` wrote them; an incomplete one at the end is left out."""
    return np.frombuffer(stored, _LITTLE_ENDIAN, len(stored) // 4).astype(np.uint32, copy=False)


@dataclass(frozen=True)
class Imprint:
    """`terms`: (n,) uint32. `tokens`: (m, 64) int8, see `utils.encoder.Reading`. `traits`: (6,) uint8, by `Trait`."""

    terms: Terms
    tokens: NDArray[np.int8]
    traits: NDArray[np.uint8]


EMPTY = Imprint(np.zeros(0, np.uint32), np.zeros((0, TOKEN_DIMENSIONS), np.int8), np.zeros(len(Trait), np.uint8))


async def imprints(reader: LocalEmbedder, contents: Sequence[str], embedded: Sequence[str]) -> list[Imprint]:
    """`contents`: what was said. `embedded`: the same as it is embedded, the speaker's name before it; behind a name a
    question looks like a statement, so what it does is read without."""
    asking = [content for content, text in zip(contents, embedded, strict=True) if content != text and _asks(content)]
    readings = await reader.read([*embedded, *asking])
    own = dict(zip(asking, (reading.sentence for reading in readings[len(embedded) :]), strict=True))
    vectors = [own.get(content, reading.sentence) for content, reading in zip(contents, readings, strict=False)]
    if sum(map(len, contents)) < AT_ONCE:
        return _made(contents, readings, vectors)
    return await asyncio.to_thread(_made, contents, readings, vectors)


def _asks(content: str) -> bool:
    return len(content) <= LONGEST and ends_with_question_mark(content)


def _made(contents: Sequence[str], readings: Sequence[Reading], vectors: Sequence[Floats]) -> list[Imprint]:
    beginnings = [content[:MAX_CHARACTERS] for content in contents]
    return [
        Imprint(terms_of(beginning), reading.tokens, traits_of(beginning, doing(vector, beginning)))
        for beginning, reading, vector in zip(beginnings, readings, vectors, strict=False)
    ]


def to_document(imprint: Imprint) -> dict[str, Any]:
    """As it stands in a gist."""
    return {
        "made_by": MADE_BY,
        "terms": to_bytes(imprint.terms),
        "tokens": imprint.tokens.tobytes(),
        "traits": imprint.traits.tobytes(),
    }


def from_document(stored: Document | None) -> Imprint:
    """What `to_document` made; of what an earlier version of the encoder read, no tokens, for these are not comparable.
    An empty one for a gist without, or a damaged one."""
    if not stored or not str(stored.get("made_by", "")).startswith(FAMILY):
        return EMPTY
    tokens, traits = np.frombuffer(stored["tokens"], np.int8), np.frombuffer(stored["traits"], np.uint8)
    traits = traits[: len(Trait)]  # an earlier version kept two more
    if len(tokens) % TOKEN_DIMENSIONS or len(traits) != len(Trait):
        return EMPTY
    comparable = tokens.reshape(-1, TOKEN_DIMENSIONS) if stored["made_by"] == MADE_BY else EMPTY.tokens
    return Imprint(from_bytes(stored["terms"]), comparable, traits)


def embedded_fields(
    vector: Floats, model: str, imprint: Imprint, read: Sequence[tuple[Floats, Imprint]] = ()
) -> dict[str, Any]:
    """What a gist has once it is embedded. `vector`: (dimensions,), of length 1. `model`: whose it is. `read`: the
    same of each piece of its text."""
    recall = to_document(imprint)
    if read:
        recall["pieces"] = [to_document(piece) | {"embedding": to_binary(own)} for own, piece in read]
    return {"embedding": to_binary(vector), "embedding_model": model, "recall": recall}


def pieces(content: str) -> list[str]:
    """The pieces by which a text is found, too; none of one that is read whole."""
    if len(content) <= MAX_CHARACTERS:
        return []
    size = max(PIECE, -(-len(content) // MOST_PIECES))
    while len(found := pieces_of(content, size)) > MOST_PIECES:  # each may be half as long
        size += size // 8
    return found


def piece_in(gist: Gist, number: int | None) -> str | None:
    """A piece of a gist's text; None where it has none of this number."""
    found = pieces(gist.content)[number : number + 1] if number is not None else []
    return found[0] if found else None


def with_pieces(document: Document) -> list[Document]:
    """A gist, and behind it each piece of its text as a gist of its own would be read."""
    return [document, *({**document, "content": piece} for piece in pieces(document["content"]))]


def new_gist(
    key: str, owner: str, session_id: str, kind: str, content: str, timestamp: datetime, **fields: object
) -> Document:
    """The document of what is no message, to be embedded: its role is its kind. `fields`: others, or in their place."""
    return {
        "_id": key,
        "id": key,
        "user_id": owner,
        "session_id": session_id,
        "kind": kind,
        "role": kind,
        "content": content,
        "timestamp": timestamp,
        "created_at": now(),
        "embed": pending(),
        **fields,
    }


def document_of(owner: str, session_id: str, turn: Turn, index: int) -> Document:
    """The document of a turn that is to be embedded. Its `_id` is the turn's id."""
    document: dict[str, Any] = {
        "_id": turn.id,
        "id": turn.id,
        "user_id": owner,
        "session_id": session_id,
        "message_index": index,
        "kind": "turn",
        "role": turn.role,
        "content": turn.content,
        "timestamp": turn.timestamp,
        "created_at": now(),
        "embed": pending(),
    }
    if turn.proxied or is_of_the_user(owner, turn.role, turn.name):
        document["facts"] = pending()  # of what others say in the proxy none are made: it is awaited for the upkeep
    optional = {
        "name": turn.name,
        "turn_id": turn.turn_id,
        "model": turn.model,
        "interrupted": turn.interrupted or None,
        "timezone": turn.timezone,
        "proxied": turn.proxied or None,
        "fingerprint": fingerprint(turn.content) if turn.proxied else None,
        "follows": turn.follows,
        "branch": turn.branch,
        "images": turn.images or None,
        "recalled": None if turn.recalled else False,
        "unaided": turn.unaided or None,
    }
    document.update({key: value for key, value in optional.items() if value is not None})
    return document


def is_of_the_user(owner: str, role: str, name: str | None) -> bool:
    """Whether a message of a role tells of the user: one with another's name is that person's."""
    return role == "user" and (not name or name.casefold() in (role, owner.casefold()))


def gist_of(document: Document) -> Gist:
    return Gist(
        key=document["_id"],
        id=document["id"],
        kind=document["kind"],
        session_id=document["session_id"],
        role=document["role"],
        content=document["content"],
        timestamp=document["timestamp"],
        name=document.get("name"),
        message_index=document.get("message_index", -1),
        model=document.get("model"),
        condensed=Condensed(said["file"], said["version"]) if (said := document.get("condensed")) is not None else None,
        timezone=document.get("timezone"),
        branch=document.get("branch"),
        images=document.get("images", 0),
        recalled=document.get("recalled", True),
        unaided=document.get("unaided", False),
    )


def turn_of(document: Document) -> Turn:
    return Turn(
        id=document["id"],
        role=document["role"],
        content=document["content"],
        timestamp=document["timestamp"],
        name=document.get("name"),
        turn_id=document.get("turn_id"),
        index=document["message_index"],
        model=document.get("model"),
        interrupted=document.get("interrupted", False),
        timezone=document.get("timezone"),
        proxied=document.get("proxied", False),
        follows=document.get("follows"),
        branch=document.get("branch"),
        images=document.get("images", 0),
        recalled=document.get("recalled", True),
        unaided=document.get("unaided", False),
    )


def text_to_embed(document: Document) -> str:
    """What an embedding stands for: `spoken` text."""
    return spoken(document.get("name"), document["role"], document["content"])


def spoken(name: str | None, role: str, content: str) -> str:
    """A text as models read it: after the speaker's name where there is one.

    On conversations between named people (LoCoMo) the prefix adds 13 points of recall@8 to cosine similarity; a name
    that says no more than the role (BEAM) costs two, and is left out.
    """
    if not name or name.casefold() == role:
        return content
    return f"{name}: {content}"
