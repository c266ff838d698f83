"""The vision agent: says what the attached images show."""

import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from agents.chat.context import Context
from config.prompts import prompt
from utils.chat import ChatModel
from utils.errors import ModelError

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletionContentPartParam

MAX_TOKENS = 400

log = logging.getLogger(__name__)


class VisionAgent:
    """Has a model describe the images; their addresses are passed on, never fetched here."""

    name = "vision_agent"

    def __init__(self, model: ChatModel | None) -> None:
        self._model = model

    async def run(self, context: Context) -> Context:
        request = context.request
        if not request.images and any((context.conversation.images, *(item.images for item in request.history))):
            return context  # it may be about those
        if not request.images:
            return replace(context, images="No image is attached.")
        count = len(request.images)
        attached, them = ("An image is", "it") if count == 1 else (f"{count} images are", "them")
        if self._model is None:
            return replace(
                context, images=f"{attached} attached, but no model is configured that could describe {them}."
            )
        parts: list[ChatCompletionContentPartParam] = [{"type": "text", "text": f"The question: {request.query}"}]
        parts += [{"type": "image_url", "image_url": {"url": url}} for url in request.images]
        try:
            answer = await self._model.complete(
                [{"role": "system", "content": prompt("vision").substitute()}, {"role": "user", "content": parts}],
                purpose="image",
                model=request.model,
                max_tokens=MAX_TOKENS,
            )
        except ModelError as error:
            log.warning("images not described: %s", error.detail)
            return replace(context, images=f"{attached} attached, but the model could not describe {them}.")
        return replace(context, images=answer.text.strip(), sees=True)
