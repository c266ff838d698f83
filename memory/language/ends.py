"""Questions for what was said first or last, or for all that is known, told by their words. They name no subject by
which a search could find what they mean."""

import re
from dataclasses import dataclass
from typing import Literal

Role = Literal["user", "assistant"]

LONGEST = 160  # characters of such a question

_LEAD = (
    r"(?:(?:please|so|and|now|ok|okay|hey|hi|loci|(?:can|could|would|will) you(?: please)?|remind me(?: of)?|tell me|"
    r"show me|give me|repeat|quote|do you (?:still )?(?:remember|know|recall))\W+)*"
)
_FIRST = r"(?:very )?(?:first|earliest)"
_LAST = r"(?:very )?last|latest|newest|most recent|previous"
_QUESTION = r"question|query"
_ANSWER = r"answer|reply|response"
_THING = rf"(?:thing|message|sentence|statement|request|prompt|fact|words|{_QUESTION}|{_ANSWER})"
_TOLD = r"told|tell|mentioned|mention"
_ASKED = r"asked|ask"
_SAID = rf"(?:said|say|wrote|write|written|sent|send|typed|type|{_TOLD}|{_ASKED})"
_TO = r"(?: (?:to )?(?:you|me))?"
_WHERE = (
    r"(?P<where>(?: (?:here|in (?:this|our|the) (?:chat|conversation|session|talk)|ever|so far|in all our "
    r"(?:chats|conversations|sessions)))*)"
)
_BEFORE = r"(?:before(?: (?:that|this))?|(?:right|just) (?:before(?: (?:that|this))?|now)|a (?:moment|second) ago)"

# "What was the first thing I told you?", "Repeat the last message that I sent"
_THING_SAID = re.compile(
    rf"{_LEAD}(?:what(?: is| was|'s)? )?the (?:(?P<first>{_FIRST})|{_LAST}) (?P<thing>{_THING}) (?:that )?"
    rf"(?P<who>i|you)(?:'ve|'d| have| had)? (?P<ever>ever )?(?P<verb>{_SAID}){_TO}{_WHERE}"
)
# "What was my last question?", "Repeat your previous answer"
_OWN_THING = re.compile(
    rf"{_LEAD}(?:what(?: is| was|'s)? )?(?P<who>my|your) (?:(?P<first>{_FIRST})|{_LAST}) (?P<thing>{_THING})"
    rf"{_TO}{_WHERE}"
)
# "What did I say first?", "What did you just say?", "What did I ask you before that?"
_DID_SAY = re.compile(
    rf"{_LEAD}what did (?P<who>i|you) (?:(?P<just>just) (?P<verb>{_SAID}){_TO}(?: {_BEFORE})?|"
    rf"(?P<verb_too>{_SAID}){_TO} (?:(?P<first>{_FIRST})|{_LAST}|{_BEFORE}){_WHERE})"
)

_MARKS = " .?!…\"'“”"
_PLEASE = re.compile(r"(?: (?:please|again|thanks|thank you))+$")
_ABOUT_ME = r"(?: (?:about|of|on) (?:me|myself|us|my life))?"
_SO_FAR = r"(?: (?:so far|yet|until now|up to now|by now|already|in total|at all))*"
_KNOW = (
    r"(?:know|remember|recall|learn(?:ed|t)?|store[d]?|save[d]?|ke(?:ep|pt)|noted?|gather(?:ed)?|"
    r"told|tell|said|say|shared|mention(?:ed)?)"
)
_LIST = (
    r"(?:(?:tell|give|show|remind)(?: me)?(?: (?:of|about))?|list|recap|sum up|summari[sz]e|repeat|"
    r"(?:(?:give|show|make|write)(?: me)? )?(?:a |an |the )?(?:(?:short|brief|full|complete) )?"
    r"(?:summary|recap|list|overview) of)"
)
_ALL_OF_IT = re.compile(
    rf"{_LEAD}(?:{_LIST} )?(?:me )?(?:(?:all|everything|anything|whatever)(?: (?:that|of what))?|what(?: all| else)?)"
    rf" (?:(?:do|did|have|had) (?:you|i)|(?:you|i)(?:'ve|'d| have| had)?) (?:ever )?{_KNOW}{_TO}{_ABOUT_ME}{_SO_FAR}"
    rf"|{_LEAD}tell me about (?:me|myself)|{_LEAD}who am i"
)
# "What did I ask you to remember?", "List all the things I told you to keep", "What did I note to self?", "My notes?"
_ALL_KEPT = re.compile(
    rf"{_LEAD}(?:{_LIST} )?(?:me )?"
    r"(?:(?:what(?: all| else)?|(?:(?:all|everything|which|what|the|of)\W+)*(?:things|facts|all|everything)(?: that)?)"
    r" (?:(?:did|have|had) i|i(?:'ve|'d| have| had)?) (?:ever )?"
    r"(?:(?:ask|tell|told|want|instruct)(?:ed)? you to"
    r" (?:remember|keep|memori[sz]e|note|save|store|write down|(?:not|never) forget)(?: (?:in mind|down|for me))*"
    r"|noted?(?: down)?(?: (?:to|for) (?:self|myself))?)"
    r"|(?:what(?:'s| is| are| was| were) )?(?:all )?my notes?(?: to (?:self|myself))?)"
    rf"{_SO_FAR}"
)


@dataclass(frozen=True)
class End:
    """What is asked for: the first or the last message of one who speaks. `asking`: of those that ask, or of those that
    do not; None for any. `ever`: of all conversations."""

    last: bool
    role: Role
    asking: bool | None = None
    ever: bool = False


def end_asked_for(text: str) -> End | None:
    """Which message a question asks for that names it by its place alone; None where it names none, or anything else
    of it ("What was the first thing I said about Rome?")."""
    plain = _plain(text)
    for pattern in (_THING_SAID, _OWN_THING, _DID_SAY):
        if found := pattern.fullmatch(plain):
            return _end(found.groupdict(default=""))
    return None


def asks_for_all(text: str) -> bool:
    """Whether a text asks for all that the user told, whatever it is about."""
    return _ALL_OF_IT.fullmatch(_plain(text)) is not None


def asks_for_kept(text: str) -> bool:
    """Whether a text asks for all that the user asked to remember."""
    return _ALL_KEPT.fullmatch(_plain(text)) is not None


def _end(found: dict[str, str]) -> End:
    thing, verb = found.get("thing", ""), found.get("verb") or found.get("verb_too", "")
    if found["who"] in ("you", "your"):
        role: Role = "assistant"
        asking = None
    else:
        role = "user"
        asking = _asking(thing if thing not in ("", "thing") else verb)
    where = found.get("where", "")
    return End(not found.get("first"), role, asking, bool(found.get("ever")) or "ever" in where or "all our" in where)


def _asking(word: str) -> bool | None:
    """Whether what a word says was said asked something; None where it does not tell."""
    if re.fullmatch(f"{_QUESTION}|{_ASKED}", word):
        return True
    return False if re.fullmatch(f"{_TOLD}|statement|fact", word) else None


def _plain(text: str) -> str:
    """In small letters, on one line, without commas, courtesies and marks at the ends."""
    if len(text) > LONGEST:
        return ""
    plain = " ".join(text.lower().replace("’", "'").replace(",", " ").split())
    return _PLEASE.sub("", plain.strip(_MARKS)).strip(_MARKS)
