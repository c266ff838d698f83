"""Projections: which fields of a document are kept."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from embedded.errors import StoreError, not_implemented
from embedded.operators.array_expressions import slice_array
from embedded.operators.comparing import MISSING
from embedded.operators.expressions import compile_expression, truthy
from embedded.operators.matching import compile_value_test
from embedded.operators.paths import lookup, replaced
from embedded.operators.positions import first_match
from embedded.operators.shaping import Shape, check_path, compute, drop, keep, plant
from embedded.operators.typenames import is_number, whole_number

FLAGS = (bool, int, float)

Projection = Callable[[Mapping[str, Any]], dict[str, Any]]


def compile_projection(spec: Mapping[str, Any] | None, filter: Mapping[str, Any] | None = None) -> Projection:
    """A function from documents to new, projected documents. `filter` is the query's, for the positional `$`.

    Raises StoreError 31253/31254 for mixed inclusion and exclusion, 31249 for paths in each other's way, 238 for
    `$meta`.
    """
    if not spec:
        return dict
    if all(type(value) in FLAGS for value in spec.values()) and not any("$" in path for path in spec):
        return _of_flags(tuple(spec.items()))
    return _Plan(spec, filter or {}, in_pipeline=False).projection()


@lru_cache(maxsize=1_000)
def _of_flags(spec: tuple[tuple[str, Any], ...]) -> Projection:
    """The function of a projection that says of each field whether it is kept, which programs send again and again."""
    return _Plan(dict(spec), {}, in_pipeline=False).projection()


def compile_stage(spec: Any) -> Projection:
    """The function of a `$project` stage: as a projection, without the operators of queries. Raises StoreError."""
    if not isinstance(spec, Mapping):
        raise StoreError(15969, "$project specification must be an object")
    if not spec:
        raise StoreError(
            51272, "Invalid $project :: caused by :: projection specification must have at least one field"
        )
    return _Plan(spec, {}, in_pipeline=True).projection()


class _Plan:
    """A projection while it is read: the fields kept, dropped and computed."""

    def __init__(self, spec: Mapping[str, Any], filter: Mapping[str, Any], *, in_pipeline: bool) -> None:
        self.filter = filter
        self.in_pipeline = in_pipeline
        self.shape: Shape = {}
        self.computed: Shape = {}
        self.positional: str | None = None
        self.including: bool | None = None
        self.slices: list[tuple[str, Callable[[Any], Any]]] = []
        self.keeps_id: bool | None = None
        for path, value in spec.items():
            self._add(path, value)
        for path, cut in self.slices:
            plant(self.shape, path, cut)

    def projection(self) -> Projection:
        shape, computed, positional, filter = self.shape, self.computed, self.positional, self.filter
        if self.including is None and not self.slices:
            self.including = bool(self.keeps_id)
        if not self.including:
            if self.keeps_id is False:
                shape["_id"] = None
            return lambda document: drop(document, shape)
        if self.keeps_id is not False and "_id" not in shape and "_id" not in computed:
            shape["_id"] = None
        if positional is not None:
            path = positional
            return lambda document: keep(_at_match(document, path, filter), shape)
        if not computed:
            return lambda document: keep(document, shape)
        return lambda document: compute(keep(document, shape), computed, {"ROOT": document, "CURRENT": document})

    def _add(self, path: str, value: Any) -> None:
        if path.endswith(".$") and not self.in_pipeline:
            self._include_match(path.removesuffix(".$"))
            return
        check_path(path)
        if is_number(value) or isinstance(value, bool):
            self._switch(path, truthy(value))
            return
        operator = next(iter(value), "") if isinstance(value, Mapping) else ""
        if operator.startswith("$"):
            self._operate(path, operator, value)
        elif isinstance(value, Mapping):
            if not value:
                raise StoreError(
                    51270, f"An empty sub-projection is not a valid value. Found empty object at path {path}"
                )
            for name, inner in value.items():
                self._add(f"{path}.{name}", inner)
        else:
            self._compute(path, value)

    def _switch(self, path: str, wanted: bool) -> None:
        if path == "_id":
            self.keeps_id = wanted
            return
        self._side(path, wanted)
        plant(self.shape, path, None)

    def _side(self, path: str, wanted: bool) -> None:
        if self.including is not None and self.including is not wanted:
            if wanted:
                raise StoreError(31253, f"Cannot do inclusion on field {path} in exclusion projection")
            raise StoreError(31254, f"Cannot do exclusion on field {path} in inclusion projection")
        self.including = wanted

    def _operate(self, path: str, operator: str, value: Mapping[str, Any]) -> None:
        if operator == "$meta":
            raise not_implemented("$meta")
        if self.in_pipeline or operator not in ("$slice", "$elemMatch"):
            self._compute(path, value)
        elif operator == "$slice" and _is_plain_slice(value["$slice"]):
            self.slices.append((path, _slicer(value["$slice"])))
        elif operator == "$slice":
            self._compute(path, value)
        else:
            if not isinstance(value["$elemMatch"], Mapping):
                raise StoreError(31274, "elemMatch: Invalid argument, object required")
            if "." in path:
                raise StoreError(31275, "Cannot use $elemMatch projection on a nested field.")
            self._side(path, True)
            plant(self.shape, path, _element_matcher(value["$elemMatch"]))

    def _compute(self, path: str, value: Any) -> None:
        if self.including is False:
            code = 31252 if isinstance(value, Mapping) else 31310
            raise StoreError(code, f"Cannot use an expression {path} in an exclusion projection")
        self.including = True
        plant(self.computed, path, compile_expression(value))
        names = path.split(".")
        if len(names) > 1:  # what the computed field is added to
            branch = self.shape
            for name in names[:-1]:
                branch = branch.setdefault(name, {})
                if not isinstance(branch, dict):
                    raise StoreError(31249, f"Path collision at {path}")

    def _include_match(self, path: str) -> None:
        if self.positional is not None:
            raise StoreError(31276, "Cannot specify more than one positional projection per query.")
        self._side(path, True)
        self.positional = path
        plant(self.shape, path, None)


def _at_match(document: Mapping[str, Any], path: str, filter: Mapping[str, Any]) -> Mapping[str, Any]:
    array = lookup(document, path)
    if not isinstance(array, list):
        return document
    place = first_match(filter, document, path)
    if place is None:
        raise StoreError(51246, "Executor error: the positional operator did not find the match needed from the query")
    return replaced(document, path, [array[place]])


def _is_plain_slice(operand: Any) -> bool:
    return is_number(operand) or (isinstance(operand, list) and all(map(is_number, operand)))


def _slicer(operand: Any) -> Callable[[Any], Any]:
    numbers = [whole_number(item) for item in (operand if isinstance(operand, list) else [operand])]
    if len(numbers) not in (1, 2) or None in numbers or (isinstance(operand, list) and len(numbers) != 2):
        raise StoreError(28667, "$slice takes one whole number, or an array of two")
    first, count = numbers[0] or 0, numbers[1] if len(numbers) == 2 else None
    if count is not None and count <= 0:
        raise StoreError(28729, f"$slice limit must be positive, got {count}")
    return lambda value: slice_array(value, first, count) if isinstance(value, list) else value


def _element_matcher(operand: Mapping[str, Any]) -> Callable[[Any], Any]:
    holds = compile_value_test(operand)

    def found(value: Any) -> Any:
        if not isinstance(value, list):
            return MISSING
        first = next((item for item in value if holds(item)), MISSING)
        return MISSING if first is MISSING else [first]

    return found
