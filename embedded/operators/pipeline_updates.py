"""Updates by a pipeline."""

from collections.abc import Mapping
from typing import Any

from embedded.errors import StoreError
from embedded.operators.aggregating import run_pipeline

_STAGES = frozenset({"$addFields", "$set", "$project", "$unset", "$replaceRoot", "$replaceWith"})


def update_by_pipeline(document: Mapping[str, Any], stages: list[Any]) -> dict[str, Any]:
    """A new document; one without an `_id` keeps the one it had. Raises as `check_stages`, and as the stages do."""
    _refuse_others(stages)
    (updated,) = run_pipeline([dict(document)], stages, collection=lambda name: ())
    if "_id" in document and "_id" not in updated:
        return {"_id": document["_id"], **updated}
    return dict(updated)


def check_stages(stages: list[Any]) -> None:
    """Raises StoreError 72 for a stage that updates do not take, else as `run_pipeline`."""
    _refuse_others(stages)
    run_pipeline((), stages, collection=lambda name: ())


def _refuse_others(stages: list[Any]) -> None:
    for stage in stages:
        name = next(iter(stage), "") if isinstance(stage, Mapping) else ""
        if isinstance(stage, Mapping) and len(stage) == 1 and name not in _STAGES:
            raise StoreError(72, f"{name} is not allowed to be used within an update")
