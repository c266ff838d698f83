"""What is said, found and handed around: the plain types of the core."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple

from config.settings import BY_RULES
from utils.clock import at_home

RULE_BASED = BY_RULES  # the `model` of what no language model wrote
FACT = "fact"  # the kind, and the role, of a fact's gist
TURN = "turn"  # the kind of a message's gist
SAID = (TURN, FACT)  # kinds of gists that a search sees unless it asks for others: what was said, and is known of it
SECTION = "section"  # the same of a part of a memory bank; recalled only by those who ask for it
REPLACED, LEFT = "replaced", "left"  # branches of a conversation, as `memory/turns/branches.py` has them
UNRANKED = -1.0  # the `rank` in a profile of what nobody has read for it yet

Role = Literal["system", "user", "assistant", "tool"]


@dataclass(frozen=True)
class Turn:
    """One message of a session. `index`: its place, where it is reserved already. `model`: what wrote it. `proxied`:
    it came through the proxy, whose conversations have a digest, and may be kept to so many messages. `timezone`: the
    IANA name of where it was said, whose days it speaks of; None for UTC. `project`: of the session that it begins.
    `follows`, `branch`: as `memory/turns/branches.py` has them. `images`: how many came with it.
    `recalled`: whether other answers may come to know of it; its user may not want that. `unaided`: an answer for
    which memory was off, so that what it says of the user is a guess."""

    id: str
    role: Role
    content: str
    timestamp: datetime
    name: str | None = None
    turn_id: str | None = None
    index: int | None = None
    model: str | None = None
    interrupted: bool = False
    proxied: bool = False
    timezone: str | None = None
    project: str | None = None
    follows: str | None = None
    branch: str | None = None
    images: int = 0
    recalled: bool = True
    unaided: bool = False


@dataclass(frozen=True)
class Condensed:
    """Where that stands which a memory bank does not say any more: a file, and a version of the bank in which it has
    it."""

    file: str
    version: int


@dataclass(frozen=True)
class Gist:
    """One thing that can be recalled, as read from `vectors`. `key`: its `_id` there; `id`: its id for its owner.
    `condensed`: of a part of a memory bank that was left out when that was condensed; else None. `timezone`,
    `branch`, `images`, `recalled`, `unaided`: as a `Turn` has them."""

    key: str
    id: str
    kind: str
    session_id: str
    role: str
    content: str
    timestamp: datetime
    name: str | None = None
    message_index: int = -1
    model: str | None = None
    condensed: Condensed | None = None
    timezone: str | None = None
    branch: str | None = None
    images: int = 0
    recalled: bool = True
    unaided: bool = False

    @property
    def said_at(self) -> datetime:
        """When it was said, by the clocks there."""
        return at_home(self.timestamp, self.timezone)

    @property
    def by_rules(self) -> bool:
        """Whether rules wrote it, which can only quote other messages."""
        return self.model == RULE_BASED


class Parts(NamedTuple):  # a tuple, as are candidates: a search makes dozens of them
    """What a score is made of, each in 0..1; None where the recipe does not use it.

    `dense`: cosine similarity, negative ones as 0. `recency`: exp(-age / 30 days), and 0 for what has nothing to do
    with the question where all that is known is fused. `mmr`: similarity to what was chosen before it.
    `score`: what the ranking went by. `bm25`: s / (1 + s) of the BM25 score s. `fused`: the probability that it
    answers, of all that is known of it. `rerank`: what a cross-encoder says; None where none read it.
    """

    dense: float
    score: float
    recency: float | None = None
    mmr: float | None = None
    bm25: float | None = None
    fused: float | None = None
    rerank: float | None = None


Drop = Literal["below_floor", "silent", "duplicate", "mmr", "top_k", "deleted", "sent_along", "no_news"]


class Candidate(NamedTuple):
    """A gist that a search looked at, by its `_id`. `dropped`: why it was not returned; None where it was."""

    key: str
    parts: Parts
    dropped: Drop | None = None


@dataclass(frozen=True)
class Hit:
    """A gist that a search found. `piece`: of a long text the part by which it was found; None where that is the
    whole."""

    gist: Gist
    parts: Parts
    piece: str | None = None

    @property
    def score(self) -> float:
        return self.parts.score

    @property
    def text(self) -> str:
        """What of it is told where there is room for little."""
        return self.piece or self.gist.content


@dataclass(frozen=True)
class Recall:
    """What one search gave. `hits`: best first. `considered`: the best candidates, kept or dropped, best first.
    `dimensions`: of the query's embedding; 0 where there was none. `query`: as it was searched for, misspelt words as
    the history has them; empty where nothing was."""

    hits: tuple[Hit, ...] = ()
    considered: tuple[Candidate, ...] = ()
    dimensions: int = 0
    query: str = ""

    def respelt(self, query: str) -> str | None:
        """What was searched for, where that is not the query, since words of it were misspelt."""
        return self.query if self.query not in ("", query) else None


@dataclass(frozen=True)
class Summary:
    """A summary of one window of a session: messages `from_index` to `to_index`, both included."""

    session_id: str
    text: str
    message_count: int
    model: str
    timestamp: datetime
    from_index: int
    to_index: int

    @property
    def id(self) -> str:
        return f"{self.session_id}#{self.from_index}-{self.to_index}"


@dataclass(frozen=True)
class KeyValue:
    """A user's fact under a key. `version`: counts its writes since `created_at`. `source`: id of the message that
    stated it; `sources`: ids of all messages that stated it or a former value. `epoch`: random, the same for all these
    writes; None for a fact of before there were epochs."""

    key: str
    value: str
    created_at: datetime
    updated_at: datetime
    token_count: int
    version: int
    source: str | None = None
    sources: tuple[str, ...] = ()
    epoch: str | None = None

    @property
    def tag(self) -> str:
        """Tells this value from every other that the key had or will have, also after a deletion."""
        epoch = self.epoch or f"{int(self.created_at.timestamp() * 1000):x}"
        return f"{self.version}-{epoch}"


@dataclass(frozen=True)
class Remembered:
    """What `remember` did. `ids`: of all turns given, in order."""

    ids: tuple[str, ...]
    accepted: int
    duplicates: int
    session_id: str
