"""Is what only some need loaded by those alone?"""

import subprocess
import sys

LEFT_OUT = ("openai", "mcp", "embedded.server")


def test_the_command_line_and_the_api_are_loaded_without_what_few_need() -> None:
    code = f"import sys, api.app, api.cli; print([name for name in {LEFT_OUT} if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
