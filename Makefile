# Two commands matter: `make run` and `make test`. Both build .venv from the hashed lock on first use.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps

.PHONY: run test check bench lock clean

run: .venv/run
	$(BIN)/loci serve --open

# Those of a browser, and of the store under a load, as it ends and through its shell, have the machine to themselves; of the
# others three run at a time, for some wait for processes. Those of the core, which is all that a driver meets, run on both
# drivers, but for those of what a model or a ranking makes of texts, and of files.
STORE := activity backup compacting durability ending launch many_clients operations shells sweeping
ALONE := tests/web $(STORE:%=tests/embedded/test_%.py)
ONE_DRIVER := banks/test_condense banks/test_model facts/test_model mirror/test_edits mirror/test_odd_files oversight/test_unquote \
	recall/test_fused_ranking recall/test_repeated_texts recall/test_reranking recall/test_spelling test_recall_of_odd_texts
THREE := -n 3 --dist loadfile
test: .venv/dev
	$(BIN)/pytest -q $(THREE) $(ALONE:%=--ignore=%)
	$(BIN)/pytest -q $(ALONE)
	LOCI_TEST_DRIVER=motor $(BIN)/pytest -q $(THREE) tests/memory $(ONE_DRIVER:%=--ignore=tests/memory/%.py)

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
	$(BIN)/python -m bench.words
	$(BIN)/python -m bench.speed --sizes 1000,10000 --users 100

# Needs uv. The lock serves Linux and macOS and names no registry.
lock:
	uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --no-header pyproject.toml -o requirements.lock
	uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --no-header --extra dev pyproject.toml -o requirements-dev.lock

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
