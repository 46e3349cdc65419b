# Two commands set everything up: `make demo` and `make test`. Both need Python 3.11+, pip and make.

PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
  $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(PYTHON) -m pip --python $(BIN)/python --disable-pip-version-check --quiet
TESTS ?= tests
SECONDS ?= 3600

.DEFAULT_GOAL := help
.PHONY: help demo test test-model test-slow check format bench soak lock wheel clean

help: ## show what there is to make
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "Assay needs Python 3.11 or newer; put it on PATH, or say make PYTHON=/path/to/python3"; exit 1; }
	@echo "making $(VENV) with $(PYTHON)"
	@$(PYTHON) -m venv --without-pip $(VENV)

# The lock files are complete, so nothing is resolved: --no-deps, and a hash for each file.
$(VENV)/run.stamp: requirements/run.lock pyproject.toml | $(BIN)/python
	@echo "installing the locked dependencies"
	@$(PIP) install --no-deps --require-hashes -r requirements/run.lock
	@$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/dev.stamp: requirements/dev.lock $(VENV)/run.stamp
	@echo "installing what tests and checks need"
	@$(PIP) install --no-deps --require-hashes -r requirements/dev.lock
	@touch $@

demo: $(VENV)/run.stamp ## set Assay up, fetch the embedded model, ask it a question
	@$(BIN)/assay models pull qwen2.5-coder-1.5b
	$(BIN)/assay ask "Write a python function that finds all properties with a key of 'intf' within all nested child objects and return a list of all key value pairs that match." --example "find_intf({'a': {'intf': 1}, 'b': {'c': {'intf': 2}}}) == [('intf', 1), ('intf', 2)]"

test: $(VENV)/dev.stamp ## run the tests (under 15 minutes, no real model calls)
	@$(BIN)/python -m pytest -n auto --dist loadfile $(TESTS) -m "not model and not slow"

test-model: $(VENV)/dev.stamp ## run the tests that ask an embedded model
	@$(BIN)/assay models pull qwen2.5-coder-0.5b
	@$(BIN)/python -m pytest $(TESTS) -m model

test-slow: $(VENV)/dev.stamp ## run the tests that take long
	@$(BIN)/python -m pytest $(TESTS) -m "slow and not model"

check: $(VENV)/dev.stamp ## format, lint, types, import rules
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

format: $(VENV)/dev.stamp ## put the code into its form
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

bench: $(VENV)/dev.stamp ## measure, with both embedded models; writes docs/benchmarks.md
	@$(BIN)/assay models pull qwen2.5-coder-0.5b
	@$(BIN)/assay models pull qwen2.5-coder-1.5b
	@$(BIN)/python -m bench

soak: $(VENV)/dev.stamp ## run random, hostile programs for SECONDS (3600); writes docs/benchmarks.md
	@$(BIN)/python -m bench.soak --seconds $(SECONDS)

lock: ## resolve the dependencies anew (needs uv)
	uv pip compile --universal --generate-hashes --no-emit-index-url --no-header --no-annotate --python-version 3.11 \
	  --upgrade --quiet pyproject.toml --extra providers --group dev -o requirements/dev.lock
	uv pip compile --universal --generate-hashes --no-emit-index-url --no-header --no-annotate --python-version 3.11 \
	  --upgrade --quiet pyproject.toml --group build -c requirements/dev.lock -o requirements/run.lock

wheel: $(VENV)/dev.stamp ## build dist/*.whl
	@$(BIN)/python -m build --no-isolation --outdir dist .

clean: ## remove what was made here (not the user's data or models)
	@rm -rf $(VENV) dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
