"""What do tests of the agents share with those of the core? Two processes' memories."""

from tests.memory.conftest import both as both
