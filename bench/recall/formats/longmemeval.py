"""Reads LongMemEval's own files (Wu et al., 2025; `longmemeval_s.json` and its sisters).

A list of questions, each with a history of its own: `haystack_sessions`, lists of turns, and their `haystack_dates`.
A turn that answers has `has_answer`. A question whose id ends in `_abs` has no answer in its history.
"""

import re
from datetime import UTC, datetime, timedelta
from typing import Literal

from pydantic import BaseModel, TypeAdapter

from bench.recall.corpus import ABSTENTION, Conversation, Corpus, Message, Question, UnreadableCorpus

WEEKDAY = re.compile(r"\s*\([^)]*\)")
DATE = "%Y/%m/%d %H:%M"  # 2023/05/20 (Sat) 02:21, without the weekday
STEP = timedelta(seconds=30)  # between two turns, of which the file knows the session's time alone
UNANSWERED = "_abs"


class TurnIn(BaseModel):
    role: Literal["user", "assistant"]
    content: str
    has_answer: bool | None = None


class ItemIn(BaseModel):
    question_id: str
    question_type: str
    question: str
    haystack_dates: list[str]
    haystack_sessions: list[list[TurnIn]]


ITEMS = TypeAdapter(list[ItemIn])


def read_longmemeval(data: object, name: str) -> Corpus:
    """One conversation with one question for each item, its sessions in time order.

    Raises `UnreadableCorpus`, or `pydantic.ValidationError`.
    """
    return Corpus(name, tuple(map(_conversation, ITEMS.validate_python(data))))


def _conversation(item: ItemIn) -> Conversation:
    if len(item.haystack_dates) != len(item.haystack_sessions):
        raise UnreadableCorpus(f"{item.question_id} has not one date for each session")
    moments = [_moment(item.question_id, date) for date in item.haystack_dates]
    order = sorted(range(len(moments)), key=moments.__getitem__)
    messages: list[Message] = []
    evidence: list[str] = []
    for session in order:  # ids of sessions may come twice in a history, places do not
        for place, turn in enumerate(item.haystack_sessions[session]):
            if turn.content.strip():
                moment = moments[session] + place * STEP
                messages.append(Message(f"{session}:{place}", str(session), turn.role, turn.content, moment))
                if turn.has_answer:
                    evidence.append(messages[-1].id)
    unanswered = item.question_id.endswith(UNANSWERED)
    question = Question(
        item.question_id,
        item.question,
        ABSTENTION if unanswered else item.question_type,
        () if unanswered else tuple(evidence),
    )
    return Conversation(item.question_id, tuple(messages), (question,))


def _moment(question_id: str, date: str) -> datetime:
    try:
        return datetime.strptime(WEEKDAY.sub("", date).strip(), DATE).replace(tzinfo=UTC)
    except ValueError as error:
        raise UnreadableCorpus(f"{question_id}: {date!r} is not a time") from error
