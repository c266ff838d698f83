"""What does a language model note of a step's output?"""

from collections.abc import Sequence
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from config.prompts import prompt
from memory.model_json import ask_for_json
from memory.observed import Observed, observed
from utils.llm import ChatModel
from utils.text import cut_at_word, shown

MOST = 20  # notes kept of a category
NOTE_CHARACTERS = 1_000

Note = Annotated[str, Field(max_length=20_000)]


class _Notes(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore")

    findings: list[Note] = []
    insights: list[Note] = []
    lessons: list[Note] = []


async def observe_by_model(model: ChatModel, step_name: str, step_type: str, output: str) -> tuple[Observed, ...]:
    """What the model notes of an output. Raises `ModelError`; `ModelGarbage` where its answers are no such notes."""
    step = {"step_name": step_name, "step_type": step_type, "output": output}
    asked, garbage = prompt("observations").substitute(), "The model's observations cannot be read"
    notes = await ask_for_json(model, asked, step, _Notes.model_validate_json, garbage=garbage)
    return observed(_tidy(notes.findings), _tidy(notes.insights), _tidy(notes.lessons))


def _tidy(notes: Sequence[str]) -> list[str]:
    """Each once, on one line, without what cannot be seen."""
    return list(dict.fromkeys(cut_at_word(text, NOTE_CHARACTERS) for note in notes if (text := shown(note))))[:MOST]
