"""Stages that choose documents, order them, or change their shape."""

import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from embedded.errors import StoreError
from embedded.operators.expressions import compile_expression
from embedded.operators.matching import compile_filter
from embedded.operators.ordering import compile_sort
from embedded.operators.paths import as_mapping
from embedded.operators.projecting import compile_stage
from embedded.operators.shaping import Shape, check_path, compute, drop, plant
from embedded.operators.typenames import is_number, is_string, type_name, whole_number

Document = dict[str, Any]
Stage = Callable[[Iterable[Document]], Iterator[Document]]


def match(spec: Any) -> Stage:
    """`$match`. Raises StoreError 15959, and as `compile_filter`."""
    if not isinstance(spec, Mapping):
        raise StoreError(15959, "the match filter must be an expression in an object")
    holds = compile_filter(spec)
    return lambda documents: filter(holds, iter(documents))


def project(spec: Any) -> Stage:
    """`$project`. Raises as `compile_stage`."""
    shape = compile_stage(spec)
    return lambda documents: map(shape, documents)


def add_fields(spec: Any) -> Stage:
    """`$addFields` and `$set`: nested documents add to those that are there. Raises StoreError 40272, 40177, 40180."""
    if not isinstance(spec, Mapping):
        raise StoreError(40272, "$addFields specification stage must be an object")
    if not spec:
        raise StoreError(40177, "Invalid $addFields :: caused by :: specification must have at least one field")
    shape: Shape = {}
    _plant_computed(shape, "", spec)
    return lambda documents: (
        compute(document, shape, {"ROOT": document, "CURRENT": document}) for document in documents
    )


def unset(spec: Any) -> Stage:
    """`$unset`: a path or a list of them. Raises StoreError 31002, 31119 for no path, 31120 for what is no text."""
    if not is_string(spec) and not isinstance(spec, list):
        raise StoreError(31002, "$unset specification must be a string or an array")
    paths = spec if isinstance(spec, list) else [spec]
    if not paths:
        raise StoreError(31119, "$unset specification must be a string or an array with at least one field")
    if not all(map(is_string, paths)):
        raise StoreError(31120, "$unset specification must be a string or an array containing only string values")
    shape: Shape = {}
    for path in paths:
        check_path(path)
        plant(shape, path, None)
    return lambda documents: (drop(document, shape) for document in documents)


def sort(spec: Any) -> Stage:
    """`$sort`. Raises StoreError 15973/15976, and as `compile_sort`."""
    if not isinstance(spec, Mapping):
        raise StoreError(15973, "the $sort key specification must be an object")
    if not spec:
        raise StoreError(15976, "$sort stage must have at least one sort key")
    key = compile_sort(spec)
    return lambda documents: iter(sorted(documents, key=key))


def limit(spec: Any) -> Stage:
    """`$limit`, from 1. Raises StoreError 5107201, 15958."""
    count = whole_number(spec)
    if count is None or count < 0:
        raise StoreError(
            5107201, f"invalid argument to $limit stage: Expected a non-negative number in: $limit: {spec!r}"
        )
    if count == 0:
        raise StoreError(15958, "the limit must be positive")
    return lambda documents: islice(documents, count)


def skip(spec: Any) -> Stage:
    """`$skip`, from 0. Raises StoreError 5107200."""
    count = whole_number(spec)
    if count is None or count < 0:
        raise StoreError(
            5107200, f"invalid argument to $skip stage: Expected a non-negative number in: $skip: {spec!r}"
        )
    return lambda documents: islice(documents, count, None)


def replace_root(spec: Any) -> Stage:
    """`$replaceRoot`. Raises StoreError 40229/40231, and as `replace_with`."""
    if not isinstance(spec, Mapping) or spec.keys() - {"newRoot"}:
        raise StoreError(40229, "expected an object as specification for $replaceRoot stage, with newRoot alone")
    if "newRoot" not in spec:
        raise StoreError(40231, "no newRoot specified for the $replaceRoot stage")
    return replace_with(spec["newRoot"])


def replace_with(spec: Any) -> Stage:
    """`$replaceWith`: the document that an expression gives. Raises StoreError 40228 if it gives none."""
    expression = compile_expression(spec)

    def replaced(document: Document) -> Document:
        value = expression({"ROOT": document, "CURRENT": document})
        fields = as_mapping(value)
        if fields is None:
            raise StoreError(
                40228,
                f"'newRoot' expression must evaluate to an object, but resulting value was of type: {type_name(value)}",
            )
        return dict(fields)

    return lambda documents: map(replaced, documents)


def sample(spec: Any) -> Stage:
    """`$sample: {size}`: so many documents by chance. Raises StoreError 28745 … 28749."""
    if not isinstance(spec, Mapping):
        raise StoreError(28745, "the $sample stage specification must be an object")
    if unknown := spec.keys() - {"size"}:
        raise StoreError(28748, f"unrecognized option to $sample: {min(unknown)}")
    if "size" not in spec:
        raise StoreError(28749, "$sample stage must specify a size")
    if not is_number(spec["size"]):
        raise StoreError(28746, "size argument to $sample must be a number")
    size = whole_number(spec["size"])
    if size is None or size < 0:
        raise StoreError(28747, "size argument to $sample must not be negative")

    def run(documents: Iterable[Document]) -> Iterator[Document]:
        everything = list(documents)
        yield from random.sample(everything, min(size, len(everything)))

    return run


def _plant_computed(shape: Shape, prefix: str, spec: Mapping[str, Any]) -> None:
    if not spec:
        raise StoreError(40180, "Invalid $addFields :: caused by :: an empty object is not a valid value.")
    for name, value in spec.items():
        check_path(name)
        if isinstance(value, Mapping) and not next(iter(value), "").startswith("$"):
            _plant_computed(shape, f"{prefix}{name}.", value)
        else:
            plant(shape, prefix + name, compile_expression(value))
