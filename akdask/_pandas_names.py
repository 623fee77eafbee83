"""Names that akdask registers with pandas: the accessor ``.ak``, and types such as ``ak_int64``.

`akdask.extension` has both, and takes long to load.  So that ``import akdask`` needs neither it nor pandas, stand-ins
are registered once pandas is imported, before or after akdask.  The first use of a stand-in loads the real object.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.abc import Loader
else:
    # That module reads archives and makes temporary files, so it takes long to load.
    Loader = object

ACCESSORS = {
    "Series": "ArkoudaSeriesAccessor",
    "Index": "ArkoudaIndexAccessor",
    "DataFrame": "ArkoudaDataFrameAccessor",
}
"""Names in `akdask.extension`, by the classes of pandas that have the accessor."""


class FinderOfPandas:
    """Finds pandas as others do, but that it gets the stand-ins as soon as it is loaded."""

    @classmethod
    def find_spec(
        cls, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return how pandas is loaded, None for another module."""
        if fullname != "pandas":
            return None
        # Those behind this one: if akdask is loaded again, there are two of these, which would ask each other.
        others = sys.meta_path[sys.meta_path.index(cls) + 1 :]
        spec = next(filter(None, (finder.find_spec(fullname, path, target) for finder in others)), None)
        if spec is not None and spec.loader is not None:
            spec.loader = LoaderOfPandas(spec.loader)
        return spec


class LoaderOfPandas(Loader):
    """Loads pandas by its own loader, and registers the stand-ins."""

    def __init__(self, loader: Any) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Return the module that the own loader makes."""
        module: ModuleType | None = self._loader.create_module(spec)
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Load pandas by its own loader."""
        assert module.__spec__ is not None, "the import system has set it"
        module.__spec__.loader = module.__loader__ = self._loader
        self._loader.exec_module(module)
        if FinderOfPandas in sys.meta_path:
            sys.meta_path.remove(FinderOfPandas)
            register()


def register() -> None:
    """Register the stand-ins with pandas, which is loaded."""
    from pandas.api import extensions

    # Where akdask is loaded again, those of the first time exist.
    remove_accessors()
    for owner, name in ACCESSORS.items():
        getattr(extensions, f"register_{owner.lower()}_accessor")("ak")(partial(_accessor, name))

    class NamedDtype(extensions.ExtensionDtype):
        """Stand-in for all types of akdask, which pandas finds by name."""

        name, type = "ak_named", object

        @classmethod
        def construct_from_string(cls, string: Any) -> Any:
            if not isinstance(string, str) or not string.strip().lower().startswith(("ak", "arkouda")):
                raise TypeError(f"{string!r} is no name of a type of akdask")
            return import_module("akdask.extension.arrays").ArkoudaBaseDtype.construct_from_string(string)

    extensions.register_extension_dtype(NamedDtype)


def _accessor(name: str, item: Any) -> Any:
    return getattr(import_module("akdask.extension"), name)(item)


def remove_accessors() -> None:
    """Remove akdask's accessors, stand-ins or those of an earlier load, in whose place others are registered."""
    import pandas as pd

    for owner, own in ((getattr(pd, name), accessor) for name, accessor in ACCESSORS.items()):
        found = getattr(owner, "ak", None)
        if isinstance(found, partial) or getattr(found, "__name__", None) == own:
            del owner.ak
            owner._accessors.discard("ak")


if "pandas" in sys.modules:
    register()
else:
    sys.meta_path.insert(0, FinderOfPandas)
