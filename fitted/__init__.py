"""Fitted numbers, each made by a command that `README.md` beside this file names, with its data."""

from pathlib import Path

FITTED = Path(__file__).parent
