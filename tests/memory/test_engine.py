"""The core as a whole: the sweep over all products."""

from dataclasses import replace

import pytest

from agents.memory import Memory
from memory.product import Product


async def test_a_product_whose_sweep_fails_holds_up_no_other(quiet: Memory) -> None:
    swept: list[str] = []

    async def broken() -> None:
        swept.append("broken")
        raise ValueError("a bug")

    async def sound() -> None:
        swept.append("sound")

    products = (Product("broken", sweep=broken), Product("sound", sweep=sound))
    with pytest.raises(ValueError, match="a bug"):
        await replace(quiet.engine, products=products).sweep()
    assert swept == ["broken", "sound"]
