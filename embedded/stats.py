"""How much does a collection hold?"""

from dataclasses import dataclass

from embedded.catalog import Collection
from embedded.scanning import Source
from embedded.schema import ROW_BITS


@dataclass(frozen=True, slots=True)
class CollectionStats:
    """Sizes in bytes: `size` of the documents, `index_sizes` of the keys by index name."""

    count: int
    size: int
    index_sizes: dict[str, int]

    @property
    def storage_size(self) -> int:
        return self.size + sum(self.index_sizes.values())


def collection_stats(collection: Collection, source: Source) -> CollectionStats:
    """Counts and sizes, added up over all documents and entries."""
    low, high = collection.id << ROW_BITS, (collection.id + 1) << ROW_BITS
    count, size = (
        source()
        .execute("SELECT COUNT(*), COALESCE(SUM(LENGTH(body)), 0) FROM documents WHERE id > ? AND id < ?", (low, high))
        .fetchone()
    )
    sizes = {}
    for index in collection.indexes:
        (keys,) = (
            source()
            .execute(f"SELECT COALESCE(SUM(LENGTH(key) + 8), 0) FROM {index.table} WHERE idx = ?", (index.id,))  # noqa: S608
            .fetchone()
        )
        sizes[index.name] = keys
    return CollectionStats(count, size, sizes)
