"""How does a sentence in the first person read of somebody else?"""

import re

_ADVERB = (
    r"(?:also|really|just|now|still|never|always|usually|often|recently|finally|absolutely|only|even|actually|mostly|"
    r"already|both|sometimes|rarely|no longer|currently|once|later|then|kind of|sort of)"
)
_START = re.compile(rf"^I(?P<short>['’](?:m|ve|ll|d))?(?P<adverbs>(?:\s+{_ADVERB})*)\s+(?P<verb>[^\s.,;!?]+)", re.I)
_MODALS = frozenset("can could will would shall should may might must cannot was did had used".split())  # noqa: SIM905
_IRREGULAR = {"am": "is", "have": "has", "do": "does", "go": "goes", "be": "is"}
_NEGATED = {
    "don't": "does not",
    "can't": "cannot",
    "won't": "will not",
    "haven't": "has not",
    "didn't": "did not",
    "wasn't": "was not",
    "couldn't": "could not",
    "wouldn't": "would not",
    "shouldn't": "should not",
    "hadn't": "had not",
}
_SHORT = {"m": "is", "ve": "has", "ll": "will", "d": "would"}
# Verbs whose first person is taken for the present; any other word stays as it is, for it may be of the past.
_PRESENT = frozenset(
    """live work study like love hate prefer enjoy adore dislike own drive play speak eat drink need want use teach run
    collect know take make wear sleep plan hope keep get write walk cook swim sing travel commute volunteer suffer feel
    support belong believe practise practice train dance paint draw knit sew garden fish hunt ride sail climb hike ski
    grow raise breed sell earn pay owe rent share stay attend visit call miss fear avoid follow watch listen wake
    weigh come say think see work manage lead code program develop design repair build bake brew consider expect
    intend spend save worship pray smoke vape meditate lift box""".split()  # noqa: SIM905
)
_INSIDE = (
    (re.compile(r"\bI['’]m\b"), "they are"),
    (re.compile(r"\bI['’]ve\b"), "they have"),
    (re.compile(r"\bI['’]ll\b"), "they will"),
    (re.compile(r"\bI['’]d\b"), "they would"),
    (re.compile(r"\bI am\b"), "they are"),
    (re.compile(r"\bI was\b"), "they were"),
    (re.compile(r"\bI\b"), "they"),
    (re.compile(r"\b[Mm]yself\b"), "themself"),
    (re.compile(r"\b(?:[Mm]ine|ours)\b"), "theirs"),
    (re.compile(r"\b(?:[Mm]e|us)\b"), "them"),
)
_WE = (  # what is so of a group is so of the user
    (re.compile(r"^we['’]re\b|^we are\b", re.I), "I am"),
    (re.compile(r"^we were\b", re.I), "I was"),
    (re.compile(r"^we\b", re.I), "I"),
)
_MY = re.compile(r"\b(?:my|our)\b", re.I)


def third_person(clause: str) -> str:
    """A clause of the user's in the third person: "I live with my sister" gives "The user lives with their sister", and
    so does "we live with my sister"."""
    started = re.match(r"^(?:my|our)\b", clause, re.I)
    if started:
        return "The user's" + _inside(clause[started.end() :])
    for pattern, instead in _WE:
        clause = pattern.sub(instead, clause, count=1)
    found = _START.match(clause)
    if found is None:
        return _inside(clause, of="the user's")
    verb = found["verb"].replace("’", "'")
    said = verb if found["short"] else _conjugated(verb)
    short = f" {_SHORT[found['short'][1:].lower()]}" if found["short"] else ""
    return f"The user{short}{found['adverbs']} {said}" + _inside(clause[found.end() :])


def _conjugated(verb: str) -> str:
    verb = verb.lower() if verb.isalpha() or "'" in verb else verb
    if verb in _NEGATED:
        return _NEGATED[verb]
    if verb in _IRREGULAR:
        return _IRREGULAR[verb]
    if verb in _MODALS or verb not in _PRESENT:
        return verb
    if verb.endswith(("s", "x", "z", "ch", "sh", "o")):
        return f"{verb}es"
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return f"{verb[:-1]}ies"
    return f"{verb}s"


def _inside(text: str, of: str = "their") -> str:
    """What stands behind the subject. `of`: whose, where the user is not the subject."""
    text = _MY.sub(of, text)
    for pattern, instead in _INSIDE:
        text = pattern.sub(instead, text)
    return text
