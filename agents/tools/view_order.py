"""In which order may the next step need records?"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from memory.views import Call, Record

FEW_OF = 10  # one record of so many is less than common
FAILURES_OF = 4  # one failure of so many records, too


def by_relevance(
    records: Sequence[Record], ranked: Sequence[str], naming: Sequence[Sequence[str]], suited: Sequence[str]
) -> list[str]:
    """The ids of records: those that tell of what the user named and few others do, then those that list what the last
    question asks for, then those of failures where they are few, then the most relevant of the others, and then the
    newest; no answer before a later one to the same call. `naming`: for each name that was said, the ids of those that
    have it, newest first."""
    known = dict.fromkeys(record.trace_id for record in reversed(records))
    telling = Counter(one for found in naming if len(found) * FEW_OF < len(records) for one in found)
    named = [one for one, _ in telling.most_common()]
    failures = [record.trace_id for record in reversed(records) if record.reports_failure]
    few = failures if len(failures) * FAILURES_OF <= len(records) else []
    order = list(dict.fromkeys([*named, *suited, *few, *(one for one in ranked if one in known), *known]))
    answers: defaultdict[Call, list[str]] = defaultdict(list)
    for record in records:
        answers[record.call].append(record.trace_id)
    calls = {record.trace_id: record.call for record in records}
    return [answers[calls[one]].pop() for one in order]  # of the answers to one call, the newest first


def with_changes(order: Sequence[str], overtaken: Mapping[str, str]) -> list[str]:
    """The ids of records, in their order, but for what changed a thing, which comes before what the thing was."""
    ordered: dict[str, None] = {}
    for one in order:
        changes = [one]
        while (then := overtaken.get(changes[-1])) is not None and then not in changes:
            changes.append(then)
        ordered |= dict.fromkeys(then for then in reversed(changes) if then not in ordered)
    return list(ordered)


def having(name: str, records: Sequence[Record]) -> list[str]:
    """The ids of the records that have a name, newest first."""
    return [record.trace_id for record in reversed(records) if name in record.raw_output]
