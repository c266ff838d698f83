"""New files that somebody made in a folder of facts, or of messages."""

from datetime import datetime

from memory.domain import Turn
from memory.engine import Engine
from memory.facts import BY_HAND, Add, Origin
from memory.ids import derived_id
from memory.mirror.files import Entry
from utils.clock import now


async def add_fact(engine: Engine, owner: str, conversation: str, said: Entry) -> str:
    """Adds a fact as it stands; returns its id. Extracting and reconciling would make another text of it, or several,
    or none, and could end facts whose files nobody touched. What is in force already is not added again."""
    text = " ".join(said.text.split())
    for fact in await engine.knowledge.facts.in_force(owner, conversation):
        if fact.text == text:
            return fact.id
    for at in (_past(said.valid_from), now()):
        [decided] = await engine.knowledge.facts.apply(Origin(owner, conversation, BY_HAND, at), [Add(text)])
        if (await engine.knowledge.facts.get(owner, decided.id)).valid_to is None:
            break  # else it was said of the same moment before, and has ended
    return decided.id


async def add_message(engine: Engine, owner: str, conversation: str, role: str, path: str, said: Entry) -> str:
    """Adds a message to the end of a conversation; returns its id, the same where a crash has it added again.

    Raises `Conflict` where the conversation is being deleted.
    """
    identifier = said.id or derived_id(owner, conversation, path, said.text)
    turn = Turn(identifier, "assistant" if role == "assistant" else "user", said.text, _past(said.created_at))
    await engine.chats.turns.remember(owner, conversation, [turn])
    return identifier


def _past(moment: datetime | None) -> datetime:
    """A moment that somebody wrote down, cut to what the store keeps; now where there is none, or none yet."""
    current = now()
    if moment is None or moment > current:
        return current
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)
