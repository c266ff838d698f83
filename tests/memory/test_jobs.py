"""Is it seen which work waits, and is dead work taken up again without disturbing any other?"""

import asyncio
from datetime import timedelta

import pytest

from agents.memory import Memory
from memory import jobs as module
from memory.bank_types import PROJECT
from memory.ids import new_id
from memory.jobs import KINDS
from memory.leases import claim, fail
from memory.traced import Called
from tests.conversations import USER, pairs, turn
from utils.clock import now
from utils.errors import Conflict, NotFound
