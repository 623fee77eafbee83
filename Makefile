# Everything builds its own environment in $(VENV); it is rebuilt only when pyproject.toml changes.

VENV ?= .venv
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
    $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)
BIN := $(VENV)/bin
CODE := akdask tests benchmarks docs notebooks *.py
ON_ALL_CORES := --numprocesses=auto --dist=worksteal

# Tests start hundreds of processes.  What these import is compiled once and kept with the environment, whether the user
# wants such files in the tree or not; to compile it anew takes an import of akdask 1.5 s instead of 0.6.
unexport PYTHONDONTWRITEBYTECODE
export PYTHONPYCACHEPREFIX ?= $(abspath $(VENV))/bytecode

.PHONY: demo test test-evo test-torch quick long mutants sanitize coverage docs package release lint types check bench format clean

demo: $(VENV)/plot.installed
	$(BIN)/akdask demo

test: $(VENV)/test.installed
	$(BIN)/python -m pytest $(ON_ALL_CORES)

# With the vendor's converters, which want an older Arrow than the rest, in an environment of their own.
test-evo:
	$(MAKE) --no-print-directory VENV=.venv-evo .venv-evo/converters.installed
	.venv-evo/bin/python -m pytest tests/evo/interop

# What takes less than two minutes: see `--quick` in conftest.py.
quick: $(VENV)/test.installed
	$(BIN)/python -m pytest $(ON_ALL_CORES) --quick --hypothesis-profile=few $(COVERAGE)

# Only these modules are collected, as to collect all takes longer than to run what is wanted of them.
PROPERTY_TESTS = $$(grep -rlw --include='test_*.py' hypothesis tests)

# Property tests with many more examples, by hand: some hours; before them chains of a thousand steps of every kind, some minutes.
long: $(VENV)/test.installed
	AKDASK_TEST_STEPS=1000 $(BIN)/python -m pytest $(ON_ALL_CORES) --timeout=7200 tests/engine/test_chains.py
	$(BIN)/python -m pytest $(ON_ALL_CORES) -m hypothesis --hypothesis-profile=long --timeout=7200 $(PROPERTY_TESTS)

# One-line errors, in Python and in loops, planted one at a time, that the tests of a folder and random programs do not notice:
# `make mutants WHERE=akdask/operators/sort COUNT=20`.
WHERE = akdask
COUNT = 20

mutants: $(VENV)/test.installed
	$(BIN)/python -m tests.mutation_testing $(WHERE) --count $(COUNT)

# Kernels and files with loops that stop at an address outside an array, or at what C++ does not define, in a copy of the
# tree; GCC's alone, as it tells which libraries Python has to load first.  Dependencies keep what they took to the end, and
# HDF5 asks for any size that a damaged file names; memory that is counted is another.
SANITIZED := build/sanitized
SANITIZERS := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
SANITIZED_TESTS := tests/group tests/join tests/keys tests/reduce tests/rows tests/sort tests/values tests/windows \
    tests/csv tests/hdf5 tests/parquet tests/mutations tests/engine/test_program.py

sanitize: $(VENV)/test.installed
	mkdir -p $(SANITIZED)
	tar -c --exclude='*.so' --exclude=__pycache__ akdask tests benchmarks *.py pyproject.toml | tar -x -C $(SANITIZED)
	cd $(SANITIZED) && CXX=g++ CXXFLAGS='-g $(SANITIZERS)' LDFLAGS='$(SANITIZERS)' $(abspath $(BIN))/python compile_loops.py
	cd $(SANITIZED) && PYTHONPATH=$$PWD ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 \
	    LD_PRELOAD="$$(g++ -print-file-name=libasan.so) $$(g++ -print-file-name=libstdc++.so)" \
	    $(abspath $(BIN))/python -m pytest -q --quick --hypothesis-profile=few --capture=sys -p no:cacheprovider \
	    --deselect=tests/hdf5/encoding/test_null_terminated.py::test_the_place_of_an_error_is_found_without_the_places_of_all_nuls \
	    $(SANITIZED_TESTS)

# Tests of what is given to torch, with torch itself, in an environment of its own: the other tests use a stand-in, as its
# wheel and the libraries that it loads, if there is a graphics card or not, take some gigabytes.
TORCH_LIBRARIES = $$($(BIN)/python -c 'from importlib.metadata import requires; \
    print(*(r.partition(";")[0].strip() for r in requires("torch") if "extra ==" not in r and "triton" not in r))')

test-torch:
	$(MAKE) VENV=.venv-torch .venv-torch/torch.installed
	AKDASK_TEST_TORCH=1 .venv-torch/bin/python -W default -m pytest tests/lbann/test_torch.py

# The quick tests, and which lines and branches they reach; `fail_under` in pyproject.toml makes it a gate.
coverage:
	$(MAKE) quick COVERAGE='--cov --cov-report=term'

# Source archive and wheel, in dist/: built twice to the same bits, checked, installed in an empty environment, tested there.
package:
	bash .ci/package

# All of a release but the upload, in dist/: archives, checksums, what they depend on and what is known against that.
release:
	bash .ci/release

lint: $(VENV)/dev.installed
	$(BIN)/ruff format --check $(CODE)
	$(BIN)/ruff check $(CODE)
	$(BIN)/python .ci/lint_docstrings.py $$(find akdask -name '*.py')

types: $(VENV)/dev.installed
	$(BIN)/mypy

check: $(VENV)/dev.installed
	$(BIN)/lint-imports

# The site, in build/docs: warnings are errors, as are links within it that lead nowhere.  Runs the notebooks.
docs: $(VENV)/docs.installed
	$(BIN)/python -m sphinx --quiet --fail-on-warning --keep-going --conf-dir docs --doctree-dir build/doctrees . build/docs

# Everything, for the page: some hours.  `python -m benchmarks --help` tells how to choose.
bench: $(VENV)/bench.installed
	$(BIN)/python -m benchmarks --rows 10000000 --repeat 3 --patience 20 --page docs/benchmarks.md

format: $(VENV)/dev.installed
	$(BIN)/ruff format $(CODE)
	$(BIN)/ruff check --fix $(CODE)

clean:
	rm -rf $(VENV) .venv-evo .venv-torch .ci-venv* *.egg-info build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis .coverage*
	find akdask tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +
	find akdask -name '*.so' -delete

$(VENV)/torch.installed: $(VENV)/test.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --no-deps torch
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile $(TORCH_LIBRARIES)
	@touch $@

# Loops, beside their sources: those that have changed, and no other.  Without a compiler, one is installed first.
$(VENV)/loops.compiled: compile_loops.py $(shell find akdask -name '*.?pp') | $(BIN)/python
	@needed=$$($(BIN)/python compile_loops.py --requires) && { test -z "$$needed" \
	|| $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile $$needed; }
	@$(BIN)/python compile_loops.py
	@touch $@

# Python compiles what is imported, which is a small part of what is installed.  What users' programs import is compiled
# here, as their Python may keep nothing, and would compile it at each start.  What development needs has all that tests
# and the site need.
$(VENV)/%.installed: pyproject.toml setup.py build_backend.py | $(VENV)/loops.compiled
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --editable '.[$*]'
	@unset PYTHONPYCACHEPREFIX; $(BIN)/python -m compileall -qq -j 0 akdask \
	&& $(BIN)/python -c 'import akdask, h5py, pandas, pyarrow.parquet'
	@touch $@ $(if $(filter dev,$*),$(VENV)/docs.installed $(VENV)/test.installed)

# Debian ships venv without ensurepip unless python3-venv is installed; pip can then install itself from outside.
$(BIN)/python:
	@test -n '$(PYTHON)' || { echo 'akdask needs Python 3.11 or newer; name one with: make PYTHON=/path/to/python' >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) 2>/dev/null \
	|| { $(PYTHON) -m venv --clear --without-pip $(VENV) \
	     && $(PYTHON) -m pip --quiet --python $(BIN)/python install pip; } \
	|| { rm -rf $(VENV); echo 'No virtual environment: install pip or venv (Debian: apt install python3-venv).' >&2; exit 1; }
