"""What agents hand to one another: the request, the bundle of memory, the answer."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import Literal, Protocol

from agents.chat.rounds import Toolbox
from config.recipes import PromptRecipe, Recipe
from memory.domain import FACT, Drop, Gist, Hit, KeyValue, Recall, Summary
from memory.facts import Fact, ProfileItem
from memory.ids import prompt_id, response_id, scoped
from memory.language import Deed, End, asked_in, asks_for_all
from memory.observations import Recalled
from memory.turns import LedgerEntry, LeftOut, Place, Used
from utils.chat import ChatOptions, ReasoningEffort, Usage
from utils.clock import at_home

SEARCHED_BY = 32_000  # characters of a message by which memory is searched

IntentName = Literal["question", "chat", "recall", "remember", "forget", "summarise", "image", "location"]


@dataclass(frozen=True)
class HistoryItem:
    """A message that the client itself sends along. `images`: their addresses."""

    role: str
    content: str
    images: tuple[str, ...] = ()


@dataclass(frozen=True)
class ChatRequest:
    """One request to answer. `owner`: the user. `turn_id`: names the exchange. `isolated`: it knows its session and
    the one for what is known everywhere, and nothing else of the user. `proxied`: it came by the door of the proxy.
    `timezone`: the IANA name of where it is made, whose days it speaks of and is answered in; None for UTC. `speaker`:
    who says it, where that is another than the user; `user_name`: the user's own name there, to be noted."""

    query: str
    owner: str
    session_id: str
    turn_id: str
    use_memory: bool | None = None  # None: unless it is temporary
    top_k: int | None = None  # hits at most; None: as many as the recipe says, and in a prompt as its tokens allow
    history: tuple[HistoryItem, ...] = ()
    images: tuple[str, ...] = ()
    same_images: bool = True  # it asks a message again with the images that this came with
    location: str | None = None
    model: str | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    reasoning_effort: ReasoningEffort | None = None
    temporary: bool = False
    paused: bool = False  # it is temporary, for its user wants nothing to be kept
    isolated: bool = False
    proxied: bool = False
    recipe: Recipe | None = None  # by which it recalls; None for the one of the settings
    retried: bool = False  # it may have been made before, under the same turn_id
    detached: bool = False  # others may follow its answer, in other processes as well
    follows: str | None = None  # as a `Turn` has it
    goes_on: str | None = None  # the id of the message that it follows, after which the conversation goes on so
    instead_of: str | None = None  # the id of the user's message whose place it takes
    asks_again: str | None = None  # the id of the message that it answers, where it has none of its own
    timezone: str | None = None
    speaker: str | None = None
    user_name: str | None = None
    project: str | None = None  # of the user's, that it names or its session is in
    locale: str | None = None  # BCP 47: how the user writes dates and numbers
    standing: tuple[str, ...] = ()  # instructions that hold: the user's, the project's, the session's
    instructions: str | None = None  # the client's, behind the server's own and those that stand
    prompt: PromptRecipe | None = None  # by which a model is asked; None for the one of the settings

    @property
    def reads(self) -> bool:
        """Whether it may be answered from memory."""
        return not self.temporary if self.use_memory is None else self.use_memory

    @property
    def prompt_id(self) -> str:
        """The id of the message that it answers."""
        return self.asks_again or prompt_id(self.turn_id)

    @property
    def forks(self) -> bool:
        """Whether it says where in the conversation it stands."""
        return self.goes_on is not None or self.instead_of is not None

    @cached_property
    def asked(self) -> str:
        """As much of it as memory is searched by."""
        return asked_in(self.query[:SEARCHED_BY])

    @property
    def options(self) -> ChatOptions:
        """How it wants its model to be asked."""
        return {
            "purpose": "answer",
            "model": self.model,
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
            "reasoning_effort": self.reasoning_effort,
            "as_asked": True,
        }

    @cached_property
    def asks_for_all(self) -> bool:
        """Whether it asks for all that the user told, whatever it is about."""
        return asks_for_all(self.asked)


@dataclass(frozen=True)
class Intent:
    """What the user wants, and whether memory is needed for it. `deed`: what the text most likely does, None
    where nobody has read it."""

    name: IntentName
    need_memory: bool
    memory_reason: str
    deed: Deed | None = None


@dataclass(frozen=True)
class Material:
    """What a prompt is filled from that goes by tokens. `hits`: best first, those of the bundle and more, as recall
    found them; `near`: the messages beside the first of them. `empty`: ids of hits that tell nothing. `changed`: by the
    ids of messages among these, the facts that replaced what they state, none where it merely ended. `profile`: what is
    needed most of all that is known of the user. `lines`: of summaries, each with its summary, that are like the
    question, in their order. `last`: the messages before the user's, where the client sends none of them."""

    hits: tuple[Hit, ...] = ()
    near: tuple[Gist, ...] = ()
    empty: frozenset[str] = frozenset()
    changed: Mapping[str, Sequence[str]] = field(default_factory=dict)
    profile: tuple[ProfileItem, ...] = ()
    lines: tuple[tuple[Summary, str], ...] = ()
    last: tuple[Gist, ...] = ()


@dataclass(frozen=True)
class Former:
    """A message that was found, and states nothing that holds. `replaced_by`: ids of the facts in force that took its
    place, and of the messages that state them."""

    hit: Hit
    replaced_by: frozenset[str]


@dataclass(frozen=True)
class Bundle:
    """What memory has to say about a request (the platform document, "Complete Memory Bundle").

    `recall.hits` may stand among `recent` too; `context` leaves those out, so that nothing is in the bundle twice.
    `unsummarised`: for a request to summarise, the messages of the session that no summary covers; for what is known
    at all, the newest ones. `observations`: those that suit the request, where answers are to use them. `known`: for a
    request to tell all, the facts in force that changed last. `end`: which message the request asks for by its place
    alone; `at_end`: that message, None where there is none. `parts`: of a request that joins questions, what was found
    for each. `former`: what was found and left out, for other things hold by now. `undecided`: by the ids of messages
    of which facts hold, those of which it is not decided whether what they state was replaced by that. `echoes`: by
    the ids of messages, the facts of them that were found and left out for them. `material`: for a prompt that goes by
    tokens.
    """

    recall: Recall = field(default_factory=Recall)
    recent: tuple[Gist, ...] = ()
    summaries: tuple[Summary, ...] = ()
    memories: tuple[KeyValue, ...] = ()
    unsummarised: tuple[Gist, ...] = ()
    observations: tuple[Recalled, ...] = ()
    known: tuple[Fact, ...] = ()
    end: End | None = None
    at_end: Gist | None = None
    parts: tuple[Recall, ...] = ()
    former: tuple[Former, ...] = ()
    undecided: Mapping[str, frozenset[str]] = field(default_factory=dict)
    echoes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    material: Material = field(default_factory=Material)

    @property
    def context(self) -> tuple[Hit, ...]:
        """Hits that are neither recent messages nor the statement of a key/value fact."""
        told = {message.key for message in self.recent}
        stated = {source for fact in self.memories for source in fact.sources}
        return tuple(hit for hit in self.recall.hits if hit.gist.key not in told and hit.gist.id not in stated)


@dataclass(frozen=True)
class Citation:
    """A memory that the answer rests on, under the number that it has in the prompt and in the answer, 0 before it has
    one. `section`: of the prompt. `timezone`: of where it was said, or else of the request."""

    n: int
    id: str
    kind: str
    section: str
    session_id: str | None
    role: str | None
    content: str
    timestamp: datetime
    score: float | None
    name: str | None = None  # of the speaker
    timezone: str | None = None

    @property
    def said_at(self) -> datetime:
        """When it was said, by the clocks there."""
        return at_home(self.timestamp, self.timezone)

    def at_home(self, timezone: str | None) -> "Citation":
        """The same; of where the user is by now, where it is not known where it was said."""
        return replace(self, timezone=self.timezone or timezone)

    @classmethod
    def of_gist(cls, gist: Gist, section: str, score: float | None = None) -> "Citation":
        """`score`: recall's; None where it was not searched for."""
        said = gist.role, gist.content, gist.timestamp
        return cls(0, gist.id, gist.kind, section, gist.session_id, *said, score, gist.name, gist.timezone)

    @classmethod
    def of_key_value(cls, kept: KeyValue) -> "Citation":
        text = f"{kept.key}: {kept.value}"
        return cls(0, kept.key, "memory", "memories", None, "user", text, kept.updated_at, None)

    @classmethod
    def of_fact(cls, fact: Fact) -> "Citation":
        return cls(0, fact.id, FACT, "known", fact.memory_id, FACT, fact.text, fact.valid_from, None)

    @classmethod
    def of_profile(cls, item: ProfileItem) -> "Citation":
        kind, role = (FACT, FACT) if item.key is None else ("memory", "user")
        return cls(0, item.key or item.id, kind, "profile", None, role, item.text, item.since, None)

    @classmethod
    def of_observation(cls, recalled: Recalled) -> "Citation":
        note = recalled.observation
        return cls(0, note.id, note.category, "observations", None, None, note.content, note.created_at, recalled.score)

    @classmethod
    def of_summary(cls, summary: Summary) -> "Citation":
        at, text = summary.timestamp, summary.text
        return cls(0, summary.id, "summary", "summaries", summary.session_id, None, text, at, None)

    def as_used(self) -> Used:
        return Used(self.n, self.id, self.kind, self.section)


@dataclass(frozen=True)
class Answer:
    """What the writer gives. `given`: the memories that stood in the prompt; `citations`: those the answer uses;
    `tools`: the names of those that the model used before it; `unused`: why rules quoted none, where they did not;
    `told`: as the prompt has it. `fallback`: why rules answered in a model's place."""

    text: str
    model: str
    usage: Usage
    given: tuple[Citation, ...] = ()
    citations: tuple[Citation, ...] = ()
    ledger: tuple[LedgerEntry, ...] = ()
    interrupted: bool = False
    tools: tuple[str, ...] = ()
    unused: LeftOut = "no_answer"
    told: Mapping[str, Drop] = field(default_factory=dict)
    fallback: str | None = None


Emit = Callable[[str], Awaitable[None]]


@dataclass(frozen=True)
class Conversation:
    """The running conversation before a request, as far as it is read. `messages`: oldest first. `summaries`: of its
    windows, oldest first; read only where it is long. `images`: of the newest messages, by their ids."""

    messages: tuple[Gist, ...] = ()
    summaries: tuple[Summary, ...] = ()
    images: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Context:
    """A request on its way through the agents; each returns a copy with its part filled in.

    `place`: of the prompt, which is committed, in its session; None for a temporary request. `left`: `_id`s of the
    messages that left the conversation, which is to know nothing of them. `images`: what those of the request show, or
    why nobody can say; `sees`: the model does. `done`: what an agent did that the answer should tell. `forgotten`: the
    request itself was deleted. `toolbox`: what a model may use that answers. `emit`: takes the answer's text as it
    comes; None where it is not streamed.
    """

    request: ChatRequest
    intent: Intent
    place: Place | None = None
    left: frozenset[str] = frozenset()
    bundle: Bundle | None = None
    images: str | None = None
    sees: bool = False
    done: str | None = None
    forgotten: bool = False
    ran: tuple[str, ...] = ()
    toolbox: Toolbox | None = None
    emit: Emit | None = None
    conversation: Conversation = field(default_factory=Conversation)

    @property
    def question(self) -> str:
        """What the user says, misspelt words as memory has them. Facts and observations are sought as it was typed."""
        searched = self.bundle.recall.query if self.bundle is not None else ""
        return searched or self.request.asked

    @cached_property
    def own_keys(self) -> tuple[str, ...]:
        """The `_id`s that the request's own messages may have, and of those that left its conversation: recall must
        not find them."""
        own = (self.request.prompt_id, response_id(self.request.turn_id))
        return (*own, *(scoped(identifier, self.request.owner) for identifier in own), *self.left)

    def having_run(self, agent: str) -> "Context":
        return replace(self, ran=(*self.ran, agent))


class Agent(Protocol):
    """Does one thing to a context. `name`: as it stands in `agents_used`."""

    name: str

    async def run(self, context: Context) -> Context: ...
