"""Is a text a courtesy alone? "Thanks, that's great!" asks and tells nothing by which something could be found."""

import re

from utils.text import STOPWORDS, words

LONGEST = 200  # characters; who writes more says something

_WORDS = frozenset(
    """
    absolutely agree agreed alright amazing appreciate appreciated aw awesome aww bet bye certainly cheers cool
    definitely enjoy exactly excellent fantastic fine funny get glad go going gonna good goodbye goodnight got gotcha
    great guess ha haha hahaha hang happy haven't hear hello help helpful hey hi hiya hmm hope hurray interesting laugh
    least let's lol lovely make makes maybe mean nice nope oh ok okay omg oops ouch pardon perfect pretty ready right
    safe see sense soon sorry sounds start started sure sweet talk thank thanks think thx tomorrow tonight totally true
    try u understand understood wait welcome wonderful worries wow yay yea yeah yep yes yo yup
    """.split()  # noqa: SIM905  a list would be four times as long
)
_PHRASES = re.compile(
    r"\bgood (?:morning|afternoon|evening|night|day|luck|one|point|idea)\b"
    r"|\b(?:one|a|just a|give me a) (?:sec|second|moment|minute|bit|lot)\b"
    r"|\b(?:nice|good|great|lovely|wonderful) (?:day|evening|night|weekend|week|one|time)\b"
    r"|\b(?:no (?:problem|way)|never mind|take care|of course|my (?:pleasure|bad)|come on|go ahead|be right back)\b"
    r"|\b(?:(?:was|be) away|so much|much love|that's (?:all|it|fair)|talk later)\b"
    r"|\b(?:talk to|see) (?:you|u)(?: later| then| around)?\b|\b(?:hi|hello|hey) (?:everyone|all|guys|there)\b"
    r"|\bhow(?:'s| is| are| was| were| have)? (?:it|you|u|things?|everything|everyone"
    r"|your (?:day|morning|evening|night|weekend|week)|life)(?: (?:all|been|doing|going|today|so far))*\b"
    r"|\bwhat(?:'s| is) up\b|\band (?:you|u)\b",
    re.IGNORECASE,
)
_ASKING = frozenset(
    """
    what what's when where which who who's whom whose why how did does remember remind reminded remembered said say says
    tell told mention mentioned know knew last ago before ever we i've my our
    """.split()  # noqa: SIM905
)


def is_courtesy(text: str) -> bool:
    """Whether all of a text is courteous phrases and words without meaning, none of which ask for what was said or
    done."""
    if len(text) > LONGEST:
        return False
    left = words(_PHRASES.sub(" ", text.replace("’", "'")))
    return all(word in _WORDS or word in STOPWORDS for word in left) and _ASKING.isdisjoint(left)
