"""The agents that answer `/query`.

Intent, memory, keeper, vision and writer, in the order of the coordinator's table.
"""

from agents.chat.context import SEARCHED_BY, Answer, ChatRequest, Citation, Context, HistoryItem
from agents.chat.coordinator import Coordinator
from agents.chat.exchange import Drafting, Exchanges, Keeping, settled
from agents.chat.intent import IntentDetector
from agents.chat.keeper_agent import KeeperAgent
from agents.chat.memory_agent import MemoryAgent
from agents.chat.prompt import (
    SAID_ANEW,
    PromptSection,
    dated,
    days_of,
    ledger_of,
    newest_first_of_each_subject,
    quoted,
    said_anew,
)
from agents.chat.rounds import ROUNDS, Toolbox
from agents.chat.vision_agent import VisionAgent
from agents.chat.writer_agent import WriterAgent

__all__ = [
    "ROUNDS",
    "SAID_ANEW",
    "SEARCHED_BY",
    "Answer",
    "ChatRequest",
    "Citation",
    "Context",
    "Coordinator",
    "Drafting",
    "Exchanges",
    "HistoryItem",
    "IntentDetector",
    "KeeperAgent",
    "Keeping",
    "MemoryAgent",
    "PromptSection",
    "Toolbox",
    "VisionAgent",
    "WriterAgent",
    "dated",
    "days_of",
    "ledger_of",
    "newest_first_of_each_subject",
    "quoted",
    "said_anew",
    "settled",
]
