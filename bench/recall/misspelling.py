"""Misspelt questions: a slip of the finger in the longest word of each that carries meaning."""

from dataclasses import replace
from random import Random

from bench.recall.corpus import Corpus, Question
from memory.language.languages import LONG_WORD
from utils.text import STOPWORDS

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def misspelt(corpus: Corpus) -> Corpus:
    """The same with a slip, always the same one, in the longest word of each question that carries meaning and is
    written small; a question without one stays as it is. Prints how many have a slip."""
    conversations = tuple(
        replace(one, questions=tuple(_misspelt(question, f"{one.id} {question.id}") for question in one.questions))
        for one in corpus.conversations
    )
    before = [question.text for one in corpus.conversations for question in one.questions]
    after = [question.text for one in conversations for question in one.questions]
    changed = sum(text != other for text, other in zip(before, after, strict=True))
    print(f"{corpus.name}: {changed:,} of {len(before):,} questions have a slip")
    return replace(corpus, name=f"{corpus.name}-misspelt", conversations=conversations)


def _misspelt(question: Question, seed: str) -> Question:
    return replace(question, text=with_slip(question.text, Random(seed)))


def with_slip(text: str, random: Random) -> str:
    """A text with a slip in its longest word that carries meaning and is written small; as it is where it has none."""
    words = [word.strip('.,;:?!"()') for word in text.split()]
    chosen = [word for word in words if len(word) >= LONG_WORD and word.isascii() and word.isalpha()]
    telling = [word for word in chosen if word.islower() and word not in STOPWORDS]
    if not telling:
        return text
    word = max(telling, key=len)
    return text.replace(word, _with_slip(word, random), 1)


def _with_slip(word: str, random: Random) -> str:
    """With one letter but the first left out, added or another, or with two of these exchanged; never the same."""
    at = random.randrange(1, len(word) - 1)
    left, right, letter = word[:at], word[at:], random.choice(LETTERS)
    slips = (
        left + right[1:],
        left + letter + right,
        left + letter + right[1:],
        left + right[1] + right[0] + right[2:],
    )
    return random.choice([slip for slip in slips if slip != word])
