"""What many requests and answers share."""

from api.wire.fields import Identifier, Wire


class OwnedRequest(Wire):
    """A body that may name the user whom the request is about, as the query may; `api.auth.owner` reads it."""

    user_id: Identifier = "default"


class Deleted(Wire):
    deleted: dict[str, int]
