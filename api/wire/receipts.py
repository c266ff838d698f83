"""Wire shapes of receipts."""

from collections.abc import Sequence
from dataclasses import fields
from datetime import datetime
from typing import Self

from pydantic import AliasPath, Field

from api.wire.base import Shown
from api.wire.chat import UsageOut
from api.wire.search import Explanation
from api.wire.sessions import Branch
from memory.ids import unscoped
from memory.oversight import EXPLANATIONS, Source, WhyNot
from memory.turns import Receipt
from utils.chat import Usage

SHOWN = [field.name for field in fields(Source)]


class CandidateOut(Shown):
    id: str
    score: float = Field(validation_alias=AliasPath("parts", "score"))
    explain: Explanation = Field(validation_alias="parts")
    used: bool
    dropped: str | None


class WhyNotOut(Shown):
    """`place`: in the search, 0 for the best. `recorded`: the receipt says so; else the search was made again."""

    id: str
    used: bool
    reason: str
    detail: str
    place: int | None
    score: float | None
    explain: Explanation | None = Field(validation_alias="parts")
    recorded: bool

    @classmethod
    def of_answer(cls, answer: WhyNot) -> Self:
        score = answer.parts.score if answer.parts else None
        return cls.of(answer, used=answer.reason == "used", detail=EXPLANATIONS[answer.reason], score=score)


class UsedOut(Shown):
    """A memory that was given, as it is by now: what was deleted since has no `content`. `recalled`: whether other
    answers may be given it."""

    n: int
    id: str
    kind: str
    section: str
    content: str | None
    role: str | None
    session_id: str | None
    timestamp: datetime | None
    recalled: bool | None


class LedgerOut(Shown):
    section: str
    characters: int
    tokens: int


class ReceiptOut(Shown):
    """`searched`: what was searched for, where words of the query were misspelt. `branch`: of the answer by now, as
    messages have it."""

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
    branch: Branch | None

    @classmethod
    def of_receipt(cls, receipt: Receipt, owner: str, sources: Sequence[Source | None]) -> Self:
        """`sources`: of what was used, in its order."""
        prompt = {used.id for used in receipt.used}
        considered = []
        for candidate in (*receipt.considered, *receipt.observed):
            identifier = unscoped(candidate.key, owner)
            dropped = candidate.dropped or (None if identifier in prompt else receipt.left_out)
            considered.append(CandidateOut.of(candidate, id=identifier, used=dropped is None, dropped=dropped))
        usage = Usage(receipt.prompt_tokens, receipt.completion_tokens)
        used = [UsedOut.of(one, **_shown(source)) for one, source in zip(receipt.used, sources, strict=True)]
        return cls.of(receipt, considered=considered, usage=usage, used=used)


def _shown(source: Source | None) -> dict[str, object]:
    return dict.fromkeys(SHOWN) if source is None else {name: getattr(source, name) for name in SHOWN}
