"""Observations by a language model."""

from collections.abc import Iterable

from pydantic import BaseModel, ValidationError

from config.prompts import prompt
from memory.observations.observation import Observed, observed
from memory.store import ask, shape_of, values_in
from utils.chat import ChatModel, ChatOptions
from utils.text import cut_at_word, shown

MOST = 20  # notes kept of a category
NOTE_CHARACTERS = 1_000


class _Notes(BaseModel):
    findings: list[str] | None = None
    insights: list[str] | None = None
    lessons: list[str] | None = None


NOTES = shape_of(_Notes)


async def observe_by_model(model: ChatModel, step_name: str, step_type: str, output: str) -> tuple[Observed, ...]:
    """What the model notes of an output. Raises `ModelError`; `ModelGarbage` where its answers are no such notes."""
    step = {"step_name": step_name, "step_type": step_type, "output": output}
    garbage = "The model's observations cannot be read"
    asked = prompt("observations").substitute()
    options: ChatOptions = {"purpose": "observation", "shape": NOTES}
    return await ask(model, asked, step, read_notes, garbage=garbage, options=options)


def read_notes(text: str) -> tuple[Observed, ...]:
    """The notes in a model's answer: an object with lists of texts under `findings`, `insights` or `lessons`, whatever
    stands around it. Raises `ValueError` where there is none, so that nobody takes an answer that was lost for one that
    said nothing."""
    for value in values_in(text):
        try:
            notes = _Notes.model_validate(value)
        except ValidationError:
            continue
        if notes.model_fields_set:
            return observed(*map(_tidy, (notes.findings, notes.insights, notes.lessons)))
    raise ValueError("there are no findings, insights or lessons in them")


def _tidy(notes: Iterable[str] | None) -> list[str]:
    """Each once, on one line, without what cannot be seen."""
    return list(dict.fromkeys(cut_at_word(text, NOTE_CHARACTERS) for note in notes or () if (text := shown(note))))[
        :MOST
    ]
