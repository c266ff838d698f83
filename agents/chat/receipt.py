"""The receipt of an exchange, made of its context."""

from agents.chat.context import Answer, Bundle, Context
from config.recipes import Recipe
from memory.ids import prompt_id, response_id
from memory.turns import LeftOut, Receipt, left_out_of
from utils.clock import now

_UNUSED: dict[str, LeftOut] = {"chat": "no_question", "image": "image"}  # by intent, why rules quoted nothing


def receipt_of(context: Context, answer: Answer, recipe: Recipe) -> Receipt:
    """The receipt of an answered request. `recipe`: by which was recalled."""
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
        considered=bundle.recall.considered,
        used=tuple(citation.as_used() for citation in answer.given),
        ledger=answer.ledger,
        prompt_tokens=answer.usage.prompt_tokens,
        completion_tokens=answer.usage.completion_tokens,
        interrupted=answer.interrupted,
        messages=(prompt_id(request.turn_id), response_id(request.turn_id)),
        top_k=request.top_k,
        observed=tuple(one.as_candidate() for one in bundle.observations),
        tools_used=answer.tools,
        searched=bundle.recall.respelt(request.query) if not context.forgotten else None,
        left_out=left_out_of(answer.model, used=bool(answer.given), unused=_UNUSED.get(intent.name, "no_answer")),
    )
