"""Wire shapes of what a running Loci tells of its configuration."""

from typing import Literal

from api.wire.fields import Wire


class Health(Wire):
    status: Literal["ok"] = "ok"
    version: str
    store: str
    broker: str
    chat_model: str
    summary_model: str
    embedding_model: str
    top_k: int
    similarity_floor: float
    summary_interval: int
