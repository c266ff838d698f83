"""Wire shapes of what admins see: users, their messages and the work on them."""

from datetime import datetime
from typing import Literal

from api.wire.fields import Wire
from api.wire.operations import Health
from api.wire.paging import cursor_of_key
from api.wire.receipts import ReceiptOut
from api.wire.sessions import MessageOut, SummaryOut
from memory.domain import Turn
from memory.oversight import Embedding, Job, Kind, OwnerSeen, Progress, Waiting


class JobsOut(Wire):
    """Jobs of a kind, up to 100,000 in each state. `oldest_waiting`: since when the one is due that waits longest."""

    kind: Kind
    waiting: int
    running: int
    dead: int
    oldest_waiting: datetime | None

    @classmethod
    def of(cls, waiting: Waiting) -> "JobsOut":
        return cls(kind=waiting.kind, oldest_waiting=waiting.oldest, **waiting.counts)


class RecallOut(Wire):
    """The recall indexes in this process's memory, an index a user or two."""

    indexes: int
    bytes: int
    bytes_at_most: int


class Overview(Health):
    """`counts`: of users, and of documents by collection; `gists`: of what can be recalled, by kind."""

    uptime_seconds: float
    driver: str
    vector_search: str
    observer_model: str
    rerank_model: str | None
    counts: dict[str, int]
    gists: dict[str, int]
    jobs: list[JobsOut]
    recall: RecallOut


class UserOut(Wire):
    id: str
    sessions: int
    messages: int
    last_activity: datetime | None

    @classmethod
    def of(cls, seen: OwnerSeen) -> "UserOut":
        return cls(**vars(seen))


class UserDetail(UserOut):
    """`counts`: documents of the user's by collection."""

    counts: dict[str, int]


class UserPage(Wire):
    items: list[UserOut]
    next_cursor: str | None


class EmbeddingOut(Wire):
    """How far the embedding of a message is. `error`: why the last attempt failed; `model`: what made the embedding
    that is there."""

    state: Literal["waiting", "running", "dead", "done"]
    attempts: int
    error: str | None
    model: str | None

    @classmethod
    def of(cls, embedding: Embedding) -> "EmbeddingOut":
        return cls(
            state=embedding.progress,
            attempts=embedding.attempts,
            error=embedding.error,
            model=embedding.model,
        )


class WatchedMessage(MessageOut):
    """A message with the state of its embedding; None where it was deleted just now."""

    embedding: EmbeddingOut | None

    @classmethod
    def watched(cls, turn: Turn, embedding: Embedding | None) -> "WatchedMessage":
        state = None if embedding is None else EmbeddingOut.of(embedding)
        return cls(**MessageOut.of(turn).model_dump(), embedding=state)


class WatchedPage(Wire):
    items: list[WatchedMessage]
    next_cursor: str | None


class SummaryPage(Wire):
    items: list[SummaryOut]
    next_cursor: str | None


class ReceiptRead(ReceiptOut):
    """A receipt with the texts of what it names, by their ids, long ones cut; without those that are gone."""

    texts: dict[str, str]


class JobOut(Wire):
    """`id`: names the job, for a retry; `about`: the id of the message, session, tool's result or memory bank that is
    to be worked on, and `text` how it begins. `due_at`: from when it may be worked on, or until when its worker has it;
    null of a dead one. `comes_back`: a dead one is taken up by itself once the model is there again; else it was given
    up until it is retried. `session_id`: of a message or a session; null of anything else."""

    id: str
    kind: Kind
    state: Progress
    user_id: str
    session_id: str | None
    about: str
    text: str
    attempts: int
    error: str | None
    due_at: datetime | None
    comes_back: bool

    @classmethod
    def of(cls, job: Job) -> "JobOut":
        return cls(
            id=cursor_of_key(job.key),
            kind=job.kind,
            state=job.progress,
            user_id=job.owner,
            session_id=job.session_id,
            about=job.about,
            text=job.text,
            attempts=job.attempts,
            error=job.error,
            due_at=job.due,
            comes_back=job.comes_back,
        )


class JobPage(Wire):
    items: list[JobOut]
    next_cursor: str | None


class Retried(Wire):
    """How many jobs of each kind were put back."""

    retried: dict[Kind, int]
