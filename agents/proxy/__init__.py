"""The memory proxy: one turn of a foreign client, with memory put before the question and kept of the answer."""

from agents.proxy.chores import chore_of
from agents.proxy.conversation import fits, placed
from agents.proxy.dialect import CHAT, COMPLETIONS, MESSAGES, RESPONSES
from agents.proxy.identity import SESSION_HEADERS, USER_HEADERS, cached_as, identity_of
from agents.proxy.knowing import FRAME, Knowing, sent_by
from agents.proxy.message import message_event, message_failure
from agents.proxy.proxy import Proxy
from agents.proxy.request import Proxied, ProxyOptions, ProxyRequest
from agents.proxy.response import event_of, failure
from agents.proxy.transcript import keep_earlier, news_of

__all__ = [
    "CHAT",
    "COMPLETIONS",
    "FRAME",
    "MESSAGES",
    "RESPONSES",
    "SESSION_HEADERS",
    "USER_HEADERS",
    "Knowing",
    "Proxied",
    "Proxy",
    "ProxyOptions",
    "ProxyRequest",
    "cached_as",
    "chore_of",
    "event_of",
    "failure",
    "fits",
    "identity_of",
    "keep_earlier",
    "message_event",
    "message_failure",
    "news_of",
    "placed",
    "sent_by",
]
