"""Wire shapes of projects."""

from datetime import datetime

from api.wire.base import Shown, UsersRequest
from utils.fields import Instructions


class ProjectOut(Shown):
    name: str
    isolated: bool
    instructions: str | None
    created_at: datetime
    updated_at: datetime


class ProjectRequest(UsersRequest):
    """`isolated`: what is said in it is found in it alone, and it finds nothing else. `instructions`: null takes them
    away. What is not given stays as it is, or is what a new project has: open, without instructions."""

    isolated: bool = False
    instructions: Instructions | None = None
