"""Whether recall by words ranks as a reference does.

    python -m bench.words [DATA …] [--peer PYTHON]

DATA: files of conversations with questions, as `bench.recall` reads them; bench/data/small.json where none is named.
Every message is remembered as an observation, in this process and over a store of its own, and recalled by every
question that has an answer. PYTHON: an interpreter that has bm25s and PyStemmer; it ranks the same texts by the same
terms, k1 and b; by terms of its own but for the stop words; and as it comes. It prints nDCG@10 and recall@10 in
percent, and of how many questions both have the same text first.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ValidationError

from agents.memory import Memory
from agents.open import open_memory
from bench.recall.corpus import Conversation, UnreadableCorpus
from bench.recall.in_process import Quiet, passing_settings
from bench.recall.metrics import mark, ndcg, recall
from bench.recall.reading import read_corpus
from config.recipes import OBSERVATIONS
from memory.observations.observation import Observed
from memory.recall.word_search import asked as asked_for
from memory.recall.word_search import indexed
from utils.loops import new_runner
from utils.text import STOPWORDS

SMALL = Path(__file__).parent.parent / "data" / "small.json"
SCRIPT = Path(__file__).with_name("peer.py")
TOP_K = 10
VARIANTS = {"terms": "the same terms", "stopwords": "its own terms, our stop words", "own": "its own terms and numbers"}


class Answer(BaseModel):
    version: str
    rankings: dict[str, list[list[list[int]]]]


class PeerFailed(Exception):
    """The reference cannot be asked."""


@dataclass(frozen=True)
class Texts:
    """A conversation's messages, and the questions that have answers, each with the places of these."""

    texts: tuple[str, ...]
    questions: tuple[str, ...]
    evidence: tuple[tuple[int, ...], ...]


Rankings = Sequence[Sequence[Sequence[int]]]  # by corpus and question, places of texts, best first


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.words", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", nargs="*", type=Path, metavar="DATA")
    parser.add_argument("--peer", type=Path, metavar="PYTHON")
    chosen = parser.parse_args(arguments)
    try:
        corpora = [texts_of(one) for file in chosen.data or (SMALL,) for one in read_corpus(file).conversations]
    except UnreadableCorpus as error:
        sys.exit(f"bench.words: {error}")
    asked = sum(len(one.questions) for one in corpora)
    print(f"{len(corpora)} conversations, {sum(len(one.texts) for one in corpora)} texts, {asked} questions")
    with passing_settings() as settings, new_runner() as runner:

        async def ours() -> tuple[Rankings, float]:
            async with open_memory(settings, nudge=Quiet()) as memory:
                began = time.perf_counter()
                found = [await _ranked(memory, f"conversation-{at}", one) for at, one in enumerate(corpora)]
                return found, time.perf_counter() - began

        mine, took = runner.run(ours())
    print(f"{line('Loci', corpora, mine)} ({took:.0f} s, remembering included)")
    if chosen.peer is None:
        return
    try:
        answer = ask_peer(chosen.peer, corpora)
    except PeerFailed as error:
        sys.exit(f"bench.words: {error}")
    for variant, rankings in answer.rankings.items():
        told = line(f"bm25s {answer.version}, {VARIANTS[variant]}", corpora, rankings)
        print(f"{told}; the same text first: {agreement(mine, rankings):.1f} %")


def texts_of(conversation: Conversation) -> Texts:
    places = {message.id: place for place, message in enumerate(conversation.messages)}
    asked = [question for question in conversation.questions if question.evidence]
    return Texts(
        tuple(message.text for message in conversation.messages),
        tuple(question.text for question in asked),
        tuple(tuple(places[one] for one in question.evidence) for question in asked),
    )


async def _ranked(memory: Memory, owner: str, corpus: Texts) -> list[list[int]]:
    """The places of the texts that each question recalls. A text's source is its place, so that the same text said
    twice is two."""
    for place, text in enumerate(corpus.texts):
        await memory.engine.notes.observations.remember(owner, [Observed("finding", text)], f"place:{place}")
    return [
        [int(one.observation.source.removeprefix("place:")) for one in found]
        for question in corpus.questions
        for found in [await memory.recall_observations(owner, question, limit=TOP_K)]
    ]


def ask_peer(python: Path, corpora: Sequence[Texts]) -> Answer:
    """Raises `PeerFailed`."""
    asked = {
        "k1": OBSERVATIONS.k1,
        "b": OBSERVATIONS.b,
        "top_k": TOP_K,
        "stopwords": sorted(STOPWORDS),
        "corpora": [
            {
                "texts": one.texts,
                "questions": one.questions,
                "text_terms": list(map(indexed, one.texts)),
                "question_terms": list(map(asked_for, one.questions)),
            }
            for one in corpora
        ],
    }
    with tempfile.TemporaryDirectory(prefix="loci-words-") as folder:
        file = Path(folder) / "data.json"
        file.write_text(json.dumps(asked))
        command = [str(python), "-I", str(SCRIPT), str(file)]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    last = (done.stdout.strip().splitlines() or [""])[-1]
    try:
        return Answer.model_validate_json(last)
    except ValidationError:
        raise PeerFailed(last or (done.stderr.strip().splitlines() or ["it says nothing"])[-1]) from None


def line(name: str, corpora: Sequence[Texts], rankings: Rankings) -> str:
    """The means over all questions, in percent."""
    marks = [
        mark([str(place) for place in found], [str(place) for place in evidence])
        for corpus, every in zip(corpora, rankings, strict=True)
        for found, evidence in zip(every, corpus.evidence, strict=True)
    ]
    gained, found = (100 * sum(metric(one, TOP_K) for one in marks) / len(marks) for metric in (ndcg, recall))
    return f"{name}: nDCG@{TOP_K} {gained:.2f}, recall@{TOP_K} {found:.2f}"


def agreement(one: Rankings, other: Rankings) -> float:
    """Of how many questions both have the same text first, in percent."""
    firsts = [
        mine[:1] == theirs[:1]
        for corpus, same in zip(one, other, strict=True)
        for mine, theirs in zip(corpus, same, strict=True)
    ]
    return 100 * sum(firsts) / len(firsts)


if __name__ == "__main__":
    main()
