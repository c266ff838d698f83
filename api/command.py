"""Where the command `loci` starts."""

from utils.loops import loading

with loading():
    from api.cli.commands import main

__all__ = ["main"]
