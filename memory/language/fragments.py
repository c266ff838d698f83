"""Is a short text that asks nothing a thing that is looked for, as "the guest wifi password", or one that is told?"""

import re

from memory.language.courtesy import is_courtesy
from memory.language.languages import ENGLISH, language_of
from memory.language.traits import Trait, traits_of
from utils.text import WORD, content_stems, words

LONGEST = 10  # words

_ENDS = re.compile(r"[!:]\s*$|[?？!]|: |\.\.\.|…|[.。]\s*$|\n")  # exclamations, sentences and "key: value" tell
_SPEAKS = re.compile(
    r"^\W*(?:i|i['’]\w+|we|we['’]\w+|you|he|she|it|they|this|that|these|those|there|here|let['’]?s|yes|no|not|never|off|"
    r"back|so|such|too|very|just|please|what|how|if|when|because|but|and|or|great|nice|good|bad|best|cool|lovely|happy|"
    r"sorry|congrats\w*|well|almost|still|already|same|another|see|thanks?|always|only|short|long|more|less|"
    r"danke|merci|in|on|at|to|from|with|by|near|into|out|up|down|home|"
    r"(?:go|feel|runn|rain|work|com|leav|head|think|look|wait|gett|hav|be|do|mak|watch|eat|cook|try)ing)\b",
    re.IGNORECASE,
)
_VERBS = frozenset(
    """
    me us am is are was were be been have has had having do does did will would can could shall should may might must
    need needs want wants like likes love loves hate hates prefer prefers go goes went gone come comes came get gets
    got make makes made take takes took give gives gave say says said tell tells told think thinks know knows knew see
    sees saw feel feels felt live lives work works start starts stop stops leave leaves left buy buys bought sell
    sells sold keep keeps kept put let eat eats ate drink drinks drank run runs ran win wins won lose loses lost meet
    meets met pay paid pays find finds found bring brings brought sleep sleeps slept write writes wrote read reads
    call calls play plays use uses try tries seem seems look looks remember remembers forget forgets forgot turn turns
    move moves born i'm i've i'll it's that's he's she's we're they're don't doesn't didn't can't won't isn't aren't
    wasn't weren't
    """.split()  # noqa: SIM905  a list would be four times as long
)
_DID = re.compile(r"\b(?!(?:red|bed|shed|need|seed|feed|speed|wed|id)\b)[a-z]+ed\b", re.IGNORECASE)
_OF_A_NOUN = re.compile(r"\b(?:the|an?|my|our|his|her|their|this|that|of|for|with) $", re.IGNORECASE)
_DOES = re.compile(r"^[A-ZÀ-Þ]\w+ [a-z]+s$")  # "Rex snores"
_ADVERB = re.compile(r"^\W*\w+ly\W*$", re.IGNORECASE)


def is_fragment(text: str) -> bool:
    """Whether a text is a few words without a verb, and neither an exclamation nor a courtesy, nor what happens at a
    time ("dentist on Friday")."""
    said = words(text)
    if not said or len(said) > LONGEST or _ENDS.search(text.strip()) or _SPEAKS.match(text) or _ADVERB.match(text):
        return False
    if is_courtesy(text) or not _VERBS.isdisjoint(said) or _DOES.match(text.strip()):
        return False
    if language_of(text) is not ENGLISH:
        return False  # whose verbs are not known here
    if any(not _OF_A_NOUN.search(text[: verb.start()]) for verb in _DID.finditer(text)):
        return False
    return bool(content_stems(text)) and not traits_of(text)[Trait.TIMES]


def names_a_thing(text: str, told: str) -> bool:
    """Whether a fragment of one plain word is a noun, as what was told has it: "the hamster", but "hungry" is none."""
    found = WORD.findall(text)
    if len(found) > 1 or not found[0].isalpha() or found[0][0].isupper():
        return True
    return re.search(rf"\b(?:the|an?|my|our|his|her|their|this|no) {re.escape(found[0])}\b", told, re.I) is not None
