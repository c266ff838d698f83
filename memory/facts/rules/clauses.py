"""Which clauses does a user's sentence have, each to be read by itself?"""

import re

_JOINED = re.compile(r" ?; ?|,? (?:and|but|so) (?=(?:i|my|we|our|he|she)\b)|, ?(?=(?:i|im|my)\b)", re.IGNORECASE)
# What is so no longer, and behind it what is: "Anna no longer lives in Kiel, she's in Oslo now".
_NOW = re.compile(
    r"(?P<over>[^,]*\b(?:no longer|any ?(?:more|longer))\b[^,]*), (?P<now>(?:he|she)(?:['’]s| is) .*\bnow\b.*)", re.I
)
_FILLERS = re.compile(
    r"^(?:(?:well|so|oh|ah|hey|hi|hello|yes|yeah|yep|no|nope|ok|okay|actually|anyway|also|and|but|sorry|honestly|"
    r"by the way|btw|fyi|correction|to be (?:clear|honest)|just so you know|for your information|i mean|please note|"
    r"remember|note|today|these days|currently|now|nowadays|recently|lately|as of (?:today|now)|in fact|then)\b"
    r"(?: that\b)?[\s,:.!–-]*)+",
    re.IGNORECASE,
)
# What announces that a sentence is of the user; "my boss said: I live …" is not.
_HEADING = re.compile(
    r"^(?:[\w'’]+ ){0,6}?(?:about (?:me|myself|us)|background|context|facts?|info|information|intro|introduction|"
    r"update|"
    r"news|p\.?s\.?|reminder|profile|bio|details|me|down|know): ?(?=(?:i|im|my|we|our)\b)",
    re.IGNORECASE,
)
_SAID = re.compile(r"\b(?:said|says|wrote|writes|asked|asks|told|tells|replied|shouted|reads|goes)(?: [\w'’]+){0,3}: ?")
_STORY = (
    r"in (?:my|our|the|a|an|this|that|another|some)(?: [\w-]+){0,2}? (?:novel|story|stories|dreams?|nightmares?|book|"
    r"games?|movie|film|play|script|universe|world|fantasy|fiction|simulation|scenario|poem|song|comic|role-?play|"
    r"imagination|head|(?:past|previous|former|other|another|next) life|timeline|joke|example)"
)
_FICTION = re.compile(
    rf"^{_STORY}(?:,| (?:i|my|we|our)\b)|\b{_STORY}[.!…]*$|"
    r"^(?:hypothetically|theoretically|in theory|jokingly|kidding|(?:for|as an) (?:example|instance)|e\.g)\b|"
    r",? for (?:example|instance)[.!…]*$",
    re.IGNORECASE,
)
_IN_JEST = re.compile(
    r"(?:^|[,;:(–—-] ?)(?:(?:but|well|actually|oh|no|ha(?:ha)*|lol),? ){0,3}"
    r"(?:i(?:['’]m| am| was) )?(?:just |only )?(?:kidding|joking)"
    r"(?=$|[^\w'’ ]| (?:of course|haha|lol)\b)|(?<!\w)(?:jk|j/k)(?!\w)",
    re.IGNORECASE,
)
_PLAIN = re.compile(
    r"^(?:i|we|i['’]m) (?!.*(?: to [a-z]|\b(?:will|would|can|could|should|might|may|must|if|when|who|that|which|"
    r"not|never|wish|want|hope)\b|n['’]t\b))",
    re.IGNORECASE,
)
_UNITS = r"(?:night|day|weekend|week|month|year|decade|spring|summer|autumn|fall|winter|christmas|easter)"
_MONTH = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december|(?:mon|tues|wednes|"
    r"thurs|fri|satur|sun)days?)"
)
_WHEN = re.compile(
    rf"^(?P<when>(?:earlier |later |early |late )?(?:last|next|this|every|each) (?:{_UNITS}|{_MONTH}|morning|evening)|"
    rf"(?:in|since|on|until|from) (?:(?:early |late |mid-?)?{_MONTH}(?: \d{{4}})?|\d{{4}}|(?:the )?{_UNITS}s?)|"
    r"yesterday|(?:about |almost |over )?"
    r"(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|a few|some|many|\d{1,3}) (?:days?|"
    r"weeks?|months?|years?) ago),? (?=(?:i|im|i['’](?:m|ve|ll)|we|we['’](?:re|ve|ll)|my|our)\b)",
    re.IGNORECASE,
)
_ASIDE = re.compile(r",| [-–—] | (?:but|which|who|where|because|since|while|when|so|after|before)\b", re.IGNORECASE)
_LAUGH = re.compile(r"(?:,? (?:lol|lmao|rofl|ha(?:ha)+|he(?:he)+|xd))+$", re.IGNORECASE)
_VERBS = r"(?:live|work|study|have|am|own|play|speak|teach|drive|run|drink|eat|prefer|enjoy|love|hate|need|keep|go)"
# A further verb of the same "I": one that is followed as only verbs are, for "love and work" are nouns as well.
_FURTHER = re.compile(
    rf"(?:, and|,| and) (?={_VERBS} (?:in|at|for|as|an?|the|my|our|no|two|three|four|five|six|some|many|\d|to|on|with|"
    rf"from|near)\b|(?:have|am|own|speak|eat|enjoy|prefer|teach) \w)"
)
_TASTE = (
    r"(?:(?:really|also|absolutely|just|still) )*(?:hate|dislike|detest|loathe|love|like|adore|enjoy|can['’]?t stand|"
    r"cannot stand|(?:don['’]?t|do not)(?: really)? (?:like|enjoy|love))"
)
_OF_TASTES = re.compile(rf"^i {_TASTE} ", re.IGNORECASE)
_LIKES = r"(?:love|like|adore|enjoy) (?!songs?\b|letters?\b|stor(?:y|ies)\b|affairs?\b|mail\b|minds?\b|terms\b)"
# A further taste: "and hate olives" where what went before is liked, or the reverse; "hate mail" is a noun.
_FURTHER_TASTE = re.compile(
    rf"(?:,? (?:and|but)|,) (?=(?:(?:really|also|absolutely|just|still) )+{_LIKES}|"
    r"(?:(?:really|also|absolutely|just|still) )*(?:hate (?!mail\b|speech\b|crimes?\b|groups?\b)|"
    r"dislike |detest |loathe |can['’]?t stand |cannot stand |(?:don['’]?t|do not)(?: really)? (?:like|enjoy|love) ))",
    re.IGNORECASE,
)
_FURTHER_LIKING = re.compile(rf"(?:,? (?:and|but)|,) (?={_LIKES}\w)", re.IGNORECASE)
_DISLIKES = re.compile(
    r"^i (?:(?:really|also|absolutely|just|still) )*(?:hate|dislike|detest|loathe|can|don|do) ?", re.IGNORECASE
)


def clauses(sentence: str) -> list[str]:
    """The clauses of a sentence, without what only leads up to them; none of a question. A verb that goes without its
    "I" gets it back; what somebody is said to have said is left out, and what is so in a story. `sentence`: with single
    blanks."""
    if sentence.rstrip(" \"')”").endswith(("?", "？", "؟")):
        return []
    if _SAID.search(sentence) or _FICTION.search(without_fillers(sentence.strip())):
        return []
    bare = _HEADING.sub("", without_fillers(sentence.strip()), count=1)
    now = _NOW.fullmatch(bare)
    parts = now.groups() if now else _JOINED.split(bare)
    found = [_in_order(clause) for part in parts if (clause := _LAUGH.sub("", part.strip(' ,.!…"“”')))]
    return [one for clause in found for one in _with_their_subject(clause)]


def is_in_jest(sentence: str) -> bool:
    """Whether a sentence says that what was said with it was a joke."""
    return _IN_JEST.search(sentence) is not None


def takes_back(sentence: str) -> bool:
    """Whether a sentence begins with saying that what was said before it was a joke."""
    return _IN_JEST.match(sentence) is not None


def without_fillers(clause: str) -> str:
    return _FILLERS.sub("", clause)


def _in_order(clause: str) -> str:
    """A clause that begins with when it was, with that behind it: "last month I moved, at last" as "I
    moved last month, at last"."""
    found = _WHEN.match(clause)
    if found is None:
        return clause
    said, when = clause[found.end() :], found["when"]
    aside = _ASIDE.search(said)
    end = aside.start() if aside else len(said)
    return f"{said[:end]} {when[0].lower()}{when[1:]}{said[end:]}"


def _with_their_subject(clause: str) -> list[str]:
    if _OF_TASTES.match(clause):
        return _tastes(clause)
    if not _PLAIN.match(clause):
        return [clause]
    return [one for part in _split_at(_FURTHER, clause) for one in _split_at(_FURTHER_TASTE, part)]


def _tastes(clause: str) -> list[str]:
    """What one likes and what one does not, each by itself."""
    parts = _split_at(_FURTHER_TASTE, clause)
    return [one for part in parts for one in (_split_at(_FURTHER_LIKING, part) if _DISLIKES.match(part) else [part])]


def _split_at(pattern: re.Pattern[str], clause: str) -> list[str]:
    first, *further = pattern.split(clause)
    return [first, *(f"I {verb}" for verb in further)]
