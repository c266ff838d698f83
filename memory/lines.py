"""Lines of an export: the base of their shapes, and the fields that these share.

What is imported is checked as strictly as any request, but for texts: what was kept comes back as it was, whatever its
length, control characters included. Times of keeping that lie ahead are those of now, so that a deletion finds all.
"""

from datetime import datetime
from typing import Annotated, ClassVar

from pydantic import AfterValidator, ConfigDict, Field, StringConstraints

from utils.clock import now
from utils.fields import Moment, Wire
from utils.mongo import Document

PLACES = 2**31
COUNT = 2**53


def _passed(moment: datetime) -> datetime:
    return min(moment, now())


Passed = Annotated[Moment, AfterValidator(_passed)]
Epoch = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{16,32}$")]
Index = Annotated[int, Field(ge=0, lt=PLACES)]
Count = Annotated[int, Field(ge=0, lt=COUNT)]
Version = Annotated[int, Field(ge=1, lt=PLACES)]


class LinePart(Wire):
    """Base of what a line has in it. Built when the first export comes in, for few servers ever see one."""

    model_config = ConfigDict(defer_build=True)

    @classmethod
    def picked(cls, document: Document) -> Document:
        """The fields of a document that are of this shape and have a value."""
        return {name: document[name] for name in cls.model_fields if document.get(name) is not None}


class Line(LinePart):
    """Base of the shape of a line, which has a `kind` beside its fields. `alone`: its record is committed by itself,
    however little it is."""

    alone: ClassVar[bool] = False


class Kept(Line):
    created_at: Passed
    updated_at: Passed
