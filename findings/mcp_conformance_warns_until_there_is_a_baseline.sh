#!/bin/sh
# MCP's conformance suite counts a warning as a failure as soon as it is given a list of expected failures, be that list
# empty: `conformance server --scenario …` ends with 0 for a server that leaves out what it merely should do, and with 1
# for the same server with `--expected-failures`. Whoever lists what may fail has to list each warning, too, as
# `scenario:check`.
# Needs python3, npm with Node 22, and a way to PyPI and npm's registry. Exits with 0 where it is still so, with 1 where
# it is not any more.
set -eu
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server"; rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check mcp==2.3.0
npm install --silent --no-audit --no-fund --ignore-scripts @modelcontextprotocol/conformance@0.2.0-alpha.12
cat > server.py <<'PYTHON'
"""A server that has no resources, and does not repeat the address of one that it has not."""

import socket

import mcp_types as types
import uvicorn
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError


async def listed(*_):
    return types.ListResourcesResult(resources=[])


async def read(*_):
    raise MCPError(types.INVALID_PARAMS, "No such resource")


listening = socket.create_server(("127.0.0.1", 0))
with open("port", "w") as file:
    file.write(str(listening.getsockname()[1]))
app = Server("any", on_list_resources=listed, on_read_resource=read).streamable_http_app()
uvicorn.Server(uvicorn.Config(app, log_level="error")).run(sockets=[listening])
PYTHON
venv/bin/python server.py &
server=$!
until [ -s port ]; do sleep 0.2; done
printf 'server: []\n' > none.yml
run() {
  node_modules/.bin/conformance server --url "http://127.0.0.1:$(cat port)/mcp" --spec-version 2026-07-28 "$@" > log 2>&1 && echo 0 || echo $?
}
alone=$(run --suite all --scenario sep-2164-resource-not-found)
listed=$(run --suite all --scenario sep-2164-resource-not-found --expected-failures none.yml)
echo "without a list of what may fail it ends with $alone, with an empty one with $listed"
grep -i 'sep-2164-data-uri\|unexpected' log | head -5
[ "$alone" = 0 ] && [ "$listed" = 1 ]
