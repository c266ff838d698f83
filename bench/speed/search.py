"""How fast a search of one user with many messages is, and what memory that takes."""

import asyncio
from dataclasses import dataclass

from bench.speed.connection import connected
from bench.speed.copies import fill
from bench.speed.floors import Floor, floors
from bench.speed.material import Material
from bench.speed.searching import search, search_all, warm_up
from bench.speed.server import Resident, Server
from bench.speed.times import Times, times

TRIPS = 200


@dataclass(frozen=True)
class SearchRun:
    """`waited`: by the client; `took`: by the server's word; `trip`: by the client, for an answer that takes nothing.
    `first`: milliseconds of the first search after a start. `before`, `after`: memory without the user, and with."""

    messages: int
    first: float
    waited: Times
    took: Times
    trip: Times
    before: Resident
    after: Resident
    floors: tuple[Floor, ...]


async def measure_search(server: Server, material: Material, messages: int) -> SearchRun:
    """Of a user who is made for it. The server is started anew."""
    owner = f"one-{messages}"
    with server.database() as database:
        await asyncio.to_thread(fill, database, material.originals, owner, messages)
    server.restart()
    async with connected(server.url) as connection:
        await warm_up(connection, material.questions)
        trip = [(await connection.get("/livez"))[1] for _ in range(TRIPS)]
        before = server.resident
        first = await search(connection, owner, material.questions[0])
        await search_all(connection, owner, material.questions)  # words that name a speaker of this user are left out
        found = await search_all(connection, owner, material.questions)
        after = server.resident
    return SearchRun(
        messages,
        first.waited,
        times([one.waited for one in found]),
        times([one.took for one in found]),
        times(trip),
        before,
        after,
        floors(material, messages),
    )
