"""Exports and imports: Loci's own format, and the files of other products.

An export's records come in batches under one import of a user at a time. Files of other products are read as a stream
into items (conversations, memories, what is left out and why), which become records of the same kinds.
"""

from memory.portable.importer import FORMAT, VERSION, Import, Importer, Lines, Taken
from memory.portable.items import Omission
from memory.portable.records import records_of
from memory.portable.sources import AUTO, FileBroken, FileRefused, SourceFile, Wanted, is_foreign

__all__ = [
    "AUTO",
    "FORMAT",
    "VERSION",
    "FileBroken",
    "FileRefused",
    "Import",
    "Importer",
    "Lines",
    "Omission",
    "SourceFile",
    "Taken",
    "Wanted",
    "is_foreign",
    "records_of",
]
