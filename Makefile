# What you can ask for: make demo, test, test-fast, check, docs, golden, sanitize, bench, bench-peers,
# proof-..., clean.
# Needs Python 3.11 or newer, make and a C++20 compiler; the rest comes from PyPI into .venv.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip install --disable-pip-version-check -c constraints.txt
SOURCES := CMakeLists.txt pyproject.toml constraints.txt \
           $(shell find cpp src -type f -not -name '*.so' -not -name '*.pyc' -not -name '_core.pyi')

# Stamps live in the venv: without it nothing is installed.
MADE      := $(VENV)/.made
INSTALLED := $(VENV)/.installed
TOOLS     := $(VENV)/.tools

SANITIZED := build/sanitize/.installed

# Iterations of the demo's training.
DEMO := 2

PEERS      := build/peers-venv
PEERS_MADE := $(PEERS)/.made

# Pytest keeps the compiled tests, whatever the environment says: a second run starts in half the time.
export PYTHONDONTWRITEBYTECODE :=

.DELETE_ON_ERROR:
PROOFS := $(patsubst proofs/%.py,proof-%,$(filter-out proofs/proof.py,$(wildcard proofs/*.py)))

.PHONY: help demo test test-fast check docs golden sanitize bench bench-peers clean $(PROOFS)

help:
	@echo "make demo      one random game of each kind; then Razzle Dazzle learned in five minutes"
	@echo "make test      every check and every test"
	@echo "make test-fast the tests that take under two minutes together, for every small change"
	@echo "make check     formatters, linters, types, import order, the docs site with its links"
	@echo "make docs      the documentation as a web site, in build/site"
	@echo "make golden    write goldens and docs/players.md again (FORCE=1: also what has changed)"
	@echo "make sanitize  random play and hostile text under address and UB sanitizers"
	@echo "make bench     how fast rules, nets and search are"
	@echo "make bench-peers  the same search, beside OpenSpiel's, which it installs in $(PEERS)"
	@echo "make proof-connect4 ...  what training comes to, in docs/results.md: $(PROOFS)"
	@echo "make clean     remove everything that was built"

demo: STEPS := 5
demo: $(INSTALLED)
	@echo "[3/$(STEPS)] playing one random game of each kind"
	@$(BIN)/rulezero tour
	@echo "[4/$(STEPS)] learning Razzle Dazzle in runs/demo, for about five minutes"
	@if [ -e runs/demo ]; then $(BIN)/rulezero train --resume runs/demo; \
	  else $(BIN)/rulezero train razzle --set iterations=$(DEMO) --out runs/demo; fi
	@echo "[5/$(STEPS)] rating what it has learned"
	@$(BIN)/rulezero rate runs/demo --nets 2 --games 40
	@echo
	@echo "Play it:   $(BIN)/rulezero play razzle --net runs/demo --web   (without --web: in the terminal)"
	@echo "The page:  $(BIN)/rulezero serve --open"
	@echo "Look:      $(BIN)/rulezero report runs/demo"
	@echo "Read on:   docs/start_here.md"

# Three processes on two cores, as many of these tests wait: for servers, time limits and a browser.
test: check
	@echo "[11/11] running the tests"
	@$(BIN)/python -m pytest -n 3 --dist worksteal -q $(ARGS)

test-fast: STEPS := 4
test-fast: $(INSTALLED) $(TOOLS)
	@echo "[4/$(STEPS)] running the fast tests"
	@$(BIN)/python -m pytest -n 2 --dist worksteal -q -m "not slow" $(ARGS)

check: STEPS := $(if $(filter test,$(MAKECMDGOALS)),11,10)
check: $(INSTALLED) $(TOOLS)
	@echo "[4/$(STEPS)] ruff check"
	@$(BIN)/ruff check .
	@echo "[5/$(STEPS)] ruff format"
	@$(BIN)/ruff format --check .
	@echo "[6/$(STEPS)] copying the core's stub to src, where mypy looks for it"
	@rm -f src/rulezero/_core.pyi
	@cp $(VENV)/lib/python3.*/site-packages/rulezero/_core.pyi src/rulezero/
	@echo "[7/$(STEPS)] mypy"
	@$(BIN)/mypy
	@echo "[8/$(STEPS)] clang-format"
	@find cpp -name '*.h' -o -name '*.cpp' | xargs $(BIN)/clang-format --dry-run -Werror
	@echo "[9/$(STEPS)] import-linter"
	@$(BIN)/lint-imports --no-logo
	@echo "[10/$(STEPS)] building the docs site, whose links must exist"
	@.ci/quietly build/docs.log $(BIN)/zensical build --strict --clean

docs: STEPS := 4
docs: $(MADE) $(TOOLS)
	@echo "[4/$(STEPS)] building the docs site"
	@$(BIN)/zensical build --strict --clean
	@echo "Open build/site/index.html"

golden: STEPS := 4
golden: $(INSTALLED) $(TOOLS)
	@echo "[4/$(STEPS)] writing playthroughs, trees and docs/players.md"
	@cd tests && ../$(BIN)/python -m golden.playthrough $(if $(FORCE),--force)
	@cd tests && ../$(BIN)/python -m golden.trees $(if $(FORCE),--force)
	@cd tests && ../$(BIN)/python -m golden.players

# The sanitizers' runtimes come first into the process, before Python itself; libstdc++ with
# them, or else they cannot follow an exception.
sanitize: STEPS := 5
sanitize: $(INSTALLED) $(TOOLS) $(SANITIZED)
	@echo "[5/$(STEPS)] random play and hostile text under the sanitizers"
	@for name in libasan.so libubsan.so libstdc++.so; do \
	  case "$$($(CXX) -print-file-name=$$name)" in \
	    /*) ;; *) echo "make sanitize: $(CXX) has no $$name; try CXX=g++" >&2; exit 1;; esac; done
	@LD_PRELOAD="$$($(CXX) -print-file-name=libasan.so) $$($(CXX) -print-file-name=libubsan.so) \
	  $$($(CXX) -print-file-name=libstdc++.so)" \
	  ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 \
	  PYTHONPATH=build/sanitize/site \
	  $(BIN)/python -m pytest -q --capture=no -m sanitize $(ARGS)

# ARGS=--quick for a short run. OpenSpiel takes part once make bench-peers has been there.
bench: STEPS := 5
bench: $(INSTALLED) $(TOOLS)
	@echo "[4/$(STEPS)] measuring the rules, then the nets"
	@$(BIN)/python benchmarks/rules.py
	@$(BIN)/python benchmarks/evaluators.py
	@echo "[5/$(STEPS)] measuring the search"
	@$(BIN)/python benchmarks/search.py $(ARGS)

bench-peers: STEPS := 5
bench-peers: $(INSTALLED) $(TOOLS) $(PEERS_MADE)
	@echo "[5/$(STEPS)] measuring the search beside OpenSpiel's"
	@$(BIN)/python benchmarks/search.py $(ARGS)

# With nothing else beside; what was stopped goes on. They write docs/results.md.
$(PROOFS): STEPS := 3
$(PROOFS): $(INSTALLED)
	@echo "[3/$(STEPS)] proving, which takes up to 40 minutes"
	@$(BIN)/python proofs/$(patsubst proof-%,%,$@).py

clean:
	rm -rf build $(VENV) src/rulezero/*.so src/rulezero/_core.pyi
	rm -rf .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

$(MADE):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "rulezero needs Python 3.11 or newer; choose one: make PYTHON=python3.12 ..." >&2; \
	  exit 1; }
	@echo "[1/$(STEPS)] making a virtual environment in $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@touch $@

# A plain install, so that tests see what a user gets; rebuilt only when a source has changed.
$(INSTALLED): $(MADE) $(SOURCES)
	@echo "[2/$(STEPS)] building the core and installing rulezero"
	@.ci/quietly build/install.log $(PIP) -v ".[train,web]"
	@touch $@

$(TOOLS): $(MADE) pyproject.toml
	@echo "[3/$(STEPS)] installing the test tools"
	@mkdir -p build
	@$(BIN)/python -c 'import tomllib; \
	  project = tomllib.load(open("pyproject.toml", "rb"))["project"]; \
	  print(*project["optional-dependencies"]["dev"], sep="\n")' > build/tools.txt
	@.ci/quietly build/tools.log $(PIP) -r build/tools.txt
	@touch $@

# Peers live apart: what they need is nothing that rulezero needs. Without a compiler for the
# library, or where it cannot be loaded first, OpenSpiel's C++ search is left out.
$(PEERS_MADE): benchmarks/peers/requirements.txt benchmarks/peers/constant_evaluator.cpp
	@echo "[4/$(STEPS)] installing OpenSpiel in $(PEERS)"
	@$(PYTHON) -m venv $(PEERS)
	@.ci/quietly build/peers.log $(PEERS)/bin/python -m pip install --disable-pip-version-check \
	  -c constraints.txt -r benchmarks/peers/requirements.txt
	@$(CXX) -O2 -shared -fPIC benchmarks/peers/constant_evaluator.cpp \
	  -o $(PEERS)/constant_evaluator.so
	@touch $@

$(SANITIZED): $(MADE) $(SOURCES)
	@echo "[4/$(STEPS)] building the core with sanitizers"
	@rm -rf build/sanitize/site
	@.ci/quietly build/sanitize.log $(PIP) -v --no-deps --target build/sanitize/site \
	  -C build-dir=build/sanitize/core -C cmake.define.RULEZERO_SANITIZE=ON \
	  -C cmake.define.RULEZERO_WERROR=ON \
	  -C install.strip=false .
	@touch $@
