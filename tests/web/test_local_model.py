"""A conversation with a real language model, small and in the server's process, from end to end.

It needs `make local`, and some minutes by itself, so it runs where LOCI_TEST_LOCAL_MODEL is set.
"""

import os
from collections.abc import Callable, Iterator

import httpx
import orjson
import pytest
from openai import OpenAI
from playwright.sync_api import Page, expect

from tests.checks import eventually
from tests.processes import free_port, loci

pytestmark = [
    pytest.mark.skipif("LOCI_TEST_LOCAL_MODEL" not in os.environ, reason="LOCI_TEST_LOCAL_MODEL is not set"),
    pytest.mark.timeout(600),
]

SECONDS = 120
BRIEF = {"temperature": 0, "max_tokens": 24}
LOOKUPS = (  # told in two sessions, and asked in others
    ("My dog is called Biscuit.", "What is my dog called?", "biscuit"),
    ("My sister lives in Lisbon.", "Where does my sister live?", "lisbon"),
    ("I drive a green Saab.", "What car do I drive?", "saab"),
    ("My locker number is 4711.", "What is my locker number?", "4711"),
    ("My boat's name is Nixe.", "What is my boat's name?", "nixe"),
    ("Our standup is at 9:30.", "At what time is our standup?", "9:30"),
    ("My brother works as a baker.", "What is my brother's job?", "baker"),
    ("My bike is parked behind the church.", "Where is my bike parked?", "church"),
    ("My teacher's name is Anselm.", "What is my teacher's name?", "anselm"),
    ("My daughter's name is Ottilie.", "What is my daughter's name?", "ottilie"),
)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    port = free_port()
    with loci(tmp_path_factory.mktemp("home"), "serve", "--local-model", port=port) as process:
        process.says("Loci is at", SECONDS)
        address = f"http://127.0.0.1:{port}"
        for number, told in enumerate((LOOKUPS[:5], LOOKUPS[5:])):
            messages = [{"role": "user", "content": statement} for statement, _, _ in told]
            body = {"session_id": f"told {number}", "messages": messages, "wait": True}
            httpx.post(f"{address}/v1/messages", json=body, timeout=SECONDS).raise_for_status()
        eventually(lambda: len(httpx.get(f"{address}/v1/profile").json()["items"]) == len(LOOKUPS), SECONDS)
        yield address
        assert process.stop() == 0


def by_query(address: str, question: str, remembers: bool) -> str:
    body = {"query": question, "use_memory": remembers, **BRIEF}
    answer = httpx.post(f"{address}/query", json=body, timeout=SECONDS).json()
    assert answer["model"] != "rule_based"
    return str(answer["response"])


def by_stream(address: str, question: str, remembers: bool) -> str:
    body = {"query": question, "use_memory": remembers, "stream": True, **BRIEF}
    events = httpx.post(f"{address}/query", json=body, timeout=SECONDS).text.split("\n\n")
    [done] = [event.partition("data: ")[2] for event in events if event.startswith("event: done")]
    return str(orjson.loads(done)["response"])


def by_proxy(address: str, question: str, remembers: bool) -> str:
    client = OpenAI(base_url=f"{address}/v1", api_key="loci", timeout=SECONDS)
    answer = client.chat.completions.create(
        model="smollm2-135m-instruct",
        messages=[{"role": "user", "content": question}],
        **BRIEF,
        extra_body={"memory_id": f"asked {remembers}", "memory_strategy": "recall" if remembers else "none"},
    )
    return answer.choices[0].message.content or ""


def by_proxied_stream(address: str, question: str, remembers: bool) -> str:
    client = OpenAI(base_url=f"{address}/v1", api_key="loci", timeout=SECONDS)
    pieces = client.chat.completions.create(
        model="smollm2-135m-instruct",
        messages=[{"role": "user", "content": question}],
        **BRIEF,
        stream=True,
        extra_body={"memory_id": f"asked {remembers}", "memory_strategy": "recall" if remembers else "none"},
    )
    return "".join(piece.choices[0].delta.content or "" for piece in pieces if piece.choices)


DOORS: tuple[Callable[[str, str, bool], str], ...] = (by_query, by_stream, by_proxy, by_proxied_stream)


def test_eight_of_ten_lookups_are_answered_from_memory_and_none_without_it(address: str) -> None:
    for remembers in (True, False):
        answers = [
            (DOORS[number % len(DOORS)](address, question, remembers), wanted)
            for number, (_, question, wanted) in enumerate(LOOKUPS)
        ]
        right = [answer for answer, wanted in answers if wanted in answer.casefold()]
        assert len(right) >= 8 if remembers else not right, answers


def test_what_the_model_guessed_without_memory_is_no_memory(address: str) -> None:
    for _, question, _ in LOOKUPS:
        by_query(address, question, remembers=False)
    answers = [
        DOORS[number % len(DOORS)](address, question, True).casefold()
        for number, (_, question, _) in enumerate(LOOKUPS)
    ]
    assert sum(wanted in answer for (_, _, wanted), answer in zip(LOOKUPS, answers, strict=True)) >= 8, answers


def test_a_lookup_is_answered_in_the_page(address: str, page: Page) -> None:
    page.goto(address)
    page.get_by_role("textbox").first.fill("What is my locker number?")
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_contain_text("4711", timeout=SECONDS * 1000)
