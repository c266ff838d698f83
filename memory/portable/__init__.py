"""Export and import: everything of a user as records, out of the store and into it, under any owner."""

from memory.portable.export import Exporter
from memory.portable.importing import Import, Importer, Taken
from memory.portable.record import FORMAT, KINDS, VERSION, Kind, Record

__all__ = ["FORMAT", "KINDS", "VERSION", "Exporter", "Import", "Importer", "Kind", "Record", "Taken"]
