# `make serve` and `make test` are all a fresh machine needs; `make help` lists the rest. They need Python 3.11 or newer with
# its headers, a C compiler (for the tests GCC with its sanitisers), and the network the first time only.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory --no-builtin-rules

PYTHON ?= python3
BIN := .venv/bin
# Stamp of the last installation: pip does not run again until pyproject.toml or setup.py changes.
INSTALLED := .venv/.installed
# Where `make proto` writes; the tests generate into a folder of their own and compare.
PROTO_OUT ?= .
PROTOC = PATH="$(BIN):$$PATH" $(BIN)/python -m grpc_tools.protoc -I proto

# Looks at files, not at the running core; so once is enough.
QUALITY := tests/test_quality.py

# A test process for each core, each taking over tests of the others once it has none left.
PARALLEL := --numprocesses auto --dist worksteal

CHECKED := build/checked
# The sanitiser's runtime has to be there before Python is; Python's own allocator would hide overruns from it (as would narrow
# gaps between blocks), and memory that Python keeps until the end is no leak. Asking for too much memory stays a MemoryError.
# With C++'s runtime beside it the sanitiser knows the exceptions of Matplotlib, which it would end the process for.
CHECKED_RUN = NEBULA_CHECKED=1 PYTHONPATH="$(CURDIR)/$(CHECKED)/lib" PYTHONMALLOC=malloc \
	LD_PRELOAD="$$(ldd $(CHECKED)/lib/nebula_core/build.*.so | awk '/libasan/ { print $$3 }') libstdc++.so.6" \
	UBSAN_OPTIONS=print_stacktrace=1:abort_on_error=1 \
	ASAN_OPTIONS=abort_on_error=1:detect_leaks=0:redzone=64:allocator_may_return_null=1

say = @printf '==> %s\n' "$(1)"
# Run a command in silence; show what it said if it fails.
quietly = mkdir -p build; $(1) > build/last.log 2>&1 || { cat build/last.log; exit 1; }

.PHONY: help
help: ## Say what there is to make
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

.PHONY: serve
serve: build ## Set up what is missing, build, and start the service
	$(call say,Starting the service (Ctrl-C ends it))
	@exec $(BIN)/nebula-ai serve

.PHONY: test
test: build checked ## Set up what is missing, and run all tests and checks, on the checked build and on the normal one
	$(call say,Running all tests and checks on the normal build)
	@$(BIN)/python -m pytest $(PARALLEL)

.PHONY: build
build: $(INSTALLED) ## Build the native core in place
	$(call say,Building the native core)
	@$(BIN)/python setup.py -q build_ext --inplace

.PHONY: checked
checked: $(INSTALLED) ## Build the core with bounds checks, asserts and sanitisers, and run its tests
	$(call say,Building the checked core in $(CHECKED))
	@NEBULA_CHECKED=1 $(BIN)/python setup.py -q build_py --build-lib $(CHECKED)/lib \
		build_ext --build-lib $(CHECKED)/lib --build-temp $(CHECKED)/temp
	$(call say,Running the tests on the checked core)
	@# Only Python's output is captured, so that a sanitiser's report is seen.
	@$(CHECKED_RUN) $(BIN)/python -m pytest $(PARALLEL) --ignore $(QUALITY) --capture=sys

.PHONY: lint
lint: $(INSTALLED) ## Run only the checks of types, style and generated code
	$(call say,Checking types and style and generated code)
	@$(BIN)/python -m pytest $(QUALITY)

.PHONY: proto
proto: $(INSTALLED) ## Generate nebula_ai/v1 from proto/
	$(call say,Generating Python from proto/)
	@$(call quietly,$(PROTOC) --python_out=$(PROTO_OUT) --mypy_out=$(PROTO_OUT) proto/nebula_ai/v1/*.proto)
	@$(call quietly,$(PROTOC) --grpc_python_out=$(PROTO_OUT) --mypy_grpc_out=$(PROTO_OUT) proto/nebula_ai/v1/*_service.proto)

.PHONY: released
released: $(INSTALLED) ## Keep the wire contract as that of a release: the tests refuse what breaks it
	$(call say,Keeping the wire contract as released)
	@$(call quietly,$(BIN)/buf build proto --exclude-source-info -o tests/data/released.binpb)

.PHONY: calibrate
calibrate: build ## Rate the bots of every game by new games, for about half an hour on two cores (SETUPS=N for another length)
	$(call say,Rating the bots by their games)
	@$(BIN)/python -m benchmarks.calibrate $(if $(SETUPS),--setups $(SETUPS))

.PHONY: clean
clean: ## Remove what was built; the environment .venv stays
	$(call say,Removing what was built)
	@rm -rf build
	@find ext -name '*.so' -delete

$(INSTALLED): pyproject.toml setup.py
	@mkdir -p build
	@if ! $(BIN)/python -m pip --version > build/last.log 2>&1; then \
		$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("Python 3.11 or newer is needed: choose it with PYTHON=...")'; \
		printf '==> %s\n' "Making .venv with $$($(PYTHON) --version)"; \
		$(PYTHON) -m venv .venv; \
	fi
	$(call say,Installing what pyproject.toml asks for and building the native core: a few minutes the first time)
	@$(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"], sep="\n")' \
		> build/build-requires.txt
	@$(call quietly,$(BIN)/python -m pip install -r build/build-requires.txt)
	@$(call quietly,$(BIN)/python -m pip install --no-build-isolation -e '.[dev]')
	@touch $@
