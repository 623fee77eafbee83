"""Registered objects: names under which this process, or all clients of a cluster, find objects again.

If a client of a cluster is current, names are Dask's published datasets.  Otherwise this process keeps them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Self

from akdask.cluster import default_client
from akdask.errors import ArgumentTypeError, RegistrationError

_objects: dict[str, Any] = {}


def registered_names() -> list[str]:
    """Return all names, in order."""
    client = default_client()
    published = () if client is None else client.list_datasets()
    return sorted({*_objects, *map(str, published)})


def registered_objects() -> dict[str, Any]:
    """Return the objects registered in this process, without the objects that other clients published on a cluster."""
    return dict(_objects)


def enter(name: str, item: Any) -> None:
    """Keep an object under a name.

    Raises
    ------
    ArgumentTypeError
        If the name is no text.
    RegistrationError
        If it is taken.
    """
    if not isinstance(name, str):
        raise ArgumentTypeError(f"objects are registered by a name, not by {type(name).__name__}.")
    if name in registered_names():
        raise RegistrationError(
            f"there is a registered object {name!r} already.", hint=f"choose another name, or ak.unregister({name!r})."
        )
    client = default_client()
    if client is None:
        _objects[name] = item
    else:
        client.publish_dataset(item, name=name)


def find(name: str) -> Any:
    """Return the object of a name.

    Raises
    ------
    RegistrationError
        If there is none.
    """
    _check_known(name)
    if name in _objects:
        found = _objects[name]
    else:
        client = default_client()
        assert client is not None, "names that are not kept here are those of its cluster"
        found = client.get_dataset(name)
    if isinstance(found, Registered):
        found.registered_name = name
    return found


def forget(name: str) -> None:
    """Free a name; the object stays for its users.

    Raises
    ------
    RegistrationError
        If there is none of that name.
    """
    _check_known(name)
    if name in _objects:
        del _objects[name]
        return
    client = default_client()
    if client is not None:
        client.unpublish_dataset(name)


def _check_known(name: str) -> None:
    if not isinstance(name, str):
        raise ArgumentTypeError(f"objects are registered by a name, not by {type(name).__name__}.")
    names = registered_names()
    if name not in names:
        raise RegistrationError(
            f"there is no registered object {name!r}.", details=[f"registered: {', '.join(names) or 'none'}"]
        )


class Registered:
    """Objects that can be registered under a name."""

    registered_name: str | None = None
    """The name that the object has been registered or attached by."""

    def register(self, user_defined_name: str) -> Self:
        """Give the object a name by which `akdask.attach` finds it; returns the object itself.

        Lazy: on a cluster its plan is published, so that other clients compute it.  Results of `persist` stay
        on the workers for them, as long as it is registered.

        Parameters
        ----------
        user_defined_name : str
            The name.

        Raises
        ------
        ArgumentTypeError
            If it is no text.
        RegistrationError
            If it is taken, or the object has a name.
        """
        if self.is_registered():
            raise RegistrationError(
                f"this object is already registered as {self.registered_name!r}.",
                hint="unregister() it first, or register a copy.",
            )
        enter(user_defined_name, self)
        self.registered_name = user_defined_name
        return self

    def unregister(self) -> None:
        """Give up the name of the object.

        Raises
        ------
        RegistrationError
            If it has none.
        """
        if self.registered_name is None:
            raise RegistrationError("this object is not registered.", hint="register('name') it first.")
        forget(self.registered_name)
        self.registered_name = None

    def is_registered(self) -> bool:
        """Whether the object has a registered name."""
        return self.registered_name is not None and self.registered_name in registered_names()


def facts_of_array(array: Any) -> dict[str, Any]:
    """Return the type, size and shape of an array, under its registered name or else the name of its plan."""
    return facts_of(array, str(array.registered_name or getattr(array, "base", array).expr._name))


def facts_of(item: Any, name: str) -> dict[str, Any]:
    """Return the type, size and shape of an object; counts rows of unknown number."""
    shape = [int(length) for length in getattr(item, "shape", ())]
    return {
        "name": name,
        "dtype": str(getattr(item, "dtype", type(item).__name__)),
        "size": math.prod(shape) if shape else 0,
        "ndim": len(shape),
        "shape": shape,
        "itemsize": int(getattr(item, "itemsize", 0)),
        "registered": isinstance(item, Registered) and item.is_registered(),
    }


def written(facts: Mapping[str, Any]) -> str:
    """Return facts about an object on one line."""
    return f"InfoEntry({', '.join(f'{name}={fact}' for name, fact in facts.items())})"
