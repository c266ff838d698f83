"""How much of what answers stands in a prompt, against the tokens that it takes there.

    python -m bench.prompt [DATA …] [--conversations N] [--every N] [--plot FILE.svg]

DATA: files of conversations with questions, as `bench.recall` reads them; bench/data/small.json where none is named.
Each conversation is told to a memory of this process with the built-in encoder, and each question with evidence, or of
these every N-th, is asked in a session of its own. Of the messages that answer it, by what stands in the prompt:

evidence: the share of them; any, all: of questions, those of which one stands there, or all do. Of a long message an
excerpt may stand there, which counts; so words: of the words that the answer, where the file has it, shares with these
messages, those that stand there in them.

loci: the prompt that goes by tokens, its memory part held to so many. table: the platform document's, which has one
size. bm25: the messages that have most words of the question (k1 0.9, b 0.4, stems, speaker's name with the text), each
whole, in the same form. newest: the whole conversation, the newest messages first.
"""

import argparse
import math
import re
import sys
import uuid
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path

from agents.chat.context import ChatRequest, Context, Intent, Material
from agents.chat.memories import passages
from agents.chat.memory_agent import MemoryAgent
from agents.chat.prompt import Prompt
from agents.chat.prompt_budget import fit
from agents.chat.prompt_table import assemble
from agents.memory import Memory
from agents.open import open_memory
from bench.recall.corpus import Conversation, Corpus, Question, UnreadableCorpus, spread
from bench.recall.in_process import Quiet, passing_settings
from bench.recall.reading import read_corpus
from bench.recall.table import table
from config.recipes import QUERY, BundleSizes, PromptBudget, PromptTable
from memory.domain import Gist, Hit, Parts, Turn
from memory.ids import new_id
from utils.clock import now
from utils.loops import new_runner
from utils.text import content_stems, count_tokens

SMALL = Path(__file__).parent / "data" / "small.json"
ROOMS = (250, 500, 1_000, 2_000, 4_000)
WINDOW = 128_000
K1, B = 0.9, 0.4
NUMBERED = re.compile(r"^\[(\d+)\] (?:[^:\n]|:(?=\d\d\b))*: (.*)", re.MULTILINE)  # a memory in a prompt
WHOLE = PromptBudget(price=0.0, beside=(0.0, 0.0, 0.0, 0.0), lengths=((1_000_000, 1.0),))
COLOURS = {"loci": "#2f6f9f", "table": "#22272b", "bm25": "#b3541e", "newest": "#8a949c"}


@dataclass
class Mean:
    """What stood in some prompts, added up."""

    asked: int = 0
    evidence: float = 0.0
    any: int = 0
    all: int = 0
    tokens: int = 0
    worded: int = 0
    words: float = 0.0

    def add(self, question: Question, messages: Mapping[str, str], text: str, given: Mapping[int, str]) -> None:
        """`messages`: the conversation's, by their ids. `text`: what stands in the prompt; `given`: the ids of the
        messages in it, by their numbers."""
        there = len(set(given.values()) & set(question.evidence))
        wanted = _stems(question.answer) & _stems(" ".join(messages[one] for one in question.evidence))
        if wanted:
            lines = [found[2] for found in NUMBERED.finditer(text) if given.get(int(found[1])) in question.evidence]
            self.words += len(wanted & _stems(" ".join(lines))) / len(wanted)
            self.worded += 1
        self.asked += 1
        self.evidence += there / len(set(question.evidence))
        self.any += there > 0
        self.all += there == len(set(question.evidence))
        self.tokens += count_tokens(text)


@dataclass
class Measured:
    """The means of a corpus by system and room; `table` has one, under 0."""

    corpus: str
    means: dict[tuple[str, int], Mean] = field(default_factory=lambda: defaultdict(Mean))


def _stems(text: str) -> set[str]:
    return set(content_stems(text))


class Bm25:
    """The messages of a conversation by the words of a question."""

    def __init__(self, gists: Sequence[Gist]) -> None:
        self._gists = gists
        self._terms = [Counter(content_stems(f"{gist.name or ''} {gist.content}")) for gist in gists]
        self._lengths = [terms.total() for terms in self._terms]
        self._mean = sum(self._lengths) / max(1, len(gists))
        self._having = Counter(term for terms in self._terms for term in terms)

    def hits(self, query: str) -> tuple[Hit, ...]:
        scores = [self._score(at, query) for at in range(len(self._gists))]
        order = sorted(range(len(scores)), key=lambda at: -scores[at])
        return tuple(Hit(self._gists[at], Parts(0.0, scores[at])) for at in order if scores[at] > 0)

    def _score(self, at: int, query: str) -> float:
        terms, score = self._terms[at], 0.0
        for term in content_stems(query):
            if count := terms[term]:
                rarity = math.log(1 + (len(self._gists) - self._having[term] + 0.5) / (self._having[term] + 0.5))
                length = 1 - B + B * self._lengths[at] / self._mean
                score += rarity * count * (K1 + 1) / (count + K1 * length)
        return score


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.prompt", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", nargs="*", type=Path, metavar="DATA", help="files of conversations with questions")
    parser.add_argument("--conversations", type=int, metavar="N", help="conversations a corpus, spread over it")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="of the questions each N-th")
    parser.add_argument("--plot", type=Path, metavar="FILE.svg", help="draw the share of evidence against tokens")
    chosen = parser.parse_args(arguments)
    try:
        corpora = [read_corpus(file) for file in chosen.data or (SMALL,)]
    except UnreadableCorpus as error:
        sys.exit(f"bench.prompt: {error}")
    with new_runner() as runner:
        measured = runner.run(_measure(corpora, chosen.conversations, max(1, chosen.every)))
    for corpus in measured:
        print(report(corpus))
    if chosen.plot:
        chosen.plot.write_text(drawing(measured), encoding="utf-8")


async def _measure(corpora: Sequence[Corpus], conversations: int | None, every: int) -> list[Measured]:
    found = []
    with passing_settings() as settings:
        async with open_memory(settings, nudge=Quiet()) as memory:
            for corpus in corpora:
                measured = Measured(corpus.name)
                for conversation in spread(corpus.conversations, conversations):
                    print(f"{corpus.name}: {conversation.id}", file=sys.stderr, flush=True)
                    await _ask_all(memory, conversation, every, measured)
                found.append(measured)
    return found


async def _ask_all(memory: Memory, conversation: Conversation, every: int, measured: Measured) -> None:
    owner = f"bench-{uuid.uuid4().hex[:12]}"
    gists = []
    for session in dict.fromkeys(message.session for message in conversation.messages):
        own = [message for message in conversation.messages if message.session == session]
        turns = [Turn(f"{owner}/{one.id}", one.role, one.text, one.timestamp, name=one.speaker) for one in own]
        await memory.add(owner, f"{owner}-{session}", turns, wait=True)
        gists += [
            Gist(one.id, one.id, "turn", session, one.role, one.text, one.timestamp, one.speaker, at)
            for at, one in enumerate(own)
        ]
    bm25, messages = Bm25(gists), {gist.id: gist.content for gist in gists}
    newest = tuple(Hit(gist, Parts(0.0, float(at + 1))) for at, gist in enumerate(gists))
    agent = MemoryAgent(memory.engine, QUERY, BundleSizes(), budget=PromptBudget())
    for question in [one for one in conversation.questions if one.evidence][::every]:
        request = ChatRequest(question.text, owner, new_id(), new_id())
        context = await agent.run(Context(request, Intent("question", True, "")))

        def add(system: str, room: int, prompt: Prompt, question: Question = question) -> None:
            given = {citation.n: citation.id.removeprefix(f"{owner}/") for citation in prompt.given}
            text = "".join(section.text for section in prompt.sections if section.name != "query")
            measured.means[system, room].add(question, messages, text, given)

        add("table", 0, assemble(context, "", PromptTable()))
        for room in ROOMS:
            add("loci", room, fit(context, "", replace(PromptBudget(), least=room, most=room), WINDOW, now()))
            for system, hits in (("bm25", bm25.hits(question.text)), ("newest", newest)):
                filled = passages(Material(hits), question.text, room, WHOLE, None)
                given = {citation.n: citation.id for citation in filled.given}
                measured.means[system, room].add(question, messages, filled.text, given)
    await memory.engine.oversight.forgetter.user(owner)


def report(measured: Measured) -> str:
    """A table: each system at each room; evidence, any and all in percent, with the tokens that were used."""
    rows = []
    for (system, room), mean in sorted(
        measured.means.items(), key=lambda one: (list(COLOURS).index(one[0][0]), one[0][1])
    ):
        shares = [f"{100 * value / mean.asked:.1f}" for value in (mean.evidence, mean.any, mean.all)]
        shares.append(f"{100 * mean.words / mean.worded:.1f}" if mean.worded else "-")
        rows.append([system, str(room or "-"), f"{mean.tokens / mean.asked:.0f}", *shares])
    asked = next(iter(measured.means.values())).asked if measured.means else 0
    head = ("system", "room", "tokens", "evidence", "any", "all", "words")
    return f"\n{measured.corpus}: {asked} questions\n\n{table(head, rows)}"


def drawing(measured: Sequence[Measured]) -> str:
    """An SVG: for each corpus the share of evidence against tokens, on a logarithmic scale."""
    wide, high, margin = 320, 220, 44
    low, most = math.log(100), math.log(5_000)
    parts: list[str] = []
    for at, corpus in enumerate(measured):
        left = margin + at * (wide + margin)
        parts.append(_text(left, 16, corpus.corpus, "#22272b"))
        for share in (0, 25, 50, 75, 100):
            y = 28 + high * (1 - share / 100)
            parts.append(f'<path d="M{left} {y:.1f}h{wide}" stroke="#e3e6e8"/>')
            parts.append(_text(left - 28, y + 4, str(share), "#22272b"))
        for room in ROOMS:
            x = left + wide * (math.log(room) - low) / (most - low)
            parts.append(_text(x - 12, high + 44, f"{room:,}", "#22272b"))
        for place, (system, colour) in enumerate(COLOURS.items()):
            points = [
                (
                    left + wide * (math.log(max(100.0, mean.tokens / mean.asked)) - low) / (most - low),
                    28 + high * (1 - mean.evidence / mean.asked),
                )
                for (own, _), mean in sorted(corpus.means.items())
                if own == system
            ]
            line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
            parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
            parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in points]
            parts.append(_text(left + 70 * place, high + 62, system, colour))
    width, height = margin + len(measured) * (wide + margin), high + 74
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'font-family="system-ui, sans-serif" font-size="12">\n<title>Evidence in the prompt, by tokens</title>\n'
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )


def _text(x: float, y: float, text: str, colour: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}">{escape(text)}</text>'


if __name__ == "__main__":
    main()
