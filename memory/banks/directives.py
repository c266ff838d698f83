"""Directives: decisions on a bank's content in JSON, as a model or a client writes them."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from memory.banks.decisions import CRITICAL, MOST_FOUND, Decision, is_file_name, section_title
from memory.banks.filing import is_critical, metadata_of, section_for
from memory.banks.markdown import unified
from memory.banks.types import BankType
from utils.errors import HAS_CONTROL_CHARACTERS, InvalidInput
from utils.model_json import shape_of
from utils.text import CONTROL_CHARACTERS

MOST_DECISIONS = 60
TAG_CHARACTERS = 40  # of a tag, or of a category
NOT_CARRIED_OUT = "The content is JSON that says where it goes, but cannot be carried out, so nothing was changed: {}"
UNUSABLE = "it names what cannot be a file of a bank, or puts nothing into it"


class _Written(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore")


class _Metadata(_Written):
    section: str = ""
    category: str = "note"
    tags: list[str] = Field(default_factory=list)


class _Decided(_Written):
    target_file: str
    operation_type: Literal["append", "replace", "create"]
    content: Annotated[str, Field(min_length=1)]
    metadata: _Metadata = Field(default_factory=_Metadata)


_Decisions = Annotated[list[_Decided], Field(min_length=1, max_length=MOST_DECISIONS)]


class _Placed(_Written):
    decisions: _Decisions


PLACED = shape_of(_Placed)
_DIRECTIVES: TypeAdapter[list[_Decided]] = TypeAdapter(_Decisions)


def decisions_in(kind: BankType, raw: str) -> list[Decision]:
    """What a model decided, of its answer. Raises `ValueError` where that is not what it was asked for."""
    return [_decision(kind, decided) for decided in _Placed.model_validate_json(raw).decisions]


def directives_in(kind: BankType, content: str) -> list[Decision] | None:
    """What content decides itself that is nothing but JSON in the shape of an update's `changes`, one or a list of
    them, each with its `content`; None for other content. Without a section, rules say which of the file suits. Raises
    `InvalidInput` where it is meant so and cannot be carried out."""
    if (written := _written(content)) is None:
        return None
    try:
        read = _DIRECTIVES.validate_python(written)
        if any(CONTROL_CHARACTERS.search(decided.content) for decided in read):  # which JSON may hide
            raise InvalidInput(HAS_CONTROL_CHARACTERS.format("content"))
        return [_decision(kind, decided) for decided in read]
    except ValidationError as error:
        raise InvalidInput(NOT_CARRIED_OUT.format("; ".join(map(_told, error.errors()[:3])))) from None
    except ValueError:
        raise InvalidInput(NOT_CARRIED_OUT.format(UNUSABLE)) from None


def _written(content: str) -> Sequence[object] | None:
    """What directives were written, be they right or wrong; None where none are meant."""
    bare = content.strip()
    if not bare.startswith(("{", "[")) or '"target_file"' not in bare:
        return None
    try:
        value = json.loads(bare)
    except (ValueError, RecursionError):
        return None
    changes = value if isinstance(value, list) else [value]
    is_meant = any(
        isinstance(change, dict) and "target_file" in change and ("operation_type" in change or "content" in change)
        for change in changes
    )
    return changes if is_meant else None


def _told(error: Any) -> str:
    """One of pydantic's errors, without what was written."""
    number, *names = error["loc"] or [0]
    return f"{'.'.join([f'change {int(number) + 1}', *map(str, names)])}: {error['msg']}"


def _decision(kind: BankType, decided: _Decided) -> Decision:
    """Without a section, rules say which of the file suits. Raises `ValueError`."""
    name, content = decided.target_file.strip().lower(), clean(decided.content).strip("\n")
    if not is_file_name(name) or not content.strip():
        raise ValueError(UNUSABLE)
    section = decided.metadata.section.strip() or section_for(kind, name, content)
    category = section_title(decided.metadata.category).lower()[:TAG_CHARACTERS]
    known = metadata_of(content, section_title(section), category)
    tags = [tag.strip().lower().strip("#[]")[:TAG_CHARACTERS] for tag in decided.metadata.tags]
    tags = list(dict.fromkeys(tag for tag in (*tags, *known.tags) if tag))
    if CRITICAL in tags and not is_critical(content):
        content = f"{content} [{CRITICAL}]" if "\n" not in content else f"[{CRITICAL}]\n\n{content}"
    return Decision(decided.operation_type, name, content, replace(known, tags=tuple(tags[:MOST_FOUND])))


def clean(text: str) -> str:
    """A text without control characters, its lines ending as those of files do."""
    return CONTROL_CHARACTERS.sub("", unified(text))
