"""Wire shapes of parts of a tool's record over MCP."""

from typing import Annotated

from pydantic import BeforeValidator, Field, StringConstraints

from agents.tools import FURTHEST, LONGEST_ID, MOST_READ, READ, id_of_row
from api.wire.fields import Wire


class RecordCall(Wire):
    trace_id: Annotated[
        str,
        BeforeValidator(id_of_row),
        StringConstraints(min_length=1, max_length=LONGEST_ID),
        Field(description="With which the row begins"),
    ]
    query: Annotated[str, Field(max_length=2_000, description="Words by which the part is found; left out: none")] = ""
    offset: Annotated[int, Field(ge=0, lt=FURTHEST, description="Characters that are passed over")] = 0
    limit: Annotated[int, Field(ge=100, le=MOST_READ, description=f"Characters; left out: {READ}")] = READ


class RecordRead(Wire):
    """`more`: which part of the result it is, and how to get the next; null where it is all."""

    tool: str
    arguments: str
    result: str
    more: str | None
