"""Does a text ask who or what did something, without its mark and without an auxiliary? "who broke the lamp" does."""

import re
from itertools import pairwise

from memory.language.irregular import is_past

LONGEST = 120  # characters

_BEGINS = re.compile(
    r"\W*(?:(?:so|and|but|hey|hi|ok|okay|well|please)\b\W*)*(?P<word>who|what|which|whose|how (?:many|much))\s",
    re.IGNORECASE,
)
_ONE_SENTENCE = re.compile(r"[^.!?:,;\n]+")
_AUXILIARIES = frozenset(
    """
    is are am was were do does did has have had will would can could shall should may might must
    """.split()  # noqa: SIM905  a list would be four times as long
)
_SUBJECTS = frozenset(("i", "we", "you", "he", "she", "they", "who", "which", "that"))
_DETERMINERS = frozenset(("the", "a", "an", "my", "our", "your", "his", "her", "their", "this", "these", "those"))
_NO_THING = (
    _SUBJECTS | _DETERMINERS | {"it", "me", "us", "about", "kind", "sort", "kinda", "sorta", "then", "also", "just"}
)
# What follows a verb; adjectives are followed by what they are of: "what lost souls".
_FOLLOWS = _DETERMINERS | frozenset(
    """
    i we you he she they it him them in on at to from for with without about against by near into over under during
    after before while when up down out off first next last yesterday today
    """.split()  # noqa: SIM905
)
# Said to wonder or to be indignant: "who knows", "who needs a car".
_EXCLAIMED = frozenset(
    "know knows knew care cares cared need needs needed want wants wanted think thinks thought dare dares".split()  # noqa: SIM905
)
_DOES = frozenset(  # what does something, "what helps against a cough", and no noun, as "what news the neighbours have"
    """
    becomes begins belongs breaks causes comes costs ends fits gets goes happens helps holds keeps lives makes means
    opens runs smells starts stops takes tastes wakes works
    """.split()  # noqa: SIM905
)
_NO_VERBS = frozenset(
    ("red", "bed", "shed", "need", "seed", "feed", "speed", "wed", "hundred", "bleed", "breed", "weed")
)
_CONTINUES = frozenset(("reminds", "means", "makes", "explains", "leaves", "brings", "is", "was"))  # "which means that"


def asks_for_doer(text: str) -> bool:
    """Whether a text is such a question, as people type them; in English. "who knows", "which reminds me I need milk",
    "what great news" and "who broke it was Tom" are none."""
    begins = _BEGINS.match(text)
    if begins is None or len(text) > LONGEST or _ONE_SENTENCE.fullmatch(text, begins.end()) is None:
        return False
    first = begins["word"].lower()
    said = text[begins.end() :].lower().split()
    verbs = (0,) if first in ("who", "what") else (1, 2)  # else one or two words of the thing come first
    return any(_does(first, said, at) for at in verbs)


def _does(first: str, said: list[str], at: int) -> bool:
    """Whether the word at a place is the one verb of a question that begins with a word, but for those of clauses that
    say which one is meant."""
    if at >= len(said) or not _may_be_of(said[:at]):
        return False
    verb, after = said[at], said[at + 1 :]
    if verb in _EXCLAIMED or not (_is_past(verb) or _is_present(first, verb)):
        return False
    if first == "what" and after and after[0] not in _FOLLOWS:
        return False
    told = any(_is_finite(one, word) for one, word in pairwise(said[at:]))
    return not told and (not after or after[-1] not in _AUXILIARIES)


def _may_be_of(thing: list[str]) -> bool:
    """Whether words behind "which" or "how many" name a thing: "which train" does, "which reminds me" does not."""
    if not thing:
        return True
    goes_on = thing[0] in _CONTINUES or thing[0].endswith("ly") or _is_past(thing[0])
    return not goes_on and _NO_THING.isdisjoint(thing) and _AUXILIARIES.isdisjoint(thing)


def _is_present(first: str, verb: str) -> bool:
    if verb in _AUXILIARIES or "'" in verb:
        return False
    return verb in _DOES or (first == "who" and verb.endswith("s") and not verb.endswith("ss"))


def _is_past(word: str) -> bool:
    """Whether a word, in small letters, looks like the past of a verb."""
    return is_past(word) or (len(word) > len("wed") and word.endswith("ed") and word not in _NO_VERBS)


def _is_finite(before: str, word: str) -> bool:
    """Whether a word is a verb by which the sentence tells: not of "the lamp that I sold", nor in "the cut hedge"."""
    if before in _SUBJECTS:
        return False
    return word in _AUXILIARIES or (before not in _DETERMINERS and before != "to" and _is_past(word))
