"""`$unwind`, `$lookup` and `$facet`: elements of arrays as documents, equality joins, several pipelines at once."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from bson import Int64

from embedded.errors import StoreError, not_implemented
from embedded.operators.comparing import MISSING
from embedded.operators.keys import encode_key
from embedded.operators.operands import is_nothing
from embedded.operators.paths import lookup, position, walk
from embedded.operators.shaping import check_path, compute, drop, plant
from embedded.operators.stages import Document, Stage
from embedded.operators.typenames import is_string

Collection = Callable[[str], Iterable[Document]]


def unwind(spec: Any) -> Stage:
    """`$unwind`: a document for each element of an array; a single value counts as an array of one.

    Raises StoreError 15981 for a malformed one, 28808 …28818 for its parts.
    """
    options = {"path": spec} if is_string(spec) else spec
    if not isinstance(options, Mapping):
        raise StoreError(15981, "expected either a string or an object as specification for $unwind stage")
    if unknown := options.keys() - {"path", "preserveNullAndEmptyArrays", "includeArrayIndex"}:
        raise StoreError(28811, f"unrecognized option to $unwind stage: {min(unknown)}")
    path: Any = options.get("path")
    if not is_string(path):
        raise StoreError(28808 if "path" in options else 28812, "$unwind needs a path that is a string")
    if not path.startswith("$"):
        raise StoreError(28818, f"path option to $unwind stage should be prefixed with a '$': {path}")
    path = path[1:]
    check_path(path)
    keeps = options.get("preserveNullAndEmptyArrays", False)
    if not isinstance(keeps, bool):
        raise StoreError(28809, "expected a boolean for the preserveNullAndEmptyArrays option to $unwind stage")
    index = options.get("includeArrayIndex")
    if index is not None and (not is_string(index) or not index):
        raise StoreError(28810, "expected a non-empty string for the includeArrayIndex option to $unwind stage")
    if index is not None and index.startswith("$"):
        raise StoreError(28822, f"includeArrayIndex option to $unwind stage should not be prefixed with a '$': {index}")

    def run(documents: Iterable[Document]) -> Iterator[Document]:
        for document in documents:
            value = lookup(document, path)
            if isinstance(value, list) and value:
                for place, item in enumerate(value):
                    found = _put(document, path, item)
                    yield found if index is None else _put(found, index, Int64(place))
            elif not is_nothing(value) and value != []:
                yield document if index is None else _put(document, index, None)
            elif keeps:
                left = _removed(document, path) if value == [] else document
                yield left if index is None else _put(left, index, None)

    return run


def join(spec: Any, collection: Collection) -> Stage:
    """`$lookup` by equality of two fields; where there is no value, null is looked for, which missing values equal.

    Raises StoreError 9 for a malformed one, 238 with `let` or `pipeline`.
    """
    if not isinstance(spec, Mapping):
        raise StoreError(9, "the $lookup stage specification must be an object")
    if spec.keys() & {"let", "pipeline"}:
        raise not_implemented("$lookup with let or pipeline")
    for name in ("from", "localField", "foreignField", "as"):
        if name not in spec:
            raise StoreError(9, f"$lookup argument '{name}' is missing")
        if not is_string(spec[name]):
            raise StoreError(9, f"$lookup argument '{name}' must be a string, found {spec[name]!r}")
    if unknown := spec.keys() - {"from", "localField", "foreignField", "as"}:
        raise StoreError(9, f"unknown argument to $lookup: {min(unknown)}")
    local, names, into = spec["localField"].split("."), spec["foreignField"].split("."), spec["as"]
    for path in (spec["localField"], spec["foreignField"], into):
        check_path(path)

    def run(documents: Iterable[Document]) -> Iterator[Document]:
        others: list[Document] = []
        places: defaultdict[bytes, list[int]] = defaultdict(list)
        for place, other in enumerate(collection(spec["from"])):
            others.append(other)
            for key in {_join_key(value) for value in walk(other, names)} or {_join_key(None)}:
                places[key].append(place)
        for document in documents:
            keys = {_join_key(value) for value in _present(document, local)} or {_join_key(None)}
            found = sorted({place for key in keys for place in places.get(key, ())})
            yield _put(document, into, [others[place] for place in found])

    return run


def facet(spec: Any, build: Callable[[Any], Stage]) -> Stage:
    """`$facet`: one document with the results of several pipelines over the same documents. Raises StoreError 40169."""
    if not isinstance(spec, Mapping) or not spec:
        raise StoreError(40169, "the $facet specification must be a non-empty object")
    for name, stages in spec.items():
        if not isinstance(stages, list):
            raise StoreError(40170, f"arguments to $facet must be arrays, {name} is none")
        if any(isinstance(stage, Mapping) and "$facet" in stage for stage in stages):
            raise StoreError(40600, "$facet is not allowed to be used within a $facet stage")
    pipelines = {name: build(stages) for name, stages in spec.items()}

    def run(documents: Iterable[Document]) -> Iterator[Document]:
        everything = list(documents)
        yield {name: list(pipeline(everything)) for name, pipeline in pipelines.items()}

    return run


def _present(value: Any, names: Sequence[str]) -> Iterator[Any]:
    """The values that are there at a path, the elements of an array in its place; a number is a position too."""
    if not names:
        yield from value if isinstance(value, list) else [value]
    elif isinstance(value, list):
        index = position(names[0])
        if index is not None and index < len(value):
            yield from _present(value[index], names[1:])
        for item in value:
            if isinstance(item, Mapping):
                yield from _present(item, names)
    elif isinstance(value, Mapping) and names[0] in value:
        yield from _present(value[names[0]], names[1:])


def _join_key(value: Any) -> bytes:
    return encode_key(None if value is MISSING else value)


def _put(document: Document, path: str, value: Any) -> Document:
    if "." not in path:
        return {**document, path: value}
    shape: dict[str, Any] = {}
    plant(shape, path, lambda scope: value)
    return compute(document, shape, {})


def _removed(document: Document, path: str) -> Document:
    shape: dict[str, Any] = {}
    plant(shape, path, None)
    return drop(document, shape)
