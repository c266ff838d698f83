"""Observations by a language model.

Models write notes in other shapes than they are asked for. What can only be meant as notes is taken as such; what may
be something else is not, so that nobody takes an answer that was lost for one that said nothing.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from config.prompts import prompt
from memory.observations.observation import CATEGORIES, Category, Observed, observed
from memory.store import ask, values_in
from utils.chat import ChatModel
from utils.text import cut_at_word, shown

MOST = 20  # notes kept of a category
NOTE_CHARACTERS = 1_000
TEXTS = ("content", "text")  # fields of a note that is an object
# How a category may be called, by the key of its notes or in a note's own field.
_NAMES: dict[str, Category] = {name: one for one in CATEGORIES for name in (one, f"{one}s")}


async def observe_by_model(model: ChatModel, step_name: str, step_type: str, output: str) -> tuple[Observed, ...]:
    """What the model notes of an output. Raises `ModelError`; `ModelGarbage` where its answers are no such notes."""
    step = {"step_name": step_name, "step_type": step_type, "output": output}
    garbage = "The model's observations cannot be read"
    return await ask(model, prompt("observations").substitute(), step, read_notes, garbage=garbage)


def read_notes(text: str) -> tuple[Observed, ...]:
    """The notes in a model's answer: lists under the names of the categories, or one list of notes that name theirs.

    Raises `ValueError`, which says why, where there are none.
    """
    reason = "there is no JSON in them"
    for value in values_in(text):
        try:
            notes = _by_category(value)
        except ValueError as error:
            reason = str(error)
        else:
            return observed(*(_tidy(notes[one]) for one in CATEGORIES))
    raise ValueError(reason)


def _by_category(value: Any) -> dict[Category, list[str]]:
    notes: dict[Category, list[str]] = {one: [] for one in CATEGORIES}
    if isinstance(value, Mapping):
        named = [(_NAMES[name], every) for key, every in value.items() if (name := _plain(key)) in _NAMES]
        if not named:
            raise ValueError("there are no findings, insights or lessons in them")
        for category, every in named:
            if not isinstance(every, list | None):
                raise ValueError(f"the {category}s are no list")
            notes[category] += map(_note, every or ())
        return notes
    if not value:
        raise ValueError("a list without notes does not say what it is of")
    for one in value:
        name = _plain(_field(one, ("category",)))
        if name not in _NAMES:
            raise ValueError("a note in a list has no category")
        notes[_NAMES[name]].append(_note(one))
    return notes


def _note(value: Any) -> str:
    text = value if isinstance(value, str) else _field(value, TEXTS)
    if text is None:
        raise ValueError("a note is neither a text nor an object with one")
    return text


def _field(value: Any, names: Iterable[str]) -> str | None:
    """The text under one of some names, in any case."""
    if not isinstance(value, Mapping):
        return None
    return next((text for key, text in value.items() if _plain(key) in names and isinstance(text, str)), None)


def _plain(name: str | None) -> str:
    return "" if name is None else name.strip().casefold()


def _tidy(notes: Iterable[str]) -> list[str]:
    """Each once, on one line, without what cannot be seen."""
    return list(dict.fromkeys(cut_at_word(text, NOTE_CHARACTERS) for note in notes if (text := shown(note))))[:MOST]
