"""Does a question ask for whatever was said or done at a time, and for nothing else? "What happened in May?" does."""

from collections.abc import Iterable

from memory.language.times.periods import MONTHS
from utils.text import stem

_WORDS = """
    afternoon ago anything around autumn back beginning between christmas coming couple day discuss discussed do
    doing done during early easter eight end entire evening event everything fall few first five four friday go going
    half halloween happen happened happening last late mention mid monday month morning new news next night nine one
    overview past previous quarter recap saturday say season second seven several since six spring start summary
    summarise summarize summer sunday talk talked tell ten thanksgiving third three thursday time today tomorrow tonight
    tuesday two until wednesday week weekend whole winter year yesterday
    """.split()  # noqa: SIM905  a list would be four times as long
_STEMS = frozenset(stem(word) for word in (*_WORDS, *MONTHS, *(name[:3] for name in MONTHS)))


def asks_only_for_a_time(stems: Iterable[str]) -> bool:
    """`stems`: of the words of a question that names a time."""
    return not beside_times(stems)


def beside_times(stems: Iterable[str]) -> set[str]:
    """What a question that names a time asks for besides. `stems`: of its words."""
    return {one for one in stems if one not in _STEMS and not one[0].isdigit()}
