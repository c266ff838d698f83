"""What is left of a bank whose server is killed between an update and its files."""

import asyncio
from pathlib import Path

import pytest

from tests.checks import eventually
from tests.mcp_clients import call, client
from tests.processes import free_port, loci


async def test_what_was_acknowledged_is_there_after_a_kill_and_the_files_catch_up(tmp_path: Path) -> None:
    home, port = tmp_path / "home", free_port()
    address = f"http://127.0.0.1:{port}"
    said = [f"The sky was blue on day {number}." for number in range(5)]
    with loci(home, "serve", port=port) as server:
        server.says("Loci is at")
        async with client(address, "legacy") as connected:
            await call(connected, "activate", conversation_type="project", project_name="loci")
            for text in said:
                await call(connected, "update", content=text)
        server.kill()
    file = home / "banks/default/project/loci/active.md"
    with loci(home, "serve", port=port, bank_flush_seconds=0.2) as server:
        server.says("Loci is at")
        async with client(address) as connected:
            told = await call(connected, "activate", conversation_type="project", project_name="loci")
            assert [told["content"]["active.md"].count(text) for text in said] == [1] * 5
            # A new connection of the same program goes on where the former one was.
            assert (await call(connected, "update", content="After the kill."))["bank_info"]["id"] == "loci"
        eventually(lambda: all(text in _read(file) for text in (*said, "After the kill.")))
        server.stop()


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_a_server_that_is_told_to_stop_does_not_wait_for_open_streams(tmp_path: Path, mode: str) -> None:
    home, port = tmp_path / "home", free_port()
    with loci(home, "serve", port=port) as server:
        server.says("Loci is at")
        async with client(f"http://127.0.0.1:{port}", mode) as connected:
            await call(connected, "activate", conversation_type="global")
            if mode == "legacy":  # has a stream open by itself
                await asyncio.to_thread(server.stop, 12)  # requests under way have 20 seconds
            else:
                async with connected.listen(resources_list_changed=True):
                    await asyncio.to_thread(server.stop, 12)


def _read(file: Path) -> str:
    return file.read_text() if file.is_file() else ""
