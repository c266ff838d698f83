"""What it costs that not every user's index fits into memory."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from bench.speed.connection import Connection, connected
from bench.speed.copies import fill
from bench.speed.floors import Floor, cosine
from bench.speed.material import Material
from bench.speed.searching import search, warm_up
from bench.speed.server import Resident, Server
from bench.speed.times import Times, times

EACH = 1_000  # messages of a user
FEW = 20  # users whose indexes fit for certain


@dataclass(frozen=True)
class UsersRun:
    """`few`: of users in turn who are all kept. `new`: of all users in turn, each for the first time. `again`: the same
    once more, when the first users had to make room for the last."""

    users: int
    few: Times
    new: Times
    again: Times
    before: Resident
    after: Resident
    floor: Floor


async def measure_users(server: Server, material: Material, users: int) -> UsersRun:
    """Of users who are made for it. The server is started anew."""
    owners = [f"many-{n}" for n in range(users)]
    with server.database() as database:
        for owner in owners:
            await asyncio.to_thread(fill, database, material.originals, owner, EACH)
    server.restart()
    few = owners[:FEW]
    async with connected(server.url) as connection:
        await warm_up(connection, material.questions)
        before = server.resident
        new = await _round(connection, owners, material.questions)
        again = await _round(connection, owners, material.questions)
        await _round(connection, few, material.questions)
        rounds = [await _round(connection, few, material.questions[n:]) for n in range(len(material.questions) // FEW)]
        after = server.resident
    kept = [one for each in rounds for one in each]
    return UsersRun(users, times(kept), times(new), times(again), before, after, cosine(material, EACH))


async def _round(connection: Connection, owners: Sequence[str], questions: Sequence[str]) -> list[float]:
    """Milliseconds of one search of each user, who ask one question after the other."""
    return [(await search(connection, owner, questions[n % len(questions)])).waited for n, owner in enumerate(owners)]
