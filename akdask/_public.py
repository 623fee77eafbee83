"""Public names that are loaded at first use, so that scripts need not wait for functions that they never call.

The names and their modules are written once, as imports of a stub: ``__init__.pyi``, which type checkers and editors
read as well.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import Any

from akdask.deferred import without_collection
from akdask.errors import MissingAttributeError


def names_of_stub(package: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return the ``__getattr__``, ``__dir__`` and ``__all__`` of a package (PEP 562).

    Parameters
    ----------
    package : str
        Its name.
    file : str
        Path of its ``__init__.py``, beside which is the stub.

    Returns
    -------
    tuple
        A function that loads a name, a function that returns all names, and the public names.
    """
    stub = ast.parse(Path(file).with_suffix(".pyi").read_text(encoding="utf-8")).body
    imports = [node for node in stub if isinstance(node, ast.ImportFrom)]
    sources = {name.asname or name.name: (str(node.module), name.name) for node in imports for name in node.names}
    public = next(ast.literal_eval(node.value) for node in stub if isinstance(node, ast.Assign))

    def load(name: str) -> Any:
        if name not in sources:
            alike = [] if name.startswith("_") else get_close_matches(name, public, 3)
            short = package.replace("akdask", "ak", 1)
            raise MissingAttributeError(
                f"module {package!r} has no attribute {name!r}.",
                hint=f"did you mean {' or '.join(f'{short}.{found}' for found in alike)}?" if alike else None,
            )
        module, original = sources[name]
        loaded = without_collection(import_module)(f"{module}.{original}" if module == package else module)
        found = loaded if module == package else getattr(loaded, original)
        # A name that is loaded is found without a call from then on.
        setattr(sys.modules[package], name, found)
        return found

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *sources})

    return load, names, public
