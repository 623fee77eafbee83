"""Registered objects by name, and information about them."""

from __future__ import annotations

import gc
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from akdask.arrays import writable
from akdask.arrays.array import Array
from akdask.arrays.groupby import GroupBy
from akdask.arrays.pdarray import pdarray
from akdask.arrays.strings import Strings
from akdask.caches import clear_caches
from akdask.errors import AkdaskError, ArgumentTypeError
from akdask.frames.dataframe import DataFrame
from akdask.frames.index import Index
from akdask.frames.series import Series

__all__ = [
    "AllSymbols",
    "RegisteredSymbols",
    "attach",
    "attach_all",
    "clear",
    "information",
    "is_registered",
    "list_registry",
    "list_symbol_table",
    "pretty_print_information",
    "register_all",
    "unregister",
    "unregister_all",
]

AllSymbols = "__AllSymbols__"
"""Means all objects in `information`."""

RegisteredSymbols = "__RegisteredSymbols__"
"""Means all registered objects in `information`."""


def register(obj: Any, name: str) -> Any:
    """Give an object a name by which `attach` finds it; see `pdarray.register`.

    Parameters
    ----------
    obj : lazy object
        The object, which is also returned.
    name : str
        The name.
    """
    if not isinstance(obj, writable.Registered):
        raise ArgumentTypeError(f"lazy objects are registered, not {type(obj).__name__}.")
    return obj.register(name)


def attach(name: str) -> Any:
    """Return the object that was registered under a name, on a cluster by any of its clients.

    In the process that registered it, the result is that very object, so that assignments affect both.

    Parameters
    ----------
    name : str
        The name.

    Raises
    ------
    RegistrationError
        If there is no object of that name.

    Examples
    --------
    >>> _ = ak.arange(3).register("numbers")
    >>> ak.attach("numbers").tolist(), ak.list_registry()["Objects"]
    ([0, 1, 2], ['numbers'])
    >>> ak.unregister("numbers")
    'Unregistered PDARRAY numbers'
    """
    return writable.find(name)


def unregister(name: str) -> str:
    """Free a name; the object lives on while it is referenced.

    Parameters
    ----------
    name : str
        The name.

    Returns
    -------
    str
        A message for the user.

    Raises
    ------
    RegistrationError
        If there is no object of that name.

    Examples
    --------
    >>> _ = ak.array([80, 443]).register("ports")
    >>> ak.unregister("ports")
    'Unregistered PDARRAY ports'
    """
    kind = type(writable.find(name)).__name__.upper()
    writable.forget(name)
    return f"Unregistered {kind} {name}"


def register_all(data: Mapping[str, Any]) -> None:
    """Give objects the names that they have in a dict.

    Parameters
    ----------
    data : mapping of str to lazy object
        The objects.

    Raises
    ------
    ArgumentTypeError
        If it is no dict.
    RegistrationError
        If a name is taken; the objects before it stay registered.

    Examples
    --------
    >>> ak.register_all({"ports": ak.array([80, 443])})
    >>> ak.attach("ports").tolist()
    [80, 443]
    >>> ak.unregister("ports")
    'Unregistered PDARRAY ports'
    """
    if not isinstance(data, Mapping):
        raise ArgumentTypeError(f"objects are registered by a dict of names, not {type(data).__name__}.")
    for name, item in data.items():
        register(item, name)


def attach_all(names: Sequence[str]) -> dict[str, Any]:
    """Return registered objects by their names; see `attach`.

    Parameters
    ----------
    names : sequence of str
        The names.

    Examples
    --------
    >>> ak.register_all({"ports": ak.array([80, 443])})
    >>> ak.attach_all(["ports"])["ports"].tolist()
    [80, 443]
    >>> ak.unregister("ports")
    'Unregistered PDARRAY ports'
    """
    return {name: attach(name) for name in names}


def unregister_all(names: Sequence[str]) -> None:
    """Free names; see `unregister`.

    Parameters
    ----------
    names : sequence of str
        The names.

    Examples
    --------
    >>> ak.register_all({"ports": ak.array([80, 443])})
    >>> ak.unregister_all(["ports"])
    """
    for name in names:
        unregister(name)


def is_registered(name: str, as_component: bool = False) -> bool:
    """Whether there is a registered object of a name.

    Parameters
    ----------
    name : str
        The name.
    as_component : bool, default False
        Ask for the names of the arrays that registered objects are made of.

    Raises
    ------
    ArgumentTypeError
        If the name is no text.

    Examples
    --------
    >>> ports = ak.array([80, 443]).register("ports")
    >>> ak.is_registered("ports"), ak.is_registered("hosts")
    (True, False)
    >>> ports.unregister()
    """
    if not isinstance(name, str):
        raise ArgumentTypeError(f"objects are registered by names, not by {type(name).__name__}.")
    return name in list_registry()["Components" if as_component else "Objects"]


def list_registry(detailed: bool = False) -> dict[str, list[Any]]:
    """Return the names of registered objects, and of the arrays that these are made of.

    Parameters
    ----------
    detailed : bool, default False
        Give pairs of names and kinds of objects.

    Returns
    -------
    dict
        ``Objects`` and ``Components``.

    Examples
    --------
    >>> ports = ak.array([80, 443]).register("ports")
    >>> ak.list_registry()["Objects"]
    ['ports']
    >>> ports.unregister()
    """
    items = {name: attach(name) for name in writable.registered_names()}
    kinds = [(name, type(item).__name__.upper()) for name, item in items.items()]
    names = [array.expr._name for item in items.values() for array in _arrays_of(item)]
    return {"Objects": kinds if detailed else list(items), "Components": names}


def _arrays_of(item: Any) -> Iterator[Array]:
    """Yield the arrays that an object consists of."""
    match item:
        case Array():
            yield item
        case DataFrame():
            columns = item._columns
            yield from (columns.array(name) for name in columns.values)
        case Series():
            yield from _arrays_of(item._labelled)
        case Index():
            yield from item._levels
        case GroupBy():
            yield from item._arrays


def clear() -> None:
    """Free the memory that this process keeps for later computations; no object is affected.

    An Arkouda server drops all objects that are not registered.  Here objects are freed when they are no longer
    referenced.

    Examples
    --------
    >>> ak.clear()
    """
    clear_caches()


def list_symbol_table() -> list[str]:
    """Return the names of registered objects, and of the arrays and strings that are alive in this process.

    Examples
    --------
    >>> a = ak.array([80, 443])
    >>> a.name in ak.list_symbol_table()
    True
    """
    return [*writable.registered_names(), *_alive()]


def _alive() -> dict[str, Array]:
    """Return the arrays and strings of this process that something refers to, by name."""
    items = [item for item in gc.get_objects() if issubclass(type(item), pdarray | Strings)]
    return {item.name: item for item in items if hasattr(item, "_frame")}


def information(names: Sequence[str] | str = RegisteredSymbols) -> str:
    """Return facts about objects as JSON; counts rows whose number depends on a filter.

    Of arrays that cannot be computed, as their file has gone, ``size`` and ``shape`` are null.

    Parameters
    ----------
    names : str or sequence of str
        Names of registered objects or of arrays (``a.name``); `RegisteredSymbols` means all registered objects, and
        `AllSymbols` the arrays and strings of this process as well.

    Returns
    -------
    str
        A list with an object for each: ``name``, ``dtype``, ``size``, ``ndim``, ``shape``, ``itemsize``,
        ``registered``.

    Raises
    ------
    RegistrationError
        If there is no object of a name.

    Examples
    --------
    >>> ports = ak.array([80, 443]).register("ports")
    >>> ak.information("ports")
    '[{"name": "ports", "dtype": "int64", "size": 2, "ndim": 1, "shape": [2], "itemsize": 8, "registered": true}]'
    >>> ports.unregister()
    """
    alive: dict[str, Array] = {}
    if names == RegisteredSymbols:
        names = writable.registered_names()
    elif names == AllSymbols:
        alive = _alive()
        names = [*writable.registered_names(), *alive]
    elif isinstance(names, str):
        names = [names]
    if not alive and not set(names) <= set(writable.registered_names()):
        alive = _alive()
    return json.dumps([_facts_of(alive[name] if name in alive else attach(name), name) for name in names])


def _facts_of(item: Any, name: str) -> dict[str, Any]:
    try:
        return writable.facts_of(item, name)
    except AkdaskError:
        # One object of others must not hide all.
        return writable.facts_of(item, name, is_counted=False)


def pretty_print_information(names: Sequence[str] | str = RegisteredSymbols) -> None:
    """Print what `information` returns, a line for each object.

    Parameters
    ----------
    names : str or sequence of str
        As in `information`.

    Examples
    --------
    >>> ports = ak.array([80, 443]).register("ports")
    >>> ak.pretty_print_information("ports")
    InfoEntry(name=ports, dtype=int64, size=2, ndim=1, shape=[2], itemsize=8, registered=True)
    >>> ports.unregister()
    """
    for facts in json.loads(information(names)):
        print(writable.written(facts))
