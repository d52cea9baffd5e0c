PYTHON ?= python3
# Each version of Python has its own environment, so that versions never mix: .venv for python3, else .venv-3.12 and so on.
VERSION = import sys; print("%d.%d" % sys.version_info[:2])
GIVEN := $(shell $(PYTHON) -c '$(VERSION)')
VENV := $(if $(filter $(GIVEN),$(shell python3 -c '$(VERSION)')),.venv,.venv-$(GIVEN))
BIN := $(VENV)/bin
PACKAGE := promptpack tests benchmarks examples

.PHONY: run test test-minimum browser studio mcp-1 check vscode sdks ray kill bench fuzz soak format pins clean

run: $(VENV)/run.stamp ## walk through the six agents, offline
	@$(BIN)/python -m promptpack run

test: $(VENV)/editor.stamp $(VENV)/studio.stamp ## run all tests
test-minimum: .venv-minimum/editor.stamp .venv-minimum/studio.stamp ## run all tests with the oldest supported versions of the dependencies
test-minimum: BIN := .venv-minimum/bin
test test-minimum:
	$(BIN)/python -m compileall -q $(PACKAGE)
	$(BIN)/pytest -n 2

# Tests start processes, which compile everything again if they find no bytecode.
test test-minimum: export PYTHONDONTWRITEBYTECODE =

# Tests in the browser are skipped where it is missing.
browser: ## install Debian's Chromium and fonts for Chinese, for the tests of the studio
	@command -v chromium > /dev/null && fc-list ':lang=zh' family 2> /dev/null | grep -q . || { \
	  as_root=$$([ "$$(id -u)" = 0 ] || echo sudo); \
	  $$as_root apt-get update -qq && \
	  DEBIAN_FRONTEND=noninteractive $$as_root apt-get install -y -qq --no-install-recommends chromium fonts-noto-cjk; }

studio: $(VENV)/studio.stamp ## check the types of the studio's page, and bundle it
	rm -rf $(VENV)/studio/src
	cp -r promptpack/studio/web/. $(VENV)/studio
	PATH="$(CURDIR)/$(BIN):$$PATH" npm run --silent --prefix $(VENV)/studio check
	PATH="$(CURDIR)/$(BIN):$$PATH" npm run --silent --prefix $(VENV)/studio build -- $(CURDIR)/promptpack/studio/static

mcp-1: $(VENV)/dev.stamp .venv-mcp-1/stamp ## serve packs to an MCP client of version 1, which needs its own environment
	PROMPTPACK_SERVER=$(CURDIR)/$(BIN)/python .venv-mcp-1/bin/pytest -c tests/sdks/pytest.ini tests/sdks/test_mcp_client_1.py

check: $(VENV)/dev.stamp ## check format, lint, types, layers and the shipped packs
	$(BIN)/ruff format --check $(PACKAGE)
	$(BIN)/ruff check $(PACKAGE)
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/promptpack lint packs
	$(BIN)/promptpack lock --check packs
	$(BIN)/promptpack test --packs packs > /dev/null

VSCODE := editors/vscode
vscode: $(VENV)/editor.stamp ## package the extension for VS Code
	mkdir -p dist
	PATH="$(CURDIR)/$(BIN):$$PATH" npm run package --prefix $(VSCODE) --silent

# One target per SDK, such as `make sdk-gemini`; each SDK has its own environment, because they need different versions.
SDKS := $(subst _,-,$(patsubst tests/sdks/test_%.py,%,$(sort $(wildcard tests/sdks/test_*.py))))
SDK_VENV = .venv-sdks/$(subst langgraph,langchain,$(subst openai-responses,openai,$(1:%-flow=%)))
sdks: $(SDKS:%=sdk-%) ## test prompts with all real SDKs, on loopback
define SDK
.PHONY: sdk-$1
sdk-$1: $(SDK_VENV)/stamp
	$(SDK_VENV)/bin/python -m pytest -c tests/sdks/pytest.ini tests/sdks/test_$(subst -,_,$1).py
endef
$(foreach name,$(SDKS),$(eval $(call SDK,$(name))))

ray: sdk-ray ## run batches on a real Ray cluster on 127.0.0.1, and kill its workers

KILLS ?= 50
kill: $(VENV)/dev.stamp ## kill batches and their workers at KILLS random moments: after resuming, the same bytes
	$(BIN)/python -m tests.soak.kill_batches $(KILLS)

bench: $(VENV)/dev.stamp ## compare with peers, as ratios; NAMES="document slots" selects benchmarks
	$(BIN)/python -m benchmarks $(NAMES)

MINUTES ?= 30
SEEDS ?= 3000
fuzz: .venv-fuzz/stamp ## fuzz each reader for MINUTES, then search SEEDS random replies and all grammars for slow input
	for target in document template expression reply; do \
	  .venv-fuzz/bin/python -m tests.fuzz.run $$target $(MINUTES) || exit 1; \
	done
	.venv-fuzz/bin/python -m tests.fuzz.fragments $(SEEDS)
	.venv-fuzz/bin/python -m tests.fuzz.growth
	! ls .cache/fuzz/found-*

soak: $(VENV)/dev.stamp ## use packs for MINUTES while their files change: no failed call, no mixed prompt, flat memory
	$(BIN)/python -m tests.soak.run $(MINUTES)

format: $(VENV)/dev.stamp ## format the code
	$(BIN)/ruff format $(PACKAGE)
	$(BIN)/ruff check --fix $(PACKAGE)

# UPGRADE=--upgrade takes the newest versions instead of the pinned ones.
PIN = .venv-pins/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate \
  --no-emit-index-url --no-emit-find-links --custom-compile-command "make pins" $(UPGRADE)
# All extras but ray, which has its own environment.
EXTRAS := batch fast lsp mcp otel remote studio testing tokens watch
pins: .venv-pins/stamp ## pin all dependencies with hashes, for all supported versions of Python and all platforms
	$(PIN) pyproject.toml -o requirements/run.txt
	$(PIN) $(EXTRAS:%=--extra %) pyproject.toml requirements/dev.in -c requirements/run.txt -o requirements/dev.txt
	$(PIN) requirements/fuzz.in -c requirements/run.txt -o requirements/fuzz.txt
	$(PIN) requirements/minimum.in -o requirements/minimum.txt
	$(PIN) requirements/pins.in -o requirements/pins.txt
	$(PIN) tests/sdks/requirements/mcp-1.in -c requirements/run.txt -o tests/sdks/requirements/mcp-1.txt
	for file in benchmarks/requirements/*.txt; do $(PIN) --no-deps $$file -o $$file || exit 1; done
	for file in tests/sdks/requirements/*.in; do $(PIN) pyproject.toml $$file -o $${file%.in}.txt || exit 1; done

clean: ## remove everything that the other targets created
	rm -rf .venv .venv-* .cache dist editors/vscode/node_modules editors/vscode/dist .mypy_cache .ruff_cache .pytest_cache .hypothesis

# The interpreter is a link to an old file: only the time of the link tells that an environment is new.
MAKEFLAGS += --check-symlink-times
%/bin/python$(GIVEN):
	$(PYTHON) -m venv --clear $*

$(VENV)/run.stamp: requirements/run.txt $(BIN)/python$(GIVEN)
	$(BIN)/pip install -q --require-hashes -r requirements/run.txt
	@touch $@

$(VENV)/dev.stamp: requirements/dev.txt pyproject.toml $(VENV)/run.stamp
	$(BIN)/pip install -q --require-hashes -r requirements/dev.txt
	$(BIN)/pip install -q --no-deps --no-build-isolation -e .
	@touch $@

# The tools come first, because they are pinned together with newer versions of the dependencies.
.venv-minimum/dev.stamp: requirements/dev.txt requirements/minimum.txt pyproject.toml .venv-minimum/bin/python$(GIVEN)
	.venv-minimum/bin/pip install -q --require-hashes -r requirements/dev.txt
	.venv-minimum/bin/pip install -q --require-hashes -r requirements/minimum.txt
	.venv-minimum/bin/pip install -q --no-deps --no-build-isolation -e .
	@touch $@

# Node.js comes from PyPI, so it need not be installed.
%/editor.stamp: tests/e2e/editor/package-lock.json editors/vscode/package-lock.json %/dev.stamp
	mkdir -p $*/editor
	cp tests/e2e/editor/package.json tests/e2e/editor/package-lock.json $*/editor
	for folder in $*/editor editors/vscode; do \
	  PATH="$(CURDIR)/$*/bin:$$PATH" npm ci --prefix $$folder --silent --no-audit --no-fund --ignore-scripts || exit 1; \
	done
	@touch $@

%/studio.stamp: promptpack/studio/web/package-lock.json %/dev.stamp
	mkdir -p $*/studio
	cp promptpack/studio/web/package.json promptpack/studio/web/package-lock.json $*/studio
	PATH="$(CURDIR)/$*/bin:$$PATH" npm ci --prefix $*/studio --silent --no-audit --no-fund --ignore-scripts
	@touch $@

.venv-fuzz/stamp: requirements/run.txt requirements/fuzz.txt
	$(PYTHON) -m venv .venv-fuzz
	.venv-fuzz/bin/pip install -q --require-hashes -r requirements/run.txt -r requirements/fuzz.txt
	@touch $@

.venv-mcp-1/stamp: tests/sdks/requirements/mcp-1.txt
	$(PYTHON) -m venv .venv-mcp-1
	.venv-mcp-1/bin/pip install -q --require-hashes -r tests/sdks/requirements/mcp-1.txt
	@touch $@

.venv-pins/stamp: requirements/pins.txt
	$(PYTHON) -m venv .venv-pins
	.venv-pins/bin/pip install -q --require-hashes -r requirements/pins.txt
	@touch $@

.venv-sdks/%/stamp: tests/sdks/requirements/%.txt | .venv-pins/stamp
	.venv-pins/bin/uv venv -q --clear --python $(PYTHON) .venv-sdks/$*
	.venv-pins/bin/uv pip install -q --python .venv-sdks/$*/bin/python --require-hashes -r $<
	@touch $@
