"""Export: all that a user has, thing by thing, in an order that is the same every time.

Nothing is held but a page of it at a time. It is no snapshot: each session is as it was when its record was made, and
what comes while it goes on may be missing.
"""

from collections.abc import AsyncIterator, Sequence

from memory.product import Product, Record


class Exporter:
    def __init__(self, products: Sequence[Product]) -> None:
        self._products = products

    async def records(self, owner: str) -> AsyncIterator[Record]:
        """All that the owner has. What names another record comes after it, but for facts that name each other."""
        for product in self._products:
            async for record in product.records(owner):
                yield record
