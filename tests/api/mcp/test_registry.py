"""`server.json`, by which MCP's registry lists Loci, says what the registry demands (schema of 2025-12-11)."""

import json
import re
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]
DESCRIBED = 100  # characters of a description at most
VARIABLE = re.compile(r"{(\w+)}")


def test_it_says_what_the_registry_demands() -> None:
    listed: dict[str, Any] = json.loads((ROOT / "server.json").read_text())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert listed["$schema"].endswith("/schemas/2025-12-11/server.schema.json")
    assert listed["version"] == project["version"]
    assert re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", listed["name"])
    assert 1 <= len(listed["description"]) <= DESCRIBED
    for remote in listed["remotes"]:
        assert remote["type"] == "streamable-http"
        assert re.fullmatch(r"https://\S+/mcp", remote["url"])  # the registry takes no other addresses
        assert set(VARIABLE.findall(remote["url"])) == remote["variables"].keys()
        for header in remote["headers"]:
            assert header["isSecret"] and set(VARIABLE.findall(header["value"])) == header["variables"].keys()
