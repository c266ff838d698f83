"""The memory proxy: one turn of an OpenAI client, with memory put before the question and kept of the answer."""

from agents.proxy.knowing import Knowing
from agents.proxy.proxy import Proxy
from agents.proxy.request import Proxied, ProxyOptions, ProxyRequest
from agents.proxy.transcript import keep_earlier, news_of

__all__ = ["Knowing", "Proxied", "Proxy", "ProxyOptions", "ProxyRequest", "keep_earlier", "news_of"]
