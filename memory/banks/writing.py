"""Writing: a model, or else rules, say where new content belongs in a bank, and how a large one becomes small."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from config.recipes import BankRecipe
from memory.banks.condense import condense
from memory.banks.decisions import Decision, section_key, stale
from memory.banks.directives import directives_in
from memory.banks.filing import decide_by_rules
from memory.banks.model import decide_by_model, optimise_by_model
from memory.banks.omissions import with_notes
from memory.banks.types import BankType
from memory.domain import RULE_BASED
from utils.chat import ChatModel
from utils.clock import now
from utils.errors import ModelError

MOST_BYTES = 6 * 1024 * 1024  # of a bank's texts; where an update would make it more, it is condensed before

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Placement:
    """What is to be done with content. `by`: a model's name, or "rule_based"; `shown`: the bank's files when
    that was decided; `failed`: where there is a model, why rules had to do, as it is told to clients."""

    decisions: Sequence[Decision]
    by: str
    shown: Mapping[str, str]
    failed: str | None = None


@dataclass(frozen=True)
class Shortened:
    """A bank's files in fewer words. `by`, `failed`: as in `Placed`."""

    files: Mapping[str, str]
    by: str
    failed: str | None = None


class BankWriter:
    """Asks a model, where there is one, and rules where it fails or there is none."""

    def __init__(self, model: ChatModel | None, recipe: BankRecipe) -> None:
        self._model = model
        self.recipe = recipe

    async def place(self, kind: BankType, files: Mapping[str, str], content: str) -> Placement:
        """Where content belongs in a bank of these files; all of it has a place. Content that decides it itself is put
        where it says. Raises `InvalidInput` where that cannot be carried out."""
        if (decided := await asyncio.to_thread(directives_in, kind, content)) is not None:
            return Placement(decided, RULE_BASED, files)
        failed: str | None = None
        if self._model is not None:
            try:
                decisions = await decide_by_model(self._model, kind, files, content, self.recipe)
                return Placement(decisions, self._model.model, files)
            except ModelError as error:
                failed = f"Placed by rules: {error.detail}"
                log.warning("a memory bank's content is placed by rules: %s", error.detail)
        return Placement(await asyncio.to_thread(decide_by_rules, kind, content), RULE_BASED, files, failed)

    async def without_loss(
        self, placed: Placement, kind: BankType, files: Mapping[str, str], content: str
    ) -> Sequence[Decision]:
        """The decisions as they are carried out in a bank of these files, which another may have changed since: what a
        model would replace that it was not shown as it stands there stays, and the content goes to its end.

        Rules replace only where the content itself says so, which holds whatever stands there."""
        if placed.by == RULE_BASED:
            return placed.decisions
        return await asyncio.to_thread(_without_loss, placed, kind, files, content)

    async def shorten(self, kind: BankType, files: Mapping[str, str], version: int, moment: datetime) -> Shortened:
        """The files with what is less worth left out. `version`: the bank's, which has all of it; `moment`: now, to
        which the age of what is in them is counted, and which stands beside what says that something went."""
        failed: str | None = None
        if self._model is not None and sum(map(len, files.values())) <= 8 * self.recipe.shown:
            try:
                short = await optimise_by_model(self._model, kind, files, self.recipe)
                noted = await asyncio.to_thread(with_notes, files, short, version, moment)
                return Shortened(noted, self._model.model)
            except ModelError as error:
                failed = f"Condensed by rules: {error.detail}"
                log.warning("a memory bank is condensed by rules: %s", error.detail)
        return Shortened(await self.shorten_by_rules(kind, files, version, moment), RULE_BASED, failed)

    async def with_room(
        self, kind: BankType, files: Mapping[str, str], version: int, content: str
    ) -> Mapping[str, str]:
        """The files, condensed where there is not room for so much more in one document of the store."""
        size = sum(len(text.encode()) for text in files.values())
        if size + len(content.encode()) <= MOST_BYTES or size < MOST_BYTES // 4:
            return files
        return await self.shorten_by_rules(kind, files, version, now())

    async def shorten_by_rules(
        self, kind: BankType, files: Mapping[str, str], version: int, moment: datetime
    ) -> dict[str, str]:
        """The same without asking a model."""
        return await asyncio.to_thread(condense, kind, files, version, moment, self.recipe)


def _without_loss(placed: Placement, kind: BankType, files: Mapping[str, str], content: str) -> Sequence[Decision]:
    if not (unseen := stale(placed.decisions, placed.shown, files)):
        return placed.decisions
    meant = {section_key(decision) for decision in decide_by_rules(kind, content) if decision.operation == "replace"}
    return [
        replace(decision, operation="append") if decision in unseen and section_key(decision) not in meant else decision
        for decision in placed.decisions
    ]
