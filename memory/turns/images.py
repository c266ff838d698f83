"""Images that came with messages, each a document of its own, for a message may have more than one document holds."""

import base64
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import timedelta

from memory.domain import Gist
from memory.ids import derived_id, keys_of
from memory.store import Collections
from utils.clock import now
from utils.mongo import Document, insert_new

IN_FLIGHT = timedelta(minutes=10)  # after which a message that was to come will not
SHOWN = 16  # images that a model is shown at most
LENGTH = 10_000_000  # characters of their addresses at most: providers refuse larger requests


class Images:
    """A user's images, by the ids of their messages. Who deletes a message deletes them (`memory/gists/caches`)."""

    def __init__(self, collections: Collections) -> None:
        self._images = collections.images
        self._vectors = collections.vectors

    async def keep(self, owner: str, session_id: str, message_id: str, addresses: Mapping[int, str]) -> list[str]:
        """Stores images of a message, http(s) URLs or data URIs by their numbers; returns the `_id`s of those that are
        new. They come before their message, so that whoever deletes or moves that finds them."""
        if not addresses:
            return []
        documents = [_document(owner, session_id, message_id, *image) for image in addresses.items()]
        inserted = await insert_new(self._images, documents)
        return [document["_id"] for document, is_new in zip(documents, inserted, strict=True) if is_new]

    async def take_back(self, owner: str, keys: Collection[str]) -> None:
        """Deletes images by their `_id`s."""
        if keys:
            await self._images.delete_many({"_id": {"$in": list(keys)}, "user_id": owner})

    async def drop_unsaid(self, owner: str, session_id: str) -> None:
        """Deletes images of a session whose message never came, since whoever was to commit it was killed."""
        old = {"user_id": owner, "session_id": session_id, "created_at": {"$lt": now() - IN_FLIGHT}}
        names = await self._images.distinct("message", old)
        keys = [key for name in names for key in keys_of(name, owner)]
        said = {
            message["id"] async for message in self._vectors.find({"_id": {"$in": keys}, "user_id": owner}, {"id": 1})
        }
        await self._images.delete_many(old | {"message": {"$in": [name for name in names if name not in said]}})

    async def of(self, owner: str, message_ids: Collection[str]) -> dict[str, tuple[str, ...]]:
        """The images of messages, as they came. Messages without images are left out."""
        own = {"user_id": owner, "message": {"$in": list(message_ids)}}
        found = defaultdict[str, list[str]](list)
        async for image in self._images.find(own).sort([("message", 1), ("n", 1)]):
            found[image["message"]].append(address_of(image))
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


def _document(owner: str, session_id: str, message_id: str, n: int, address: str) -> Document:
    head, _, data = address.partition(";base64,")
    is_written_in = address.startswith("data:")
    shown = {"type": head.removeprefix("data:"), "data": base64.b64decode(data)} if is_written_in else {"url": address}
    return {
        "_id": derived_id(owner, message_id, str(n)),
        "user_id": owner,
        "session_id": session_id,
        "message": message_id,
        "n": n,
        "created_at": now(),
        **shown,
    }
