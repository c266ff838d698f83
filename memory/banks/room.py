"""Memory banks, opened, and what they bring as a product."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from pymongo import ASCENDING, DESCENDING, IndexModel

from config.recipes import BankRecipe
from memory.banks.activations import Activations, Connections
from memory.banks.banks import Banks
from memory.banks.folder import BankFolder
from memory.banks.records import BankLine, BankTaker, BankVersionLine, bank_records
from memory.banks.sections import BankSections
from memory.banks.store import BankStore
from memory.banks.tidying import BankTidying
from memory.banks.writing import BankWriter
from memory.domain import SECTION
from memory.gists import Gists, JustSaid
from memory.product import Counts, Product, Queue, Taker
from memory.store import Store, pending
from utils.chat import ChatModel
from utils.clock import now

ACTIVATION_SECONDS = 24 * 3600

INDEXES = {
    "banks": [
        IndexModel([("user_id", ASCENDING), ("updated_at", DESCENDING), ("_id", DESCENDING)], name="owner_newest"),
        IndexModel([("updated_at", ASCENDING), ("_id", ASCENDING)], name="newest"),
        IndexModel([("deleted_at", ASCENDING)], name="deleted"),
        IndexModel(
            [("sections.state", ASCENDING), ("sections.lease_until", ASCENDING), ("_id", ASCENDING)],
            name="sections_work",
        ),
        IndexModel(
            [("tidying.state", ASCENDING), ("tidying.lease_until", ASCENDING), ("_id", ASCENDING)], name="tidying_work"
        ),
    ],
    "bank_versions": [
        IndexModel(
            [("user_id", ASCENDING), ("bank", ASCENDING), ("version", DESCENDING), ("_id", DESCENDING)],
            name="owner_bank_version",
        ),
        IndexModel(
            [("user_id", ASCENDING), ("request", ASCENDING)],
            name="owner_request",
            partialFilterExpression={"request": {"$exists": True}},
        ),
    ],
    "bank_activations": [
        IndexModel([("user_id", ASCENDING)], name="owner"),
        IndexModel([("at", ASCENDING)], name="expiry", expireAfterSeconds=ACTIVATION_SECONDS),
    ],
    "vectors": [
        IndexModel(
            [("user_id", ASCENDING), ("bank", ASCENDING)],
            name="owner_bank",
            partialFilterExpression={"bank": {"$exists": True}},
        ),
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
        indexes=INDEXES,
        activity={"banks": "updated_at"},
        gists=(SECTION,),
        queues=(
            Queue("sections", collections.banks, "sections", "id", "name"),
            Queue("condense", collections.banks, "tidying", "id", "name"),
        ),
        sweep=tidying.work,
        forget_user=forget_user,
        lines={"bank_version": BankVersionLine, "bank": BankLine},
        records=lambda owner: bank_records(collections, owner),
        takers=takers,
    )
    return BankLibrary(banks, tidying, Activations(collections), Connections(collections), product)
