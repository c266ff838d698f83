"""How many examples a property is tried on. conftest.py says how to ask for more."""

import os

from hypothesis import HealthCheck, settings

_ASKED = int(os.environ.get("LOCI_TEST_EXAMPLES", "0"))


def examples(usual: int, steps: int = 50) -> settings:
    """So many examples, always the same; or as many new ones as were asked for. `steps`: of a machine, at most."""
    return settings(
        max_examples=_ASKED or usual,
        derandomize=not _ASKED,
        database=None,
        deadline=None,
        stateful_step_count=steps,
        print_blob=True,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
    )
