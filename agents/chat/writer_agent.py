"""The writer agent: has a model answer from the prompt, or answers from memory without one."""

import asyncio
import logging
from contextlib import aclosing
from dataclasses import replace
from typing import cast

from agents.chat.answering import answer_by_rules
from agents.chat.context import Answer, Context
from agents.chat.prompt import Prompt
from agents.chat.prompt_budget import fit
from agents.chat.prompt_table import assemble
from agents.chat.rounds import Rounds, Talked
from config.contexts import context_tokens
from config.recipes import PromptBudget, PromptTable
from memory.domain import RULE_BASED
from utils.chat import ChatModel, Completion, Message, Usage
from utils.clock import now
from utils.embeddings import LocalEmbedder
from utils.errors import ModelError, ModelRefused
from utils.text import count_tokens

LEAST_COUNTED = 200  # estimated tokens of a prompt from which on it says something of its model
LEAST_SCALE, MOST_SCALE = 0.5, 3.0  # tokens for each estimated one; what is beyond was counted otherwise
MOST_MODELS = 100  # whose scales are kept: requests name models as they like

log = logging.getLogger(__name__)


class BrokenOff(Exception):
    """A streamed answer ended in the middle: its model broke off, or its reader left. `answer`: what had been said."""

    def __init__(self, answer: Answer, cause: ModelError | asyncio.CancelledError) -> None:
        super().__init__(str(cause))
        self.answer = answer
        self.cause = cause


class TokenScales:
    """How many tokens a model counts for each of an estimate, by what it counted before."""

    def __init__(self) -> None:
        self._scales: dict[str, float] = {}

    def of(self, model: str) -> float:
        return self._scales.get(model, 1.0)

    def learn(self, model: str, counted: int, estimated: int) -> None:
        """Takes up what a model counted of a prompt, in part, for one prompt may be of an unusual kind."""
        if estimated < LEAST_COUNTED or counted <= 0:
            return
        known, seen = self.of(model), min(max(counted / estimated, LEAST_SCALE), MOST_SCALE)
        if model in self._scales or len(self._scales) < MOST_MODELS:
            self._scales[model] = seen if model not in self._scales else (known + seen) / 2


class WriterAgent:
    """Assembles the prompt and has a model answer it; by rules where there is no model or it is away."""

    name = "writer_agent"

    def __init__(
        self,
        model: ChatModel | None,
        system: str,
        reader: LocalEmbedder,
        *,
        table: PromptTable,
        budget: PromptBudget,
        window: int | None = None,
    ) -> None:
        """`reader`: reads what may answer where no model does. `table`, `budget`: by which prompts are cut, or
        fitted to what the model takes. `window`: tokens that `model` takes; None: what is known of it."""
        self._reader = reader
        self._model = model
        self._system = system
        self._table = table
        self._budget = budget
        self._window = window
        self._scales = TokenScales()

    async def answer(self, context: Context) -> Answer:
        """The answer, emitted as it comes. Raises `BrokenOff` where it ends in the middle, and `ModelRefused` where the
        provider will not have it answered, but not where something was done that is to be told."""
        if self._model is None:
            return await self._by_rules(context)
        prompt = await asyncio.to_thread(self._prompt, context, self._model)  # 0.1 s where messages are long
        messages = [cast(Message, {"role": one.role, "content": one.content}) for one in prompt.messages]
        rounds = Rounds(self._model, messages, context.toolbox, context.request.options)
        try:
            return await self._by_model(rounds, context, prompt)
        except ModelError as error:
            if isinstance(error, ModelRefused) and context.done is None:
                raise
            log.warning("answer by rules: %s", error.detail)
            fallback = error.detail
        return replace(await self._by_rules(context), tools=rounds.tools_used, fallback=fallback)

    def _prompt(self, context: Context, model: ChatModel) -> Prompt:
        request = context.request
        if request.prompt == "table":
            return assemble(context, self._system, self._table)
        name = request.model or model.model
        window = self._window if self._window and name == model.model else context_tokens(name)
        return fit(context, self._system, self._budget, window, now(), scale=self._scales.of(name))

    async def _by_rules(self, context: Context) -> Answer:
        """It costs no prompt, and its ledger has none."""
        quotes = await answer_by_rules(context, self._reader)
        if context.emit is not None:
            await context.emit(quotes.text)
        return Answer(
            text=quotes.text,
            model=RULE_BASED,
            usage=Usage(0, count_tokens(quotes.text)),
            given=quotes.citations,
            citations=quotes.citations,
            unused=quotes.unused,
        )

    async def _by_model(self, rounds: Rounds, context: Context, prompt: Prompt) -> Answer:
        said: list[str] = []
        pieces = rounds.answer(streamed=context.emit is not None)
        try:
            async with aclosing(pieces):
                async for piece in pieces:
                    if isinstance(piece, Talked):
                        if piece.completion.usage is not None and not piece.beyond:
                            estimated = sum(entry.tokens for entry in prompt.ledger())
                            self._scales.learn(rounds.model, piece.completion.usage.prompt_tokens, estimated)
                        return replace(_answer(piece, prompt), tools=rounds.tools_used)
                    said.append(piece)
                    if context.emit is not None:
                        await context.emit(piece)
        except (ModelError, asyncio.CancelledError) as error:
            if not said:
                raise
            completion = Completion("".join(said), rounds.model, None, "interrupted")
            answer = _answer(Talked(completion), prompt)
            partial = replace(answer, tools=rounds.tools_used, interrupted=True)
            raise BrokenOff(partial, error) from error
        raise AssertionError("the stream ended without its completion")


def _answer(talked: Talked, prompt: Prompt) -> Answer:
    completion = talked.completion
    ledger = prompt.ledger(completion.usage.prompt_tokens if completion.usage else None, beyond=talked.beyond)
    usage = completion.usage or Usage(sum(entry.tokens for entry in ledger), count_tokens(completion.text))
    return Answer(
        text=completion.text,
        model=completion.model,
        usage=usage,
        given=prompt.given,
        citations=prompt.cite(completion.text, prompt.given),
        ledger=ledger,
        told=prompt.told,
    )
