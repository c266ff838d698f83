"""Which commands does the store know?"""

from embedded.commands import (
    aggregating,
    collections,
    explaining,
    find_and_modify,
    greeting,
    indexes,
    reading,
    renaming,
    statistics,
    transactions,
    writing,
)
from embedded.commands.call import Command

COMMANDS: dict[str, Command] = {
    **greeting.COMMANDS,
    **reading.COMMANDS,
    **writing.COMMANDS,
    **find_and_modify.COMMANDS,
    **aggregating.COMMANDS,
    **collections.COMMANDS,
    **renaming.COMMANDS,
    **indexes.COMMANDS,
    **statistics.COMMANDS,
    **explaining.COMMANDS,
    **transactions.COMMANDS,
}
