#!/bin/sh
# mem0's `Memory.get_all` does not get all: without `top_k` it gives 20 memories of a user, and says nothing of the rest.
# Whoever saves what it returns as an export, as one would by its name, leaves the others behind.
# Needs python3 and a way to PyPI. Exits with 0 where it is still so, with 1 where it is not any more.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check mem0ai==2.2.1
cd "$work"
HOME="$work" MEM0_DIR="$work/mem0" MEM0_TELEMETRY=False "$work/venv/bin/python" - <<'PYTHON'
import hashlib
import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version

from mem0 import Memory

MEMORIES = 45


class Embeddings(BaseHTTPRequestHandler):
    """OpenAI's embeddings, of a text's hash."""

    def do_POST(self):
        given = json.loads(self.rfile.read(int(self.headers["content-length"])))["input"]
        texts = given if isinstance(given, list) else [given]
        vectors = [[byte / 255 for byte in hashlib.sha256(str(text).encode()).digest()[:8]] for text in texts]
        data = [{"object": "embedding", "index": at, "embedding": vector} for at, vector in enumerate(vectors)]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        body = json.dumps({"object": "list", "model": "hash", "data": data, "usage": usage}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Embeddings)
threading.Thread(target=server.serve_forever, daemon=True).start()
model = {"openai_base_url": f"http://127.0.0.1:{server.server_port}/v1", "api_key": "none", "model": "hash"}
memory = Memory.from_config(
    {
        "embedder": {"provider": "openai", "config": {**model, "embedding_dims": 8}},
        "llm": {"provider": "openai", "config": model},
        "vector_store": {
            "provider": "qdrant",
            "config": {"path": "qdrant", "embedding_model_dims": 8, "collection_name": "finding", "on_disk": True},
        },
    }
)
for number in range(MEMORIES):
    memory.add(f"I keep {number} goats.", user_id="ada", infer=False)

given = memory.get_all(filters={"user_id": "ada"})
asked = memory.get_all(filters={"user_id": "ada"}, top_k=1_000)
print("mem0ai", version("mem0ai"))
print("added", MEMORIES)
print("get_all() gives", len(given["results"]), "and the fields", sorted(given))
print("get_all(top_k=1000) gives", len(asked["results"]))
sys.exit(0 if (len(given["results"]), list(given), len(asked["results"])) == (20, ["results"], MEMORIES) else 1)
PYTHON
