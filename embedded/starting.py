"""What whoever starts a server must know of it. It imports nothing of what the server runs on."""

HOST = "127.0.0.1"
EXIT_REFUSED, EXIT_ALREADY_RUNNING = 1, 3


class StoreStartError(Exception):
    """The store could not be started; the message says why."""


class AlreadyRunning(StoreStartError):
    """Another server has the files."""
