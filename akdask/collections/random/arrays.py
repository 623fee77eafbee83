"""Arrays of random numbers and strings: lazy, and the same for the same seed, whatever the partitioning.

They are not what an Arkouda server draws from that seed.
"""

from __future__ import annotations

import math
import secrets
import string
from collections.abc import Callable
from operator import index
from typing import Any, SupportsIndex

import numpy as np

from akdask.collections.arrays.creation import row_count, shape_of
from akdask.collections.arrays.elementwise import PLAIN, cast
from akdask.collections.arrays.pdarray import pdarray
from akdask.collections.arrays.shaped.ndarray import reshaped
from akdask.collections.core.scalar import Scalar
from akdask.collections.text.strings import Strings
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.plan.expr.created import counted
from akdask.plan.expr.sources import Rows
from akdask.plan.expr.values import Call, Constant, Value
from akdask.plan.expr.values import cast as cast_value
from akdask.schema import BOOL, FLOAT64, INT64, column_type

ALPHABETS = {
    "uppercase": string.ascii_uppercase,
    "lowercase": string.ascii_lowercase,
    "numeric": string.digits,
    "printable": "".join(map(chr, range(32, 127))),
    # Arkouda draws any bytes; strings here are UTF-8, which these are by themselves.
    "binary": "".join(map(chr, range(1, 128))),
}


def randint(low: float, high: float, size: Any = 1, dtype: Any = np.int64, seed: int | None = None) -> Any:
    """Return random numbers, uniform in ``[low, high)``.

    Parameters
    ----------
    low, high : number
        Bounds; `high` is excluded.  Bools are drawn from both, whatever the bounds.
    size : int or tuple of int
        How many, or the shape of an `ArrayView`.
    dtype : dtype-like
        int64, uint64, bool or float64.
    seed : int, optional
        The same seed gives the same numbers, whatever the partitioning.  Not those of an Arkouda server.

    Raises
    ------
    ArgumentError
        If `low` is not below `high`, or a size below 0.
    ArgumentTypeError
        If an argument is of another type.

    Examples
    --------
    >>> import akdask as ak
    >>> sorted(set(ak.randint(0, 3, 100, seed=1).tolist()))
    [0, 1, 2]
    """
    wanted = column_type(dtype)
    if not wanted.is_number:
        raise ArgumentTypeError(f"randint draws no {wanted}.", hint="random_strings_uniform draws strings.")
    if wanted == FLOAT64:
        return shaped(size, _uniform(low, high, seed))
    low, high = (0, 2) if wanted == BOOL else (number_of("low", low), number_of("high", high))
    if not low < high:
        raise ArgumentError(f"randint: low ({low}) is not below high ({high}).", hint="high is excluded.")
    number = seed_of(seed)

    def draw(rows: Rows) -> Value:
        return Call("random_integers", rows.position, seed=number, low=int(low), high=int(high))

    made = shaped(size, draw)
    return made if wanted == INT64 else cast(made, wanted)


def uniform(size: Any, low: float = 0.0, high: float = 1.0, seed: int | None = None) -> Any:
    """Return random float64 numbers, uniform in ``[low, high)``; see `randint` for `size`, `seed` and errors."""
    return shaped(size, _uniform(low, high, seed))


def standard_normal(size: Any, seed: int | None = None) -> Any:
    """Return random float64 numbers from the normal distribution of mean 0 and variance 1; see `randint`."""
    number = seed_of(seed)
    return shaped(size, lambda rows: Call("random_normal", rows.position, seed=number))


def random_strings_uniform(
    minlen: int, maxlen: int, size: int, characters: str = "uppercase", seed: int | None = None
) -> Strings:
    """Return random Strings, whose lengths are uniform in ``[minlen, maxlen)``.

    Parameters
    ----------
    minlen, maxlen : int
        Bounds of the lengths; `maxlen` is excluded.
    size : int
        How many.
    characters : {"uppercase", "lowercase", "numeric", "printable", "binary"}
        What they are made of.
    seed : int, optional
        As for `randint`.

    Raises
    ------
    ArgumentError
        If `minlen` is below 0 or not below `maxlen`, `size` below 0, or there are no such characters.
    ArgumentTypeError
        If a length is not whole.

    Examples
    --------
    >>> import akdask as ak
    >>> made = ak.random_strings_uniform(1, 4, 100, seed=1)
    >>> sorted(set(made.get_lengths().tolist()))
    [1, 2, 3]
    """
    low, high = (checked_int(name, bound) for name, bound in (("minlen", minlen), ("maxlen", maxlen)))
    if not 0 <= low < high:
        raise ArgumentError(f"lengths from {low} to below {high} are none.", hint="minlen is at least 0, maxlen more.")
    return _random_strings(size, characters, seed, "random_integers", lambda drawn: drawn, low=low, high=high)


def random_strings_lognormal(
    logmean: float, logstd: float, size: int, characters: str = "uppercase", seed: int | None = None
) -> Strings:
    """Return random Strings, the logarithms of whose lengths are normally distributed, rounded down.

    Parameters
    ----------
    logmean, logstd : number
        Mean and standard deviation of the logarithms.
    size, characters, seed
        As for `random_strings_uniform`.

    Raises
    ------
    ArgumentError
        If `logstd` is not above 0, `size` below 0, or there are no such characters.
    ArgumentTypeError
        If `logmean` or `logstd` is no number.

    Examples
    --------
    >>> import akdask as ak
    >>> made = ak.random_strings_lognormal(2, 0.25, 1000, seed=1)
    >>> 6 < float(made.get_lengths().mean()) < 8
    True
    """
    mean, deviation = number_of("logmean", logmean), number_of("logstd", logstd)
    if not deviation > 0 or math.isinf(deviation):
        raise ArgumentError(f"logstd is above 0, not {logstd!r}.")

    def as_lengths(drawn: Value) -> Value:
        logarithm = Call("add", Call("multiply", drawn, Constant(float(deviation))), Constant(float(mean)))
        return cast_value(Call("floor", Call("exp", logarithm)), INT64)

    return _random_strings(size, characters, seed, "random_normal", as_lengths)


def _uniform(low: Any, high: Any, seed: Any) -> Callable[[Rows], Value]:
    bounds = {"low": float(number_of("low", low)), "high": float(number_of("high", high))}
    if bounds["high"] < bounds["low"]:
        raise ArgumentError(f"uniform: low ({low}) is above high ({high}).")
    number = seed_of(seed)
    return lambda rows: Call("random_uniform", rows.position, seed=number, **bounds)


def shaped(size: Any, draw: Callable[[Rows], Value]) -> Any:
    """Return what is drawn of row numbers, in a shape."""
    shape = shape_of(_number_or_shape(size))
    rows = counted(math.prod(shape))
    made = pdarray(rows, draw(rows))
    return made if len(shape) == 1 else reshaped(made, shape)


def _random_strings(
    size: Any, characters: Any, seed: Any, operation: str, as_lengths: Callable[[Value], Value], **params: Any
) -> Strings:
    if not isinstance(characters, str):
        raise ArgumentTypeError(f"characters are named by a str, not {type(characters).__name__}.")
    if characters not in ALPHABETS:
        raise ArgumentError(f"there are no characters {characters!r}.", details=[f"characters: {', '.join(ALPHABETS)}"])
    number = seed_of(seed)
    rows = counted(row_count(_number_or_shape(size)))
    lengths = as_lengths(Call(operation, rows.position, seed=number, **params))
    return Strings(rows, Call("random_texts", rows.position, lengths, seed=number, alphabet=ALPHABETS[characters]))


def _number_or_shape(size: Any) -> Any:
    """Return a size as it is; digits, which `zeros` takes as Arkouda's does, are none here."""
    if isinstance(size, str):
        raise ArgumentTypeError(f"a size is a whole number from 0, not {size!r:.100}.")
    return size


def seed_of(seed: Any) -> int:
    """Return a seed as a number, one of its own for None."""
    return secrets.randbits(63) if seed is None else checked_int("seed", seed)


def checked_int(name: str, item: Any) -> int:
    """Return an argument as an int, refused if it is not whole."""
    if isinstance(item, bool) or not isinstance(item, SupportsIndex):
        raise ArgumentTypeError(f"{name} is a whole number, not {item!r:.100}.")
    return index(item)


def number_of(name: str, item: Any) -> Any:
    """Return an argument as a number, refused if it is none."""
    if not isinstance(item, PLAIN):
        raise ArgumentTypeError(f"{name} is a number, not {item!r:.100}.")
    return item.value() if isinstance(item, Scalar) else item
