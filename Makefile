# Everything a developer types; `make help` lists it. Nothing here writes outside the checkout.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
OLDEST_PYTHON := 3.11
MVN ?= mvn
PLUGINS := build-plugins
PYTEST := $(BIN)/python -m pytest -n 2 --durations=15
FAST := $(PYTEST) -m "not jvm and not slow and not all"
NOT_FAST := $(PYTEST) -m "jvm or slow or all"
COVERAGE := --cov --no-cov-on-fail
INSTALL := $(BIN)/python -m pip install --quiet
# Not as options, which the pip that pip starts to build buto does not get: it would write below HOME.
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_NO_CACHE_DIR := 1
export MPLCONFIGDIR := $(CURDIR)/$(VENV)/matplotlib
# pip asks rustc for its version, and where rustc is rustup's, that writes below HOME.
export RUSTUP_HOME ?= $(CURDIR)/$(VENV)/rustup
# The tests start buto some hundred times; where this is set, each would compile all of it anew.
unexport PYTHONDONTWRITEBYTECODE
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
.PHONY: help demo test test-all test-fast coverage lint type layers rooms java plugins dist bed bench clean

help: ## what can be typed
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(VENV)/installed java ## record, train and check the bundled program; leaves demo-output/
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python demo/demo.py

test: lint type layers java ## what runs at each push; RARE="PLACE ..." and all that there is in these
	@$(PYTEST) --check-durations --rare="$(RARE)"

test-all: lint type layers java ## all tests; fails below the floor for coverage, too
	@$(FAST) --check-durations $(COVERAGE) --cov-report= && fast=0 || fast=1; \
	  $(NOT_FAST) --check-durations && exit $$fast

test-fast: $(VENV)/installed-test ## tests without JVMs, for every save
	@$(FAST)

coverage: $(VENV)/installed-test ## the fast tests; fails if they cover less than the floor in pyproject.toml
	@$(FAST) $(COVERAGE) --cov-report=term:skip-covered

lint: $(VENV)/installed-test ## style and common mistakes
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check --quiet . || { \
	  echo "Some files are not formatted; type: $(BIN)/ruff format ."; exit 1; }

type: $(VENV)/installed-test ## types
	@$(BIN)/mypy

layers: $(VENV)/installed-test ## who may import whom
	@$(BIN)/lint-imports --no-cache --no-logo

rooms: $(VENV)/installed-test ## draw who imports whom: docs/images/rooms.svg
	@$(BIN)/python scripts/rooms.py

java: $(VENV)/installed ## compile the Java parts into buto/jars/
	@$(BIN)/python java-probes/build.py

plugins: $(PLUGINS)/repository/built ## the plugins for Maven, Gradle and JUnit into build-plugins/repository/

$(PLUGINS)/repository/built: $(wildcard $(PLUGINS)/pom.xml $(PLUGINS)/*/pom.xml) $(shell find $(PLUGINS)/*/src -type f)
	@command -v $(MVN) >/dev/null || { \
	  echo "The plugins are built by Maven 3.6.3 or newer, and $(MVN) was not found."; \
	  echo "Debian, Ubuntu: sudo apt-get install maven"; exit 1; }
	@echo "Building the plugins (the first time this takes some minutes, and 150 MB into $(PLUGINS)/.m2)"
	@$(MVN) --quiet --batch-mode --file $(PLUGINS) -Dmaven.repo.local="$(CURDIR)/$(PLUGINS)/.m2" \
	  -DaltDeploymentRepository="buto::file://$(CURDIR)/$(PLUGINS)/repository" clean deploy
	@touch $@

dist: $(VENV)/installed-test ## wheel and source archive into dist/, checked, and tried in an empty environment
	@$(BIN)/python scripts/dist.py

bed: $(VENV)/installed-test ## Keycloak on PostgreSQL from Maven Central, ready to be measured: replications/beds/.cache/
	@$(BIN)/python -m beds.keycloak.prepare

bench: $(VENV)/installed-test java ## what measuring costs: docs/evidence/bench.md; ONLY="NAME ..." some of it
	@$(BIN)/python -m perf $(ONLY)

clean: ## remove what was built, but not the virtual environment
	rm -rf build dist demo-output buto/jars/*.jar $(PLUGINS)/repository $(PLUGINS)/*/target .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name $(VENV) -prune -o -name __pycache__ -type d -print0 | xargs -0 rm -rf

$(BIN)/python:
	@command -v $(PYTHON) >/dev/null || { \
	  echo "buto needs Python $(OLDEST_PYTHON) or newer, and $(PYTHON) was not found."; \
	  echo "Debian, Ubuntu: sudo apt-get install python3 python3-venv"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < tuple(map(int, "$(OLDEST_PYTHON)".split("."))))' || { \
	  echo "buto needs Python $(OLDEST_PYTHON) or newer, and $(PYTHON) is $$($(PYTHON) --version 2>&1)."; \
	  echo "Name a newer one: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "$(PYTHON) has no module venv. Debian, Ubuntu: sudo apt-get install python3-venv"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed: pyproject.toml hatch_build.py | $(BIN)/python
	@echo "Installing buto into $(VENV) (the first time this takes a minute)"
	@$(BIN)/python java-probes/build.py >/dev/null
	@$(INSTALL) --editable .
	@touch $@

$(VENV)/installed-test: pyproject.toml predict/pyproject.toml replications/pyproject.toml hatch_build.py | $(VENV)/installed
	@echo "Installing what the tests need into $(VENV)"
	@$(INSTALL) --editable '.[test]' --editable ./predict --editable ./replications
	@touch $@ $(VENV)/installed
