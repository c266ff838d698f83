"""Export and import: everything of a user as records, out of the store and into it, under any owner.

Which records there are, each product says; here they are put in order, batched, and taken back where a deletion comes
between.
"""

from memory.portable.export import Exporter
from memory.portable.importing import Import, Importer, Taken
from memory.portable.record import FORMAT, KINDS, VERSION, Kind

__all__ = ["FORMAT", "KINDS", "VERSION", "Exporter", "Import", "Importer", "Kind", "Taken"]
