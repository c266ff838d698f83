#!/bin/sh
# Where a model answers in words instead of calling the tool, instructor asks again, and says what was wrong in a message of
# the role user: to whatever keeps or reads the transcript, the user has said "Validation Error found: …", once a try.
# Needs python3 and a way to PyPI. Exits with 0 where it is still so, with 1 where it is not any more.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check instructor==1.17.0
cd "$work"
HOME="$work" "$work/venv/bin/python" - <<'PYTHON'
import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version

import instructor
from openai import OpenAI
from pydantic import BaseModel

asked = []


class Model(BaseHTTPRequestHandler):
    """A model that answers in words, whatever tools it is given."""

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


class Bird(BaseModel):
    name: str


server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
threading.Thread(target=server.serve_forever, daemon=True).start()
client = instructor.from_openai(OpenAI(base_url=f"http://127.0.0.1:{server.server_port}/v1", api_key="none"))
try:
    said = [{"role": "user", "content": "My parrot is called Archimedes."}]
    client.chat.completions.create(model="m", response_model=Bird, messages=said, max_retries=2)
except Exception as error:
    print(type(error).__name__)

print("instructor", version("instructor"))
for number, messages in enumerate(asked, 1):
    print("request", number, [(message["role"], str(message.get("content"))[:40]) for message in messages])
theirs = [message["content"] for message in asked[-1] if message["role"] == "user"]
print("of the user, who said one thing:", len(theirs))
sys.exit(0 if len(theirs) > 1 and all(text.startswith("Validation Error") for text in theirs[1:]) else 1)
PYTHON
