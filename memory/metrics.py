"""What an operator can watch of the core: figures of this process, in Prometheus' terms."""

from prometheus_client import REGISTRY, Counter, Gauge, Histogram

SEARCHES = Histogram(
    "loci_search_seconds",
    "From a query to the gists that suit it",
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)
WITHOUT_HITS = Counter("loci_searches_without_hits_total", "Searches that returned nothing")
LOADS = Histogram(
    "loci_index_load_seconds",
    "A user's index read from the store, on first use or after it was dropped",
    buckets=(0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60),
)
LOADED = Counter("loci_index_loaded_gists_total", "Gists that such reads brought")
EVICTED = Counter("loci_index_evictions_total", "Users' indexes dropped to make room")
USERS = Gauge("loci_index_users", "Users whose index is in memory")
BYTES = Gauge("loci_index_bytes", "What the indexes in memory take, roughly")
FACTS = Counter("loci_fact_decisions_total", "What became of new facts", ["event"])
DROPPED = Counter("loci_dropped_messages_total", "Messages dropped from conversations that had more than they may")
DRAFTS = Counter("loci_drafts_total", "Commits of answers that were still coming")
RECOVERED = Counter("loci_drafts_recovered_total", "Answers kept as interrupted whose process had died")
UNNOTED = Counter("loci_traces_unnoted_total", "Tool results of which the observer's model said nothing")
OBSERVATIONS = Counter("loci_observations_total", "Observations remembered", ["category"])
UNOBSERVED = Counter("loci_observation_failures_total", "Outputs of steps that a model gave no observations of")
BANK_VERSIONS = Counter("loci_bank_versions_total", "Versions of memory banks made", ["reason", "by"])
BANK_TOKENS = Histogram(
    "loci_bank_tokens",
    "Tokens of a memory bank after a change, roughly",
    buckets=(500, 1_000, 2_000, 4_000, 6_000, 8_000, 16_000, 64_000, 1_000_000),
)
BANK_FILES = Counter("loci_bank_flushes_total", "Memory banks written to files")
BANK_ERRORS = Counter("loci_bank_errors_total", "Errors noted in memory banks", ["severity"])


def figure(name: str) -> int:
    """What a gauge says now, by its name."""
    return int(REGISTRY.get_sample_value(name) or 0)
