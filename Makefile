# `make` does the main job; `make help` lists the rest. Windows: see CONTRIBUTING.md.
PYTHON ?= python3
VENV ?= .venv
PORT ?= 8000
PROVE ?=  # --if-changed: only if anything has, since solutions/proved.json was written
BIN := $(VENV)/bin
MANYHEADS := $(BIN)/python -m manyheads
SET_UP := $(VENV)/.set-up
# A Python as it comes, for what needs nothing installed: make gpu PYTHON_GPU=python3
HERE := $(or $(wildcard $(BIN)/python),$(PYTHON))
PYTHON_GPU ?= $(HERE)

.DEFAULT_GOAL := all
.PHONY: all setup release kit book grade test prove bench gpu defects lint serve doctor clean help

all: release book grade  ## set up, release the exercises, build the book, grade the sample class
	@echo
	@echo "The book:       $(CURDIR)/_build/html/index.html"
	@echo "The notebooks:  $(CURDIR)/exercises   (open one with: $(BIN)/jupyter lab exercises)"
	@echo "The class:      $(CURDIR)/var/sample-class/summary.html"

setup: $(SET_UP)  ## make .venv with everything in it, in the versions of constraints.txt

$(SET_UP): pyproject.toml constraints.txt
	$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11) and 'Many Heads needs Python 3.11 or newer; name one with PYTHON=…')"
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev,notebook]'
	@touch $@

release: $(SET_UP)  ## exercises/ from solutions/
	$(MANYHEADS) release

kit: $(SET_UP)  ## what students get, the notebooks and the library, into var/kit
	$(MANYHEADS) release --kit

book: $(SET_UP)  ## the book, into _build/html
	$(MANYHEADS) build

grade: $(SET_UP)  ## grade the sample class, into var/sample-class
	$(MANYHEADS) grade

test: book  ## all tests; says at the end what could not be run here
	$(BIN)/python -m pytest --numprocesses auto

prove: $(SET_UP)  ## prove the graders: every right answer passes, every wrong one fails; here, in a page, in nbgrader
	$(MANYHEADS) verify $(PROVE)
	$(MANYHEADS) release --check --files-only

bench: $(SET_UP)  ## speed, as ratios against the named rival
	OPENBLAS_NUM_THREADS=2 OMP_NUM_THREADS=2 MKL_NUM_THREADS=2 VECLIB_MAXIMUM_THREADS=2 \
		$(BIN)/python -m pytest tests/benchmarks -q -s --override-ini python_files='bench_*.py'

gpu:  ## on a machine with an NVIDIA GPU: every test that needs one, and the benchmark; under eight minutes
	@TRITON_INTERPRET=0 PYTHONPATH=lib$${PYTHONPATH:+:$$PYTHONPATH} $(PYTHON_GPU) -m tests.gpu

defects: $(SET_UP)  ## plant mistakes in the library, one at a time, and show which test catches each
	$(BIN)/python -m tests.plant_defects
	$(BIN)/python -m tests.kernels.plant_deletions

lint: $(SET_UP)  ## style, types, imports that go one way
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/pyright
	$(BIN)/lint-imports

serve: $(SET_UP)  ## the built book at http://localhost:8000 (another: PORT=8001)
	@test -f _build/html/index.html || $(MANYHEADS) build
	@$(BIN)/python -m http.server --directory _build/html --bind 127.0.0.1 $(PORT) || \
		{ echo "make: port $(PORT) cannot be used; try: make serve PORT=8001"; exit 1; }

doctor:  ## what works on this machine, what is missing, and the command that mends it
	@$(HERE) -c "import numpy" 2>/dev/null || { echo "$(HERE) has no NumPy, which everything here needs: run make setup"; exit 1; }
	@PYTHONPATH=lib $(HERE) -m manyheads doctor

clean:  ## remove what was built; the environment and your class under var/ stay
	rm -rf _build var/source var/release var/sample-class

help:  ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
