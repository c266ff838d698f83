"""What of what tools gave still holds? What no later result repeats or replaces."""

import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from json import dumps

from memory.views.effects import only_reads
from memory.views.identifiers import names_id, names_version
from memory.views.json_values import Json, scalars
from memory.views.records import FAILED, RAW, Call, Record, Thing
from memory.views.relevance import SMALL
from memory.views.wants import wants_current

COMPARED = 8  # later answers to a call, and results on a thing, that an earlier one is compared with
_PAGE = re.compile(r"(?i)page|offset|cursor|skip|token")
_WORDS = re.compile(r"\w+")

NEARLY = 0.8  # share of an answer that a later one says, too, from which it stands for it


def in_force(records: Sequence[Record], shown: Sequence[Record] = ()) -> list[Record]:
    """The records that no later one repeats or replaces, be it one that is `shown` whole. What a call gave more than
    once, to the letter, such as the receipt of a payment, counts how often; one that is shown, too, stays beside it if
    it is as short as a receipt."""
    states = _States()
    done = _Done()
    left: list[Record] = []
    times: list[int] = []
    answers: defaultdict[Call, list[Record]] = defaultdict(list)
    same: dict[tuple[Call, str], int] = {}
    whole = {(one.call, one.raw_output) for one in shown}
    for one in shown:
        states.add(one)
        done.add(one)
        answers[one.call].append(one)
    for one in reversed(records):
        if done.mends(one):
            continue
        done.add(one)
        known = answers[one.call]
        said = one.call, one.raw_output
        if (at := same.get(said)) is not None:
            times[at] += 1
            continue
        is_receipt = said in whole and len(one.raw_output) <= SMALL
        if not is_receipt and (any(_stands_for(later, one) for later in known[-COMPARED:]) or states.replace(one)):
            continue
        states.add(one)
        same[said] = len(left)
        known.append(one)
        left.append(one)
        times.append(1)
    return [replace(one, times=count) for one, count in zip(left[::-1], times[::-1], strict=True)]


def _stands_for(later: Record, record: Record) -> bool:
    """Whether the later answer to a call stands for one before. What failed stands for no answer, and a next page not
    for the page before it; the same thing in another state does, be it that it failed, and what says nearly the same.
    For a failure stands what came back once there was success, and a failure that tells the same."""
    if _is_next_state(later, record):
        return True
    if record.failed:
        return _mends(later, record)
    if later.failed:
        return False
    if later.thing or record.thing:
        return later.thing == record.thing and record.fields.keys() <= later.fields.keys()
    return len(record.pieces & later.pieces) >= NEARLY * len(record.pieces)


def _is_next_state(later: Record, record: Record) -> bool:
    """Whether both answers to a call about one thing say how it was, and the later one says how it is since."""
    if record.failed or record.state is None or later.state is None or later.thing != record.thing:
        return False
    names_thing = bool(record.thing) or any(names_id(key) for key, _ in scalars(record.arguments))
    return (
        names_thing and later.state[0] == record.state[0] and later.state != record.state and _has_fields(later, record)
    )


def _has_fields(later: Record, record: Record) -> bool:
    """Whether a result has all fields of one before, but for what failed then."""
    return record.fields.keys() <= later.fields.keys() | FAILED


def _mends(later: Record, record: Record) -> bool:
    """Whether nothing is lost with a failure, if it is one: there was success since, or a later failure tells it."""
    if not record.failed:
        return True
    return len(record.gist & later.gist) >= NEARLY * len(record.gist) if later.failed else not later.pending


class _States:
    """What tools have told of each thing so far."""

    def __init__(self) -> None:
        self._asked: defaultdict[tuple[Thing, str, str], list[Record]] = defaultdict(list)
        self._told: defaultdict[Thing, list[Record]] = defaultdict(list)

    def add(self, record: Record) -> None:
        if record.thing and (record.state or not record.failed):  # a call that failed tells nothing of the thing
            self._asked[_question(record)].append(record)
            self._told[record.thing].append(record)

    def replace(self, record: Record) -> bool:
        """Whether one that was added says all that a record does: of the same tool, asked the same, for the weather of
        a place is not the same on each day; or of another tool that tells of the same thing, as most of it shows."""
        if not record.thing:
            return False
        keys = record.fields.keys() - FAILED if record.failed else record.fields.keys()
        asked = self._asked[_question(record)][-COMPARED:]
        if any(keys <= one.fields.keys() and _is_anew(record, one) and _mends(one, record) for one in asked):
            return True
        others = self._told[record.thing][-COMPARED:]
        return any(
            keys <= other.fields.keys() and _is_the_same(record, other) and _mends(other, record) for other in others
        )


class _Done:
    """The calls that succeeded so far, by their tools and each of their arguments, the nearest last."""

    def __init__(self) -> None:
        self._calls: defaultdict[tuple[str, str, str], list[Record]] = defaultdict(list)

    def add(self, record: Record) -> None:
        if not record.raw_output.strip():
            succeeded = not only_reads(record)
        else:
            succeeded = not (record.failed or record.reports_failure or record.pending)
        if succeeded:
            for key, value in (("", ""), *record.arguments.items()):
                self._calls[record.tool_name, key, dumps(value)].append(record)

    def mends(self, record: Record) -> bool:
        """Whether a call that failed was made again, and succeeded: with more arguments, with the current value where
        that was wanted, or as JSON where it was none."""
        if not record.failed or not record.reports_failure:
            return False
        stale = wants_current(record)
        wanted = {key: value for key, value in record.arguments.items()
                  if key != RAW and not (stale and names_version(key, value))}  # fmt: skip
        key, value = next(iter(wanted.items()), ("", ""))
        calls = self._calls.get((record.tool_name, key, dumps(value)), [])
        return any(_is_of_the_same(record, wanted, one) for one in calls[-COMPARED:])


def _is_of_the_same(record: Record, wanted: Mapping[str, Json], later: Record) -> bool:
    """Whether a later call has all arguments that are `wanted` of a record, and asks for no other page of it."""
    if RAW in record.arguments:
        return _WORDS.findall(record.raw_input) == _WORDS.findall(later.raw_input)
    more = later.arguments.keys() - record.arguments.keys()
    return not any(map(_PAGE.search, more)) and all(
        key in later.arguments and later.arguments[key] == value for key, value in wanted.items()
    )


def _is_anew(record: Record, later: Record) -> bool:
    """Whether a later answer of the same tool about the same thing says how it is now. Where it was asked with other
    arguments, which both answers repeat, that is so if little else differs: an address that was changed, and not the
    next page of a list."""
    if record.call == later.call:
        return True
    asked = {key for key in record.arguments.keys() | later.arguments.keys()
             if record.arguments.get(key) != later.arguments.get(key)}  # fmt: skip
    return _is_mostly_equal(record, later, besides=asked)


def _question(record: Record) -> tuple[Thing, str, str]:
    return record.thing, record.tool_name, dumps(record.asked_beside, sort_keys=True)


def _is_the_same(record: Record, other: Record) -> bool:
    """Whether two tools tell of one thing, of which some fields may have changed: a user and a project may both have
    the id 1."""
    return other.tool_name != record.tool_name and _is_mostly_equal(record, other)


def _is_mostly_equal(record: Record, other: Record, besides: Collection[str] = ()) -> bool:
    """Whether of the fields of a result, but for its ids, half are the same in another one."""
    named = {key for key, _ in record.thing}.union(besides)
    compared = [key for key in record.fields if key not in named]
    equal = sum(record.fields[key] == other.fields[key] for key in compared)
    return 2 * equal >= len(compared) > 0
