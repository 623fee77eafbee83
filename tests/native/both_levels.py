"""A plugin of pytest that has each call of a loop run at every level that the processor has, and compares the bits.

::

    python -m pytest -p tests.native.both_levels tests/group

Whatever tests give to loops is so given to all levels; what tests check of one level holds for the others.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from importlib import import_module
from threading import RLock
from typing import Any

import numpy as np
import pytest

from akdask import native

OTHERS = [level for level in native.BUILT[: native.BUILT.index(native.LEVEL)] if level != native.LEVEL]
"""Levels that are compared with the one that akdask uses."""

STORAGE = "akdask.storage"
"""Its loops compute nothing: they open windows, which are where the system puts them."""

LOOPS_OF = native.loops_of
ONE_AT_A_TIME = RLock()
"""Tasks of other threads write to the same arrays."""

calls: Counter[str] = Counter()
"""How often each loop was called, by its module and name."""


def loops_of(module: str) -> dict[str, Callable[..., Any]]:
    """Return the loops of a module, which compare their results with those of other levels."""
    package = module.rpartition(".")[0]
    if package == STORAGE:
        return LOOPS_OF(module)
    others = [import_module(f"{package}._loops_{level}") for level in OTHERS]
    loops = LOOPS_OF(module)
    calls.update(dict.fromkeys([f"{package}.{name}" for name in loops], 0))
    return {
        name: compared(f"{package}.{name}", loop, [getattr(other, name) for other in others])
        for name, loop in loops.items()
    }


def compared(name: str, loop: Callable[..., Any], others: list[Callable[..., Any]]) -> Callable[..., Any]:
    """Return a loop that fails where another level gives other bits, in what it returns or in an array."""

    def run(*arguments: Any) -> Any:
        calls[name] += 1
        with ONE_AT_A_TIME:
            # Other threads may write to the arrays without a loop, so all levels begin with the same copy.
            begin = _copied(arguments)
            copies = [_copied(begin) for _ in (loop, *others)]
            outcomes = [_outcome(each, given) for each, given in zip((loop, *others), copies, strict=True)]
            for outcome, given in zip(outcomes[1:], copies[1:], strict=True):
                assert _bits(outcome) == _bits(outcomes[0]), (
                    f"{name} returns {outcome}, and {outcomes[0]} at the level in use"
                )
                for number, (one, other) in enumerate(zip(copies[0], given, strict=True)):
                    assert _bits(one) == _bits(other), f"{name}: array {number} depends on the level"
            return loop(*arguments)

    return run


def _copied(arguments: Sequence[Any]) -> list[Any]:
    """Return arguments with copies of what may be written to: one for each array, as it may be given twice."""
    copies: dict[tuple[int, int], Any] = {}
    copied = []
    for argument in arguments:
        if isinstance(argument, np.ndarray) and argument.flags.writeable:
            place = argument.ctypes.data, argument.nbytes
            copied.append(copies.setdefault(place, argument.copy()).view(argument.dtype).reshape(argument.shape))
        else:
            copied.append(argument)
    return copied


def _outcome(loop: Callable[..., Any], arguments: list[Any]) -> Any:
    try:
        return loop(*arguments)
    except (TypeError, ValueError) as error:  # the level in use raises the same
        return error


def _bits(value: Any) -> Any:
    """Return what has to be the same; the sign of NaN is none of it, as it depends on the order of operands."""
    if isinstance(value, tuple):
        return tuple(map(_bits, value))
    if isinstance(value, float):
        return _bits(np.array([value]))
    if not isinstance(value, np.ndarray):
        return repr(value)
    # Memory of programs is rows of bytes, which are words of floats or of others.
    is_memory = value.dtype == np.uint8 and value.ndim > 1 and not value.shape[-1] % 8
    words = value.view(np.float64) if is_memory else value
    return np.where(np.isnan(words), np.nan, words).tobytes() if words.dtype.kind == "f" else value.tobytes()


def pytest_configure() -> None:
    """Compare from the start of a session on."""
    take_the_place_of_loops()


def take_the_place_of_loops(loops_of: Callable[[str], dict[str, Callable[..., Any]]] = loops_of) -> None:
    """Put other loops, those that compare unless given, where modules that are loaded have theirs."""
    native.loops_of = loops_of  # type: ignore[assignment]
    for name, module in list(sys.modules.items()):
        package, _, last = name.rpartition(".")
        if last != f"_loops_{native.LEVEL}":
            continue
        plain, comparing = vars(module), loops_of(f"{package}.loops")
        replaced = {id(plain[key]): loop for key, loop in comparing.items()}
        for user in [found for key, found in sys.modules.items() if key.startswith("akdask.") and found is not module]:
            for key, value in list(vars(user).items()):
                if id(value) in replaced:
                    setattr(user, key, replaced[id(value)])


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how much was compared, and what was not, unless other processes know."""
    if terminalreporter.config.getoption("numprocesses", None):
        return
    called = {name: count for name, count in calls.items() if count}
    terminalreporter.line(
        f"levels {', '.join([*OTHERS, native.LEVEL])} compared: {sum(called.values())} calls of {len(called)} loops"
    )
    if len(called) < len(calls):
        terminalreporter.line(f"not called: {', '.join(sorted(set(calls) - set(called)))}")
