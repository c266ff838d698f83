"""What is said and asked: distinct messages and questions about them, the same in every run."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

from bench.recall.corpus import Message
from bench.recall.reading import read_corpus

SMALL = Path(__file__).parent.parent / "data" / "small.json"
BEGAN = datetime(2025, 1, 1, 8, tzinfo=UTC)
PER_SESSION = 30
SEED = 5

PEOPLE = ("Ada", "Bruno", "Chidi", "Dora", "Emil", "Fatima", "Goran", "Hanna", "Ivo", "Jun", "Kemal", "Lena")
THINGS = (
    *("camera", "bicycle", "passport", "ladder", "violin", "kettle", "telescope", "raincoat", "drill", "globe"),
    *("tent", "chess set", "typewriter", "projector", "wheelbarrow", "umbrella", "suitcase", "toolbox", "kite"),
)
PLACES = ("cellar", "attic", "garage", "office", "garden shed", "kitchen", "hallway", "library", "boathouse", "studio")
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
FORMS = (
    ("{person} keeps the {thing} in drawer {number} of the {place}.", "Where does {person} keep the {thing}?"),
    ("I lent {person} my {thing} on {day}, for {number} days.", "To whom did I lend my {thing} on {day}?"),
    ("We paid {number} euros to have the {thing} repaired.", "Did the repair of the {thing} cost {number} euros?"),
    ("On {day} {person} and I painted the {place} for {number} hours.", "Who painted the {place} with me on {day}?"),
    ("The {thing} that {person} sold weighs {number} kilos.", "How heavy is the {thing} that {person} sold?"),
    ("We talk about the {thing} on {day}, in room {number}.", "In which room is it about the {thing}, on {day}?"),
    ("{person} found {number} letters in the {place}.", "How many letters did {person} find, in the {place}?"),
    ("Please remind me to bring the {thing} to {person} by {day}.", "When does {person} need the {thing}?"),
)
AFTERTHOUGHTS = (
    "It took longer than either of us had thought, but it was worth the trouble in the end.",
    "I wrote it down because last time I had forgotten all about it after a week.",
    "Nobody else knows about this yet, so let us keep it between the two of us for now.",
)


@dataclass(frozen=True)
class Conversation:
    """Messages with distinct texts, and distinct questions about them."""

    messages: tuple[Message, ...]
    questions: tuple[str, ...]


def conversation(messages: int, questions: int) -> Conversation:
    """So many of each: those of bench/data/small.json first, then sentences made of a seed."""
    small = read_corpus(SMALL).conversations
    said = {one.text: one for each in small for one in each.messages}
    asked = dict.fromkeys(one.text for each in small for one in each.questions)
    made = _sentences()
    while len(said) < messages or len(asked) < questions:
        statement, question, speaker = next(made)
        said.setdefault(statement, Message("", "", "user", statement, BEGAN, speaker))
        asked.setdefault(question)
    return Conversation(
        tuple(_placed(one, at) for at, one in enumerate(list(said.values())[:messages])), tuple(asked)[:questions]
    )


def _sentences() -> Iterator[tuple[str, str, str]]:
    """Statements, a question about each, and who speaks; every third statement is a long one."""
    chance = random.Random(SEED)
    for n in count():
        words = {
            "person": chance.choice(PEOPLE),
            "thing": chance.choice(THINGS),
            "place": chance.choice(PLACES),
            "day": chance.choice(DAYS),
            "number": chance.randrange(2, 100),
        }
        statement, question = (form.format_map(words) for form in FORMS[n % len(FORMS)])
        if n % 3 == 0:
            statement = f"{statement} {AFTERTHOUGHTS[n // 3 % len(AFTERTHOUGHTS)]}"
        yield statement, question, PEOPLE[n // PER_SESSION % len(PEOPLE)]


def _placed(message: Message, at: int) -> Message:
    """The message as the one that stands at a place of the whole."""
    return Message(
        id=f"said-{at}",
        session=f"said-in-{at // PER_SESSION}",
        role="assistant" if at % 2 else "user",
        text=message.text,
        timestamp=BEGAN + timedelta(minutes=at),
        speaker=message.speaker,
    )
