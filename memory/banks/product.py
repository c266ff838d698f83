"""What memory banks bring as a product."""

from datetime import datetime, timedelta

from pymongo import ASCENDING, DESCENDING, IndexModel

from memory.banks.banks import Banks
from memory.banks.records import BankTaker, bank_records
from memory.banks.sections import BankSections
from memory.banks.store import BankStore
from memory.banks.tidying import BankTidying
from memory.product import Counts, Product, Queue, Taker
from memory.store import Collections, pending
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


def banks_product(
    collections: Collections,
    banks: Banks,
    store: BankStore,
    sections: BankSections,
    tidying: BankTidying,
    due_after: timedelta,
) -> Product:
    """`due_after`: when a bank that was imported is looked at for what may be condensed."""

    async def forget_user(owner: str, moment: datetime) -> Counts:
        return await banks.forget(owner)

    def takers(owner: str) -> dict[str, Taker]:
        due = pending() | {"lease_until": now() + due_after}
        taker = BankTaker(owner, collections, store, sections, due)
        return {"bank_version": taker, "bank": taker}

    return Product(
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
