"""The messages of a prompt's memory: short passages around what recall found, filled up to a number of tokens.

A message is worth the likelihood that recall gave it, or a share of that of a hit beside it, for most of what answers
and was not found stands within two messages of what was. The best for their tokens are taken until the room is full,
and stand in the order of time. Pure functions; `python -m bench.prompt` measures them.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import lru_cache
from typing import NamedTuple

from agents.chat.context import Citation, Material
from agents.chat.prompt import KEPT, SAID_ANEW, quoted, said_anew, stated_in_short, subject_in_short
from config.recipes import PromptBudget
from memory.domain import FACT, Gist
from memory.facts import statement_to_forget
from memory.language import LONGEST, Doing, Trait, asks_of_assistant, is_courtesy, traits_of
from utils.clock import at_home
from utils.sentences import split_sentences
from utils.text import GAP, content_stems, count_tokens, cut_at_word, on_one_line

NAME = 60  # characters of who said it
HEAD = 6  # tokens of the day and time above a passage
FRAME = 2  # tokens of a line beside its text and its speaker's name
CHARACTERS = 4  # of a token, as `count_tokens` has it
SENTENCE = 40  # characters of a sentence, beyond which its words count less
FIRST = 0.5  # words of the question for which being first counts: +1 point of BEAM's `words` at 500 tokens
CLOSE = timedelta(hours=1)  # between messages under one time
ASKS = 120  # characters of a message that only asks; of longer ones in BEAM a third is evidence
CHATS = 0.8  # how likely a message is a courtesy that answers nothing; of LoCoMo's and REALTALK's evidence none is
TELLS = (
    0.1  # how likely one tells something that asks; below it stand 3 % of BEAM's evidence, and questions for an order
)
LAST = 0.05  # what the last messages are worth of which none is sent along: as much as one beside a certain answer
CHANGED = 200  # characters of what replaced it


@dataclass(frozen=True)
class Passages:
    """What stands in the prompt, in the order of time, without its frame; `given`: the same as citations, numbered."""

    text: str = ""
    given: tuple[Citation, ...] = ()


class _Line(NamedTuple):
    """A message as it would stand there. `later`: what has become of it since. `score`: recall's, None for what stands
    beside a hit."""

    gist: Gist
    text: str
    worth: float
    score: float | None = None
    later: str = ""

    @property
    def tokens(self) -> int:
        return FRAME + count_tokens(f"{self.gist.name or self.gist.role}{self.text}{self.later}")


@dataclass(frozen=True)
class _Sentence:
    """`weight`: how much it has of a question, for its length."""

    text: str
    weight: float


def passages(
    material: Material,
    question: str,
    room: int,
    budget: PromptBudget,
    timezone: str | None,
    *,
    exclude: Collection[str] = (),
    first: int = 1,
) -> Passages:
    """The messages that are worth most, in at most `room` tokens as `count_tokens` has them. `timezone`: of those that
    were said nobody knows where. `exclude`: ids of those that stand in the prompt already. `first`: the number of the
    first one."""
    if not asks_of_assistant(question):  # what was answered without memory is a guess
        hits = tuple(hit for hit in material.hits if not hit.gist.unaided)
        near, last = (tuple(gist for gist in them if not gist.unaided) for them in (material.near, material.last))
        material = replace(material, hits=hits, near=near, last=last)
    offered = _lines(material, exclude, budget)
    anew = said_anew([line.gist for line in offered])
    offered = [line._replace(later=_later(line.gist, material, anew)) for line in offered]
    lines = _in_order(_chosen(offered, set(content_stems(question)), room, budget))
    written: list[str] = []
    given: list[Citation] = []
    for at, line in enumerate(lines):
        gist, n = line.gist, first + at
        if at == 0 or not _share_a_head(lines[at - 1].gist, gist):
            written.append(f"{at_home(gist.timestamp, gist.timezone or timezone):%a %Y-%m-%d %H:%M}\n")
        elif not _is_next(lines[at - 1].gist, gist):
            written.append(f"{GAP}\n")
        written.append(f"[{n}] {quoted(gist.name or gist.role, NAME)}: {quoted(line.text, None)}{line.later}\n")
        given.append(replace(Citation.of_gist(gist, "similar", line.score), n=n))
    return Passages("".join(written), tuple(given))


def tells_nothing(text: str, does: Doing | None) -> bool:
    """Whether a message is no memory: it is a courtesy, or only asks or wants something done, and neither tells
    anything nor names a time, a number or a name. `does`: what it does; where nobody has read it, its marks tell."""
    return len(text) <= LONGEST and _tells_nothing(text, does)


@lru_cache(maxsize=4_096)  # what is found once is found again
def _tells_nothing(text: str, does: Doing | None) -> bool:
    if is_courtesy(text) or statement_to_forget(text) or (does is not None and does.chats >= CHATS):
        return True
    if len(text) > ASKS:
        return False
    traits = traits_of(text, does)
    if traits[Trait.ASKS] != 1 and (does is None or does.deed != "requests"):
        return False
    named = traits[[Trait.TIMES, Trait.NUMBERS, Trait.NAMES]].any()
    return not named or (does is not None and does.states < TELLS)


def _later(gist: Gist, material: Material, anew: Collection[str]) -> str:
    """What has become since of what a message states."""
    if (changed := material.changed.get(gist.id)) is not None:
        said = quoted(" ".join(changed), CHANGED)
        return f" (since then: {said})" if said else " (this holds no longer)"
    return f" ({SAID_ANEW})" if gist.key in anew else ""


def _in_order(lines: Iterable[_Line]) -> list[_Line]:
    """Lines in the order of time, those of an hour of a conversation together."""
    runs: list[list[_Line]] = []
    for line in sorted(lines, key=lambda line: (line.gist.session_id, line.gist.message_index, line.gist.timestamp)):
        if runs and _share_a_head(runs[-1][-1].gist, line.gist):
            runs[-1].append(line)
        else:
            runs.append([line])
    runs.sort(key=lambda run: run[0].gist.timestamp)
    return [line for run in runs for line in run]


def _is_next(gist: Gist, other: Gist) -> bool:
    """Whether one message follows another in their session."""
    return gist.session_id == other.session_id and 0 <= gist.message_index == other.message_index - 1


def _share_a_head(gist: Gist, other: Gist) -> bool:
    """Whether two messages of a conversation stand under the time of the first, be there others between them."""
    return gist.session_id == other.session_id and abs(other.timestamp - gist.timestamp) < CLOSE


def _lines(material: Material, exclude: Collection[str], budget: PromptBudget) -> list[_Line]:
    """What may stand there, each message once: hits, what is near them, and what was said last."""
    beside = (*material.near, *(hit.gist for hit in material.hits if hit.gist.message_index >= 0))
    near = {(gist.session_id, gist.message_index): gist for gist in beside}
    lines: dict[str, _Line] = {}

    def offer(gist: Gist, worth: float, text: str, score: float | None = None) -> None:
        known = lines.get(gist.id)
        if gist.id in exclude or gist.by_rules or (known is not None and known.worth >= worth):
            return
        text = known.text if known is not None else text
        lines[gist.id] = _Line(gist, text, worth, known.score if known is not None else score)

    for hit in material.hits:
        if hit.gist.kind != FACT and hit.gist.id not in material.empty:
            offer(hit.gist, hit.score, hit.text, hit.score)
    for hit in material.hits:
        for distance, share in zip((-2, -1, 1, 2), budget.beside, strict=True):
            gist = near.get((hit.gist.session_id, hit.gist.message_index + distance))
            if gist is not None and share and _may_complete(gist, hit.gist):
                offer(gist, share * hit.score, gist.content)
    for gist in material.last:
        if gist.id not in material.empty:
            offer(gist, LAST, gist.content)
    once: dict[str, _Line] = {}  # the same is told once, where it is worth most
    for line in sorted(lines.values(), key=lambda line: -line.worth):
        once.setdefault(on_one_line(line.text).casefold(), line)
    return list(once.values())


def _may_complete(gist: Gist, other: Gist) -> bool:
    """Whether a message beside another may say more of it, as another's question does, and one's own does not."""
    return (gist.role, gist.name) != (other.role, other.name) or not tells_nothing(gist.content, None)


def _chosen(lines: Iterable[_Line], asked: Collection[str], room: int, budget: PromptBudget) -> list[_Line]:
    """Those that are worth most for their tokens, as far as there is room; of long ones first a short excerpt, and a
    longer one where that is worth more than another message."""
    chosen: dict[str, _Line] = {}
    flat: dict[str, str] = {}
    read: dict[str, list[_Sentence]] = {}
    for _, line, characters, more in sorted(_offers(lines, budget), key=lambda offer: -offer[0]):
        if more > room:
            continue
        gist, known = line.gist, chosen.get(line.gist.id)
        if gist.id not in flat:
            flat[gist.id] = on_one_line(line.text)
        text = flat[gist.id]
        if len(text) > characters:
            if gist.id not in read:
                read[gist.id] = _read(line.text, asked)
            text = _excerpt(read[gist.id], characters)
        if known is not None and len(text) <= len(known.text):
            continue
        shown = line._replace(text=text)
        if known is not None:
            cost = shown.tokens - known.tokens
        else:
            close = any(_share_a_head(other.gist, gist) for other in chosen.values())
            cost = shown.tokens + (1 if close else HEAD)
        if cost <= room:
            room -= cost
            chosen[gist.id] = shown
    return list(chosen.values())


def _offers(lines: Iterable[_Line], budget: PromptBudget) -> Iterator[tuple[float, _Line, int, float]]:
    """Each line at each length that is longer than the one before, by what that is worth for the tokens it adds: as
    many as so many characters have, for few of them are read in the end."""
    for line in lines:
        before, most = 0, float("inf")
        for characters, share in budget.lengths:
            if before < len(line.text):
                more = FRAME + (min(characters, len(line.text)) - before) / CHARACTERS
                most = min(most, share * line.worth / more**budget.price)
                yield most, line, characters, more
                before = characters


def _read(text: str, asked: Collection[str]) -> list[_Sentence]:
    """The sentences of a long text. The first counts a little more, for it says what the text is about."""
    sentences = _sentences_of_short(text) if len(text) <= KEPT else _sentences(text)
    return [
        _Sentence(
            sentence,
            len(stems.intersection(asked)) / max(1.0, len(sentence) / SENTENCE) ** 0.5 + (FIRST if at == 0 else 0.0),
        )
        for at, (sentence, stems) in enumerate(sentences)
    ]


def _sentences(text: str) -> tuple[tuple[str, frozenset[str]], ...]:
    """The sentences of a text, each with the stems of what it says."""
    sentences = map(on_one_line, split_sentences(text))
    return tuple((sentence, frozenset(content_stems(sentence))) for sentence in sentences)


_sentences_of_short = lru_cache(maxsize=1_000)(_sentences)


class ReadTexts:
    """What this process has read of texts, which goes with any of them."""

    def drop(self, *_: object) -> None:
        for kept in (_tells_nothing, _sentences_of_short, stated_in_short, subject_in_short):
            kept.cache_clear()

    forget = drop


def _excerpt(sentences: Sequence[_Sentence], characters: int) -> str:
    """Of a long text the sentences that have most of a question, and those next to the best of them, in their order,
    with "…" for what is left out; where none has any, its beginning."""
    best = max(range(len(sentences)), key=lambda at: (sentences[at].weight, -at))
    kept: set[int] = set()
    left = characters
    for at in sorted(range(len(sentences)), key=lambda at: (-sentences[at].weight, abs(at - best))):
        if len(sentences[at].text) <= left or not kept:
            kept.add(at)
            left -= len(sentences[at].text) + 3
    parts = [f"{'' if at == 0 or at - 1 in kept else f'{GAP} '}{sentences[at].text}" for at in sorted(kept)]
    text = cut_at_word(" ".join(parts), characters)
    return text if text.endswith(GAP) or len(sentences) - 1 in kept else f"{text} {GAP}"
