"""The agents that answer `/query`.

Intent, memory, keeper, vision and writer, in the order of the coordinator's table.
"""

from agents.chat.context import Answer, Bundle, ChatRequest, Citation, Context, HistoryItem
from agents.chat.coordinator import Coordinator, routes
from agents.chat.intent import IntentDetector
from agents.chat.keeper_agent import KeeperAgent
from agents.chat.keeping import Drafting, Keeping
from agents.chat.memory_agent import MemoryAgent
from agents.chat.prompt import apportion, quoted
from agents.chat.receipt import receipt_of
from agents.chat.rounds import ROUNDS, Toolbox
from agents.chat.vision_agent import VisionAgent
from agents.chat.writer_agent import AbandonedAnswer, InterruptedAnswer, WriterAgent

__all__ = [
    "ROUNDS",
    "AbandonedAnswer",
    "Answer",
    "Bundle",
    "ChatRequest",
    "Citation",
    "Context",
    "Coordinator",
    "Drafting",
    "HistoryItem",
    "IntentDetector",
    "InterruptedAnswer",
    "KeeperAgent",
    "Keeping",
    "MemoryAgent",
    "Toolbox",
    "VisionAgent",
    "WriterAgent",
    "apportion",
    "quoted",
    "receipt_of",
    "routes",
]
