"""Reads LoCoMo's own file (Maharana et al., 2024; `locomo10.json`).

A list of samples. A sample's `conversation` holds `session_1`, `session_1_date_time`, and so on; a turn has `dia_id`,
`speaker`, `text`, and `blip_caption` where a photo was shared. `qa` lists the questions.
"""

import re
from datetime import UTC, datetime, timedelta

from pydantic import BaseModel, TypeAdapter

from bench.recall.corpus import ADVERSARIAL, Conversation, Corpus, Message, Question, UnreadableCorpus

CATEGORIES = {1: "multi_hop", 2: "temporal", 3: "open_domain", 4: "single_hop", 5: ADVERSARIAL}
SESSION = re.compile(r"session_(\d+)")
DATE = "%I:%M %p on %d %B, %Y"  # 1:56 pm on 8 May, 2023
STEP = timedelta(seconds=30)  # between two turns, of which the file knows the session's time alone
# Several ids may stand in one string, apart from each other by what they like, and a few are misspelt.
EVIDENCE = re.compile(r"D:?(\d+):(\d+)")


class TurnIn(BaseModel):
    dia_id: str
    speaker: str
    text: str
    blip_caption: str | None = None


class QuestionIn(BaseModel):
    question: str
    category: int
    evidence: list[str] = []


class SampleIn(BaseModel):
    sample_id: str
    conversation: dict[str, object]
    qa: list[QuestionIn]


SAMPLES = TypeAdapter(list[SampleIn])
TURNS = TypeAdapter(list[TurnIn])


def read_locomo(data: object, name: str) -> Corpus:
    """Evidence that names no turn is left out. Raises `UnreadableCorpus`, or `pydantic.ValidationError`."""
    return Corpus(name, tuple(map(_conversation, SAMPLES.validate_python(data))))


def _conversation(sample: SampleIn) -> Conversation:
    numbers = sorted(int(found[1]) for key in sample.conversation if (found := SESSION.fullmatch(key)))
    messages = tuple(message for number in numbers for message in _session(sample, number))
    ids = {message.id for message in messages}
    return Conversation(
        sample.sample_id,
        messages,
        tuple(
            Question(
                f"{sample.sample_id}-q{place}",
                question.question,
                CATEGORIES.get(question.category, f"category_{question.category}"),
                tuple(one for one in _evidence(question.evidence) if one in ids),
            )
            for place, question in enumerate(sample.qa)
        ),
    )


def _session(sample: SampleIn, number: int) -> list[Message]:
    said = str(sample.conversation.get(f"session_{number}_date_time", ""))
    try:
        began = datetime.strptime(said.strip(), DATE).replace(tzinfo=UTC)
    except ValueError as error:
        raise UnreadableCorpus(f"{sample.sample_id}, session {number}: {said!r} is not a time") from error
    return [
        Message(
            turn.dia_id,
            str(number),
            "user" if turn.speaker == sample.conversation.get("speaker_a") else "assistant",
            text,
            began + place * STEP,
            turn.speaker,
        )
        for place, turn in enumerate(TURNS.validate_python(sample.conversation[f"session_{number}"]))
        if (text := _text(turn))
    ]


def _text(turn: TurnIn) -> str:
    """What was said; a photo is told by its caption."""
    photo = f"[shares photo: {turn.blip_caption}]" if turn.blip_caption else ""
    return f"{turn.text.strip()} {photo}".strip()


def _evidence(entries: list[str]) -> list[str]:
    found = (match for entry in entries for match in EVIDENCE.finditer(entry))
    return list(dict.fromkeys(f"D{int(match[1])}:{int(match[2])}" for match in found))
