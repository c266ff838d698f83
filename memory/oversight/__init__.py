"""Oversight: forgetting, explanations of what was not recalled, failed jobs and owners, over all products."""

from memory.oversight.browsing import Found, Wanted, size_of
from memory.oversight.forget import Forgetter
from memory.oversight.jobs import Progress
from memory.oversight.room import Oversight, open_oversight
from memory.oversight.saying import Statement
from memory.oversight.sources import Source
from memory.oversight.why_not import EXPLANATIONS, WhyNot

__all__ = [
    "EXPLANATIONS",
    "Forgetter",
    "Found",
    "Oversight",
    "Progress",
    "Source",
    "Statement",
    "Wanted",
    "WhyNot",
    "open_oversight",
    "size_of",
]
