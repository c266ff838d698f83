"""Authentication: the user of the API key where keys are on; on loopback without keys, whoever the request names."""

import hmac
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Annotated

from fastapi import Depends, Query, Request
from fastapi.exceptions import RequestValidationError
from pydantic import TypeAdapter, ValidationError

from api.guesses import Guesses
from api.headers import PROJECT, USER
from memory.store import StoredKeys, hashed, is_random
from memory.turns import Projects
from utils.errors import ConfigurationError, Forbidden, InvalidInput, Unauthorized
from utils.fields import Identifier, ProjectName

DEFAULT_USER = "default"
DIFFERENT_USERS = "the request names different users"
DIFFERENT_PROJECTS = "the request names different projects"
NEEDED = "An API key is needed: X-API-Key, or Authorization: Bearer"
NOT_KNOWN = "The API key is not known"
NO_UTF_8 = "is not UTF-8"
OWN_BEARER = "loci"  # says that the provider is to be asked with the key of the settings: clients must send something
LOOK_AGAIN = 1.0  # seconds between two looks for the first key

if TYPE_CHECKING:
    from api.rates import Rates  # what it counts with takes 80 ms to import

_IDENTIFIER: TypeAdapter[str] = TypeAdapter(Identifier)
_PROJECT: TypeAdapter[str] = TypeAdapter(ProjectName)


@dataclass(frozen=True)
class Caller:
    """`user`: whom the key belongs to. `acts`: it acts for the users whom requests name. `admin`: it is the admin's,
    and no user's. None of these: no keys are on."""

    user: str | None = None
    acts: bool = False
    admin: bool = False

    def owner(self, named: str | None) -> str:
        """The user that a request is about. `named`: in the request; None where it names none. Raises `Forbidden` for
        another one than the key's, and `InvalidInput` where a key that acts for users is not told for whom."""
        if self.user is None:
            if self.acts and named is None:
                raise InvalidInput(f"This key acts for users: name one, by the header {USER} or as user_id")
            return named or DEFAULT_USER
        if named is not None and named != self.user:
            raise Forbidden("This key belongs to another user")
        return self.user


class ApiKeys:
    """The keys in force: users', of the settings and those that the store holds hashed, and the admin's, which is in
    the settings alone and no user's."""

    def __init__(self, stored: StoredKeys, configured: Mapping[str, str], admin: str | None = None) -> None:
        self._stored = stored
        self._configured = {hashed(key): user for key, user in configured.items()}
        self._admin = None if admin is None else hashed(admin)
        self._guesses = Guesses()
        self.required = bool(configured)
        self._looked = 0.0

    async def load(self) -> None:
        """Writes the configured keys to the store, hashed, and looks whether there are others. Those that the settings
        do not name any more are revoked. Raises `ConfigurationError` where the admin's is a user's."""
        await self._stored.configure(self._configured)
        await self.are_on()
        if self._admin is not None and await self._stored.get(self._admin, used=False) is not None:
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

    async def create(self, user: str | None, name: str | None = None) -> str:
        """A new key, from now on needed. `user`: None for one that acts for the users whom requests name."""
        key = await self._stored.create(user, name)
        self.required = True
        return key

    async def known(self, request: Request, key: str, *, alone: bool = True) -> Caller | None:
        """Who calls by a key; None for nobody's, which counts as a wrong one where it came `alone`. Waits, or raises
        `TooManyRequests`, where wrong ones came from there before."""
        digest = hashed(key)
        if is_random(key):
            return await self._caller(digest)
        async with self._guesses.looking(address_of(request), digest):
            calling = await self._caller(digest)
            if calling is None and alone:
                self._guesses.wrong(address_of(request))
        return calling

    async def _caller(self, digest: str) -> Caller | None:
        if self._admin is not None and hmac.compare_digest(self._admin, digest):
            return Caller(admin=True)
        for known, user in self._configured.items():
            if hmac.compare_digest(known, digest):
                return Caller(user)
        stored = await self._stored.get(digest)
        if stored is None or (stored.user is None and not stored.acts):
            return None
        return Caller(stored.user, acts=stored.acts)


def address_of(request: Request) -> str:
    """From where a request comes."""
    return request.client.host if request.client else "unknown"


def bearer_in(request: Request) -> str | None:
    """The bearer token that a request carries."""
    header = request.headers.get("authorization", "")
    return (header[7:].strip() or None) if header[:7].lower() == "bearer " else None


def key_in(request: Request) -> str | None:
    """The key that a request carries: `X-API-Key`, else a bearer token."""
    return request.headers.get("x-api-key") or bearer_in(request)


async def caller(request: Request) -> Caller:
    """Raises `Unauthorized` where keys are on and the request has no valid one, and `TooManyRequests`."""
    keys: ApiKeys = request.app.state.keys
    if not await keys.are_on():
        await _count(request, address_of(request))
        return Caller()
    key = key_in(request)
    if not key:
        raise Unauthorized(NEEDED)
    calling = await keys.known(request, key)
    if calling is None or calling.admin:
        raise Unauthorized(NOT_KNOWN)
    await _count(request, hashed(key))
    return calling


async def _count(request: Request, who: str) -> None:
    """Counts a request of a caller's, once. Raises `TooManyRequests`."""
    rates: Rates | None = request.app.state.rates
    if rates is not None and not getattr(request.state, "counted", False):
        request.state.counted = True
        await rates.count(who)


@dataclass(frozen=True)
class Passing:
    """A caller of the proxy. `bearer`: the key for the model provider that came along; None where the provider is to be
    asked with the key of the settings."""

    caller: Caller
    bearer: str | None


async def passing(request: Request) -> Passing:
    """Tells Loci's keys from the provider's: `X-API-Key` is ours, a bearer token the provider's unless it is one of
    ours. Raises `Unauthorized` where keys are on and neither is ours, and for the admin's, which no provider gets."""
    keys: ApiKeys = request.app.state.keys
    bearer = bearer_in(request)
    calling = await caller(request)
    if bearer is None or bearer == OWN_BEARER:
        return Passing(calling, None)
    alone = not request.headers.get("x-api-key")
    if calling != Caller() and alone:
        return Passing(calling, None)
    known = await keys.known(request, bearer, alone=False) if keys.has_admin or calling != Caller() else None
    if known is not None and known.admin:
        raise Unauthorized("The admin key is no user's key")
    return Passing(calling, bearer if known is None else None)


async def admit(request: Request) -> None:
    """Lets in whoever has the admin key, and where there are no keys at all, anybody on this machine. Raises
    `Unauthorized` for no key and an unknown one, `Forbidden` for a user's, and where no admin key is set."""
    keys: ApiKeys = request.app.state.keys
    if not keys.has_admin:
        if await keys.are_on():
            raise Forbidden("Users have API keys, and there is no key for admins: set ADMIN_KEY and start again")
        return
    key = key_in(request)
    if not key:
        raise Unauthorized("The admin key is needed: X-API-Key, or Authorization: Bearer")
    calling = await keys.known(request, key)
    if calling is None:
        raise Unauthorized("The admin key is not this one")
    if not calling.admin:
        raise Forbidden("This is a user's key; admins have one of their own")


async def scraping(request: Request) -> None:
    """Lets in whoever may read figures of the whole server: everybody where no keys are on, else whoever has one, the
    admin's or a user's. Raises `Unauthorized`."""
    keys: ApiKeys = request.app.state.keys
    if not await keys.are_on():
        return
    key = key_in(request)
    if not key:
        raise Unauthorized(NEEDED)
    if await keys.known(request, key) is None:
        raise Unauthorized(NOT_KNOWN)


async def _named_in_body(request: Request, name: str = "user_id") -> str | None:
    """What a body names under a field, such as the user; what cannot be one is left to those who check the body."""
    body = await request.json() if await request.body() else None
    named = body.get(name) if isinstance(body, dict) else None
    return named if isinstance(named, str) else None


async def check_names(request: Request) -> None:
    """Refuses a request that names different users in its path, its query, its body and its header.
    Raises `RequestValidationError`."""
    in_path, in_body = request.path_params.get("user_id"), await _named_in_body(request)
    named = {in_path, *request.query_params.getlist("user_id"), in_body, user_in_header(request)} - {None}
    if len(named) > 1:
        place = "query" if in_body is None else "body"
        raise RequestValidationError([{"type": "value_error", "loc": (place, "user_id"), "msg": DIFFERENT_USERS}])


def check_parameters(request: Request, known: Collection[str]) -> None:
    """Refuses a request whose query has others than the known parameters. Raises `RequestValidationError`."""
    unknown = [name for name in request.query_params if name not in known]
    if unknown:
        errors = [{"type": "extra_forbidden", "loc": ("query", name), "msg": ""} for name in unknown]
        raise RequestValidationError(errors)


def named_beside_body(request: Request) -> str | None:
    """The user whom the query of a request names, of which it may have nothing else, or its header; None for nobody.

    Raises `RequestValidationError`, also where they name several, or what is no id.
    """
    check_parameters(request, ("user_id",))
    try:
        named = {_IDENTIFIER.validate_python(one) for one in request.query_params.getlist("user_id")}
    except ValidationError as error:
        raise RequestValidationError([{**one, "loc": ("query", "user_id")} for one in error.errors()]) from None
    if (in_header := user_in_header(request)) is not None:
        named.add(in_header)
    if len(named) > 1:
        raise RequestValidationError([{"type": "value_error", "loc": ("query", "user_id"), "msg": DIFFERENT_USERS}])
    return named.pop() if named else None


Calling = Annotated[Caller, Depends(caller)]
NamedUser = Annotated[Identifier | None, Query(description="Whose memory it is, without API keys; else `default`")]


NamedProject = Annotated[
    ProjectName | None, Query(description="The project that it is about; an isolated one's memory is its own")
]


async def user(request: Request, user_id: NamedUser = None) -> str:
    """The user whom a request is about, named in its query, its body or its header. Raises `Forbidden` where the key
    is another user's, and `Unauthorized` where one is needed."""
    return (await caller(request)).owner(user_id or await _named_in_body(request) or user_in_header(request))


def user_in_header(request: Request) -> str | None:
    """The user whom the header names. Raises `RequestValidationError` for what cannot be one."""
    return _in_header(request, USER, _IDENTIFIER, DIFFERENT_USERS)


def project_in_header(request: Request) -> str | None:
    """The project that the header names. Raises `RequestValidationError` for what cannot be one."""
    return _in_header(request, PROJECT, _PROJECT, DIFFERENT_PROJECTS)


def project_named(request: Request, *named: str | None) -> str | None:
    """The project that a request names, in its header or elsewhere. Raises `RequestValidationError` where it names
    different ones."""
    given = {*named, project_in_header(request)} - {None}
    if len(given) > 1:
        raise RequestValidationError([{"type": "value_error", "loc": ("body", "project"), "msg": DIFFERENT_PROJECTS}])
    return given.pop() if given else None


def _in_header(request: Request, name: str, kind: TypeAdapter[str], different: str) -> str | None:
    named = {*request.headers.getlist(name)}
    if len(named) > 1:
        raise RequestValidationError([{"type": "value_error", "loc": ("header", name), "msg": different}])
    try:
        return kind.validate_python(named.pop().encode("latin-1").decode()) if named else None
    except UnicodeDecodeError:
        raise RequestValidationError([{"type": "value_error", "loc": ("header", name), "msg": NO_UTF_8}]) from None
    except ValidationError as error:
        raise RequestValidationError([{**one, "loc": ("header", name)} for one in error.errors()]) from None


async def memory_of(request: Request, who: str, project: str | None) -> str:
    """Whose memory a request of a user's is about: the user's, or that of an isolated project. `project`: that the
    query names; else the body or the header may, or the project is the one of the session that the path or the body
    names, or of the answer. Raises `Conflict` where the session is in another project."""
    session = request.path_params.get("session_id")
    moves = session is not None and request.method == "PATCH"  # the body names where to
    in_body = None if moves else await _named_in_body(request, "project")
    project = project_named(request, project, in_body)
    session, turn = session or await _named_in_body(request, "session_id"), request.path_params.get("turn_id")
    if project is session is turn is None:
        return who
    projects: Projects = request.app.state.memory.engine.chats.projects
    if project is None and turn is not None:
        return await projects.owner_of_turn(who, turn)
    return (await projects.standpoint(who, project, session)).owner


async def owner(request: Request, user_id: NamedUser = None, project: NamedProject = None) -> str:
    """Whose memory a request is about. Raises as `user` and `memory_of`."""
    return await memory_of(request, await user(request, user_id), project)


PassingOn = Annotated[Passing, Depends(passing)]
User = Annotated[str, Depends(user)]
Owner = Annotated[str, Depends(owner)]
