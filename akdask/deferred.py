"""Packages and public names that are loaded at first use, so that scripts need not wait for what they never call.

A module imports packages that few calls need from here, at its top::

    from akdask.deferred import pa, pd

Code that runs when a module is loaded, such as base classes, default arguments and constants, must not use them, as it
would load them too.  `is_pandas`, `is_na` and `is_arrow` recognize objects of pandas and Arrow without loading either.

The public names of a package and their modules are written once, as imports of a stub: ``__init__.pyi``, which type
checkers and editors read as well.
"""

from __future__ import annotations

import ast
import gc
import sys
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from functools import cache, wraps
from importlib import import_module
from itertools import islice
from types import BuiltinFunctionType, FrameType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from akdask.errors import MissingAttributeError, end_at_caller, traced_to_caller

if TYPE_CHECKING:
    import fsspec
    import pandas as pd
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

__all__ = [
    "DeferredPackage",
    "adapt",
    "compliant",
    "fsspec",
    "is_arrow",
    "is_na",
    "is_pandas",
    "loaded_module",
    "module_named",
    "names_of_stub",
    "pa",
    "pc",
    "pd",
    "pq",
    "registered",
    "without_collection",
]


P = ParamSpec("P")
T = TypeVar("T")


def without_collection(function: Callable[P, T]) -> Callable[P, T]:
    """Return a function during which Python does not look for garbage: one that makes many objects, and no cycles.

    Python would look at all of them again and again for nothing.  Loading modules takes a tenth longer for it.
    """

    @wraps(function)
    def uninterrupted(*args: P.args, **options: P.kwargs) -> T:
        if not gc.isenabled():
            return function(*args, **options)
        loaded = len(sys.modules)
        gc.disable()
        try:
            return function(*args, **options)
        finally:
            if len(sys.modules) > loaded:
                _settle(loaded)
            gc.enable()

    return uninterrupted


_BESIDE = {"akdask", "cython_runtime", "dateutil", "numexpr", "numpy", "pandas", "pyarrow", "pytz", "six"}
"""Packages whose objects are no data: those that akdask has loaded, or that come with NumPy and pandas."""


def _settle(loaded: int) -> None:
    """Keep Python from looking for garbage among the objects of modules, some of which are new, since they stay.

    Before a script makes anything, they are set aside for good: all collections of the process do without them, also
    the three at its end, which would take as long as a query.  Later they are old at once, or the next collection would
    look at all of them; objects that are set aside, or that somebody else has frozen, stay so.
    """
    global _is_set_aside  # noqa: PLW0603 - Python has one such place for the process
    _BESIDE.update(name.partition(".")[0] for name in islice(list(sys.modules), loaded, None))
    if _has_made_nothing():
        gc.freeze()
        _is_set_aside = True
    # Python counts objects that are set aside one by one, so it is asked until there are some.
    elif not _is_set_aside and not (_is_set_aside := gc.get_freeze_count() > 0):
        gc.freeze()
        gc.unfreeze()


_is_set_aside = False
"""Whether objects have been set aside, here or by somebody else."""


def _has_made_nothing() -> bool:
    """Whether a process has loaded modules, none of its own, and made nothing else so far that may become garbage."""
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        code = frame.f_code
        if not (code.co_name == "<module>" or code.co_filename.startswith("<frozen ") or frame.f_globals is globals()):
            return False
        frame = frame.f_back
    names = {name.partition(".")[0] for name in list(sys.modules)} - sys.stdlib_module_names - _BESIDE
    return (
        all(name.startswith("_") for name in names)
        and len(sys._current_frames()) == 1
        and all(
            name.startswith("__") or isinstance(item, _OF_MODULES) or not gc.is_tracked(item)
            for name, item in list(vars(sys.modules["__main__"]).items())
        )
    )


_OF_MODULES = (ModuleType, FunctionType, BuiltinFunctionType, type, type(annotations))
"""Types of what modules have and a script imports."""


def module_named(name: str) -> Any:
    """Return a module, which is loaded if it is not."""
    found = sys.modules.get(name)
    # Another thread may be loading it.
    return _load(name) if found is None or getattr(found.__spec__, "_initializing", False) else found


_load = without_collection(import_module)


def loaded_module(name: str) -> Any:
    """Return a module if something has loaded it, None otherwise: then nothing that it makes exists."""
    return sys.modules.get(name)


class DeferredPackage(ModuleType):
    """Stands for a package that is loaded with the first use of a name of it."""

    def __getattr__(self, name: str) -> Any:
        found = getattr(module_named(self.__name__), name)
        setattr(self, name, found)
        return found


if not TYPE_CHECKING:
    fsspec = DeferredPackage("fsspec")
    pd = DeferredPackage("pandas")
    pa = DeferredPackage("pyarrow")
    pc = DeferredPackage("pyarrow.compute")
    pq = DeferredPackage("pyarrow.parquet")


def is_pandas(item: Any, *classes: str) -> bool:
    """Whether an object is of one of some classes of pandas; no object is before pandas is loaded.

    >>> is_pandas([1, 2], "Series", "Index")
    False
    """
    return "pandas" in sys.modules and isinstance(item, tuple(getattr(pd, name) for name in classes))


def is_arrow(item: Any, *classes: str) -> bool:
    """Whether an object is of one of some classes of Arrow; no object is before Arrow is loaded.

    >>> is_arrow([1, 2], "Array")
    False
    """
    return "pyarrow" in sys.modules and isinstance(item, _arrow_classes(classes))


@cache
def _arrow_classes(names: tuple[str, ...]) -> tuple[type, ...]:
    """Return classes of Arrow, cached since each column of each block needs them."""
    return tuple(getattr(pa, name) for name in names)


def is_na(item: Any) -> bool:
    """Whether an item is ``pandas.NA``."""
    return "pandas" in sys.modules and item is pd.NA


def compliant(rows: Any) -> Any:
    """Return rows in memory as narwhals asks for them."""
    import narwhals

    return narwhals.from_native(rows, allow_series=True)._compliant


def registered(registry: Mapping[Any, Any], key: Any, modules: Mapping[Any, str]) -> Any:
    """Return the entry of a key in a registry, or None; modules of `modules` register their entries as they load."""
    if key not in registry and key in modules:
        module_named(f"akdask.{modules[key]}")
    return registry.get(key)


def _in_its_place(function: Any) -> Any:
    """Return the function that users hold; pickles find it by module and name, so that both lead to the same object."""
    if isinstance(function, FunctionType) and function.__qualname__.isidentifier():
        setattr(sys.modules[function.__module__], function.__qualname__, function)
    return function


_adapters: dict[str, Callable[[Any], Any]] = {}


def _as_it_is(found: Any) -> Any:
    return found


def adapt(package: str, adapter: Callable[[Any], Any]) -> None:
    """Have the public names of a package, loaded already or later, adapted by a function; once for each package."""
    if package in _adapters:
        return
    _adapters[package] = adapter
    names = vars(sys.modules[package])
    names.update({name: _in_its_place(adapter(names[name])) for name in names["__all__"] if name in names})


def _alike(name: str, public: list[str]) -> list[str]:
    """Return public names that differ from a name by a slip, or that begin with it."""
    if name.startswith("_"):
        return []
    spelt = {known.lower(): known for known in public}
    near = get_close_matches(name.lower(), spelt, 3, 0.75)
    begun = [known for known in spelt if len(name) > 3 and known.startswith(name.lower())]
    return [spelt[known] for known in near or begun[:3]]


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
    with open(f"{file.rpartition('.')[0]}.pyi", encoding="utf-8") as text:
        stub = ast.parse(text.read()).body
    imports = [node for node in stub if isinstance(node, ast.ImportFrom)]
    sources = {name.asname or name.name: (str(node.module), name.name) for node in imports for name in node.names}
    public = next(ast.literal_eval(node.value) for node in stub if isinstance(node, ast.Assign))

    def load(name: str) -> Any:
        try:
            return find(name)
        except MissingAttributeError as error:
            end_at_caller(error)
            raise

    def find(name: str) -> Any:
        if name not in sources:
            # Before it loads a module of a package, an import asks for a name, and nobody reads the error.
            is_import = sys._getframe(2).f_code.co_filename.startswith("<frozen importlib")
            alike = [] if is_import else _alike(name, public)
            short = package.replace("akdask", "ak", 1)
            raise MissingAttributeError(
                f"module {package!r} has no attribute {name!r}.",
                hint=f"did you mean {' or '.join(f'{short}.{found}' for found in alike)}?" if alike else None,
            )
        module, original = sources[name]
        loaded = module_named(f"{module}.{original}" if module == package else module)
        found = loaded
        if module != package:
            found = getattr(loaded, original)
            if isinstance(found, FunctionType) and found.__module__ == module:
                # Errors of functions end at the lines that call them.
                found = traced_to_caller(found)
            found = _in_its_place(_adapters.get(package, _as_it_is)(found))
        # A name that is loaded is found without a call from then on.
        setattr(sys.modules[package], name, found)
        return found

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *sources})

    return load, names, public
