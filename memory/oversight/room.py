"""Oversight, opened: what is forgotten, explained and watched, over all products."""

from collections.abc import Sequence
from dataclasses import dataclass

from memory.gists import Gists
from memory.observations import AgentNotes
from memory.oversight.browsing import Browser
from memory.oversight.forget import Forgetter
from memory.oversight.growth import Growth
from memory.oversight.jobs import Jobs
from memory.oversight.map import Cartographer
from memory.oversight.owners import Owners
from memory.oversight.saying import Saying
from memory.oversight.sources import Sources
from memory.oversight.why_not import Explainer
from memory.product import Product
from memory.recall import Search
from memory.store import Store
from memory.turns import Conversations


@dataclass(frozen=True)
class Oversight:
    """`owners`, `jobs`, `browser` and `growth` are for whoever runs a store; the others are an owner's."""

    forgetter: Forgetter
    saying: Saying
    explainer: Explainer
    sources: Sources
    owners: Owners
    jobs: Jobs
    browser: Browser
    growth: Growth
    cartographer: Cartographer


def open_oversight(
    store: Store,
    gists: Gists,
    search: Search,
    conversations: Conversations,
    notes: AgentNotes,
    products: Sequence[Product],
) -> Oversight:
    collections = store.collections
    forgetter = Forgetter(store, gists, conversations, products)
    explainer = Explainer(collections, conversations.receipts, search.recaller, gists.embedder, notes.observations)
    browser = Browser(collections, products)
    return Oversight(
        forgetter,
        Saying(collections),
        explainer,
        Sources(gists, conversations),
        Owners(collections, products),
        Jobs(collections, products),
        browser,
        Growth(collections, browser.names),
        Cartographer(collections, gists.embedder.model),
    )
