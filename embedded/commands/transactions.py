"""What is said to a client that ends a transaction? That there is none: a server by itself has no transactions."""

from embedded.commands.call import Call, Command, now
from embedded.errors import StoreError


def end(call: Call) -> bytes:
    """With a transaction's number, the command is refused (20) before it comes here."""
    raise StoreError(125, f"{call.name} must be run within a transaction")


COMMANDS: dict[str, Command] = {
    "abortTransaction": now(end, "abortTransaction", "recoveryToken"),
    "commitTransaction": now(end, "commitTransaction", "recoveryToken"),
}
