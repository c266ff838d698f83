"""A run: tells a system a conversation, asks the questions, and lets it forget."""

import itertools
import uuid
from collections.abc import Callable
from dataclasses import replace
from time import perf_counter

import numpy as np

from bench.recall import small_talk
from bench.recall.corpus import Conversation, Corpus, Question, spread
from bench.recall.metrics import KS
from bench.recall.results import CorpusRun, Row, Times
from bench.recall.system import System

TOP_K = max(KS)

Progress = Callable[[int, int], None]  # conversations done, and of how many


async def run_corpus(
    system: System,
    corpus: Corpus,
    *,
    questions: int | None = None,
    conversations: int | None = None,
    progress: Progress = lambda done, of: None,
) -> CorpusRun:
    """Asks every question and all small talk of each conversation, at most so many of both where that is given."""
    chosen = spread(corpus.conversations, conversations)
    rows: list[Row] = []
    index_seconds: list[float] = []
    search_seconds: list[float] = []
    for done, conversation in enumerate(chosen):
        progress(done, len(chosen))
        owner = f"bench-{uuid.uuid4().hex[:12]}"
        try:
            index_seconds.append(await _tell(system, owner, conversation))
            for one in small_talk.QUESTIONS:  # first, and untimed: the first search of an owner builds an index
                row, _ = await _ask(system, owner, conversation.id, one)
                rows.append(row)
            for one in spread([one for one in conversation.questions if one.counts], questions):
                row, seconds = await _ask(system, owner, conversation.id, one)
                rows.append(row)
                search_seconds.append(seconds)
        finally:
            await system.forget(owner)
    progress(len(chosen), len(chosen))
    messages = sum(len(conversation.messages) for conversation in chosen)
    times = _times(index_seconds, search_seconds, messages)
    return CorpusRun(corpus.name, len(chosen), messages, times, tuple(rows))


async def _tell(system: System, owner: str, conversation: Conversation) -> float:
    """Seconds that it took. Ids carry the owner, so that no two conversations share one."""
    seconds = 0.0
    for session, messages in itertools.groupby(conversation.messages, key=lambda message: message.session):
        own = [replace(message, id=f"{owner}/{message.id}") for message in messages]
        began = perf_counter()
        await system.add(owner, f"{owner}-{session}", own)
        seconds += perf_counter() - began
    return seconds


async def _ask(system: System, owner: str, conversation: str, question: Question) -> tuple[Row, float]:
    """What was found, and the seconds that it took."""
    began = perf_counter()
    found = await system.search(owner, question.text, TOP_K)
    seconds = perf_counter() - began
    row = Row(
        conversation,
        question.id,
        question.category,
        question.evidence,
        tuple(one.id.removeprefix(f"{owner}/") for one in found),
        tuple(round(one.score, 4) for one in found),
    )
    return row, seconds


def _times(index: list[float], search: list[float], messages: int) -> Times | None:
    if not search or not messages:
        return None
    p50, p95 = np.percentile(np.array(search) * 1_000, [50, 95])
    return Times(1_000 * sum(index) / messages, float(p50), float(p95))
