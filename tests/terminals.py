"""Commands of Loci at a terminal of their own, for tests that type."""

import fcntl
import os
import pty
import re
import subprocess
import termios
from pathlib import Path
from types import TracebackType
from typing import IO

from tests.checks import eventually
from tests.processes import LOCI, environment

CTRL_C = "\x03"
CTRL_D = "\x04"
UP = "\x1b[A"


class Terminal:
    """A command that somebody sits in front of. Use it as a context manager. `stdout`: where its answers go instead."""

    def __init__(self, home: Path, *arguments: str, stdout: IO[bytes] | None = None, **settings: object) -> None:
        home.mkdir(parents=True, exist_ok=True)
        self._near, self._far = pty.openpty()
        os.set_blocking(self._near, False)
        self._modes = termios.tcgetattr(self._far)
        self._output = b""
        self._heard = 0
        self._process = subprocess.Popen(
            [LOCI, *arguments],
            env=environment(home, **{"term": "xterm", "columns": 200, **settings}),
            cwd=home,
            stdin=self._far,
            stdout=stdout or self._far,
            stderr=self._far,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # so that Ctrl-C is a signal to it
        )

    @property
    def output(self) -> str:
        """All that it has shown so far."""
        while True:
            try:
                self._output += os.read(self._near, 1 << 16)
            except BlockingIOError:
                return self._output.decode(errors="replace")

    def types(self, text: str) -> None:
        os.write(self._near, text.encode())

    def says(self, pattern: str, seconds: float = 30) -> re.Match[str]:
        """Waits for something behind what was waited for before."""

        def look() -> re.Match[str] | None:
            found = re.compile(pattern).search(self.output, self._heard)
            assert found or self._process.poll() is None, self.output
            return found

        found = eventually(look, seconds)
        assert found
        self._heard = found.end()
        return found

    def ends(self, seconds: float = 30) -> int:
        """Waits for its end; its exit status. It leaves the terminal as it found it."""
        eventually(lambda: (self.output, self._process.poll())[1] is not None, seconds)
        assert termios.tcgetattr(self._far) == self._modes
        return self._process.wait()

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait(10)
        os.close(self._near)
        os.close(self._far)
