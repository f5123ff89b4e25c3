# Two commands, each enough on a fresh machine with python3 (3.11 or newer) and make: `make demo`, `make test`.
# Everything may be run twice, and interrupted at any point.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DONE := $(VENV)/.astray-installed

.PHONY: setup demo test quick lint perf

setup: $(DONE)

# The mark is written last: an installation that was interrupted is done again.
$(DONE): pyproject.toml requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "astray needs Python 3.11 or newer; this is $$($(PYTHON) --version). Name another: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@test -x $(BIN)/python && $(BIN)/python -m pip --version >/dev/null 2>&1 || \
	  { rm -rf $(VENV); $(PYTHON) -m venv $(VENV); } || \
	  { echo "python3 has no venv module; on Debian: apt install python3-venv" >&2; exit 1; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c requirements.lock -e '.[local]' -r requirements-dev.txt
	@touch $(DONE)

demo: setup
	$(BIN)/astray demo

test: lint
	$(BIN)/astray models pull qwen2.5-coder-1.5b
	$(BIN)/python -m pytest -n 2 --dist loadfile

quick: setup
	$(BIN)/python -m pytest -m "not slow"

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

perf: setup
	$(BIN)/python perf/overhead.py
	$(BIN)/python perf/measures.py
	$(BIN)/python perf/traces.py
