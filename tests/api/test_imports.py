"""What only some need is loaded by those alone."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    "module, left_out",
    [("api.app", ("openai", "mcp", "embedded.server")), ("api.cli.commands", ("openai", "mcp", "fastapi"))],
)
def test_a_command_loads_nothing_that_few_need(module: str, left_out: tuple[str, ...]) -> None:
    code = f"import sys, {module}; print([name for name in {left_out} if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
