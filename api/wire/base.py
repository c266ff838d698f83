"""What many requests and answers share."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, Self, TypeVar

from api.wire.paging import Updated, cursor_of, page_of
from utils.fields import Identifier, ProjectName, Wire

T = TypeVar("T")
Thing = TypeVar("Thing")
Timed = TypeVar("Timed", bound=Updated)


class UsersRequest(Wire):
    """A body that may name the user whom the request is about, as the query may; `api/auth` reads it."""

    user_id: Identifier = "default"


class OwnedRequest(UsersRequest):
    """One that may name the project, too."""

    project: ProjectName | None = None


class Shown(Wire):
    """What is shown of a thing of the core. Where a field has another name there, `validation_alias` is that."""

    @classmethod
    def of(cls, thing: object, **more: object) -> Self:
        """`more`: attributes that the thing does not have, or not as they are shown. Raises `ValidationError` where one
        is missing."""
        return cls.model_validate(_With(thing, more) if more else thing, from_attributes=True, strict=False)


class Page(Wire, Generic[T]):
    items: list[T]
    next_cursor: str | None

    @classmethod
    def model_parametrized_name(cls, params: tuple[Any, ...]) -> str:
        """`FactPage` for a page of `FactOut`."""
        return f"{params[0].__name__.removesuffix('Out')}Page"

    @classmethod
    def of(cls, found: Sequence[Thing], limit: int, cursor: Callable[[Thing], str]) -> Self:
        """What is shown of things, where one more than `limit` was looked for."""
        page, more = page_of(found, limit, cursor)
        return cls.model_validate({"items": page, "next_cursor": more}, from_attributes=True, strict=False)

    @classmethod
    def by_time(cls, found: Sequence[tuple[Timed, str]], limit: int) -> Self:
        """The same of things that list by time, then key, each with its key."""
        page, more = page_of(found, limit, cursor_of)
        items = [thing for thing, _ in page]
        return cls.model_validate({"items": items, "next_cursor": more}, from_attributes=True, strict=False)


class Deleted(Wire):
    deleted: dict[str, int]


class _With:
    """A thing with more attributes than it has."""

    def __init__(self, thing: object, more: Mapping[str, object]) -> None:
        self._thing = thing
        self._more = more

    def __getattr__(self, name: str) -> Any:
        return self._more[name] if name in self._more else getattr(self._thing, name)
