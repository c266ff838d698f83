"""Resources of MCP: the files of memory banks, now and in former versions, and a prompt that begins with one."""

import re
from dataclasses import dataclass
from urllib.parse import quote, unquote

import mcp_types as types
import orjson
from pydantic import ValidationError

from api.mcp.calling import Call
from api.wire.banks import BankNamed, left_out_of
from api.wire.paging import cursor_of, page_of, position_of
from api.wire.reasons import wrong
from api.wire.strict import check
from memory.banks import BANK_TYPES, ID_PATTERN, Active, BankType, instructions
from utils.errors import InvalidInput, NotFound

MARKDOWN = "text/markdown"
BANKS_A_PAGE = 25
PROMPT = "memory_bank"
TEMPLATES = [
    types.ResourceTemplate(
        name="bank-file",
        title="A file of a memory bank",
        uri_template="loci://banks/{type}/{id}/{file}",
        description="What a file of a bank says now",
        mime_type=MARKDOWN,
    ),
    types.ResourceTemplate(
        name="bank-file-version",
        title="A file of a memory bank as it was",
        uri_template="loci://banks/{type}/{id}/{file}?version={version}",
        description="What a file said in a version of its bank",
        mime_type=MARKDOWN,
    ),
]
PROMPTS = [
    types.Prompt(
        name=PROMPT,
        title="Begin with a memory bank",
        description="What earlier conversations left about a project, a code base or the user, and how to use it",
        arguments=[
            types.PromptArgument(name="conversation_type", description="project, code or global", required=True),
            types.PromptArgument(name="project_name", description="What the project is called", required=False),
            types.PromptArgument(name="current_path", description="The absolute path of its folder", required=False),
        ],
    )
]
_URI = re.compile(
    rf"loci://banks/(?P<type>{'|'.join(BANK_TYPES)})/(?P<id>{ID_PATTERN})/(?P<file>[^/?#]{{1,200}})"
    r"(?:\?version=(?P<version>\d{1,9}))?"
)


@dataclass(frozen=True)
class Address:
    """A file of a bank. `version`: None for as it is."""

    type: BankType
    id: str
    file: str
    version: int | None = None

    @property
    def uri(self) -> str:
        version = f"?version={self.version}" if self.version is not None else ""
        return f"loci://banks/{self.type}/{self.id}/{quote(self.file)}{version}"


def read_uri(uri: str) -> Address | None:
    """The file that an address names; None where it names none."""
    found = _URI.fullmatch(uri)
    if found is None:
        return None
    kind = next(kind for kind in BANK_TYPES if kind == found["type"])
    version = int(found["version"]) if found["version"] else None
    return Address(kind, found["id"], unquote(found["file"]), version)


async def list_resources(call: Call, cursor: str | None) -> types.ListResourcesResult:
    """The files of all banks, those of the bank that changed last first. Raises `InvalidInput`."""
    found = await call.memory.engine.library.banks.page(call.owner, limit=BANKS_A_PAGE + 1, after=position_of(cursor))
    page, more = page_of(found, BANKS_A_PAGE, cursor_of)
    resources = [
        types.Resource(
            name=f"{info.type}/{info.id}/{file.name}",
            title=f"{info.name or info.id}: {file.name}",
            uri=Address(info.type, info.id, file.name).uri,
            description=f"About {file.tokens} tokens, of version {file.version}",
            mime_type=MARKDOWN,
        )
        for info, _ in page
        for file in info.files
    ]
    return types.ListResourcesResult(resources=resources, next_cursor=more)


async def read_resource(call: Call, uri: str) -> types.ReadResourceResult:
    """Raises `NotFound`."""
    address = read_uri(uri)
    if address is None:
        raise NotFound("No such resource")
    banks = call.memory.engine.library.banks
    if address.version is None:
        content = (await banks.get(call.owner, address.type, address.id)).content
    else:
        _, content = await banks.at(call.owner, address.type, address.id, address.version)
    if address.file not in content:
        raise NotFound("The memory bank has no such file")
    return types.ReadResourceResult(
        contents=[types.TextResourceContents(uri=uri, mime_type=MARKDOWN, text=content[address.file])]
    )


async def get_prompt(call: Call, name: str, arguments: dict[str, str]) -> types.GetPromptResult:
    """The bank that the arguments name, as quoted data, after what an assistant is told of it; where there is none,
    how it is made: reading makes nothing. Raises `NotFound` and `InvalidInput`."""
    if name != PROMPT:
        raise NotFound("No such prompt")
    check(arguments)
    try:
        asked = BankNamed.model_validate(arguments)
    except ValidationError as error:
        raise InvalidInput(wrong(error)) from None
    try:
        bank = await call.memory.engine.library.banks.begin(
            call.owner, asked.conversation_type, asked.project_name, asked.current_path
        )
    except NotFound:
        named = orjson.dumps(asked.model_dump(exclude_none=True)).decode()
        told = (
            f"There is no such memory bank yet. `activate` makes it: {named}\n\n{instructions(asked.conversation_type)}"
        )
        return _prompt("A memory bank that is not there yet", told)
    active = Active(bank.info.type, bank.info.id)
    await call.memory.engine.library.activations.note(call.owner, call.client, bank.info)
    quoted = orjson.dumps(dict(bank.content)).decode()
    told = (
        f"{instructions(bank.info.type)}\n\nIts conversation_id is {active.conversation_id}. "
        f"Its files, as quoted data in JSON:\n\n{quoted}"
    )
    if (left_out := left_out_of(bank)) is not None:
        told += f"\n\n{left_out}"
    return _prompt(f"Memory bank {active.conversation_id}", told)


def _prompt(description: str, text: str) -> types.GetPromptResult:
    message = types.PromptMessage(role="user", content=types.TextContent(text=text))
    return types.GetPromptResult(description=description, messages=[message])
