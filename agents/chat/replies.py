"""Which of the assistant's replies does a question ask for? "Which names did you propose?" """

import numpy as np

from agents.chat.context import Context
from agents.chat.statements import Sentence, citation_of
from memory.language.addressed import asks_for_words_said
from memory.language.times.periods import Span
from memory.language.times.spans import nearness
from utils.text import cut_at_word

LIKELY = 0.36  # the score of a reply from which on it is told
LONGEST = 900  # characters of one that is told as it stands; of a longer one, its beginning is told, on one line


def reply_asked_for(context: Context, spans: tuple[Span, ...]) -> Sentence | None:
    """The reply that a question about what the assistant said means, where recall puts it before all else that was said
    at the times named; None where it asks for something else, or a message of somebody else's comes first.

    A reply seldom has the words of the question, so its sentences are not compared with them.
    """
    bundle = context.bundle
    if bundle is None or not asks_for_words_said(context.question):
        return None
    hits = bundle.recall.hits
    if spans:
        near = nearness(spans, np.array([hit.gist.timestamp.timestamp() for hit in hits]))
        hits = tuple(hit for hit, share in zip(hits, near, strict=True) if share == 1)
    best = max(hits, key=lambda hit: hit.score, default=None)
    if best is None or best.score < LIKELY or best.gist.role != "assistant" or best.gist.by_rules:
        return None
    if best.gist.name and best.gist.name.casefold() != "assistant":
        return None  # a person
    text = best.gist.content.strip()
    told = text if len(text) <= LONGEST else cut_at_word(text, LONGEST)
    return Sentence(told, citation_of(best.gist, best), best.parts.dense)
