"""Who calls? The user of the API key where keys are on; on loopback without keys, whoever the request names."""

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from memory.engine import Engine
from utils.errors import Forbidden, Unauthorized

DEFAULT_USER = "default"


def hashed(key: str) -> str:
    """A key as it is stored. Keys are random, so one round of SHA-256 is enough."""
    return hashlib.sha256(key.encode()).hexdigest()


class ApiKeys:
    """The keys in force: those of the settings, and those that `api_keys` in MongoDB holds hashed."""

    def __init__(self, engine: Engine, configured: dict[str, str]) -> None:
        self._stored = engine.collections.api_keys
        self._configured = {hashed(key): user for key, user in configured.items()}
        self.required = bool(configured)

    async def load(self) -> None:
        """Writes the configured keys to the store, hashed, and looks whether there are others. Those that the settings
        do not name any more are revoked."""
        await self._stored.delete_many({"configured": True, "_id": {"$nin": list(self._configured)}})
        for key, user in self._configured.items():
            await self._stored.update_one({"_id": key}, {"$set": {"user_id": user, "configured": True}}, upsert=True)
        self.required = self.required or await self._stored.find_one({}) is not None

    async def create(self, user: str) -> str:
        """A new random key of 256 bits for a user; only its hash is stored."""
        key = "loci_" + secrets.token_urlsafe(32)
        await self._stored.insert_one({"_id": hashed(key), "user_id": user})
        self.required = True
        return key

    async def user_of(self, key: str) -> str:
        digest = hashed(key)
        for known, user in self._configured.items():
            if hmac.compare_digest(known, digest):
                return user
        found = await self._stored.find_one({"_id": digest})
        if found is None:
            raise Unauthorized("The API key is not known")
        return str(found["user_id"])


@dataclass(frozen=True)
class Caller:
    """`user`: whom the key belongs to; None where no keys are on."""

    user: str | None

    def owner(self, named: str | None) -> str:
        """The user that a request is about. `named`: in the request; None where it names none."""
        if self.user is None:
            return named or DEFAULT_USER
        if named is not None and named != self.user:
            raise Forbidden("This key belongs to another user")
        return self.user


def key_in(request: Request) -> str | None:
    """The key that a request carries: `X-API-Key`, else a bearer token."""
    bearer = request.headers.get("authorization", "")
    return request.headers.get("x-api-key") or (bearer[7:].strip() if bearer[:7].lower() == "bearer " else None)


async def caller(request: Request) -> Caller:
    """Raises `Unauthorized` where keys are on and the request has no valid one."""
    keys: ApiKeys = request.app.state.keys
    if not keys.required:
        return Caller(None)
    key = key_in(request)
    if not key:
        raise Unauthorized("An API key is needed: X-API-Key, or Authorization: Bearer")
    return Caller(await keys.user_of(key))


Calling = Annotated[Caller, Depends(caller)]
