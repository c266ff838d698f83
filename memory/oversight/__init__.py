"""Oversight: forgetting, explanations of what was not recalled, failed jobs and owners, over all products."""

from memory.oversight.forget import Forgetter
from memory.oversight.jobs import KINDS, Embedding, Job, Jobs, Kind, Progress, Waiting
from memory.oversight.owners import Owners, OwnerSeen
from memory.oversight.room import Oversight, open_oversight
from memory.oversight.saying import Said, Saying
from memory.oversight.why_not import EXPLANATIONS, Explainer, WhyNot

__all__ = [
    "EXPLANATIONS",
    "KINDS",
    "Embedding",
    "Explainer",
    "Forgetter",
    "Job",
    "Jobs",
    "Kind",
    "Oversight",
    "OwnerSeen",
    "Owners",
    "Progress",
    "Said",
    "Saying",
    "Waiting",
    "WhyNot",
    "open_oversight",
]
