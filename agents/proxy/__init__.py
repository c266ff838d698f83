"""The memory proxy: one turn of an OpenAI client, with memory put before the question and kept of the answer."""

from agents.proxy.proxy import Proxy
from agents.proxy.request import Options, Proxied, ProxyRequest

__all__ = ["Options", "Proxied", "Proxy", "ProxyRequest"]
