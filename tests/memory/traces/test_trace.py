"""Which call is which, told without a store."""

from dataclasses import replace

import pytest

from memory.traces import trace as trace_ids
from memory.traces.trace import COMPARED, Called, Task, Trace, asked_of, id_of, key_of, recognise, suspect
from memory.views.shortened import signs_of
from tests.tool_calls import called
from utils.clock import now

TASK = Task("ann", "t", "e", 1)
WORDS = " ".join(f"word{at}" for at in range(100))


def trace(call: Called) -> Trace:
    """A call as it is known, with the truth."""
    key, text = key_of(TASK, call), call.raw_output
    return Trace(
        id_of(key), key, "t", 1, call.call_id, call.tool_name, call.raw_input, text, now(), "", "",
        asked_of(call), len(text), signs_of(text)
    )  # fmt: skip


def recognised(calls: list[Called], known: list[Trace]) -> dict[int, str]:
    """Of which known traces calls are what is left."""
    ids = [id_of(key_of(TASK, call)) for call in calls]
    by_id = {one.id: one for one in known}
    return recognise(calls, suspect(ids, calls, by_id), by_id)


def test_a_key_has_an_id_of_its_own_at_each_attempt() -> None:
    keys = [key_of(TASK, called(number)) for number in range(50)]
    ids = [id_of(key, attempt) for key in keys for attempt in range(4)]
    assert len(set(ids)) == 200 and ids == [id_of(key, attempt) for key in keys for attempt in range(4)]
    assert all(len(one) == 8 and one.isalnum() and one.islower() for one in ids)


def test_a_step_later_a_call_has_the_same_key() -> None:
    assert key_of(TASK, called(1)) == key_of(Task("ann", "t", "e", 2), called(1, query="asked again"))
    others = [Task("bob", "t", "e", 1), Task("ann", "u", "e", 1), Task("ann", "t", "f", 1)]
    assert key_of(TASK, called(1)) not in {key_of(other, called(1)) for other in others}


def test_of_many_results_of_one_call_each_is_known_by_what_is_left_of_it() -> None:
    known = [trace(called(0, f"attempt {at}: {WORDS} until {at}")) for at in range(100)]
    for shorten in (
        lambda text: f"{text[:300]}…",
        lambda text: f"[300 characters removed]\n{text[300:]}",
        lambda text: f"{text[:15]}\n... [truncated]\n{text[-30:]}",
        lambda text: text[:-100],
    ):
        left = [called(0, shorten(one.raw_output)) for one in known]
        assert recognised(left, known) == {at: one.id for at, one in enumerate(known)}
    rows = [called(0, f"{one.id}: attempt -> {at}") for at, one in enumerate(known)]
    assert recognised(rows, known) == {at: one.id for at, one in enumerate(known)}


def test_a_placeholder_stands_for_the_newest_of_the_results_of_one_call() -> None:
    known = [trace(called(0, f"attempt {at}: {WORDS}")) for at in range(20)]
    assert recognised([called(0, "[cleared]")], known) == {0: known[-1].id}


def test_what_was_kept_before_signs_were_is_looked_for_among_the_newest() -> None:
    known = [replace(trace(called(0, f"attempt {at}: {WORDS}")), signs=()) for at in range(20)]
    left = [called(0, f"{one.raw_output[:300]}…") for one in known]
    newest = range(len(known) - COMPARED, len(known))
    assert recognised(left, known) == {at: known[at].id for at in newest}


def test_results_of_one_call_are_not_compared_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[int] = []
    for name in ("is_left_of", "_may_be_left_of"):
        real = getattr(trace_ids, name)
        monkeypatch.setattr(trace_ids, name, lambda *given, real=real: bool(looks.append(1)) or real(*given))
    known = [trace(called(0, f"{WORDS} attempt {at} {WORDS}")) for at in range(300)]
    recognised([called(0, f"{WORDS} attempt {at}") for at in range(300, 600)], known)
    signs = len(known[0].signs) + 2
    assert 0 < len(looks) <= 300 * COMPARED * (signs + 1)


def test_of_a_result_that_stands_in_another_place_nothing_is_left_here() -> None:
    whole, cut = called(0, WORDS), called(0, f"{WORDS[:300]}…")
    assert recognised([cut], [trace(whole)]) == {0: trace(whole).id}
    for sent in ([whole, cut], [cut, whole]):
        assert recognised(sent, [trace(whole)]) == {}
