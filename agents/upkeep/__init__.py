"""Work behind the answers: nudges and background jobs, the files of banks, the mirror."""

from agents.upkeep.background import BackgroundNudge, Nudge, Work
from agents.upkeep.condensing import bank_condensing
from agents.upkeep.files import bank_files
from agents.upkeep.mirror_sync import mirroring

__all__ = ["BackgroundNudge", "Nudge", "Work", "bank_condensing", "bank_files", "mirroring"]
