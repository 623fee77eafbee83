"""Plants one-line errors in the package, one at a time, and lists those that no test notices.

Run as ``make mutants WHERE=akdask/operators/sort``, or as
``python -m tests.mutation_testing akdask/operators/sort --count 20``.
The seed chooses the errors, of each folder in proportion to its lines.  Each is planted in a copy of the tree, where
the first cases of the tests of its folder run, then some random programs, then all cases.  Errors that change no result
stand with the reason in `equivalent_mutants.txt`, and are not planted.  Errors in `loops.cpp` are compiled for the
lowest level of instructions, which the tests of all errors run at.

What runs for an error of a large folder takes minutes, most of it by tests that never come to the line.  Coverage that
notes tests tells which do, and only these run then, those that reach the fewest lines first::

    python -m pytest tests/pandas_face --cov --cov-context=test --cov-report=
    python -m tests.mutation_testing akdask/pandas --count 100 --coverage .coverage
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from operator import itemgetter
from pathlib import Path
from queue import SimpleQueue

import pytest

import compile_loops

TREE = Path(__file__).parents[1]
EQUIVALENT = Path(__file__).with_name("equivalent_mutants.txt")
COPIED = (
    "akdask",
    "tests",
    "benchmarks",
    "docs",
    "notebooks",
    "examples",
    "compile_loops.py",
    "conftest.py",
    "pyproject.toml",
    "README.md",
)
TOP_TESTS = ("tests/test_programs.py",)
"""Run after the tests of a folder, for each error that these do not notice."""

OPERATORS = [path.parent.name for path in sorted(TREE.glob("akdask/operators/*/__init__.py"))]
"""Nouns of operators; each has a folder of tests."""

OTHER_NAMES = {"akdask/pandas": "pandas_face"}
"""Folders whose tests are in a folder of another name, as a folder `pandas` would hide the library."""

SECONDS = 600
"""How long the first cases of tests take at most; what takes longer is an endless loop."""

SECONDS_OF_ALL = 3600
"""How long all cases of tests take at most."""

CHOSEN = "AKDASK_CHOSEN_TESTS"
"""The environment variable that names a list of tests."""

FIRST = 100
"""How many of the tests that come to a line run before the others do: most errors are noticed by these."""

GIVEN_ALL = "akdask/pandas/"
"""Where functions in tables get all arguments, with pandas' own defaults, so that theirs have no say."""

COMPARISONS = {
    ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==", ast.Is: "is not",
    ast.IsNot: "is", ast.In: "not in", ast.NotIn: "in",
}  # fmt: skip
ARITHMETIC = {
    ast.Add: "-", ast.Sub: "+", ast.Mult: "//", ast.FloorDiv: "*", ast.Div: "*", ast.Mod: "//", ast.LShift: ">>",
    ast.RShift: "<<", ast.BitAnd: "|", ast.BitOr: "&", ast.BitXor: "&",
}  # fmt: skip
WORDS = {
    "left": "right", "first": "last", "min": "max", "minimum": "maximum", "any": "all", "start": "stop",
    "lower": "upper", "head": "tail", "less": "less_equal", "greater": "greater_equal", "add": "subtract",
    "logical_and": "logical_or", "equal": "not_equal", "argmin": "argmax", "ceil": "floor", "sum": "prod",
}  # fmt: skip
WORDS |= {second: first for first, second in WORDS.items()}
"""Names and texts that stand for each other's opposite: what a slip of the mind confuses."""

SYMMETRIC = {"max", "min", "maximum", "minimum"}
"""Functions whose first two arguments may come in either order."""

LOOP_CHANGES: dict[str, dict[str, str] | Callable[[str], str]] = {
    r" (<|<=|>|>=|==|!=) ": {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="},
    r" (\+|-|\*|/|%|<<|>>|&|\||\^|&&|\|\|) ": {
        "+": "-", "-": "+", "*": "/", "/": "*", "%": "/", "<<": ">>", ">>": "<<", "&": "|", "|": "&", "^": "&",
        "&&": "||", "||": "&&",
    },
    r" (\+=|-=|\*=|\|=|&=|\^=|<<=|>>=) ": {
        "+=": "-=", "-=": "+=", "*=": "+=", "|=": "&=", "&=": "|=", "^=": "|=", "<<=": ">>=", ">>=": "<<=",
    },
    r"(?<![\w.])(\d+)(?![\w.])": lambda number: str(int(number) + 1),
    r"\b(true|false|continue|break)\b": {"true": "false", "false": "true", "continue": "", "break": ""},
    r"(?<=[(\s])(!)(?=\w)": {"!": ""},
}  # fmt: skip
"""Patterns of C++ as it is formatted here, with spaces about operators of two operands, and what takes their place."""

HIGHER_LEVELS = re.compile(r"__AVX|__BMI")
"""Instructions beyond those that loops are compiled for while errors are planted."""


@dataclass(frozen=True)
class Mutant:
    """One error: what stands at a place of a module, and what is put there instead."""

    module: str
    function: str
    line: int
    start: int
    stop: int
    replacement: str
    original: str

    def planted(self, source: bytes) -> bytes:
        """Return the source with the error in it."""
        return source[: self.start] + self.replacement.encode() + source[self.stop :]

    @property
    def changed(self) -> str:
        return f"{_short(self.original)} -> {_short(self.replacement)}"

    def key(self, source: bytes) -> tuple[str, str, str, str]:
        """Return what names the error while lines above it come and go."""
        return self.module, self.function, source.splitlines()[self.line - 1].decode().strip(), self.changed

    def __str__(self) -> str:
        return f"{self.module}:{self.line} in {self.function}: {self.changed}"


def _short(code: str) -> str:
    return textwrap.shorten(" ".join(code.split()), 60, placeholder=" …") or "nothing"


class Sites(ast.NodeVisitor):
    """Finds all one-line errors that can be made in a module."""

    def __init__(self, module: str, source: bytes) -> None:
        self.module, self.source = module, source
        self.found: list[Mutant] = []
        self._functions: list[str] = []
        self._lines = [0]
        for line in source.splitlines(keepends=True):
            self._lines.append(self._lines[-1] + len(line))
        tree = ast.parse(source)
        self._given_all = _in_tables(tree) if module.startswith(GIVEN_ALL) else set()
        self.visit(tree)

    def _span(self, node: ast.AST) -> tuple[int, int]:
        first, last = node.lineno, node.end_lineno or node.lineno  # type: ignore[attr-defined]
        return self._lines[first - 1] + node.col_offset, self._lines[last - 1] + (node.end_col_offset or 0)  # type: ignore[attr-defined]

    def _text(self, node: ast.AST) -> str:
        start, stop = self._span(node)
        return self.source[start:stop].decode()

    def _add(self, node: ast.AST, replacement: str) -> None:
        if self._functions:
            start, stop = self._span(node)
            line = node.lineno  # type: ignore[attr-defined]
            function = ".".join(self._functions)
            self.found.append(Mutant(self.module, function, line, start, stop, replacement, self._text(node)))

    def _between(self, node: ast.AST, before: ast.AST, after: ast.AST, replacement: str) -> None:
        """Replace the operator between two operands."""
        stop, start = self._span(after)[0], self._span(before)[1]
        old = self.source[start:stop].decode()
        kept_before = old[: len(old) - len(old.lstrip(") \n"))]
        kept_after = old[len(old.rstrip("( \n")) :]
        if self._functions and "#" not in old:
            new = f"{kept_before or ' '}{replacement}{kept_after or ' '}"
            function = ".".join(self._functions)
            self.found.append(Mutant(self.module, function, node.lineno, start, stop, new, old))  # type: ignore[attr-defined]

    # what is left as it is: annotations, messages, docstrings, checks of lengths, what shows objects

    def visit_Raise(self, node: ast.Raise) -> None:
        """Leave messages of errors alone."""

    def visit_keyword(self, node: ast.keyword) -> None:
        # That lengths are the same is checked, as `require` does in loops, and one copy more changes no result.
        needs_no_copy = node.arg == "copy" and isinstance(node.value, ast.Constant) and node.value.value is False
        if node.arg != "strict" and not needs_no_copy:
            self.visit(node.value)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        if node.name in ("__repr__", "__str__", "_repr_html_", "__dir__") or any(
            isinstance(decorator, ast.Name) and decorator.id == "overload" for decorator in node.decorator_list
        ):
            return
        self._functions.append(node.name)
        if self._given_all.isdisjoint(self._functions):
            for default in [*node.args.defaults, *node.args.kw_defaults]:
                if default is not None:
                    self.visit(default)
        for statement in node.body:
            if not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)):
                self.visit(statement)
        self._functions.pop()

    visit_AsyncFunctionDef = visit_FunctionDef  # type: ignore[assignment]

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._functions.append(node.name)
        for statement in node.body:
            if not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)):
                self.visit(statement)
        self._functions.pop()

    # what is changed

    def visit_Compare(self, node: ast.Compare) -> None:
        for operator, before, after in zip(node.ops, [node.left, *node.comparators], node.comparators, strict=False):
            self._between(node, before, after, COMPARISONS[type(operator)])
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        is_text = any(
            isinstance(side, ast.Constant | ast.JoinedStr) and isinstance(getattr(side, "value", ""), str)
            for side in (node.left, node.right)
        )
        if type(node.op) in ARITHMETIC and not is_text:
            self._between(node, node.left, node.right, ARITHMETIC[type(node.op)])
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        for before, after in zip(node.values, node.values[1:], strict=False):
            self._between(node, before, after, "or" if isinstance(node.op, ast.And) else "and")
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.Not | ast.USub):
            self._add(node, f"({self._text(node.operand)})")
        self.generic_visit(node)

    def _visit_condition(self, node: ast.If | ast.IfExp | ast.While) -> None:
        if not self._text(node.test).startswith("not "):
            self._add(node.test, f"(not ({self._text(node.test)}))")
        self.generic_visit(node)

    visit_If = visit_IfExp = visit_While = _visit_condition

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, bool):
            self._add(node, str(not node.value))
        elif isinstance(node.value, int):
            self._add(node, str(node.value + 1))
        elif isinstance(node.value, str) and node.value in WORDS:
            self._add(node, repr(WORDS[node.value]))

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load) and node.id in ("min", "max", "any", "all"):
            self._add(node, WORDS[node.id])

    def visit_Call(self, node: ast.Call) -> None:
        if len(node.args) > 1 and not any(isinstance(arg, ast.Starred) for arg in node.args[:2]):
            first, second = node.args[:2]
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            are_plain = all(isinstance(arg, ast.Name | ast.Attribute) for arg in (first, second))
            if are_plain and name not in SYMMETRIC and self._text(first) != self._text(second):
                (start, _), (_, stop) = self._span(first), self._span(second)
                old = self.source[start:stop].decode()
                new = f"{self._text(second)}, {self._text(first)}"
                if self._functions:
                    function = ".".join(self._functions)
                    self.found.append(Mutant(self.module, function, node.lineno, start, stop, new, old))
        if isinstance(node.func, ast.Name) and node.func.id in ("isinstance", "issubclass"):
            self.visit(node.args[0])
        else:
            self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Call) and not self._text(node).startswith(("warn(", "warnings.", "check_")):
            self._add(node, "pass")
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self._add(node, "pass")
        self.generic_visit(node)

    def visit_Break(self, node: ast.Break) -> None:
        self._add(node, "pass")

    def visit_Continue(self, node: ast.Continue) -> None:
        self._add(node, "pass")


def _in_tables(tree: ast.Module) -> set[str]:
    """Return the functions that stand in tables of a module, or make what does, and are called nowhere else in it."""
    tables = [one for one in tree.body if isinstance(one, ast.AnnAssign) and isinstance(one.value, ast.Dict)]
    within = {node for table in tables for node in ast.walk(table)}
    called = {
        node.func.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node not in within
    }
    return {node.id for node in within if isinstance(node, ast.Name)} - called


def sites_of_loops(module: str, source: bytes) -> list[Mutant]:
    """Return all one-line errors that can be made in a source of compiled loops."""
    found = []
    function, place = "", 0
    is_compiled = has_branch = True
    for number, line in enumerate(source.splitlines(keepends=True), 1):
        code = line.decode().partition("//")[0]
        if directive := re.match(r"#(if|elif|else|endif)", code):
            # Of branches by instructions, the first one that the lowest level has is compiled.
            has_branch &= directive[1] != "if"
            is_compiled = directive[1] == "endif" or not (has_branch or HIGHER_LEVELS.search(code))
            has_branch |= is_compiled
        if begun := re.match(r"[a-z][\w:<>,*& ]*?(\w+)\(", code):
            function = begun[1]
        # What is fetched ahead changes no result.
        is_checked = code.startswith(" ") and function and is_compiled
        is_checked = is_checked and not re.search(r"\b(require|prefetch)\(|\bthrow\b|\"", code)
        for pattern, changes in LOOP_CHANGES.items() if is_checked else ():
            for match in re.finditer(pattern, code):
                old = match[1]
                new = changes(old) if callable(changes) else changes[old]
                start = place + len(code[: match.start(1)].encode())
                found.append(Mutant(module, function, number, start, start + len(old), new, old))
        place += len(line)
    return found


def modules_of(where: str) -> list[Path]:
    path = TREE / where
    return [path] if path.is_file() else sorted([*path.rglob("*.py"), *path.rglob("loops.cpp")])


def _is_compiled(module: str) -> bool:
    return module.endswith(".cpp")


def _sites(module: str, source: bytes) -> list[Mutant]:
    return sites_of_loops(module, source) if _is_compiled(module) else Sites(module, source).found


def choose(where: Sequence[str], count: int, seed: int) -> list[Mutant]:
    """Return errors of random modules, each function at most once while others are left."""
    accepted = _accepted()
    sources = {path: path.read_bytes() for folder in where for path in modules_of(folder)}
    folders: dict[str, list[Path]] = {}
    for path in sources:
        folders.setdefault("/".join(path.relative_to(TREE).parts[:-1][:3]), []).append(path)
    lines = {name: sum(len(sources[path].splitlines()) for path in paths) for name, paths in folders.items()}
    shares = _shares(lines, count)
    chosen: list[Mutant] = []
    for name, paths in folders.items():
        sites = [
            mutant
            for path in paths
            for mutant in _sites(str(path.relative_to(TREE)), sources[path])
            if mutant.key(sources[path]) not in accepted
        ]
        # A folder's errors do not depend on what other folders hold.
        random.Random(f"{seed} {name}").shuffle(sites)
        of_function: Counter[tuple[str, str]] = Counter()
        rounds = []
        for mutant in sites:
            of_function[mutant.module, mutant.function] += 1
            rounds.append(of_function[mutant.module, mutant.function])
        ordered = (mutant for _, mutant in sorted(zip(rounds, sites, strict=True), key=itemgetter(0)))
        sound = (mutant for mutant in ordered if _compiles(mutant, sources[TREE / mutant.module]))
        chosen += islice(sound, shares[name])
    return chosen


def _shares(lines: dict[str, int], count: int) -> dict[str, int]:
    """Return how many of ``count`` errors each folder gets: whole numbers in proportion to lines."""
    total = sum(lines.values())
    shares = {name: count * number // total for name, number in lines.items()}
    rest = sorted(lines, key=lambda name: count * lines[name] % total, reverse=True)
    for name in rest[: count - sum(shares.values())]:
        shares[name] += 1
    return shares


def _compiles(mutant: Mutant, source: bytes) -> bool:
    if _is_compiled(mutant.module):
        return True
    try:
        compile(mutant.planted(source), mutant.module, "exec", dont_inherit=True)
    except SyntaxError:
        return False
    return True


def _accepted() -> set[tuple[str, ...]]:
    """Return the errors that change no result: module, function, line, change; the reason stands behind them."""
    rows = EQUIVALENT.read_text(encoding="utf-8").splitlines() if EQUIVALENT.exists() else []
    return {tuple(row.split("\t")[:4]) for row in rows if row and not row.startswith("#")}


def tests_of(module: str) -> list[str]:
    """Return the tests of a module: those in the folder of its noun, and in those of operators that its name has."""
    folders = Path(module).parent.relative_to("akdask").parts
    nouns = [noun for noun in OPERATORS if noun in Path(module).stem and "operators" not in folders]
    for noun in (OTHER_NAMES.get(Path(module).parent.as_posix(), ""), *reversed(folders)):
        path = TREE / "tests" / noun
        if noun and path.is_dir() and any(path.rglob("test_*.py")):
            return [f"tests/{folder}" for folder in (noun, *nouns)]
    return ["tests/test_properties.py", "tests/test_equivalence.py"]


class Reached:
    """Which tests come to which lines, from a file of coverage that noted tests."""

    def __init__(self, path: Path) -> None:
        # Threads ask one after the other.
        self._database = sqlite3.connect(path, check_same_thread=False)
        files = dict(self._database.execute("SELECT path, id FROM file"))
        self._files = {str(Path(name).relative_to(_common(files))): number for name, number in files.items()}
        self._tests = {
            number: context.rpartition("|")[0]
            for number, context in self._database.execute("SELECT id, context FROM context")
        }
        self._size: Counter[str] = Counter()
        for context, count in self._database.execute("SELECT context_id, COUNT(*) FROM arc GROUP BY context_id"):
            self._size[self._tests[context]] += count

    def tests_of(self, mutant: Mutant) -> list[str]:
        """Return the tests that come to an error's statement, those that reach the fewest lines first."""
        if _is_compiled(mutant.module):
            return []
        lines = _lines_of_statement(TREE / mutant.module, mutant.line)
        # Branches are stored as arcs from line to line; negative numbers are ways in and out of a function.
        rows = self._database.execute(
            "SELECT DISTINCT context_id FROM arc"
            " WHERE file_id = ? AND (fromno BETWEEN ? AND ? OR tono BETWEEN ? AND ?)",
            (self._files.get(mutant.module, -1), *(lines[0], lines[-1]) * 2),
        )
        tests = {self._tests[context] for (context,) in rows} - {""}
        return sorted(tests, key=lambda test: (self._size[test], test))


def _common(paths: Iterable[str]) -> Path:
    """Return the folder of the tree that was covered: what holds the package."""
    path = Path(os.path.commonpath(list(paths)))
    packages = (
        folder for folder in (path, *path.parents) if folder.name == "akdask" and (folder / "py.typed").exists()
    )
    return next((folder.parent for folder in packages), path)


def _lines_of_statement(path: Path, line: int) -> range:
    """Return the lines of the innermost statement at a line, of a compound one those above its body."""
    lines = range(line, line + 1)
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or node.lineno):
            body = getattr(node, "body", None)
            stop = body[0].lineno if body else (node.end_lineno or node.lineno) + 1
            # Statements further in come later, as the walk is by breadth.
            if line < stop:
                lines = range(node.lineno, stop)
    return lines


class Copies:
    """Copies of the tree, one for each error that is looked at at a time."""

    def __init__(self, folder: Path, count: int, *, slow: bool, reached: Reached | None) -> None:
        self.slow, self.reached = slow, reached
        self._free: SimpleQueue[Path] = SimpleQueue()
        for number in range(count):
            copy = folder / str(number)
            copy.mkdir()
            for name in COPIED:
                source = TREE / name
                if source.is_dir():
                    shutil.copytree(source, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
                else:
                    shutil.copy(source, copy / name)
            self._compile(copy)
            self._free.put(copy)

    def check(self, tests: Sequence[str]) -> None:
        """Refuse to look for errors with tests that fail, or are none, without one."""
        copy = self._free.get()
        passes = self._passes(copy, list(tests), all_cases=True)
        # Others wait for the copy, also where this ends the run.
        self._free.put(copy)
        if not passes:
            raise SystemExit(f"no error is planted, and {' '.join(tests)} fails")

    def lives(self, mutant: Mutant) -> bool:
        """Whether no test notices an error."""
        copy = self._free.get()
        path = copy / mutant.module
        # Of loops what was compiled is put back, too.
        before = {
            file: file.read_bytes() for file in [path, *(path.parent.glob("*.so") if _is_compiled(path.name) else [])]
        }
        try:
            path.write_bytes(mutant.planted(before[path]))
            if _is_compiled(path.name) and not self._compile(copy):
                return False
            return all(self._passes(copy, tests, all_cases=is_full) for tests, is_full in self._rounds(mutant))
        finally:
            for file, content in before.items():
                file.write_bytes(content)
            self._free.put(copy)

    @staticmethod
    def _compile(copy: Path) -> bool:
        """Compile what has changed, for the lowest level alone, and return whether it can be."""
        command = [sys.executable, "compile_loops.py"]
        environment = os.environ | {"AKDASK_TOP_LEVEL": next(iter(compile_loops.LEVELS))}
        return not subprocess.run(command, cwd=copy, env=environment, capture_output=True, check=False).returncode

    def _rounds(self, mutant: Mutant) -> Iterator[tuple[list[str], bool]]:
        """Yield what runs in turn until an error is noticed: tests, and whether with all their cases."""
        if self.reached is not None and (tests := self.reached.tests_of(mutant)):
            yield tests[:FIRST], True
            if tests[FIRST:]:
                yield tests[FIRST:], True
            yield list(TOP_TESTS), True
        else:
            yield tests_of(mutant.module), False
            yield list(TOP_TESTS), True
            yield tests_of(mutant.module), True

    def _passes(self, copy: Path, tests: list[str], *, all_cases: bool) -> bool:
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-W", "default"]
        # To reduce an example takes longer than to find it.
        command += ["--hypothesis-profile=unreduced"]
        # Modules of tests are compiled once, and of the package what was changed.
        environment = os.environ | {"PYTHONPATH": str(copy), "PYTHONPYCACHEPREFIX": str(copy / "bytecode")}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        environment["AKDASK_PROGRAMS"] = "60"
        if any("::" in test for test in tests):
            # A test that is not there, as it was given another name, would be an error that looks like a noticed one.
            chosen = copy / "chosen_tests"
            chosen.write_text("\n".join(tests), encoding="utf-8")
            environment[CHOSEN] = str(chosen)
            command += ["-p", "tests.mutation_testing", *dict.fromkeys(test.partition("::")[0] for test in tests)]
        else:
            command += tests
            if not all_cases:
                command += ["--quick"]
            elif not self.slow:
                command += ["-m", "not slow and not cluster"]
        process = subprocess.Popen(
            command,
            cwd=copy,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            limit = SECONDS_OF_ALL if all_cases else SECONDS
            return process.wait(limit) in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)
        except subprocess.TimeoutExpired:
            # An endless loop is noticed too.
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return False


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave only the tests of a list, in its order; this module is a plugin of pytest where it runs some tests."""
    order = {test: number for number, test in enumerate(Path(os.environ[CHOSEN]).read_text("utf-8").split("\n"))}
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in order])
    items[:] = sorted((item for item in items if item.nodeid in order), key=lambda item: order[item.nodeid])


def survivors(
    mutants: Sequence[Mutant], jobs: int, *, slow: bool, reached: Reached | None, tell: Callable[[str], None]
) -> Iterator[Mutant]:
    """Yield the errors that no test notices, and tell what became of each."""
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder, ThreadPoolExecutor(jobs) as pool:
        copies = Copies(Path(folder), jobs, slow=slow, reached=reached)
        if reached is None:
            list(pool.map(copies.check, {TOP_TESTS, *(tuple(tests_of(mutant.module)) for mutant in mutants)}))
        for mutant, lives in zip(mutants, pool.map(copies.lives, mutants), strict=True):
            tell(f"{'LIVES  ' if lives else 'noticed'}  {mutant}")
            if lives:
                yield mutant


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("where", nargs="+", help="folders or modules of the package")
    parser.add_argument("--count", type=int, default=20, help="errors to plant")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().getrandbits(32))
    parser.add_argument("--jobs", type=int, default=2, help="errors looked at beside each other")
    parser.add_argument("--slow", action="store_true", help="run slow tests and those of clusters, too")
    parser.add_argument("--coverage", type=Path, help="file of coverage that tells which tests come to a line")
    options = parser.parse_args()
    mutants = choose(options.where, options.count, options.seed)
    print(f"{len(mutants)} errors, --seed {options.seed}", flush=True)
    reached = None if options.coverage is None else Reached(options.coverage)
    told = survivors(
        mutants, options.jobs, slow=options.slow, reached=reached, tell=lambda line: print(line, flush=True)
    )
    alive = list(told)
    print(f"\n{len(mutants) - len(alive)} of {len(mutants)} noticed")
    for mutant in alive:
        source = (TREE / mutant.module).read_bytes()
        print("\t".join(mutant.key(source)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
