"""Exports of a user as lines of a file, out and in, for the routes and the commands."""

from api.portable.lines import ImportResult
from api.portable.stream import MEDIA_TYPE, LineRefused, bring_in, exported

__all__ = ["MEDIA_TYPE", "ImportResult", "LineRefused", "bring_in", "exported"]
