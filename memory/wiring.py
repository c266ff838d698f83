"""The core, put together over one database."""

from datetime import timedelta
from typing import TYPE_CHECKING

from config.recipes import BankRecipe, DigestRecipe, ObserverRecipe, SummaryRecipe
from memory.banks import Activations, BankFolder, Banks, BankSections, BankStore, BankTidying, BankWriter, Connections
from memory.facts import FactQueue, Facts, FactStore, Superseded
from memory.gists import Caches, EmbeddingQueue, GistEraser, GistReader, JustSaid
from memory.observations import INDEXED, Observations, ObservationStore, Observer, Scratchpad
from memory.oversight import Explainer, Forgetter, Jobs, Owners, Saying
from memory.portable import Exporter, Importer
from memory.recall import (
    SECTIONS,
    WORDS,
    Indexes,
    KeptIndexes,
    Recaller,
    Reranking,
    SearchIndex,
    VectorSearch,
    WordSearch,
)
from memory.store import Changes, Collections, IdempotencyKeys, StoredKeys, ensure_indexes
from memory.traces import TraceQueue, Traces
from memory.turns import Digests, Drafts, Eviction, KeyValues, Places, Receipts, Sessions, Summaries, Turns
from utils.chat import ChatModel
from utils.embeddings import Embedder, LocalEmbedder
from utils.mongo import Database

if TYPE_CHECKING:
    from utils.reranker import Reranker

from memory.banks import banks_product
from memory.engine import Engine
from memory.facts import facts_product
from memory.gists import gists_product
from memory.observations import observations_product
from memory.traces import traces_product
from memory.turns import conversations_product, keyvalues_product, receipts_product

WORDS_SHARE = 8  # of the memory for indexes, the share of those of words: one in so many
SHARE_OF_BANKS = 8  # sections of memory banks may take a share of so much of the memory for indexes, beside it


async def open_engine(
    database: Database,
    embedder: Embedder,
    reader: LocalEmbedder,
    summary_model: ChatModel | None,
    fact_model: ChatModel | None,
    observer_model: ChatModel | None,
    *,
    summary_interval: int,
    recall_memory_mb: int,
    abandoned: timedelta,
    reranker: "Reranker | None" = None,
    vector_search: bool = False,
    max_entries: int = 0,
    bank_model: ChatModel | None = None,
    bank_folder: BankFolder | None = None,
    bank_large_update: int = 10_000,
    bank_optimise_hours: float = 24.0,
) -> Engine:
    """Wires the core to a database and makes sure that its indexes are there. `abandoned`: after which an answer that
    is still to come will not. `reranker`: reads the best candidates of a search. `vector_search`: ask MongoDB for what
    may answer a query, instead of keeping histories in memory. `max_entries`:
    messages of a conversation of the proxy at most; 0 for any number. `bank_…`: who places and condenses what memory
    banks are told, where they stand in files, after how many characters of an update these are written at once, and how
    long after a change a bank is looked at for what may be condensed.

    Raises `ConfigurationError` where MongoDB is to be asked and has no search, or none that fits.
    """
    collections = Collections.of(database)
    window = 2 * summary_interval  # a pair is two messages
    changes = Changes(collections)
    just_said = JustSaid()
    search_index: SearchIndex | None = None
    for_words = recall_memory_mb // WORDS_SHARE
    said_in_banks = JustSaid()
    words = KeptIndexes(collections, changes, JustSaid(), WORDS, for_words, only=INDEXED)
    indexes: Indexes = KeptIndexes(collections, changes, just_said, embedder.model, recall_memory_mb - for_words)
    of_sections: Indexes = KeptIndexes(
        collections, changes, said_in_banks, embedder.model, max(1, recall_memory_mb // SHARE_OF_BANKS), only=SECTIONS
    )
    if vector_search:
        search_index = SearchIndex(collections.vectors)
        indexes = VectorSearch(collections, changes, embedder.model, search_index)
        of_sections = VectorSearch(collections, changes, embedder.model, search_index, only=SECTIONS)
    sessions = Sessions(collections)
    places = Places(collections, window)
    summaries = Summaries(collections, changes, summary_model, window, SummaryRecipe(), abandoned, reader)
    receipts = Receipts(collections)
    gists = GistReader(collections, changes)
    reranking = Reranking(gists, reranker) if reranker is not None else None
    recaller = Recaller(indexes, just_said, gists, embedder, reader, reranking)
    turns = Turns(collections, places, changes, gists, just_said)
    digests = Digests(collections, changes, summary_model, DigestRecipe())
    keyvalues = KeyValues(collections, changes)
    caches = Caches((just_said, said_in_banks), gists, (indexes, words, of_sections), (summaries, digests, keyvalues))
    eraser = GistEraser(collections, changes, caches)
    fact_store = FactStore(collections, changes, eraser, just_said)
    facts = Facts(collections, changes, eraser, just_said)
    traces = Traces(collections, changes, eraser, just_said, observed=observer_model is not None)
    word_search = WordSearch(words, gists)
    observation_store = ObservationStore(collections, changes, eraser)
    observations = Observations(observation_store, word_search)
    scratchpad = Scratchpad(collections)
    recipe = BankRecipe()
    due_after = timedelta(hours=bank_optimise_hours)
    bank_store = BankStore(collections, recipe.most, due_after)
    sections = BankSections(collections, bank_store, eraser, said_in_banks)
    writer = BankWriter(bank_model, recipe)
    banks = Banks(collections, bank_store, sections, writer, bank_folder, bank_large_update)
    eviction = Eviction(collections, eraser, sessions, max_entries)
    drafts = Drafts(collections, turns)
    fact_queue = FactQueue(collections, facts, fact_model, (digests.extend, eviction.run))
    trace_queue = TraceQueue(collections, traces, observer_model, ObserverRecipe())
    embeddings = EmbeddingQueue(collections, changes, embedder, reader)
    bank_tidying = BankTidying(collections, bank_store, sections, writer, banks)
    products = (  # in the order in which they are exported and swept
        gists_product(collections, embeddings),
        conversations_product(collections, changes, sessions, places, turns, drafts, summaries, eraser),
        facts_product(collections, facts, fact_queue, fact_store),
        keyvalues_product(collections, changes),
        observations_product(collections, observations, observation_store, scratchpad),
        traces_product(collections, traces, trace_queue, observed=observer_model is not None),
        banks_product(collections, banks, bank_store, sections, bank_tidying, due_after),
        receipts_product(collections),
    )
    await ensure_indexes(collections, [product.indexes for product in products])
    if search_index is not None:
        await search_index.ensure(embedder)
    return Engine(
        collections=collections,
        embedder=embedder,
        reader=reader,
        sessions=sessions,
        places=places,
        turns=turns,
        gists=gists,
        drafts=drafts,
        facts=facts,
        fact_queue=fact_queue,
        superseded=Superseded(collections, gists),
        digests=digests,
        eviction=eviction,
        traces=traces,
        trace_queue=trace_queue,
        recaller=recaller,
        word_search=word_search,
        observations=observations,
        observer=Observer(collections, observations, turns, places, fact_model),
        scratchpad=scratchpad,
        summaries=summaries,
        keyvalues=keyvalues,
        receipts=receipts,
        explainer=Explainer(collections, receipts, recaller, embedder, observations),
        forgetter=Forgetter(collections, changes, sessions, summaries, receipts, caches, eraser, products),
        saying=Saying(collections),
        idempotency=IdempotencyKeys(collections),
        embeddings=embeddings,
        changes=changes,
        just_said=just_said,
        api_keys=StoredKeys(collections),
        banks=banks,
        bank_tidying=bank_tidying,
        activations=Activations(collections),
        connections=Connections(collections),
        section_recaller=Recaller(of_sections, said_in_banks, gists, embedder, reader, reranking),
        exporter=Exporter(products),
        importer=Importer(collections, changes, products),
        owners=Owners(collections),
        jobs=Jobs(collections, products),
        products=products,
        search_index=search_index,
    )
