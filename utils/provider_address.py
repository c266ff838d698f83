"""Where the model provider is reached, with which key, and within what time."""

import logging
from ipaddress import ip_address
from urllib.parse import urlsplit

from httpx2 import URL, InvalidURL
from pydantic import SecretStr

from config.settings import OPENAI_URL, Settings
from utils.errors import ConfigurationError

log = logging.getLogger(__name__)

CONNECT_TIMEOUT = 10.0  # seconds


def checked_url(settings: Settings) -> tuple[str, str]:
    """The provider's URL and key; an empty key where none is set.

    Raises `ConfigurationError` where they cannot be such. From here on the HTTP client does not log its URLs at INFO,
    which may carry credentials.
    """
    return _checked(settings.openai_base_url or OPENAI_URL, settings.openai_api_key, "OPENAI")


def checked_anthropic_url(settings: Settings) -> tuple[str, str] | None:
    """The same of a provider that has Anthropic's API; None where the settings name none, or Loci itself: its clients
    have a variable of the same name."""
    if settings.anthropic_base_url is None:
        return None
    url, key = _checked(settings.anthropic_base_url, settings.anthropic_api_key, "ANTHROPIC")
    if is_local(url) and urlsplit(url).port == settings.port:
        log.warning("ANTHROPIC_BASE_URL is the address of Loci itself, as its clients have it, and is left aside")
        return None
    return url, key


def _checked(url: str, secret: SecretStr | None, name: str) -> tuple[str, str]:
    key = secret.get_secret_value().strip() if secret else ""
    if not key.isascii() or not key.isprintable():
        raise ConfigurationError(f"{name}_API_KEY holds characters that no HTTP header can carry")
    try:
        parts = urlsplit(url)
        URL(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or (parts.port or 1) < 0:
            raise ValueError
    except (ValueError, InvalidURL):
        raise ConfigurationError(f"{name}_BASE_URL is not an http or https URL") from None
    for name in ("httpx", "httpx2"):
        if logging.getLogger(name).level == logging.NOTSET:
            logging.getLogger(name).setLevel(logging.WARNING)
    return url, key


def is_local(url: str) -> bool:
    """Whether an address is this machine's, by its loopback address or as `localhost`."""
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
