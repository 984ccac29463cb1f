# `make demo` and `make test` do everything a fresh machine needs; the second time they install nothing.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check install --quiet

.PHONY: demo test test-all check docs dist bench clean

demo: $(VENV)/.installed
	$(BIN)/soulread demo

test: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -m "not slow"
	@echo "Left out: the slow tests, which make test-all runs."

# What `make test` leaves out, and the same tests with the kernels interpreted, so that a kernel cannot be right
# by accident of compilation.
test-all: test
	$(BIN)/python -m pytest -m slow
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -m "not compiled"

check: $(VENV)/.installed-dev docs dist
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest tests/test_repository.py
	$(BIN)/python -m doctest README.md

# The site, offline: open build/site/index.html. A warning is an error.
docs: $(VENV)/.installed-dev
	$(BIN)/python -m sphinx -q -W --keep-going -b html docs build/site
	@echo "The site: build/site/index.html"

# Wheel and sdist in dist/, tried in an empty environment outside the checkout.
dist: $(VENV)/.installed-dev
	$(BIN)/python benchmarks/try_release.py

bench: $(VENV)/.installed-dev
	for file in benchmarks/bench_*.py; do $(BIN)/python $$file || exit 1; done

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(PIP) --constraint constraints.txt --editable .
	touch $@

$(VENV)/.installed-dev: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(PIP) --constraint constraints.txt --editable '.[dev]'
	touch $@ $(VENV)/.installed

clean:
	find . -name __pycache__ -not -path './$(VENV)/*' -prune -exec rm -rf {} +
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist
