"""Prompts: one Markdown file each under `prompts/`, with `$variables`, checked at start-up."""

import json
from functools import lru_cache
from pathlib import Path
from string import Template
from urllib.parse import urlsplit

FOLDER = Path(__file__).parent / "prompts"
PROVIDERS = Path(__file__).parent / "provider_prompts.json"

PLAIN = ("summary", "title", "vision", "digest", "facts", "observer", "observations")
OF_BANKS = ("bank_project", "bank_code", "bank_global", "bank_others", "bank_update")
# Every prompt, with the variables that it takes.
VARIABLES: dict[str, frozenset[str]] = dict.fromkeys((*PLAIN, *OF_BANKS), frozenset()) | {
    "bank_optimise": frozenset({"target", "least", "characters"}),
    "reconcile": frozenset({"new", "facts"}),
    "together": frozenset({"tasks", "fields"}),
}


@lru_cache
def prompt(name: str) -> Template:
    return Template((FOLDER / f"{name}.md").read_text(encoding="utf-8").strip())


@lru_cache
def _providers() -> dict[str, dict[str, str | list[str]]]:
    providers: dict[str, dict[str, str | list[str]]] = json.loads(PROVIDERS.read_text(encoding="utf-8"))
    return providers


def provider_prompt(base_url: str | None) -> str:
    """The system prompt for the provider behind a base URL, told by its host; the default one for any other."""
    host = urlsplit(base_url).hostname or "" if base_url else "api.openai.com"
    for provider in _providers().values():
        if any(host == known or host.endswith("." + known) for known in provider.get("hosts", [])):
            return str(provider["system"])
    return str(_providers()["default"]["system"])


def check_prompts() -> None:
    """Reads every prompt. Raises `ValueError` where one is missing or takes other variables than it is given."""
    for name, variables in VARIABLES.items():
        found = set(prompt(name).get_identifiers())
        if found != variables:
            raise ValueError(f"config/prompts/{name}.md takes {sorted(found)}, not {sorted(variables)}")
    if "system" not in _providers().get("default", {}):
        raise ValueError("config/provider_prompts.json has no default system prompt")
