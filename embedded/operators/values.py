"""What the rest of the store needs of BSON values: their order, their index keys, what a path reaches."""

from embedded.operators.comparing import MISSING, UNDEFINED, Bracket, bracket, compare, equal, sort_key
from embedded.operators.keys import encode_key, invert_key
from embedded.operators.paths import IndexValues, index_values, lookup, values_at

__all__ = [
    "MISSING",
    "UNDEFINED",
    "Bracket",
    "IndexValues",
    "bracket",
    "compare",
    "encode_key",
    "equal",
    "index_values",
    "invert_key",
    "lookup",
    "sort_key",
    "values_at",
]
