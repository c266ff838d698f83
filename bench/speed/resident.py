"""The resident memory of a process."""

import subprocess
from pathlib import Path

KIBIBYTE, MEGABYTE = 1 << 10, 1_000_000


def resident(process: int) -> float:
    """Its resident memory in MB, by its id: what the kernel says of it, or `ps` where there is no /proc."""
    status = Path(f"/proc/{process}/status")
    if status.exists():
        return from_status(status.read_text())
    found = subprocess.run(["ps", "-o", "rss=", "-p", str(process)], capture_output=True, text=True, check=True)
    return from_kibibytes(found.stdout)


def from_status(text: str) -> float:
    """MB of the line "VmRSS:  1234 kB"."""
    line = next(line for line in text.splitlines() if line.startswith("VmRSS:"))
    return from_kibibytes(line.split()[1])


def from_kibibytes(text: str) -> float:
    return int(text) * KIBIBYTE / MEGABYTE
