"""The writer agent: has a model answer from the prompt, or answers from memory without one."""

import asyncio
import logging
from contextlib import aclosing
from dataclasses import replace
from typing import cast

from agents.chat.answering import answer_by_rules
from agents.chat.context import Answer, Context
from agents.chat.prompt import Prompt, PromptMessage
from agents.chat.prompt_budget import fit
from agents.chat.prompt_table import assemble
from agents.chat.rounds import Rounds, Talked
from agents.chat.tokens import ModelTokens
from config.contexts import UNKNOWN
from config.recipes import PromptBudget, PromptTable
from memory.domain import RULE_BASED
from utils.chat import ChatModel, Completion, Message, Usage
from utils.clock import now
from utils.embeddings import LocalEmbedder
from utils.errors import ModelError, ModelRefused
from utils.text import count_tokens

log = logging.getLogger(__name__)


class BrokenOff(Exception):
    """A streamed answer ended in the middle: its model broke off, or its reader left. `answer`: what had been said."""

    def __init__(self, answer: Answer, cause: ModelError | asyncio.CancelledError) -> None:
        super().__init__(str(cause))
        self.answer = answer
        self.cause = cause


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
        tokens: ModelTokens,
    ) -> None:
        """`reader`: reads what may answer where no model does. `table`, `budget`: by which prompts are cut, or
        fitted to what the model takes, as `tokens` tells."""
        self._reader = reader
        self._model = model
        self._system = system
        self._table = table
        self._budget = budget
        self._tokens = tokens

    async def answer(self, context: Context) -> Answer:
        """The answer, emitted as it comes. Raises `BrokenOff` where it ends in the middle, and `ModelRefused` where the
        provider will not have it answered, but not where something was done that is to be told."""
        if self._model is None:
            return await self._by_rules(context)
        prompt = await self.prompt(context)
        messages = [_as_sent(message) for message in prompt.messages]
        rounds = Rounds(self._model, messages, context.toolbox, context.request.options)
        try:
            return await self._by_model(rounds, context, prompt)
        except ModelError as error:
            if isinstance(error, ModelRefused) and context.done is None:
                raise
            log.warning("answer by rules: %s", error.detail)
            fallback = error.detail
        return replace(await self._by_rules(context), tools=rounds.tools_used, fallback=fallback)

    async def prompt(self, context: Context) -> Prompt:
        """What a model is sent; where there is none, what one would be that nobody knows."""
        if context.request.prompt == "table":
            return assemble(context, self._system, self._table)
        model = context.request.model or (self._model.model if self._model is not None else "")
        window, scale = await self._tokens.window(model) or UNKNOWN, self._tokens.scale(model)
        # In a thread: it takes 0.1 s where messages are long.
        return await asyncio.to_thread(fit, context, self._system, self._budget, window, now(), scale=scale)

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
                        seen = any(message.images for message in prompt.messages)  # which nobody can estimate
                        if piece.completion.usage is not None and not piece.beyond and not seen:
                            estimated = sum(entry.tokens for entry in prompt.ledger())
                            self._tokens.learn(rounds.model, piece.completion.usage.prompt_tokens, estimated)
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


def _as_sent(message: PromptMessage) -> Message:
    """A message as providers take it; its images behind its text."""
    content: object = message.content
    if message.images:
        shown = [{"type": "image_url", "image_url": {"url": url}} for url in message.images]
        content = [*([{"type": "text", "text": message.content}] if message.content else []), *shown]
    return cast(Message, {"role": message.role, "content": content})


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
