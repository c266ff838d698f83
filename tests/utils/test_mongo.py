"""What the drivers' errors mean to us."""

import pytest
from pymongo.errors import (
    AutoReconnect,
    BulkWriteError,
    DocumentTooLarge,
    DuplicateKeyError,
    OperationFailure,
    WriteError,
)

from utils.errors import DiskFull, InvalidInput, StoreUnavailable
from utils.mongo import as_loci_error


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (AutoReconnect("gone"), StoreUnavailable),
        (DocumentTooLarge("20 MB"), InvalidInput),
        (OperationFailure("full", 14031), DiskFull),
        (WriteError("20 MB", 10334), InvalidInput),
        (BulkWriteError({"writeErrors": [{"index": 0, "code": 10334}]}), InvalidInput),
        (BulkWriteError({"writeErrors": [{"index": 0, "code": 121}]}), type(None)),
        (DuplicateKeyError("twice", 11000), type(None)),
        (KeyError("a bug"), type(None)),
    ],
)
def test_an_error_of_a_driver_is_ours_where_it_is_no_bug(error: Exception, kind: type) -> None:
    assert type(as_loci_error(error)) is kind
