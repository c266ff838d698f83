"""How well is found what is asked for with a slip of the finger?"""

from collections.abc import Callable
from dataclasses import replace
from random import Random

from bench.recall.corpus import Corpus, Question
from memory.lexicon import SHORTEST
from utils.text import STOPWORDS

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def misspelt(corpus: Corpus) -> Corpus:
    """The same with a slip in the longest word of each question that carries meaning, always the same one."""
    return replace(
        corpus,
        name=f"{corpus.name}-misspelt",
        conversations=tuple(
            replace(one, questions=tuple(_misspelt(question, f"{one.id} {question.id}") for question in one.questions))
            for one in corpus.conversations
        ),
    )


def _misspelt(question: Question, seed: str) -> Question:
    words = [word.strip('.,;:?!"()') for word in question.text.split()]
    chosen = [word for word in words if len(word) >= SHORTEST and word.isascii() and word.isalpha()]
    telling = [word for word in chosen if word.islower() and word not in STOPWORDS]
    if not telling:
        return question
    word = max(telling, key=len)
    return replace(question, text=question.text.replace(word, _with_slip(word, Random(seed)), 1))


def _with_slip(word: str, random: Random) -> str:
    """With one letter but the first left out, added or another, or with two of these exchanged."""
    at = random.randrange(1, len(word) - 1)
    left, right, letter = word[:at], word[at:], random.choice(LETTERS)
    kinds: list[Callable[[], str]] = [
        lambda: left + right[1:],
        lambda: left + letter + right,
        lambda: left + letter + right[1:],
        lambda: left + right[1] + right[0] + right[2:],
    ]
    return random.choice(kinds)()
