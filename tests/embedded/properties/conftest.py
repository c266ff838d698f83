"""Properties that hold for every document, filter, update and crash, tried on examples that Hypothesis makes up.

As they stand, the examples are always the same ones and the whole folder takes less than a minute. To look for bugs
with new ones, say how many each property is to be tried on, and give pytest the time for it:

    LOCI_TEST_EXAMPLES=20000 pytest --timeout=0 tests/embedded/properties
"""

from collections.abc import Iterator

import pytest

from tests.embedded.properties.stores import Opened


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    """A store in this process that does not wait for the disk."""
    opened = Opened(tmp_path_factory.mktemp("store") / "data.db", synchronous=False)
    yield opened
    opened.close()
