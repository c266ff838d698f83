"""How many tokens models take, by their names: `context_tokens.json`, as their providers' pages said in 2025.

What a server of one's own takes is set when it starts, whatever its model could: such a model is not in the table, and
`utils.context_lengths` asks the server.
"""

import json
from functools import cache
from pathlib import Path

TABLE = Path(__file__).parent / "context_tokens.json"
UNKNOWN = 8_192  # tokens that a model is given of which nothing is known; hardly any takes fewer


def context_tokens(model: str) -> int | None:
    """The tokens of a prompt with its answer that a model takes: those of the longest name in the table with which the
    model's begins, whoever's it is ("openai/gpt-4o-2024-08-06"); None where there is none."""
    bare = model.rsplit("/", 1)[-1].casefold()
    return _table().get(max((name for name in _table() if bare.startswith(name)), key=len, default=""))


@cache
def _table() -> dict[str, int]:
    known: dict[str, int] = json.loads(TABLE.read_text(encoding="utf-8"))
    return known
