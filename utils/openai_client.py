"""The client of a model provider: tries again, and turns its failures into ours.

The SDK's own retries are off: they sleep past any deadline (a Retry-After of up to 120 s is obeyed) and count timeouts
per read. Here one deadline spans all attempts, and every error of the SDK becomes one of `utils.errors`, without the
provider's text: it may quote the prompt, the key or the URL. The log gets an error's class and status, nothing more.
"""

import asyncio
import logging
import math
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from json import JSONDecodeError
from typing import TypeVar

from openai import (
    APIConnectionError,
    APIError,
    APIStatusError,
    APITimeoutError,
    AsyncOpenAI,
    DefaultAsyncHttpxClient,
    OpenAIError,
    Timeout,
)
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt, stop_before_delay
from tenacity.wait import wait_random_exponential

from config.settings import Settings
from utils.errors import (
    ConfigurationError,
    KeyRefused,
    ModelError,
    ModelGarbage,
    ModelRefused,
    ModelUnavailable,
    ModelUnknown,
)
from utils.provider_address import CONNECT_TIMEOUT, checked_url, is_local
from utils.yielding import ANSWERING

T = TypeVar("T")

ATTEMPTS = 3
FIRST_PAUSE = 0.5  # seconds, at most, before the second attempt; doubles; full jitter
LONGEST_PAUSE = 8.0  # seconds; a provider's Retry-After may be longer

PROVIDER_ERRORS = (OpenAIError, JSONDecodeError, UnicodeDecodeError)  # what the SDK raises over a provider's answer

_TRANSIENT = frozenset({408, 409, 429})
_QUOTA = "insufficient_quota"  # OpenAI's 429 for an unpaid bill; no pause mends it
_REFUSALS = {  # why, or what to do about it
    400: "it may be too long for the model, or ask for what that does not take",
    402: "its account has no credit",
    413: "it is too long",
    422: "the model does not take what it asks for",
}
_PARAMETERS = frozenset({"messages", "temperature", "max_tokens", "max_completion_tokens", "reasoning_effort", "tools"})

log = logging.getLogger(__name__)


def open_client(settings: Settings) -> AsyncOpenAI:
    """A client for the provider that the settings name; belongs to the event loop that first uses it.

    Only the settings count: `OPENAI_BASE_URL` left in the SDK's hands would be read from the environment alone. A
    provider on this machine is reached directly, any other through the environment's proxy. Redirects are not followed:
    they would carry a conversation to a place nobody configured. Raises `ConfigurationError` where no provider is set,
    or its URL or key cannot be one."""
    if not settings.has_model:
        raise ConfigurationError("Neither OPENAI_API_KEY nor OPENAI_BASE_URL is set")
    url, key = checked_url(settings)
    timeout = Timeout(
        connect=CONNECT_TIMEOUT, read=settings.model_deadline, write=settings.model_deadline, pool=CONNECT_TIMEOUT
    )
    http = DefaultAsyncHttpxClient(timeout=timeout, follow_redirects=False, trust_env=not is_local(url))
    return AsyncOpenAI(base_url=url, api_key=key or "none", max_retries=0, timeout=timeout, http_client=http)


async def ask(call: Callable[[], Awaitable[T]], *, deadline: float) -> T:
    """What `call` returns: tried up to three times, all of it within `deadline` seconds.

    Tried again: connection errors, 408, 409, 429 and 5xx, after an exponential pause with full jitter or the
    provider's Retry-After; when that pause would outlast the deadline, the call fails at once.

    Raises:
        ModelUnavailable: out of attempts or time; `retry_after` is the provider's, where it gave one.
        ModelRefused, KeyRefused, ModelUnknown: any other 4xx, not tried again.
        ModelGarbage: the answer cannot be read, not tried again.
    """
    attempts = AsyncRetrying(
        retry=retry_if_exception(is_transient),
        wait=_pause,
        stop=stop_after_attempt(ATTEMPTS) | stop_before_delay(deadline),
        before_sleep=_note_retry,
        reraise=True,
    )

    async def attempt() -> T:  # tenacity awaits only what it sees to be a coroutine function
        return await call()

    try:
        with ANSWERING.elsewhere():
            async with asyncio.timeout(deadline):
                return await attempts(attempt)
    except (TimeoutError, *PROVIDER_ERRORS) as error:
        raise as_model_error(error) from None


def is_transient(error: BaseException) -> bool:
    """Whether the same request may succeed in a moment."""
    if isinstance(error, APIStatusError):
        return (error.status_code in _TRANSIENT and error.code != _QUOTA) or error.status_code >= 500
    return isinstance(error, APIError)  # the connection, or an error told inside a stream


def as_model_error(error: Exception) -> ModelError:
    """The error of ours that one of `PROVIDER_ERRORS`, or a timeout, amounts to; logged, by class and status only."""
    status = error.status_code if isinstance(error, APIStatusError) else None
    log.warning("model call failed: %s, status %s", type(error).__name__, status)
    match error:
        case TimeoutError() | APITimeoutError():
            return ModelUnavailable("The model did not answer in time")
        case APIConnectionError():
            return ModelUnavailable("The model cannot be reached, or broke off")
        case APIStatusError(status_code=code) if code in _TRANSIENT or code >= 500:
            why = ": the quota of its account is used up" if error.code == _QUOTA else ""
            return ModelUnavailable(f"The model answered with status {code}{why}", retry_after=_retry_after(error))
        case APIStatusError(status_code=401):
            return KeyRefused("The model provider refused the key (401): check OPENAI_API_KEY")
        case APIStatusError(status_code=403):
            return KeyRefused("The model provider refused the key for this (403): check what OPENAI_API_KEY may use")
        case APIStatusError(status_code=404):
            return ModelUnknown("The provider has no such model, or is not at OPENAI_BASE_URL (404): check both")
        case APIStatusError(status_code=code) if code >= 400:
            why = f"it does not take {error.param}" if error.param in _PARAMETERS else _REFUSALS.get(code, "")
            return ModelRefused(f"The model provider refused the request ({code})" + (f": {why}" if why else ""))
        case APIStatusError(status_code=code) if code >= 300:
            return ModelRefused(f"OPENAI_BASE_URL leads elsewhere ({code}): set it to where that is")
        case APIError():
            return ModelUnavailable("The model reported an error instead of going on")
        case _:
            return ModelGarbage("The model's answer cannot be read")


def _pause(state: RetryCallState) -> float:
    backoff = wait_random_exponential(multiplier=FIRST_PAUSE, max=LONGEST_PAUSE)(state)
    error = state.outcome.exception() if state.outcome else None
    return max(backoff, _retry_after(error) or 0.0)


def _note_retry(state: RetryCallState) -> None:
    error = state.outcome.exception() if state.outcome else None
    status = error.status_code if isinstance(error, APIStatusError) else None
    log.info("model call tried again in %.2f s: %s, status %s", state.upcoming_sleep, type(error).__name__, status)


def _retry_after(error: BaseException | None) -> float | None:
    """Seconds to wait according to the response's Retry-After header, a number or an HTTP date; None without one."""
    text = error.response.headers.get("retry-after") if isinstance(error, APIStatusError) else None
    if text is None:
        return None
    try:
        seconds = float(text)
    except ValueError:
        try:
            moment = parsedate_to_datetime(text)
        except ValueError:
            return None
        aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        seconds = (aware - datetime.now(UTC)).total_seconds()
    return max(seconds, 0.0) if math.isfinite(seconds) else None
