# Two commands: `make demo` and `make test`. Each sets up what it needs in .venv, with every version pinned.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
DEMO_RUNS := build/demo-runs

.PHONY: demo test test-no-fork examples check format setup clean

demo: setup
	$(BIN)/torchstone devices
	$(BIN)/torchstone bench --runs $(DEMO_RUNS)

test: check
	$(BIN)/pytest -n 2 --dist worksteal

# The suite as on a Mac: every process is started anew, so it takes much longer.
test-no-fork: setup
	TORCHSTONE_NO_FORK=1 $(BIN)/pytest -n 2 --dist worksteal

# A run of ten minutes on the CPU and on Debian's software Vulkan device; EXAMPLES="--budget 60" makes it shorter.
examples: setup
	$(BIN)/python examples/make.py $(EXAMPLES)

check: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: setup
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

setup: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt pip
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $(STAMP)

clean:
	rm -rf $(VENV) build dist
