"""Fields that requests and lines of exports share, and what may stand in them."""

import base64
import binascii
import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Annotated, Any, TypeVar
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from config.settings import LOCALE
from utils.clock import zone_of

QUERY_CHARACTERS = 32_000
# Of a message: of a document's 16 MB it takes 4 at most, its terms take 4, and the vectors of its pieces 7 (`gists`).
CONTENT_CHARACTERS = 1_000_000
ID_CHARACTERS = 200
YEARS = range(1900, 2200)
PRINTABLE = r"^[^\x00-\x1f\x7f-\x9f]*$"  # for what comes in a query string; bodies are checked as a whole
ONE_SEGMENT = r"^[^/\x00-\x1f\x7f-\x9f]+$"  # of a path
DATE = re.compile(r"\d{4}-\d{2}-\d{2}")  # a number would be read as seconds since 1970
_IMAGE_TYPE = re.compile(r"data:image/[a-z0-9][a-z0-9.+-]*(?:;[a-z0-9-]+=[a-z0-9.+-]+)*;base64", re.ASCII | re.I)
_BLANK = re.compile(r"\s")

IMAGES = 16  # of a message

T = TypeVar("T")


class Wire(BaseModel):
    """Base of every model on the wire: strict types, no unknown fields, finite numbers."""

    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)


def checked_by(wrong_with: Callable[[Any], str | None]) -> AfterValidator:
    """Refuses a value of which a function says what is wrong with it."""

    def check(value: T) -> T:
        if (wrong := wrong_with(value)) is not None:
            raise ValueError(wrong)
        return value

    return AfterValidator(check)


def not_blank(text: str) -> str:
    """For strings that must say something."""
    if not text.strip():
        raise ValueError("must not be blank")
    return text


def not_a_dot_segment(text: str) -> str:
    """For what stands in a path: clients take "." and ".." out of it before it is sent."""
    if text in (".", ".."):
        raise ValueError("must not be a relative path")
    return text


def _text_only(value: Any) -> Any:
    if not isinstance(value, datetime) and not (isinstance(value, str) and DATE.match(value)):
        raise ValueError("must be an RFC 3339 time, or a date; without a zone it is in UTC")
    return value


def _to_its_end(value: Any) -> Any:
    return f"{value}T23:59:59.999999" if isinstance(value, str) and DATE.fullmatch(value) else value


def _of_one_line(value: str) -> str:
    if not re.fullmatch(PRINTABLE, value) or len(value.splitlines()) > 1:
        raise ValueError("must be of one line, without tabs and control characters")
    return value


def _in_utc(moment: datetime) -> datetime:
    if moment.year not in YEARS:
        raise ValueError(f"must lie between {YEARS.start} and {YEARS.stop - 1}")
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return aware.astimezone(UTC)


def _timezone(name: str) -> str:
    zone_of(name)
    return name


def _image(address: str) -> str:
    """The address as it is kept, so that the same image has the same one."""
    if address[:11].lower() == "data:image/":
        head, _, data = address.partition(",")
        if _IMAGE_TYPE.fullmatch(head) is None:
            raise ValueError("a data URI of an image begins with data:image/TYPE;base64,")
        try:
            image = base64.b64decode(data, validate=True)
        except (binascii.Error, ValueError):
            raise ValueError("the data URI is not valid base64") from None
        if not image:
            raise ValueError("the data URI has no data")
        return f"{head.lower()},{base64.b64encode(image).decode()}"
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname or _BLANK.search(address):
        raise ValueError("must be an http(s) URL or a data:image URI")
    return address


Identifier = Annotated[
    str,
    StringConstraints(min_length=1, max_length=ID_CHARACTERS, pattern=ONE_SEGMENT),
    AfterValidator(not_blank),
    AfterValidator(not_a_dot_segment),
]
MessageId = Annotated[
    str,
    StringConstraints(min_length=1, max_length=ID_CHARACTERS),
    AfterValidator(not_blank),
    AfterValidator(_of_one_line),
]
Query = Annotated[str, StringConstraints(min_length=1, max_length=QUERY_CHARACTERS), AfterValidator(not_blank)]
Content = Annotated[str, StringConstraints(min_length=1, max_length=CONTENT_CHARACTERS), AfterValidator(not_blank)]
Name = Annotated[
    str, StringConstraints(min_length=1, max_length=200), AfterValidator(not_blank), AfterValidator(_of_one_line)
]
ImageAddress = Annotated[str, StringConstraints(max_length=8_000_000), AfterValidator(_image)]
Moment = Annotated[datetime, BeforeValidator(_text_only), Field(strict=False), AfterValidator(_in_utc)]
LastMoment = Annotated[Moment, BeforeValidator(_to_its_end)]  # of a date alone, the end of its day
Timezone = Annotated[str, StringConstraints(min_length=1, max_length=100), AfterValidator(_timezone)]
ProjectName = Annotated[
    str,
    StringConstraints(min_length=1, max_length=100, pattern=ONE_SEGMENT),
    AfterValidator(not_blank),
    AfterValidator(not_a_dot_segment),
    AfterValidator(_of_one_line),
]
Instructions = Annotated[  # that stand: they go with every request
    str, StringConstraints(min_length=1, max_length=8_000), AfterValidator(not_blank)
]
Locale = Annotated[str, StringConstraints(max_length=35, pattern=LOCALE)]
TopK = Annotated[int, Field(ge=1, le=50)]
Share = Annotated[float, Field(ge=0, le=1)]
Limit = Annotated[int, Field(ge=1, le=200)]
