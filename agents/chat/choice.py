"""The choice of the passages that answer a question: the likely ones, and of versions of one thing the newest first."""

from collections.abc import Sequence
from dataclasses import replace

from agents.chat.likelihood import LIKELY_DOING, Evidence, Question, Text, are_of_one_matter, contrast, likelihood
from agents.chat.passages import LEAST_SCORE, Passage, each_once, mentioning
from memory.domain import FACT
from memory.facts import are_of_other_things, stems_of, subject_of
from memory.language import EVEN, asks_of_assistant, asks_of_then, names_own, tells_of_then
from utils.text import content_stems

# Of likelihoods, chosen on what `python -m bench.fit_answering` prints: fewer than one in twenty first quotes is wrong.
LIKELY = 0.6
LIKELY_MATTER = 0.36  # where both are of where one lives or works; the same command's passages above it are all right
NEAR_BEST = 0.9  # share of the best one's that a further passage needs
REPLACING = 0.4  # share of it that one needs that says the same at another time,
CHANGING = 0.05  # and where it is the newer one and tells of a change
SURELY = 0.8  # how likely a text is what it seems to be least, a task or a statement, to be taken for it
SAME_MATTER = 0.57  # cosine similarity of two that say the same: of `bench/data/lookups.json`, all that are replaced
OF_A_KIND = 0.66  # cosine similarity of two words that tell things apart: "sister" and "colleague", "red" and "blue"
MOST_QUOTES = 3


def answers_to(question: Question, passages: Sequence[Passage]) -> list[Passage]:
    """The passages that are likely to answer, best first, newer ones before those that they replace. What was so once
    answers what is so now only where nothing else does, and is marked; what was replaced answers what was so."""
    judged = [_judged(question, passage) for passage in passages if passage.score >= LEAST_SCORE]
    if asks_of_then(question.text):
        former = [replace(passage, replaced_by=frozenset()) for passage in judged if passage.replaced_by]
        held = _likeliest(question, [passage for passage in judged if not passage.replaced_by])
        before = _likeliest(question, former)
        if not before and held:
            before = _replaced(held[0], judged)
        return [*before, *held][:MOST_QUOTES] or mentioning(question.text, judged)
    over = [passage for passage in judged if tells_of_then(passage.text)]
    current = _likeliest(question, [passage for passage in judged if passage not in over])
    before = [] if current else [replace(passage, before=True) for passage in _likeliest(question, over)]
    return current or before or mentioning(question.text, judged)


def _replaced(passage: Passage, judged: Sequence[Passage]) -> list[Passage]:
    """What a passage took the place of, the last of it: a question that names what holds has few words of that."""
    replaced = [former for former in judged if passage.source.id in former.replaced_by]
    last = max(replaced, key=lambda former: former.source.timestamp, default=None)
    return [replace(last, until=passage.source.said_at)] if last else []


def _likeliest(question: Question, judged: Sequence[Passage]) -> list[Passage]:
    best: dict[tuple[str, str], Passage] = {}  # of each source
    for passage in sorted(judged, key=lambda passage: -passage.likelihood):
        best.setdefault((passage.source.kind, passage.source.id), passage)
    ranked = each_once(list(best.values()))
    if not ranked or not _is_likely(question, ranked[0]):
        return []
    first, others = ranked[0], ranked[1:]
    if first.replaced_by:
        instead = [other for other in others if _holds_instead(other, first)]
        left = [passage for passage in judged if passage.source != first.source]
        return _newest_first([first, instead[0]]) if instead else _likeliest(question, left)
    versions = [
        other
        for other in others
        if first.source.id in other.replaced_by or (not other.replaced_by and _are_versions(question, first, other))
    ]
    if versions:
        return _newest_first([first, *versions])
    near = (other for other in others if other.likelihood >= NEAR_BEST * first.likelihood and not other.replaced_by)
    return [first, *near][:MOST_QUOTES]


def _is_likely(question: Question, passage: Passage) -> bool:
    of_matter = passage.read is not None and are_of_one_matter(question.does, passage.read.does)
    return passage.likelihood >= (LIKELY_MATTER if of_matter else LIKELY)


def _holds_instead(passage: Passage, former: Passage) -> bool:
    """Whether a passage is of what took another's place, and not of something else that the other stated as well."""
    return passage.source.id in former.replaced_by and passage.likelihood >= CHANGING * former.likelihood


def _newest_first(versions: Sequence[Passage]) -> list[Passage]:
    """Versions of one thing, each but the newest marked as what was so until the next; the newest alone where it is a
    fact, for what no message states was put right by hand, and the other was never so."""
    ordered = sorted(versions, key=lambda version: version.source.timestamp, reverse=True)
    if ordered[0].source.kind == FACT:
        return ordered[:1]
    newer = [None, *(version.source.said_at for version in ordered)]
    return [replace(version, until=until) for version, until in zip(ordered, newer, strict=False)][:MOST_QUOTES]


def _judged(question: Question, passage: Passage) -> Passage:
    """A passage with its likelihood, which is none of what tells nothing, and of what another says of the user."""
    if passage.read is None or not _tells(passage, passage.read) or _is_of_another(question, passage):
        return passage
    by_user = passage.source.role != "assistant"
    evidence = Evidence(passage.read, passage.score, passage.rival, by_user)
    return replace(passage, likelihood=likelihood(question, evidence))


def _is_of_another(question: Question, passage: Passage) -> bool:
    """Whether a passage is in words of an assistant or a speaker, who know nothing of what is the user's own, or of a
    text to work on or a quotation, which tell nothing; not where the question names whose words they are."""
    if passage.source.role == "assistant":
        return names_own(question.text) and not asks_of_assistant(question.text)
    if passage.whose == "own" or (passage.whose == "speaker" and not names_own(question.text)):
        return False
    leads = (lead for said in passage.said for lead in (*said.named, *((said.sentence,) if passage.quotes else ())))
    named = {stem for lead in leads for stem in content_stems(lead)}
    return named.isdisjoint(content_stems(question.text))


def _tells(passage: Passage, read: Text) -> bool:
    """Whether a passage does not ask, or request, more than it tells; what is kept never does, nor the assistant."""
    if passage.source.role != "user" or passage.source.kind == "memory":
        return True
    does = read.does
    is_task = does.requests >= SURELY and does.deed == "requests"
    return not (passage.asks or is_task) and (does.tells or max(does.asks, does.requests) < EVEN)


def _are_versions(question: Question, first: Passage, other: Passage) -> bool:
    """Whether two passages say the same of different times, so that the newer one holds. `first`: the likelier one.
    What is kept under two keys is of two things; so are my lucky numbers at work and at home."""
    if first.source.kind == other.source.kind == "memory":
        return False
    if first.read is None or other.read is None or first.source.role != other.source.role:
        return False
    if first.source.timestamp == other.source.timestamp:
        return False
    if _both_hold(first, other):
        return False
    newer = first.source.timestamp > other.source.timestamp
    before, after = (other.read.does, first.read.does) if newer else (first.read.does, other.read.does)
    told = not newer and after.changes >= LIKELY_DOING and abs(before.others - after.others) < LIKELY_DOING
    if told and (are_of_one_matter(before, after) or first.source.id in (other.may_replace or ())):
        return not _are_of_two(question, first, other)
    if not told and are_of_other_things(first.text, other.text):
        return False
    alike = first.read.reading.sentence @ other.read.reading.sentence >= SAME_MATTER
    if not alike or contrast(question, first.read, other.read) >= OF_A_KIND:
        return False
    # As if recall had found it as well as the other, which has taken some from it.
    share = _judged(question, replace(other, score=max(first.score, other.score), rival=first.rival)).likelihood
    replaced = max(share, other.likelihood) / first.likelihood >= (CHANGING if told else REPLACING)
    return replaced and not _are_of_two(question, first, other)


def _both_hold(one: Passage, other: Passage) -> bool:
    """Whether there are facts of both in force, of which neither may have replaced the other, and which tell other
    things of what they are about."""
    if one.may_replace is None or other.may_replace is None:
        return False
    if one.source.id in other.may_replace or other.source.id in one.may_replace:
        return False
    return not (stems_of(one.text) & stems_of(other.text)) - subject_of(one.text) - subject_of(other.text)


def _are_of_two(question: Question, first: Passage, other: Passage) -> bool:
    """Whether two passages are said of two things that share a name, of which the question means the one: the cousin
    Ida, and the boss Ida."""
    own, others = subject_of(first.text), subject_of(other.text)
    named = (own - others) & stems_of(question.text)
    return bool(named and others - own)
