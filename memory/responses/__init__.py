"""Responses and conversations, as clients of OpenAI's Responses API keep them with a server.

What a response was asked with and what it gave are items, each kept once, though a response and a conversation may both
have it. An item knows of which messages it was made, and is gone with the first of these that is forgotten.
"""

from memory.responses.conversations import StoredConversation
from memory.responses.item import Begun, Items, ResponseItem, Said, StoredItem
from memory.responses.records import response_records
from memory.responses.responses import Answered, StoredResponse
from memory.responses.room import StoredResponses, open_responses

__all__ = [
    "Answered",
    "Begun",
    "Items",
    "ResponseItem",
    "Said",
    "StoredConversation",
    "StoredItem",
    "StoredResponse",
    "StoredResponses",
    "open_responses",
    "response_records",
]
