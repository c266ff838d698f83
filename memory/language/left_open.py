"""What do sentences leave open? What is not so yet, or not so at all, though the words for what is stand in them."""

import re
from collections.abc import Iterable, Iterator

# "Not yet decided", "I don't remember", "maybe we will use".
OPEN = re.compile(
    r"\bundecided\b|\b(?:without|no) (?:(?:any|a|final|clear|real) ){0,2}(?:decisions?|conclusions?|agreement)\b|"
    r"\b(?:maybe|perhaps|possibly|might|may|could|whether) "
    r"(?:(?!but\b|and\b|so\b)\w+ ){0,4}?(?:will use|should use|agreed?|decided?)\b|"
    r"\b(?:before|once) (?:\w+ ){1,2}(?:(?:decide|agree)\b|(?:have|has) (?:decided|agreed)\b)|"
    r"(?:\b(?:not|never|nobody|nothing|hardly|cannot|no|if|unless|until|whether|to be) |"
    r"n['’]t )"
    r"(?!only\b)(?:(?!but\b|and\b|so\b)\w+ ){0,3}?"
    r"(?:decided?|conclusions?|important|remember|agreed?|learn(?:ed|t)? that)\b",
    re.IGNORECASE,
)


def parts_of(sentences: Iterable[str]) -> Iterator[str]:
    """Sentences; of one that leaves something open its parts, which may settle something else."""
    for sentence in sentences:
        yield from filter(None, map(str.strip, sentence.split("; ") if OPEN.search(sentence) else [sentence]))
