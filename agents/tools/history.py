"""Is an agent's history such as a provider takes? What is wrong with it is said at once, and where."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from agents.tools.messages import RESULTS, calls_of
from utils.errors import InvalidInput

ROLES = ("system", "developer", "user", "assistant", "tool", "function")
WITHOUT_CONTENT = ("tool_calls", "function_call", "refusal", "audio")  # with which the assistant may say nothing


def check_history(messages: object) -> None:
    """Raises `InvalidInput` with the place of what no provider takes."""
    if not isinstance(messages, list | tuple):
        raise InvalidInput("messages: must be a list of messages")
    for at, message in enumerate(messages):
        if not isinstance(message, Mapping):
            raise InvalidInput(f"messages.{at}: must be an object")
        if (wrong := wrong_with(message)) is not None:
            raise InvalidInput(f"messages.{at}.{wrong}")
    if (misplaced := misplaced_in(messages)) is not None:
        raise InvalidInput(f"messages.{misplaced}")


def wrong_with(message: Mapping[str, Any]) -> str | None:
    """What is wrong with a message, and where in it; None where nothing is. Fields that are not known here pass."""
    role = message.get("role")
    if role not in ROLES:
        return f"role: must be one of {', '.join(ROLES)}"
    if (wrong := _wrong_content(message)) is not None:
        return f"content: {wrong}"
    if role == "tool" and not _is_name(message.get("tool_call_id")):
        return "tool_call_id: must be a string that names the call"
    calls = message.get("tool_calls")
    if calls is not None and not isinstance(calls, list):
        return "tool_calls: must be a list"
    wrongs = ((at, _wrong_call(call)) for at, call in enumerate(calls or ()))
    return next((f"tool_calls.{at}{wrong}" for at, wrong in wrongs if wrong), None) or _wrong_former(message)


def misplaced_in(messages: Sequence[Mapping[str, Any]]) -> str | None:
    """Which result behind calls answers none of them, and why, as `place.field: reason`; None where all do. Results
    elsewhere are taken, since views have them among what was retrieved: an agent let go of what they answer."""
    waiting: Counter[str] | None = None  # results that may still come behind the last calls, by id
    for at, message in enumerate(messages):
        if calls := calls_of(message):
            waiting = Counter(str(call["id"]) for call in calls if "id" in call)
        elif message.get("role") not in RESULTS:
            waiting = None
        elif message.get("role") == "tool" and waiting is not None:
            call_id = str(message.get("tool_call_id"))
            if call_id not in waiting:
                return f"{at}.tool_call_id: none of the calls before it has this id"
            waiting[call_id] -= 1
            if waiting[call_id] < 0:
                return f"{at}.tool_call_id: the call with this id has a result already"
    return None


def _wrong_call(call: object) -> str | None:
    if not isinstance(call, Mapping):
        return ": must be an object"
    function, custom = call.get("function"), call.get("custom")
    if function is not None and not isinstance(function, Mapping):
        return ".function: must be an object"
    called = function or custom
    if not isinstance(called, Mapping) or not _is_name(called.get("name")):
        return ": must name the function"
    if not _is_name(call.get("id")):
        return ".id: must be a string that results name"
    if function and not isinstance(function.get("arguments", ""), str):
        return ".function.arguments: must be a string of JSON"
    if not function and not isinstance(called.get("input", ""), str):
        return ".custom.input: must be a string"
    return None


def _wrong_former(message: Mapping[str, Any]) -> str | None:
    """What is wrong with a call of OpenAI's former kind."""
    call = message.get("function_call")
    if call is None:
        return None
    if not isinstance(call, Mapping) or not _is_name(call.get("name")):
        return "function_call: must name the function"
    return None if isinstance(call.get("arguments", ""), str) else "function_call.arguments: must be a string of JSON"


def _is_name(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _wrong_content(message: Mapping[str, Any]) -> str | None:
    """What is wrong with the content of a message; None where nothing is."""
    content, role = message.get("content"), message["role"]
    if content is None:
        may_be = role == "function" or (role == "assistant" and any(message.get(name) for name in WITHOUT_CONTENT))
        return None if may_be else f"must not be missing or null in a message of the role {role}"
    if isinstance(content, str):
        return None
    if not isinstance(content, list):
        return "must be a string or a list of parts"
    for at, part in enumerate(content):
        if not isinstance(part, dict):
            return f"its part {at} must be an object"
        if not isinstance(part.get("type"), str) and not isinstance(part.get("text"), str):
            return f'its part {at} must have a type, such as {{"type": "text", "text": "…"}}; JSON goes in as a string'
    return None
