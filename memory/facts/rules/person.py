"""How does a sentence in the first person read of somebody else?"""

import re

_VERBS_IN_LY = r"(?:fly|apply|reply|rely|supply|multiply|comply|imply|bully|rally|ally|tally|only)\b"
_ADVERB = (
    r"(?:also|really|just|now|still|never|always|usually|often|recently|finally|absolutely|only|even|actually|mostly|"
    r"already|both|sometimes|rarely|no longer|currently|once|later|then|kind of|sort of|ever|seldom|almost|therefore|"
    rf"first|myself|too|instead|rather|quite|(?!{_VERBS_IN_LY})[a-z]+ly)"
)
_START = re.compile(
    rf"^I(?P<short>['’](?:m|ve|ll|d))?(?P<adverbs>(?:\s+{_ADVERB}\b)*)\s+(?P<verb>[^\s.,;!?]+)", re.IGNORECASE
)
_IRREGULAR = {"am": "is", "have": "has", "do": "does", "go": "goes", "be": "is"}
_NEGATED = {
    "don't": "does not",
    "dont": "does not",
    "can't": "cannot",
    "won't": "will not",
    "haven't": "has not",
    "didn't": "did not",
    "didnt": "did not",
    "wasn't": "was not",
    "couldn't": "could not",
    "wouldn't": "would not",
    "shouldn't": "should not",
    "hadn't": "had not",
}
_SHORT = {"m": "is", "ve": "has", "ll": "will", "d": "would"}
# Words behind "I" that no -s is added to, beside those in -ed: modal verbs, and what is no verb at all.
_AS_THEY_ARE = frozenset(
    """can could will would shall should may might must cannot ought used not and or but as who whom which that of in
    on at to from for with by so too alone well both was were is has does""".split()  # noqa: SIM905
)
_PAST = frozenset(
    """was were had did went got made took came saw knew thought said told found gave left felt kept put brought began
    ran lost paid met led read bought sold caught taught fell became wrote drove ate drank broke chose spoke stole
    wore won sat stood understood heard held grew threw flew drew blew rode rose sang sank swam slept spent sent
    lent built burnt learnt dreamt meant dealt hurt cut hit let set quit shut split spread cost bet shot struck
    stuck dug hid bit fed fled bled bred sped shook forgot forgave woke swore tore froze lit laid fought sought
    hung wept swept crept leapt knelt spelt spilt spoilt spun slid overcame withdrew undertook underwent redid
    rewrote retook rebuilt arose awoke bore beat bent bid bound clung crept drank forbade ground lay rang shone shrank
    sprang stung swung wound wrung""".split()  # noqa: SIM905
)
_PRESENT_IN_ED = frozenset("need feed breed speed bleed heed seed weed succeed proceed exceed embed shed wed".split())  # noqa: SIM905
_VERBS_IN_ING = frozenset("bring sing ring swing cling sling string sting fling wring spring".split())  # noqa: SIM905
_INSIDE = (
    (re.compile(r"\bI['’]m\b"), "they are"),
    (re.compile(r"\bI['’]ve\b"), "they have"),
    (re.compile(r"\bI['’]ll\b"), "they will"),
    (re.compile(r"\bI['’]d\b"), "they would"),
    (re.compile(r"\bI am\b"), "they are"),
    (re.compile(r"\bI was\b"), "they were"),
    (re.compile(r"\band am\b"), "and is"),
    (re.compile(r"(?<![.\w])I\b(?!\.\w)"), "they"),
    (re.compile(r"\b[Mm]yself\b"), "themself"),
    (re.compile(r"\b(?:[Mm]ine|ours)\b"), "theirs"),
    (re.compile(r"\b(?:[Mm]e|us)\b"), "them"),
)
_READ_AS = (
    (re.compile(r"^we['’]re\b|^we are\b", re.I), "I am"),  # what is so of a group is so of the user
    (re.compile(r"^we were\b", re.I), "I was"),
    (re.compile(r"^we\b", re.I), "I"),
    (re.compile(r"^i['’]ve got\b", re.I), "I have"),
    (re.compile(r"^im\b", re.I), "I'm"),
)
_MY = re.compile(r"\b(?:my|our)\b", re.I)
# An 's that is short for "is": after "name" always, elsewhere before a word that nobody owns.
_SHORT_IS = re.compile(
    r"(?<=\bname)['’]s\b|(?<=\w)['’]s(?= (?:called|named|an?|not|pregnant|married|allergic)\b)", re.I
)


def third_person(clause: str) -> str:
    """A clause of the user's in the third person: "I live with my sister" gives "The user lives with their sister", and
    so does "we live with my sister"."""
    started = re.match(r"^(?:my|our)\b", clause, re.I)
    if started:
        return "The user's" + _inside(_SHORT_IS.sub(" is", clause[started.end() :], count=1))
    for pattern, instead in _READ_AS:
        clause = pattern.sub(instead, clause, count=1)
    found = _START.match(clause)
    if found is None:
        return _inside(clause, of="the user's")
    verb = found["verb"].replace("’", "'")
    said = verb if found["short"] else _conjugated(verb)
    short = f" {_SHORT[found['short'][1:].lower()]}" if found["short"] else ""
    return f"The user{short}{found['adverbs']} {said}" + _inside(clause[found.end() :])


def is_past(verb: str) -> bool:
    """Whether a form is of the past, as far as it shows: irregular ones are listed, regular ones end in -ed."""
    return verb in _PAST or (verb.endswith("ed") and verb not in _PRESENT_IN_ED)


def _conjugated(verb: str) -> str:
    verb = verb.lower() if verb.isalpha() or "'" in verb else verb
    if verb in _NEGATED:
        return _NEGATED[verb]
    if verb in _IRREGULAR:
        return _IRREGULAR[verb]
    if not (verb.isascii() and verb.isalpha()) or verb in _AS_THEY_ARE or is_past(verb):
        return verb
    if verb.endswith("ing") and verb not in _VERBS_IN_ING:
        return verb
    if verb.endswith(("s", "x", "z", "ch", "sh", "o")):
        return f"{verb}es"
    if verb.endswith("y") and verb[-2:-1] not in tuple("aeiou"):
        return f"{verb[:-1]}ies"
    return f"{verb}s"


def _inside(text: str, of: str = "their") -> str:
    """What stands behind the subject. `of`: whose, where the user is not the subject."""
    text = _MY.sub(of, text)
    for pattern, instead in _INSIDE:
        text = pattern.sub(instead, text)
    return text
