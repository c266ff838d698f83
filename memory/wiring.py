"""The core, put together over one database."""

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from config.settings import Settings
from memory.banks import BankFolder, open_library
from memory.engine import Engine
from memory.facts import open_knowledge
from memory.gists import open_gists
from memory.moving import Moving
from memory.observations import INDEXED, open_notes
from memory.oversight import open_oversight
from memory.portable import Importer
from memory.recall import open_search
from memory.responses import open_responses
from memory.store import ensure_indexes, open_store
from memory.traces import open_traces
from memory.turns import open_conversations
from utils.chat import ChatModel
from utils.embeddings import Embedder, LocalEmbedder
from utils.mongo import Database

if TYPE_CHECKING:
    from utils.reranker import Reranker  # onnxruntime takes 0.2 s to import


@dataclass(frozen=True)
class Models:
    """Who embeds, and who writes what; where there is no chat model, rules do. `encoder`: the local one, which makes
    vectors of tokens. `observer`: sums up what agents' tools give, `writer` writes all else. `reranker`: reads the best
    candidates of a search."""

    embedder: Embedder
    encoder: LocalEmbedder
    writer: ChatModel | None = None
    observer: ChatModel | None = None
    reranker: "Reranker | None" = None


async def open_engine(
    database: Database,
    models: Models,
    settings: Settings,
    *,
    abandoned: timedelta = timedelta(minutes=10),
    bank_folder: BankFolder | None = None,
) -> Engine:
    """Wires the core to a database and makes sure that its indexes are there. `abandoned`: after which an answer that
    is still to come will not. `bank_folder`: where memory banks stand in files.

    Raises `ConfigurationError` where MongoDB is to be asked and has no search, or none that fits.
    """
    store = open_store(database)
    gists = open_gists(store, models.embedder, models.encoder)
    search = open_search(
        store,
        gists,
        models.reranker,
        memory_mb=settings.recall_memory_mb,
        by_mongodb=settings.vector_search == "mongodb",
        words=INDEXED,
    )
    conversations = open_conversations(
        store,
        gists,
        models.writer,
        interval=settings.summary_interval,
        abandoned=abandoned,
        max_entries=settings.max_entries,
    )
    knowledge = open_knowledge(store, gists, conversations, models.writer)
    notes = open_notes(store, gists, search, conversations, models.writer)
    tools = open_traces(store, gists, models.observer)
    library = open_library(
        store,
        gists,
        search.said_in_banks,
        models.writer,
        folder=bank_folder,
        large_update=settings.bank_large_update,
        due_after=timedelta(hours=settings.bank_optimise_hours),
    )
    responses = open_responses(store)
    products = (  # in the order in which they are swept and exported; a user's are deleted from behind
        *conversations.products,
        gists.product,
        knowledge.product,
        notes.product,
        tools.product,
        library.product,
        responses.product,
        conversations.receipts_product,
    )
    await ensure_indexes(store.collections, products)
    for message in await gists.queue.newest():  # said to a process that was killed before it was embedded
        gists.just_said.add(message["user_id"], [message])
    if search.index is not None:
        await search.index.ensure(models.embedder)
    oversight = open_oversight(store, gists, search, conversations, notes, products)
    importer = Importer(store, products, conversations.projects)
    return Engine(
        store=store,
        gists=gists,
        search=search,
        chats=conversations,
        knowledge=knowledge,
        notes=notes,
        tools=tools,
        library=library,
        responses=responses,
        oversight=oversight,
        importer=importer,
        moving=Moving(store, conversations, importer, oversight.forgetter, products),
        products=products,
    )
