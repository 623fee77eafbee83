"""Every test can fail: it asserts something, itself or in what it calls, and compares nothing with itself."""

from __future__ import annotations

import ast
from collections import ChainMap
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

TESTS = Path(__file__).parent

# Functions of pytest and the like that fail by themselves, beside all whose names begin with `assert`.
FAILING = {"fail", "raises", "warns"}


def functions(tree: ast.AST) -> dict[str, set[str] | None]:
    """Return what each function of a module calls; see `called`."""
    return {node.name: called(node) for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def called(node: ast.AST) -> set[str] | None:
    """Return the names that are called by some code that cannot fail itself, None if it can."""
    found = set()
    for part in ast.walk(node):
        match part:
            case ast.Assert():
                return None
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
                if name in FAILING or name.startswith("assert") or _checks_status(part):
                    return None
                found.add(name)
    return found


def can_fail(names: set[str] | None, known: Mapping[str, set[str] | None]) -> bool:
    """Whether there is an assertion in code that calls some names, or in a function of the tests that it calls."""
    met: set[str] = set()
    stack = [names]
    while stack:
        if (names := stack.pop()) is None:
            return True
        new = (names & known.keys()) - met
        met |= new
        stack += [known[name] for name in new]
    return False


def _checks_status(call: ast.Call) -> bool:
    return any(word.arg == "check" and ast.unparse(word.value) == "True" for word in call.keywords)


def compared_with_themselves(tree: ast.AST) -> Iterator[int]:
    """Yield the lines where a name or constant stands on both sides; of two calls, the second may give another."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq):
            left, right = node.left, node.comparators[0]
            is_same = type(left) is type(right) and ast.unparse(left) == ast.unparse(right)
            if is_same and not any(isinstance(part, ast.Call) for part in ast.walk(left)):
                yield node.lineno


def test_every_test_can_fail():
    own: dict[str, dict[str, set[str] | None]] = {}
    wrong: list[tuple[str, str | int]] = []
    # One tree after the other, as Python looks for garbage in all that there are.
    for path in sorted(TESTS.rglob("*.py")):
        tree, module = ast.parse(path.read_text(encoding="utf-8")), str(path.relative_to(TESTS))
        own[module] = functions(tree)
        if path.name.startswith("test_"):
            wrong += [(module, line) for line in compared_with_themselves(tree)]
    shared = {name: names for found in own.values() for name, names in found.items()}
    for module, found in own.items():
        if Path(module).name.startswith("test_"):
            known, tests = ChainMap(found, shared), [name for name in found if name.startswith("test_")]
            wrong += [(module, name) for name in tests if not can_fail(found[name], known)]
    assert wrong == []


@pytest.mark.parametrize(
    ("source", "finds"),
    [
        ("assert found == [1]", True),
        ("with pytest.raises(ValueError): work()", True),
        ("assert_equal(found, [1])", True),
        ("check(found)", True),
        ("subprocess.run(command, check=True)", True),
        ("found = work()", False),
        ("with suppress(ValueError): work()", False),
    ],
)
def test_assertions_are_found_where_they_are(source, finds):
    assert can_fail(called(ast.parse(source)), functions(ast.parse("def check(found): assert found"))) == finds


def test_comparisons_of_a_thing_with_itself_are_found():
    assert list(compared_with_themselves(ast.parse("assert a.b == a.b\nassert f(a) == f(a)\nassert a == b"))) == [1]
