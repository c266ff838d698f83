"""Headers of Loci's own and of its clients, by name: what requests say with them, and what answers do."""

from agents.proxy import SESSION_HEADERS, USER_HEADERS

USER = "X-Loci-User"
SESSION = "X-Loci-Session"
PROJECT = "X-Loci-Project"
TURN_ID = "X-Loci-Turn-ID"
TURN = "X-Loci-Turn"
MEMORIES = "X-Loci-Memories"
PAUSED = "X-Loci-Paused"  # "true" of an answer of which nothing is kept, for its user has paused remembering
RETRIES = "X-Stainless-Retry-Count"  # OpenAI's clients and Anthropic's count theirs

# By these the same body is another request.
IDENTITY = (USER, SESSION, PROJECT, *USER_HEADERS, *SESSION_HEADERS)
OF_ANSWERS = ("ETag", TURN_ID, SESSION, TURN, MEMORIES, PAUSED)
KEPT = frozenset(map(str.lower, OF_ANSWERS))  # are given again with an answer
# What pages of other origins may read.
EXPOSED = (*OF_ANSWERS, "X-Request-ID", "Idempotency-Replayed", "Retry-After", "Mcp-Session-Id")
