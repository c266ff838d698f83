"""Which of the assistant's replies does a question ask for? "Which names did you propose?" """

from collections.abc import Sequence

from agents.statements import Sentence
from memory.addressed import asks_of_assistant

LIKELY = 0.2  # the score of a reply from which on it is told


def reply_asked_for(query: str, sentences: Sequence[Sentence]) -> Sentence | None:
    """The reply that a question about what the assistant said is likeliest to mean, whole; None where it asks for
    something else, or none is likely. A reply seldom has the words of the question, so its sentences are not compared
    with them."""
    if not asks_of_assistant(query):
        return None
    found = [one for one in sentences if one.source.role == "assistant" and (one.source.score or 0) >= LIKELY]
    if not found:
        return None
    best = max(found, key=lambda one: one.source.score or 0)
    return Sentence(best.source.content.strip(), best.source, best.likeness)
