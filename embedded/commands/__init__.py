"""The commands that the store knows."""

from embedded.commands import (
    absent,
    aggregating,
    collections,
    compacting,
    explaining,
    find_and_modify,
    greeting,
    indexes,
    listing,
    operations,
    parameters,
    reading,
    renaming,
    statistics,
    status,
    users,
    validating,
    writing,
)
from embedded.commands.call import Command

COMMANDS: dict[str, Command] = {
    **absent.COMMANDS,
    **greeting.COMMANDS,
    **users.COMMANDS,
    **reading.COMMANDS,
    **writing.COMMANDS,
    **find_and_modify.COMMANDS,
    **aggregating.COMMANDS,
    **collections.COMMANDS,
    **renaming.COMMANDS,
    **compacting.COMMANDS,
    **indexes.COMMANDS,
    **statistics.COMMANDS,
    **validating.COMMANDS,
    **status.COMMANDS,
    **operations.COMMANDS,
    **parameters.COMMANDS,
}
COMMANDS |= explaining.commands(COMMANDS)
COMMANDS |= listing.commands(COMMANDS)
