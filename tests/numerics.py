"""Warnings of numpy's that are errors of ours."""

import pytest

NUMERIC_ERRORS = pytest.mark.filterwarnings(
    "error::RuntimeWarning",
    # BLAS kernels sometimes set the processor's flag for lanes that they throw away (numpy/numpy#24067, for one)
    "ignore:invalid value encountered in matmul:RuntimeWarning",
)
