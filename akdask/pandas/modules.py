"""Modules of pandas under the name of this face: ``from akdask.pandas.api.types import is_numeric_dtype``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

FACE = "akdask.pandas."

PUBLIC = frozenset({"api", "arrays", "errors", "io", "tseries", "util"})
"""Modules of pandas that know no frames, or are answered by it; `plotting` and `testing` are this face's own."""


class PandasModules(MetaPathFinder, Loader):
    """Finds pandas' public modules, and what is in them, below ``akdask.pandas``; they are pandas' own objects."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return how a module below ``akdask.pandas`` is loaded, None for any other."""
        inner = fullname.removeprefix(FACE)
        is_public = inner != fullname and inner.partition(".")[0] in PUBLIC
        return ModuleSpec(fullname, self) if is_public else None

    def create_module(self, spec: ModuleSpec) -> None:
        """Let Python make a module, whose place pandas' own takes."""

    def exec_module(self, module: ModuleType) -> None:
        """Put pandas' module under the name of this face."""
        sys.modules[module.__name__] = import_module("pandas." + module.__name__.removeprefix(FACE))


def find_modules_of_pandas() -> None:
    """Let imports find pandas' modules below ``akdask.pandas``."""
    # Before the finder of files, which would load pandas' files once more under the other name.
    sys.meta_path.insert(0, PandasModules())
