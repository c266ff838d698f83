"""What many requests and answers share."""

from typing import Generic, Self, TypeVar

from api.wire.fields import Identifier, Wire

T = TypeVar("T")


class OwnedRequest(Wire):
    """A body that may name the user whom the request is about, as the query may; `api/auth` reads it."""

    user_id: Identifier = "default"


class Shown(Wire):
    """What is shown of a thing of the core. Where a field has another name there, `validation_alias` is that."""

    @classmethod
    def of(cls, thing: object) -> Self:
        """Raises `ValidationError` where the thing has no such attribute."""
        return cls.model_validate(thing, from_attributes=True, strict=False)


class Page(Wire, Generic[T]):
    items: list[T]
    next_cursor: str | None


class Deleted(Wire):
    deleted: dict[str, int]
