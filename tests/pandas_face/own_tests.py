"""Runs pandas' own tests, which its wheel carries, with `akdask.pandas` in its place.

``python -m tests.pandas_face.own_tests [FOLDER...] [--error] [--cases N] [--every N] [--failures FILE]`` runs the
tests of folders of ``pandas/tests``, those of `FOLDERS` by default, and says which share of the functions passes.  With
``--error`` nothing may go through pandas.  The tests are read from the installed package: while a module of them is
loaded, its imports of pandas become imports of the face.  Tests of pandas' internals are left out, which are those that
use a private attribute, derive classes, or look at the memory of a frame.
"""

from __future__ import annotations

import argparse
import ast
import importlib.abc
import importlib.machinery
import inspect
import json
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

import pandas
import pytest

ROOT = Path(__file__).parents[2]
TESTS = Path(pandas.__file__).parent / "tests"

FOLDERS = (
    "frame",
    "series",
    "groupby",
    "reshape",
    "window",
    "resample",
    "indexing",
    "strings",
    "apply",
    "reductions",
    "io/parser",
    "io/formats/test_to_csv.py",
    "io/test_parquet.py",
    "io/json",
)
"""What is run unless other folders are named."""

SECONDS = 20
"""Time limit of a test."""

LEFT_OUT = re.compile(
    "test_block_internals|test_subclass|test_groupby_subclass|test_libgroupby|test_numba|test_arrow_interface"
    "|test_cython_aggregations|test_online|test_check_indexer|test_c_parser_only|test_validate|/common.py"
)
"""Modules that ask about the way pandas is built."""

PRIVATE = re.compile(
    r"(?<!pd)(?<!tm)\._(?!testing|libs)[a-z]\w+|shares_memory|may_share_memory|\bclass \w+\((?:DataFrame|Series|pd\.)|"
    "Subclassed|is_view|gc\\.collect|weakref|getsizeof|__module__|monkeypatch"
)
"""What tests of internals use."""


class FaceLoader(importlib.machinery.SourceFileLoader):
    """Loads a module of pandas' tests with the face where it imports pandas."""

    def get_code(self, fullname: str) -> Any:
        """Compile the changed source; nothing is cached."""
        path = self.get_filename(fullname)
        tree = _Imports().visit(ast.parse(self.get_data(path)))
        return compile(ast.fix_missing_locations(tree), path, "exec", dont_inherit=True)


class _Imports(ast.NodeTransformer):
    """Turns imports of pandas into imports of the face."""

    NAMES = {
        "pandas": "akdask.pandas",
        "pandas._testing": "tests.pandas_face.own_asserts",
        "pandas.testing": "tests.pandas_face.own_asserts",
    }

    def visit_Import(self, node: ast.Import) -> Any:
        for alias in node.names:
            if alias.name in self.NAMES and (alias.asname or alias.name == "pandas"):
                alias.asname = alias.asname or alias.name
                alias.name = self.NAMES[alias.name]
        return node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> Any:
        if node.module == "pandas" and any(alias.name == "_testing" for alias in node.names):
            (alias,) = node.names
            return ast.Import([ast.alias(self.NAMES["pandas._testing"], alias.asname or alias.name)])
        node.module = self.NAMES.get(node.module or "", node.module)
        return node


class FaceFinder(importlib.abc.MetaPathFinder):
    """Finds the modules of pandas' tests."""

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> Any:
        """Return the specification of a module of pandas' tests with the loader that puts the face in."""
        if fullname != "pandas.conftest" and not fullname.startswith("pandas.tests."):
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if spec is not None and isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            spec.loader = FaceLoader(fullname, spec.loader.path)
        return spec


class Plugin:
    """Chooses the tests, and notes how each ended."""

    def __init__(self, cases: int, every: int) -> None:
        self.cases, self.every = cases, every
        self.ends: dict[str, list[tuple[str, str, str]]] = defaultdict(list)

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        """Leave out modules of internals."""
        return True if LEFT_OUT.search(collection_path.as_posix()) else None

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Leave out tests of internals; take some of the cases of each function."""
        by_function = defaultdict(list)
        for item in items:
            by_function[item.nodeid.partition("[")[0]].append(item)
        chosen = []
        for group in list(by_function.values())[:: self.every]:
            try:
                if PRIVATE.search(inspect.getsource(group[0].function)):  # type: ignore[attr-defined]
                    continue
            except OSError:
                pass
            step = max(1, len(group) // self.cases) if self.cases else 1
            chosen += group[::step][: self.cases or None]
        items[:] = chosen

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note how a test ended."""
        if report.when == "call" or report.outcome != "passed":
            name, _, case = report.nodeid.partition("[")
            failed = report.outcome == "failed"
            text = str(report.longrepr) if failed else ""
            self.ends[name].append((case, report.outcome, text[-3000:]))


def run(folder: str, error: bool, cases: int, every: int) -> dict[str, list[tuple[str, str, str]]]:
    """Run the tests of a folder in this process; return how the cases of each function ended."""
    sys.meta_path.insert(0, FaceFinder())
    from akdask import config

    plugin = Plugin(cases, every)
    with tempfile.TemporaryDirectory() as work, config.set(pandas_fallback="error" if error else "silent"):
        settings = Path(work) / "pytest.ini"
        settings.write_text("[pytest]\nxfail_strict = false\n")
        options = ["-q", "-c", str(settings), "--rootdir", str(TESTS.parent), "--confcutdir", str(TESTS.parent)]
        options += [
            "-p",
            "no:cacheprovider",
            "--assert=plain",
            "--import-mode=prepend",
            "--continue-on-collection-errors",
        ]
        options += ["--timeout", str(SECONDS), "--tb=short", "--no-header", "-W", "ignore", "--basetemp", f"{work}/t"]
        pytest.main([*options, str(TESTS / folder)], plugins=[plugin])
    return plugin.ends


def outcome(ends: list[tuple[str, str, str]]) -> str:
    """Return how the cases of a function ended together."""
    kinds = {end for _, end, _ in ends}
    return "failed" if "failed" in kinds else "passed" if "passed" in kinds else "skipped"


def report(folders: list[str], error: bool, cases: int, every: int, failures: str | None) -> None:
    """Run the tests of folders, each in a process, and print a table."""
    rows, failed = [], []
    for folder in folders:
        with tempfile.NamedTemporaryFile("r", suffix=".json") as answer:
            command = [sys.executable, "-m", "tests.pandas_face.own_tests", folder, "--answer", answer.name]
            command += ["--cases", str(cases), "--every", str(every), *(["--error"] if error else [])]
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
            text = answer.read()
        if not text:
            print(folder, "ended early:", done.stdout[-2000:], done.stderr[-2000:], file=sys.stderr)
            continue
        ends = json.loads(text)
        counts: dict[str, int] = defaultdict(int)
        for name, items in ends.items():
            counts[outcome(items)] += 1
            failed += [(name, case, reason) for case, end, reason in items if end == "failed"]
        rows.append((folder, counts["passed"], counts["passed"] + counts["failed"]))
        print(f"{folder:28} {rows[-1][1]:5} of {rows[-1][2]:5} {rows[-1][1] / max(1, rows[-1][2]):6.1%}", flush=True)
    passed, total = sum(row[1] for row in rows), sum(row[2] for row in rows)
    print(f"{'all':28} {passed:5} of {total:5} {passed / max(1, total):6.1%}")
    if failures:
        Path(failures).write_text("\n".join(f"=== {name}[{case}\n{reason}" for name, case, reason in failed))


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="*", default=FOLDERS)
    parser.add_argument("--error", action="store_true", help="let nothing go through pandas")
    parser.add_argument("--cases", type=int, default=3, help="cases of each function that are run; 0 for all")
    parser.add_argument("--every", type=int, default=1, help="run one of so many functions")
    parser.add_argument("--failures", help="file for the ends of failed tests")
    parser.add_argument("--answer", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.answer:
        (folder,) = given.folders
        Path(given.answer).write_text(json.dumps(run(folder, given.error, given.cases, given.every)))
    else:
        report(list(given.folders), given.error, given.cases, given.every, given.failures)


if __name__ == "__main__":
    main()
