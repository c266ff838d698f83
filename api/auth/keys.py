"""The API keys in force, of users and of the admin."""

import hmac
from collections.abc import Mapping
from time import monotonic

from memory.store import StoredKeys, hashed
from utils.errors import ConfigurationError

LOOK_AGAIN = 1.0  # seconds between two looks for the first key


class ApiKeys:
    """The keys in force: users', of the settings and those that the store holds hashed, and the admin's, which is in
    the settings alone and no user's."""

    def __init__(self, stored: StoredKeys, configured: Mapping[str, str], admin: str | None = None) -> None:
        self._stored = stored
        self._configured = {hashed(key): user for key, user in configured.items()}
        self._admin = None if admin is None else hashed(admin)
        self.required = bool(configured)
        self._looked = 0.0

    async def load(self) -> None:
        """Writes the configured keys to the store, hashed, and looks whether there are others. Those that the settings
        do not name any more are revoked. Raises `ConfigurationError` where the admin's is a user's."""
        await self._stored.configure(self._configured)
        await self.are_on()
        if self._admin is not None and await self._stored.user_of(self._admin) is not None:
            raise ConfigurationError("ADMIN_KEY is an API key of a user: set another one")

    async def are_on(self) -> bool:
        """Whether a key is needed. The first key may be made by another process, so the store is asked again."""
        if not self.required and monotonic() >= self._looked + LOOK_AGAIN:
            self._looked = monotonic()
            self.required = await self._stored.are_there()
        return self.required

    @property
    def has_admin(self) -> bool:
        """Whether there is an admin key."""
        return self._admin is not None

    def is_admins(self, key: str) -> bool:
        return self._admin is not None and hmac.compare_digest(self._admin, hashed(key))

    async def create(self, user: str) -> str:
        """A new key for a user, from now on needed."""
        key = await self._stored.create(user)
        self.required = True
        return key

    async def user_of(self, key: str) -> str | None:
        """Whose key it is; None for nobody's."""
        digest = hashed(key)
        for known, user in self._configured.items():
            if hmac.compare_digest(known, digest):
                return user
        return await self._stored.user_of(digest)
