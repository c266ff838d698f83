#!/bin/sh
# Where an answer does not fit, pydantic-ai says so in a message of the role user, which says of itself that it is none: to whatever
# keeps or reads the transcript, the user has said "Your previous response failed …", once a try.
# Needs python3 and a way to PyPI. Exits with 0 where it is still so, with 1 where it is not any more.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check 'pydantic-ai-slim[openai]==2.68.0'
cd "$work"
HOME="$work" "$work/venv/bin/python" - <<'PYTHON'
import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version

from pydantic_ai import Agent, ModelRetry
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

asked = []


class Model(BaseHTTPRequestHandler):
    """A model that says the same, however often it is asked."""

    def do_POST(self):
        asked.append(json.loads(self.rfile.read(int(self.headers["content-length"])))["messages"])
        message = {"role": "assistant", "content": "A parrot, then."}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        head = {"id": "chatcmpl-1", "object": "chat.completion", "created": 0, "model": "m"}
        body = json.dumps({**head, "choices": [choice], "usage": usage}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
threading.Thread(target=server.serve_forever, daemon=True).start()
provider = OpenAIProvider(base_url=f"http://127.0.0.1:{server.server_port}/v1", api_key="none")
agent = Agent(OpenAIChatModel("m", provider=provider), retries=2)


@agent.output_validator
def check(text: str) -> str:
    raise ModelRetry("name the parrot")


try:
    agent.run_sync("My parrot is called Archimedes.")
except Exception as error:
    print(type(error).__name__)

print("pydantic-ai-slim", version("pydantic-ai-slim"))
for number, messages in enumerate(asked, 1):
    print("request", number, [(message["role"], str(message.get("content"))[:40]) for message in messages])
theirs = [message["content"] for message in asked[-1] if message["role"] == "user"]
print("of the user, who said one thing:", len(theirs))
sys.exit(0 if len(theirs) > 1 and all("not a message from the user" in text for text in theirs[1:]) else 1)
PYTHON
