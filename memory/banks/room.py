"""Memory banks, opened, and what they bring as a product."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from config.recipes import BankRecipe
from memory.banks.activations import Activations, Connections
from memory.banks.banks import Banks
from memory.banks.folder import BankFolder
from memory.banks.records import BankTaker, bank_records
from memory.banks.sections import BankSections
from memory.banks.store import BankStore
from memory.banks.tidying import BankTidying
from memory.banks.writing import BankWriter
from memory.gists import Gists, JustSaid
from memory.product import Counts, Product, Queue, Taker
from memory.store import Store, pending
from utils.chat import ChatModel
from utils.clock import now
from utils.mongo import index

ACTIVATION_SECONDS = 24 * 3600

INDEXES = {
    "banks": [
        index("owner_newest", "user_id", "-updated_at", "-_id"),
        index("newest", "updated_at", "_id"),
        index("deleted", "deleted_at"),
        index("sections_work", "sections.state", "sections.lease_until", "_id"),
        index("tidying_work", "tidying.state", "tidying.lease_until", "_id"),
    ],
    "bank_versions": [
        index("owner_bank_version", "user_id", "bank", "-version", "-_id"),
        index("owner_request", "user_id", "request", partialFilterExpression={"request": {"$exists": True}}),
    ],
    "bank_activations": [
        index("owner", "user_id"),
        index("expiry", "at", expireAfterSeconds=ACTIVATION_SECONDS),
    ],
    "vectors": [
        index("owner_bank", "user_id", "bank", partialFilterExpression={"bank": {"$exists": True}}),
    ],
}


@dataclass(frozen=True)
class BankLibrary:
    """`activations`: what clients are at work with. `connections`: sessions that clients of MCP began."""

    banks: Banks
    tidying: BankTidying
    activations: Activations
    connections: Connections
    product: Product


def open_library(
    store: Store,
    gists: Gists,
    just_said: JustSaid,
    model: ChatModel | None,
    *,
    folder: BankFolder | None,
    large_update: int,
    due_after: timedelta,
) -> BankLibrary:
    """`just_said`: sections that no index has yet. `model`: places and condenses; else rules do. `folder`: where banks
    stand in files, which are written at once after an update of `large_update` characters. `due_after`: how long after
    a change a bank is looked at for what may be condensed."""
    collections, recipe = store.collections, BankRecipe()
    kept = BankStore(collections, recipe.most, due_after)
    sections = BankSections(collections, kept, gists.eraser, just_said)
    writer = BankWriter(model, recipe)
    banks = Banks(collections, kept, sections, writer, folder, large_update)
    tidying = BankTidying(collections, kept, sections, writer, banks)

    async def forget_user(owner: str, moment: datetime) -> Counts:
        return await banks.forget(owner)

    def takers(owner: str) -> dict[str, Taker]:
        due = pending() | {"lease_until": now() + due_after}
        taker = BankTaker(owner, collections, kept, sections, due)
        return {"bank_version": taker, "bank": taker}

    product = Product(
        "banks",
        indexes=INDEXES,
        queues=(
            Queue("sections", collections.banks, "sections", "id", "name"),
            Queue("condense", collections.banks, "tidying", "id", "name"),
        ),
        sweep=tidying.work,
        forget_user=forget_user,
        records=lambda owner: bank_records(collections, owner),
        takers=takers,
    )
    return BankLibrary(banks, tidying, Activations(collections), Connections(collections), product)
