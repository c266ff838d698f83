"""Is a text that no rule understands a statement all the same, to be kept as a fact as it stands?"""

import re

from memory.facts.rules.extract import LONGEST, extract_by_rules
from memory.language.own_words import LEFT_OUT, own_words
from utils.sentences import split_sentences
from utils.text import words

FEWEST_WORDS = 3
FEWEST_CHARACTERS = 6  # of scripts that put no spaces between words

_KEYED = re.compile(r"[^\W\d_][^:?!.]{0,59}:\s+\S")  # "Gate code: 4711"
_SPACELESS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\u0e00-\u0e7f]")
_ASKS = re.compile(
    r"(?:what|who|whom|whose|which|where|when|why|how)\b|(?:is|are|was|were|am|do|does|did|has|have|had|can|could|will|"
    r"would|shall|should|may|might|must) (?:i|you|he|she|it|we|they|there|this|that|these|those|my|your|the)\b",
    re.IGNORECASE,
)
_BIDS = re.compile(
    r"(?:please|kindly|forget|remember to|remind|delete|remove|erase|clear|write|rewrite|draft|compose|translate|"
    r"summari[sz]e|explain|describe|tell|show|give|list|find|search|look|help|make|create|generate|add|change|update|"
    r"correct|fix|check|compare|calculate|count|convert|draw|paint|send|call|open|close|stop|start|continue|go|come|"
    r"do not|don['’]t|never mind|let me|let us|let['’]?s|ignore|pretend|imagine|suppose|act|answer|say|repeat|read|"
    r"suggest|recommend|think|try|use|see|wait|keep in mind to|set|turn|play|print|run|put|take|save|store|note to)\b",
    re.IGNORECASE,
)
_GREETS = re.compile(
    r"(?:yes|yeah|yep|yup|ok|okay|sure|right|thanks|thank you|hello|hi|hey|bye|goodbye|good (?:morning|evening|night|"
    r"afternoon)|no,|never,|of course|i see|got it)(?:\W|$)",
    re.IGNORECASE,
)
# The user's own words are for the rules to read: what these leave out does not last.
_OF_ONESELF = re.compile(
    r"(?:^|(?<=[.!?,;:–—-] )|(?<=\n)|\b(?:and|but|so|that|because|where|when|while|which|who) )(?:i|my|we|our|im)\b|"
    r"(?<!War )(?<!Part )(?<!Type )\bI\b(?=[ '’][a-z])",
    re.IGNORECASE,
)
_SUPPOSES = re.compile(r"\bif\b", re.IGNORECASE)
_MINE = re.compile(r"(?<![\w’'-])(?:my|our)(?![\w’'-])")
_ME = re.compile(r"(?<![\w’'-])(?:me|us)(?![\w’'-])")


def stated_by_rules(text: str) -> list[str]:
    """The facts of a text that is to be kept: those that rules read in it, or else itself, where it is a statement, in
    the third person."""
    if facts := extract_by_rules(text):
        return facts
    return [_ME.sub("the user", _MINE.sub("the user's", " ".join(text.split())))] if is_statement(text) else []


def is_statement(text: str) -> bool:
    """Whether a text says something that may be kept: words enough, no question, no request, no greeting, no quotation,
    nothing of the user's own, and nothing that depends on an "if". A name with a value counts."""
    if len(text) > LONGEST or _SUPPOSES.search(text) or _OF_ONESELF.search(text) or LEFT_OUT in own_words(text):
        return False
    sentences = split_sentences(text)
    if not sentences or not all(map(_tells, sentences)):
        return False
    enough = len(words(text)) >= FEWEST_WORDS or len(_SPACELESS.findall(text)) >= FEWEST_CHARACTERS
    return enough or _KEYED.match(text.strip()) is not None


def _tells(sentence: str) -> bool:
    bare = sentence.strip(" \t\"'“”‘’()-–—*")
    if bare.endswith(("?", "？", "؟")):
        return False
    return not any(pattern.match(bare) for pattern in (_ASKS, _BIDS, _GREETS))
