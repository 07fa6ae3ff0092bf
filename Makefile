# Two commands: `make demo` and `make test`. Each sets up what it needs in .venv, with every version pinned.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
DEMO_STAMP := $(VENV)/.installed-for-demo
DEMO_RUNS := build/demo-runs

.PHONY: demo test test-no-fork docs examples check format setup clean

# Only what a run and its page need; the tools of the tests are left to `make test`.
demo: $(DEMO_STAMP)
	TORCHSTONE_RUNS=$(DEMO_RUNS) $(BIN)/torchstone bench
	TORCHSTONE_RUNS=$(DEMO_RUNS) $(BIN)/torchstone report last -o build/demo.html --open

# Threads that wait must not keep a core busy: there are two for all of them.
test: check
	OMP_WAIT_POLICY=passive $(BIN)/pytest -n 2 --dist worksteal

# The suite as on a Mac: every process is started anew, also for every answer graded, so fewer of these are.
test-no-fork: setup
	TORCHSTONE_NO_FORK=1 TORCHSTONE_TRIALS=1 $(BIN)/pytest -n 2 --dist worksteal

# A run of ten minutes on the CPU, with its page, its post and the README's pictures; EXAMPLES="--budget 60" makes it shorter.
examples: setup
	$(BIN)/python examples/make.py $(EXAMPLES)

# The site, under build/site: docs/, the README, and a page a command made from its --help. A warning is an error.
docs: setup
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build

check: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: setup
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

setup: $(STAMP)

$(DEMO_STAMP): pyproject.toml constraints.txt
	@echo "making .venv and installing torch, kornia, transformers and the ELPV photographs into it (some minutes)"
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt pip
	$(BIN)/python -m pip install --constraint constraints.txt --progress-bar off --quiet --editable '.[bench]'
	touch $(DEMO_STAMP)

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt pip
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $(STAMP)

clean:
	rm -rf $(VENV) build dist
