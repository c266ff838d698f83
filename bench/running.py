"""How much of a running conversation reaches a prompt, and how much of a prompt the one before it began with.

    python -m bench.running [--conversations N]

Four conversations of 300 messages are made of bench/data/working.json. In each, thirteen statements are planted at the
end of the user's messages, some 5, 50 and 200 messages ago, and in a text of 12,000 characters that the user pasted 20
messages ago. Each is asked for, in the same conversation, at several sizes of context.

evidence: the share of questions of which the planted statement stands in the prompt, in the conversation or among the
memories. loci: the prompt that goes by tokens. newest: the same without memories, as a chat of newest messages alone.

prefix: of ten turns at the end of each conversation, two minutes apart, the share of a prompt's characters with which
the prompt before began, too; by `/query`, and by the proxy, whose client sends the whole conversation along.
"""

import argparse
import sys
import uuid
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from statistics import mean

from agents.chat.context import ChatRequest, Context, Conversation, Intent
from agents.chat.intent import IntentDetector
from agents.chat.memory_agent import MemoryAgent
from agents.chat.prompt import Prompt
from agents.chat.prompt_budget import fit
from agents.chat.tokens import ModelTokens
from agents.memory import Memory
from agents.open import open_memory
from agents.openai_chat import with_text_before
from agents.proxy import Knowing, ProxyOptions, ProxyRequest
from bench.recall.in_process import Quiet, passing_settings
from bench.recall.reading import read_corpus
from bench.recall.table import table
from config.recipes import PROXY, QUERY, BundleSizes, PromptBudget
from memory.domain import Role, Turn
from memory.ids import new_id, prompt_id
from utils.loops import new_runner

WORKING = Path(__file__).parent / "data" / "working.json"
SYSTEM = "You are a helpful assistant with a memory of earlier conversations."
MESSAGES, JOINED, TURNS = 300, 3, 10
WINDOWS = (2_048, 4_096, 8_192, 16_384)
PREFIXES = (4_096, 16_384, 128_000)
PASTED, PASTED_CHARACTERS = 20, 12_000
# How many messages ago: what is said there, what is asked, and what of it must stand in the prompt.
PLANTED: dict[str, tuple[tuple[int, str, str, str], ...]] = {
    "5 ago": (
        (4, "Oh, and our neighbour with the trailer is called Ottokar.", "What is the neighbour called?", "Ottokar"),
        (
            6,
            "The spare key hangs behind the boiler, by the way.",
            "Where does the spare key hang?",
            "behind the boiler",
        ),
    ),
    "50 ago": (
        (48, "My sister Wilma lands at 21:40 on the Sunday.", "When does Wilma land?", "21:40"),
        (50, "I cannot eat celery, please keep that in mind.", "Which vegetable can I not eat?", "celery"),
        (52, "The parking permit has the number PX-3318.", "What number has my parking permit?", "PX-3318"),
        (54, "We named the old van Petronella.", "How did we name the van?", "Petronella"),
    ),
    "200 ago": (
        (198, "The dentist moved my appointment to 14 March.", "When is my dentist's appointment?", "14 March"),
        (200, "My uncle's boat lies at pier nine.", "At which pier is my uncle's boat?", "pier nine"),
        (202, "I borrowed 340 crowns from Ludmila.", "How much did I borrow from Ludmila?", "340 crowns"),
        (204, "Our choir sings in the Kreuzkirche this year.", "Where does our choir sing?", "Kreuzkirche"),
    ),
    "in a pasted text": (
        (25, "The auditor on duty is Dr Hallgrimsson.", "Who is the auditor on duty?", "Hallgrimsson"),
        (50, "Deliveries are accepted at gate seven only.", "At which gate are deliveries accepted?", "gate seven"),
        (75, "The deposit amounts to 1,275 francs.", "How much is the deposit?", "1,275"),
    ),
}


@dataclass(frozen=True)
class Running:
    """A conversation that goes on, oldest first."""

    turns: tuple[Turn, ...]


def conversations(most: int) -> Iterator[Running]:
    """Conversations made of several of the file's, with what is planted in them."""
    corpus = read_corpus(WORKING)
    for start in range(0, min(most * JOINED, len(corpus.conversations) - JOINED + 1), JOINED):
        joined = [one for each in corpus.conversations[start : start + JOINED] for one in each.messages]
        others = [one.text for each in corpus.conversations for one in each.messages if one.role == "assistant"]
        said: list[tuple[Role, str]] = [(one.role, one.text) for one in joined[-MESSAGES:]]
        for kind, planted in PLANTED.items():
            for ago, statement, _, _ in planted if kind != "in a pasted text" else ():
                at = next(at for at in range(len(said) - ago, 0, -1) if said[at][0] == "user")
                said[at] = ("user", f"{said[at][1]} {statement}")
        pasted = " ".join(others[start * 7 :])[:PASTED_CHARACTERS]
        for share, statement, _, _ in PLANTED["in a pasted text"]:
            at = pasted.index(". ", len(pasted) * share // 100) + 2
            pasted = f"{pasted[:at]}{statement} {pasted[at:]}"
        at = next(at for at in range(len(said) - PASTED, 0, -1) if said[at][0] == "user")
        said[at] = ("user", f"Here is what they sent me.\n\n{pasted}\n\nJust so that you have it.")
        began = joined[-1].timestamp
        yield Running(
            tuple(Turn(new_id(), role, text, began + timedelta(minutes=n)) for n, (role, text) in enumerate(said))
        )


class Measured:
    """Shares, by what was measured at which size of context."""

    def __init__(self) -> None:
        self.evidence: dict[tuple[str, int, str], list[bool]] = defaultdict(list)
        self.prefixes: dict[tuple[str, int], list[float]] = defaultdict(list)


class Asking:
    """A memory that is asked as `/query` and the proxy ask it."""

    def __init__(self, memory: Memory, owner: str) -> None:
        self._engine = memory.engine
        self._owner = owner
        self._budget = PromptBudget()
        self._agent = MemoryAgent(memory.engine, QUERY, BundleSizes(), budget=self._budget)
        self._detector = IntentDetector(memory.engine.gists.encoder)

    async def context(self, session: str, query: str) -> Context:
        """What stands in the prompt of a message of the conversation, with what is known."""
        chats = self._engine.chats
        place = await chats.places.place(self._owner, session)
        assert place is not None
        place = replace(place, index=place.next_index)
        messages = await chats.turns.recent(self._owner, session, place, self._budget.messages)
        talk = Conversation(tuple(messages), tuple(await chats.summaries.of_session(self._owner, session)))
        request = ChatRequest(query, self._owner, session, new_id())
        return await self._agent.run(Context(request, Intent("question", True, ""), place, conversation=talk))

    def prompt(self, context: Context, window: int, moment: datetime) -> Prompt:
        return fit(context, SYSTEM, self._budget, window, moment)

    async def proxied(self, session: str, messages: Sequence[Turn], window: int, moment: datetime) -> str:
        """What a provider gets of a request with the whole conversation."""
        sent: list[dict[str, str]] = [{"role": turn.role, "content": turn.content} for turn in messages]
        request = ProxyRequest(self._owner, {"model": "m", "messages": sent}, ProxyOptions(session))
        agent = MemoryAgent(self._engine, PROXY, BundleSizes(), budget=self._budget)
        knowing = Knowing(self._engine, self._detector, agent, self._budget, ModelTokens({"m": window}))
        context = await knowing.gather(request, request.turn_id)
        block = await knowing.block(context, request, frozenset({prompt_id(request.turn_id)}), moment)
        before = "\n".join(f"{one['role']}: {one['content']}" for one in sent[:-1])
        return f"{before}\nuser: {with_text_before(sent[-1]['content'], block.text)}"


async def _measure(most: int) -> Measured:
    measured = Measured()
    with passing_settings() as settings:
        async with open_memory(settings, nudge=Quiet()) as memory:
            for running in conversations(most):
                print(f"{len(running.turns)} messages", file=sys.stderr, flush=True)
                for measure in (_ask, _go_on):
                    owner = f"bench-{uuid.uuid4().hex[:12]}"
                    await measure(memory, owner, running, measured)
                    await memory.engine.oversight.forgetter.user(owner)
    return measured


async def _ask(memory: Memory, owner: str, running: Running, measured: Measured) -> None:
    asking = Asking(memory, owner)
    await memory.add(owner, "running", running.turns, wait=True)
    await memory.engine.chats.summaries.work()
    moment = running.turns[-1].timestamp + timedelta(minutes=2)
    for kind, planted in PLANTED.items():
        for _, _, question, wanted in planted:
            context = await asking.context("running", question)
            for window in WINDOWS:
                for system, asked in (("loci", context), ("newest", replace(context, bundle=None))):
                    prompt = asking.prompt(asked, window, moment)
                    there = any(wanted in message.content for message in prompt.messages[:-1])
                    measured.evidence[system, window, kind].append(there)


async def _go_on(memory: Memory, owner: str, running: Running, measured: Measured) -> None:
    """The last turns one after the other, each with what was said before it."""
    asking, count = Asking(memory, owner), len(running.turns) - 2 * TURNS
    await memory.add(owner, "running", running.turns[:count], wait=True)
    await memory.engine.chats.summaries.work()
    before: dict[tuple[str, int], str] = {}
    for at in range(count, len(running.turns), 2):
        turns = running.turns[: at + 1]
        moment = turns[-1].timestamp + timedelta(minutes=at)
        context = await asking.context("running", turns[-1].content)
        for window in PREFIXES:
            prompt = asking.prompt(context, window, moment)
            texts = {
                "/query": "\n".join(f"{one.role}: {one.content}" for one in prompt.messages),
                "the proxy": await asking.proxied("running", turns, window, moment),
            }
            for door, text in texts.items():
                if (earlier := before.get((door, window))) is not None:
                    measured.prefixes[door, window].append(_shared(earlier, text) / len(text))
                before[door, window] = text
        await memory.add(owner, "running", running.turns[at : at + 2], wait=True)


def _shared(text: str, other: str) -> int:
    """The number of characters with which both begin."""
    return next((at for at, (one, two) in enumerate(zip(text, other, strict=False)) if one != two), len(text))


def report(measured: Measured) -> str:
    """Two tables, in percent."""
    rows = []
    for system in ("loci", "newest"):
        for window in WINDOWS:
            shares = [measured.evidence[system, window, kind] for kind in PLANTED]
            rows.append([system, f"{window:,}", *(f"{100 * mean(share):.0f}" for share in shares)])
    prefixes = [
        [door, f"{window:,}", f"{100 * mean(shares):.1f}"]
        for (door, window), shares in sorted(measured.prefixes.items())
    ]
    return "\n\n".join(
        [table(["evidence, %", "context", *PLANTED], rows), table(["prefix, %", "context", "shared"], prefixes)]
    )


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.running", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--conversations", type=int, default=4, metavar="N", help="how many, four at most")
    chosen = parser.parse_args(arguments)
    with new_runner() as runner:
        print(report(runner.run(_measure(max(1, chosen.conversations)))))


if __name__ == "__main__":
    main()
