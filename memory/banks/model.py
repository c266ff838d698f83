"""What a language model makes of a bank: where new content belongs, and a shorter text of all of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from pydantic import BaseModel, ConfigDict

from config.prompts import prompt
from config.recipes import BankRecipe
from memory.banks.decisions import Decision
from memory.banks.directives import PLACED, clean, decisions_in
from memory.banks.filing import is_critical
from memory.banks.markdown import Section, items, parse, render, tokens_of
from memory.banks.omissions import flat, stands_in
from memory.banks.types import BankType
from utils.chat import ChatModel, ChatOptions, Shape
from utils.errors import ModelGarbage
from utils.model_json import ask_for_json
from utils.text import content_stems

T = TypeVar("T")

UNREADABLE = "The model's answer on a bank cannot be used"


class _Optimised(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore")

    files: dict[str, str]


async def decide_by_model(
    model: ChatModel, kind: BankType, bank: Mapping[str, str], content: str, recipe: BankRecipe
) -> list[Decision]:
    """Where new content belongs. `bank`: its files. Raises `ModelError`; `ModelGarbage` where content or bank are too
    long to be shown, or the answer cannot be read, names what cannot be a file, or leaves out more of the content's
    words than it may."""
    if len(content) > recipe.shown:
        raise ModelGarbage(f"The content is too long for the model ({len(content):,} characters)")
    if (size := tokens_of(bank)) > 2 * recipe.most:
        raise ModelGarbage(f"The memory bank is too long for the model (about {size:,} tokens)")
    data = {"type": kind, "bank": dict(bank), "content": content}

    def read(raw: str) -> list[Decision]:
        decisions = decisions_in(kind, raw)
        wanted = set(content_stems(content))
        said = {stem for decision in decisions for stem in content_stems(decision.content)}
        if len(wanted & said) < recipe.kept_words * len(wanted):
            raise ValueError("it leaves out part of the content")
        return decisions

    return await _asked(model, prompt("bank_update").substitute(), data, PLACED, read, recipe)


async def optimise_by_model(
    model: ChatModel, kind: BankType, files: Mapping[str, str], recipe: BankRecipe
) -> dict[str, str]:
    """The files in fewer words. What is tagged as critical is in them, word for word.

    Raises `ModelError`; `ModelGarbage` where files are missing, empty, too long or too short.
    """
    target = recipe.target
    asked = prompt("bank_optimise").substitute(target=target, least=recipe.least, characters=4 * target)

    def read(raw: str) -> dict[str, str]:
        written = _Optimised.model_validate_json(raw).files
        if set(written) != set(files) or not all(text.strip() for text in written.values()):
            raise ValueError("it has other files than those that the model was shown")
        cleaned = {name: render(parse(clean(written[name]))) for name in files}
        texts = list(map(flat, cleaned.values()))
        whole = {name: _with_critical(cleaned[name], files[name], texts) for name in files}
        size, before = tokens_of(whole), tokens_of(files)
        if size > min(recipe.most, before) or size < min(recipe.least, before) // 2:
            raise ValueError(f"it has {size:,} tokens, of {before:,}")
        return whole

    data = {"type": kind, "files": dict(files)}
    return await _asked(model, asked, data, Shape("files"), read, recipe)


async def _asked(
    model: ChatModel, system: str, data: object, shape: Shape, read: Callable[[str], T], recipe: BankRecipe
) -> T:
    options: ChatOptions = {"purpose": "bank", "temperature": recipe.temperature, "shape": shape}
    return await ask_for_json(model, system, data, read, garbage=UNREADABLE, options=options)


def _with_critical(text: str, before: str, written: Sequence[str]) -> str:
    """A file's new text with the critical items of the former one that stand in none of the new ones. `written`: these,
    flattened. O(n) searches of them in the items."""
    page, former = parse(text), parse(before)
    lead = _missing(former.lead, written)
    page = replace(page, lead="\n\n".join(part for part in (page.lead, *lead) if part))
    for section in former.sections:
        if missing := _missing(section.body, written):
            there = page.find(section.title)
            body = [there.body] if there is not None and there.body else []
            page = page.with_section(Section(section.title, "\n\n".join([*body, *missing])))
    return render(page)


def _missing(body: str, written: Sequence[str]) -> list[str]:
    """The critical items that stand in none of the files."""
    return [item for item in items(body) if is_critical(item) and not stands_in(item, written)]
