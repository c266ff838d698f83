"""What all measurements share: messages and questions that the service itself embedded."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from pymongo.synchronous.database import Database

from bench.recall.corpus import Message
from bench.recall.over_http import over_http
from bench.speed.conversation import BEGAN, Conversation
from bench.speed.server import Server
from utils.mongo import Document
from utils.vectors import Floats, stack

PER_CALL = 100
SAYS, ASKS, WARM = "says", "asks", "warm"  # users: of all messages, of the questions as messages, and of a few


@dataclass(frozen=True)
class Material:
    """`originals`: documents of `vectors` with all that embedding gives. `vectors`: of these, (messages, dimensions).
    `question_vectors`: (questions, dimensions)."""

    originals: tuple[Document, ...]
    questions: tuple[str, ...]
    vectors: Floats
    question_vectors: Floats

    @property
    def texts(self) -> list[str]:
        return [document["content"] for document in self.originals]

    def matrix(self, count: int) -> Floats:
        """The vectors of so many copies: (count, dimensions)."""
        return self.vectors[np.arange(count) % len(self.vectors)]


async def prepare(server: Server, said: Conversation, warm: int) -> Material:
    """Tells a server everything and reads back what it made of it. `warm`: messages of a user on whom a restarted
    server can be warmed up."""
    questions = [_asked(text, at) for at, text in enumerate(said.questions)]
    await _tell(server, SAYS, said.messages)
    await _tell(server, ASKS, questions)
    await _tell(server, WARM, said.messages[:warm])
    with server.database() as database:
        originals, asked = (_embedded(database, owner) for owner in (SAYS, ASKS))
    return Material(tuple(originals), said.questions, _vectors(originals), _vectors(asked))


async def _tell(server: Server, owner: str, messages: Sequence[Message]) -> None:
    async with over_http(server.url) as client:
        for session, group in groupby(messages, lambda message: message.session):
            await client.add(owner, session, list(group))


def _asked(text: str, at: int) -> Message:
    return Message(f"asked-{at}", f"asked-in-{at // PER_CALL}", "user", text, BEGAN)


def _embedded(database: Database[Document], owner: str) -> list[Document]:
    """Documents of a user, in the order in which they were said."""
    found = list(database["vectors"].find({"user_id": owner}))
    return sorted(found, key=lambda document: int(document["id"].rpartition("-")[2]))


def _vectors(documents: Sequence[Document]) -> Floats:
    binaries = [document["embedding"] for document in documents]
    return stack(binaries, (len(binaries[0]) - 2) // 4)
