"""The modules at Arkouda's import paths, below `akdask.arkouda`: they have no files, and no names of their own.

All of them are loaded modules as soon as `akdask.arkouda` is loaded; the import system expects this of a package that
makes its modules itself.  They are empty until a name is looked up, so that importing stays fast.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from akdask import config
from akdask.arkouda.paths import HOMES, MODULES, MOVED
from akdask.errors import ArgumentError

PACKAGE = "akdask.arkouda"
ARKOUDA = "arkouda"


class ArkoudaModule(ModuleType):
    """A module that looks up each name elsewhere on first use.

    Parameters
    ----------
    path : str
        The path in `MODULES`.
    """

    def __init__(self, path: str) -> None:
        name = f"{PACKAGE}.{path}"
        super().__init__(name, f"What Arkouda has under ``arkouda.{path}``.")
        # A package, so that its modules can be imported; missing modules are looked for in no folder.
        vars(self).update(_path=path, __path__=[], __package__=name, __spec__=ModuleSpec(name, None, is_package=True))

    def __getattr__(self, name: str) -> Any:
        if name == "__all__":
            return self.__dir__()
        is_listed = name in MODULES[self._path].split()
        package = sys.modules["akdask"]
        if not is_listed and (name.startswith("_") or name not in package.__all__):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        return getattr(self._home_of(name) if is_listed else package, name)

    def __setattr__(self, name: str, value: Any) -> None:
        is_listed = not name.startswith("_") and name in MODULES[self._path].split()
        settings = getattr(self._home_of(name), "SETTINGS", {}) if is_listed else {}
        if name in settings:
            config.set(**{settings[name]: value})
        else:
            super().__setattr__(name, value)

    def _home_of(self, name: str) -> ModuleType:
        """Return the module that contains a name listed for this one."""
        homes = [import_module(f"akdask.{home}") for home in HOMES.get(self._path, "").split()]
        return next((home for home in homes if hasattr(home, name)), sys.modules["akdask"])

    def __reduce__(self) -> tuple[Any, ...]:
        return import_module, (self.__name__,)

    def __dir__(self) -> list[str]:
        inside = [name for name, item in vars(self).items() if isinstance(item, ArkoudaModule)]
        return sorted({*inside, *(name for name in MODULES[self._path].split() if hasattr(self, name))})


def _tree() -> dict[str, ArkoudaModule]:
    """Return all modules by their present and former paths; submodules are attributes."""
    tree = {path: ArkoudaModule(path) for path in MODULES}
    tree |= {path: tree[present] for path, present in MOVED.items()}
    for path, module in tree.items():
        parent, _, name = path.rpartition(".")
        if parent:
            vars(tree[parent])[name] = module
    return tree


TREE = _tree()
"""The modules by their paths, without the package's name."""


def load_below(package: str) -> None:
    """Enter all modules of `TREE` into the loaded modules, below a package."""
    sys.modules.update({f"{package}.{path}": module for path, module in TREE.items()})


def attribute(name: str) -> Any:
    """Return the object that ``arkouda`` has under a name: one of its modules, or an object of `akdask`.

    Raises
    ------
    MissingAttributeError
        If there is neither.
    """
    # A module that is named for its function gives way to it, as in Arkouda.
    is_module = name in TREE and name not in MODULES.get(name, "").split()
    return TREE[name] if is_module else getattr(sys.modules["akdask"], name)


def attributes() -> list[str]:
    """Return the names that ``arkouda`` has."""
    return sorted({*dir(sys.modules["akdask"]), *(path for path in TREE if "." not in path)})


def install_as_arkouda() -> None:
    """Have ``import arkouda`` mean `akdask.arkouda` in this process, with all modules of Arkouda's below it.

    Call it before the first script that imports Arkouda; once is enough.

    Raises
    ------
    ArgumentError
        If Arkouda itself has been imported.

    Examples
    --------
    >>> import akdask
    >>> akdask.install_as_arkouda()
    >>> import arkouda as ak
    >>> from arkouda.pandas.groupbyclass import GroupBy
    >>> ak is akdask.arkouda, ak.array is akdask.array, GroupBy is akdask.GroupBy
    (True, True, True)
    """
    package = sys.modules[PACKAGE]
    loaded = sys.modules.get(ARKOUDA, package)
    if loaded is not package:
        raise ArgumentError(
            "Arkouda itself has been imported in this process.",
            details=[f"from {loaded.__file__}"],
            hint="call install_as_arkouda() before anything imports arkouda.",
        )
    sys.modules[ARKOUDA] = package
    load_below(ARKOUDA)
