"""Files of other products, as tests import them: their shapes with content of our own."""

import io
import json
import zipfile
from typing import Any

Object = dict[str, Any]

NO_PARENT = "00000000-0000-0000-0000-000000000000"


def node(identifier: str, parent: str | None, role: str, *parts: Any, time: float | None = None, **more: Any) -> Object:
    """A node of a conversation of ChatGPT. `more`: other fields of its message."""
    content = more.pop("content", None) or {"content_type": "text", "parts": list(parts)}
    message = {
        "id": identifier,
        "author": {"role": role, "name": more.pop("name", None), "metadata": {}},
        "create_time": time,
        "content": content,
        "status": "finished_successfully",
        "weight": 1.0,
        "metadata": {},
        "recipient": "all",
    }
    return {"id": identifier, "message": message | more, "parent": parent, "children": []}


def chatgpt(identifier: str = "c-1", *nodes: Object, current: str | None = None, **more: Any) -> Object:
    """A conversation of ChatGPT; of its own with what its exports have, where no nodes are given."""
    if not nodes:
        shot = {"content_type": "image_asset_pointer", "asset_pointer": "file-service://file-Xy1", "size_bytes": 9}
        spoken = {"content_type": "audio_transcription", "text": "And a second one, said aloud.", "direction": "in"}
        nodes = (
            {"id": "root", "message": None, "parent": None, "children": ["sys"]},
            node("sys", "root", "system", "", metadata={"is_visually_hidden_from_conversation": True}),
            node(
                "about",
                "sys",
                "user",
                content={"content_type": "user_editable_context", "user_profile": "secret"},
                time=None,
            ),
            node("q1", "about", "user", "Where does the otter live?", time=1714564800.25),
            node("old", "q1", "assistant", "In the sea, I think.", time=1714564810.0),
            node("think", "q1", "assistant", content={"content_type": "thoughts", "thoughts": [{"content": "Hm"}]}),
            node(
                "code",
                "think",
                "assistant",
                content={"content_type": "code", "language": "python", "text": "find('otter')"},
                recipient="python",
                time=1714564820.0,
            ),
            node(
                "ran",
                "code",
                "tool",
                content={"content_type": "execution_output", "text": "1 otter"},
                name="python",
                time=1714564821.0,
            ),
            node(
                "a1",
                "ran",
                "assistant",
                "By the weir.",
                time=1714564822.5,
                metadata={"model_slug": "gpt-5"},
            ),
            node(
                "q2",
                "a1",
                "user",
                content={"content_type": "multimodal_text", "parts": [shot, "Is this one?", None, spoken]},
                metadata={"attachments": [{"id": "file-Xy1", "name": "otter.png", "mime_type": "image/png"}]},
                time=1714564900.0,
            ),
            node("null", "q2", "assistant", content={"content_type": "text", "parts": None}),
            node("a2", "null", "assistant", "It is.", time=1714564910.0),
        )
        current = "a2"
    return {
        "title": "Otters",
        "create_time": 1714564800.0,
        "update_time": 1714564950.0,
        "mapping": {one["id"]: one for one in nodes},
        "current_node": current,
        "conversation_id": identifier,
        "id": identifier,
        **more,
    }


def talk(identifier: str, messages: int = 2, **more: Any) -> Object:
    """A conversation of ChatGPT without branches."""
    nodes = [
        node(
            f"{identifier}-{at}",
            f"{identifier}-{at - 1}" if at else None,
            ("user", "assistant")[at % 2],
            f"Part {at} of {identifier}.",
            time=1714564800.0 + at,
        )
        for at in range(messages)
    ]
    return chatgpt(identifier, *nodes, current=f"{identifier}-{messages - 1}", **{"title": f"Talk {identifier}"} | more)


def _claude(uuid: str, parent: str | None, sender: str, second: int, *blocks: Object, **more: Any) -> Object:
    texts = [block["text"] for block in blocks if block["type"] == "text"]
    return {
        "uuid": uuid,
        "text": "\n\n".join(texts) or "This block is not supported on your current device yet.",
        "content": list(blocks),
        "sender": sender,
        "created_at": f"2025-05-01T12:00:{second:02}.123456Z",
        "updated_at": f"2025-05-01T12:00:{second:02}.123456Z",
        "attachments": [],
        "files": [],
        "parent_message_uuid": parent,
        **more,
    }


CLAUDE: Object = {
    "uuid": "cl-1",
    "name": "Kayaks",
    "summary": "",
    "created_at": "2025-05-01T12:00:00Z",
    "updated_at": "2025-05-01T12:01:00Z",
    "account": {"uuid": "somebody"},
    "chat_messages": [
        _claude("h1", NO_PARENT, "human", 1, {"type": "text", "text": "Which kayak is mine?"}),
        _claude("x1", "h1", "assistant", 2, {"type": "text", "text": "The first try."}),
        _claude(
            "a1",
            "h1",
            "assistant",
            3,
            {"type": "thinking", "thinking": "They told me."},
            {"type": "text", "text": "The red one,"},
            {"type": "tool_use", "name": "search", "input": {"q": "kayak"}},
            {"type": "tool_result", "name": "search", "content": []},
            {"type": "text", "text": "with the dent."},
        ),
        _claude(
            "h2",
            "a1",
            "human",
            4,
            {"type": "text", "text": "See the receipt."},
            attachments=[{"file_name": "receipt.txt", "extracted_content": "100"}],
            files=[{"file_name": "dent.jpg"}],
        ),
        _claude("a2", "h2", "assistant", 5, {"type": "tool_use", "name": "search", "input": {}}),
    ],
}

_DETAILS = '<details type="reasoning" done="true" duration="2">\n<summary>Thought</summary>\n> Hm\n</details>\n'
_CALLS = '<details type="tool_calls" done="true" name="clock">\n<summary>Ran</summary>\n</details>\n'
OPENWEBUI: Object = {
    "id": "ow-1",
    "user_id": "u-1",
    "title": "Bees",
    "chat": {
        "id": "",
        "title": "Bees",
        "models": ["llama"],
        "history": {
            "currentId": "b-a2",
            "messages": {
                "b-q1": {
                    "id": "b-q1",
                    "parentId": None,
                    "childrenIds": ["b-a1", "b-a2"],
                    "role": "user",
                    "content": "How many hives have I?",
                    "timestamp": 1746100800,
                    "files": [{"type": "file", "name": "hives.pdf", "file": {"filename": "hives.pdf"}}],
                },
                "b-a1": {"id": "b-a1", "parentId": "b-q1", "role": "assistant", "content": "Two.", "timestamp": 1},
                "b-a2": {
                    "id": "b-a2",
                    "parentId": "b-q1",
                    "childrenIds": [],
                    "role": "assistant",
                    "content": f"{_DETAILS}{_CALLS}Three.",
                    "model": "llama",
                    "timestamp": 1746100805,
                    "done": True,
                },
            },
        },
        "messages": [],
        "timestamp": 1746100800123,
    },
    "created_at": 1746100800,
    "updated_at": 1746100900,
    "share_id": None,
    "archived": False,
    "pinned": False,
    "meta": {},
    "folder_id": None,
}


def _libre(identifier: str, parent: str, text: str, second: int, **more: Any) -> Object:
    return {
        "messageId": identifier,
        "conversationId": "lc-1",
        "parentMessageId": parent,
        "sender": "User" if more.get("isCreatedByUser") else "GPT-5",
        "text": text,
        "isCreatedByUser": False,
        "error": False,
        "createdAt": f"2025-06-01T08:00:{second:02}.000Z",
        **more,
    }


LIBRE = [
    _libre("l1", NO_PARENT, "When is the regatta?", 1, isCreatedByUser=True, files=[{"filename": "plan.pdf"}]),
    _libre("l2", "l1", "I cannot know.", 2, model="gpt-5"),
    _libre(
        "l3",
        "l1",
        "",
        3,
        model="gpt-5",
        content=[
            {"type": "think", "think": "They said so."},
            {"type": "text", "text": {"value": "On the ninth of June."}},
            {"type": "tool_call", "tool_call": {"name": "calendar"}},
        ],
    ),
    _libre("l4", "l3", "Thanks, and the year?", 4, isCreatedByUser=True),
    _libre("l5", "l4", "Something broke.", 5, error=True),
]


def librechat(*, recursive: bool, branches: bool = True) -> Object:
    """LibreChat's export of one conversation, in one of its four forms."""
    head = {
        "conversationId": "lc-1",
        "endpoint": "openAI",
        "title": "Regatta",
        "exportAt": "10:00:00 GMT+0200",
        "branches": branches,
        "recursive": recursive,
    }
    listed = [message for message in LIBRE if branches or message["messageId"] != "l2"]
    if not recursive:
        return {**head, "messages": listed}
    nested = {message["messageId"]: {**message, "children": []} for message in listed}
    for message in nested.values():
        if message["parentMessageId"] in nested:
            nested[message["parentMessageId"]]["children"].append(message)
    return {**head, "messagesTree": [nested["l1"]]}


MEM0: Object = {
    "results": [
        {
            "id": "582f7525-94ef-44ec-b752-52da5c02f524",
            "memory": "Keeps three goats",
            "hash": "46babdc8603100f81c0d36f8d0fb5ec4",
            "metadata": {"n": 0},
            "created_at": "2026-01-02T03:04:05.296089+00:00",
            "updated_at": "2026-01-03T03:04:05.296089-08:00",
            "user_id": "ada",
            "role": "user",
        },
        {
            "id": "m-2",
            "memory": "Packs for a walk:\n- rope\n- lantern",
            "created_at": "2026-01-04T00:00:00Z",
            "updated_at": None,
            "user_id": "ada",
        },
        {"id": "m-3", "memory": "", "user_id": "ada"},
        {"id": "m-4", "memory": "Has a secret", "user_id": "bert"},
    ]
}

OPENMEMORY: Object = {
    "user": {"id": "u", "user_id": "ada", "name": None},
    "apps": [{"id": "app", "name": "claude"}],
    "categories": [],
    "memories": [
        {
            "id": f"om-{state}",
            "user_id": "u",
            "app_id": "app",
            "content": f"Wears {state} boots",
            "metadata": {},
            "state": state,
            "created_at": "2026-02-01T00:00:00+00:00",
            "updated_at": "2026-02-02T00:00:00+00:00",
            "category_ids": [],
        }
        for state in ("active", "deleted", "paused")
    ],
    "export_meta": {"version": "1"},
}


def _letta(role: str, second: int, text: str, **more: Any) -> Object:
    time = f"2025-08-21T23:20:{second:02}.916667+00:00"
    return {"role": role, "content": [{"type": "text", "text": text}], "created_at": time, "tool_calls": None, **more}


def _call(name: str, **arguments: Any) -> Object:
    return {"id": "call", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}


_LETTA_MESSAGES = [
    _letta("system", 1, "You are a rower.\n<memory_blocks>…</memory_blocks>", id="message-0"),
    _letta("user", 2, '{"type": "login", "last_login": "Never", "time": "now"}', id="message-1"),
    _letta("user", 3, '{"type": "user_message", "message": "My oar is ash.", "time": "now"}', id="message-2"),
    _letta("assistant", 4, "They told me of an oar.", tool_calls=[_call("send_message", message="Noted: ash.")]),
    _letta("tool", 5, '{"status": "OK", "message": "Sent message successfully."}', name="send_message"),
    _letta("assistant", 6, "Let me look.", tool_calls=[_call("archival_memory_search", query="oar")]),
    _letta("tool", 7, '{"status": "OK", "message": "Found: an ash oar."}', name="archival_memory_search"),
]
_LETTA_BLOCKS = [
    {"label": "human", "value": "Rows on Sundays", "id": "block-0"},
    {"label": "boats", "value": "Heron: a skiff\nEgret: a scull", "id": "block-1"},
    {"label": "persona", "value": "I am a rower.", "id": "block-2"},
]
LETTA: Object = {
    "agents": [{"id": "agent-0", "name": "Rower", "messages": _LETTA_MESSAGES, "block_ids": ["block-0"]}],
    "groups": [],
    "blocks": _LETTA_BLOCKS,
    "files": [],
    "sources": [],
    "tools": [],
    "mcp_servers": [],
    "metadata": {"revision_id": "1"},
    "created_at": "2025-08-21T23:30:00+00:00",
}
LETTA_OF_ONE: Object = {
    "agent_type": "memgpt_agent",
    "core_memory": _LETTA_BLOCKS,
    "created_at": "2025-08-21T23:20:00",
    "messages": _LETTA_MESSAGES,
    "name": "Rower",
    "version": "0.6.47",
}
PASSAGES = [
    {
        "id": "passage-1",
        "text": "The oar was a gift",
        "archive_id": "archive-1",
        "embedding": [0.0] * 8,
        "created_at": "2025-08-20T00:00:00Z",
    }
]

SHAREGPT = [
    {
        "id": "s-1",
        "conversations": [
            {"from": "system", "value": "Be brief."},
            {"from": "human", "value": "Name a heron."},
            {"from": "gpt", "value": "<think>Which?</think>Grey heron."},
            {"from": "function_call", "value": "{}"},
            {"from": "observation", "value": "seen"},
        ],
    },
    {"messages": [{"role": "user", "content": [{"type": "text", "text": "And an egret?"}, {"type": "image_url"}]}]},
]


def json_of(document: Any) -> bytes:
    return json.dumps(document).encode()


def zip_of(**files: bytes) -> bytes:
    """A zip file, its files by their names, in which "__" is a full stop."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name.replace("__", "."), content)
    return made.getvalue()
