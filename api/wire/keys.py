"""Wire shapes of API keys."""

from datetime import datetime
from typing import Self

from pydantic import Field, model_validator

from api.wire.base import Shown
from utils.fields import PRINTABLE, Identifier, Wire

LONGEST_NAME = 200


class NewKey(Wire):
    """A key of a user's, or one that acts for the users whom requests name. `name`: what it is for."""

    user_id: Identifier | None = None
    acts_for_users: bool = False
    name: str | None = Field(default=None, min_length=1, max_length=LONGEST_NAME, pattern=PRINTABLE)

    @model_validator(mode="after")
    def _check_whose(self) -> Self:
        if self.acts_for_users == (self.user_id is not None):
            raise ValueError("give either user_id or acts_for_users")
        return self


class MadeKey(Wire):
    """A key, shown this once: its hash alone is kept."""

    key: str


class KeyOut(Shown):
    """`id`: how the key begins, else how its hash does. `configured`: it stands in API_KEYS, and is changed there."""

    id: str
    user_id: Identifier | None = Field(validation_alias="user")
    acts_for_users: bool = Field(validation_alias="acts")
    name: str | None
    configured: bool
    created_at: datetime | None
    used_at: datetime | None


class KeysOut(Wire):
    items: list[KeyOut]
