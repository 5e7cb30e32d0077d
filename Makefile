# Everything a developer types; `make help` lists it. Nothing here writes outside the checkout.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
OLDEST_PYTHON := 3.11
MVN ?= mvn
PLUGINS := build-plugins
RUNTIME := build/runtime/built
PRODUCT := $(shell find buto java-probes testprograms/src -type f -not -name '*.pyc' -not -name '*.jar')
NO_MAVEN := The plugins and the runtime need Maven 3.6.3 or newer, and $(MVN) was not found. Debian, Ubuntu: sudo apt-get install maven
PYTEST := $(BIN)/python -m pytest -n 2 --durations=15
FAST := $(PYTEST) -m "not jvm and not slow and not all"
NOT_FAST := $(PYTEST) -m "jvm or slow or all"
# What the change is compared with; auto: where this branch left origin/main.
SINCE ?= auto
NIGHTLY := --hypothesis-profile=nightly
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
.PHONY: help demo test test-all test-fast coverage durations lint type layers names rooms steps trust java runtime plugins site workflows changes \
  dogfood dist release-dry-run bed bench clean

help: ## what can be typed
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(VENV)/installed java ## record, train and check the bundled program; leaves demo-output/
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python demo/demo.py

test: lint type layers names java ## the tests that the change concerns; SINCE=REVISION counts from there
	@$(PYTEST) --check-durations --changed-since="$(SINCE)"

test-all: lint type layers java ## all tests with more examples; fails below the floor for coverage, too
	@$(FAST) $(NIGHTLY) --check-durations $(COVERAGE) --cov-report= && fast=0 || fast=1; \
	  $(NOT_FAST) $(NIGHTLY) --check-durations && exit $$fast

test-fast: $(VENV)/installed-test ## tests without JVMs, for every save
	@$(FAST)

coverage: $(VENV)/installed-test ## the fast tests; fails if they cover less than the floor in pyproject.toml
	@$(FAST) $(COVERAGE) --cov-report=term:skip-covered

durations: $(VENV)/installed-test java ## run all tests and record how long each takes, which orders them
	@$(PYTEST) --record-durations

lint: $(VENV)/installed-test ## style and common mistakes
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check --quiet . || { \
	  echo "Some files are not formatted; type: $(BIN)/ruff format ."; exit 1; }
	@$(BIN)/codespell

type: $(VENV)/installed-test ## types
	@$(BIN)/mypy

layers: $(VENV)/installed-test ## who may import whom
	@$(BIN)/lint-imports --no-cache --no-logo

names: $(VENV)/installed-test ## how many names say little; scripts/names.py lists them. Nothing fails by it
	@$(BIN)/python scripts/names.py --short

rooms: $(VENV)/installed-test ## draw who imports whom: docs/images/rooms.svg
	@$(BIN)/python scripts/rooms.py

steps: $(VENV)/installed-test ## draw the steps of a check: docs/images/check.svg
	@$(BIN)/python scripts/steps.py

trust: $(VENV)/installed-test ## the figures of "How far can I trust it", from stored data: docs/how-far.md and its picture
	@$(BIN)/python -m beds.trust

java: $(VENV)/installed ## compile the Java parts into buto/jars/
	@$(BIN)/python java-probes/build.py

runtime: $(RUNTIME) ## buto with a Python of its own, as a directory and an archive: build/runtime/

$(RUNTIME): scripts/build_runtime.py scripts/version.py pyproject.toml hatch_build.py $(PRODUCT) | $(VENV)/installed-test
	@command -v $(MVN) >/dev/null || { echo "$(NO_MAVEN)"; exit 1; }
	@echo "Building the runtime (the first time this loads 100 MB)"
	@MVN="$(MVN)" $(BIN)/python scripts/build_runtime.py
	@touch $@

plugins: $(PLUGINS)/repository/built ## the plugins for Maven, Gradle and JUnit and the runtime into build-plugins/repository/

$(PLUGINS)/repository/built: $(RUNTIME) $(wildcard $(PLUGINS)/pom.xml $(PLUGINS)/*/pom.xml) $(shell find $(PLUGINS)/*/src -type f)
	@command -v $(MVN) >/dev/null || { echo "$(NO_MAVEN)"; exit 1; }
	@echo "Building the plugins (the first time this takes some minutes, and 150 MB into $(PLUGINS)/.m2)"
	@$(MVN) --quiet --batch-mode --file $(PLUGINS) -Dmaven.repo.local="$(CURDIR)/$(PLUGINS)/.m2" \
	  -Drevision="$$($(BIN)/python scripts/version.py)" -Druntime.machine="linux-$$(uname -m)" \
	  -DaltDeploymentRepository="buto::file://$(CURDIR)/$(PLUGINS)/repository" clean deploy
	@touch $@

site: $(VENV)/installed-test ## all pages and a reference of the API into build/site/; fails on a dead link
	@$(BIN)/python scripts/build_site.py

workflows: $(VENV)/installed-test ## the files of .github
	@$(BIN)/zizmor --offline --no-progress --quiet --persona pedantic .github
	@command -v actionlint >/dev/null || { \
	  echo "actionlint was not found: go install github.com/rhysd/actionlint/cmd/actionlint@v1.7.12"; exit 1; }
	@actionlint

changes: $(VENV)/installed-test ## the fragments of changes/ as the changelog's next section
	@$(BIN)/towncrier build --draft --version next 2>/dev/null

dogfood: $(VENV)/installed java ## buto checks what a program under its own agent uses; the report into build/dogfood/
	@mkdir -p build/dogfood
	@cd dogfood && PATH="$(CURDIR)/$(BIN):$$PATH" buto check --html ../build/dogfood/report.html --json ../build/dogfood/result.json

dist: $(VENV)/installed-test ## wheel and source archive into dist/, checked, and tried in an empty environment
	@$(BIN)/python scripts/dist.py

release-dry-run: $(RUNTIME) $(VENV)/installed-test ## all that a release publishes, built and checked, into build/release/
	@MVN="$(MVN)" $(BIN)/python -m scripts.release --archive build/runtime/*.tar.gz

bed: $(VENV)/installed-test ## Keycloak on PostgreSQL from Maven Central, ready to be measured: replications/beds/.cache/
	@$(BIN)/python -m beds.keycloak.prepare

bench: $(VENV)/installed-test java ## what measuring costs: replications/docs/bench.md; ONLY="NAME ..." some of it, ONLY=--history earlier figures
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
	@$(INSTALL) --editable '.[all]'
	@touch $@

$(VENV)/installed-test: pyproject.toml cluster/pyproject.toml predict/pyproject.toml replications/pyproject.toml hatch_build.py | $(VENV)/installed
	@echo "Installing what the tests need into $(VENV)"
	@$(INSTALL) --editable '.[test]' --editable ./cluster --editable ./predict --editable ./replications
	@touch $@ $(VENV)/installed
