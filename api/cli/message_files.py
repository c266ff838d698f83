"""Files of messages, one a line, for `loci import`."""

import codecs
from collections.abc import Iterable, Iterator
from pathlib import Path

from pydantic import ValidationError

from api.cli.terminal import IDENTIFIER, fail
from api.wire.reasons import wrong
from api.wire.sessions import MessageIn
from api.wire.strict import read_json
from memory.domain import Turn
from memory.ids import derived_id
from utils.clock import now
from utils.errors import InvalidInput

BATCH = 200  # messages that are committed at a time


def turns_of(name: str, lines: Iterable[bytes], session: str) -> Iterator[tuple[str, Turn]]:
    """Each line's session and turn. The whole file is checked before anything is stored."""
    so_far = Path(name).name
    for number, line in enumerate(lines, 1):
        line = line.removeprefix(codecs.BOM_UTF8)
        if not line.strip():
            continue
        try:
            session_id, message = _line(line, session)
        except ValidationError as error:
            fail(f"{name}, line {number}: {wrong(error, '')}")
        except InvalidInput as error:
            fail(f"{name}, line {number}: {error.detail}")
        so_far = derived_id(so_far, session_id, message.role, message.content)  # a file that grew keeps its ids
        identifier = message.id or so_far
        yield session_id, Turn(identifier, message.role, message.content, message.timestamp or now(), message.name)


def _line(line: bytes, session: str) -> tuple[str, MessageIn]:
    fields = read_json(line)
    if not isinstance(fields, dict):
        raise InvalidInput("not a JSON object")
    session_id = IDENTIFIER.validate_python(fields.pop("session_id", session), strict=True)
    return session_id, MessageIn.model_validate(fields)


def batches_of(lines: list[tuple[str, Turn]]) -> Iterator[tuple[str, list[Turn]]]:
    """Consecutive lines of one session, at most `BATCH` at a time."""
    batch: list[Turn] = []
    current = ""
    for session_id, turn in lines:
        if batch and (session_id != current or len(batch) == BATCH):
            yield current, batch
            batch = []
        current = session_id
        batch.append(turn)
    if batch:
        yield current, batch
