"""Recall: which gists of an owner suit a query, best first, each with every part of its score.

A `Recaller` searches messages, facts and insights by the fitted ranker; `WordSearch` searches observations by BM25.
Indexes are kept in memory per owner, or MongoDB names what is near. Nothing that is committed is missed, nothing
erased is found.
"""

from memory.recall.ranking import Scope
from memory.recall.recaller import READ_AROUND, Recaller, with_overrides
from memory.recall.room import Search, open_search
from memory.recall.vector_search import NAME, NEEDED, SearchIndex
from memory.recall.word_search import WordSearch, asked, indexed_terms

__all__ = [
    "NAME",
    "NEEDED",
    "READ_AROUND",
    "Recaller",
    "Scope",
    "Search",
    "SearchIndex",
    "WordSearch",
    "asked",
    "indexed_terms",
    "open_search",
    "with_overrides",
]
