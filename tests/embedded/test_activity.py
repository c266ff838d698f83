"""What was spent on a collection is told for as long as the collection is there, and forgotten after."""

import asyncio

from embedded import server
from embedded.dispatch import Dispatcher, deliver
from embedded.store import Store
from embedded.wire import Request


async def test_what_was_spent_on_a_collection_that_is_gone_is_forgotten_with_the_sweep(tmp_path):
    loop = asyncio.get_running_loop()
    store = Store(tmp_path / "data.db", deliver=lambda jobs: loop.call_soon_threadsafe(deliver, jobs))
    dispatcher = Dispatcher(store, loop)

    async def ask(body):
        replied = loop.create_future()
        reply = dispatcher.handle(Request(1, body, {}), 1, replied.set_result)
        return reply or await replied

    for name in ("kept", "renamed", "replaced", "dropped"):
        await ask({"insert": name, "documents": [{"x": 1}], "$db": "t"})
    kept, renamed = store.catalog.get("t", "kept"), store.catalog.get("t", "renamed")
    await ask({"renameCollection": "t.renamed", "to": "t.replaced", "dropTarget": True, "$db": "admin"})
    await ask({"drop": "dropped", "$db": "t"})
    await server._sweep(store)
    assert store.activity._spent.keys() == {kept.id, renamed.id}
    assert store.activity.spent_on(renamed)["insert"].count == 1
    await ask({"dropDatabase": 1, "$db": "t"})
    await server._sweep(store)
    assert not store.activity._spent
    dispatcher.close()
    store.close()
