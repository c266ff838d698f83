"""Titles of sessions by a model: made once, of the first message that was answered.

A session has a title by rules from its beginning. Its first answer brings the job, in the same update that counts it.
"""

import logging

from pydantic import BaseModel

from config.prompts import prompt
from config.recipes import TitleRecipe
from memory.domain import RULE_BASED
from memory.gists import TEXT
from memory.store import Claim, Collections, claim, fail, held
from memory.turns.sessions import TITLE_CHARACTERS, Sessions
from memory.turns.summaries import TOLD
from utils.chat import ChatModel, ChatOptions
from utils.errors import ModelError
from utils.model_json import Ask, Part, asking, text_in
from utils.mongo import Document
from utils.text import cut_at_word, shown

BATCH = 8
STAYS = "rules, for good"  # made a title that is not to be made again
AROUND = " \t\"'`*_“”„‟«»‹›‚‘’「」『』#.。"  # what some models put around a title

RECIPE = TitleRecipe()
OPTIONS: ChatOptions = {"temperature": RECIPE.temperature, "max_tokens": RECIPE.max_tokens}

log = logging.getLogger(__name__)


class _Title(BaseModel):
    title: str


class Titles:
    """What makes the titles of sessions. `model`: None leaves those that rules made."""

    def __init__(self, collections: Collections, sessions: Sessions, model: ChatModel | None) -> None:
        self._documents = collections.sessions
        self._vectors = collections.vectors
        self._sessions = sessions
        self._ask = asking(model) if model is not None else None

    async def work(self, ask: Ask | None = None, *, key: str | None = None) -> int:
        """Makes the titles that are due; returns how many jobs were done. Safe to run twice at once. `ask`: how a model
        is asked; `key`: of the session whose title alone is made."""
        total = 0
        ask = ask or self._ask
        while (claimed := await claim(self._documents, "naming", BATCH, without="events", key=key)).documents:
            async with held(self._documents, "naming", claimed):
                for session in claimed.documents:
                    try:
                        await self._give(claimed, session, ask)
                    except Exception as error:
                        await fail(self._documents, "naming", claimed.lease, [session], type(error).__name__)
                        raise
                    total += 1
        return total

    async def _give(self, claimed: Claim, session: Document, ask: Ask | None) -> None:
        """Gives one leased session its title, where it has none but by rules; ends the job."""
        mine = {"_id": session["_id"], "naming.lease": claimed.lease}
        done: Document = {"naming": {"state": "done"}}
        message = await self._message(session)
        if message is not None and session.get("titled_by") == RULE_BASED:
            title, by = await self._title(message["content"], ask)
            given = {"title": title, "titled_by": by, "titled_from": message["id"]} if title else {"titled_by": by}
            unchanged = mine | {"title": session["title"], "titled_by": RULE_BASED}
            if (await self._documents.update_one(unchanged, {"$set": done | given})).matched_count:
                there = await self._message(session)
                if there is None or there["content"] != message["content"]:  # forgotten or reworded meanwhile
                    await self._sessions.retitle(session["user_id"], message)
                return
        await self._documents.update_one(mine, {"$set": done})

    async def _message(self, session: Document) -> Document | None:
        own = {
            "user_id": session["user_id"],
            "session_id": session["session_id"],
            "message_index": session["naming"]["at"],
            "role": "user",
            **TOLD,
        }
        message: Document | None = await self._vectors.find_one(own, TEXT)
        return message

    async def _title(self, said: str, ask: Ask | None) -> tuple[str, str]:
        """A title and what made it; empty where the one by rules is to stay."""
        if ask is None:
            return "", STAYS
        shortened = cut_at_word(said, RECIPE.characters)
        try:
            asked = prompt("title").substitute()
            title, by = await ask(Part("title", "title", asked, shortened, _Title, _read, OPTIONS))
        except ModelError as error:
            log.warning("title by rules: %s", error.detail)
            return "", STAYS
        return title, by if title else STAYS


def _read(answer: str) -> str:
    lines = (shown(line).strip(AROUND) for line in text_in(answer, "title").splitlines())
    return cut_at_word(next(filter(None, lines), ""), TITLE_CHARACTERS)
