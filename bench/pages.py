"""How soon the chat page shows what it is asked for.

    python -m bench.pages [--rounds 5] [--messages 2000] [--sessions 10000]

A server is started over a temporary directory, before a model that answers at once, and Chromium opens its pages on
loopback, each time with nothing kept from before. The user has a chat of so many messages, half of them answers in
Markdown, and so many sessions. Milliseconds, the median and the worst of the rounds:

    first paint     from the address to the first text, of an empty chat
    first token     from the arrival of an answer's first word in the page to the frame that shows it
    model to page   from the model's sending of that word to the same frame
    opening         from the address of the long chat to the frame that shows its newest message
    scrolling       of the long chat, to its start, 240 pixels a frame: the longest frame; `blank frames`: those in
                    which 100 pixels or more of the messages' place show no message
    waiting         in all, at the top of what was read, until older messages came
    sidebar         from the address to the first sessions of so many
    searching       from the last key to the sessions and messages that were searched for, 250 ms of which are waited
                    for another key
"""

import argparse
import json
import shutil
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from statistics import median
from typing import Any

import httpx
from playwright.sync_api import Browser, Page, sync_playwright

from bench.recall.table import table
from bench.speed.server import Server, served
from memory.ids import new_id

OPTIONS = ["--headless", "--no-sandbox", "--disable-gpu"]
LONG = "long"
EMBEDDED = 40  # messages
PIXELS, BLANK = 240, 100  # scrolled a frame; of nothing, from which on it is seen
WORDS = "The harbour crane number {n} was painted blue in spring, and the ferry to the island leaves at half past {n}."
ANSWER = "Noted: crane {n}.\n\n- It is **blue**, and was `green`.\n- The ferry leaves at half past {n}.\n\n{more}"
CODE = "```python\ndef crane(number: int) -> str:\n    return f'crane {number}'\n```\n"
QUERY = "crane 47"
# Notes when something is there: for `first token`, when it arrives, too.
NOTES = """
window.noted = {};
const note = (name) => { window.noted[name] ??= performance.timeOrigin + performance.now(); };
new MutationObserver(() => {
  for (const [name, selector] of Object.entries(window.awaited)) {
    if (document.querySelector(selector)) requestAnimationFrame(() => setTimeout(() => note(name)));
  }
}).observe(document, { childList: true, subtree: true, characterData: true });
const { pipeThrough } = ReadableStream.prototype;
ReadableStream.prototype.pipeThrough = function (...through) {
  const seen = new TransformStream({ transform(chunk, queue) {
    if (new TextDecoder().decode(chunk).includes("event: delta")) note("arrived");
    queue.enqueue(chunk);
  } });
  return pipeThrough.call(pipeThrough.call(this, seen), ...through);
};
"""
SCROLL = """async ([pixels, most]) => {
  const box = document.querySelector(".thread");
  const parts = box.firstElementChild.children;
  const told = { longest: 0, blank: 0, frames: 0, waiting: 0 };
  const gap = () => {
    const { top, bottom } = box.getBoundingClientRect();
    let [low, high] = [0, parts.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (parts[middle].getBoundingClientRect().bottom > top) high = middle;
      else low = middle + 1;
    }
    let [seen, widest] = [top, 0];
    for (let at = low; seen < bottom; at += 1) {
      const part = parts[at]?.getBoundingClientRect();
      widest = Math.max(widest, Math.min(part?.top ?? bottom, bottom) - seen);
      seen = part?.bottom ?? bottom;
    }
    return widest;
  };
  let last = performance.now();
  while (!document.querySelector(".message .said")?.textContent.includes("number 0 ")) {
    await new Promise((done) => requestAnimationFrame(done));
    const now = performance.now();
    told.frames += 1;
    told.longest = Math.max(told.longest, now - last);
    if (gap() > most) told.blank += 1;
    if (box.scrollTop === 0) told.waiting += now - last;
    last = now;
    box.scrollTop -= pixels;
  }
  return told;
}"""


def main(arguments: Sequence[str] | None = None) -> None:
    options = _options(arguments)
    with (
        model() as provider,
        served(OPENAI_BASE_URL=provider.url, OPENAI_API_KEY="sk", EMBEDDING_MODEL="local") as server,
    ):
        fill(server, options.messages, options.sessions)
        with sync_playwright() as playwright:
            found = shutil.which("chromium") or shutil.which("google-chrome")
            browser = playwright.chromium.launch(executable_path=found, args=OPTIONS)
            rows = measured(browser, server.url, provider, options)
            browser.close()
    print(table(["", "median", "worst", "aim"], rows))


def measured(browser: Browser, url: str, provider: "Provider", options: argparse.Namespace) -> list[list[str]]:
    rounds = range(options.rounds)
    first_paint(browser, url)  # the browser, too, has things to read when it is used first
    paint = [first_paint(browser, url) for _ in rounds]
    tokens = [first_token(browser, url, provider) for _ in rounds]
    opening = [shown(browser, f"{url}/?session={LONG}", ".message") for _ in rounds]
    scrolls = [scrolled(browser, url) for _ in range(min(2, options.rounds))]
    sidebar = [shown(browser, url, ".sessions li") for _ in rounds]
    searching = [searched(browser, url) for _ in rounds]
    return [
        row("first paint", paint, "300"),
        row("first token", [token[0] for token in tokens], "100"),
        row("model to page", [token[1] for token in tokens]),
        row(f"opening {options.messages:,} messages", opening, "1,000"),
        row("scrolling: longest frame", [one["longest"] for one in scrolls]),
        row("scrolling: blank frames", [one["blank"] for one in scrolls], "0"),
        row("scrolling: frames", [one["frames"] for one in scrolls]),
        row("waiting", [one["waiting"] for one in scrolls]),
        row(f"sidebar of {options.sessions:,}", sidebar),
        row("searching", searching),
    ]


def row(name: str, values: Sequence[float], aim: str = "") -> list[str]:
    return [name, f"{median(values):,.0f}", f"{max(values):,.0f}", aim]


@contextmanager
def opened(browser: Browser, awaited: dict[str, str]) -> Iterator[Page]:
    """A page of a browser that knows nothing. `awaited`: what is noted once it is there, by a selector."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.add_init_script(f"window.awaited = {json.dumps(awaited)};{NOTES}")
    yield page
    context.close()


def noted(page: Page, name: str) -> float:
    """When something was there, in milliseconds since 1970."""
    page.wait_for_function("name => window.noted[name]", arg=name)
    moment: float = page.evaluate("name => window.noted[name]", name)
    return moment


def begun(page: Page) -> float:
    moment: float = page.evaluate("performance.timeOrigin")
    return moment


def first_paint(browser: Browser, url: str) -> float:
    with opened(browser, {}) as page:
        page.goto(url)
        page.get_by_role("button", name="Send").wait_for()
        painted = page.wait_for_function("performance.getEntriesByName('first-contentful-paint')[0]?.startTime")
        return float(painted.json_value())


def shown(browser: Browser, address: str, selector: str) -> float:
    with opened(browser, {"there": selector}) as page:
        page.goto(address)
        return noted(page, "there") - begun(page)


def first_token(browser: Browser, url: str, provider: "Provider") -> tuple[float, float]:
    with opened(browser, {"there": ".message.assistant .markdown"}) as page:
        page.goto(url)
        page.get_by_label("Message", exact=True).fill("Where does the ferry go?")
        page.keyboard.press("Enter")
        there = noted(page, "there")
        return there - noted(page, "arrived"), there - provider.sent


def scrolled(browser: Browser, url: str) -> dict[str, float]:
    with opened(browser, {}) as page:
        page.goto(f"{url}/?session={LONG}")
        page.locator(".message").last.wait_for()
        told: dict[str, float] = page.evaluate(SCROLL, [PIXELS, BLANK])
        return told


def searched(browser: Browser, url: str) -> float:
    with opened(browser, {"there": ".sessions .found li"}) as page:
        page.goto(url)
        page.locator(".sessions li").first.wait_for()
        page.get_by_label("Search chats").fill(QUERY)
        last: float = page.evaluate("performance.timeOrigin + performance.now()")
        return noted(page, "there") - last


def fill(server: Server, messages: int, sessions: int) -> None:
    """Gives the user a chat of so many messages, and so many other sessions, that are there in name. A few messages are
    embedded, the others have what these have."""
    said = [{"role": ("user", "assistant")[n % 2], "content": text_of(n)} for n in range(EMBEDDED)]
    body = {"session_id": LONG, "messages": said, "wait": True}
    httpx.post(f"{server.url}/v1/messages", json=body, timeout=600).raise_for_status()
    with server.database() as database:
        made = list(database.vectors.find({"session_id": LONG, "message_index": {"$gte": 0}}).sort("message_index", 1))
        copies: list[dict[str, Any]] = []
        for n in range(EMBEDDED, messages):
            own = {"_id": f"copy-{n}", "id": f"copy-{n}", "message_index": n, "content": text_of(n)}
            copies.append(made[n % EMBEDDED] | own | {"embed": {"state": "done"}, "facts": {"state": "done"}})
        database.vectors.insert_many(copies)
        counts = {"message_count": messages, "next_index": messages}
        one = database.sessions.find_one_and_update({"session_id": LONG}, {"$set": counts})
        assert one is not None
        yesterday = datetime.now(UTC) - timedelta(days=1)
        others: list[dict[str, Any]] = []
        for n in range(sessions):
            own = {"_id": f"other-{n}", "session_id": f"other-{n}", "title": f"Of the harbour crane {n}"}
            others.append(one | own | {"events": [], "updated_at": yesterday - timedelta(hours=n)})
        database.sessions.insert_many(others)


def text_of(n: int) -> str:
    return ANSWER.format(n=n, more=CODE if n % 5 == 0 else "") if n % 2 else WORDS.format(n=n)


class Provider(ThreadingHTTPServer):
    """A model that answers at once; `sent`: when it sent the first word of its last stream, as `noted` has it."""

    daemon_threads = True
    sent = 0.0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class Answering(BaseHTTPRequestHandler):
    server: Provider

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.send_response(200)
        self.send_header("connection", "close")
        self.send_header("content-type", "text/event-stream" if asked.get("stream") else "application/json")
        self.end_headers()
        if not asked.get("stream"):
            self.wfile.write(_json({"message": {"role": "assistant", "content": "{}"}, "finish_reason": "stop"}))
            return
        for at, word in enumerate(("To", "the", "island,", "at", "half", "past", "nine.")):
            if at == 0:
                self.server.sent = time.time() * 1000
            self._chunk({"delta": {"role": "assistant", "content": f"{word} "}, "finish_reason": None})
        self._chunk({"delta": {}, "finish_reason": "stop"})
        self.wfile.write(b"data: [DONE]\n\n")

    def _chunk(self, choice: dict[str, Any]) -> None:
        self.wfile.write(b"data: " + _json(choice, "chat.completion.chunk") + b"\n\n")

    def log_message(self, *_: object) -> None: ...


def _json(choice: dict[str, Any], kind: str = "chat.completion") -> bytes:
    choices = [{"index": 0} | choice]
    return json.dumps({"id": new_id(), "object": kind, "created": 0, "model": "m", "choices": choices}).encode()


@contextmanager
def model() -> Iterator[Provider]:
    provider = Provider(("127.0.0.1", 0), Answering)
    threading.Thread(target=provider.serve_forever, daemon=True).start()
    yield provider
    provider.shutdown()


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.pages", description="How soon the chat page shows things")
    for name, default in (("--rounds", 5), ("--messages", 2_000), ("--sessions", 10_000)):
        parser.add_argument(name, type=int, default=default)
    return parser.parse_args(arguments)


if __name__ == "__main__":
    main()
