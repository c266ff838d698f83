#!/bin/sh
# The tool runner of Anthropic's Python SDK no longer sends the conversation with each request. Its first request asks for a
# thread; from then on it sends the results of tools alone, and names the message before them. Whatever stands between it and a
# model, and drops the field it does not know (a gateway that translates to chat completions), passes on a lone tool result.
# Refused with the error code `thread_unsupported_request`, the runner sends the whole conversation, and asks for no thread again.
# Needs python3 and a way to PyPI. Exits with 0 where it is still so, with 1 where it is not any more.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check anthropic==2.14.0
cd "$work"
HOME="$work" "$work/venv/bin/python" - <<'PYTHON'
import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version

from anthropic import Anthropic, beta_tool

asked, has_threads = [], True
REFUSED = {
    "type": "error",
    "error": {
        "type": "invalid_request_error",
        "message": "no threads here",
        "details": {"error_code": "thread_unsupported_request"},
    },
}


class Messages(BaseHTTPRequestHandler):
    """Anthropic's API: calls a tool, and then answers."""

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        asked.append(body)
        if body.get("thread") and not has_threads:
            self.answer(400, REFUSED)
            return
        newest = body["messages"][-1]["content"]
        done = isinstance(newest, list) and newest[0]["type"] == "tool_result"
        call = {"type": "tool_use", "id": "call", "name": "tide", "input": {"harbour": "Emden"}}
        message = {"id": f"msg_{len(asked)}", "type": "message", "role": "assistant", "model": "m", "stop_sequence": None}
        message |= {"content": [{"type": "text", "text": "High."} if done else call]}
        message |= {"stop_reason": "end_turn" if done else "tool_use", "usage": {"input_tokens": 1, "output_tokens": 1}}
        self.answer(200, message)

    def answer(self, status, told):
        data = json.dumps(told).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


@beta_tool
def tide(harbour: str) -> str:
    """The tide.

    Args:
        harbour: where
    """
    return f"high at {harbour}"


def run():
    """The requests of a run: their thread, and the roles of their messages."""
    asked.clear()
    client = Anthropic(base_url=f"http://127.0.0.1:{server.server_port}", api_key="none", max_retries=0)
    question = [{"role": "user", "content": "How is the tide?"}]
    runner = client.beta.messages.tool_runner(model="claude-test", max_tokens=9, tools=[tide], messages=question)
    assert runner.until_done().content[0].text == "High."
    return [((body.get("thread") or {}).get("type"), [one["role"] for one in body["messages"]]) for body in asked]


server = ThreadingHTTPServer(("127.0.0.1", 0), Messages)
threading.Thread(target=server.serve_forever, daemon=True).start()
print("anthropic", version("anthropic"))
with_threads = run()
print("where there are threads:", with_threads)
has_threads = False
without = run()
print("where they are refused:", without)
whole = ["user", "assistant", "user"]
expected = [("create", ["user"]), ("continue", ["user"])], [("create", ["user"]), (None, ["user"]), (None, whole)]
sys.exit(0 if (with_threads, without) == expected else 1)
PYTHON
