#!/bin/sh
# Claude Code sends its model no tool of an MCP server: the model is told their names and the server's instructions, and
# has to ask for a tool by its own ToolSearch first. With `"alwaysLoad": true` in the server's configuration all of them
# are in every request. So a server's instructions, not its tools' descriptions, are what the model goes by.
# Needs python3 and npm, with ways to PyPI and npm's registry. Asks no model: one is scripted here, and the server, too.
# Exits with 0 where it is still so, with 1 where it is not any more.
set -eu
work=$(mktemp -d)
model=
trap '[ -z "$model" ] || kill "$model"; rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check mcp==2.3.0
npm install --silent --no-audit --no-fund @anthropic-ai/claude-code@2.1.332
cat > server.py <<'PYTHON'
from mcp.server import MCPServer

server = MCPServer("shop", instructions="Call `price` before you name one.")


@server.tool()
def price(goods: str) -> str:
    """Says what goods cost."""
    return "3"


server.run()
PYTHON
cat > model.py <<'PYTHON'
"""A Messages API that says "Done." and writes down the tools that it was sent."""

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Messages(BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        with open("sent", "a") as file:
            file.writelines(f"tool {tool.get('name')}\n" for tool in asked.get("tools", []))
            file.write(f"instructions {'Call `price` before' in json.dumps(asked)}\n")
        message = {"type": "message", "id": "m", "role": "assistant", "model": asked["model"], "content": []}
        message |= {"stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}}
        events = [
            {"type": "message_start", "message": message},
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Done."}},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 1}},
            {"type": "message_stop"},
        ]
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        for event in events:
            self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())

    def log_message(self, *_):
        pass


listening = ThreadingHTTPServer(("127.0.0.1", 0), Messages)
with open("port", "w") as file:
    file.write(str(listening.server_port))
listening.serve_forever()
PYTHON
venv/bin/python model.py &
model=$!
until [ -s port ]; do sleep 0.2; done
export HOME="$work" CLAUDE_CONFIG_DIR="$work/claude" CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1
export ANTHROPIC_BASE_URL="http://127.0.0.1:$(cat port)" ANTHROPIC_AUTH_TOKEN=none
ask() {
  : > sent
  printf '{"mcpServers": {"shop": {"command": "%s", "args": ["%s"]%s}}}' "$work/venv/bin/python" "$work/server.py" "$1" > mcp.json
  timeout 120 node_modules/.bin/claude -p "What are apples?" --strict-mcp-config --mcp-config mcp.json > /dev/null
  echo "tools of the server: $(grep -c '^tool mcp__shop__' sent), instructions: $(grep -c '^instructions True' sent)"
}
node_modules/.bin/claude --version
held=$(ask '')
loaded=$(ask ', "alwaysLoad": true')
echo "as it is: $held"
echo "with alwaysLoad: $loaded"
[ "$held" = "tools of the server: 0, instructions: 1" ] && [ "$loaded" = "tools of the server: 1, instructions: 1" ]
