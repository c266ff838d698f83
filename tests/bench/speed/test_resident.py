"""The memory of a process is read from the system."""

import os

from bench.speed import peers
from bench.speed.resident import from_kibibytes, from_status, resident

STATUS = "Name:\tpython\nVmPeak:\t  999999 kB\nVmRSS:\t  250000 kB\nThreads:\t4\n"


def test_the_kernel_counts_in_kibibytes() -> None:
    assert from_status(STATUS) == 256.0


def test_ps_pads_its_figure() -> None:
    assert from_kibibytes("   250000\n") == 256.0


def test_a_running_python_takes_some_memory() -> None:
    assert 10 < resident(os.getpid()) < 10_000
    assert 10 < peers.resident() < 10_000
