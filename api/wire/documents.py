"""Wire shapes of documents as MongoDB has them: listed, and whole with their BSON types."""

from datetime import UTC, datetime
from typing import Any

import numpy as np
from bson import Binary, Int64
from pydantic import Field

from api.wire.base import Page, Shown
from memory.oversight import size_of
from utils.fields import Wire
from utils.mongo import Document
from utils.vectors import from_binary

LONGEST = 20_000  # characters of a string that are shown
MOST = 500  # entries of an array that are shown
DECIMALS = 4  # of the numbers of a vector


class FoundOut(Shown):
    """A document of a collection. `id`: names it in an address; `key`: its `_id`; `text`: how it begins; `project`: the
    isolated one whose memory it is in."""

    id: str
    key: str
    user_id: str = Field(validation_alias="owner")
    project: str
    session_id: str | None = Field(validation_alias="session")
    kind: str | None
    at: datetime | None = Field(validation_alias="updated_at")
    text: str


class FoundPage(Page[FoundOut]): ...


class VectorOut(Wire):
    """A vector of float32. `norm`: its length."""

    dimensions: int
    norm: float
    values: list[float]


class Node(Wire):
    """A field of a document, or an entry of an array. `type`: BSON's, by MongoDB's name, or `vector`; `value`: what it
    is, as text; `size`: entries of an object or array, characters of a string, bytes of binary data, of which as many
    are shown as there is room for."""

    name: str
    type: str
    value: str | None = None
    size: int | None = None
    children: list["Node"] | None = None
    vector: VectorOut | None = None

    @classmethod
    def of(cls, name: str, value: Any) -> "Node":
        match value:
            case dict():
                fields = [cls.of(str(each), one) for each, one in value.items()]
                return cls(name=name, type="object", size=len(fields), children=fields)
            case list():
                entries = [cls.of(str(place), one) for place, one in enumerate(value[:MOST])]
                return cls(name=name, type="array", size=len(value), children=entries)
            case str():
                return cls(name=name, type="string", value=value[:LONGEST], size=len(value))
            case bytes():
                return cls._of_binary(name, value)
            case datetime():
                return cls(name=name, type="date", value=value.astimezone(UTC).isoformat(timespec="milliseconds"))
            case bool():
                return cls(name=name, type="bool", value=str(value).lower())
            case None:
                return cls(name=name, type="null", value="null")
            case Int64():
                return cls(name=name, type="long", value=str(int(value)))
            case int():
                return cls(name=name, type="int", value=str(value))
            case float():
                return cls(name=name, type="double", value=str(value))
        return cls(name=name, type=type(value).__name__, value=str(value))

    @classmethod
    def _of_binary(cls, name: str, value: bytes) -> "Node":
        try:
            floats = from_binary(value)
        except ValueError:
            subtype = value.subtype if isinstance(value, Binary) else 0
            return cls(name=name, type="binData", value=f"subtype {subtype}", size=len(value))
        finite = np.nan_to_num(floats.astype(float))
        values = [round(float(one), DECIMALS) for one in finite]
        vector = VectorOut(dimensions=len(values), norm=round(float(np.linalg.norm(finite)), 6), values=values)
        return cls(name=name, type="vector", size=len(value), vector=vector)


class DocumentOut(Wire):
    """A document whole. `bytes`: of it as BSON."""

    collection: str
    bytes: int
    fields: list[Node]

    @classmethod
    def of(cls, name: str, document: Document) -> "DocumentOut":
        fields = [Node.of(field, value) for field, value in document.items()]
        return cls(collection=name, bytes=size_of(document), fields=fields)


class AuditOut(Shown):
    """`who`: how they were let in, and from which address; `action`: the request, as routes have it; `user_id`: whom it
    was about; `detail`: which of several."""

    at: datetime = Field(validation_alias="updated_at")
    who: str
    action: str
    user_id: str | None = Field(validation_alias="user")
    detail: str | None


class IndexOut(Shown):
    """`keys`: fields, each with its direction. `bytes`: of the index."""

    name: str
    keys: list[tuple[str, str]]
    bytes: int = Field(validation_alias="size")


class CollectionOut(Shown):
    """`bytes`: of the documents; `stored_bytes`: that they take on disk; `filters`: by which they can be listed, beside
    the user."""

    name: str
    documents: int
    bytes: int = Field(validation_alias="size")
    stored_bytes: int = Field(validation_alias="stored")
    indexes: list[IndexOut]
    filters: list[str]


class CollectionsOut(Wire):
    items: list[CollectionOut]
