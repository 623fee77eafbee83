"""Modules at Arkouda's import paths, made when they are imported: they have no names of their own.

Two finders of Python's import system stand on the table of `akdask.arkouda.paths`.  One, always there, answers for
paths below ``akdask`` that no file has; the other, which `install_as_arkouda` adds, for ``arkouda`` and all that is
below it.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module
from importlib.abc import Loader
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

from akdask import config
from akdask.arkouda.paths import HOMES, MODULES, MOVED
from akdask.errors import ArgumentError, MissingAttributeError

PACKAGE = "akdask"
ARKOUDA = "arkouda"


class ImportPath(ModuleType):
    """A module that has its names from elsewhere, each looked up when it is asked for.

    Parameters
    ----------
    name : str
        Its name in full.
    path : str
        The path in `MODULES`.
    """

    def __init__(self, name: str, path: str) -> None:
        super().__init__(name, f"What Arkouda has under ``arkouda.{path}``.")
        self._path = path

    def __getattr__(self, name: str) -> Any:
        if name == "__all__":
            return self.__dir__()
        if f"{self._path}.{name}" in MODULES:
            return import_module(f"{PACKAGE}.{self._path}.{name}")
        if name.startswith("_") and name not in MODULES[self._path].split():
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        return getattr(self._holder_of(name), name)

    def __setattr__(self, name: str, value: Any) -> None:
        is_listed = not name.startswith("_") and name in MODULES[self._path].split()
        settings = getattr(self._holder_of(name), "SETTINGS", {}) if is_listed else {}
        if name in settings:
            config.set(**{settings[name]: value})
        else:
            super().__setattr__(name, value)

    def _holder_of(self, name: str) -> ModuleType:
        """Return the module that has a name of this one."""
        is_listed = name in MODULES[self._path].split()
        for home in HOMES.get(self._path, "").split() if is_listed else ():
            # Not by import: a home that is still to be written would be found at Arkouda's path of that name.
            module = _own_module(f"{PACKAGE}.{home}")
            if module is not None and hasattr(module, name):
                return module
        return sys.modules[PACKAGE]

    def __dir__(self) -> list[str]:
        children = [path.rpartition(".")[2] for path in MODULES if path.rpartition(".")[0] == self._path]
        return sorted({*children, *(name for name in MODULES[self._path].split() if hasattr(self, name))})

    def __call__(self, *args: Any, **params: Any) -> Any:
        """Call the function that a module is named for, in whose place an import puts the module: ``ak.apply``."""
        return vars(self)[self._path](*args, **params)


def _own_module(name: str) -> ModuleType | None:
    """Return a module that is made of a file of akdask's, None if there is no such file."""
    parent = import_module(name.rpartition(".")[0])
    return import_module(name) if PathFinder.find_spec(name, parent.__path__) is not None else None


class _PathLoader(Loader):
    def __init__(self, path: str) -> None:
        self._path = path

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return ImportPath(spec.name, self._path)

    def exec_module(self, module: ModuleType) -> None:
        """Keep the function that a module is named for: the package is about to have the module in its place."""
        if is_named_for_function(self._path):
            setattr(module, self._path, getattr(sys.modules[PACKAGE], self._path))


def is_named_for_function(path: str) -> bool:
    """Whether a module has a function of its own name, which is what the package has under it."""
    return path in MODULES[path].split()


class _SameModule(Loader):
    """Has an import give a module that goes by another name already."""

    def __init__(self, name: str) -> None:
        self._name = name

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        self._module = import_module(self._name)
        self._spec = self._module.__spec__
        if not hasattr(self._module, "__path__"):
            spec.submodule_search_locations = None
        return self._module

    def exec_module(self, module: ModuleType) -> None:
        """Undo what the import system has noted in the module."""
        module.__spec__ = self._spec


class PathFinderOfArkouda:
    """Finds modules at Arkouda's paths below ``akdask``, where there is no file."""

    @staticmethod
    def find_spec(
        fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return how a module is made, None for one of another package or of no path that Arkouda has."""
        package, _, rest = fullname.partition(".")
        if package != PACKAGE or not rest:
            return None
        if rest in MOVED:
            return ModuleSpec(fullname, _SameModule(f"{PACKAGE}.{MOVED[rest]}"), is_package=True)
        if rest in MODULES:
            return ModuleSpec(fullname, _PathLoader(rest), is_package=True)
        return None


class ArkoudaFinder:
    """Has ``arkouda`` and every module below it mean akdask."""

    @staticmethod
    def find_spec(
        fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return how a module is found, None for one of another package."""
        package, _, rest = fullname.partition(".")
        if package != ARKOUDA:
            return None
        return ModuleSpec(fullname, _SameModule(_module_for(rest)), is_package=True)


def _module_for(path: str) -> str:
    """Return the name of akdask's module for a path of Arkouda's, none for that of the package.

    Raises
    ------
    ModuleNotFoundError
        If there is none.
    """
    own = f"{PACKAGE}.{path}".removesuffix(".")
    parent = own.rpartition(".")[0]
    is_known = not path or path in MODULES or path in MOVED
    if not is_known and PathFinder.find_spec(own, list(getattr(import_module(parent), "__path__", ()))) is None:
        raise ModuleNotFoundError(
            f"{ARKOUDA}.{path} is no module of Arkouda's that akdask knows of.", name=f"{ARKOUDA}.{path}"
        )
    return own


def attribute(name: str) -> Any:
    """Return a module that ``akdask`` has under a name: ``ak.util``, ``ak.dtypes``.

    Raises
    ------
    MissingAttributeError
        If there is none, with names that look alike.
    """
    if name in MOVED or (name in MODULES and not is_named_for_function(name)):
        return import_module(f"{PACKAGE}.{name}")
    names = [] if name.startswith("_") else get_close_matches(name, sys.modules[PACKAGE].__all__, 3)
    raise MissingAttributeError(
        f"module {PACKAGE!r} has no attribute {name!r}.",
        hint=f"did you mean {' or '.join(f'ak.{found}' for found in names)}?" if names else None,
    )


def install_as_arkouda() -> None:
    """Have ``import arkouda`` mean akdask in this process, and so all modules of Arkouda's.

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
    >>> ak is akdask, GroupBy is akdask.GroupBy
    (True, True)
    """
    loaded = sys.modules.get(ARKOUDA)
    if loaded is not None and loaded is not sys.modules[PACKAGE]:
        raise ArgumentError(
            "Arkouda itself has been imported in this process.",
            details=[f"from {loaded.__file__}"],
            hint="call install_as_arkouda() before anything imports arkouda.",
        )
    if ArkoudaFinder not in sys.meta_path:
        sys.meta_path.insert(0, ArkoudaFinder)
    import_module(ARKOUDA)


if PathFinderOfArkouda not in sys.meta_path:
    sys.meta_path.append(PathFinderOfArkouda)
