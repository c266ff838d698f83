"""The agents that answer `/query`.

Intent, memory, keeper, vision and writer, in the order of the coordinator's table.
"""

from agents.chat.context import (
    SEARCHED_BY,
    Answer,
    Bundle,
    ChatRequest,
    Citation,
    Context,
    Conversation,
    Emit,
    HistoryItem,
    Intent,
)
from agents.chat.coordinator import Coordinator
from agents.chat.drafting import Drafting, Keeping, settled
from agents.chat.exchange import Exchanges, receipt_of, settle_place, turn_to
from agents.chat.intent import IntentDetector
from agents.chat.keeper_agent import IN_ENGLISH, Done, KeeperAgent
from agents.chat.known import Block, Shown, share_of, what_is_known
from agents.chat.memories import ReadTexts
from agents.chat.memory_agent import MemoryAgent
from agents.chat.prompt import Prompt, ledger_of
from agents.chat.rounds import ROUNDS, Toolbox
from agents.chat.tokens import ModelTokens
from agents.chat.vision_agent import VisionAgent
from agents.chat.writer_agent import WriterAgent

__all__ = [
    "IN_ENGLISH",
    "ROUNDS",
    "SEARCHED_BY",
    "Answer",
    "Block",
    "Bundle",
    "ChatRequest",
    "Citation",
    "Context",
    "Conversation",
    "Coordinator",
    "Done",
    "Drafting",
    "Emit",
    "Exchanges",
    "HistoryItem",
    "Intent",
    "IntentDetector",
    "KeeperAgent",
    "Keeping",
    "MemoryAgent",
    "ModelTokens",
    "Prompt",
    "ReadTexts",
    "Shown",
    "Toolbox",
    "VisionAgent",
    "WriterAgent",
    "ledger_of",
    "receipt_of",
    "settle_place",
    "settled",
    "share_of",
    "turn_to",
    "what_is_known",
]
