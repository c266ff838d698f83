"""Wire shapes of a user's profile."""

from typing import Annotated

import orjson
from pydantic import (
    AfterValidator,
    AwareDatetime,
    Field,
    StringConstraints,
    TypeAdapter,
    ValidationError,
    model_validator,
)

from api.wire.base import OwnedRequest, Shown
from api.wire.facts import LONGEST_FACT
from api.wire.paging import UNKNOWN, cursor_of_key, key_of
from memory.facts import ProfileChange, ProfileItem, Rank
from utils.errors import InvalidInput
from utils.fields import MessageId, Wire, not_blank

MOST = 200  # items that are changed at once

_RANK = TypeAdapter(tuple[float, AwareDatetime, str])


class ProfileItemOut(Shown):
    """`sources`: ids of the messages that say so."""

    id: str
    text: str
    pinned: bool
    hidden: bool
    sources: list[str]


class ProfileItems(Wire):
    items: list[ProfileItemOut]


class ProfileItemPatch(Wire):
    """What becomes of one item; what is not given stays as it is."""

    id: MessageId
    pinned: bool | None = None
    hidden: bool | None = None
    text: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_FACT), AfterValidator(not_blank)] | None = (
        None
    )

    @property
    def change(self) -> ProfileChange:
        return ProfileChange(self.id, self.pinned, self.hidden, self.text)


class ProfilePatch(OwnedRequest):
    items: Annotated[list[ProfileItemPatch], Field(min_length=1, max_length=MOST)]

    @model_validator(mode="after")
    def _each_once(self) -> "ProfilePatch":
        if len({item.id for item in self.items}) < len(self.items):
            raise ValueError("names an item twice")
        return self


def cursor_of_item(item: ProfileItem) -> str:
    """The cursor after an item of a profile."""
    return cursor_of_key(orjson.dumps(tuple(item.rank)).decode())


def rank_of(cursor: str | None) -> Rank | None:
    """The rank in a profile that a cursor names. Raises `InvalidInput` for what is no cursor of ours."""
    if cursor is None:
        return None
    try:
        return Rank(*_RANK.validate_json(key_of(cursor), strict=True))
    except ValidationError:
        raise InvalidInput(UNKNOWN) from None
