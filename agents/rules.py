"""What can be answered without a language model? The sentences of memory that match best, cited; pure functions."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from agents.context import Citation, Context
from agents.intent import is_small_talk
from memory.extract import statement_to_forget
from memory.summary_rules import summarise_by_rules
from utils.text import content_stems, cut_at_word, split_sentences

SENTENCE_CHARACTERS = 300
MOST_SENTENCES = 3
NEAR_BEST = 0.8  # a further sentence is told where its score is at least this share of the best one's
COVERED = 0.45  # share of the question's weight that a sentence must cover by words alone
LIKE = 0.6  # cosine similarity that suffices where no word is shared
SUMMARY_TOKENS = 200

_GREETINGS = (
    (re.compile(r"\b(thank|thanks|thx)", re.IGNORECASE), "You're welcome."),
    (re.compile(r"\b(bye|goodbye|see you|good night)", re.IGNORECASE), "Goodbye. I'll remember what we talked about."),
    (re.compile(r"\bhow are you|what['’]s up|how['’]s it", re.IGNORECASE), "I'm well, thank you. How can I help?"),
    (re.compile(r"\b(hi|hello|hey|hiya|yo|good (morning|afternoon|evening))", re.IGNORECASE), "Hello! How can I help?"),
)
_ASKS = re.compile(r"^(what|who|whose|where|when|which|why|how|do you|did i|can you|tell me|remind me)\b", re.I)
_WANTS = (
    (
        re.compile(r"\b(when|what (day|date|time|year)|how long)\b", re.IGNORECASE),
        re.compile(
            r"\d|\b(mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(january|february|march|april|may|june|july|august|"
            r"september|october|november|december|yesterday|today|tomorrow|noon|midnight|morning|evening|week|month|"
            r"year)\b",
            re.IGNORECASE,
        ),
    ),
    (re.compile(r"\bhow (many|much|old)\b|\bnumber\b|\bpassword\b|\bcode\b", re.IGNORECASE), re.compile(r"\d")),
    (re.compile(r"\b(who|whose|where|name|called|which)\b", re.IGNORECASE), re.compile(r"(?<=\w[\s,])[A-ZÀ-Þ]\w+")),
)


@dataclass(frozen=True)
class RuleAnswer:
    """`citations`: the memories quoted, numbered from 1 in the order in which the text cites them."""

    text: str
    citations: tuple[Citation, ...] = ()


@dataclass(frozen=True)
class _Sentence:
    text: str
    source: Citation
    likeness: float  # cosine similarity of its message to the question; 0 where it was not found by recall


def answer_by_rules(context: Context) -> RuleAnswer:
    """An answer in plain words. Says so where memory knows nothing, or was not asked."""
    query, intent = context.request.query, context.intent.name
    if context.done is not None:
        return RuleAnswer(context.done)
    if intent == "summarise":
        return _summary(context)
    if intent == "chat":
        if is_small_talk(query):
            return RuleAnswer(_small_talk(query))
        return RuleAnswer("Noted." if context.request.temporary else "Noted. I'll remember that.")
    if context.images is not None and context.intent.name == "image":
        return RuleAnswer(context.images)
    chosen = _choose(query, _sentences(context))
    if chosen:
        return _quote(chosen)
    if context.bundle is None:
        return RuleAnswer("I did not look into my memory for this, and without a language model I know nothing else.")
    return RuleAnswer("I don't know that yet: nothing you told me answers it.")


def _small_talk(query: str) -> str:
    return next((reply for pattern, reply in _GREETINGS if pattern.search(query)), "All right.")


def _sentences(context: Context) -> list[_Sentence]:
    """Every statement of the bundle: facts first, then hits, then what was said lately, each message once."""
    bundle = context.bundle
    if bundle is None:
        return []
    found = [
        _Sentence(
            f"{fact.key}: {fact.value}",
            Citation(
                0,
                fact.key,
                "memory",
                "memories",
                None,
                "user",
                f"{fact.key}: {fact.value}",
                fact.updated_at,
                None,
            ),
            0.0,
        )
        for fact in bundle.memories
    ]
    messages = {hit.gist.key: (hit.gist, hit.score) for hit in bundle.recall.hits}
    for gist in bundle.recent:
        messages.setdefault(gist.key, (gist, 0.0))
    for gist, score in messages.values():
        if gist.by_rules:
            continue
        source = Citation(
            0,
            gist.id,
            gist.kind,
            "similar" if score else "recent",
            gist.session_id,
            gist.role,
            gist.content,
            gist.timestamp,
            score or None,
        )
        found += [_Sentence(text, source, score) for text in split_sentences(gist.content) if _states(text)]
    return found


def _states(sentence: str) -> bool:
    """Whether a sentence says something, and neither asks nor asks to forget."""
    return not (sentence.endswith("?") or _ASKS.match(sentence) or statement_to_forget(sentence))


def _choose(query: str, sentences: Sequence[_Sentence]) -> list[_Sentence]:
    """The sentences that answer best: idf-weighted coverage of the question's words, and likeness of the message."""
    asked = set(content_stems(query))
    stems = [set(content_stems(sentence.text)) for sentence in sentences]
    frequency = Counter(stem for found in stems for stem in found)
    weights = {stem: math.log(1 + len(sentences) / (0.5 + frequency[stem])) for stem in asked}
    whole = sum(weights.values())
    wanted = next((answer for question, answer in _WANTS if question.search(query)), None)
    scored: list[tuple[float, int]] = []
    for at, sentence in enumerate(sentences):
        covered = sum(weights[stem] for stem in asked & stems[at]) / whole if whole else 0.0
        if covered < COVERED and sentence.likeness < LIKE and not (covered and sentence.likeness):
            continue
        if not stems[at] - asked:
            continue  # it says no more than the question
        score = covered + sentence.likeness
        if wanted is not None and wanted.search(sentence.text):
            score += 0.25
        if sentence.source.role == "user":
            score += 0.1
        scored.append((score, at))
    scored.sort(key=lambda one: (-one[0], one[1]))
    best = [sentences[at] for score, at in scored if score >= NEAR_BEST * scored[0][0]]
    return list({sentence.text.casefold(): sentence for sentence in best}.values())[:MOST_SENTENCES]


def _quote(chosen: Sequence[_Sentence]) -> RuleAnswer:
    citations: dict[tuple[str, str], Citation] = {}
    lines = []
    for sentence in chosen:
        source = sentence.source
        citation = citations.setdefault((source.kind, source.id), replace(source, n=len(citations) + 1))
        lines.append(f"{_introduction(sentence)} [{citation.n}]")
    return RuleAnswer("\n".join(lines), tuple(citations.values()))


def _introduction(sentence: _Sentence) -> str:
    text = cut_at_word(sentence.text, SENTENCE_CHARACTERS)
    if sentence.source.kind == "memory":
        return f"You asked me to remember: {text}"
    return f"You told me: “{text}”" if sentence.source.role == "user" else f"I told you: “{text}”"


def _summary(context: Context) -> RuleAnswer:
    bundle = context.bundle
    if bundle is None:
        return RuleAnswer("I did not look into my memory, so there is nothing to summarise.")
    parts = [summary.text for summary in reversed(bundle.summaries) if summary.session_id == context.request.session_id]
    covered = max((s.to_index for s in bundle.summaries if s.session_id == context.request.session_id), default=-1)
    rest = [gist for gist in bundle.recent if gist.message_index > covered and not gist.by_rules]
    if rest:
        parts.append(summarise_by_rules(rest, SUMMARY_TOKENS))
    if not any(parts) and bundle.summaries:
        parts = [summary.text for summary in reversed(bundle.summaries)]
    text = "\n".join(part for part in parts if part)
    return RuleAnswer(text or "There is nothing to summarise yet.")
