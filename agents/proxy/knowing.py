"""What memory knows of a request that goes through: what `/query` would tell a model, beside the messages that the
client sends itself."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from agents.chat import (
    IN_ENGLISH,
    Block,
    Bundle,
    ChatRequest,
    Context,
    Conversation,
    HistoryItem,
    Intent,
    IntentDetector,
    MemoryAgent,
    ModelTokens,
    Shown,
    ledger_of,
    share_of,
    what_is_known,
)
from agents.openai_chat import text_of, written
from agents.proxy.request import ProxyRequest
from agents.proxy.transcript import said_before
from config.contexts import UNKNOWN
from config.recipes import PromptBudget
from memory.domain import Summary
from memory.engine import Engine
from memory.facts import statement_to_forget
from memory.turns import LedgerEntry, Place
from utils.tasks import begun
from utils.text import count_tokens, on_one_line

AT_ONCE = 10_000  # characters of messages that are counted and compared in the event loop, within a millisecond
FRAME = 4  # tokens of a message beside its text
LAST = 6  # messages before the user's that a client does not send (the platform document's table: "recent")
LEFT_OUT = Intent("chat", False, "left out by the request")


class Knowing:
    """Finds what is known, and puts it together for the model that is asked."""

    def __init__(
        self,
        engine: Engine,
        detector: IntentDetector,
        remembering: MemoryAgent,
        budget: PromptBudget,
        tokens: ModelTokens,
    ) -> None:
        self._engine = engine
        self._detector = detector
        self._remembering = remembering
        self._budget = budget
        self._tokens = tokens

    async def gather(self, request: ProxyRequest, turn_id: str) -> Context:
        """What memory has to say of the user's last message; no bundle where the request wants none, or small talk
        needs none."""
        options, messages = request.options, request.messages
        asked = request.searched_by
        chat = ChatRequest(
            asked,
            request.owner,
            options.memory_id,
            turn_id,
            top_k=options.top_k,
            history=tuple(HistoryItem(str(one.get("role")), text_of(one.get("content"))) for one in messages),
            proxied=True,
            recipe=options.recipe,
            timezone=options.timezone,
            project=options.project,
        )
        if not options.reads or not asked.strip() or request.is_chore:
            return Context(chat, LEFT_OUT)
        remembering = self._remembering
        # Most requests need memory, and recall waits for the encoder as long as the detector of intents does.
        async with begun(remembering.read_ahead(chat)), begun(remembering.recalls(Context(chat, LEFT_OUT))) as recalls:
            await asyncio.sleep(0)  # what is asked of the store is on its way
            intent = await self._detector.detect(asked, images=False, use_memory=True)
            is_foreign = intent.name == "forget" and statement_to_forget(asked) is None
            context = Context(chat, intent, done=IN_ENGLISH if is_foreign else None)
            if intent.name == "chat" and not intent.need_memory:
                return context
            found, summed_up = await asyncio.gather(
                remembering.run(context, recalls), self._summed_up(request.owner, options.memory_id, messages)
            )
        return replace(found, conversation=Conversation(summaries=summed_up))

    async def _summed_up(self, owner: str, session: str, sent: Sequence[Mapping[str, Any]]) -> tuple[Summary, ...]:
        """The summary of the conversation, where that tells of more messages than the client sends."""
        digest = await self._engine.chats.digests.summary(owner, session)
        return () if digest is None or digest.message_count <= len(sent) else (digest,)

    async def block(
        self, context: Context, request: ProxyRequest, own: frozenset[str], moment: datetime, place: Place | None = None
    ) -> Block:
        """What is known, in the share that memories have of what the messages leave of the model's context. `own`: the
        ids of the user's message, and of an answer to it that is made anew; `moment`: when the user's message came, the
        same in every round of tools; `place`: the message's, where it has one."""
        context = await self._unsent(context, request, place)
        if context.bundle is None and (context.done is None or not request.options.reads):
            return Block()
        model = str(request.body.get("model"))
        window, scale = await self._tokens.window(model), self._tokens.scale(model)
        parts = context, request, own, moment, window, scale
        if sum(len(text_of(message.get("content"))) for message in request.messages) <= AT_ONCE:
            return self._fitted(*parts)
        return await asyncio.to_thread(self._fitted, *parts)

    async def _unsent(self, context: Context, request: ProxyRequest, place: Place | None) -> Context:
        """A context with what the conversation has that its client does not send: its summary, where that tells of more
        messages, and what was said last, where the user's message comes alone and the client says neither how many
        memories it wants nor how likely ones."""
        owner, options = request.owner, request.options
        if summed_up := context.conversation.summaries:
            current = place or await self._engine.chats.places.place(owner, options.memory_id)
            left = current.left_behind if current is not None else 0
            if summed_up[0].message_count - left <= len(request.messages):
                context = replace(context, conversation=Conversation())
        is_open = options.reads and options.top_k is None and options.floor is None
        if place is None or not place.index or not is_open:
            return context
        if len(said_before(request.messages)) > 1:
            return context
        last = await self._engine.chats.turns.recent(owner, options.memory_id, place, LAST)
        bundle = context.bundle or Bundle()
        return replace(context, bundle=replace(bundle, material=replace(bundle.material, last=tuple(last))))

    def _fitted(
        self,
        context: Context,
        request: ProxyRequest,
        own: frozenset[str],
        moment: datetime,
        window: int | None,
        scale: float,
    ) -> Block:
        sent = sum(entry.tokens for entry in sent_by(request)) + FRAME * len(request.messages)
        # Of a model that nobody knows: twice what it is sent, for who sends so much knows that it takes it.
        whole = max(UNKNOWN, 2 * sent) if window is None else int(window / scale)
        left = whole - min(self._budget.answer, whole // 4) - sent
        texts = frozenset(on_one_line(text_of(message.get("content"))) for message in request.messages)
        shown = Shown(own, texts, sent_along=True)
        block = what_is_known(context, self._budget, share_of(self._budget, whole, left), shown, moment)
        return block if block.given or context.done else Block(told=block.told)

    def ledger(self, request: ProxyRequest, block: Block, counted: int) -> tuple[LedgerEntry, ...]:
        """What a request cost that went through, in tokens that add up to those that the provider `counted`, where it
        did; from which it is learnt how its model counts."""
        others = sent_by(request)
        ledger = ledger_of(block.sections, None, *others)
        if counted and not any(isinstance(one.get("content"), list) for one in request.messages):
            self._tokens.learn(str(request.body.get("model")), counted, sum(entry.tokens for entry in ledger))
        return ledger_of(block.sections, counted or None, *others)


def sent_by(request: ProxyRequest) -> list[LedgerEntry]:
    """What a client's messages take, and its tools with their calls."""
    messages, body = request.messages, request.body
    text = "".join(text_of(message.get("content")) for message in messages)
    calls = [message["tool_calls"] for message in messages if message.get("tool_calls")]
    tools = [body["tools"], *calls] if body.get("tools") else calls
    entries = [LedgerEntry("messages", len(text), count_tokens(text))]
    if tools:
        characters = sum(len(written(one)) for one in tools)
        entries.append(LedgerEntry("tools", characters, -(-characters // 4)))
    return entries
