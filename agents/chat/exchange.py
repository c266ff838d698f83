"""An exchange of `/query`, from the prompt that is committed to the answer that is kept with its receipt.

What must be stored outlives the request that began it: whoever asked may leave, or the process be told to stop.
"""

import asyncio
import logging
from collections.abc import Collection
from dataclasses import replace
from typing import TypeVar

from agents.chat.context import Answer, Bundle, ChatRequest, Context, Conversation, Emit
from agents.chat.coordinator import Coordinator
from agents.chat.drafting import Drafting, Keeping, settled
from agents.chat.intent import IntentDetector
from agents.chat.prompt import Prompt
from agents.chat.rounds import Toolbox
from agents.chat.writer_agent import BrokenOff
from agents.upkeep import Nudge
from config.recipes import PromptBudget, PromptRecipe, Recipe
from memory.domain import Turn
from memory.engine import Engine
from memory.ids import response_id
from memory.turns import Conversations, Place, Receipt, Stored, left_out_of, numbers_of
from utils.clock import now
from utils.errors import Conflict, ModelError

T = TypeVar("T")

SHORT = 12  # messages of a conversation that never need a summary

log = logging.getLogger(__name__)


async def turn_to(
    chats: Conversations,
    keeping: Keeping,
    owner: str,
    session: str,
    end: Stored | None,
    *,
    edited: bool,
    whole: bool = False,
    answering: Collection[str] = (),
) -> None:
    """Has a conversation go on from a message, as `Branches.go_on` does. Summaries of what left it, or came back, are
    written again."""
    if await chats.branches.go_on(owner, session, end, edited=edited, whole=whole, answering=answering):
        keeping.start(chats.branches.catch_up(owner, session))


async def settle_place(
    chats: Conversations, keeping: Keeping, owner: str, session: str, prompt: Place, turn_id: str
) -> None:
    """Has an answer stand where its prompt does by now."""
    if await chats.branches.settle(owner, session, prompt.index, turn_id):
        keeping.start(chats.branches.catch_up(owner, session))


class Exchanges:
    """Exchanges, each begun and then answered. `recipe`: by which is recalled where the request names none."""

    def __init__(
        self,
        engine: Engine,
        keeping: Keeping,
        detector: IntentDetector,
        coordinator: Coordinator,
        nudge: Nudge,
        recipe: Recipe,
        *,
        prompts: PromptRecipe = "budget",
        budget: PromptBudget | None = None,
    ) -> None:
        """`prompts`: what a model is sent where a request does not say. `budget`: of those that go by tokens, or None
        where no model is asked."""
        self._prompts = prompts
        self._budget = budget
        self._engine = engine
        self._keeping = keeping
        self._detector = detector
        self._coordinator = coordinator
        self._nudge = nudge
        self._recipe = recipe

    async def begin(self, request: ChatRequest, toolbox: Toolbox | None, emit: Emit | None = None) -> Context:
        """Commits the prompt, then finds what is wanted, and gathers what the answer needs."""
        request = replace(request, prompt=request.prompt or self._prompts)
        place = None
        if not request.temporary:
            request, place = await self._keeping.finish(self._open(request))
        intent, conversation, left = await asyncio.gather(
            self._detector.detect(request.query, images=bool(request.images), use_memory=request.reads),
            self._conversation(request, place),
            self._left(request, place),
        )
        context = Context(request, intent, place, left, toolbox=toolbox, emit=emit, conversation=conversation)
        context = await self._coordinator.prepare(context)
        if context.forgotten:  # what was read before holds it still
            context = replace(context, conversation=await self._conversation(request, place))
        return context

    async def _left(self, request: ChatRequest, place: Place | None) -> frozenset[str]:
        """What left the request's conversation."""
        if place is None or not place.left_behind:
            return frozenset()
        return await self._engine.chats.branches.left(request.owner, request.session_id)

    async def preview(self, request: ChatRequest) -> Prompt:
        """What a model would be sent for a request in a new conversation; where there is none, by the platform
        document's table. Nothing of it is kept."""
        prompt = request.prompt if self._budget is not None else "table"
        context = await self.begin(replace(request, temporary=True, use_memory=True, prompt=prompt), None)
        return await self._coordinator.writer.prompt(context)

    async def _conversation(self, request: ChatRequest, place: Place | None) -> Conversation:
        """The running conversation, for a prompt that has it and whose client does not send one along."""
        if self._budget is None or place is None or request.prompt == "table":
            return Conversation()
        if request.history or not request.reads:
            return Conversation()
        chats, owner, session = self._engine.chats, request.owner, request.session_id
        messages = await chats.turns.recent(owner, session, place, self._budget.messages)
        summaries = await chats.summaries.of_session(owner, session) if len(messages) > SHORT else ()
        return Conversation(
            tuple(messages), tuple(summaries), await chats.images.newest_of(owner, messages, request.images)
        )

    async def answer(self, context: Context) -> tuple[Context, Answer]:
        """Has it answered, and keeps the answer as far as it came, also where it breaks off or nobody waits any more.
        Raises `ModelError` where the model breaks off in the middle."""
        try:
            return await self._answer(context)
        finally:
            if context.toolbox is not None:
                await self._keeping.finish(self._forget_orphans(context.request))

    async def _open(self, request: ChatRequest) -> tuple[ChatRequest, Place]:
        """Commits the prompt, where it is to stand; the request as that has it, and its place."""
        if not request.forks:
            return request, await self._commit(request)
        async with self._engine.chats.branches.opening(request.owner, request.session_id):
            return await self._forked(request)

    async def _forked(self, request: ChatRequest) -> tuple[ChatRequest, Place]:
        """The same for a request that goes on from an earlier message, or takes the place of one."""
        chats, owner, session = self._engine.chats, request.owner, request.session_id
        if request.retried and await chats.turns.is_there(owner, request.prompt_id):
            return request, await self._commit(request)
        fork = await chats.branches.fork(
            owner, session, request.query, follows=request.goes_on, instead_of=request.instead_of
        )
        if fork.asked is not None:
            shown = (await chats.images.of(owner, [fork.asked.id])).get(fork.asked.id, ())
            if request.same_images and not request.images:
                request = replace(request, images=shown)
            elif request.images != shown:  # the same words about something else
                fork = replace(fork, asked=None)
        if fork.asked is None:
            await turn_to(chats, self._keeping, owner, session, fork.after, edited=True, whole=True)
            request = replace(request, follows=fork.follows)
            return request, await self._commit(request)
        request = replace(request, asks_again=fork.asked.id)
        place = await chats.branches.asked_by(owner, session, fork.asked, request.turn_id)
        place = place or await chats.branches.ask_again(owner, session, fork.asked, request.turn_id)
        if place is None:
            raise Conflict("The session was deleted meanwhile")
        if not await chats.turns.is_there(owner, response_id(request.turn_id)):
            await turn_to(chats, self._keeping, owner, session, fork.asked, edited=False, whole=True)
        return request, place

    async def _commit(self, request: ChatRequest) -> Place:
        prompt = Turn(
            request.prompt_id,
            "user",
            request.query,
            now(),
            request.speaker,
            turn_id=request.turn_id,
            proxied=request.proxied,
            timezone=request.timezone,
            project=request.project,
            follows=request.follows,
            images=len(request.images),
        )
        chats, owner, session = self._engine.chats, request.owner, request.session_id
        images = await chats.images.keep(owner, session, prompt.id, dict(enumerate(request.images)))
        try:
            place = await chats.turns.open_exchange(owner, session, prompt, retried=request.retried)
        except Conflict:
            await chats.images.take_back(owner, images)
            raise
        if request.user_name is not None:
            await chats.sessions.note_user_name(owner, session, request.user_name)
        return place

    async def _answer(self, context: Context) -> tuple[Context, Answer]:
        context, drafting = self._drafted(context)
        context = context.having_run(self._coordinator.writer.name)
        try:
            answer = await self._coordinator.writer.answer(context)
        except BrokenOff as broken:
            keeping = self._keeping.start(self._keep(context, broken.answer, drafting))
            if isinstance(broken.cause, ModelError):  # else nobody waits for it
                await asyncio.shield(keeping)
            raise broken.cause from None
        except BaseException:
            if drafting is not None:
                self._keeping.start(drafting.give_up())
            raise
        await self._keeping.finish(self._keep(context, answer, drafting))
        return context, answer

    def _drafted(self, context: Context) -> tuple[Context, Drafting | None]:
        """The context such that what is emitted is committed meanwhile, against a crash."""
        request, emit, said, began = context.request, context.emit, list[str](), now()
        answering = asyncio.current_task()
        if emit is None or context.place is None:
            return context, None

        async def emitting(text: str) -> None:
            said.append(text)
            await emit(text)

        def so_far() -> Turn:
            return replace(_turn(request, "".join(said), request.model), timestamp=began)

        cancel = answering.cancel if answering is not None else None
        drafts = self._engine.chats.drafts
        return replace(context, emit=emitting), Drafting(
            drafts, context.place, so_far, cancel, at_once=request.detached
        )

    async def _keep(self, context: Context, answer: Answer, drafting: Drafting | None) -> None:
        """Commits an answer with its receipt, lets go of the draft of it, and asks for what is due after it."""
        request, place, chats = context.request, context.place, self._engine.chats
        if place is None:
            return
        async with settled(drafting) as drafted:
            turn = replace(_turn(request, answer.text, answer.model), interrupted=answer.interrupted)
            await chats.receipts.keep(request.owner, receipt_of(context, answer, request.recipe or self._recipe))
            counted = await chats.turns.close_exchange(
                request.owner, request.session_id, place, turn, retried=drafted or request.retried
            )
        if counted == "gone":
            await chats.receipts.delete(request.owner, request.turn_id)
            return
        if context.intent.name == "remember" and not await chats.turns.is_there(
            request.owner, request.prompt_id
        ):  # forgotten while it was being answered
            await self._engine.oversight.forgetter.exchange(request.owner, turn.id)
            return
        if counted == "there":
            self._keeping.start(
                settle_place(chats, self._keeping, request.owner, request.session_id, place, request.turn_id)
            )
        self._nudge("embed", "learn", *chats.writings.by_themselves(place))

    async def _forget_orphans(self, request: ChatRequest) -> None:
        """Forgets what a model remembered of a prompt that was deleted meanwhile, whatever came of the answer."""
        prompt = request.prompt_id
        if not await self._engine.chats.turns.is_there(request.owner, prompt):
            await self._engine.notes.observations.forget_message(request.owner, prompt)


def _turn(request: ChatRequest, text: str, model: str | None) -> Turn:
    """What is said to a request, as of now."""
    identifier, turn_id = response_id(request.turn_id), request.turn_id
    return Turn(
        identifier,
        "assistant",
        text,
        now(),
        turn_id=turn_id,
        model=model,
        proxied=request.proxied,
        timezone=request.timezone,
        follows=request.asks_again,
        unaided=not request.reads,
    )


def receipt_of(context: Context, answer: Answer, recipe: Recipe) -> Receipt:
    """What an answer considered, used and cost."""
    request, intent, bundle = context.request, context.intent, context.bundle or Bundle()
    return Receipt(
        turn_id=request.turn_id,
        session_id=request.session_id,
        at=now(),
        query="" if context.forgotten else request.query,
        intent=intent.name,
        need_memory=intent.need_memory,
        memory_reason=intent.memory_reason,
        agents_used=context.ran,
        model=answer.model,
        recipe=recipe.name,
        considered=tuple(
            one._replace(dropped=one.dropped or answer.told.get(one.key)) for one in bundle.recall.considered
        ),
        used=tuple(citation.as_used() for citation in answer.given),
        ledger=answer.ledger,
        prompt_tokens=answer.usage.prompt_tokens,
        completion_tokens=answer.usage.completion_tokens,
        interrupted=answer.interrupted,
        messages=(request.prompt_id, response_id(request.turn_id)),
        top_k=request.top_k or recipe.top_k,
        observed=tuple(one.as_candidate() for one in bundle.observations),
        tools_used=answer.tools,
        searched=bundle.recall.respelt(request.asked) if not context.forgotten else None,
        left_out=left_out_of(answer.model, used=bool(answer.given), unused=answer.unused),
        numbers=numbers_of(recipe),
    )
