"""What does the memory agent's bundle state, sentence by sentence?"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta

from agents.chat.context import Bundle, Citation, Context, HistoryItem
from memory.domain import FACT, Gist, Hit, KeyValue
from memory.facts import Fact, statement_to_forget, told
from memory.language.asking import asks, is_request, told_before_asking
from memory.language.courtesy import is_courtesy
from memory.language.heard import Heard
from memory.observations import Recalled
from utils.clock import now
from utils.sentences import split_sentences
from utils.text import GAP, ends_with_question_mark

TOLD_WHOLE = 160  # characters of a message up to which its sentences are told together
ALIKE = 0.68  # cosine similarity from which on an observation counts as like a question; below, by its words alone
HISTORY = "history"  # the kind of what the request itself says was said; nothing of memory, so it is not cited
HISTORY_CHARACTERS = 100_000  # of its newest messages that are read

_EXCLAIMS = re.compile(r"\W*what an?(?: [\w-]+){1,3}\W*(?:\w+\W*)?", re.IGNORECASE)  # "What a tower, right?"
# How a sentence begins that takes back or corrects what stands right before it.
_TAKES_BACK = re.compile(
    r"^\W*(?:(?:oh|ah|oops|hm+|well|but)\b\W*)*(?:(?:no\W+)?wait\b|(?:no\W+)?sorry\W+(?:no\b|i mean|it['’]?s|"
    r"that['’]?s|make (?:it|that))|no\W+(?:sorry|actually)\b|actually\b|correction\b|(?:scratch|strike) that\b|"
    r"i meant?\b|(?:or )?rather\b|make (?:it|that)\b|on second thoughts?\b|my (?:mistake|bad)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Sentence:
    """One that may answer. `likeness`: cosine similarity of its message to the question; 0 where it was not found by
    recall, and of an observation that is not very like it. `renewed_by`: kinds and ids of later messages that tell of a
    change of it."""

    text: str
    source: Citation
    likeness: float
    renewed_by: frozenset[tuple[str, str]] = frozenset()

    @property
    def spoken(self) -> str:
        """The sentence after its speaker's name, which a question may name too."""
        return f"said {self.source.name}: {self.text}" if self.source.name else self.text


def sentences_of(context: Context) -> list[Sentence]:
    """Every statement of the bundle: facts first, hits, then what was said lately, each message once, then
    observations; and of the history that the request brings, what is not among these."""
    remembered = _remembered(context.bundle, context.heard) if context.bundle is not None else []
    known = {one.source.content for one in remembered}
    brought = [one for one in _brought(context.request.history) if one.content not in known]
    return [*remembered, *(Sentence(text, one, 0.0) for one in brought for text in _statements(one.content))]


def _remembered(bundle: Bundle, heard: Heard) -> list[Sentence]:
    hits = {hit.gist.key: hit for hit in bundle.recall.hits}
    likeness = {hit.gist.id: hit.parts.dense for hit in hits.values()}
    found = []
    for fact in bundle.memories:
        alike = max((likeness.get(source, 0.0) for source in fact.sources), default=0.0)
        found.append(Sentence(told(fact.key, fact.value), _of_fact(fact), alike))
    found += [Sentence(fact.text, _of_known(fact), 0.0) for fact in bundle.known]
    stated = {source for fact in bundle.memories for source in fact.sources}
    stated |= {source for fact in bundle.known for source in fact.sources}
    messages = {key: hit.gist for key, hit in hits.items()}
    messages |= {gist.key: gist for gist in (*bundle.recent, *bundle.unsummarised) if gist.key not in hits}
    for key, gist in messages.items():
        if not gist.by_rules and gist.id not in stated and heard.tells(gist.content):
            hit = hits.get(key)
            source, alike = citation_of(gist, hit), hit.parts.dense if hit else 0.0
            found += [Sentence(text, source, alike) for text in _statements(gist.content)]
    for recalled in bundle.observations:
        source, alike = _of_observation(recalled), recalled.likeness if recalled.likeness >= ALIKE else 0.0
        found += [Sentence(text, source, alike) for text in _statements(source.content)]
    return found


def _brought(history: Sequence[HistoryItem]) -> Iterator[Citation]:
    """What the user says in a request's history, newest first. What was answered is often a quotation of that."""
    room, moment = HISTORY_CHARACTERS, now()
    for at, item in reversed(list(enumerate(history))):
        room -= len(item.content)
        if room < 0:
            return
        if item.role == "user":
            said = moment - timedelta(seconds=len(history) - at)  # nobody says when; in this order, and just now
            yield Citation(0, str(at), HISTORY, HISTORY, HISTORY, item.role, item.content, said, None)


def _of_fact(fact: KeyValue) -> Citation:
    text = f"{fact.key}: {fact.value}"
    return Citation(0, fact.key, "memory", "memories", None, "user", text, fact.updated_at, None)


def _of_known(fact: Fact) -> Citation:
    return Citation(0, fact.id, FACT, "known", fact.memory_id, FACT, fact.text, fact.valid_from, None)


def citation_of(gist: Gist, hit: Hit | None) -> Citation:
    """A message as a source. `hit`: what recall found of it; None where it was not searched for."""
    return Citation(
        n=0,
        id=gist.id,
        kind=gist.kind,
        section="similar" if hit else "recent",
        session_id=gist.session_id,
        role=gist.role,
        content=gist.content,
        timestamp=gist.timestamp,
        score=hit.score if hit else None,
        name=gist.name,
    )


def _of_observation(recalled: Recalled) -> Citation:
    one = recalled.observation
    return Citation(0, one.id, one.category, "observations", None, None, one.content, one.created_at, recalled.score)


def _statements(content: str) -> list[str]:
    """What a text says, together where it is short, with "…" for what is left out in between; nothing where it is
    courtesies alone."""
    if is_courtesy(content):
        return []
    sentences = _with_corrections(split_sentences(content))
    stated = [_stated(sentence) for sentence in sentences]
    telling = [part for part in stated if part and not is_courtesy(part)]
    together = _together(sentences, stated)
    return [together] if telling and len(together) <= TOLD_WHOLE else telling


def _together(sentences: Sequence[str], stated: Sequence[str]) -> str:
    """What is stated of sentences in one, with "…" where something is left out in between."""
    text, whole = "", True
    for sentence, part in zip(sentences, stated, strict=True):
        if part:
            text = f"{text}{' ' if whole else f' {GAP} '}{part}" if text else part
        whole = sentence == part
    return text


def _with_corrections(sentences: Sequence[str]) -> list[str]:
    """Sentences, each together with the next one where that takes it back or corrects it."""
    found: list[str] = []
    for sentence in sentences:
        if found and takes_back(sentence):
            found[-1] = f"{found[-1]} {sentence}"
        else:
            found.append(sentence)
    return found


def takes_back(sentence: str) -> bool:
    """Whether a sentence takes back or corrects what stands before it."""
    return _TAKES_BACK.match(sentence) is not None and not ends_with_question_mark(sentence)


def _stated(sentence: str) -> str:
    """What a sentence says, of one that asks what it tells before; nothing where it only asks, or asks to forget."""
    if is_request(sentence) or statement_to_forget(sentence) or _EXCLAIMS.fullmatch(sentence):
        return ""
    return told_before_asking(sentence) if asks(sentence) else sentence


def each_once(sentences: Sequence[Sentence]) -> list[Sentence]:
    """Sentences without those that say the same as one before."""
    found: dict[str, Sentence] = {}
    for sentence in sentences:
        found.setdefault(sentence.text.casefold(), sentence)
    return list(found.values())
