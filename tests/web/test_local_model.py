"""A conversation with a real language model, small and in the server's process, from end to end; needs `make local`."""

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import httpx
import pytest
from openai import OpenAI
from playwright.sync_api import Page, expect

from tests.processes import free_port, loci, run

pytestmark = [
    pytest.mark.skipif(find_spec("xllamacpp") is None, reason="`make local` was not run"),
    pytest.mark.timeout(600),  # some 20 answers by a model on the CPU, beside other tests
]

SECONDS = 120
BRIEF = {"temperature": 0, "max_tokens": 40}
LOOKUPS = (  # told in two sessions, and asked in others
    ("My dog is called Biscuit.", "What is my dog called?", "biscuit"),
    ("My sister lives in Lisbon.", "Where does my sister live?", "lisbon"),
    ("I drive a green Saab.", "What car do I drive?", "saab"),
    ("My locker number is 4711.", "What is my locker number?", "4711"),
    ("My favourite tea is rooibos.", "What is my favourite tea?", "rooibos"),
    ("Our standup is at 9:30.", "When is our standup?", "9:30"),
    ("My brother works as a baker.", "What does my brother work as?", "bak"),
    ("My bike is parked behind the church.", "Where is my bike parked?", "church"),
    ("I play the cello on Sundays.", "Which instrument do I play?", "cello"),
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
    [done] = [event for event in events if event.startswith("event: done")]
    return done


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


def test_a_lookup_is_answered_in_the_page(address: str, page: Page) -> None:
    page.goto(address)
    page.get_by_role("textbox").first.fill(LOOKUPS[0][1])
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_contain_text("Biscuit", timeout=SECONDS * 1000)


def test_a_provider_of_its_own_is_refused(tmp_path: Path) -> None:
    refused = run(tmp_path, "serve", "--local-model", openai_api_key="sk")
    assert refused.returncode == 1
    assert "unset" in refused.stderr
