"""Borders of server-sent events."""

from collections.abc import Iterator

from utils.errors import ModelUnavailable

LONGEST_EVENT = 16 * 1024 * 1024  # bytes


class EventSplitter:
    """Takes a stream in pieces of any size, and gives its events, each with the empty line that ends it and with no
    line ends but LF. Linear in the length of the stream."""

    def __init__(self) -> None:
        self._held = bytearray()
        self._seen = 0  # up to where no end was found
        self._after_cr = False

    def feed(self, piece: bytes) -> Iterator[bytes]:
        """The events that are whole by now. Raises `ModelUnavailable` where one does not end."""
        if self._after_cr and piece.startswith(b"\n"):
            piece = piece[1:]
        self._after_cr = piece.endswith(b"\r") or (self._after_cr and not piece)
        self._held += piece.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        while (end := self._held.find(b"\n\n", max(0, self._seen - 1))) >= 0:
            event = bytes(self._held[:end])
            del self._held[: end + 2]
            self._seen = 0
            if event.strip(b"\n"):
                yield event.strip(b"\n") + b"\n\n"
        self._seen = len(self._held)
        if self._seen > LONGEST_EVENT:
            raise ModelUnavailable("The model's stream has an event without an end")

    def rest(self) -> bytes:
        """What stands behind the last empty line, as an event; nothing where that is nothing."""
        left = bytes(self._held).strip()
        return left + b"\n\n" if left else b""
