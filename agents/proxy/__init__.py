"""The memory proxy: one turn of an OpenAI client, with memory put before the question and kept of the answer."""

from agents.proxy.chores import chore_of
from agents.proxy.conversation import placed
from agents.proxy.identity import OWN_SESSION, OWN_USER, identity_of
from agents.proxy.knowing import Knowing
from agents.proxy.proxy import Proxy
from agents.proxy.request import Proxied, ProxyOptions, ProxyRequest
from agents.proxy.transcript import keep_earlier, news_of

__all__ = [
    "OWN_SESSION",
    "OWN_USER",
    "Knowing",
    "Proxied",
    "Proxy",
    "ProxyOptions",
    "ProxyRequest",
    "chore_of",
    "identity_of",
    "keep_earlier",
    "news_of",
    "placed",
]
