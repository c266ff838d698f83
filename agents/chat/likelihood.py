"""The likelihood that a passage answers a question: recall's score, and whether each decisive word has a counterpart.

"My brother's name" and "my sister's name" are alike to recall. So each word of a question is looked for in the passage,
by its stem or a token that is as near as the same word mostly is, and what is missing counts by how decisive the word
is. "Brother" is decisive, "name" and "called" are not. Both are logistic regressions, fitted together by
`python -m bench.fit_answering`.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fitted import FITTED
from memory.facts import is_of_another_person, subject_of, without_lead
from memory.language import EVEN, Doing, asks_whether_told, doing
from utils.encoder import Reading
from utils.sentences import split_sentences
from utils.text import SYMBOLS, WORD, content_stems, marked_words, stem
from utils.vectors import Floats

WEIGHTS = FITTED / "answering.json"
VOCABULARY = 250_002  # ids of the encoder's tokens, in the order of their frequency
SAME = 0.86  # cosine similarity of two tokens from which on they are mostly of one word; `bench.fit_answering` tells
TELLING = 0.1  # how decisive a word is at least that tells two things apart; "called" and "live" are less
DECISIVE = 0.55  # as names and kin are, and hardly any other word
LIKELY_DOING = 0.5  # how likely a text does what its head says
OF_ANOTHER = 0.5  # how much more likely a passage is to be about another than a question is

# Numbers but for years, and letters that stand for one of a kind: "rack C", "bus 7".
_NUMBER = re.compile(r"(?!\b(?:19\d\d|20[0-3]\d)\b)\d+|(?<=\w )\b[A-HJ-Z]\b(?!['’.])")
_DIGITS = re.compile(r"\d+")
_OF_ME = re.compile(
    r"^\W*(?:(?:where|when|how|who) |(?:what|which) (?:\w+ )?)?(?:do|am|did|was|have|had|can|are|were) (?:i|we)\b",
    re.IGNORECASE,
)
# "What car do I drive?": a car by its name is one.
_KIND = re.compile(
    r"\b(?:what|which) (?!(?:is|are|was|were|did|do|does|has|have|had|can|should|would|will)\b)"
    r"(?:(?:kind|sort|type)s? of )?(?P<kind>[a-z]+)\b(?= (?:is|are|was|were|did|do|does|has|have|had|can|am)\b)"
)
_OF_ME_TOO = re.compile(r"\b(?:i|we|me|us)\b", re.IGNORECASE)

FEATURES = (
    "score",  # the logit of recall's score
    "cosine",  # of the two texts
    "missing",  # the most decisive word that the passage does not have, of the user's, but for one that says only of
    # which kind the answer is; the assistant says it otherwise
    "number",  # whether the question has numbers and the passage none of them
    "of_another",  # whether the passage, and not the question, is about another than the user, and shares no name of it
    "of_the_user",  # how much more the question than the passage is about another
    "assistant",  # whether the assistant said it
    "rival",  # the logit of the best score of another message
    "length",  # the logarithm of the passage's words
)


@dataclass(frozen=True)
class Text:
    """A text and what the encoder makes of it."""

    text: str
    reading: Reading
    does: Doing = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "does", doing(self.reading.sentence, self.text))


@dataclass(frozen=True)
class Question(Text):
    """A text that is asked. `decisive`: how decisive each of its different words is, (words,) in 0..1."""

    decisive: Floats = field(init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "decisive", decisiveness(word_columns(self.reading)))


@dataclass(frozen=True)
class Evidence:
    """A passage that may answer. `score`: recall's, in 0..1; `rival`: the best one of another message."""

    passage: Text
    score: float
    rival: float
    by_user: bool


def are_of_one_matter(one: Doing, other: Doing) -> bool:
    """Whether two texts are about where somebody lives, or both about where somebody works."""
    return min(one.home, other.home) >= LIKELY_DOING or min(one.work, other.work) >= LIKELY_DOING


def likelihood(question: Question, evidence: Evidence) -> float:
    """In 0..1; 0 of another one of a kind, by its number, of another person where the user asks of themselves, and of
    what would be where it is asked what is."""
    weights, same = _weights()["likelihood"], counterparts(question, evidence.passage) >= SAME
    columns = features(question, evidence, same, question.decisive)
    if columns[FEATURES.index("number")] or _is_of_another_person(question.text, evidence.passage.text):
        return 0.0
    if evidence.passage.does.supposing and question.does.supposes < EVEN:
        return 0.0
    return float(1 / (1 + np.exp(-(columns @ weights[:-1] + weights[-1]))))


def features(question: Text, evidence: Evidence, same: NDArray[np.bool_], decisive: Floats) -> Floats:
    """The columns `FEATURES`. `same`: which words of the question the passage has; `decisive`: how much each is."""
    passage = evidence.passage
    other = passage.does.others - question.does.others
    shares_name = (decisive[same] >= DECISIVE).any() or same[_capitalised(question)].any()
    return np.array(
        [
            _logit(evidence.score),
            question.reading.sentence @ passage.reading.sentence,
            decisive[~same & ~_of_kind(question)].max(initial=0) if evidence.by_user else 0,
            is_another_of_its_kind(question.text, passage.text),
            other >= OF_ANOTHER and not shares_name,
            max(-other, 0),
            not evidence.by_user,
            _logit(evidence.rival),
            np.log(len(passage.reading.words) + 1),
        ],
        np.float32,
    )


def _is_of_another_person(question: str, passage: str) -> bool:
    """Whether a question is of the user alone, and a passage, one sentence, of somebody whom it does not name."""
    passage = without_lead(passage)
    if (
        len(split_sentences(passage)) > 1
        or asks_whether_told(question)
        or not _OF_ME.search(question)
        or _OF_ME_TOO.search(passage)
        or not is_of_another_person(passage)
    ):
        return False
    return subject_of(passage).isdisjoint(content_stems(question))


def is_another_of_its_kind(question: str, passage: str) -> bool:
    """Whether a question names a number, a letter or the like, and a passage none of these: of locker B, locker B-."""
    kinds = _kinds_named(question)
    return bool(kinds) and kinds.isdisjoint((*_DIGITS.findall(passage), *marked_words(passage)))


def _kinds_named(text: str) -> set[str]:
    """What tells things of a kind apart, lower case: numbers, letters, and words with symbols, as "C++" has them."""
    bare = {word.lstrip(SYMBOLS) for word in marked_words(text)}
    marked = {word for word in bare if not WORD.fullmatch(word)}
    letters = {word[0] for word in marked if not word[1:].isalnum()}
    return marked | ({kind.lower() for kind in _NUMBER.findall(text)} - letters)


def _capitalised(text: Text) -> NDArray[np.bool_]:
    """Which different words stand with a capital behind the first one, as names do that are too common to decide."""
    names = {word.casefold() for word in WORD.findall(text.text)[1:] if word[:1].isupper()}
    return np.array([word in names for word in _places(text.reading)], np.bool_)


def _of_kind(question: Text) -> NDArray[np.bool_]:
    """Which different words of a question say of which kind its answer is, (words,)."""
    found = _KIND.search(question.text[:1].lower() + question.text[1:])
    return np.array([found is not None and word == found["kind"] for word in _places(question.reading)], np.bool_)


def _logit(score: float) -> float:
    return float(np.log((score + 0.01) / (1.01 - score)))


def decisiveness(columns: Floats, weights: Floats | None = None) -> Floats:
    """How decisive words are, (words,) in 0..1. `columns`: see `word_columns`. `weights`: other than the kept ones."""
    weights = _weights()["decisive"] if weights is None else weights
    return np.asarray(1 / (1 + np.exp(-(columns @ weights[:-1] + weights[-1]))), np.float32)


def word_columns(reading: Reading) -> Floats:
    """What tells how decisive each different word is, (words, 65): its tokens' mean, and its rarity."""
    places = list(_places(reading).values())
    share = np.zeros((len(places), len(reading.ids)), np.float32)  # of each token in the mean of its word
    for row, of_word in zip(share, places, strict=True):
        row[of_word] = 1 / len(of_word)
    rarest = np.array([max(*(reading.ids[place] for place in of_word), 2) for of_word in places], np.float32)
    rarity = (np.log(rarest) / np.log(VOCABULARY)) ** 2
    means = share @ (reading.tokens / np.float32(127))
    return np.concatenate((means, rarity[:, None]), axis=1).astype(np.float32)


def counterparts(question: Text, *passages: Text) -> Floats:
    """How near some passages come to each different word of a question, (words,): 1 where one has its stem."""
    tokens = question.reading.tokens / np.float32(127)
    best = np.zeros(len(tokens), np.float32)
    for passage in passages:
        if len(tokens) and len(passage.reading.tokens):
            best = np.maximum(best, (tokens @ (passage.reading.tokens.T / np.float32(127))).max(1))
    stems = {stem(word.lower()) for passage in passages for word in WORD.findall(passage.text)}
    return np.array(
        [1 if stem(word) in stems else best[places].mean() for word, places in _places(question.reading).items()],
        np.float32,
    )


def contrast(question: Question, passage: Text, other: Text) -> float:
    """How near another passage comes to the words of a question that only one has, by words which that one lacks: the
    cosine similarity of "Tuesday" to "Monday" where only one is of Mondays. 0 where the other has all that the one has
    of the question."""
    lacking = (counterparts(question, passage) >= SAME) & (counterparts(question, other) < SAME)
    lacking &= question.decisive >= TELLING
    places = [at for at, lacks in zip(_places(question.reading).values(), lacking, strict=True) if lacks]
    of_other = list(_places(other.reading).values())
    own = [at for at, there in zip(of_other, counterparts(other, passage) < SAME, strict=True) if there]
    words, others = _means(question.reading, places), _means(other.reading, own)
    return float((words @ others.T).max(initial=0))


def _means(reading: Reading, places: Sequence[Sequence[int]]) -> Floats:
    """Of the tokens of each word, (words, 64), at length 1."""
    means = np.array([reading.tokens[at].astype(np.float32).mean(0) for at in places], np.float32).reshape(-1, 64)
    return np.asarray(means / np.maximum(np.linalg.norm(means, axis=1, keepdims=True), 1e-6), np.float32)


def _places(reading: Reading) -> Mapping[str, Sequence[int]]:
    """The places of the tokens of each different word."""
    found: dict[str, list[int]] = {}
    for place, word in enumerate(reading.words):
        found.setdefault(word, []).append(place)
    return found


@cache
def _weights() -> Mapping[Literal["decisive", "likelihood"], NDArray[np.float32]]:
    """`decisive`: (66,), of `word_columns`. `likelihood`: (10,), of `FEATURES`. The last one of each is a constant."""
    stored = json.loads(WEIGHTS.read_text("utf-8"))
    return {name: np.array(stored[name], np.float32) for name in ("decisive", "likelihood")}
