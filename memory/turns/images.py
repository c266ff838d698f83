"""Images that came with messages, each a document of its own, for a message may have more than one document holds."""

import base64
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from memory.domain import Gist
from memory.ids import derived_id, keys_of, unscoped
from memory.store import Collections
from utils.clock import now
from utils.mongo import Document, insert_new

SHOWN = 16  # images that a model is shown at most
LENGTH = 10_000_000  # characters of their addresses at most: providers refuse larger requests


class Images:
    """A user's images, by the ids of their messages. Who deletes a message deletes them (`memory/gists/caches`)."""

    def __init__(self, collections: Collections) -> None:
        self._images = collections.images
        self._vectors = collections.vectors

    async def keep(self, owner: str, session_id: str, message_id: str, addresses: Mapping[int, str]) -> list[str]:
        """Stores images of a message that is committed, http(s) URLs or data URIs by their numbers; returns the `_id`s
        of those that are new. None are stored of a message that is not there, or is deleted meanwhile."""
        if not addresses:
            return []
        committed = {
            "_id": {"$in": keys_of(message_id, owner)},
            "user_id": owner,
            "session_id": session_id,
            "images": {"$gt": max(addresses)},
        }
        message = await self._vectors.find_one(committed, {"session_id": 1})
        if message is None:
            return []
        documents = [_document(owner, message, n, address) for n, address in addresses.items()]
        inserted = await insert_new(self._images, documents)
        new = [document["_id"] for document, is_new in zip(documents, inserted, strict=True) if is_new]
        if await self._vectors.find_one(committed, {"_id": 1}) is None:
            await self.take_back(owner, new)
            return []
        return new

    async def take_back(self, owner: str, keys: Collection[str]) -> None:
        """Deletes images by their `_id`s."""
        await self._images.delete_many({"_id": {"$in": list(keys)}, "user_id": owner})

    async def of(self, owner: str, message_ids: Collection[str]) -> dict[str, tuple[str, ...]]:
        """The images of messages, as they came. Messages without images are left out."""
        keys = [key for identifier in message_ids for key in keys_of(identifier, owner)]
        own = {"user_id": owner, "message": {"$in": keys}}
        found = defaultdict[str, list[str]](list)
        async for image in self._images.find(own).sort([("message", 1), ("n", 1)]):
            found[unscoped(image["message"], owner)].append(address_of(image))
        return {identifier: tuple(addresses) for identifier, addresses in found.items()}

    async def newest_of(
        self, owner: str, messages: Sequence[Gist], beside: Collection[str] = ()
    ) -> dict[str, tuple[str, ...]]:
        """The images of a conversation's newest messages, which come oldest first: as many as a model is shown beside
        others. A message has all of its own, or none."""
        found = dict[str, tuple[str, ...]]()
        left, room = SHOWN - len(beside), LENGTH - sum(map(len, beside))
        for message in (one for one in reversed(messages) if one.images):
            left -= message.images
            if left < 0:
                break
            images = (await self.of(owner, [message.id])).get(message.id, ())
            room -= sum(map(len, images))
            if room < 0:
                break
            found[message.id] = images
        return found


def address_of(image: Document) -> str:
    """The address under which an image was sent."""
    if "url" in image:
        return str(image["url"])
    return f"data:{image['type']};base64,{base64.b64encode(image['data']).decode()}"


def _document(owner: str, message: Document, n: int, address: str) -> Document:
    head, _, data = address.partition(";base64,")
    is_written_in = address.startswith("data:")
    shown = {"type": head.removeprefix("data:"), "data": base64.b64decode(data)} if is_written_in else {"url": address}
    return {
        "_id": derived_id(owner, message["_id"], str(n)),
        "user_id": owner,
        "session_id": message["session_id"],
        "message": message["_id"],
        "n": n,
        "created_at": now(),
        **shown,
    }
