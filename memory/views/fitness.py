"""Which results list what the last question asks for?"""

from collections.abc import Iterator, Mapping, Sequence

from memory.views.asked_fields import key_words
from memory.views.identifiers import identifies
from memory.views.json_values import Json, scalars
from memory.views.names import words_of
from memory.views.records import Record
from memory.views.relevance import TELLING, Talk

FEW_OF = 4  # one result of so many is few: what most of them have, a question asks of none of them
FEWEST = 3  # objects of a list from which something may be chosen
READ = 200  # of them whose fields and days are looked at


def suiting(records: Sequence[Record], talk: Talk) -> list[str]:
    """The ids of records, newest first, that list objects with a field that the last question asks for, or some of a
    day that it names, where they are few; of several, those of tools for the kind of thing that it names."""
    if not talk.question:
        return []
    found = [record for record in reversed(records) if _lists_asked(record, talk)]
    of_kind = [record for record in found if not talk.literal.isdisjoint(_kinds_of(record.tool_name))]
    chosen = of_kind or found
    few = len(chosen) == 1 or len(chosen) * FEW_OF <= len(records)
    return [record.trace_id for record in chosen] if few else []


def _kinds_of(tool_name: str) -> list[str]:
    return key_words(" ".join(words_of(tool_name)))


def _lists_asked(record: Record, talk: Talk) -> bool:
    return any(_has_asked(objects, talk) or _has_day(objects, talk) for objects in _lists(record))


def _lists(record: Record) -> Iterator[list[Mapping[str, Json]]]:
    """The objects of each list of a result, as many as are looked at."""
    lists = [record.output] if isinstance(record.output, list) else record.fields.values()
    for items in lists:
        if isinstance(items, list):
            objects = [item for item in items[:READ] if isinstance(item, Mapping)]
            if len(objects) >= FEWEST:
                yield objects


def _has_asked(objects: Sequence[Mapping[str, Json]], talk: Talk) -> bool:
    """Whether objects have a field that is asked for, but for ids, names and what is told anyway."""
    keys = {key for one in objects for key in one if key not in TELLING and not identifies(key)}
    return any(talk.asking.names_field(key) for key in keys)


def _has_day(objects: Sequence[Mapping[str, Json]], talk: Talk) -> bool:
    """Whether some of the objects are of a day that is asked for, and others are not."""
    if not talk.days:
        return False
    days = [any(talk.days.has(value) for _, value in scalars(one)) for one in objects]
    return any(days) and not all(days)
