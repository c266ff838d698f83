"""What is a client told of an update that was not done as it was said, or may have been meant otherwise?"""

import asyncio

from memory.banks.decisions import told_of_files
from memory.banks.settle import Carried
from memory.banks.targets import told_of_lines, told_of_misunderstood
from memory.banks.update import BankUpdate
from memory.banks.writing import IN_THREAD, Placed
from memory.domain import RULE_BASED

UNCOLOURED = "The codes were left out by which a terminal colours and moves; all that it shows of the update is kept."


async def told_of_update(told: BankUpdate, placed: Placed, carried: Carried) -> tuple[list[str], list[str]]:
    """What could not be done, which later answers tell, too; and what the answer to the update alone tells."""
    if len(told.content) < IN_THREAD:
        return _told(told, placed, carried)
    return await asyncio.to_thread(_told, told, placed, carried)


def _told(told: BankUpdate, placed: Placed, carried: Carried) -> tuple[list[str], list[str]]:
    by_rules = placed.by == RULE_BASED  # a model reads what was meant
    misunderstood = told_of_misunderstood(told.content) if by_rules else None
    warnings = [misunderstood, told_of_files(placed.decisions, carried.files), carried.told]
    notes = told_of_lines(told.content, carried.done) if by_rules else []
    return [one for one in warnings if one is not None], [*notes, UNCOLOURED] if told.coloured else notes
