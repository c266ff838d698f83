"""Recall: which gists of an owner suit a query, best first, each with every part of its score.

A `Recaller` searches messages, facts and insights by the fitted ranker; `WordSearch` searches observations by BM25.
Indexes are kept in memory per owner, or MongoDB names what is near. Nothing that is committed is missed, nothing
erased is found.
"""

from memory.recall.index import WORDS
from memory.recall.kept_indexes import SECTIONS, KeptIndexes
from memory.recall.query import slips
from memory.recall.ranking import Scope
from memory.recall.recaller import Indexes, Recaller, merged, with_overrides
from memory.recall.room import Search, open_search
from memory.recall.scored import Reranking
from memory.recall.vector_search import NAME, NEEDED, SearchIndex, VectorSearch
from memory.recall.word_search import WordSearch, asked, indexed_terms

__all__ = [
    "NAME",
    "NEEDED",
    "SECTIONS",
    "WORDS",
    "Indexes",
    "KeptIndexes",
    "Recaller",
    "Reranking",
    "Scope",
    "Search",
    "SearchIndex",
    "VectorSearch",
    "WordSearch",
    "asked",
    "indexed_terms",
    "merged",
    "open_search",
    "slips",
    "with_overrides",
]
