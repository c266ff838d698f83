"""What admins try for a user: what a search considers, what a model would be sent, where memories lie."""

from collections.abc import Mapping, Sequence
from time import perf_counter

from fastapi import APIRouter

from agents.chat import ChatRequest
from api.http.acting import AdminRoute, NamedUser
from api.http.openapi import errors
from api.http.state import TheMemory
from api.wire import probe as wire
from api.wire.paging import cursor_of_key
from api.wire.search import Explanation
from config.recipes import PROXY, QUERY_RECIPES, RECALL, SEARCH
from memory.domain import TURN, Candidate, Gist
from memory.ids import new_id, user_of
from memory.oversight import EXPLANATIONS
from memory.recall import Scope, with_overrides
from utils.text import count_tokens, cut_at_word

router = APIRouter(prefix="/v1/admin/users/{user_id}", route_class=AdminRoute, tags=["admin"])

RECIPES = {recipe.name: recipe for recipe in (*QUERY_RECIPES.values(), SEARCH, RECALL, PROXY)}
EXCERPT = 2_000  # characters of a candidate


@router.post("/probe", responses=errors(404, 502))
async def probe(body: wire.ProbeRequest, memory: TheMemory, owner: NamedUser) -> wire.ProbeOut:
    """What a search considers by a recipe: every candidate with every part of its score, and why it was left out."""
    began = perf_counter()
    recipe = with_overrides(RECIPES[body.recipe], top_k=body.top_k)
    recall = await memory.search(owner, body.query, recipe, Scope(session_id=body.session_id))
    took = 1_000 * (perf_counter() - began)
    keys = [candidate.key for candidate in recall.considered]
    gists = await memory.engine.gists.reader.by_keys(owner, keys, None)
    said = [gist.id for gist in gists.values() if gist.kind == TURN]
    outdated = await memory.engine.knowledge.superseded.by_messages(owner, said)
    return wire.ProbeOut(
        recipe=recipe.name,
        top_k=recipe.top_k,
        floor=recipe.floor,
        took_ms=round(took, 3),
        searched=recall.respelt(body.query),
        candidates=[_shown(one, gists.get(one.key), outdated) for one in recall.considered],
    )


@router.post("/prompt", responses=errors(404, 502))
async def preview(body: wire.PromptRequest, memory: TheMemory, owner: NamedUser) -> wire.PromptOut:
    """The prompt of a question in a new chat, section by section. No answer is asked for, and nothing is kept."""
    session = body.session_id or new_id()
    prompt = await memory.preview(ChatRequest(body.query, owner=user_of(owner), session_id=session, turn_id=new_id()))
    messages = [
        wire.MessageOut(
            role=message.role,
            sections=[
                wire.SectionOut(name=section.name, text=section.text, tokens=count_tokens(section.text))
                for section in message.sections
            ],
        )
        for message in prompt.messages
    ]
    return wire.PromptOut(messages=messages, tokens=sum(entry.tokens for entry in prompt.ledger()))


@router.get("/map", responses=errors(404))
async def map_of(memory: TheMemory, owner: NamedUser) -> wire.MapOut:
    """The user's newest 2,000 memories in two dimensions: the principal components of their embeddings."""
    return wire.MapOut.of(await memory.engine.oversight.cartographer.map_of(owner))


def _shown(candidate: Candidate, gist: Gist | None, outdated: Mapping[str, Sequence[Gist]]) -> wire.ProbedOut:
    """`outdated`: by the ids of messages whose facts hold no longer, those that do instead."""
    return wire.ProbedOut(
        document=cursor_of_key(candidate.key),
        kind=gist.kind if gist else None,
        role=gist.role if gist else None,
        session_id=gist.session_id if gist else None,
        timestamp=gist.timestamp if gist else None,
        content=cut_at_word(gist.content, EXCERPT) if gist else None,
        score=candidate.parts.score,
        explain=Explanation.of(candidate.parts),
        dropped=candidate.dropped,
        reason=EXPLANATIONS[candidate.dropped] if candidate.dropped else None,
        holds=gist is None or gist.id not in outdated,
        replaced_by=[fact.content for fact in outdated.get(gist.id, ())] if gist else [],
    )
