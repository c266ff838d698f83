"""What becomes of a conversation whose client goes on from an earlier place."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from tests.checks import eventually
from tests.openai_chat import facts_of
from tests.scripted_model import Behaviour, ScriptedModel, answer, calling, status

Messages = list[Any]
FIRST, SECOND, THIRD = "My barge is called Nixe.", "She lies at the Spree.", "Her hull is red."


class Client:
    """A client that sends the whole history each time, and keeps it."""

    def __init__(self, chat: httpx.Client, model: ScriptedModel, memory: str) -> None:
        self.chat, self.model, self.memory = chat, model, memory
        self.history: Messages = []

    def ask(self, text: str, said: str, history: Sequence[Any] | None = None) -> None:
        """Asks after a history, the client's own where none is given, and takes up the answer."""
        self.history = [*(self.history if history is None else history), {"role": "user", "content": text}]
        given = self.send(said).json()["choices"][0]["message"]["content"]
        self.history.append({"role": "assistant", "content": given})

    def send(self, said: str, **more: Any) -> httpx.Response:
        self.model.script(answer(said))
        body = {"model": "gpt-test", "messages": self.history, "memory_id": self.memory, **more}
        return self.chat.post("/v1/chat/completions", json=body).raise_for_status()

    @property
    def messages(self) -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = self.chat.get(f"/v1/sessions/{self.memory}/messages").json()["items"]
        return items

    @property
    def line(self) -> list[str]:
        return [one["content"] for one in self.messages if one["branch"] is None]

    @property
    def beside(self) -> dict[str, str]:
        return {one["content"]: one["branch"] for one in self.messages if one["branch"] is not None}

    def follows(self, text: str) -> str | None:
        """The text of the message that one follows."""
        by_id = {one["id"]: one["content"] for one in self.messages}
        [found] = {one["follows"] for one in self.messages if one["content"] == text}
        return by_id[found] if found is not None else None


@pytest.fixture
def talk(chat: httpx.Client, model: ScriptedModel, user: str) -> Client:
    client = Client(chat, model, user)
    for text, said in ((FIRST, "A fine name."), (SECOND, "A fine river."), (THIRD, "A fine colour.")):
        client.ask(text, said)
    return client


def test_a_plain_conversation_is_one_line(talk: Client) -> None:
    assert talk.line == [FIRST, "A fine name.", SECOND, "A fine river.", THIRD, "A fine colour."]
    assert talk.beside == {}
    assert [talk.follows(text) for text in talk.line] == [None, *talk.line[:-1]]


def test_an_answer_that_is_asked_for_again_takes_the_place_of_the_first(talk: Client) -> None:
    talk.history.pop()
    talk.send("Red as rust.")
    assert talk.line == [FIRST, "A fine name.", SECOND, "A fine river.", THIRD, "Red as rust."]
    assert talk.beside == {"A fine colour.": "replaced"}
    assert talk.follows("A fine colour.") == talk.follows("Red as rust.") == THIRD


def test_the_answer_that_another_takes_the_place_of_is_no_memory_for_it(talk: Client) -> None:
    talk.ask("What dish should I serve at the boat's party?", "Serve lasagne with aubergine at the boat's party.")
    talk.history.pop()
    talk.send("Soup.")
    sent = talk.model.asked("chat")[-1]["messages"]
    assert not any("lasagne" in message["content"] for message in sent)


def test_the_second_answer_has_a_receipt_of_its_own_that_names_the_message(talk: Client) -> None:
    talk.history.pop()
    found = talk.send("Red as rust.")
    receipt = talk.chat.get(f"/v1/receipts/{found.headers['x-loci-turn']}").json()
    texts = {one["id"]: one["content"] for one in talk.messages}
    assert [texts[one] for one in receipt["messages"]] == [THIRD, "Red as rust."]


def test_a_message_that_is_edited_takes_the_place_of_the_first(talk: Client) -> None:
    talk.ask("Her hull is green.", "Like moss.", talk.history[:-2])
    assert talk.line == [FIRST, "A fine name.", SECOND, "A fine river.", "Her hull is green.", "Like moss."]
    assert talk.beside == {THIRD: "replaced", "A fine colour.": "replaced"}
    assert talk.follows(THIRD) == talk.follows("Her hull is green.") == "A fine river."


def test_what_came_after_an_edited_message_leaves_the_line_with_it(talk: Client) -> None:
    talk.ask("She lies at the Havel.", "Another river.", talk.history[:2])
    assert talk.line == [FIRST, "A fine name.", "She lies at the Havel.", "Another river."]
    assert talk.beside == {
        SECOND: "replaced",
        "A fine river.": "replaced",
        THIRD: "left",
        "A fine colour.": "left",
    }
    talk.ask("Her mast is oak.", "Good wood.")
    assert talk.line[-2:] == ["Her mast is oak.", "Good wood."] and len(talk.line) == 6


def test_of_two_branches_that_are_gone_on_with_in_turn_the_last_is_the_line(talk: Client) -> None:
    first = talk.history
    talk.ask("Her hull is green.", "Like moss.", first[:-2])
    second = talk.history
    talk.ask("Repaint it?", "Red stays.", first)
    first = talk.history
    assert talk.line == [one["content"] for one in first]
    assert talk.beside == {"Her hull is green.": "replaced", "Like moss.": "replaced"}
    talk.ask("Repaint her?", "Green stays.", second)
    assert talk.line == [one["content"] for one in talk.history]
    talk.ask("And the mast?", "Oak.", first)
    assert talk.line == [one["content"] for one in talk.history]
    assert set(talk.beside) == {"Her hull is green.", "Like moss.", "Repaint her?", "Green stays."}


def test_an_earlier_answer_that_is_gone_on_with_comes_back(talk: Client) -> None:
    first = [*talk.history]
    talk.history.pop()
    talk.send("Red as rust.")
    talk.ask("Is rust bad?", "Yes.", [*first[:-1], {"role": "assistant", "content": "Red as rust."}])
    talk.ask("Is it?", "It is.", first)
    assert talk.line == [*(one["content"] for one in first), "Is it?", "It is."]


@pytest.mark.parametrize("kept", [1, 2, 3])
def test_a_history_that_was_cut_is_the_same_conversation(talk: Client, kept: int) -> None:
    talk.ask("How long is she?", "Ten metres.", talk.history[-kept:])
    assert talk.line == [
        FIRST,
        "A fine name.",
        SECOND,
        "A fine river.",
        THIRD,
        "A fine colour.",
        "How long is she?",
        "Ten metres.",
    ]
    assert talk.beside == {}


@pytest.mark.parametrize("role", ["system", "user", "assistant"])
def test_a_history_that_was_summed_up_is_the_same_conversation(talk: Client, role: str) -> None:
    summary = {"role": role, "content": "Summary: the user has a barge at the Spree."}
    talk.ask("How long is she?", "Ten metres.", [summary, *talk.history[-2:]])
    assert talk.line[:6] == [FIRST, "A fine name.", SECOND, "A fine river.", THIRD, "A fine colour."]
    assert talk.line[-2:] == ["How long is she?", "Ten metres."]
    assert talk.beside == {}


def test_the_first_answer_is_asked_for_again(chat: httpx.Client, model: ScriptedModel, user: str) -> None:
    talk = Client(chat, model, user)
    talk.ask(FIRST, "A fine name.")
    talk.history.pop()
    talk.send("A water sprite.")
    assert (talk.line, talk.beside) == ([FIRST, "A water sprite."], {"A fine name.": "replaced"})


ALONE = pytest.mark.parametrize("sent", [0, -1], ids=["with its history", "alone"])


@ALONE
def test_a_message_whose_answer_failed_is_asked_again_once(talk: Client, sent: int) -> None:
    talk.history.append({"role": "user", "content": "How long is she?"})
    body = {"model": "gpt-test", "messages": talk.history[sent:], "memory_id": talk.memory}
    talk.model.script(status(500))
    assert talk.chat.post("/v1/chat/completions", json=body).status_code == 500
    talk.model.script(answer("Ten metres."))
    assert talk.chat.post("/v1/chat/completions", json=body).status_code == 200
    assert talk.line[-2:] == ["How long is she?", "Ten metres."] and len(talk.line) == 8
    assert talk.beside == {}


def test_a_message_that_is_edited_before_its_answer_comes_is_replaced_with_it(talk: Client) -> None:
    def send(text: str) -> None:
        messages = [*talk.history, {"role": "user", "content": text}]
        body = {"model": "gpt-test", "messages": messages, "memory_id": talk.memory}
        talk.chat.post("/v1/chat/completions", json=body).raise_for_status()

    talk.model.script(Behaviour(text="Ten metres.", delay=1), answer("She is green."))
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(send, "How long is she?")
        eventually(lambda: talk.line[-1] == "How long is she?")
        send("What colour is she?")
        first.result()
    assert talk.line[-2:] == ["What colour is she?", "She is green."]
    assert talk.beside == {"How long is she?": "replaced", "Ten metres.": "replaced"}


@ALONE
def test_the_same_request_twice_at_once_is_one_message_of_the_users(talk: Client, sent: int) -> None:
    talk.history.append({"role": "user", "content": "How long is she?"})
    body = {"model": "gpt-test", "messages": talk.history[sent:], "memory_id": talk.memory}
    talk.model.script(Behaviour(text="Ten metres.", delay=0.3), Behaviour(text="Eleven metres.", delay=0.3))
    with ThreadPoolExecutor(2) as pool:
        given = list(pool.map(lambda _: talk.chat.post("/v1/chat/completions", json=body), range(2)))
    assert [one.status_code for one in given] == [200, 200]
    assert talk.line[:-1] == [*(one["content"] for one in talk.history)]
    assert {talk.line[-1], *talk.beside} == {"Ten metres.", "Eleven metres."} and len(talk.beside) == 1


@ALONE
def test_the_same_request_at_two_processes_at_once_is_one_message_of_the_line(
    talk: Client, second: httpx.Client, sent: int
) -> None:
    talk.history.append({"role": "user", "content": "How long is she?"})
    body = {"model": "gpt-test", "messages": talk.history[sent:], "memory_id": talk.memory}
    talk.model.script(Behaviour(text="Ten metres.", delay=0.5), Behaviour(text="Eleven metres.", delay=0.5))
    second.params = talk.chat.params
    with ThreadPoolExecutor(2) as pool:
        given = list(pool.map(lambda one: one.post("/v1/chat/completions", json=body), (talk.chat, second)))
    assert [one.status_code for one in given] == [200, 200]
    assert talk.line[:-1] == [one["content"] for one in talk.history] and talk.line[-1].endswith("en metres.")
    assert len(set(talk.beside.values())) <= 1  # the second may have found the first one's message, and left it or not


@pytest.mark.parametrize(
    "complaint",
    [
        "Correct your JSON ONLY RESPONSE, based on the following errors:\nname: field required",
        "Your previous response failed the application's validation (this is automated feedback, not a message from "
        "the user):\n<pyai:validation_errors>\n[]\n</pyai:validation_errors>",
    ],
    ids=["instructor", "pydantic-ai"],
)
def test_a_validation_loop_leaves_one_message_and_its_last_answer(
    chat: httpx.Client, model: ScriptedModel, user: str, complaint: str
) -> None:
    talk = Client(chat, model, user)
    talk.ask(FIRST, "{}")
    for said in ('{"nam": 1}', '{"name": "Nixe"}'):
        talk.history.append({"role": "user", "content": complaint})
        talk.send(said)
        talk.history.append({"role": "assistant", "content": said})
    assert talk.line == [FIRST, '{"name": "Nixe"}']
    assert talk.beside == {"{}": "replaced", '{"nam": 1}': "replaced"}
    talk.ask(SECOND, "A fine river.", [talk.history[0], talk.history[-1]])
    assert talk.line == [FIRST, '{"name": "Nixe"}', SECOND, "A fine river."]


def test_a_loop_of_tools_is_one_message_also_where_its_answer_is_asked_for_again(talk: Client) -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "tide", "arguments": "{}"}}
    talk.history.append({"role": "user", "content": "Is it ebb?"})
    talk.model.script(calling("tide", "Let me look."))
    body = {"model": "gpt-test", "messages": talk.history, "memory_id": talk.memory}
    first = talk.chat.post("/v1/chat/completions", json=body)
    talk.history += [
        {"role": "assistant", "content": "Let me look.", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": "ebb"},
    ]
    second = talk.send("It is.")
    assert first.headers["x-loci-turn"] == second.headers["x-loci-turn"]
    assert talk.line[-2:] == ["Is it ebb?", "It is."] and len(talk.line) == 8
    third = talk.send("Ebb, yes.")
    assert third.headers["x-loci-turn"] != second.headers["x-loci-turn"]
    assert talk.line[-2:] == ["Is it ebb?", "Ebb, yes."] and talk.beside == {"It is.": "replaced"}


@pytest.fixture
def by_rules(api: httpx.Client, model: ScriptedModel, user: str) -> Client:
    """Where rules answer, and make facts."""
    return Client(api, model, user)


def test_the_facts_of_an_edited_message_end_and_come_back_with_it(by_rules: Client) -> None:
    talk = by_rules
    talk.ask("Ahoy.", "Ahoy.")
    talk.ask("I live in Madrid.", "Noted.")
    first = talk.history
    eventually(lambda: "The user lives in Madrid." in facts_of(talk.chat, talk.memory))
    talk.ask("I live in Berlin.", "Noted, too.", first[:-2])
    eventually(lambda: facts_of(talk.chat, talk.memory) == ["The user lives in Berlin."])
    talk.ask("Good.", "Very good.", first)
    eventually(lambda: facts_of(talk.chat, talk.memory) == ["The user lives in Madrid."])


def test_an_answer_asked_for_again_leaves_the_facts_of_its_message(by_rules: Client) -> None:
    talk = by_rules
    talk.ask("I live in Madrid.", "Noted.")
    eventually(lambda: "The user lives in Madrid." in facts_of(talk.chat, talk.memory))
    talk.ask("I keep bees.", "Sweet.")
    talk.history = talk.history[:-3]
    talk.send("Noted again.")
    eventually(lambda: facts_of(talk.chat, talk.memory) == ["The user keeps bees.", "The user lives in Madrid."])


def test_a_search_finds_what_was_left_and_not_what_was_replaced(talk: Client) -> None:
    talk.ask("She lies at the Havel.", "Another river.", talk.history[:2])

    def found(query: str) -> list[str]:
        body = {"query": query, "top_k": 20, "session_id": talk.memory}
        return [one["content"] for one in talk.chat.post("/v1/search", json=body).json()["items"]]

    talk.model.forget_script()
    eventually(lambda: THIRD in found("hull red"))
    [replaced] = [one["id"] for one in talk.messages if one["content"] == SECOND]
    talk.history.append({"role": "user", "content": "Where does she lie?"})
    turn = talk.send("At the Havel.").headers["x-loci-turn"]
    asked = talk.chat.get(f"/v1/receipts/{turn}/why-not", params={"id": replaced}).json()
    assert asked["reason"] == "replaced"
    assert {"She lies at the Havel.", SECOND} & {*found("Where does she lie?")} == {"She lies at the Havel."}


def test_branches_come_back_from_an_export(talk: Client, other: str) -> None:
    talk.ask("She lies at the Havel.", "Another river.", talk.history[:2])
    owner = dict(talk.chat.params)["user_id"]
    lines = talk.chat.get(f"/v1/users/{owner}/export").content
    headers = {"content-type": "application/x-ndjson"}
    there = {"user_id": other}
    talk.chat.post(f"/v1/users/{other}/import", content=lines, headers=headers, params=there).raise_for_status()
    kept = talk.chat.get(f"/v1/sessions/{talk.memory}/messages", params=there).json()["items"]
    shown = ("content", "message_index", "follows", "branch")
    assert [[one[name] for name in shown] for one in kept] == [[one[name] for name in shown] for one in talk.messages]


def test_the_answer_in_force_is_known_of_what_came_in(talk: Client, other: str) -> None:
    """Asked again, then taken elsewhere, where its client tells the answer in other words."""
    talk.ask(THIRD, "A finer colour.", talk.history[:4])
    assert talk.beside == {"A fine colour.": "replaced"}
    owner = dict(talk.chat.params)["user_id"]
    lines = talk.chat.get(f"/v1/users/{owner}/export").content
    headers = {"content-type": "application/x-ndjson"}
    talk.chat.params = httpx.QueryParams(user_id=other)
    talk.chat.post(f"/v1/users/{other}/import", content=lines, headers=headers).raise_for_status()
    talk.ask("Her mast is green.", "A fine mast.", [*talk.history[:5], {"role": "assistant", "content": "(in short)"}])
    assert talk.beside == {"A fine colour.": "replaced"}
    assert talk.line[-3:] == ["A finer colour.", "Her mast is green.", "A fine mast."]


def test_a_summary_is_of_the_line_alone(own: httpx.Client, model: ScriptedModel, user: str) -> None:
    """Ten pairs of messages, by rules; what leaves the line later leaves the summary."""
    own.params = httpx.QueryParams(user_id=user)
    talk = Client(own, model, user)
    for number in range(10):
        talk.ask(f"The lamp {number} hangs in the hall {number}.", "")

    def summaries() -> str:
        return str(own.get(f"/v1/sessions/{user}").json()["summaries"])

    eventually(lambda: "lamp 1" in summaries())
    talk.ask("The stove stands in the yard.", "", talk.history[:2])
    eventually(lambda: "lamp 1" not in summaries() and "lamp 0" in summaries())


def test_chats_that_share_a_conversation_leave_each_other_alone(talk: Client) -> None:
    """Each sends its own history; what one says is no other version of what another does."""
    first = talk.history
    talk.ask("My goat is called Elsa.", "A fine goat.", [])
    talk.ask("She is three.", "Young.")
    talk.ask("Is she seaworthy?", "She floats.", first)
    assert talk.beside == {}
    assert talk.line[-6:] == ["My goat is called Elsa.", "A fine goat.", "She is three.", "Young.", *talk.line[-2:]]


def test_what_is_said_by_another_door_meanwhile_stays(talk: Client) -> None:
    talk.chat.post("/query", json={"query": "My goat is called Elsa.", "session_id": talk.memory}).raise_for_status()
    talk.ask("Is she seaworthy?", "She floats.")
    assert talk.beside == {} and "My goat is called Elsa." in talk.line
