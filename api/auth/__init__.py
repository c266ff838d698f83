"""Authentication: the user of the API key where keys are on; on loopback without keys, whoever the request names."""

from api.auth.callers import (
    DEFAULT_USER,
    DIFFERENT_USERS,
    Calling,
    Owner,
    Passing,
    PassingOn,
    admit,
    caller,
    check_names,
    check_parameters,
    named_in_query,
)
from api.auth.keys import ApiKeys

__all__ = [
    "DEFAULT_USER",
    "DIFFERENT_USERS",
    "ApiKeys",
    "Calling",
    "Owner",
    "Passing",
    "PassingOn",
    "admit",
    "caller",
    "check_names",
    "check_parameters",
    "named_in_query",
]
