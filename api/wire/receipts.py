"""Wire shapes of receipts."""

from collections.abc import Collection
from datetime import datetime

from api.wire.chat import UsageOut
from api.wire.fields import Wire
from api.wire.search import Explanation
from memory.domain import Candidate
from memory.ids import unscoped
from memory.oversight import EXPLANATIONS, WhyNot
from memory.turns import Receipt
from utils.chat import Usage


class CandidateOut(Wire):
    id: str
    score: float
    explain: Explanation
    used: bool
    dropped: str | None

    @classmethod
    def of(cls, candidate: Candidate, identifier: str, prompt: Collection[str], left_out: str) -> "CandidateOut":
        """`prompt`: ids of what stood in the prompt. `left_out`: why others did not that were found."""
        parts = candidate.parts
        dropped = candidate.dropped or (None if identifier in prompt else left_out)
        return cls(
            id=identifier,
            score=parts.score,
            explain=Explanation.of(parts),
            used=dropped is None,
            dropped=dropped,
        )


class WhyNotOut(Wire):
    """`place`: in the search, 0 for the best. `recorded`: the receipt says so; else the search was made again."""

    id: str
    used: bool
    reason: str
    detail: str
    place: int | None
    score: float | None
    explain: Explanation | None
    recorded: bool

    @classmethod
    def of(cls, answer: WhyNot) -> "WhyNotOut":
        return cls(
            id=answer.id,
            used=answer.reason == "used",
            reason=answer.reason,
            detail=EXPLANATIONS[answer.reason],
            place=answer.place,
            score=answer.parts.score if answer.parts else None,
            explain=Explanation.of(answer.parts) if answer.parts else None,
            recorded=answer.recorded,
        )


class UsedOut(Wire):
    n: int
    id: str
    kind: str
    section: str


class LedgerOut(Wire):
    section: str
    characters: int
    tokens: int


class ReceiptOut(Wire):
    """`searched`: what was searched for, where words of the query were misspelt."""

    turn_id: str
    session_id: str
    at: datetime
    query: str
    searched: str | None
    intent: str
    need_memory: bool
    memory_reason: str
    agents_used: list[str]
    tools_used: list[str]
    model: str
    recipe: str
    messages: list[str]
    considered: list[CandidateOut]
    used: list[UsedOut]
    ledger: list[LedgerOut]
    usage: UsageOut
    interrupted: bool

    @classmethod
    def of(cls, receipt: Receipt, owner: str) -> "ReceiptOut":
        prompt = {used.id for used in receipt.used}
        return cls(
            turn_id=receipt.turn_id,
            session_id=receipt.session_id,
            at=receipt.at,
            query=receipt.query,
            searched=receipt.searched,
            intent=receipt.intent,
            need_memory=receipt.need_memory,
            memory_reason=receipt.memory_reason,
            agents_used=list(receipt.agents_used),
            tools_used=list(receipt.tools_used),
            model=receipt.model,
            recipe=receipt.recipe,
            messages=list(receipt.messages),
            considered=[
                CandidateOut.of(candidate, unscoped(candidate.key, owner), prompt, receipt.left_out)
                for candidate in (*receipt.considered, *receipt.observed)
            ],
            used=[UsedOut(**vars(used)) for used in receipt.used],
            ledger=[LedgerOut(**vars(entry)) for entry in receipt.ledger],
            usage=UsageOut.of(Usage(receipt.prompt_tokens, receipt.completion_tokens)),
            interrupted=receipt.interrupted,
        )
