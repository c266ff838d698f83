"""Search, opened over the indexes that are kept in memory or over MongoDB's."""

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from config.recipes import Recipe
from memory.domain import SECTION, Recall
from memory.gists import Gists, JustSaid
from memory.recall.index import WORDS
from memory.recall.kept_indexes import SECTIONS, KeptIndexes
from memory.recall.ranking import Scope
from memory.recall.recaller import Indexes, Recaller, merged
from memory.recall.scored import Reranking
from memory.recall.vector_search import SearchIndex, VectorSearch
from memory.recall.word_search import WordSearch
from memory.store import Store
from utils.mongo import Document

if TYPE_CHECKING:
    from utils.reranker import Reranker  # onnxruntime takes 0.2 s to import

WORDS_SHARE = 8  # of the memory for indexes, the share of those of words: one in so many
SHARE_OF_BANKS = 8  # sections of memory banks may take a share of so much of the memory for indexes, beside it


@dataclass(frozen=True)
class Search:
    """`recaller`: of messages, facts and insights; `sections`: of memory banks; `words`: of observations, by BM25.
    `said_in_banks`: sections that no index has yet. `index`: MongoDB's, where recall asks it; else None."""

    recaller: Recaller
    sections: Recaller
    words: WordSearch
    said_in_banks: JustSaid
    index: SearchIndex | None

    async def recall(self, owner: str, query: str, recipe: Recipe, scope: Scope) -> Recall:
        """The owner's gists that suit a query best, those among them that no worker has embedded yet. By a recipe of
        BM25, observations are searched, and no embedding is needed. Sections of memory banks are searched where the
        scope names their kind; they take nobody's place in any other search.

        Raises `ModelError` where the query cannot be embedded.
        """
        if recipe.ranking == "bm25":
            return await self.words.recall(owner, query, recipe, scope)
        kinds = scope.kinds or ()
        if SECTION not in kinds:
            return await self.recaller.recall(owner, query, recipe, scope)
        others = tuple(kind for kind in kinds if kind != SECTION)
        sections = self.sections.recall(owner, query, recipe, replace(scope, kinds=(SECTION,)))
        if not others:
            return await sections
        messages = self.recaller.recall(owner, query, recipe, replace(scope, kinds=others))
        return merged(await asyncio.gather(messages, sections), recipe)


def open_search(
    store: Store,
    gists: Gists,
    reranker: "Reranker | None",
    *,
    memory_mb: int,
    by_mongodb: bool,
    words: Document,
) -> Search:
    """`memory_mb`: of indexes. `by_mongodb`: MongoDB is asked for what may answer a query, instead of keeping histories
    in memory; its index is still to be made sure of. `words`: the filter of gists that are found by words alone."""
    collections, changes, just_said, model = store.collections, store.changes, gists.just_said, gists.embedder.model
    said_in_banks, index = JustSaid(), None
    for_words, for_banks = memory_mb // WORDS_SHARE, max(1, memory_mb // SHARE_OF_BANKS)
    by_words = KeptIndexes(collections, changes, JustSaid(), WORDS, for_words, only=words)
    messages: Indexes
    sections: Indexes
    if by_mongodb:
        index = SearchIndex(collections.vectors)
        messages = VectorSearch(collections, changes, model, index)
        sections = VectorSearch(collections, changes, model, index, only=SECTIONS)
    else:
        messages = KeptIndexes(collections, changes, just_said, model, memory_mb - for_words)
        sections = KeptIndexes(collections, changes, said_in_banks, model, for_banks, only=SECTIONS)
    gists.caches.kept += [messages, by_words, sections, said_in_banks]
    reranking = Reranking(gists.reader, reranker) if reranker is not None else None
    shared = (gists.reader, gists.embedder, gists.encoder, reranking)
    return Search(
        recaller=Recaller(messages, just_said, *shared),
        sections=Recaller(sections, said_in_banks, *shared),
        words=WordSearch(by_words, gists.reader),
        said_in_banks=said_in_banks,
        index=index,
    )
