"""Plain values that PyTables has pickled: lists of names and the like, read off the pickle without unpickling it.

PyTables pickles each attribute that is neither a number nor text, so pandas' tables tell the names of their columns in
pickles.  What a pickle of lists, tuples, dicts, text and numbers says can be seen from its opcodes.  Those that would
import or call something only leave a mark of what they name; nothing is imported and nothing called.
"""

from __future__ import annotations

import pickletools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Opaque:
    """A Python object of which only the name of its class or function is known."""

    name: str


def literal(pickled: bytes) -> Any:
    r"""Return the plain value that a pickle describes; `Opaque` for, or in place of, what is no plain value.

    Raises
    ------
    ValueError
        If this is no pickle.

    Examples
    --------
    >>> literal(b"(lp0\nVname\np1\naI3\na.")
    ['name', 3]
    >>> literal(b"cposix\nsystem\np0\n(Vtrue\ntRp1\n.")
    Opaque(name='posix system')
    """
    machine = _Machine()
    try:
        for opcode, argument, _ in pickletools.genops(pickled):
            if opcode.name == "STOP":
                return machine.stack.pop()
            if opcode.name in _VALUES:
                machine.stack.append(argument)
            elif opcode.name in _STEPS:
                _STEPS[opcode.name](machine, argument)
            elif opcode.name not in _NOTHING:
                return Opaque(f"pickle opcode {opcode.name}")
    except (IndexError, KeyError, TypeError, AttributeError) as error:
        raise ValueError("no pickle") from error
    raise ValueError("no pickle")


@dataclass
class _Machine:
    """What the opcodes work on."""

    stack: list[Any] = field(default_factory=list)
    mark_stack: list[int] = field(default_factory=list)
    memo: dict[int, Any] = field(default_factory=dict)

    def pop(self, count: int) -> list[Any]:
        """Take the topmost values, in the order in which they were put there."""
        if count > len(self.stack):
            raise IndexError
        start = len(self.stack) - count
        found, self.stack[start:] = self.stack[start:], []
        return found

    def pop_marked(self) -> list[Any]:
        """Take the values since the last mark."""
        return self.pop(len(self.stack) - self.mark_stack.pop())

    def push(self, value: Any) -> None:
        self.stack.append(value)

    def extend(self, values: list[Any]) -> None:
        target = self.stack[-1]
        if type(target) is not list:
            raise TypeError
        target.extend(values)

    def update(self, values: list[Any]) -> None:
        target = self.stack[-1]
        if type(target) is not dict:
            raise TypeError
        target.update(_pairs(values))

    def call(self, count: int) -> None:
        """Leave a mark of what would be called; its arguments go."""
        callee = self.pop(count)[0]
        self.push(callee if type(callee) is Opaque else Opaque(type(callee).__name__))


def _pairs(values: list[Any]) -> dict[Any, Any]:
    return dict(zip(values[::2], values[1::2], strict=True))


_NOTHING = {"PROTO", "FRAME"}
_VALUES = {
    *("INT", "BININT", "BININT1", "BININT2", "LONG", "LONG1", "LONG4", "FLOAT", "BINFLOAT"),
    *("SHORT_BINBYTES", "BINBYTES", "BINBYTES8"),
    *("UNICODE", "BINUNICODE", "SHORT_BINUNICODE", "BINUNICODE8", "STRING", "BINSTRING", "SHORT_BINSTRING"),
}
"""Opcodes whose argument is the value."""

_STEPS: dict[str, Callable[[_Machine, Any], None]] = {
    "NONE": lambda machine, _: machine.push(None),
    "NEWTRUE": lambda machine, _: machine.push(True),
    "NEWFALSE": lambda machine, _: machine.push(False),
    "MARK": lambda machine, _: machine.mark_stack.append(len(machine.stack)),
    "EMPTY_LIST": lambda machine, _: machine.push([]),
    "EMPTY_TUPLE": lambda machine, _: machine.push(()),
    "EMPTY_DICT": lambda machine, _: machine.push({}),
    "LIST": lambda machine, _: machine.push(machine.pop_marked()),
    "TUPLE": lambda machine, _: machine.push(tuple(machine.pop_marked())),
    "DICT": lambda machine, _: machine.push(_pairs(machine.pop_marked())),
    "TUPLE1": lambda machine, _: machine.push(tuple(machine.pop(1))),
    "TUPLE2": lambda machine, _: machine.push(tuple(machine.pop(2))),
    "TUPLE3": lambda machine, _: machine.push(tuple(machine.pop(3))),
    "APPEND": lambda machine, _: machine.extend(machine.pop(1)),
    "APPENDS": lambda machine, _: machine.extend(machine.pop_marked()),
    "SETITEM": lambda machine, _: machine.update(machine.pop(2)),
    "SETITEMS": lambda machine, _: machine.update(machine.pop_marked()),
    **dict.fromkeys(
        ("PUT", "BINPUT", "LONG_BINPUT"), lambda machine, number: machine.memo.update({number: machine.stack[-1]})
    ),
    "MEMOIZE": lambda machine, _: machine.memo.update({len(machine.memo): machine.stack[-1]}),
    **dict.fromkeys(("GET", "BINGET", "LONG_BINGET"), lambda machine, number: machine.push(machine.memo[number])),
    "GLOBAL": lambda machine, name: machine.push(Opaque(name)),
    "STACK_GLOBAL": lambda machine, _: machine.push(Opaque(" ".join(machine.pop(2)))),
    "REDUCE": lambda machine, _: machine.call(2),
    "NEWOBJ": lambda machine, _: machine.call(2),
    "NEWOBJ_EX": lambda machine, _: machine.call(3),
    "BUILD": lambda machine, _: machine.call(2),
}
