"""The way to the model provider for requests as their client wrote them, and back for the answer as it came.

The SDK would parse both, and lose what it does not know; here bytes go through. Nothing is tried again: clients of
OpenAI do that themselves, by the status and the headers that are handed on. Nor is an answer's length bounded: models
think for minutes, but a provider that sends nothing for too long is given up.
"""

import asyncio
import json
import logging
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import aclosing, suppress
from time import monotonic

from httpx2 import AsyncClient, HTTPError, InvalidURL, ReadTimeout, Response, WriteTimeout

from config.settings import Settings
from utils.errors import LociError, ModelSilent, ModelUnavailable
from utils.provider_address import CONNECT_TIMEOUT, checked_anthropic_url, checked_url, is_local
from utils.yielding import ANSWERING

LISTED = 600.0  # seconds for which the list of models holds
LISTING = 5.0  # seconds that it may take
LONGEST_SILENCE = 600.0  # seconds without a byte, where the settings name no deadline; as the SDK has it
EVENT_STREAM = "text/event-stream"
LONGEST_EVENT = 16 * 1024 * 1024  # bytes
SENT = ("openai-organization", "openai-project", "openai-beta", "x-client-request-id")
# What a provider of Anthropic's API is sent, and those of `SENT_PREFIXES`.
SENT_THERE = ("x-api-key", "authorization", "user-agent", "x-app")
SENT_PREFIXES = ("anthropic-", "x-claude-code-", "x-stainless-")
ANTHROPIC_VERSION = "2023-06-01"  # of the API, for clients that name none
RETURNED = ("retry-after", "retry-after-ms", "x-should-retry", "request-id")  # and those of `RETURNED_PREFIXES`
RETURNED_PREFIXES = ("openai-", "x-ratelimit-", "anthropic-")

log = logging.getLogger(__name__)


class Passed:
    """A provider's answer that is still being read. `status`, `headers`: those that a client should see."""

    def __init__(self, response: Response) -> None:
        self._response = response
        self._events = self._split()
        self._first: bytes | None = None
        self.status = response.status_code
        self.media_type = response.headers.get("content-type", "application/json")
        self.headers = {
            name: value
            for name, value in response.headers.items()
            if name in RETURNED or name.startswith(RETURNED_PREFIXES)
        }
        if "x-request-id" in response.headers:  # ours has that name in every answer
            self.headers["x-provider-request-id"] = response.headers["x-request-id"]

    @property
    def is_json(self) -> bool:
        return "json" in self.media_type

    @property
    def is_stream(self) -> bool:
        return self.status < 300 and self.media_type.startswith(EVENT_STREAM)

    async def read(self) -> bytes:
        """The whole body. Raises `ModelUnavailable` where the connection breaks off, `ModelSilent` where no more
        comes."""
        try:
            with ANSWERING.elsewhere():
                return await self._response.aread()
        except HTTPError as error:
            raise _unavailable(error) from None
        finally:
            await self.close()

    async def begin(self) -> None:
        """Waits for the first event of a stream. Raises `ModelSilent` where none comes; of any other failure `events`
        tells."""
        try:
            with ANSWERING.elsewhere():
                self._first = await anext(self._events, None)
        except (ModelSilent, asyncio.CancelledError):
            await self.close()
            raise
        except ModelUnavailable as error:
            self._events = _failing(error)

    async def events(self) -> AsyncGenerator[bytes, None]:
        """The events of a stream as they come, each with the empty line that ends it.

        Raises `ModelUnavailable` where the connection breaks off, or an event does not end, `ModelSilent` where no more
        comes.
        """
        async with aclosing(self._events) as events:
            if self._first is not None:
                yield self._first
            async for event in events:
                yield event

    async def _split(self) -> AsyncGenerator[bytes, None]:
        splitter = EventSplitter()
        try:
            async for piece in self._response.aiter_bytes():
                for event in splitter.feed(piece):
                    yield event
        except HTTPError as error:
            raise _unavailable(error) from None
        if rest := splitter.rest():
            yield rest

    async def close(self) -> None:
        """Ends the connection, whatever of the answer has come."""
        with suppress(HTTPError):
            await self._response.aclose()


class EventSplitter:
    """Takes a stream in pieces of any size, and gives its events, each with the empty line that ends it and with no
    line ends but LF. Linear in the length of the stream."""

    def __init__(self) -> None:
        self._held = bytearray()
        self._seen = 0  # up to where no end was found
        self._after_cr = False

    def feed(self, piece: bytes) -> Iterator[bytes]:
        """The events that are whole by now. Raises `ModelUnavailable` where one does not end."""
        if self._after_cr and piece.startswith(b"\n"):
            piece = piece[1:]
        self._after_cr = piece.endswith(b"\r") or (self._after_cr and not piece)
        self._held += piece.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        while (end := self._held.find(b"\n\n", max(0, self._seen - 1))) >= 0:
            event = bytes(self._held[:end])
            del self._held[: end + 2]
            self._seen = 0
            if event.strip(b"\n"):
                yield event.strip(b"\n") + b"\n\n"
        self._seen = len(self._held)
        if self._seen > LONGEST_EVENT:
            raise ModelUnavailable("The model's stream has an event without an end")

    def rest(self) -> bytes:
        """What stands behind the last empty line, as an event; nothing where that is nothing."""
        left = bytes(self._held).strip()
        return left + b"\n\n" if left else b""


class Upstream:
    """The provider behind the proxy. `bearer` of its calls: the client's own key; None for the one of the settings."""

    def __init__(self, http: AsyncClient, url: str, key: str, *, anthropic: bool = False) -> None:
        """`anthropic`: it has Anthropic's API. Its keys come among the headers."""
        self._anthropic = anthropic
        self._http = http
        self._url = url.rstrip("/")
        self._key = key
        self._lists: dict[str | None, tuple[float, frozenset[str]]] = {}  # by bearer: until when, and the models

    async def knows(self, model: str, bearer: str | None = None) -> bool:
        """Whether the provider lists a model, or one of which the name says a variety ("qwen3", "qwen3:free"); True
        where it gives no list."""
        listed = await self._listed(bearer)
        names = model, f"{model}:latest", model.partition(":")[0]
        return not listed or any(name in listed for name in names)

    async def _listed(self, bearer: str | None) -> frozenset[str]:
        """The models that the provider lists for a bearer; empty where it gives no list. That it has none (404, or none
        in it) is known as long as a list; after another failure it is asked again."""
        moment = monotonic()
        if bearer in self._lists and moment < self._lists[bearer][0]:
            return self._lists[bearer][1]
        models = frozenset[str]()
        with suppress(LociError, TimeoutError):
            async with asyncio.timeout(LISTING):
                passed = await self.send("GET", "/models", headers={}, bearer=bearer)
                models = _names(await passed.read())
                if passed.status in (200, 404):
                    held = {known: kept for known, kept in self._lists.items() if moment < kept[0]}
                    self._lists = held | {bearer: (moment + LISTED, models)}
        return models

    async def send(
        self,
        method: str,
        path: str,
        *,
        body: bytes | None = None,
        headers: Mapping[str, str],
        query: str = "",
        bearer: str | None = None,
    ) -> Passed:
        """Sends a request on, and returns once the answer begins. `headers`: the client's, of which those that are
        meant for the provider are sent.

        Raises `ModelUnavailable` where it cannot be reached, `ModelSilent` where it does not begin to answer.
        """
        sent = self._headers(headers, bearer)
        if body is not None:
            sent[b"content-type"] = b"application/json"
        address = f"{self._url}{path}?{query}" if query else f"{self._url}{path}"
        try:
            request = self._http.build_request(method, address, content=body, headers=sent)
            with ANSWERING.elsewhere():
                return Passed(await self._http.send(request, stream=True))
        except (HTTPError, InvalidURL) as error:
            raise _unavailable(error) from None

    def _headers(self, given: Mapping[str, str], bearer: str | None) -> dict[bytes, bytes]:
        """Those for the provider, as they came, with a key."""
        names, prefixes = (SENT_THERE, SENT_PREFIXES) if self._anthropic else (SENT, ())
        sent = {name: value for name, value in given.items() if name in names or name.startswith(prefixes)}
        if not self._anthropic:
            sent["authorization"] = f"Bearer {bearer or self._key}"
        elif "x-api-key" not in sent and "authorization" not in sent:
            sent["x-api-key"] = self._key
        if self._anthropic:
            sent.setdefault("anthropic-version", ANTHROPIC_VERSION)
        return {name.encode(): value.encode("latin-1") for name, value in sent.items()}

    async def close(self) -> None:
        await self._http.aclose()


def open_upstream(settings: Settings) -> Upstream:
    """The provider that the settings name, reached as `open_client` says.

    Raises `ConfigurationError` where its URL or key cannot be one.
    """
    url, key = checked_url(settings)
    return Upstream(_client(settings, url), url, key or "none")


def open_anthropic(settings: Settings) -> Upstream | None:
    """The same that has Anthropic's API; None where the settings name none."""
    known = checked_anthropic_url(settings)
    return None if known is None else Upstream(_client(settings, known[0]), *known, anthropic=True)


def _client(settings: Settings, url: str) -> AsyncClient:
    from openai import DefaultAsyncHttpxClient, Timeout  # the SDK: see utils.models

    silence = settings.model_deadline if "model_deadline" in settings.model_fields_set else LONGEST_SILENCE
    connect = min(CONNECT_TIMEOUT, silence)
    timeout = Timeout(silence, connect=connect, pool=connect)
    return DefaultAsyncHttpxClient(timeout=timeout, follow_redirects=False, trust_env=not is_local(url))


def _names(listed: bytes) -> frozenset[str]:
    """The ids of a list of models; none of an answer that is something else."""
    try:
        models = json.loads(listed)["data"]
        return frozenset(model["id"] for model in models if isinstance(model["id"], str))
    except (ValueError, LookupError, TypeError, RecursionError):
        return frozenset()


async def _failing(error: ModelUnavailable) -> AsyncGenerator[bytes, None]:
    raise error
    yield


def _unavailable(error: Exception) -> ModelUnavailable:
    log.warning("model call failed: %s", type(error).__name__)  # its text may hold the address
    if isinstance(error, (ReadTimeout, WriteTimeout)):
        return ModelSilent("The model did not answer in time")
    return ModelUnavailable("The model cannot be reached, or broke off")
