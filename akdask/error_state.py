"""Treatment of divisions by zero: Arkouda's ``seterr`` and its like.

By default divisions by zero are ignored, and divisors are not checked.  Sources: Arkouda's ``numpy/err.py``.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Literal, TypeAlias

from akdask.errors import ArgumentError, ArgumentTypeError, warn

Mode: TypeAlias = Literal["ignore", "warn", "raise", "call", "print", "log"]
Handler: TypeAlias = Callable[[str, str], Any]

MODES = ("ignore", "warn", "raise", "call", "print", "log")
KINDS = ("divide", "over", "under", "invalid")

_modes: dict[str, Mode] = dict.fromkeys(KINDS, "ignore")
_handler: list[Handler | None] = [None]


def geterr() -> dict[str, Mode]:
    """Return the mode of each kind of error.

    Examples
    --------
    >>> geterr()["divide"]
    'ignore'
    """
    return dict(_modes)


def seterr(**kwargs: Mode) -> dict[str, Mode]:
    """Set the modes of kinds of errors, until they are set again.

    Parameters
    ----------
    **kwargs : {"ignore", "warn", "raise", "call", "print", "log"}
        By kind: ``divide``, ``over``, ``under``, ``invalid``.  Only ``divide`` has an effect, as in Arkouda:
        if it is not ``ignore``, ``/`` and ``//`` look for zeros among the divisors, which computes these.

    Returns
    -------
    dict
        The modes before, by kind.

    Raises
    ------
    ArgumentError
        If there is no such kind or mode.

    Examples
    --------
    >>> old = ak.seterr(divide="ignore")
    >>> _ = ak.seterr(**old)
    >>> old["divide"]
    'ignore'
    """
    for kind, mode in kwargs.items():
        if kind not in KINDS:
            raise ArgumentError(f"there are no errors of kind {kind!r}.", details=[f"kinds: {', '.join(KINDS)}"])
        if mode not in MODES:
            raise ArgumentError(
                f"errors of kind {kind!r} do not take {mode!r}.", details=[f"modes: {', '.join(MODES)}"]
            )
    before = geterr()
    for kind, mode in kwargs.items():
        if kind != "divide" and mode != before[kind]:
            warn(f"errors of kind {kind!r} are not looked for: the setting has no effect.", UserWarning)
    _modes.update(kwargs)
    return before


def geterrcall() -> Handler | None:
    """Return the function that the mode ``call`` calls.

    Examples
    --------
    >>> ak.geterrcall() is None
    True
    """
    return _handler[0]


def seterrcall(func: Handler | None) -> Handler | None:
    """Choose the function that the mode ``call`` calls, with the kind of an error and a message; None for none.

    Returns
    -------
    callable or None
        The function before.

    Raises
    ------
    ArgumentTypeError
        If it is no function.

    Examples
    --------
    >>> old = ak.seterrcall(print)
    >>> ak.seterrcall(old) is print
    True
    """
    if func is not None and not callable(func):
        raise ArgumentTypeError(f"seterrcall takes a function or None, not {type(func).__name__}.")
    before, _handler[0] = _handler[0], func
    return before


@contextmanager
def errstate(
    *,
    divide: Mode | None = None,
    over: Mode | None = None,
    under: Mode | None = None,
    invalid: Mode | None = None,
    call: Handler | None = None,
) -> Iterator[None]:
    """Set the modes of kinds of errors inside a ``with`` block.

    Parameters
    ----------
    divide, over, under, invalid : {"ignore", "warn", "raise", "call", "print", "log"}, optional
        As `seterr` takes them.
    call : callable, optional
        As `seterrcall` takes it.

    Examples
    --------
    >>> with errstate(divide="raise"):
    ...     ak.arange(3) / 0
    Traceback (most recent call last):
    FloatingPointError: divide: divide by zero encountered
    """
    given = {"divide": divide, "over": over, "under": under, "invalid": invalid}
    modes, handler = geterr(), geterrcall()
    try:
        seterr(**{kind: mode for kind, mode in given.items() if mode is not None})
        if call is not None:
            seterrcall(call)
        yield
    finally:
        _modes.update(modes)
        _handler[0] = handler


def handle(kind: str, message: str) -> None:
    """Treat an error by the mode of its kind.

    Parameters
    ----------
    kind : {"divide", "over", "under", "invalid"}
        Kind of the error.
    message : str
        Description of the error.

    Raises
    ------
    FloatingPointError
        If the mode is ``raise``.
    ArgumentError
        If there is no such kind.
    """
    if kind not in KINDS:
        raise ArgumentError(f"there are no errors of kind {kind!r}.", details=[f"kinds: {', '.join(KINDS)}"])
    text = f"{kind}: {message}"
    match _modes[kind]:
        case "warn":
            warn(text, RuntimeWarning)
        case "raise":
            raise FloatingPointError(text)
        case "call" if _handler[0] is not None:
            _handler[0](kind, message)
        case "print":
            sys.stdout.write(f"{text}\n")
        case "log":
            logging.getLogger(__package__).error("%s", text)


def check_divisor(divisor: Any) -> None:
    """Treat a division by zero if a divisor has a 0; computes unless its mode is ``ignore``."""
    if _modes["divide"] == "ignore":
        return
    is_zero = divisor == 0
    if bool(is_zero.any()) if hasattr(is_zero, "any") else is_zero:
        handle("divide", "divide by zero encountered")
