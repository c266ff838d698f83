"""An update: new content for a bank, checked, named such that its repetition is known, and what its client is told."""

import re
from dataclasses import dataclass, replace

from memory.banks.activations import Active
from memory.banks.directives import directives_in
from memory.banks.ids import ID_PATTERN
from memory.banks.markdown import unified
from memory.banks.targets import check_filled, told_of_misunderstood
from memory.banks.types import BANK_TYPES, BankType
from memory.ids import derived_id
from utils.errors import HAS_CONTROL_CHARACTERS, InvalidInput
from utils.mongo import Document
from utils.text import CONTROL_CHARACTERS, off_a_terminal

UNCOLOURED = "The codes were left out by which a terminal colours and moves; all that it shows of the update is kept."
LONGEST_UPDATE = 1_000_000  # characters; a document of the store holds a bank of this and what it had before


@dataclass(frozen=True)
class BankUpdate:
    """New content for a bank. `conversation_id`, `update_count`: which update of which conversation it is; without the
    former, of the bank's own. `request`: names the request, where it has a name. `coloured`: the codes of a terminal
    were left out; `misunderstood`: what is told of lines that name files in a way that rules do not understand."""

    type: BankType
    id: str
    content: str
    conversation_id: str | None = None
    update_count: int | None = None
    request: str | None = None
    coloured: bool = False
    misunderstood: str | None = None

    def checked(self) -> "BankUpdate":
        """The same without the codes of a terminal. Raises `InvalidInput` where there is no content, too much, or a
        control character in it, it replaces what stands there by nothing or is a directive that cannot be carried out,
        the conversation is at work with another bank, or there can be no bank of this type and id."""
        if self.type not in BANK_TYPES or re.fullmatch(ID_PATTERN, self.id) is None:
            raise InvalidInput("There can be no memory bank of this type and id")
        named = Active.named(self.conversation_id)
        if named is not None and named != Active(self.type, self.id):
            raise InvalidInput("The conversation_id is of another memory bank")
        if len(self.content) > LONGEST_UPDATE:
            raise InvalidInput(f"An update may have {LONGEST_UPDATE:,} characters")
        lines = unified(self.content).splitlines(keepends=True)
        plain = list(map(off_a_terminal, lines))  # line by line, so that a thread which does it lets others go on
        if any(map(CONTROL_CHARACTERS.search, plain)):
            raise InvalidInput(HAS_CONTROL_CHARACTERS.format("content"))
        content = "".join(plain)
        check_filled(content)
        directives_in(self.type, content)
        misunderstood = told_of_misunderstood(content)
        return replace(self, content=content, coloured=plain != lines, misunderstood=misunderstood)

    def name_for(self, bank: Document) -> str | None:
        """Names the update of this bank, such that it has the same name when it comes again; None where nothing tells
        it from another that says the same. All conversations share the conversation id of a bank, so a count is of
        those since it was last activated."""
        if self.request is not None:
            said: tuple[str, ...] = ("request", self.request)
        elif self.update_count is not None:
            conversation = self.conversation_id or Active(self.type, self.id).conversation_id
            shared = Active.named(conversation) is not None and bank.get("activated_at")
            since = bank["activated_at"].isoformat() if shared else ""
            said = ("count", since, conversation, str(self.update_count))
        else:
            return None
        return derived_id("update", bank["_id"], bank["epoch"], *said, self.content)
