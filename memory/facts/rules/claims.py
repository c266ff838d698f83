"""Claims: what one clause says, one thing at a time, so that one may end and the rest stay in force.

"My wife Elin is a teacher and allergic to shellfish" makes two. What may be one thing said in two words ("black and
white photos"), or hangs on what stands before ("bought a house and sold it"), stays whole.
"""

import re
from collections.abc import Iterator, Sequence

from memory.facts.rules.statement import NAME, RELATION, is_somebody, read_statement, split_statement, whom_of
from memory.language import is_past, third_person
from utils.text import STOPWORDS

LONGEST = 300  # characters of a clause that is read

_SELF = re.compile(r"(?P<subject>I|We)(?:(?= )|(?=['’](?:m|ve|re|ll|d)\b))", re.IGNORECASE)
_AND = re.compile(r"(,? (?:and|but) |, )")
_OR = re.compile(r"(?:,? (?:and|or|nor) |, )")
_EITHER = re.compile(r"\b(?:or|nor)\b")
_DENIED = re.compile(r"\bnot\b|n['’]t\b|\bnever\b|\bno\b")
_HANGS = re.compile(  # what takes more than a clause of its own to be understood
    r"\b(?:who|which|that|because|since|when|while|if|where|although|though|than|between|both|either|neither|"
    r"together|each other|as well as|as (?:much|often)|so|how|what|why|until|till|after|before)\b",
    re.IGNORECASE,
)
_POINTS = re.compile(r"\b(?:it|them|there|this|those|one|ones|him)\b", re.IGNORECASE)
_BARE_VERBS = re.compile(  # before which a verb has its bare form: "want to sell it and buy", "don't drink and smoke"
    r"\b(?:can|could|will|would|should|may|might|must|to [a-z]+|do|does|did)\b|n['’]t\b|\bcannot\b", re.IGNORECASE
)
_ADVERBS = r"(?:(?:also|still|now|just|really|always|never|often|currently|already|recently|then|even|[a-z]+ly) )*"
_AUXILIARY = re.compile(
    r"(?:(?:is|am|are|was|were|has|have|had|can|will|does|do|did)(?:n['’]t)?|cannot|can['’]t|won['’]t|never|used to)\b"
)
_VERB = re.compile(
    r"(?:live|work|study|love|like|hate|prefer|need|want|use|speak|play|own|eat|drink|come|get|go|know|enjoy|drive|"
    r"weigh|teach|run|keep|collect|learn|paint|wear|take|make|write|read|cook|sing|grow|ride|watch|suffer|train)(?P<s>e?s)?\b"
)
_WORD = re.compile(r"(?P<word>[a-z]+)(?: (?P<next>\S+))?")
_DETERMINED = re.compile(r"(?:an?|the|my|our|his|her|their|no|some|two|three|four|five|six|\W?\d.*|[A-Z].*)")
_IS = re.compile(rf"(?P<is>['’](?:m|re)|(?:is|am|are|was|were)\b)(?: not\b)? ?{_ADVERBS}(?P<what>.*)")
_PREPOSITION = re.compile(r"\b(?:to|of|at|in|on|about|with|for|by|from|into|as|near)\b")
_QUALITY = re.compile(r"[a-z]+(?<!s) (?:to|at|with|about)\b|from [A-Z]|in [A-Z]")
_COUNTED = re.compile(r"(?:an?|the|my|our|one|two|three|four|five|six|\d+|no) \S")
_ITEM = re.compile(r"[a-z-]+(?: [a-z-]+| [A-Z])?")
_PEOPLES = re.compile(r"[A-Z][a-z]+(?:an|ish|ese|ch|ic|ek|ew|di|hai)")
_SOME = re.compile(r"^(?:a (?:bit|little|lot)(?: of)?|some|also|bits of) ", re.IGNORECASE)
_LISTING = re.compile(
    rf"(?P<head>(?:{_ADVERBS}(?:do not |does not |don['’]t |doesn['’]t )?(?!(?:is|am|are|was|were|go|goes)\b)[a-z]+ |"
    rf"(?:['’](?:m|re)|is|am|are|was|were)(?: not)? {_ADVERBS}[a-z]+ (?:(?P<of>to|of|in|about|at) )))(?P<items>.+)"
)
_NUMBERS = ("", "one", "two", "three", "four", "five", "six")
_NAMED = re.compile(
    rf"(?P<has>(?:(?:have|has|['’]ve)(?: got)?|got)) (?P<count>{'|'.join(_NUMBERS[1:])}|\d) (?P<what>(?:[a-z]+ )?"
    rf"(?P<kin>{RELATION})(?:s|ren)?|(?:[a-z]+ )?children)(?:,|:| called| named) "
    rf"(?P<names>{NAME}(?:,? (?:and )?{NAME})+)"
)


def claims(clause: str) -> Iterator[str]:
    """The claims that a clause makes, each with its subject."""
    subject = _subject(clause) if len(clause) <= LONGEST else ""
    bare = clause[len(subject) :].lstrip()
    if not subject or not bare:
        yield clause
        return
    parts = [part for predicate in _predicates(subject, bare) for part in _items(predicate)]
    texts = [f"{subject}{'' if part[0] in chr(39) + '’' else ' '}{part}" for part in parts]
    yield from texts if len(texts) > 1 and not _are_of_one_value(texts) else [clause]


def _subject(clause: str) -> str:
    """Whom or what a clause is about, as it begins."""
    if own := _SELF.match(clause):
        return own["subject"]
    text = third_person(clause)
    if not split_statement(text)[0]:
        return ""
    words = whom_of(text).split()
    mine = text.startswith("The user's ") and not clause.startswith("The ")
    return " ".join(clause.split()[: len(words) - mine])


def _predicates(subject: str, bare: str) -> list[str]:
    """What is said of a subject, by verbs; what shares the one verb "is" gets it."""
    first, *more = _AND.split(bare)
    said = [first]
    is_person = is_somebody(read_statement(third_person(f"{subject} {bare}")).subject)
    for joint, part in zip(more[::2], more[1::2], strict=True):
        start = re.sub(rf"^{_ADVERBS}", "", part)
        copula = _IS.match(said[-1])
        if _HANGS.search(said[-1]) or _HANGS.match(part) or _POINTS.search(part):
            said[-1] += joint + part
        elif is_person and copula and _is_complement(copula["what"], start):
            said.append(f"{copula['is']} {part}")
        elif _is_verb(start, said[-1], of_one=_SELF.fullmatch(subject) is None):
            said.append(part)
        else:
            said[-1] += joint + part
    return said


def _is_complement(what: str, part: str) -> bool:
    """Whether a part says what somebody is, as what stands before it does."""
    alone = not _PREPOSITION.search(what)
    if re.match(r"[a-z]+ing ", part):
        return alone or re.match(r"[a-z]+ing\b", what) is not None
    if re.match(r"an? [a-z]", part) or _QUALITY.match(part) or re.match(r"[a-z]{3,}ed\b", part):
        return " " in what or not what.endswith(("ed", "orn"))
    return alone and " " not in what and (" " not in part or part[0].isdigit())


def _is_verb(part: str, before: str, *, of_one: bool) -> bool:
    """Whether a part begins with a verb of its own. `of_one`: it is said of somebody, who "works"."""
    if _AUXILIARY.match(part):
        return True
    found = _WORD.match(part)
    known = _VERB.fullmatch(found["word"]) if found else None
    if found is None or (known is None and found["word"] in STOPWORDS):
        return False
    word, determined = found["word"], bool(found["next"]) and _DETERMINED.fullmatch(found["next"]) is not None
    if is_past(word):
        return not _IS.match(before) or not word.endswith("ed")
    if of_one and re.match(r"[a-z]+s\b", before):
        return bool(known and known["s"] and found["next"]) or (word.endswith("s") and determined)
    if known is None and determined and found["next"][0].isupper():
        return False  # "proper Yorkshire tea"
    return not _BARE_VERBS.search(before) and (bool(known and not known["s"] and found["next"]) or determined)


def _items(predicate: str) -> list[str]:
    """A predicate, by the things that it says the same of."""
    if named := _NAMED.fullmatch(predicate):
        names = re.split(r",? and |, ", named["names"])
        if named["count"] in (_NUMBERS[min(len(names), 6)], str(len(names))):
            return [f"{named['has']} a {named['kin'] or 'child'} called {name}" for name in names]
    found = _LISTING.fullmatch(predicate)
    if found is None or _HANGS.search(predicate):
        return [predicate]
    if _EITHER.search(found["items"]) and not _DENIED.search(found["head"]):
        return [predicate]
    items = [_SOME.sub("", item.removeprefix(f"{found['of']} ")) for item in _OR.split(found["items"])]
    return [f"{found['head']}{item}" for item in items] if _are_alike(items) else [predicate]


def _are_alike(items: Sequence[str]) -> bool:
    if all(map(_COUNTED.match, items)) or all(map(_PEOPLES.fullmatch, items)):
        return True
    if any(map(_COUNTED.match, items)):
        return False
    lengths = [len(item.split()) for item in items]
    return all(map(_ITEM.fullmatch, items)) and lengths[-1] <= lengths[0] and not _says_how(items)


def _says_how(items: Sequence[str]) -> bool:
    return any(word in STOPWORDS for item in items for word in item.split())


def _are_of_one_value(texts: Sequence[str]) -> bool:
    """Whether two claims give a value of what there is one of, so that one would take the other's place."""
    slots = [slot for text in texts for slot in read_statement(third_person(text)).slots]
    return len(slots) != len(set(slots))
