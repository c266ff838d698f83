"""What do many requests and answers share?"""

from api.fields import Identifier, Wire


class OwnedRequest(Wire):
    """A request that may name the user whom it is about."""

    user_id: Identifier = "default"

    @property
    def named_user(self) -> str | None:
        """The user that it names; None where it names none."""
        return self.user_id if "user_id" in self.model_fields_set else None


class Deleted(Wire):
    deleted: dict[str, int]
