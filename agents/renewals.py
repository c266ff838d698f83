"""Which later message says anew what an earlier one says, in whatever language? "Ich bin nach Köln gezogen.\""""

from collections.abc import Sequence
from dataclasses import replace

from agents.asked_words import meant
from agents.kinds_elsewhere import kinds_in
from agents.statements import Sentence
from agents.subjects import source_of
from memory.heard import Heard
from utils.text import content_stems

ALIKE = 0.6  # cosine similarity of what changes to the question and to what it changes,
OF_BOTH = 0.5  # less this share of how like these two are to each other,
ASKED = 0.45  # and to the question alone

_PEOPLE = frozenset(
    content_stems("mother father brother sister son daughter wife husband uncle aunt cousin boss neighbour dog cat")
)


def with_renewals(query: str, sentences: Sequence[Sentence], heard: Heard) -> list[Sentence]:
    """The sentences, each with the later messages that tell of a change of what it says and the question asks for."""
    asked_of = _people(query)
    renewing = {
        source_of(one): one.source
        for one in sentences
        if one.source.role == "user"
        and heard.changes(one.source.content)
        and heard.alike(query, one.source.content) >= ASKED
        and _people(one.source.content) == asked_of
    }
    if not renewing:
        return list(sentences)
    found = []
    for one in sentences:
        said = one.source.content
        later = frozenset(
            key
            for key, other in renewing.items()
            if other.timestamp > one.source.timestamp
            and one.source.role == "user"
            and heard.alike(query, other.content)
            + heard.alike(said, other.content)
            - OF_BOTH * heard.alike(query, said)
            >= ALIKE
        )
        found.append(replace(one, renewed_by=later) if later else one)
    return found


def _people(text: str) -> set[str]:
    return (kinds_in(text) | meant(text)) & _PEOPLE
