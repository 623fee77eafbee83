"""``.. public-names:: MODULE …``: documents the public names of akdask that come from modules below those named.

A new public name so appears by itself, where its module belongs.  A name that no page has is a warning, and fails the
strict build.
"""

from __future__ import annotations

import ast
import inspect
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

import akdask

LOGGER = logging.getLogger(__name__)

# Of these classes others are made, whose pages name only what they add.
BASES = ("pdarray", "Index", "AkdaskError", "ExtensionArray", "ExtensionDtype", "ArkoudaArray")
OTHERS = ("object", "dict", "list", "int", "Exception", "BaseException", "Enum", "Generic", "NamedTuple", "tuple")

# What numbers of NumPy, types and constants are is said once, in a list.
PLAIN = ["akdask.columns.dtypes", "akdask.columns.scalar_types", "numpy"]
DOCUMENTED = ("can_cast", "dtype", "result_type")


def sources() -> dict[str, str]:
    """Return the module of each public name, as the stub of the package imports it."""
    stub = ast.parse(Path(akdask.__file__).with_suffix(".pyi").read_text(encoding="utf-8")).body
    imports = [node for node in stub if isinstance(node, ast.ImportFrom)]
    return {alias.asname or alias.name: str(node.module) for node in imports for alias in node.names}


def is_below(module: str, packages: list[str]) -> bool:
    """Tell whether a module is one of these packages, or below it; the package itself stands for no other."""
    below = [f"{package}." for package in packages if package != akdask.__name__]
    return module in packages or module.startswith(tuple(below))


class PublicNames(SphinxDirective):
    """The directive; with ``:package:`` of another package or module than akdask, whose names all are documented."""

    required_arguments = 0
    optional_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar[dict[str, Any]] = {
        "only": directives.unchanged,
        "except": directives.unchanged,
        "package": directives.unchanged,
        "listed": directives.flag,
    }

    def run(self) -> list[nodes.Node]:
        """Return the documentation of the names, in alphabetical order."""
        package = import_module(self.options.get("package", akdask.__name__))
        names = self.names_of(package)
        lines = [f".. currentmodule:: {package.__name__}", "", ", ".join(f"``{name}``" for name in names[0]), ""]
        for name in names[1]:
            lines += [*directive(name, getattr(package, name)), ""]
        return self.parse_text_to_nodes("\n".join(lines), allow_section_headings=False)

    def names_of(self, package: ModuleType) -> tuple[list[str], list[str]]:
        """Return the names that are only listed, and those that are documented."""
        names = sorted(public(package), key=lambda name: (name.lower(), name))
        if package is akdask:
            modules = self.arguments[0].split()
            names = [name for name in names if is_below(SOURCES.get(name, ""), modules)]
        only, left_out = (self.options.get(option, "").split() for option in ("only", "except"))
        names = [name for name in names if (not only or name in only) and name not in left_out]
        if package is akdask:
            self.env.domaindata.setdefault("public_names", {}).setdefault(self.env.docname, set()).update(names)
        if "listed" in self.options:
            return names, []
        listed = [name for name in names if is_plain(package, name)]
        return listed, [name for name in names if name not in listed]


def public(module: ModuleType) -> set[str]:
    """Return the names that a module lists; or, where it lists none, of the functions and classes that it defines."""
    if hasattr(module, "__all__"):
        return set(module.__all__)
    defined = [name for name, value in vars(module).items() if getattr(value, "__module__", None) == module.__name__]
    return {name for name in defined if not name.startswith("_")}


def is_plain(package: ModuleType, name: str) -> bool:
    """Tell whether a name is a number, a module or NumPy's: whether there is nothing to say of it."""
    value = getattr(package, name)
    is_listed = package is akdask and is_below(SOURCES[name], PLAIN) and name not in DOCUMENTED
    return not callable(value) or is_listed


def directive(name: str, value: Any) -> list[str]:
    """Return the directive of autodoc that documents a name."""
    if not inspect.isclass(value):
        return [f".. autofunction:: {name}"]
    # Methods are shown where they are made, not at each class that has them from another public one.
    bases = [base.__name__ for base in value.__mro__[1:] if base.__name__ in BASES]
    return [f".. autoclass:: {name}", f"   :inherited-members: {' '.join([*bases, *OTHERS])}"]


SOURCES = sources()


def check(app: Sphinx, env: BuildEnvironment) -> None:
    """Warn of names that are on no page."""
    found = set().union(*env.domaindata.get("public_names", {}).values())
    missing = sorted(set(akdask.__all__) - found)
    if missing:
        LOGGER.warning("no page of docs/api has %s", ", ".join(missing))


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx of the directive."""
    app.add_directive("public-names", PublicNames)
    app.connect("env-check-consistency", check)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
