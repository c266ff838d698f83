"""Wire shapes of the configuration, and of what admins see: users, their messages and the work on them."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from api.wire.base import Page, Shown
from api.wire.paging import cursor_of_key
from api.wire.receipts import ReceiptOut
from api.wire.sessions import MessageOut
from memory.oversight import Progress
from utils.fields import Wire


class Health(Wire):
    status: Literal["ok"] = "ok"
    version: str
    store: str
    broker: str
    chat_model: str
    summary_model: str
    embedding_model: str
    top_k: int
    similarity_floor: float
    summary_interval: int


class JobsOut(Shown):
    """Jobs of a kind, up to 100,000 in each state. `oldest_waiting`: since when the one is due that waits longest."""

    kind: str
    waiting: int
    running: int
    dead: int
    oldest_waiting: datetime | None = Field(validation_alias="oldest")


class RecallOut(Wire):
    """The recall indexes in this process's memory, an index a user or two."""

    indexes: int
    bytes: int
    bytes_at_most: int


class Overview(Health):
    """`counts`: of users, and of documents by collection; `gists`: of what can be recalled, by kind. `guarded`: whether
    an admin key is asked for; without one, whoever is on this machine may read all this."""

    guarded: bool
    uptime_seconds: float
    driver: str
    vector_search: str
    observer_model: str
    rerank_model: str | None
    counts: dict[str, int]
    gists: dict[str, int]
    jobs: list[JobsOut]
    recall: RecallOut


class UserOut(Shown):
    id: str
    sessions: int
    messages: int
    last_activity: datetime | None


class UserDetail(UserOut):
    """`counts`: documents of the user's by collection."""

    counts: dict[str, int]


class EmbeddingOut(Shown):
    """How far the embedding of a message is. `error`: why the last attempt failed; `model`: what made the embedding
    that is there."""

    state: Literal["waiting", "running", "dead", "done"] = Field(validation_alias="progress")
    attempts: int
    error: str | None
    model: str | None


class WatchedMessage(MessageOut):
    """A message with the state of its embedding; None where it was deleted just now."""

    embedding: EmbeddingOut | None


class WatchedPage(Page[WatchedMessage]): ...


class ReceiptRead(ReceiptOut):
    """A receipt with the texts of what it names, by their ids, long ones cut; without those that are gone."""

    texts: dict[str, str]


class JobOut(Shown):
    """`id`: names the job, for a retry; `about`: the id of the message, session, tool's result or memory bank that is
    to be worked on, and `text` how it begins. `due_at`: from when it may be worked on, or until when its worker has it;
    null of a dead one. `comes_back`: a dead one is taken up by itself once the model is there again; else it was given
    up until it is retried. `session_id`: of a message or a session; null of anything else."""

    id: Annotated[str, BeforeValidator(cursor_of_key)] = Field(validation_alias="key")
    kind: str
    state: Progress = Field(validation_alias="progress")
    user_id: str = Field(validation_alias="owner")
    session_id: str | None
    about: str
    text: str
    attempts: int
    error: str | None
    due_at: datetime | None = Field(validation_alias="due")
    comes_back: bool


class Retried(Wire):
    """How many jobs of each kind were put back."""

    retried: dict[str, int]
