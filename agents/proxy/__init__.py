"""The memory proxy: one turn of an OpenAI client, with memory put before the question and kept of the answer."""

from agents.proxy.dialect import CHAT, RESPONSES
from agents.proxy.proxy import Proxy
from agents.proxy.request import Proxied, ProxyOptions, ProxyRequest
from agents.proxy.response import event_of, failure
from agents.proxy.transcript import keep_earlier, news_of

__all__ = [
    "CHAT",
    "RESPONSES",
    "Proxied",
    "Proxy",
    "ProxyOptions",
    "ProxyRequest",
    "event_of",
    "failure",
    "keep_earlier",
    "news_of",
]
