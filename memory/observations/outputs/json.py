"""What does JSON in a step's output tell? Its errors, each by its name, and of each object what it says, on a line."""

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import islice
from json import loads
from typing import cast

from memory.observations.outputs.logs import level_in
from memory.observations.outputs.runs import is_error, unstamped
from memory.observations.outputs.sarif import is_sarif, told_of_sarif
from memory.views import Json, Talk, json_in, scalars, tells_of_failure, worth_of
from utils.text import GAP, cut_at_word, repair

ERRORS = ("error", "errors", "exception", "fault", "failure", "failures")  # fields under which JSON tells of errors
TELLING = (
    "name",
    "type",
    "code",
    "status",
    "title",
    "reason",
    "message",
    "msg",
    "detail",
    "description",
    "error",
    "hint",
)
LEVELS = ("error", "fatal", "critical")  # of a log's entry
NAMES = ("name", "title", "id", "key")  # fields that say what an object is called
AROUND = frozenset({*ERRORS, "data", "result", "results", "response", "body", "items"})  # keys that name nothing
STATES = ("status", "state", "result", "outcome", "conclusion", "phase")
UNNAMING = frozenset({*TELLING, *STATES, "level", "levelname", "lvl", "severity"})  # whose texts name no object
FAILED = ("error", "fail", "failed", "failure", "crashed", "timeout", "timed_out", "timed out")
NO_ERROR = frozenset({"", "none", "null", "no", "n/a", "-"})
DEEPEST = 10  # objects and lists in each other that are read
MOST_ERRORS, MOST_OBJECTS = 8, 5  # told of one output
FEWEST_FIELDS, FEWEST_BESIDE = 3, 2  # values of an object that is told; of one within something, or beside an error
MOST_NAMING = 2  # of what failed that say what it is
MOST_FIELDS = 12  # of an object that are told
MOST_ITEMS = 8  # of a list of values
LONGEST_NAME, LONGEST_VALUE, LONGEST = 60, 100, 400  # characters of a name, a value, and what is told of an object

_NOBODY = Talk("")  # nothing is asked for
# A state that says alone, or before why, that something failed; "failed over" and "error-free" do not.
_FAILED = re.compile(rf"(?:{'|'.join(FAILED)})(?=$|\s*[:(,;]|\s+[–—-]\s|\s(?:after|at|because|by|due|in|on|with)\b)")
_IS_ERROR = re.compile(r'"(?:errors?|exception|fault|failures?)"\s*:\s*[\[{"]')
_SAID = re.compile(r'"(?:error|reason|message|msg|detail)"\s*:\s*("(?:[^"\\\x00-\x1f]|\\["\\/bfnrt]){1,300}")')


def take_json(text: str) -> tuple[list[str], str]:
    """What the JSON in a text tells, its errors first, each on a line, and the text without it. What stands in a line
    of prose and tells nothing stays there, and so does that in the message of an error."""
    values: list[object] = []
    sarif: list[object] = []
    cut: list[str] = []
    parts: list[str] = []
    at = 0
    for found in json_in(text):
        before, behind = _beside(text, found.begin, found.end)
        is_inline = bool(before or behind)
        if is_inline and found.whole and (is_error(unstamped(f"{before} {behind}")) or not _told([found.value])):
            continue
        parts += [text[at : found.begin], GAP if is_inline else ""]
        at = found.end
        if found.whole:
            (sarif if is_sarif(found.value) else values).append(found.value)
        else:
            cut = _errors_of_cut(text[found.begin :])
    reported = [line for report in sarif for line in told_of_sarif(cast(Mapping[str, Json], report))]
    return [repair(line) for line in (*reported, *_told(values), *cut)], "".join([*parts, text[at:]])


def _beside(text: str, begin: int, end: int) -> tuple[str, str]:
    """What stands before and behind a part of a text on its lines."""
    line = text.rfind("\n", max(0, begin - LONGEST), begin) + 1 or max(0, begin - LONGEST)
    until = text.find("\n", end, end + LONGEST)
    return text[line:begin].strip(), text[end : until if until >= 0 else end + LONGEST].strip()


def _told(values: Sequence[object]) -> list[str]:
    """What values of JSON tell: errors, then what objects say, then what the items of lists do."""
    value = values[0] if len(values) == 1 else list(values)
    errors: dict[str, None] = {}
    rest = _without_errors(value, errors, DEEPEST)
    alone = isinstance(value, Mapping) and not errors
    said = list(_said_of(rest, "", FEWEST_FIELDS if alone else FEWEST_BESIDE))
    lines = dict.fromkeys(line for is_item in (False, True) for line, of_list in said if of_list is is_item)
    return [*islice(errors, MOST_ERRORS), *islice(lines, MOST_OBJECTS)]


def _errors_of_cut(text: str) -> list[str]:
    """The error that JSON tells of whose end is missing."""
    if _IS_ERROR.search(text) is None:
        return []
    said = dict.fromkeys(loads(found) for found in _SAID.findall(text))
    return [f"error: {', '.join(said)}"] if said else []


def _without_errors(value: object, errors: dict[str, None], depth: int, where: str = "") -> object:
    """A value without what is empty or too deep, and without what it tells of errors, which goes into `errors`, with
    `where` it stands: its key, or what an item of a list is called. Of a log's entry only a warning is left."""
    if isinstance(value, list) and depth:
        items = [_without_errors(item, errors, depth - 1, _called(item)) for item in value]
        return [item for item in items if not _is_empty(item)]
    if isinstance(value, Mapping) and depth:
        lines, telling = _errors_in(value, depth)
        errors |= dict.fromkeys(line if where in line else line.replace(": ", f": {where}: ", 1) for line in lines)
        if level_in(value) in ("low", "error"):
            return None
        return _rest_of(value, telling, errors, depth)
    if isinstance(value, list | Mapping):
        return None
    return " ".join(value.split()) if isinstance(value, str) else value


def _rest_of(
    value: Mapping[str, object], telling: Set[str], errors: dict[str, None], depth: int
) -> Mapping[str, object]:
    """An object without the fields that are told, and each of the others without what it tells of errors."""
    left = {
        name: _without_errors(item, errors, depth - 1, "" if name in AROUND else name)
        for name, item in value.items()
        if name not in telling
    }
    return {name: item for name, item in left.items() if not _is_empty(item)}


def _called(item: object) -> str:
    """What an object is called: by a field for that, or by its first text; empty where nothing says so."""
    if not isinstance(item, Mapping):
        return ""
    about = item.get("metadata")  # Kubernetes
    if isinstance(about, Mapping) and _is_name(about.get("name")):
        return str(about["name"])
    for field in NAMES:
        if _is_name(item.get(field)):
            return f"id {item[field]}" if field == "id" else str(item[field])
    texts = (field for field, text in item.items() if isinstance(text, str) and _is_name(text) and _begins_name(text))
    first = next(texts, "level")
    return "" if first in UNNAMING else f"{first} {item[first]}"


def _is_name(value: object) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool) and 0 < len(str(value)) <= LONGEST_NAME


def _begins_name(text: str) -> bool:
    return text[0].isalpha() or (text[0] in "/.~@" and any(map(str.isalpha, text)))


def _is_empty(value: object) -> bool:
    return value is None or (isinstance(value, str | list | Mapping) and not value)


def _errors_in(value: Mapping[str, object], depth: int) -> tuple[list[str], set[str]]:
    """The errors of an object, each on a line, and the fields that tell of them or that there are none. `depth`: how
    many objects within each other are looked at."""
    status = value.get("status")
    states = [str(value[name]).strip().lower() for name in STATES if isinstance(value.get(name), str)]
    verdicts = {name for name in ("success", "ok") if value.get(name) is False}
    flags = {name for name in ERRORS if value.get(name) is True}
    named = {name for name in ERRORS if _is_told(value.get(name))}
    failed = verdicts or flags or named or value.get("level") in LEVELS or level_in(value) == "error"
    has_failed = any(map(_FAILED.match, states))
    if not failed and not has_failed and not (isinstance(status, int) and status >= 400):
        return [], {name for name in ERRORS if _denies(value.get(name))}
    inner = [item for name in ERRORS if name in named for item in _listed(value[name]) if isinstance(item, Mapping)]
    if inner:
        return [line for one in inner for line in _told_in(one, depth - 1)] if depth else [], named | flags
    lines, telling = _error_of(value)
    if not (verdicts or flags or named) and has_failed:
        lines, telling = _failure_of(value)
    return lines, telling | verdicts | flags | named if lines else set()


def _failure_of(value: Mapping[str, object]) -> tuple[list[str], set[str]]:
    """What says of itself that it failed, on a line: what it is, then how it is and why."""
    said = {
        name: str(item)
        for name, item in value.items()
        if isinstance(item, str | int) and not isinstance(item, bool) and item != ""
    }
    telling = [name for name in dict.fromkeys(("name", *STATES, *TELLING)) if name in said]
    beside = islice((one for one in said if one not in telling), MOST_NAMING)
    what = [f"{name} {cut_at_word(said[name], LONGEST_VALUE)}" for name in beside]
    return [cut_at_word(f"error: {', '.join([*what, *(said[one] for one in telling)])}", LONGEST)], {*telling}


def _told_in(error: Mapping[str, object], depth: int) -> list[str]:
    """What is told of an error that is an object: what names it, else all that it says."""
    lines, telling = _errors_in(error, depth)
    lines = lines or _error_of(error)[0]
    if not lines and depth and (said := _brief(_rest_of(error, telling, {}, depth))):
        lines = [f"error: {cut_at_word(said, LONGEST)}"]
    return lines


def _error_of(value: Mapping[str, object]) -> tuple[list[str], set[str]]:
    """The error that the fields of one object tell, on a line, where they tell any, and these fields."""
    telling = [name for name in TELLING if isinstance(value.get(name), str | int) and not isinstance(value[name], bool)]
    texts = [item for name in ERRORS for item in _listed(value.get(name)) if isinstance(item, str)]
    said = [text for text in dict.fromkeys([*(str(value[name]) for name in telling), *texts]) if text.strip()]
    parts = [part for part in said if part != "about:blank"]
    return ([cut_at_word(f"error: {', '.join(parts)}", LONGEST)] if parts else []), set(telling)


def _is_told(error: object) -> bool:
    return bool(error) and isinstance(error, str | Mapping | list) and not _denies(error)


def _denies(error: object) -> bool:
    """Whether a field for errors says that there is none."""
    return error is False or (isinstance(error, str) and error.strip().lower() in NO_ERROR)


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]


def _said_of(value: object, name: str, fewest: int, *, is_item: bool = False) -> Iterator[tuple[str, bool]]:
    """What objects say, a line each, and whether they are items of lists: an object's values, and what is small of
    lists and objects in it; larger ones follow on lines of their own, under the names that lead to them. Of a long list
    what differs from the rest comes first. `fewest`: values, of an object that says
    something."""
    is_item = is_item or isinstance(value, list)
    is_long = isinstance(value, list) and len(value) > MOST_OBJECTS
    for item in _odd_first(cast(list[Json], value)) if is_long else _listed(value):
        if not isinstance(item, Mapping):
            continue
        brief = {field: _brief(inner, within=bool(name)) for field, inner in item.items()}
        near = {field: text for field, text in brief.items() if text is not None}
        if sum(_values(item[field]) for field in near) >= fewest:
            yield cut_at_word(_line(near, name), LONGEST), is_item
        called = _called(item) if isinstance(value, list) else ""
        under = f"{name}[{called}]" if name and called else name or called
        for field, inner in item.items():
            if field not in near:
                yield from _said_of(inner, f"{under}.{field}" if under else field, FEWEST_BESIDE, is_item=is_item)


def _odd_first(items: Sequence[Json]) -> list[Json]:
    """The items of a list, first those that speak of a failure, then those in which a field differs from nearly all
    others."""
    fails = [any(isinstance(said, str) and tells_of_failure(said) for _, said in scalars(item)) for item in items]
    worth = worth_of(items, _NOBODY)
    return [items[at] for at in sorted(range(len(items)), key=lambda at: (not fails[at], -worth[at]))]


def _line(said: Mapping[str, str], name: str) -> str:
    """Fields with their values on a line; those of an object in another stand under its name."""
    between, behind = (" ", ", ") if name else (": ", "; ")
    told = [f"{field}{between}{text}" for field, text in islice(said.items(), MOST_FIELDS)]
    if len(said) > MOST_FIELDS:
        told.append(f"… {len(said) - MOST_FIELDS} more")
    return f"{name}: {behind.join(told)}" if name else behind.join(told)


def _brief(value: object, *, within: bool = False) -> str | None:
    """A value, or a small list or object, in a few words; None where it is to be told by itself. `within`: in another,
    so that it needs brackets."""
    if isinstance(value, list):
        items = [next(iter(item.values())) if isinstance(item, Mapping) and len(item) == 1 else item for item in value]
        if any(isinstance(item, list | Mapping) for item in items):
            return None
        more = [f"… {len(items) - MOST_ITEMS} more"] if len(items) > MOST_ITEMS else []
        text = cut_at_word(", ".join([*map(_text, items[:MOST_ITEMS]), *more]), LONGEST_VALUE)
        return f"({text})" if within else text
    if not isinstance(value, Mapping):
        return cut_at_word(_text(value), LONGEST_VALUE)
    parts = {name: _brief(item, within=True) for name, item in value.items()}
    text = ", ".join(f"{name} {part}" for name, part in parts.items())
    if None in parts.values() or len(text) > LONGEST_VALUE:
        return None
    return f"({text})" if within else text


def _values(value: object) -> int:
    """How many values stand in a value."""
    match value:
        case list():
            return sum(map(_values, value))
        case Mapping():
            return sum(map(_values, value.values()))
        case _:
            return 1


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
