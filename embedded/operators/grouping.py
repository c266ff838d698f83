"""Grouping: the groups that documents fall into, and how many there are."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from embedded.errors import StoreError
from embedded.operators.accumulating import compile_accumulator
from embedded.operators.comparing import MISSING
from embedded.operators.expressions import compile_expression
from embedded.operators.keys import encode_key
from embedded.operators.ordering import sort_documents
from embedded.operators.stages import Document, Stage
from embedded.operators.typenames import is_string


def group(spec: Any) -> Stage:
    """`$group`: a document for each value of `_id`, in the order they first come. Raises StoreError 15947/15955."""
    if not isinstance(spec, Mapping):
        raise StoreError(15947, "a group's fields must be specified in an object")
    if "_id" not in spec:
        raise StoreError(15955, "a group specification must include an _id")
    key = compile_expression(spec["_id"])
    fields = {name: compile_accumulator(name, value) for name, value in spec.items() if name != "_id"}

    def run(documents: Iterable[Document]) -> Iterator[Document]:
        groups: dict[bytes, tuple[Any, list[list[Any]]]] = {}
        for document in documents:
            scope = {"ROOT": document, "CURRENT": document}
            value = key(scope)
            found = groups.setdefault(encode_key(None if value is MISSING else value), (value, [[] for _ in fields]))
            for collected, accumulator in zip(found[1], fields.values(), strict=True):
                collected.append(accumulator.collect(scope))
        for value, columns in groups.values():
            grouped: Document = {"_id": None if value is MISSING else value}
            for values, (name, accumulator) in zip(columns, fields.items(), strict=True):
                grouped[name] = accumulator.finish(values, value)
            yield grouped

    return run


def count(spec: Any) -> Stage:
    """`$count`: one document with the number of documents, none if there are none. Raises StoreError 40156 …"""
    if not is_string(spec):
        raise StoreError(40156, "the count field must be a non-empty string")
    if not spec:
        raise StoreError(40157, "the count field must be a non-empty string")
    if spec.startswith("$"):
        raise StoreError(40158, "the count field cannot be a $-prefixed path")
    if "." in spec:
        raise StoreError(40160, "the count field cannot contain '.'")

    def run(documents: Iterable[Document]) -> Iterator[Document]:
        number = sum(1 for _ in documents)
        if number:
            yield {spec: number}

    return run


def sort_by_count(spec: Any) -> Stage:
    """`$sortByCount`: the groups of an expression, the largest first. Raises StoreError 40147 … 40149."""
    if is_string(spec):
        if not spec.startswith("$"):
            raise StoreError(
                40148, "the sortByCount field must be defined as a $-prefixed path or an expression object"
            )
    elif not isinstance(spec, Mapping):
        raise StoreError(40149, "the sortByCount field must be specified as a string or as an object")
    elif not next(iter(spec), "").startswith("$"):
        raise StoreError(
            40147, "the sortByCount field must be defined as a $-prefixed path or an expression inside an object"
        )
    counted = group({"_id": spec, "count": {"$sum": 1}})
    return lambda documents: iter(sort_documents(counted(documents), {"count": -1}))
