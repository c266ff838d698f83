"""A MongoDB with mongot that answers whatever a test tells it to.

A proxy that speaks MongoDB's wire protocol in front of the built-in store. It hands every command on but those of
search, which it answers itself: `createSearchIndexes`, `updateSearchIndex`, `$listSearchIndexes`, and `$vectorSearch`,
by comparing everything. It keeps what it was sent. It is as strict as mongot: about the length of vectors, about
numbers of candidates, and about fields that the index does not filter by.
"""

import contextlib
import socket
import socketserver
import struct
import threading
from collections.abc import Iterable, Iterator
from typing import Any

import bson
from bson.binary import VECTOR_SUBTYPE, Binary
from pymongo import MongoClient
from pymongo.uri_parser import parse_uri

from embedded.codec import OPTIONS
from embedded.operators.aggregating import run_pipeline
from embedded.operators.matching import compile_filter
from embedded.wire import HEADER_SIZE, Request, message_length, parse, reply_head
from utils.vectors import from_binary, stack

Document = dict[str, Any]
Refusal = tuple[int, str, str]  # code, its name, message

NOT_ENABLED: Refusal = (31082, "SearchNotEnabled", "Using Atlas Search Database Commands … requires configuration")
NO_MONGOT: Refusal = (125, "CommandFailed", "Error connecting to Search Index Management service.")
MOST_CANDIDATES = 10_000


class Refused(Exception):
    """An error that goes to the client."""

    def __init__(self, code: int, name: str, message: str) -> None:
        super().__init__(message)
        self.reply = {"ok": 0.0, "code": code, "codeName": name, "errmsg": message}


class ScriptedMongot:
    """Use it as a context manager; `uri` is its address. Each test tells it how to be:

    refusing: what it answers to every command of search. building: whether new indexes are still being built.
    """

    def __init__(self, store_uri: str) -> None:
        host, port = parse_uri(store_uri)["nodelist"][0]
        self.refusing: Refusal | None = None
        self.building = False
        self.requests: list[Document] = []
        self.indexes: dict[str, Document] = {}  # by database: the entry of its `vectors`
        self._seen: dict[str, list[Document]] | None = None
        self._client: MongoClient[Document] = MongoClient(store_uri)
        self._server = _Server(self, (host, port))
        self.uri = f"mongodb://127.0.0.1:{self._server.server_address[1]}/?directConnection=true"

    def __enter__(self) -> "ScriptedMongot":
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._client.close()

    @contextlib.contextmanager
    def lagging(self, database: str) -> Iterator[None]:
        """For the while it knows the documents of a database as they are now."""
        self._seen = {database: self._stored(database)}
        yield
        self._seen = None

    def sent(self, name: str) -> list[Document]:
        """The commands of a name that came, or the specifications of a search stage."""
        if not name.startswith("$"):
            return [body for body in self.requests if name in body]
        stages = [body["pipeline"][0] for body in self.requests if "aggregate" in body]
        return [stage[name] for stage in stages if name in stage]

    def answer(self, body: Document) -> Document | None:
        """The reply to a command; None for one that is the store's."""
        self.requests.append(body)
        stage = next(iter(body["pipeline"][0]), "") if body.get("pipeline") else ""
        name = stage if "aggregate" in body else next(iter(body))
        if name not in ("createSearchIndexes", "updateSearchIndex", "$listSearchIndexes", "$vectorSearch"):
            return None
        if self.refusing is not None:
            raise Refused(*self.refusing)
        match name:
            case "createSearchIndexes":
                return self._create(body["$db"], body["indexes"])
            case "updateSearchIndex":
                self.indexes[body["$db"]]["latestDefinition"] = body["definition"]
                return {"ok": 1.0}
            case "$listSearchIndexes":
                entry = self.indexes.get(body["$db"])
                return _cursor(body, [entry] if entry and entry["name"] == body["pipeline"][0][stage]["name"] else [])
            case _:
                return _cursor(body, run_pipeline(self._search(body), body["pipeline"][1:], collection=_no_collection))

    def ready(self, database: str) -> None:
        """The index of a database is built."""
        self.indexes[database] |= {"status": "READY", "queryable": True}

    def _create(self, database: str, indexes: list[Document]) -> Document:
        [made] = indexes
        if database in self.indexes:
            raise Refused(68, "IndexAlreadyExists", "Duplicate Index")
        self.indexes[database] = {
            "id": "1",
            "name": made["name"],
            "type": made["type"],
            "status": "PENDING",
            "queryable": False,
            "latestDefinition": made["definition"],
        }
        if not self.building:
            self.ready(database)
        return {"ok": 1.0, "indexesCreated": [{"id": "1", "name": made["name"]}]}

    def _search(self, body: Document) -> list[Document]:
        """Exactly what a search stage asks for, the nearest first."""
        search = body["pipeline"][0]["$vectorSearch"]
        entry = self.indexes.get(body["$db"])
        if entry is None or entry["name"] != search["index"]:
            return []  # so does MongoDB
        if not entry["queryable"]:
            raise Refused(8, "UnknownError", f"cannot query vector index while in state {entry['status']}")
        fields = entry["latestDefinition"]["fields"]
        [vector] = [field for field in fields if field["type"] == "vector"]
        unknown = _paths(search["filter"]) - {field["path"] for field in fields if field["type"] == "filter"}
        if unknown:
            raise Refused(8, "UnknownError", f"Path '{unknown.pop()}' needs to be indexed as filter")
        asked = from_binary(search["queryVector"])
        if len(asked) != vector["numDimensions"]:
            raise Refused(8, "UnknownError", f"vector field is indexed with {vector['numDimensions']} dimensions")
        if not search["limit"] <= search["numCandidates"] <= MOST_CANDIDATES:
            raise Refused(8, "UnknownError", "numCandidates out of bounds")
        holds, path = compile_filter(search["filter"]), search["path"]
        known = self._stored(body["$db"]) if self._seen is None else self._seen[body["$db"]]
        found = [document for document in known if _is_vector(document.get(path), len(asked)) and holds(document)]
        scores = stack([document[path] for document in found], len(asked)) @ asked
        return [found[row] for row in (-scores).argsort(kind="stable")[: search["limit"]]]

    def _stored(self, database: str) -> list[Document]:
        return list(self._client.get_database(database, codec_options=OPTIONS)["vectors"].find({}))


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    block_on_close = False

    def __init__(self, mongot: ScriptedMongot, store: tuple[str, int]) -> None:
        super().__init__(("127.0.0.1", 0), _Connection)
        self.mongot = mongot
        self.store = store


class _Connection(socketserver.BaseRequestHandler):
    """One client, and its own connection to the store."""

    server: _Server

    def handle(self) -> None:
        with socket.create_connection(self.server.store) as store, contextlib.suppress(ConnectionError):
            for message in iter(lambda: _read(self.request), b""):
                request = parse(message)
                reply = self._answer(request)
                if reply is not None:
                    self.request.sendall(reply_head(request, reply) + reply)
                    continue
                store.sendall(message)
                if request.wants_reply:
                    self.request.sendall(_read(store))

    def _answer(self, request: Request) -> bytes | None:
        try:
            answer = self.server.mongot.answer(request.body)
        except Refused as refused:
            answer = refused.reply
        return None if answer is None else bson.encode(answer, codec_options=OPTIONS)


def _read(connection: socket.socket) -> bytes:
    """A whole message; nothing at the end of the stream."""
    message = b""
    wanted = HEADER_SIZE
    while len(message) < wanted:
        part = connection.recv(wanted - len(message))
        if not part:
            return b""
        message += part
        if len(message) == HEADER_SIZE:
            wanted = message_length(message[: struct.calcsize("<i")])
    return message


def _cursor(body: Document, found: Iterable[Document]) -> Document:
    return {"cursor": {"id": 0, "ns": f"{body['$db']}.{body['aggregate']}", "firstBatch": list(found)}, "ok": 1.0}


def _is_vector(value: object, dimensions: int) -> bool:
    """Whether mongot indexes it: it leaves out what is of another length."""
    return isinstance(value, Binary) and value.subtype == VECTOR_SUBTYPE and len(from_binary(value)) == dimensions


def _paths(filter: Document) -> set[str]:
    """The fields that a filter names, under `$and` too."""
    own = {name for name in filter if not name.startswith("$")}
    return own.union(*(_paths(part) for part in filter.get("$and", [])))


def _no_collection(name: str) -> Iterable[Document]:
    raise AssertionError(f"a search reads {name}")
