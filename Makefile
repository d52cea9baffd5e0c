PYTHON ?= python3
BIN := .venv/bin
PACKAGE := promptpack tests benchmarks

.PHONY: run test check bench fuzz format clean

run: .venv/run.stamp ## walk through the six agents, offline
	@$(BIN)/python -m promptpack run

test: .venv/editor.stamp ## run all tests
	$(BIN)/pytest -n 2

check: .venv/dev.stamp ## check format, lint, types, layers and the shipped packs
	$(BIN)/ruff format --check $(PACKAGE)
	$(BIN)/ruff check $(PACKAGE)
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/promptpack lint packs
	$(BIN)/promptpack test --packs packs > /dev/null

bench: .venv/dev.stamp ## compare with peers, as ratios; NAMES="document slots" selects benchmarks
	$(BIN)/python -m benchmarks $(NAMES)

MINUTES ?= 30
SEEDS ?= 3000
fuzz: .venv-fuzz/stamp ## fuzz each reader for MINUTES, then search SEEDS random replies for slow ones
	for target in document template expression reply; do \
	  .venv-fuzz/bin/python -m tests.fuzz.run $$target $(MINUTES) || exit 1; \
	done
	.venv-fuzz/bin/python -m tests.fuzz.fragments $(SEEDS)
	! ls .cache/fuzz/found-*

format: .venv/dev.stamp ## format the code
	$(BIN)/ruff format $(PACKAGE)
	$(BIN)/ruff check --fix $(PACKAGE)

clean: ## remove everything that the other targets created
	rm -rf .venv .venv-fuzz .cache dist .mypy_cache .ruff_cache .pytest_cache .hypothesis

.venv/run.stamp: requirements/run.txt
	$(PYTHON) -m venv .venv
	$(BIN)/pip install -q -r requirements/run.txt
	@touch $@

.venv/dev.stamp: requirements/dev.txt pyproject.toml .venv/run.stamp
	$(BIN)/pip install -q -r requirements/dev.txt
	$(BIN)/pip install -q --no-deps --no-build-isolation -e .
	@touch $@

# Node.js comes from PyPI, so it need not be installed.
.venv/editor.stamp: tests/e2e/editor/package-lock.json .venv/dev.stamp
	mkdir -p .venv/editor
	cp tests/e2e/editor/package.json tests/e2e/editor/package-lock.json .venv/editor
	PATH="$(CURDIR)/$(BIN):$$PATH" npm ci --prefix .venv/editor --silent --no-audit --no-fund --ignore-scripts
	@touch $@

.venv-fuzz/stamp: requirements/run.txt requirements/fuzz.txt
	$(PYTHON) -m venv .venv-fuzz
	.venv-fuzz/bin/pip install -q -r requirements/run.txt -r requirements/fuzz.txt
	@touch $@
