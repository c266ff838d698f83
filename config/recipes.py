"""Recipes: the numbers by which each system recalls, and by which a prompt is cut.

A recipe is handed to the one `recall()`; a system differs from another by its numbers alone.
"""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Recipe:
    """How one search ranks and selects.

    top_k: items returned at most. ranking: by cosine similarity alone, or by all that is known, fused; or by words
    alone, BM25 with `k1` and `b`. floor: the lowest cosine similarity, or score, 0..1. candidates: newest vectors
    compared at most, None for all.
    expand_below: other sessions of the user are searched too where the session has fewer vectors than this; None
    searches all sessions always. recency_weight: share of exp(-age / 30 days) in the score. mmr_lambda: weight of the
    score against likeness to what was chosen already; None leaves the order by score. distinct: the same text is
    returned once, however often it was said. silence: nothing is returned where the best fused score is lower,
    and where it is above 0, nothing for small talk.
    rerank: how many of the best a cross-encoder reads, where there is one (`RERANK_MODEL`), or more where `top_k` asks
    for more; 0 for none. rerank_share: how much of the score it says; 1: all of it, and the floor is for that. prior:
    the share of answers among candidates that fused scores are to be free of, so that half is what answers as often as
    not where both are as many; None leaves the probability.
    """

    name: str
    top_k: int
    floor: float
    ranking: Literal["cosine", "fused", "bm25"] = "fused"
    candidates: int | None = None
    expand_below: int | None = None
    recency_weight: float = 0.0
    mmr_lambda: float | None = None
    distinct: bool = True
    silence: float = 0.0
    rerank: int = 0
    rerank_share: float = 0.5
    prior: float | None = None
    k1: float = 1.2
    b: float = 0.75


SILENCE = 0.02  # see docs/recall.md, "When there is nothing to find"
RERANK = 24  # the proxy's document: three candidates for each of the eight that are returned
QUERY = Recipe("query", top_k=8, floor=0.003, silence=SILENCE, rerank=RERANK)
# "Configuration" of the platform's document: top_k 8, threshold 0.45, other sessions where one has fewer than 50
# messages, and the newest 200 of them compared. The former of the two compares all.
QUERY_COSINE = Recipe("query-cosine", top_k=8, floor=0.45, ranking="cosine", expand_below=50)
QUERY_NEWEST_200 = Recipe("query-newest-200", top_k=8, floor=0.45, ranking="cosine", candidates=200, expand_below=50)
QUERY_RECIPES = {recipe.name: recipe for recipe in (QUERY, QUERY_COSINE, QUERY_NEWEST_200)}
SEARCH = Recipe("search", top_k=8, floor=0.0, distinct=False, silence=SILENCE, rerank=RERANK)

# What an assistant gets over MCP, which reads and pays for all of it: nothing where the best is hardly likely to
# answer, and of the rest what /v1/search would not take for silence (docs/decisions.md).
RECALL = Recipe("recall", top_k=8, floor=SILENCE, silence=0.15, rerank=RERANK)

# The proxy's document, "Retrieval Pipeline" and "Summary of Current Defaults": floor 0.35, recency 0.2, MMR 0.7, and
# the cross-encoder alone says what is relevant, where there is one. Of the items to return it says nothing.
ANSWERS = 0.14  # of what a search returns, so much answers (docs/recall.md)
PROXY = Recipe(
    "proxy",
    top_k=5,
    floor=0.35,
    recency_weight=0.2,
    mmr_lambda=0.7,
    silence=SILENCE,
    rerank=RERANK,
    rerank_share=1.0,
    prior=ANSWERS,
)
# The observations' document: BM25 by category. k1 and b as they are usual (Robertson 1994, and Lucene's). The latter is
# what `/query` takes of them where it does: few, and nothing below the score that the document's example asks for.
OBSERVATIONS = Recipe("observations", top_k=10, floor=0.0, ranking="bm25", distinct=False)
OBSERVED = Recipe("observed", top_k=3, floor=0.1, ranking="bm25")
RECIPES = {recipe.name: recipe for recipe in (*QUERY_RECIPES.values(), PROXY)}  # those that receipts name

# The tool memory's document, "Parameters" and "Context Construction": top_k 3, and a query that is always the same.
TOOL_MEMORY = Recipe("tool-memory", top_k=3, floor=0.0, distinct=False)
NEXT_STEP = "how to proceed with the task"


@dataclass(frozen=True)
class BundleSizes:
    """How much of each kind the memory agent gathers (the platform document, "System Flow Diagram")."""

    recent_pairs: int = 6
    summaries: int = 3
    memories: int = 8


@dataclass(frozen=True)
class Cut:
    """At most `items` entries of a prompt section, each at most `characters` long; None keeps them whole."""

    items: int
    characters: int | None


@dataclass(frozen=True)
class PromptTable:
    """The truncation table of the prompt (the platform document, "Content Truncation Limits")."""

    history: Cut = Cut(10, 200)
    summaries: Cut = Cut(3, 240)
    memories: Cut = Cut(5, None)
    observations: Cut = Cut(3, 240)  # no section of the document's; as long as summaries
    known: Cut = Cut(20, 200)  # nor one of its; where all is asked for that is known
    end: Cut = Cut(1, 2_000)  # nor this; the first or last message, where that is asked for
    similar: Cut = Cut(4, 200)
    recent: Cut = Cut(6, 180)


PromptRecipe = Literal["budget", "table"]


@dataclass(frozen=True)
class PromptBudget:
    """How a prompt is fitted to the tokens that a model takes (`python -m bench.prompt` measures it).

    answer: tokens that are left for the answer, a quarter of all at most. share: of all, that memories take at most;
    least: what they may take in any case, but half of what a small context leaves; most: tokens beyond which more of
    them adds little. hits: messages that are looked up for it, where a request names no number. beside: the share of a
    hit's worth that messages beside it have, from two before it to two after it. price: the power of its tokens by
    which a message's worth is divided; 0: the best first, however long. profile: tokens of what is known of the user,
    whatever is asked. lengths: characters to which a message is quoted, one after the other as there is room, each with
    the share of its worth that it counts for; of a longer one the sentences nearest the question stay. likeness: cosine
    similarity that a line of a summary needs. messages: newest of the running conversation that are read. step: the
    share of its room that a conversation which is too long may leave empty, to begin at one message for some turns.
    """

    answer: int = 4_096
    share: float = 0.25
    least: int = 700
    most: int = 2_000
    hits: int = 80
    beside: tuple[float, float, float, float] = (0.02, 0.05, 0.05, 0.02)
    price: float = 0.4
    profile: int = 300
    lengths: tuple[tuple[int, float], ...] = ((70, 1.0), (150, 0.3), (400, 0.15), (1_200, 0.1))
    likeness: float = 0.45
    messages: int = 400
    step: float = 0.25


@dataclass(frozen=True)
class SummaryRecipe:
    """How a summary is written by a model (the platform document, "LLM Summary Prompt")."""

    last_messages: int = 12
    temperature: float = 0.2
    max_tokens: int = 120


@dataclass(frozen=True)
class DigestRecipe:
    """How the summary of a whole conversation grows. `messages`: taken up at once; `newest`: of a conversation that has
    none yet, those that are taken up at all. `rules_tokens`: how long rules let it grow."""

    messages: int = 40
    newest: int = 200
    temperature: float = 0.2
    max_tokens: int = 500
    rules_tokens: int = 250


@dataclass(frozen=True)
class TitleRecipe:
    """How a model gives a session its title. `characters`: of the message that it is shown."""

    characters: int = 1_000
    temperature: float = 0.2
    max_tokens: int = 100


@dataclass(frozen=True)
class ObserverRecipe:
    """How a model notes what a tool gave. `characters`: of the result that it is shown (the tool memory's document,
    "Safety"); `task_characters`: of what the user asked for; `longest`: characters of the note that are kept."""

    characters: int = 10_000
    task_characters: int = 2_000
    temperature: float = 0.0
    max_tokens: int = 400
    longest: int = 2_000


@dataclass(frozen=True)
class BankRecipe:
    """How large a memory bank may be, in tokens, and how a model is asked about it (the banks' document, "Continuous
    Cache Optimization": 4,000 to 8,000 tokens).

    most: above it, a bank is condensed; least: below it, it never is; target: what it is condensed to. shown:
    characters of content that a model is asked to place; longer content is placed by rules. kept_words: the share of
    the content's words that must stand in what a model makes of it.
    """

    least: int = 4_000
    most: int = 8_000
    target: int = 6_000
    shown: int = 24_000
    kept_words: float = 0.8
    temperature: float = 0.0
