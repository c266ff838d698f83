"""A language model's note of a tool's result: the observer's summary."""

import orjson

from config.prompts import prompt
from config.recipes import ObserverRecipe
from memory.views import Record
from utils.chat import ChatModel, Message
from utils.errors import ModelGarbage
from utils.text import cut_at_word, shown


async def summary_by_model(model: ChatModel, task: str, record: Record, recipe: ObserverRecipe) -> str:
    """The model's summary of a call and its result, as far as that is shown to it. `task`: what the user asked for.

    Raises `ModelError`; `ModelGarbage` where the model says nothing.
    """
    told = {
        "task": task[: recipe.task_characters],
        "tool": record.tool_name,
        "arguments": record.raw_input[: recipe.characters],
        "result": record.raw_output[: recipe.characters],
    }
    asked: list[Message] = [
        {"role": "system", "content": prompt("observer").substitute()},
        {"role": "user", "content": orjson.dumps(told).decode()},
    ]
    answer = await model.complete(asked, temperature=recipe.temperature, max_tokens=recipe.max_tokens)
    text = shown(answer.text)
    if not text:
        raise ModelGarbage("The observer's answer is empty")
    return cut_at_word(text, recipe.longest)
