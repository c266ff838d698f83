"""A reason why an answer did not use a message is why: undone, it is told no more."""

import asyncio
import itertools
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from agents.chat import HistoryItem
from agents.memory import Memory
from agents.open import open_memory
from api.wire.receipts import ReceiptOut
from config.recipes import PROXY, QUERY, PromptRecipe
from config.settings import Settings
from memory.domain import RULE_BASED, Role
from memory.oversight.why_not import Reason
from memory.recall import recaller, with_overrides
from memory.recall.features import POOL
from tests.conversations import Silent, request, turn

BLUE = "Which harbour crane is painted blue?"
ANSWERS = {
    BLUE: "The harbour crane number 7 is painted blue.",
    "What is my locker code?": "My locker code is 4711.",
    "Is the harbour crane afraid of my aunt Berta?": "The harbour crane is afraid of my aunt Berta.",
}
TEXTS = (
    *ANSWERS.values(),
    *ANSWERS,
    "the harbour crane number 7  is painted BLUE.",
    "The harbour crane number 7 is painted blue, and so is the number 8.",
    "The harbour crane number 9 is painted red.",
    "Berta painted the harbour crane.",
    "My dog is called Biscuit.",
    "Bread.",
)
QUERIES = (
    *ANSWERS,
    BLUE,
    "We painted the harbour crane once more.",
    "Write a poem about the harbour crane.",
    "Thanks!",
)
HERE, ELSEWHERE = "here", "elsewhere"


@dataclass(frozen=True)
class Message:
    id: str
    text: str
    role: Role = "user"
    session: str = HERE
    by_rules: bool = False
    later: bool = False


@dataclass(frozen=True)
class Case:
    """A conversation and how it is asked of. `proxied`: as the proxy asks."""

    messages: tuple[Message, ...]
    query: str
    use_memory: bool = True
    top_k: int = 50
    floor: float | None = None
    silence: float | None = None
    mmr: float | None = None
    history: tuple[str, ...] = ()
    proxied: bool = False
    embedded: bool = True
    pool: int = POOL

    def changed(self, identifier: str, **fields: Any) -> "Case":
        """With one message changed."""
        changed = (replace(one, **fields) if one.id == identifier else one for one in self.messages)
        return replace(self, messages=tuple(changed))

    def without(self, gone: Callable[[Message], bool]) -> "Case":
        return replace(self, messages=tuple(one for one in self.messages if not gone(one)))

    def telling(self, text: str, identifier: str = "told") -> "Case":
        return replace(self, messages=(*self.messages, Message(identifier, text)))

    def text_of(self, identifier: str) -> str:
        return next(" ".join(one.text.casefold().split()) for one in self.messages if one.id == identifier)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    said = draw(st.lists(st.sampled_from(TEXTS), min_size=4, max_size=9))
    rarely = st.sampled_from([False] * 5 + [True])
    messages = []
    for number, text in enumerate(said):
        by_rules = draw(rarely)
        session = ELSEWHERE if draw(rarely) else HERE
        role: Role = "assistant" if by_rules else "user"
        messages.append(Message(f"m{number}", text, role, session, by_rules, draw(rarely)))
    return Case(
        tuple(messages),
        draw(st.sampled_from(QUERIES)),
        use_memory=not draw(rarely),
        top_k=draw(st.sampled_from([1, 2, 50])),
        silence=draw(st.sampled_from([None, None, None, 1.0])),
        floor=draw(st.sampled_from([None, 0.0, 0.5])),
        mmr=draw(st.sampled_from([None, 0.1])),
        proxied=draw(st.booleans()),
        embedded=not draw(rarely),
        pool=draw(st.sampled_from([POOL, 2])),
    )


Undo = Callable[[Case, str], Case]
UNDONE: dict[Reason, Undo] = {
    "below_floor": lambda case, _: replace(case, floor=0.0),
    "silent": lambda case, _: replace(case, silence=0.0),
    "duplicate": lambda case, own: case.without(
        lambda one: one.id != own and case.text_of(one.id) == case.text_of(own)
    ),
    "mmr": lambda case, _: replace(case, mmr=1.0),
    "top_k": lambda case, _: replace(case, top_k=50),
    "budget": lambda case, own: case.without(lambda one: one.id != own),
    "not_quoted": lambda case, own: case.without(lambda one: one.id != own),
    "no_question": lambda case, _: replace(case, query=BLUE),
    "task": lambda case, _: replace(case, query=BLUE),
    "no_answer": lambda case, _: replace(case.telling(ANSWERS[case.query]), floor=0.0, top_k=50),
    "sent_along": lambda case, own: replace(case.changed(own, session=ELSEWHERE), history=()),
    "later": lambda case, own: case.changed(own, later=False),
    "no_news": lambda case, own: case.changed(own, text="The harbour crane was mended by my aunt."),
    "asked": lambda case, own: replace(case, query=next(one for one in ANSWERS if one != case.query)),
    "not_embedded": lambda case, _: replace(case, embedded=True),
    "by_rules": lambda case, own: case.changed(own, by_rules=False),
    "memory_not_asked": lambda case, _: replace(case, use_memory=True, query=BLUE),
    "pool": lambda case, _: replace(case, pool=POOL),
}
ANSWERED_BY = {
    "rules": {"not_quoted", "no_question", "task", "no_answer"},
    "a model": {"sent_along", "no_news"},
    "the table": {"budget", "sent_along"},
}


def told(*texts: str) -> tuple[Message, ...]:
    """Not in the conversation that is asked in, whose newest messages stand in every prompt."""
    return tuple(Message(f"m{number}", text, session=ELSEWHERE) for number, text in enumerate(texts))


CRANES = told(*(text for text in TEXTS if "painted" in text))
EXAMPLES = (  # of each reason one
    Case(CRANES, BLUE),
    Case(CRANES, BLUE, top_k=1),
    Case(CRANES, BLUE, floor=1.0),
    Case(CRANES, BLUE, silence=1.0),
    Case(CRANES, BLUE, top_k=1, pool=2),
    Case(CRANES, BLUE, use_memory=False),
    Case(CRANES, BLUE, embedded=False),
    Case(CRANES, "We painted the harbour crane once more."),
    Case(CRANES, "Write a poem about the harbour crane."),
    Case(CRANES, "Is the harbour crane afraid of my aunt Berta?"),
    Case((*CRANES, Message("later", "Bread.", later=True)), BLUE),
    Case((*CRANES, Message("quoted", "Bread.", "assistant", by_rules=True)), BLUE),
    Case(CRANES, BLUE, history=(CRANES[3].text,)),
    Case(told(*TEXTS), BLUE, floor=0.0),
    Case(told(*TEXTS[:1], *TEXTS[7:10], "The harbour crane is blue."), BLUE, top_k=2, floor=0.0, mmr=0.1),
)


class Asking:
    """Asks what cases ask, each as a user of its own."""

    def __init__(self, memory: Memory, patch: pytest.MonkeyPatch, prompt: PromptRecipe | None) -> None:
        self._memory = memory
        self._prompt = prompt
        self._patch = patch
        self._owners = itertools.count()

    async def reasons(self, case: Case, *ids: str) -> dict[str, Reason]:
        """Why the answer did not use messages, by their ids; not given, of all. Its receipt says the same of those that
        it names."""
        owner = f"user-{next(self._owners)}"
        await self._tell(owner, case, later=False)
        made_of = PROXY if case.proxied else QUERY
        recipe = with_overrides(made_of, top_k=case.top_k, floor=case.floor, mmr_lambda=case.mmr)
        recipe = recipe if case.silence is None else replace(recipe, silence=case.silence)
        asked = request(
            case.query,
            HERE,
            owner=owner,
            use_memory=case.use_memory,
            top_k=case.top_k,
            recipe=recipe,
            history=tuple(HistoryItem("user", text) for text in case.history),
            proxied=case.proxied,
            prompt=self._prompt,
        )
        self._patch.setattr(recaller, "POOL", case.pool)
        await self._memory.chat(asked)
        await self._tell(owner, case, later=True)
        why = self._memory.engine.oversight.explainer.why_not
        ids = ids or tuple(message.id for message in case.messages)
        reasons = {identifier: (await why(owner, asked.turn_id, identifier)).reason for identifier in ids}
        receipt = await self._memory.engine.chats.receipts.get(owner, asked.turn_id)
        shown = ReceiptOut.of_receipt(receipt, owner, [None] * len(receipt.used))
        dropped = {one.id: one.dropped or "used" for one in shown.considered if one.id in reasons}
        assert dropped == {identifier: reasons[identifier] for identifier in dropped}
        return reasons

    async def _tell(self, owner: str, case: Case, *, later: bool) -> None:
        for session in (ELSEWHERE, HERE):
            turns = [
                turn(one.id, one.text, one.role, model=RULE_BASED if one.by_rules else None)
                for one in case.messages
                if one.session == session and one.later == later
            ]
            if turns:
                await self._memory.add(owner, session, turns, wait=case.embedded)
        if not case.embedded:
            self._memory.engine.gists.just_said.forget(owner)  # as if another process had taken them


@pytest.mark.parametrize("writer", ANSWERED_BY)
def test_a_reason_that_is_undone_is_told_no_more(
    writer: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: Settings = (
        request.getfixturevalue("make_settings")() if writer == "rules" else request.getfixturevalue("model_settings")
    )
    seen = set[Reason]()
    with asyncio.Runner() as runner:
        memory = open_memory(opened, nudge=Silent())
        asking = Asking(runner.run(memory.__aenter__()), monkeypatch, "table" if writer == "the table" else None)

        def check(case: Case) -> None:
            reasons = runner.run(asking.reasons(case))
            first = {reason: identifier for identifier, reason in reversed(reasons.items()) if reason != "used"}
            seen.update(first)
            for reason, identifier in first.items():
                undone = runner.run(asking.reasons(UNDONE[reason](case, identifier), identifier))
                assert undone[identifier] != reason, identifier

        for case in EXAMPLES:
            check(case)
        settings(max_examples=8, phases=(Phase.generate,))(given(cases())(check))()
        runner.run(memory.__aexit__(None, None, None))
    of_others = set().union(*ANSWERED_BY.values()) - ANSWERED_BY[writer]
    assert seen == UNDONE.keys() - of_others
