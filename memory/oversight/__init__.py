"""Oversight: forgetting, explanations of what was not recalled, failed jobs and owners, over all products."""

from memory.oversight.jobs import Progress
from memory.oversight.room import Oversight, open_oversight
from memory.oversight.saying import Said
from memory.oversight.why_not import EXPLANATIONS, WhyNot

__all__ = [
    "EXPLANATIONS",
    "Oversight",
    "Progress",
    "Said",
    "WhyNot",
    "open_oversight",
]
