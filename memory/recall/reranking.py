"""Reranking of a search's best candidates by a cross-encoder, where there is one.

It reads the question and each text together, which takes milliseconds a text: so it reads only the best by the fused
score. That score decides silence still: it is a probability, and what a cross-encoder gives means something else with
every model. It decides the floor, too, but where the cross-encoder alone says what is relevant (the proxy's document).
Recency and diversity come after."""

import logging
from typing import TYPE_CHECKING

from memory.gists import GistReader, spoken
from memory.recall.scored import SPARE, UNREAD, Reads, Scored
from memory.store import Standing
from utils.errors import ModelError

if TYPE_CHECKING:
    from utils.reranker import Reranker  # onnxruntime takes 0.2 s to import

MOST = 64  # rows looked at, and texts read, whatever is asked for

log = logging.getLogger(__name__)


class Reranking:
    """Has the best candidates of searches read by a cross-encoder."""

    def __init__(self, gists: GistReader, reranker: "Reranker") -> None:
        self._gists = gists
        self._reranker = reranker

    async def of(
        self, owner: str, query: str, scored: Scored, standing: Standing | None, read: Reads = UNREAD
    ) -> Reads:
        """What the cross-encoder says of the best rows, as `Scored.shortlist` has them; nothing where it fails, which
        the log tells. A text that stands in several rows is read once. `standing`: the owner's, as it was just read.
        `read`: what it said of some rows by now, whose texts are not read again."""
        index, recipe = scored.index, scored.recipe
        rows = scored.shortlist(MOST)
        found = await self._gists.by_keys(owner, [index.ids[row] for row in rows], standing)
        said: dict[str, list[int]] = {}
        for row in rows:
            gist = found.get(index.ids[row])
            if gist is not None:
                said.setdefault(spoken(gist.name, gist.role, gist.content), []).append(row)
        texts = list(said)[: max(recipe.rerank, recipe.top_k + SPARE)]
        scores = {text: read[row] for text in texts for row in said[text] if row in read}
        unread = [text for text in texts if text not in scores]
        try:
            scores |= zip(unread, (await self._reranker.scores(query, unread)).tolist(), strict=True)
        except ModelError as error:
            log.warning("search without the cross-encoder: %s", error.detail)
            return UNREAD
        return {row: scores[text] for text in texts for row in said[text]}
