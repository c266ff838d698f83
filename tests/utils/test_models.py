"""Is what only some need loaded by those alone?"""

import subprocess
import sys

import pytest


@pytest.mark.parametrize("package", ["openai", "mcp", "embedded.server"])
def test_the_command_line_and_the_api_are_loaded_without(package: str) -> None:
    code = f"import sys, api.app, api.cli; sys.exit({package!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
