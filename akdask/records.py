"""Records: small objects that never change, declared by the annotations of their fields.

``@record`` makes of a class what ``@dataclass(frozen=True, slots=True)`` makes of it, in a twentieth of the time, as a
first query loads more than a hundred of them. Records share their methods but for ``__init__``, which is made for the
fields of each class when it is first needed, of what is compiled once for all classes of as many fields.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field
from functools import cache, cached_property, partial
from operator import attrgetter
from types import CellType, CodeType, FunctionType
from typing import Any, NoReturn, TypeVar, dataclass_transform, overload

__all__ = ["record"]

T = TypeVar("T")


@overload
def record(cls: type[T], /) -> type[T]: ...
@overload
def record(*, eq: bool) -> Callable[[type[T]], type[T]]: ...
@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(cls: type[T] | None = None, /, *, eq: bool = True) -> type[T] | Callable[[type[T]], type[T]]:
    """Return a class of records: its annotations are their fields, and they are equal if all fields are.

    Defaults, `dataclasses.field` and ``__post_init__`` mean what they mean in a dataclass, and so does `eq`. Functions
    of `dataclasses` take records. A record with a `cached_property` has a ``__dict__`` for it.
    """
    return partial(_made, eq=eq) if cls is None else _made(cls, eq)


def _made(cls: type[T], eq: bool) -> type[T]:
    content = (_SHARED if eq else _SHARED | _ALONE) | vars(cls)
    for name in ("__dict__", "__weakref__"):
        content.pop(name, None)
    fields: dict[str, Field[Any]] = {}
    for base in cls.__mro__[:0:-1]:
        fields |= vars(base).get(_FIELDS, {})
    annotations: dict[str, str] = content.get("__annotations__", {})
    own = [name for name, annotation in annotations.items() if not annotation.startswith("ClassVar")]
    slots = [name for name in own if name not in fields]
    if "__dict__" in vars(cls) and any(isinstance(item, cached_property) for item in content.values()):
        slots.append("__dict__")
    content["__slots__"] = tuple(slots)
    fields |= {name: _field(name, annotations[name], content.pop(name, MISSING)) for name in own}
    content[_FIELDS] = fields
    content["__match_args__"] = tuple(fields)
    content["__init__"] = _Initializer()
    content["_key"] = attrgetter("__class__", *[name for name, each in fields.items() if each.compare])
    made: Any = type.__call__(type(cls), cls.__name__, cls.__bases__, content)
    made.__qualname__ = cls.__qualname__
    found: type[T] = made
    return found


def _field(name: str, annotation: str, default: Any) -> Field[Any]:
    found: Field[Any] = default if isinstance(default, Field) else field(default=default)
    found.name, found.type, found.kw_only = name, annotation, False
    found._field_type = _KIND  # type: ignore[attr-defined]
    return found


class _Initializer:
    """Stands for the ``__init__`` of records until it is looked up."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.owner = owner

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        made: Any = _initializer(self.owner)
        self.owner.__init__ = made  # type: ignore[misc]
        return made.__get__(instance, owner)


def _initializer(cls: Any) -> Any:
    """Return an ``__init__`` for the fields, as one is written out for a dataclass."""
    fields: dict[str, Field[Any]] = getattr(cls, _FIELDS)
    code = _code(tuple(each.default_factory is not MISSING for each in fields.values()), hasattr(cls, "__post_init__"))
    known: dict[str, Any] = {"_absent": MISSING}
    defaults: list[Any] = []
    for number, (name, each) in enumerate(fields.items()):
        known[f"_set_{number}"] = getattr(cls, name).__set__
        known[f"_make_{number}"] = each.default_factory
        if each.default is not MISSING or each.default_factory is not MISSING:
            defaults.append(each.default)
        elif defaults:
            raise TypeError(f"field {name!r} of {cls.__name__} has no default, unlike one before it.")
    closure = tuple(CellType(known[name]) for name in code.co_freevars)
    code = code.replace(co_varnames=("self", *fields), co_qualname=f"{cls.__qualname__}.__init__")
    # With the names of the module of the class, in which its annotations have a meaning.
    made = FunctionType(code, vars(sys.modules[cls.__module__]), "__init__", tuple(defaults), closure)
    made.__annotations__ = {name: each.type for name, each in fields.items()} | {"return": "None"}
    return made


@cache
def _code(are_made: tuple[bool, ...], has_more: bool) -> CodeType:
    """Return an ``__init__`` of as many fields, some made by a function; records of one form share what is compiled."""
    names = [f"_{number}" for number in range(len(are_made))]
    pairs = zip(names, are_made, strict=True)
    values = (f"_make{name}() if {name} is _absent else {name}" if is_made else name for name, is_made in pairs)
    lines = [f"_set{name}(self, {value})" for name, value in zip(names, values, strict=True)]
    body = "\n  ".join([*lines, *(["self.__post_init__()"] if has_more else [])] or ["pass"])
    known = ", ".join(["_absent", *(f"_set{name}, _make{name}" for name in names)])
    text = f"def outer({known}):\n def __init__({', '.join(['self', *names])}):\n  {body}\n return __init__"
    scope: dict[str, Any] = {}
    exec(text, {}, scope)
    found: CodeType = scope["outer"](*[None] * (1 + 2 * len(names))).__code__
    return found


def _refuse_change(self: Any, name: str, *_value: Any) -> NoReturn:
    raise FrozenInstanceError(f"cannot change field {name!r} of a {type(self).__name__}, as records never change.")


def _equal(self: Any, other: Any) -> bool:
    same: bool = self._key(self) == self._key(other) if type(other) is type(self) else NotImplemented
    return same


def _hash(self: Any) -> int:
    return hash(self._key(self))


def _repr(self: Any) -> str:
    shown = [f"{name}={getattr(self, name)!r}" for name, each in getattr(self, _FIELDS).items() if each.repr]
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _reduce(self: Any) -> tuple[type, tuple[Any, ...]]:
    return type(self), tuple([getattr(self, name) for name in self.__match_args__])


@dataclass(frozen=True)
class _Typical:
    """What `dataclasses` says of such a class and of a field of it."""

    name: str


_FIELDS, _PARAMETERS = "__dataclass_fields__", "__dataclass_params__"
_KIND = getattr(_Typical, _FIELDS)["name"]._field_type

_SHARED: dict[str, Any] = {
    "__setattr__": _refuse_change,
    "__delattr__": _refuse_change,
    "__eq__": _equal,
    "__hash__": _hash,
    "__repr__": _repr,
    "__reduce__": _reduce,
    _PARAMETERS: getattr(_Typical, _PARAMETERS),
}
"""What all records have."""

_ALONE = {"__eq__": object.__eq__, "__hash__": object.__hash__}
"""What records have that are equal to none but themselves."""
