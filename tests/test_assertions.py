"""Every test can fail: it asserts something, itself or in what it calls, and compares nothing with itself."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).parent

# Functions of pytest and the like that fail by themselves, beside all whose names begin with `assert`.
FAILING = {"fail", "raises", "warns"}


def functions(tree: ast.AST) -> dict[str, ast.FunctionDef]:
    return {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def can_fail(node: ast.AST, known: dict[str, ast.FunctionDef], met: frozenset[str] = frozenset()) -> bool:
    """Whether there is an assertion in some code, or in a function of the tests that it calls."""
    return any(_fails(part, known, met) for part in ast.walk(node))


def _fails(part: ast.AST, known: dict[str, ast.FunctionDef], met: frozenset[str]) -> bool:
    match part:
        case ast.Assert():
            return True
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            if name in FAILING or name.startswith("assert") or _checks_status(part):
                return True
            return name in known and name not in met and can_fail(known[name], known, met | {name})
    return False


def _checks_status(call: ast.Call) -> bool:
    return any(word.arg == "check" and ast.unparse(word.value) == "True" for word in call.keywords)


def compared_with_themselves(tree: ast.AST) -> Iterator[int]:
    """Yield the lines where a name or constant stands on both sides; of two calls, the second may give another."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq):
            left, right = ast.unparse(node.left), ast.unparse(node.comparators[0])
            if left == right and not any(isinstance(part, ast.Call) for part in ast.walk(node.left)):
                yield node.lineno


def test_every_test_can_fail():
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(TESTS.rglob("*.py"))}
    own = {path: functions(tree) for path, tree in trees.items()}
    shared = {name: function for found in own.values() for name, function in found.items()}
    wrong: list[tuple[str, str | int]] = []
    for path, tree in trees.items():
        if path.name.startswith("test_"):
            module, known = str(path.relative_to(TESTS)), shared | own[path]
            tests = [name for name in own[path] if name.startswith("test_")]
            wrong += [(module, name) for name in tests if not can_fail(known[name], known, frozenset({name}))]
            wrong += [(module, line) for line in compared_with_themselves(tree)]
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
    assert can_fail(ast.parse(source), functions(ast.parse("def check(found): assert found"))) == finds


def test_comparisons_of_a_thing_with_itself_are_found():
    assert list(compared_with_themselves(ast.parse("assert a.b == a.b\nassert f(a) == f(a)\nassert a == b"))) == [1]
