"""Documents that the writer changed or selected last, kept decoded: another change of one often follows soon.

Belongs to the writer's thread. Nobody changes a decoded document in place, so one may be handed out many times.
"""

from collections import OrderedDict

from embedded.codec import Document, decode

MAX_BYTES = 8 * 1024 * 1024


class RecentlyDecoded:
    """Decoded documents by row, the one used longest ago going first.

    What is kept of a row holds only for the very bytes it was kept with, so that no rollback has to be told.
    """

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self._kept: OrderedDict[int, tuple[bytes, Document]] = OrderedDict()
        self._max_bytes = max_bytes
        self._bytes = 0

    def put(self, row: int, raw: bytes, document: Document) -> None:
        """Keep the document of a row. `document`: what `decode` would make of `raw`."""
        self._drop(row)
        if len(raw) > self._max_bytes:
            return
        self._kept[row] = (raw, document)
        self._bytes += len(raw)
        while self._bytes > self._max_bytes:
            self._drop(next(iter(self._kept)))

    def decode(self, row: int, raw: bytes) -> Document:
        """The document of a row's bytes."""
        kept = self._kept.get(row)
        if kept is None or kept[0] != raw:
            return decode(raw)
        self._kept.move_to_end(row)
        return kept[1]

    def _drop(self, row: int) -> None:
        gone = self._kept.pop(row, None)
        if gone is not None:
            self._bytes -= len(gone[0])
