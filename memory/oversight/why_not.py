"""Why an answer did not use a message, or an observation."""

from dataclasses import dataclass, replace
from typing import Any, Literal

from config.recipes import OBSERVED, RECIPES
from memory.domain import REPLACED, SAID, Drop, Parts
from memory.gists import TEXT, gist_of
from memory.ids import keys_of, unscoped
from memory.observations import Observation, Observations
from memory.recall import Recaller, Scope
from memory.store import Collections
from memory.turns import LeftOut, Receipt, Receipts
from utils.embeddings import Embedder
from utils.errors import NotFound

LOOKED_AT = 1_000  # observations among which the place of one is looked for

Reason = (
    Drop
    | LeftOut
    | Literal["used", "later", "own", "asked", "not_embedded", "by_rules", "replaced", "not_recalled"]
    | Literal["memory_not_asked", "pool", "since", "not_observed"]
)

EXPLANATIONS: dict[Reason, str] = {
    "used": "It was used.",
    "below_floor": "It was looked at, and is not likely enough to answer the question.",
    "silent": "Nothing was likely enough, or the question asked nothing, so that all was left out.",
    "duplicate": "Something else that says the same was used.",
    "mmr": "It is too like what was chosen before it.",
    "top_k": "Others answer the question better.",
    "since": "As things are now it would be found: something has changed since the answer.",
    "deleted": "It was deleted while the question was being answered.",
    "budget": "It was found, and the prompt had no room for it or had it already.",
    "no_news": "It only asks, wants something done or is a courtesy, or it was answered with memory off.",
    "not_quoted": "It was found, and the rules answered from others: it asks something itself, or they come nearer.",
    "no_question": "It was found, and the rules quoted nothing, for they did not take the message for a question.",
    "no_answer": "It was found, and the rules quoted nothing, for nothing that was found answers the question.",
    "task": "It was found, and the rules quoted nothing, for the message gives a task, which takes a language model.",
    "image": "It was found, and the rules quoted nothing, for the message asked about an image.",
    "later": "It was said after the answer.",
    "own": "It is the question itself, or its answer.",
    "asked": "It asks what the question asks, and tells nothing.",
    "not_embedded": "It is not embedded yet, or by another model; `loci doctor` tells how many are not.",
    "by_rules": "Rules wrote it, which can only quote other messages.",
    "replaced": "Its user has put another message in its place, or had it answered again.",
    "not_recalled": "Its user has said that it is not to be recalled.",
    "sent_along": "It stood in what was sent anyway: the running conversation, or what the request brought along.",
    "memory_not_asked": "Memory was not asked for this answer.",
    "not_observed": "Observations were not looked at for this answer: USE_OBSERVATIONS was off, or the proxy answered.",
    "pool": "Neither its words nor its meaning are near enough to the question for a closer look.",
}


@dataclass(frozen=True)
class WhyNot:
    """`place`: where the message comes in the search, 0 for the best; None where it was not ranked. `recorded`: whether
    that is what the answer's receipt says; else the search was made again, over what is there now."""

    id: str
    reason: Reason
    place: int | None = None
    parts: Parts | None = None
    recorded: bool = False


class Explainer:
    """Answers for one message and one receipt."""

    def __init__(
        self,
        collections: Collections,
        receipts: Receipts,
        recaller: Recaller,
        embedder: Embedder,
        observations: Observations,
    ) -> None:
        self._vectors = collections.vectors
        self._receipts = receipts
        self._recaller = recaller
        self._embedder = embedder
        self._observations = observations

    async def why_not(self, owner: str, turn_id: str, identifier: str) -> WhyNot:
        """Why the answer of a receipt did not use the owner's message, or observation, of an id.

        Raises `NotFound` where there is no such receipt, or nothing of the owner's has that id; `ModelError` where the
        question cannot be embedded again.
        """
        receipt = await self._receipts.get(owner, turn_id)
        known = _recorded(receipt, owner, identifier)
        if known is not None:
            return known
        message = await self._vectors.find_one(
            {"_id": {"$in": keys_of(identifier, owner)}, "user_id": owner, "id": identifier, "kind": {"$in": SAID}},
            TEXT,
        )
        if message is None:
            try:
                observation = await self._observations.get(owner, identifier)
            except NotFound:
                raise NotFound("You have no message or observation of this id") from None
            return await self._not_observed(receipt, owner, observation)
        if message["created_at"] > receipt.at:
            return WhyNot(identifier, "later")
        if not receipt.need_memory or not receipt.query:
            return WhyNot(identifier, "memory_not_asked")
        if gist_of(message).by_rules:
            return WhyNot(identifier, "by_rules")
        if message.get("branch") == REPLACED:
            return WhyNot(identifier, "replaced")
        if not message.get("recalled", True):
            return WhyNot(identifier, "not_recalled")
        numbers: dict[str, Any] = {"top_k": receipt.top_k, **receipt.numbers}
        recipe = replace(RECIPES[receipt.recipe], **numbers)
        # What was said later was not there to be found; what is only dated later was.
        until = max(receipt.at, message["timestamp"]).timestamp()
        scope = Scope(receipt.session_id, until=until, exclude=frozenset(receipt.messages))
        searched = receipt.searched or receipt.query
        placed = await self._recaller.place_of(owner, searched, recipe, scope, message["_id"])
        if placed == "pool" and message.get("embedding_model") != self._embedder.model:
            return WhyNot(identifier, "not_embedded")
        if isinstance(placed, str):
            return WhyNot(identifier, placed)
        place, ranked = placed
        better: Reason = "top_k" if place >= receipt.top_k else "since"
        return WhyNot(identifier, ranked.dropped or better, place, ranked.parts)

    async def _not_observed(self, receipt: Receipt, owner: str, observation: Observation) -> WhyNot:
        """Why an answer did not use an observation that its receipt does not name."""
        if observation.created_at > receipt.at:
            return WhyNot(observation.id, "later")
        if not receipt.need_memory or not receipt.query:
            return WhyNot(observation.id, "memory_not_asked")
        if not {"memory_agent", "proxy"} & set(receipt.agents_used):
            return WhyNot(observation.id, "not_observed")
        recipe = replace(OBSERVED, top_k=LOOKED_AT, floor=0.0)
        recalled = await self._observations.recall(owner, receipt.query, recipe, until=receipt.at)
        places = {each.observation.id: (place, each) for place, each in enumerate(recalled)}
        if observation.id not in places:
            return WhyNot(observation.id, "pool")
        place, each = places[observation.id]
        reason: Reason = "top_k" if place >= OBSERVED.top_k else "since"
        if each.score < OBSERVED.floor:
            reason = "below_floor"
        elif not receipt.observed:
            reason = "not_observed"
        return WhyNot(observation.id, reason, place, each.as_candidate().parts)


def _recorded(receipt: Receipt, owner: str, identifier: str) -> WhyNot | None:
    """What the receipt itself says of a message."""
    if identifier in receipt.messages:
        return WhyNot(identifier, "own", recorded=True)
    prompt = {used.id for used in receipt.used}
    for considered in (receipt.considered, receipt.observed):
        for place, candidate in enumerate(considered):
            if unscoped(candidate.key, owner) == identifier:
                reason: Reason = candidate.dropped or ("used" if identifier in prompt else receipt.left_out)
                return WhyNot(identifier, reason, place, candidate.parts, recorded=True)
    return WhyNot(identifier, "used", recorded=True) if identifier in prompt else None
