"""The mirror: Markdown files of what is remembered, which may be edited; edits change the memory."""

from memory.mirror.edits import MirrorEdits
from memory.mirror.files import ENTRIES, is_hidden
from memory.mirror.mirror import Mirror

__all__ = ["ENTRIES", "Mirror", "MirrorEdits", "is_hidden"]
