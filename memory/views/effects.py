"""Does a call change anything? Its method or its command says so, else the name of its tool."""

import re
import shlex
from collections.abc import Iterator, Mapping

from memory.views.commands import MANAGERS, READ, Part, parts_of
from memory.views.json_values import Json
from memory.views.names import asks, does, reads, words_of
from memory.views.records import STATES, Record
from memory.views.sql import changed_none, is_sql

COMMANDS = frozenset({"command", "commands", "cmd", "script", "shell", "args", "argv", "code", "sql", "statement"})
WORD = re.compile(r"[^\s\"'`;|&<>()=,]+")  # of a command or a text, in which a thing may be named

_ACTIONS = ("action", "operation", "op", "command")
_ASKING = frozenset({"get", "head", "options"})
_QUERIES = frozenset({"query", "q"})
_SEARCHING = frozenset({"search", "grep", "find", "web", "lookup"})
_ASKS_BY_POST = re.compile(r"(?i)\b_?(?:search|query)/?(?:\?|$)")
_DONE = frozenset({"ok", "done", "success", "successful", "succeeded", "updated", "saved", "written", "set", "true"})


def only_reads(record: Record) -> bool:
    """Whether a call changes nothing. Where its tool is called by a thing alone, as `suppliers` is, what came back says
    so, if it is more than that it was done."""
    action = _action(record)
    if action is not None:
        return action
    parts = commands_in(record)
    if any(part.changes for part in parts):
        return changed_none(record.output)
    if parts:
        return all(part.changes is False for part in parts) or reads(record.tool_name)
    words = words_of(record.tool_name)
    return reads(record.tool_name) or (bool(words) and not does(words) and not _is_receipt(record.output))


def commands_in(record: Record) -> tuple[Part, ...]:
    """What the commands in a call do, and the statements of SQL."""
    if COMMANDS.isdisjoint(record.arguments) and _QUERIES.isdisjoint(record.arguments):
        return ()
    return tuple(part for key, value in record.arguments.items() for part in _parts(record.tool_name, key, value))


def _action(record: Record) -> bool | None:
    """Whether what a call says to do only reads; None where it does not say so in a word."""
    if record.method:
        asks_by_post = record.method == "post" and _ASKS_BY_POST.search(record.address) is not None
        return record.method in _ASKING or asks_by_post
    for key in _ACTIONS:
        word = record.arguments.get(key)
        words = words_of(word) if isinstance(word, str) and word.replace("_", "").isalpha() else ()
        if asks(words) or does(words):
            return asks(words)
    return None


def _parts(tool_name: str, key: str, value: Json) -> Iterator[Part]:
    if isinstance(value, list) and key in COMMANDS:
        words = [one for one in value if isinstance(one, str)]
        for one in words if key == "commands" else [shlex.join(words)]:
            yield from _parts(tool_name, key, one)
    elif not isinstance(value, str):
        return
    elif key == "code" and not is_sql(value[:READ]):
        yield Part(changes=None, words=tuple(WORD.findall(value[:READ])))
    elif key in COMMANDS:
        yield from parts_of(value, next((one for one in words_of(tool_name) if one in MANAGERS), ""))
    elif key in _QUERIES and is_sql(value[:READ]) and _SEARCHING.isdisjoint(words_of(tool_name)):
        yield from parts_of(value)


def _is_receipt(output: Json) -> bool:
    """Whether a result says no more than that something was done."""
    if isinstance(output, Mapping):
        told = (output.get(name) for name in ("ok", "success", "message", *STATES))
        return len(output) <= 2 and any(one is True or (isinstance(one, str) and _is_receipt(one)) for one in told)
    return output is True or (isinstance(output, str) and output.strip(" .!\n").casefold() in _DONE)
