"""The format of an export, and its import: records come into the store under any owner.

Which records there are, each product says; here they are batched, and taken back where a deletion comes between.
"""

from memory.portable.importing import FORMAT, VERSION, Import, Importer, Lines, Taken

__all__ = ["FORMAT", "VERSION", "Import", "Importer", "Lines", "Taken"]
