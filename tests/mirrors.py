"""A mirror whose files tests write, edit and read."""

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import frontmatter

from agents.memory import Memory
from memory.domain import Turn
from memory.facts.facts import Origin
from memory.facts.rules.reconcile import Add
from memory.mirror.edits import MirrorEdits
from memory.mirror.mirror import Mirror
from tests.conversations import START


class Mirroring:
    """A mirror of a memory, that looks when the test says so."""

    def __init__(self, memory: Memory, root: Path) -> None:
        self.memory = memory
        self.root = root
        self.mirror = Mirror(memory.engine.store.collections, memory.engine.store.changes, root)
        self.nudged = 0
        self.edits = MirrorEdits(memory.engine, self.mirror, self._nudge)

    def _nudge(self) -> None:
        self.nudged += 1

    async def start(self) -> None:
        """What a process does first."""
        self.root.mkdir(exist_ok=True)
        await self.mirror.claim()
        await self.mirror.open()
        await self.edits.catch_up()
        await self.mirror.follow()

    async def look(self) -> None:
        """Takes over what was done to files, does the work that follows, and shows what came of it."""
        for folder in self.mirror.folders:
            missing = await self.edits.look(folder.owner, folder.paths())
            await self.edits.delete(folder.owner, missing)
        await self.settle()

    async def settle(self) -> None:
        """Embeds what waits, and has the files follow."""
        await self.memory.engine.gists.queue.work()
        await self.mirror.follow()

    async def stop(self) -> None:
        await self.mirror.save()

    async def again(self) -> "Mirroring":
        """The mirror of another process, after this one was killed, or stopped."""
        other = Mirroring(self.memory, self.root)
        await other.start()
        return other

    def file(self, text: str, user: str = "ann") -> Path:
        """The one file that says this."""
        [found] = [path for path in sorted((self.root / user).rglob("*.md")) if body(path) == text]
        return found

    def texts(self, user: str = "ann", part: str = "**") -> list[str]:
        """What the files of a user say that are no conflicts."""
        found = (self.root / user).glob(f"entries/{part}/*.md")
        return sorted(body(path) for path in found if ".conflict" not in path.name)

    def conflicts(self, user: str = "ann") -> list[str]:
        return sorted(body(path) for path in (self.root / user).rglob("*.conflict*.md"))


def body(path: Path) -> str:
    return frontmatter.loads(path.read_text()).content


def edit(path: Path, text: str) -> None:
    """What an editor does to a file's text: it saves another one and renames it."""
    post = frontmatter.load(str(path))
    post.content = text
    saved = path.with_name(f"{path.name}.tmp")
    saved.write_text(frontmatter.dumps(post) + "\n")
    saved.replace(path)


async def say(memory: Memory, *contents: str, owner: str = "ann", session: str = "s") -> None:
    """A user's messages of which facts may be made, a minute apart."""
    there = await memory.engine.chats.turns.page(owner, session, after=-1, limit=200)
    turns = [
        Turn(f"{session}-m{number}", "user", content, START + timedelta(minutes=number), proxied=True)
        for number, content in enumerate(contents, len(there))
    ]
    await memory.engine.chats.turns.remember(owner, session, turns)


async def state(memory: Memory, *texts: str, owner: str = "ann", session: str = "s") -> list[str]:
    """Facts as they stand; returns their ids."""
    decided = await memory.engine.knowledge.facts.apply(
        Origin(owner, session, "rule_based", START, f"{session}-stated"), [Add(text) for text in texts]
    )
    return [one.id for one in decided]


async def said(memory: Memory, owner: str = "ann", session: str = "s") -> list[str]:
    """The texts of a session's messages, in order."""
    return [turn.content for turn in await memory.engine.chats.turns.page(owner, session, after=-1, limit=200)]


async def stated(memory: Memory, owner: str = "ann") -> Sequence[str]:
    """The facts in force."""
    return sorted(fact.text for fact, _ in await memory.engine.knowledge.facts.page(owner, limit=100))
