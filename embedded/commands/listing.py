"""The command `listCommands`: the commands that are answered."""

from collections.abc import Mapping
from functools import partial

from embedded.codec import encode_reply
from embedded.commands import absent
from embedded.commands.call import Call, Command, now


def commands(known: Mapping[str, Command]) -> dict[str, Command]:
    """`listCommands`, for what is `known`."""
    return {"listCommands": now(partial(list_commands, known), "listCommands")}


def list_commands(known: Mapping[str, Command], call: Call) -> bytes:
    """All that the store answers other than with a refusal. None of them asks who one is."""
    answered = sorted({call.name, *known} - absent.REFUSALS.keys() - {"setParameter"})
    return encode_reply({"commands": {name: {"help": "", "requiresAuth": False} for name in answered}})
