#!/bin/sh
# Codex CLI asks its model while the MCP servers that it starts as programs are still starting, and then without their
# tools: what takes three seconds to start is missing from the first request, in `codex exec` from the only one, and
# nothing says so. With `required = true` in the server's configuration Codex waits for it.
# Needs python3 and npm, with ways to PyPI and npm's registry. Asks no model: one is scripted here, and the server, too.
# Exits with 0 where it is still so, with 1 where it is not any more.
set -eu
work=$(mktemp -d)
model=
trap '[ -z "$model" ] || kill "$model"; rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check mcp==2.3.0
npm install --silent --no-audit --no-fund @openai/codex@0.171.0
cat > server.py <<'PYTHON'
import time

from mcp.server import MCPServer

server = MCPServer("shop")


@server.tool()
def price(goods: str) -> str:
    """Says what goods cost."""
    return "3"


time.sleep(3)
server.run()
PYTHON
cat > model.py <<'PYTHON'
"""A Responses API that says "Done." and writes down whether it was sent the tool."""

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Responses(BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        with open("sent", "a") as file:
            file.write(f"the tool {'was' if 'Says what goods cost.' in json.dumps(asked) else 'was not'} sent\n")
        text = {"type": "output_text", "text": "Done.", "annotations": []}
        item = {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": [text]}
        response = {"id": "r", "object": "response", "status": "completed", "output": [item]}
        response["usage"] = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
        events = [
            {"type": "response.created", "response": {**response, "status": "in_progress", "output": []}},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": response},
        ]
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        for event in events:
            self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())

    def log_message(self, *_):
        pass


listening = ThreadingHTTPServer(("127.0.0.1", 0), Responses)
with open("port", "w") as file:
    file.write(str(listening.server_port))
listening.serve_forever()
PYTHON
venv/bin/python model.py &
model=$!
until [ -s port ]; do sleep 0.2; done
mkdir codex
export HOME="$work" CODEX_HOME="$work/codex" SCRIPTED_KEY=none
ask() {
  : > sent
  cat > codex/config.toml <<TOML
model = "scripted"
model_provider = "scripted"
[model_providers.scripted]
name = "scripted"
base_url = "http://127.0.0.1:$(cat port)/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
[mcp_servers.shop]
command = "$work/venv/bin/python"
args = ["$work/server.py"]
$1
TOML
  timeout 120 node_modules/.bin/codex exec --skip-git-repo-check "What are apples?" < /dev/null > /dev/null 2> log
  sort -u sent
}
node_modules/.bin/codex --version 2> /dev/null
early=$(ask '')
waited=$(ask 'required = true')
echo "as it is: $early"
echo "with required: $waited"
[ "$early" = "the tool was not sent" ] && [ "$waited" = "the tool was sent" ]
