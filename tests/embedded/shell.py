"""mongosh, as tests drive it."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

MONGOSH = os.environ.get("LOCI_TEST_MONGOSH") or shutil.which("mongosh")
_PROMPT = re.compile(r"^(?:[\w.-]+> )+", re.MULTILINE)


class Shell:
    """One person's mongosh, which writes nothing outside of `home` and asks nobody but the server."""

    def __init__(self, home: Path, uri: str, database: str) -> None:
        config = home / ".mongodb" / "mongosh"
        config.mkdir(parents=True, exist_ok=True)
        (config / "config").write_text(json.dumps({"enableTelemetry": False, "updateURL": ""}))
        self._environment = {**os.environ, "HOME": str(home), "NO_COLOR": "1", "TERM": "dumb"}
        self._address = urlsplit(uri)._replace(path=f"/{database}").geturl()

    def typed(self, *lines: str) -> str:
        """All that is printed in an interactive session in which these lines are typed, from the banner on."""
        return self._run([], "\n".join([*lines, "exit", ""]))

    def answers(self, *expressions: str) -> list[Any]:
        """The value of each expression, one after the other; an error as {code, codeName}."""
        tried = [
            f"try {{ told({each}) }} catch (error) {{ told({{code: error.code, codeName: error.codeName}}) }}"
            for each in expressions
        ]
        script = ["const told = value => print('=' + EJSON.stringify(value === undefined ? null : value))", *tried]
        printed = self._run(["--quiet", "--eval", ";\n".join(script)])
        found = [json.loads(line[1:]) for line in printed.splitlines() if line.startswith("=")]
        assert len(found) == len(expressions), printed
        return found

    def _run(self, options: list[str], typed: str | None = None) -> str:
        assert MONGOSH is not None
        done = subprocess.run(
            [MONGOSH, *options, self._address],
            input=typed,
            stdin=subprocess.DEVNULL if typed is None else None,
            capture_output=True,
            text=True,
            env=self._environment,
            timeout=60,
            check=False,
        )
        return _PROMPT.sub("", done.stdout + done.stderr)
