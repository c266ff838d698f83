"""Summaries of tool results, without a language model: what was called, what came back, and the identifiers and texts
in it, by which it is found."""

from collections.abc import Iterator, Mapping
from itertools import islice

from memory.views.identifiers import identifiers, is_identifier
from memory.views.json_values import Json, scalars, written
from memory.views.records import RAW, ToolRecord
from utils.text import cut_at_word

LONGEST = 400  # characters of a summary
ARGUMENTS = 120  # characters of them that are told
READ = 10_000  # of a text in which identifiers are looked for
FIELDS = 8  # of a result that are named
BEFORE, BEHIND = "([{,;!?\"'`", ".:,;!?)]}\"'`"  # around an identifier; "./docs/api.md" begins with a dot


def summary_by_rules(record: ToolRecord) -> str:
    """A summary of a call and its result, at most `LONGEST` characters on one line."""
    named = [*identifiers([*record.arguments.values(), record.output]), *_said(record.output)]
    asked = ", ".join(
        written(value) if key == RAW else f"{key}={written(value)}" for key, value in record.arguments.items()
    )
    told = f"{record.tool_name}({cut_at_word(asked, ARGUMENTS)}) returned {_described(record.output)}"
    return cut_at_word(f"{told}: {', '.join(dict.fromkeys(named))}" if named else told, LONGEST)


def _said(output: Json) -> Iterator[str]:
    """By what else a result may be found, as far as there may be room for it: its texts, or the identifiers in it where
    it is one."""
    if isinstance(output, str):
        words = (word.lstrip(BEFORE).rstrip(BEHIND) for word in output[:READ].split())
        return (word for word in words if is_identifier(word))
    texts = (value for _, value in scalars(output) if isinstance(value, str) and value)
    return islice(texts, LONGEST)


def _described(output: Json) -> str:
    match output:
        case str():
            first = next((bare for line in output.splitlines() if (bare := line.strip())), "")
            return cut_at_word(first, ARGUMENTS) or "nothing"
        case Mapping():
            return _fields(output) or "nothing"
        case [Mapping() as first, *_]:
            return f"{len(output)} × {_fields(first)}"
        case list():
            return f"{len(output)} values" if output else "nothing"
        case _:
            return written(output) or "nothing"


def _fields(fields: Mapping[str, Json]) -> str:
    return ", ".join(list(fields)[:FIELDS]) + (", …" if len(fields) > FIELDS else "")
