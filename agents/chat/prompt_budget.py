"""The prompt that goes by tokens: instructions, the running conversation as messages of their own and uncut, what is
known that matters here, and the user's message as it was sent; pure functions.

What changes least stands first, for providers keep what two prompts begin with: instructions and the day, then the
conversation, and only behind it the time and what is known, which are others with every message.

What gives way where there is no room for all: first the older conversation, into its summaries; then the least likely
memories. The newest messages have half of what the instructions, the user's message and the answer leave, in any case.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from agents.chat.context import Context
from agents.chat.known import Shown, date_of, share_of, what_is_known
from agents.chat.prompt import Prompt, PromptMessage, PromptSection, Speaker, instructions_of
from config.recipes import PromptBudget
from memory.domain import TURN, Gist
from utils.text import IMAGE as PLACEHOLDER
from utils.text import count_tokens, on_one_line
from utils.thoughts import without_thoughts

FRAME = 4  # tokens of a message beside its text
IMAGE_TOKENS = 1_000  # of an image: providers count some 250 to 1,600
SHARE_OF_IMAGES = 0.25  # of a context, that images of messages that are kept may take
NOTED = "I keep that in mind."  # behind it, for templates of some models refuse two messages of one role in a row
UNANSWERED = "(I gave no answer.)"
LEFT_OUT = "(My message is not here any more.)"

Images = Mapping[str, tuple[str, ...]]  # by the ids of messages


def fit(
    context: Context, system: str, budget: PromptBudget, window: int, moment: datetime, *, scale: float = 1.0
) -> Prompt:
    """The prompt for a request. `window`: tokens that the model takes, its answer's with them; `scale`: its tokens for
    each that `count_tokens` gives; `moment`: now."""
    request = context.request
    talk, instructed = _talk(context, moment)
    instructions = instructions_of(system, request, *instructed)
    written = f" The user's locale is {request.locale}." if request.locale else ""
    day = f"\n\nToday is {date_of(moment, context, with_time=False)}.{written}"
    first = PromptMessage("system", (PromptSection("system", instructions), PromptSection("now", day)))
    last = PromptMessage("user", (PromptSection("query", request.query),), request.images if context.sees else ())

    whole = int(window / scale)
    room = whole - min(budget.answer, whole // 4) - _tokens(first) - _tokens(last)
    share = share_of(budget, whole, room)
    images = _images(context, talk, whole * SHARE_OF_IMAGES)
    goes_back = not request.history and len(talk) >= budget.messages
    shown = _newest(talk, images, room - share, budget.step, goes_back=goes_back)
    known = what_is_known(context, budget, share, _shown(context, talk, shown), moment)
    if len(shown) < len(talk):  # what memories left of their share is the conversation's
        shown = _newest(talk, images, room - count_tokens(known.text), budget.step, goes_back=goes_back)
        known = what_is_known(context, budget, share, _shown(context, talk, shown), moment)
    told = (PromptMessage("user", tuple(known.sections)),) if known.sections else ()
    messages = _in_turns((first, *(_message(gist, images) for gist in shown), *told, last))
    return Prompt(tuple(messages), tuple(known.given), known.told)


def _talk(context: Context, moment: datetime) -> tuple[list[Gist], list[str]]:
    """The running conversation, oldest first: what the client sends along, else what is kept; and what the client sent
    as a system's messages."""
    history, session = context.request.history, context.request.session_id
    if not history:
        said = [gist for gist in context.conversation.messages if gist.role != "system" and gist.content.strip()]
        return said, []
    spoken = [replace(item, content=without_thoughts(item.content)) for item in history]
    talk = [
        Gist(str(at), str(at), TURN, session, item.role, item.content, moment, message_index=at)
        for at, item in enumerate(spoken)
        if item.role != "system" and (item.content.strip() or item.images)
    ]
    return talk, [item.content.strip() for item in spoken if item.role == "system"]


def _images(context: Context, talk: Sequence[Gist], room: float) -> Images:
    """The images of the running conversation: all that the client sends along, else the newest that are kept."""
    if context.request.history:
        return {str(at): item.images for at, item in enumerate(context.request.history)}
    images = dict[str, tuple[str, ...]]()
    for gist in reversed(talk):
        if own := context.conversation.images.get(gist.id):
            room -= IMAGE_TOKENS * len(own)
            if room < 0:
                break
            images[gist.id] = own
    return images


def _message(gist: Gist, images: Images) -> PromptMessage:
    """As it was said, with a word for each image that is not shown; a tool's result, of whose call nothing is known
    here, as something the user shows."""
    role: Speaker = "assistant" if gist.role == "assistant" else "user"
    text = gist.content if gist.role in ("user", "assistant") else f"Result of a {gist.role}:\n{gist.content}"
    shown = images.get(gist.id, ()) if gist.role == "user" else ()  # providers take no others
    text = "\n".join([text, *[PLACEHOLDER] * (gist.images - len(shown))])
    return PromptMessage(role, (PromptSection("conversation", text),), shown)


def _shown(context: Context, talk: Sequence[Gist], shown: Sequence[Gist]) -> Shown:
    texts, left = frozenset(on_one_line(gist.content) for gist in shown), talk[: len(talk) - len(shown)]
    if context.request.history:
        return Shown(texts=texts, left=left, sent_along=True)
    first = shown[0].message_index if shown else None
    return Shown(frozenset(gist.id for gist in shown), texts, first, left)


def _in_turns(messages: Sequence[PromptMessage]) -> Iterator[PromptMessage]:
    """Messages with an assistant's between two of the user's, and one of the user's before each of an assistant's: of
    what was forgotten, or has no room, the answer may be left."""
    for before, message in zip((None, *messages), messages, strict=False):
        if before is not None and before.role != "user" and message.role == "assistant":
            yield PromptMessage("user", (PromptSection("turns", LEFT_OUT),))
        if before is not None and before.role == message.role == "user":
            knows = any(section.name == "preamble" for section in before.sections)
            yield PromptMessage("assistant", (PromptSection("turns", NOTED if knows else UNANSWERED),))
        yield message


def _tokens(message: PromptMessage) -> int:
    return FRAME + count_tokens(message.content) + IMAGE_TOKENS * len(message.images)


def _newest(talk: Sequence[Gist], images: Images, room: int, step: float, *, goes_back: bool) -> list[Gist]:
    """As many of the newest messages as there is room for, in their order. `goes_back`: there are others before them.

    Where that is not all, up to a share of `step` of the room stays empty: the first one is that whose place is
    divisible by the highest power of two, and so the same for some turns. If each turn left out one message more, no
    two prompts would begin with the same.
    """
    taken, starts = 0, list[tuple[int, int]]()
    for at in reversed(range(len(talk))):
        taken += _tokens(_message(talk[at], images))
        if taken > room:
            break
        starts.append((at, taken))
    if not starts or (len(starts) == len(talk) and not goes_back):
        return list(talk) if starts else []
    least = (1 - step) * min(room, taken)
    full = [at for at, tokens in starts if tokens >= least] or [starts[-1][0]]
    return list(talk[max(full, key=lambda at: (talk[at].message_index & -talk[at].message_index, -at)) :])
