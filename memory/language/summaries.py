"""Summaries of conversations, without a model. Pure functions over their messages."""

from collections.abc import Sequence
from itertools import pairwise, zip_longest

from memory.domain import Gist
from memory.language.ends import asks_for_all, end_asked_for
from utils.sentences import split_sentences
from utils.text import (
    WORD,
    content_stems,
    count_tokens,
    cut_at_word,
    ends_with_question_mark,
    is_unspaced,
    searched_words,
)

PAIRS = 3
POINTS = 5
LINES = 6  # the platform document: "4-6 bullet points"
QUESTION_CHARACTERS = 110
ANSWER_CHARACTERS = 110
POINT_CHARACTERS = 140
_ASKED, _ANSWERED = "- Q: ", " A: "

# Sentences with these stems state what lasts: decisions, preferences, plans, constraints, facts about the speaker.
LASTING = frozenset(
    content_stems(
        "decide prefer want need plan love like hate always never deadline budget must should called named moved live "
        "work born birthday allergic favourite favorite married agreed chose remember important goal"
    )
) | {"my", "i'm", "i"}


def summarise_by_rules(messages: Sequence[Gist], max_tokens: int) -> str:
    """Question and answer pairs, then key points, a bullet each, in at most about `max_tokens` estimated tokens.

    The platform document: "Extracted Q&A pairs + key points". Where not all fit, the last pair and the first points go
    before others. What was asked or said several times stands there once; what rules answered only where there is
    nothing else."""
    every = _pairs(messages)
    asked = {question.key for question, answer in every if not answer.by_rules}
    pairs = _once(every)
    asking = [_pair_line(question, answer) for question, answer in pairs[-PAIRS:] if not answer.by_rules]
    unanswered = [_question_line(question) for question, answer in pairs[-PAIRS:] if answer.by_rules]
    telling = [f"- {point}" for point in _points([m for m in messages if m.key not in asked], POINTS)]
    if not pairs and not telling and messages:
        said = next((one.content for one in messages if not one.by_rules), "")
        telling = [f"- {cut_at_word(said, POINT_CHARACTERS)}"] if said else []
    by_worth = [line for both in zip_longest(telling, reversed(asking)) for line in both if line is not None]
    kept: list[str] = []
    for line in (by_worth or unanswered)[:LINES]:
        if not kept or count_tokens("\n".join([*kept, line])) <= max_tokens:
            kept.append(line)
    return "\n".join(line for line in [*asking, *unanswered, *telling] if line in kept)


def extend_by_rules(summary: str, messages: Sequence[Gist], max_tokens: int) -> str:
    """A summary with what messages add to it, in at most about `max_tokens` estimated tokens: the lines that say least
    go first, the older of two that say as much."""
    added = summarise_by_rules(messages, max_tokens).splitlines()
    lines = _telling(_distinct([*summary.splitlines(), *added]))
    while len(lines) > 1 and count_tokens("\n".join(lines)) > max_tokens:
        _drop_least(lines)
    return "\n".join(lines)


def shortened(summary: str, most: int | None) -> str:
    """A summary of so many lines at most, each once, without those that say least; None for any number."""
    lines = _telling(_distinct(summary.splitlines()))
    while most is not None and len(lines) > most:
        _drop_least(lines)
    return "\n".join(lines)


def only_asks(summary: str) -> bool:
    """Whether a summary has nothing but questions that rules answered."""
    return all(map(_only_asks, summary.splitlines()))


def _only_asks(line: str) -> bool:
    return line.startswith(_ASKED) and _ANSWERED not in line


def _telling(lines: list[str]) -> list[str]:
    """Lines without those that only ask, where others tell something."""
    return [line for line in lines if not _only_asks(line)] or lines


def _distinct(lines: Sequence[str]) -> list[str]:
    """Lines without those that a later one repeats: what was said last stands last."""
    last = {_said(line): at for at, line in enumerate(lines)}
    return [lines[at] for at in sorted(last.values())]


def _said(text: str) -> str:
    """What texts have in common that say the same, whatever their case and the mark at their end."""
    return " ".join(text.casefold().split()).rstrip(".!… ")


def _drop_least(lines: list[str]) -> None:
    del lines[min(range(len(lines)), key=lambda at: (weight(lines[at]), at))]


def _pairs(messages: Sequence[Gist]) -> list[tuple[Gist, Gist]]:
    """User questions with the assistant message that follows each; those for what was said before say nothing."""
    return [
        (before, after)
        for before, after in pairwise(messages)
        if before.role == "user" and after.role == "assistant" and "?" in before.content
        if not asks_for_all(before.content) and end_asked_for(before.content) is None
    ]


def _once(pairs: Sequence[tuple[Gist, Gist]]) -> list[tuple[Gist, Gist]]:
    """Of the pairs with the same question the last that a model answered, or else the last."""
    chosen: dict[str, tuple[Gist, Gist]] = {}
    for question, answer in pairs:
        said = _said(_question_line(question))
        if said not in chosen or not answer.by_rules or chosen[said][1].by_rules:
            chosen.pop(said, None)  # it takes the place of the last
            chosen[said] = (question, answer)
    return list(chosen.values())


def _pair_line(question: Gist, answer: Gist) -> str:
    said = next(iter(split_sentences(answer.content)), answer.content)
    return f"{_question_line(question)}{_ANSWERED}{cut_at_word(said, ANSWER_CHARACTERS)}"


def _question_line(question: Gist) -> str:
    """A question alone: an answer by rules quotes other messages, or says that it knows nothing."""
    asked = next((s for s in split_sentences(question.content) if s.endswith("?")), question.content)
    return f"{_ASKED}{cut_at_word(asked, QUESTION_CHARACTERS)}"


def _points(messages: Sequence[Gist], most: int) -> list[str]:
    """The statements of the user that say most, in the order in which they were made."""
    statements = [
        (sentence, message.name)
        for message in messages
        if message.role == "user"
        for sentence in split_sentences(message.content)
        if not ends_with_question_mark(sentence)
    ]
    last = {(_said(sentence), name): at for at, (sentence, name) in enumerate(statements)}
    weighed = sorted(last.values(), key=lambda at: (-weight(statements[at][0]), at))
    chosen = sorted(at for at in weighed[:most] if weight(statements[at][0]) > 0)
    return [_point(*statements[at]) for at in chosen]


def _point(sentence: str, name: str | None) -> str:
    cut = cut_at_word(sentence, POINT_CHARACTERS)
    return f"{name}: {cut}" if name else cut


def weight(sentence: str) -> float:
    """How much a statement is worth keeping: lasting words, names and numbers, against its length."""
    found = searched_words(sentence) if is_unspaced(sentence) else WORD.findall(sentence)
    if len(found) < 3:
        return 0.0
    stems = set(content_stems(sentence)) | ({"my", "i'm", "i"} & {word.lower() for word in found})
    names: int = sum(word[0].isupper() or word[0].isdigit() for word in found[1:])
    worth: float = (2 * len(stems & LASTING) + names + min(len(stems), 8) / 4) / (1 + len(found) / 40)
    return worth
