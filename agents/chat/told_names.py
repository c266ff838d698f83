"""Which name of the history does a question mean, but for a slip? "Petigrew" may be Pettigrew."""

from collections.abc import Sequence
from itertools import islice

from agents.chat.statements import Sentence
from memory.language.languages import ENGLISH, language_of
from memory.language.lexicon import LONGEST, SHORTEST, are_words
from memory.recall import slips
from utils.text import WORD

MOST = 16  # words of a question that are looked at


def with_told_names(query: str, sentences: Sequence[Sentence]) -> str:
    """A question with its words that are none in English, and that no sentence has, as the one name in the sentences
    that a slip makes of each; as they stand where there is none, or are several. In English: in other languages words
    have forms."""
    if language_of(query) is not ENGLISH:
        return query
    strange = [one for one in islice(WORD.finditer(query), MOST) if _may_be_a_name(_bare(one[0]))]
    if not strange:
        return query
    told = {_bare(word) for sentence in sentences for word in WORD.findall(sentence.spoken)}
    known = {word.lower() for word in told}
    names = {word.lower(): word for word in sorted(told) if _may_be_a_name(word)}
    for found in reversed(strange):
        name = _bare(found[0])
        meant = [names[slip] for slip in slips(name.lower()) if slip in names]
        if name.lower() not in known and len(meant) == 1:
            query = f"{query[: found.start()]}{meant[0]}{query[found.start() + len(name) :]}"
    return query


def _bare(word: str) -> str:
    return word.replace("’", "'").removesuffix("'s")


def _may_be_a_name(word: str) -> bool:
    """Whether a word is none in English: the common names are, and a slip seldom makes one of another."""
    if not (SHORTEST <= len(word) <= LONGEST and word.isascii() and word.isalpha()):
        return False
    return not are_words([word.lower()])[0]
