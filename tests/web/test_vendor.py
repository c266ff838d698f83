"""The libraries that the pages load are those that the list beside them names."""

import gzip
import hashlib
import re
from pathlib import Path

import pytest

from agents.chat import answering, keeper_agent
from memory.portable import items, records, sources

ROOT = Path(__file__).parents[2]
WEB = ROOT / "web"
LIST = (WEB / "vendor/README.md").read_text()
OVER_THE_WIRE = 250_000  # bytes of all that a page can come to load


def test_each_library_has_the_sum_that_is_listed() -> None:
    listed = dict(re.findall(r"^\| `([\w.]+)` .* `([0-9a-f]{64})` \|$", LIST, re.MULTILINE))
    found = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in (WEB / "vendor").glob("*.js")}
    assert found == listed


def test_all_that_a_page_loads_is_small() -> None:
    files = [path for path in WEB.rglob("*") if path.suffix in (".js", ".css", ".html", ".svg")]
    assert sum(len(gzip.compress(path.read_bytes())) for path in files) < OVER_THE_WIRE


def test_every_language_says_all_and_nothing_else() -> None:
    said = {
        path.stem: set(re.findall(r"^  (\w+):", path.read_text(), re.MULTILINE))
        for path in (WEB / "texts").glob("*.js")
    }
    assert len(said) >= 3
    assert all(names == said["en"] for names in said.values())


def test_every_language_says_why_something_of_a_file_is_left_out() -> None:
    named = vars(items) | vars(records) | {"OTHER_USER": sources.OTHER_USER}
    reasons = {text for name, text in named.items() if name.isupper() and isinstance(text, str) and " " in text}
    assert len(reasons) > 10
    for path in (WEB / "texts").glob("*.js"):
        missing = [reason for reason in reasons if f'"{reason}": "' not in path.read_text()]
        assert missing == [] or path.stem == "en"


def test_every_language_has_the_sentences_that_rules_answer_with() -> None:
    given = (ROOT / "agents/chat/answering.py").read_text() + (ROOT / "agents/chat/keeper_agent.py").read_text()
    tables = {}
    for path in (WEB / "texts").glob("*.js"):
        [table] = re.findall(r"^  byRules: \{(.*?)\},$", path.read_text(), re.MULTILINE | re.DOTALL)
        tables[path.stem] = set(re.findall(r'^    "([^"]+)": "', table, re.MULTILINE))
    both = f"{answering.NOT_KNOWN} {answering.ELSE_NEEDS_MODEL}"
    named = {text for one in (answering, keeper_agent) for text in vars(one).values() if isinstance(text, str)}
    assert tables.pop("en") == set()
    for sentences in tables.values():
        assert {answering.NOT_KNOWN, both, answering.NEEDS_MODEL, "Noted. I'll remember that."} <= sentences
        assert {keeper_agent.IN_ENGLISH, keeper_agent.TEMPORARY, keeper_agent.PAUSED} <= sentences
        assert [one for one in sentences - named - {both} if f'"{one}"' not in given] == []


def modules(path: Path, seen: list[Path]) -> list[Path]:
    """A script with those that it imports, and these in turn."""
    if path not in seen:
        seen.append(path)
        for name in re.findall(r'^import (?:[^"]*? from )?"([^"]+)"', path.read_text(), re.MULTILINE):
            modules((path.parent / name).resolve(), seen)
    return seen


@pytest.mark.parametrize("page", ["index", "memory", "admin"])
def test_a_page_names_all_its_scripts_at_once(page: str) -> None:
    html = (WEB / f"{page}.html").read_text()
    [main] = re.findall(r'<script type="module" src="web/([^"]+)"', html)
    named = re.findall(r'<link rel="modulepreload" href="web/([^"]+)">', html)
    needed = {str(path.relative_to(WEB)) for path in modules(WEB / main, [])[1:]} | {"texts/en.js"}
    assert sorted(named) == sorted(needed)


def test_the_chat_is_there_before_what_draws_answers() -> None:
    first = {path.name for path in modules(WEB / "chat/main.js", [])}
    assert "preact.js" in first
    assert first.isdisjoint({"marked.js", "purify.js", "highlight.js", "temml.js"})
