"""The graph of imports: no modules need each other to be loaded."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import akdask

ROOT = Path(akdask.__file__).parent
MODULES = {
    ".".join(("akdask", *path.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__"): path
    for path in sorted(ROOT.rglob("*.py"))
}


def _imported(text: str, known: set[str]) -> Iterator[str]:
    """Yield the modules that a module imports outside functions, but for type checkers."""
    for node in _outside_functions(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names if name.name in known)
        elif isinstance(node, ast.ImportFrom) and node.module is not None and not node.level:
            for name in node.names:
                inside = f"{node.module}.{name.name}"
                yield from ({inside} if inside in known else {node.module}) & known


def _outside_functions(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
            continue  # A public class names types of modules that work on it.
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield child
            yield from _outside_functions(child)


def circle(texts: dict[str, str]) -> list[str]:
    """Return modules that import each other in a circle, none if there are none."""
    graph = {module: set(_imported(text, set(texts))) - {module} for module, text in texts.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_no_modules_import_each_other():
    assert len(MODULES) > 200
    assert circle({module: path.read_text(encoding="utf-8") for module, path in MODULES.items()}) == []


@pytest.mark.parametrize(
    ("second", "found"),
    [
        ("if TYPE_CHECKING:\n    from a.one import x", False),
        ("from a import one", True),
        ("import a.one", True),
        ("class C:\n    import a.one", True),
        ("class C:\n    def method(self):\n        import a.one", False),
        ("def function():\n    import a.one", False),
        ("from b import x", False),
    ],
)
def test_circles_are_found(second, found):
    assert bool(circle({"a": "", "a.one": "from a.two import y", "a.two": second})) is found


def test_the_changelog_names_modules_that_exist_as_those_to_which_others_moved():
    moved = (
        Path(__file__)
        .parents[1]
        .joinpath("CHANGELOG.md")
        .read_text(encoding="utf-8")
        .partition("### Modules that moved")[2]
    )
    rows = [line.strip("| ").rpartition(" | ")[2] for line in moved.splitlines() if line.startswith("| `")]
    named = {name for row in rows for name in re.findall(r"`([\w./]+)`", row)}
    assert len(named) > 100
    where = {name: ROOT / (name if "/" in name else name.replace(".", "/")) for name in named}
    assert [name for name, path in where.items() if not (path.exists() or path.with_suffix(".py").exists())] == []
