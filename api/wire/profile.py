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
from utils.fields import Instructions, Locale, MessageId, Timezone, Wire, not_blank

MOST = 200  # items that are changed at once
PREFERENCES = ("instructions", "timezone", "locale", "paused")

_RANK = TypeAdapter(tuple[float, AwareDatetime, str])


class ProfileItemOut(Shown):
    """`sources`: ids of the messages that say so."""

    id: str
    text: str
    pinned: bool
    hidden: bool
    sources: list[str]


class ProfileItems(Shown):
    """`instructions`, `timezone`, `locale`: what holds for the user in any project; not there where not set. `paused`:
    nothing of what is said is kept."""

    items: list[ProfileItemOut]
    instructions: str | None = Field(default=None, exclude_if=lambda value: value is None)
    timezone: str | None = Field(default=None, exclude_if=lambda value: value is None)
    locale: str | None = Field(default=None, exclude_if=lambda value: value is None)
    paused: bool = Field(default=False, exclude_if=lambda value: not value)


class ProfileOut(ProfileItems):
    """A page of a profile. `user_id`: whose it is."""

    user_id: str
    next_cursor: str | None


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
    """`instructions`, `timezone`, `locale`: null takes them away. `paused`: whether nothing of what is said is to be
    kept from now on."""

    items: Annotated[list[ProfileItemPatch], Field(min_length=1, max_length=MOST)] | None = None
    instructions: Instructions | None = None
    timezone: Timezone | None = None
    locale: Locale | None = None
    paused: bool | None = None

    @model_validator(mode="after")
    def _each_once(self) -> "ProfilePatch":
        items = self.items or []
        if len({item.id for item in items}) < len(items):
            raise ValueError("names an item twice")
        if not self.model_fields_set & {"items", *PREFERENCES} or ("items" in self.model_fields_set and not items):
            raise ValueError("give at least one of items, instructions, timezone, locale and paused")
        return self

    @property
    def preferences(self) -> dict[str, str | bool | None]:
        """Those that it sets, or takes away."""
        return {name: getattr(self, name) or None for name in PREFERENCES if name in self.model_fields_set}


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
