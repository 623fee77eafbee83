"""Random arrays and generators: lazy, and the same for equal seeds in any partitions.

Numbers, texts and orders are those that an Arkouda server draws for the same seed (``src/RandMsg.chpl`` and Chapel's
module Random), but for parameters that are arrays, and where there are too many rows.
"""

from __future__ import annotations

import math
import secrets
import string
from collections.abc import Callable
from operator import index
from typing import Any, SupportsIndex

import numpy as np

from akdask.arrays.array import Array
from akdask.arrays.creation import arange, array, row_count, shape_of
from akdask.arrays.elementwise import PLAIN, cast, where
from akdask.arrays.ndarray import reshaped
from akdask.arrays.pdarray import pdarray
from akdask.arrays.reductions import cumsum
from akdask.arrays.scalar import Scalar
from akdask.arrays.sorting import argmink, argsort, insertion_points
from akdask.arrays.strings import Strings
from akdask.arrays.ufuncs import exp, log1p
from akdask.columns.dtypes import BOOL, FLOAT64, INT64, UINT8, ColumnType, column_type
from akdask.engine.sources import Rows, counted
from akdask.engine.values import Call, Constant, Value
from akdask.errors import ArgumentError, ArgumentTypeError, UnfitArgumentError, errors_end_at_caller
from akdask.operators.values.random import GOLDEN, ORDER_ROWS, integers, rows_in_groups, seed_of_steps, step_of
from akdask.typing import NumberArray

ALPHABETS = {
    "uppercase": string.ascii_uppercase,
    "lowercase": string.ascii_lowercase,
    "numeric": string.digits,
    "printable": "".join(map(chr, range(32, 127))),
    # Arkouda draws any bytes; strings here are UTF-8, and bytes below 128 are UTF-8 by themselves.
    "binary": "".join(map(chr, range(1, 128))),
}


def randint(low: float, high: float, size: Any = 1, dtype: Any = np.int64, seed: int | None = None) -> Any:
    """Return random numbers, uniform in ``[low, high)``.

    Parameters
    ----------
    low, high : number
        Bounds; `high` is excluded.  Those of whole numbers are truncated, and may be any of 64 bits: int64 goes around
        where they leave its range, as on a server.
    size : int or tuple of int
        Number of elements, or the shape of an `ArrayView`.
    dtype : dtype-like
        int64, uint64, uint8, bool or float64.
    seed : int, optional
        The same seed gives the same numbers, whatever the partitioning: those of an Arkouda server, unless there are
        more than ``2**32`` numbers between the bounds, and no multiple of it, which a server draws unevenly.

    Raises
    ------
    ArgumentError
        If `low` is not below `high`, bounds of bools are not within 0 and 2, or a size is below 0.
    ArgumentTypeError
        If an argument is of another type.

    Examples
    --------
    >>> ak.randint(0, 10, 5, seed=1701)
    array([6 5 1 6 3])
    """
    wanted = column_type(dtype)
    if not wanted.is_number:
        raise ArgumentTypeError(f"randint draws no {wanted}.", hint="random_strings_uniform draws strings.")
    if wanted == FLOAT64:
        return shaped(size, _uniform(low, high, seed))
    low, high = int(number_of("low", low)), int(number_of("high", high))
    if wanted == BOOL:
        # The messages of NumPy, which Arkouda's documentation quotes.
        for is_wrong, message in (
            (high <= 0, "high <= 0"),
            (low < 0, "low < 0"),
            (high > 2, "high is out of bounds for bool"),
        ):
            if is_wrong:
                raise ArgumentError(f"randint: {message}.", hint="bools are drawn from 0 to below 2.")
    if not low < high:
        raise ArgumentError(f"randint: low >= high, {low} and {high}.", hint="high is excluded.")
    return _integers(wanted, (low, high), size, seed_of(seed))


def _integers(wanted: ColumnType, bounds: tuple[int, int], size: Any, seed: int, begin: int = 0) -> Any:
    """Return whole numbers of ``[low, high)``, from the number `begin` of the stream of a seed on."""
    low, high = bounds
    if wanted == BOOL and high - low == 1:
        return shaped(size, lambda _: Constant(np.bool_(low)))
    if wanted == BOOL:
        return shaped(size, lambda rows: Call("random_bools", rows.position, seed=seed, begin=begin))
    values, operation = (2**8, "random_short_integers") if wanted == UINT8 else (2**64, "random_integers")
    within = {"low": low % values, "high": low % values + ((high - low) % values or values)}
    made = shaped(size, lambda rows: Call(operation, rows.position, seed=seed, begin=begin, **within))
    return made if wanted == INT64 else cast(made, wanted)


def uniform(size: Any, low: float = 0.0, high: float = 1.0, seed: int | None = None) -> Any:
    """Return random float64 numbers, uniform from `low` to `high`; see `randint` for `size`, `seed` and errors."""
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
        Number of strings.
    characters : {"uppercase", "lowercase", "numeric", "printable", "binary"}
        The characters to draw from.
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
    >>> ak.random_strings_uniform(minlen=1, maxlen=5, seed=8675309, size=5)
    array(['ECWO', 'WSS', 'TZG', 'RW', 'C'])
    """
    low, high = (checked_int(name, bound) for name, bound in (("minlen", minlen), ("maxlen", maxlen)))
    if not 0 <= low < high:
        raise ArgumentError(f"lengths from {low} to below {high} are none.", hint="minlen is at least 0, maxlen more.")
    return _random_strings(size, characters, seed, ("uniform", low, high))


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
    >>> ak.random_strings_lognormal(2, 0.25, 5, seed=1)
    array(['VWHJEX', 'BEBBXJHGM', 'RWOVKBUR', 'LNJCSDXD', 'NKEDQC'])
    """
    mean, deviation = number_of("logmean", logmean), number_of("logstd", logstd)
    if not deviation > 0 or math.isinf(deviation):
        raise ArgumentError(f"logstd is above 0, not {logstd!r}.")

    return _random_strings(size, characters, seed, ("lognormal", float(mean), float(deviation)))


def _uniform(low: Any, high: Any, seed: Any) -> Callable[[Rows], Value]:
    bounds = {"low": float(number_of("low", low)), "high": float(number_of("high", high))}
    if bounds["high"] < bounds["low"]:
        raise ArgumentError(f"uniform: low ({low}) is above high ({high}).")
    number = seed_of(seed)
    return lambda rows: Call("random_uniform", rows.position, seed=number, **bounds)


def shaped(size: Any, draw: Callable[[Rows], Value]) -> Any:
    """Return numbers drawn for row numbers, in a shape."""
    shape = shape_of(_number_or_shape(size))
    rows = counted(math.prod(shape))
    made = pdarray(rows, draw(rows))
    return made if len(shape) == 1 else reshaped(made, shape)


def _random_strings(size: Any, characters: Any, seed: Any, lengths: tuple[str, float, float]) -> Strings:
    if not isinstance(characters, str):
        raise ArgumentTypeError(f"characters are named by a str, not {type(characters).__name__}.")
    if characters not in ALPHABETS:
        raise ArgumentError(f"there are no characters {characters!r}.", details=[f"characters: {', '.join(ALPHABETS)}"])
    number = seed_of(seed)
    rows = counted(row_count(_number_or_shape(size)))
    alphabet = ALPHABETS[characters]
    return Strings(rows, Call("random_texts", rows.position, seed=number, lengths=lengths, alphabet=alphabet))


def _number_or_shape(size: Any) -> Any:
    """Return a size; refuse digits as text, which only `zeros` and its like take."""
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


METHODS = ("fisheryates", "argsort", "mergeshuffle", "feistel")


def permuted(generator: Any, x: Any, method: str) -> Any:
    """Return elements, or positions, in random order; see `Generator.permutation`."""
    if not isinstance(x, Array):
        return _order(generator, _count("permutation", x), method, "permute")
    return x[_order(generator, len(x), method, "permute")]


def shuffled(generator: Any, x: Any, method: str, rounds: int, key: int | None) -> None:
    """Put the elements of an array in random order, in place; see `Generator.shuffle`."""
    if not isinstance(x, Array):
        raise ArgumentTypeError(f"shuffle changes a lazy array, not {type(x).__name__}.", hint="ak.array(…) makes one.")
    mixed = x[_order(generator, len(x), method, "shuffle", rounds, key)]
    x._frame, x._value = mixed._frame, mixed._value


def chosen(generator: Any, a: Any, size: Any, replace: bool, p: Any) -> Any:
    """Return random elements of an array; see `Generator.choice`."""
    count = len(a) if isinstance(a, Array) else _count("choice", a)
    wanted = 1 if size is None else _count("choice", size)
    if not count and wanted:
        raise ArgumentError("there are no elements to choose from.")
    if not replace and wanted > count:
        raise ArgumentError(f"{wanted} of {count} elements cannot be drawn without drawing one again.")
    positions = _positions(generator, count, wanted, replace, None if p is None else _weights(p, count))
    found = a[positions] if isinstance(a, Array) else positions
    return found[0] if size is None else found


def _positions(generator: Any, count: int, wanted: int, replace: bool, weights: pdarray | None) -> Any:
    if weights is not None and not replace:
        return _drawn_once_by_weights(generator, count, wanted, weights)
    stream = generator._next(count)
    if weights is not None:
        drawn = shaped(wanted, lambda rows: Call("random_uniform", rows.position, **stream))
        summed = cumsum(weights)
        return insertion_points(summed / float(summed[count - 1]), drawn)
    if replace:
        return shaped(wanted, lambda rows: Call("random_integers", rows.position, **stream, low=0, high=count))
    if wanted < count.bit_length() - 1:
        return array(_drawn_once(stream["seed"], stream["begin"], count, wanted))
    return _order_from(stream, count, "shuffle")[:wanted]


def _drawn_once_by_weights(generator: Any, count: int, wanted: int, weights: pdarray) -> Any:
    """Return positions in the order in which they are drawn; those of very many are those of random numbers."""
    if int((weights > 0).sum()) < wanted:
        raise ArgumentError(f"fewer than {wanted} elements have a weight above 0.")
    if count > ORDER_ROWS:
        seed = generator._next_seed(count)
        drawn = shaped(count, lambda rows: Call("random_uniform", rows.position, seed=seed))
        return argmink(-log1p(-drawn) / weights, wanted) if wanted else arange(0)
    stream = generator._next(count)
    one_group = [np.array([number]) for number in (count, wanted, stream["begin"])]
    odds: NumberArray = np.asarray(weights.to_ndarray())
    return array(rows_in_groups(*one_group, seed=stream["seed"], replace=False, weights=odds))


def _drawn_once(seed: int, begin: int, count: int, wanted: int) -> NumberArray:
    """Return a few of many positions, without those that were drawn before."""
    found: dict[int, None] = {}
    while len(found) < wanted:
        for drawn in integers(begin, wanted, seed=seed, low=0, high=count).tolist():
            if len(found) < wanted:
                found.setdefault(drawn)
        begin += wanted
    return np.fromiter(found, np.int64, wanted)


def _order(  # noqa: PLR0917 - the arguments of `Generator.shuffle`
    generator: Any, count: int, method: str, rows_by: str, rounds: int = 16, key: int | None = None
) -> Any:
    """Return the positions of elements in random order."""
    if str(method).lower() not in METHODS:
        raise ArgumentError(f"there is no method {method!r}.", details=["methods: Argsort, FisherYates, Feistel"])
    if str(method).lower() == "feistel":
        if index(rounds) < 1:
            raise ArgumentError(f"feistel_rounds is at least 1, not {rounds}.")
        if key is not None and not 0 <= index(key) < 2**64:
            raise ArgumentError(f"feistel_key is of 64 bits, not {key}.")
        if key is None:
            drawn = generator._next(1)
            key = int(integers(drawn["begin"], 1, seed=drawn["seed"], low=0, high=2**64)[0]) % 2**64 or GOLDEN
        found = {"key": index(key), "size": count, "rounds": index(rounds)}
        return shaped(count, lambda rows: Call("shuffled", rows.position, **found))
    if str(method).lower() == "argsort":
        return argsort(generator.random(count))
    # A server counts one number for a shuffle.
    stream = generator._next(1 if rows_by == "shuffle" else count)
    return _order_from(stream, count, "merge" if str(method).lower() == "mergeshuffle" else rows_by)


def _order_from(stream: dict[str, int], count: int, method: str) -> Any:
    """Return an order that is found row by row, or that of random numbers, if there are too many rows for that."""
    if count > ORDER_ROWS:
        return argsort(shaped(count, lambda rows: Call("random_uniform", rows.position, **stream)))
    given = {**stream, "method": method, "size": count}
    return shaped(count, lambda rows: Call("random_order", rows.position, **given))


def _count(name: str, given: Any) -> int:
    if isinstance(given, bool) or not isinstance(given, int | np.integer):
        raise ArgumentTypeError(f"{name} takes a lazy array or a number, not {type(given).__name__}.")
    if given < 0:
        raise ArgumentError(f"{name}: {given} is below 0.")
    return int(given)


def _weights(p: Any, count: int) -> pdarray:
    """Return weights as float64, which compute whether they are right."""
    weights = p if isinstance(p, Array) else array(p)
    if not isinstance(weights, pdarray) or not weights._value.dtype.is_number:
        raise ArgumentTypeError("weights are an array of numbers.")
    if weights.size != count:
        raise ArgumentError(f"{count} elements have as many weights, got {weights.size}.")
    # Weights are compared with random floats.
    weights = cast(weights, np.float64)
    if count and not (float(weights.min()) >= 0 and 0 < float(weights.sum()) < np.inf):
        raise ArgumentError("weights are at least 0, and not all of them 0.")
    return weights


LARGEST_MEAN = 500.0
"""Poisson numbers of larger means are not drawn as a server does, whose products of numbers come to 0 at about 745."""


@errors_end_at_caller
class Generator:
    """Draws random numbers of many distributions; each call continues after the last one.

    Parameters
    ----------
    name_dict : object
        Accepted for compatibility with Arkouda, whose server has generators by these names.
    seed : int, optional
        The same seed gives the same numbers in the same calls, for any number of partitions and workers; the generator
        draws its own seed unless given.  They are those of an Arkouda server.
    state : int, default 1
        Position of the next number.

    Notes
    -----
    Arrays are lazy.  Without `size` a single number is drawn at once, by NumPy's generator of the same seed, as Arkouda
    does.  `default_rng` is the usual way to make one.

    Examples
    --------
    >>> drawn = ak.random.default_rng(5).integers(0, 3, 1000)
    >>> sorted(set(drawn.tolist()))
    [0, 1, 2]
    """

    def __init__(self, name_dict: Any = None, seed: Any = None, state: int = 1) -> None:
        self._seed = secrets.randbits(63) if seed is None else checked_int("seed", seed)
        self._state = state
        self._singles = np.random.default_rng(self._seed % 2**64)

    def __repr__(self) -> str:
        return "Generator(PCG64)"

    def __str__(self) -> str:
        return "Generator(PCG64)"

    def _next_seed(self, numbers: int = 1) -> int:
        """Return the seed of one call, for which a server draws so many numbers."""
        words = np.random.SeedSequence([self._seed % 2**64, self._state]).generate_state(1, np.uint64)
        self._state += numbers
        return int(words[0]) >> 1

    def _next(self, numbers: int) -> dict[str, int]:
        """Return where the next numbers of the stream begin."""
        begin = self._state - 1
        self._state += numbers
        return {"seed": self._seed, "begin": begin}

    # uniform

    def integers(
        self, low: Any, high: Any = None, size: Any = None, dtype: Any = np.int64, endpoint: bool = False
    ) -> Any:
        """Return random integers, uniform in ``[low, high)``; lazy.

        Parameters
        ----------
        low, high : int
            Bounds; without `high` they are 0 and `low`, which an array may then have, as on a server.
        size : int or tuple of int, optional
            Number of elements, or the shape; a single number unless given.
        dtype : dtype-like, default int64
            int64, uint64, uint8 or bool.
        endpoint : bool
            Include `high`.

        Raises
        ------
        ArgumentError
            If there is no number between the bounds.
        ArgumentTypeError
            If the dtype is not of whole numbers.
        """
        if np.dtype(dtype).kind not in "iub":
            raise ArgumentTypeError(f"integers draws no {np.dtype(dtype)}.", hint="uniform draws floats.")
        if size is None:
            try:
                return self._singles.integers(low, high, dtype=np.dtype(dtype), endpoint=endpoint)
            except ValueError as error:
                raise ArgumentError(f"integers: {error} (low={low}, high={high}).") from None
        if high is None:
            low, high, endpoint = 0, low, True
        low, high = int(number_of("low", low)), int(number_of("high", high)) + bool(endpoint)
        wanted, shape = column_type(dtype), shape_of(_number_or_shape(size))
        if not low < high:
            raise ArgumentError(f"integers: there is none from {low} to below {high}.")
        bounds = (0, 2) if wanted == BOOL else (low, high)
        return _integers(wanted, bounds, size, **self._next(math.prod(shape)))

    def random(self, size: Any = None) -> Any:
        """Return random floats, uniform in ``[0, 1)``; lazy.

        Parameters
        ----------
        size : int or tuple of int, optional
            Number of elements, or the shape; a single number unless given.
        """
        return self._singles.random() if size is None else self._uniform(size)

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        """Return random floats, uniform in ``[low, high)``; lazy.

        Parameters
        ----------
        low, high : float or pdarray
            Bounds, of all numbers or of each.
        size : int or tuple of int, optional
            Number of elements, or the shape; a single number unless given.

        Examples
        --------
        >>> ak.random.default_rng(17).random(2)
        array([0.8059711747202466 0.71958748004486961])
        """
        low, high = parameter("uniform", "low", low, size), parameter("uniform", "high", high, size)
        size = _size_of(size, low, high)
        if size is None:
            return self._singles.uniform(low, high)
        return self._uniform(size) * (high - low) + low

    # normal

    def standard_normal(self, size: Any = None, method: str = "zig") -> Any:
        """Return random floats of the normal distribution of mean 0 and deviation 1; lazy.

        Parameters
        ----------
        size : int or tuple of int, optional
            Number of elements, or the shape; a single number unless given.
        method : {"zig", "box"}
            The ziggurat method, or Box and Muller's.

        Examples
        --------
        >>> ak.random.default_rng(17).standard_normal(2)
        array([0.53011556044134911 -0.30288808691027669])
        """
        check_method("standard_normal", method, ("zig", "box"))
        if size is None:
            return self._singles.standard_normal()
        if str(method).lower() == "zig":
            # A server counts what the other method takes.
            return self._in_steps("stepped_normal", size, 2)
        count = math.prod(shape_of(_number_or_shape(size)))
        drawn = {**self._next(2 * count), "second": count}
        return shaped(size, lambda rows: Call("random_normal", rows.position, **drawn))

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None, method: str = "zig") -> Any:
        """Return random floats of a normal distribution; lazy.

        Parameters
        ----------
        loc, scale : float or pdarray
            Mean and standard deviation, of all numbers or of each.
        size, method
            As in `standard_normal`.

        Raises
        ------
        ArgumentError
            If a deviation is below 0.
        """
        loc, scale = parameter("normal", "loc", loc, size), not_negative("normal", "scale", scale, size)
        size = _size_of(size, loc, scale)
        if size is None:
            return self._singles.normal(loc, scale)
        return self.standard_normal(size, method) * scale + loc

    def lognormal(self, mean: Any = 0.0, sigma: Any = 1.0, size: Any = None, method: str = "zig") -> Any:
        """Return random floats whose logarithms are normally distributed; lazy.

        Parameters
        ----------
        mean, sigma : float or pdarray
            Mean and standard deviation of the logarithms.
        size, method
            As in `standard_normal`.

        Raises
        ------
        ArgumentError
            If a deviation is below 0.
        """
        mean, sigma = parameter("lognormal", "mean", mean, size), not_negative("lognormal", "sigma", sigma, size)
        size = _size_of(size, mean, sigma)
        return self._singles.lognormal(mean, sigma) if size is None else exp(self.normal(mean, sigma, size, method))

    # others

    def standard_exponential(self, size: Any = None, method: str = "zig") -> Any:
        """Return random floats of the exponential distribution of mean 1; lazy.

        Parameters
        ----------
        size : int or tuple of int, optional
            Number of elements, or the shape; a single number unless given.
        method : {"zig", "inv"}
            The ziggurat method, or inversion.
        """
        check_method("standard_exponential", method, ("zig", "inv"))
        if size is None:
            return self._singles.standard_exponential()
        if str(method).lower() == "zig":
            return self._in_steps("stepped_exponential", size)
        return -log1p(-self._uniform(size))

    def exponential(self, scale: Any = 1.0, size: Any = None, method: str = "zig") -> Any:
        """Return random floats of an exponential distribution; lazy.

        Parameters
        ----------
        scale : float or pdarray
            The mean, of all numbers or of each.
        size, method
            As in `standard_exponential`.

        Raises
        ------
        ArgumentError
            If a mean is below 0.
        """
        scale = not_negative("exponential", "scale", scale, size)
        size = _size_of(size, scale)
        return self._singles.exponential(scale) if size is None else self.standard_exponential(size, method) * scale

    def logistic(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """Return random floats of a logistic distribution; lazy.

        Parameters
        ----------
        loc, scale : float or pdarray
            Mean, and scale of the spread.
        size : int or tuple of int, optional
            Number of elements, or the shape; a single number unless given.

        Raises
        ------
        ArgumentError
            If a scale is below 0.
        """
        loc, scale = parameter("logistic", "loc", loc, size), not_negative("logistic", "scale", scale, size)
        size = _size_of(size, loc, scale)
        if size is None:
            return self._singles.logistic(loc, scale)
        return self._in_steps("stepped_logistic", size) * scale + loc

    def poisson(self, lam: Any = 1.0, size: Any = None) -> Any:
        """Return random integers of a Poisson distribution; lazy.

        Parameters
        ----------
        lam : float or pdarray
            The mean, of all numbers or of each.
        size : int or tuple of int, optional
            Number of elements, or the shape; a single number unless given.

        Raises
        ------
        ArgumentError
            If a mean is below 0.
        """
        lam = not_negative("poisson", "lam", lam, size)
        size = _size_of(size, lam)
        if size is None:
            return self._singles.poisson(lam)
        if isinstance(lam, Array) or lam > LARGEST_MEAN:
            return self._drawn("random_poisson", lam, size)
        return self._in_steps("stepped_poisson", size, mean=float(lam))

    def standard_gamma(self, shape: Any, size: Any = None) -> Any:
        """Return random floats of a gamma distribution of scale 1; lazy.

        Parameters
        ----------
        shape : float or pdarray
            The shape parameter, which is the mean too, of all numbers or of each.
        size : int or tuple of int, optional
            Number of elements, or the shape; a single number unless given.

        Raises
        ------
        ArgumentError
            If a shape is below 0.
        """
        shape = not_negative("standard_gamma", "shape", shape, size)
        size = _size_of(size, shape)
        if size is None:
            return self._singles.standard_gamma(shape)
        if isinstance(shape, Array):
            return self._drawn("random_gamma", shape, size)
        return self._in_steps("stepped_gamma", size, shape=float(shape))

    # random orders and choices

    def permutation(self, x: Any, method: str = "Argsort") -> Any:
        """Return the elements of an array in random order; lazy.

        Parameters
        ----------
        x : int, pdarray, Strings or Categorical
            The elements; an int stands for ``arange(x)``.
        method : {"Argsort", "FisherYates", "Feistel"}
            The first sorts random numbers; ``Feistel`` enciphers each position, which needs no exchange of rows
            to find the order.  ``FisherYates`` exchanges one row after the other, in each task for all rows, and is
            done as ``Argsort`` if there are more than four million.

        Raises
        ------
        ArgumentTypeError
            If it is neither.
        ArgumentError
            If the method is unknown.

        Examples
        --------
        >>> sorted(ak.random.default_rng(1).permutation(5).tolist())
        [0, 1, 2, 3, 4]
        """
        return permuted(self, x, method)

    def shuffle(
        self, x: Any, method: str = "FisherYates", *, feistel_rounds: int = 16, feistel_key: int | None = None
    ) -> None:
        """Put elements in random order, in place; lazy.  Arrays derived from it before stay as they are.

        Parameters
        ----------
        x : pdarray, Strings or Categorical
            The array.
        method : {"FisherYates", "Argsort", "MergeShuffle", "Feistel"}
            As in `permutation`; ``MergeShuffle`` is a server's of one locale, and has the limit of ``FisherYates``.
        feistel_rounds : int, default 16
            Rounds of the cipher.
        feistel_key : int, optional
            Its key, drawn unless given.

        Raises
        ------
        ArgumentTypeError
            If it is no array.
        ArgumentError
            If the method is unknown.
        """
        shuffled(self, x, method, feistel_rounds, feistel_key)

    def choice(self, a: Any, size: Any = None, replace: bool = True, p: Any = None) -> Any:
        """Return random elements of an array; lazy.

        Parameters
        ----------
        a : int, pdarray, Strings or Categorical
            The elements; an int stands for ``arange(a)``.
        size : int, optional
            Number of elements; a single element, at once, unless given.
        replace : bool, default True
            Whether an element may be drawn again.
        p : array, optional
            Weights of the elements, at least 0; equal unless given.

        Raises
        ------
        ArgumentError
            If more elements are to be drawn than exist, or weights are not as many as the elements, or negative.
        ArgumentTypeError
            If it is no array, or the weights are no numbers.

        Notes
        -----
        Without `replace`, weights are the rates of exponential numbers, and the smallest numbers are chosen: Efraimidis
        and Spirakis, Weighted random sampling with a reservoir, 2006.

        Examples
        --------
        >>> drawn = ak.random.default_rng(3).choice(ak.array([10, 20, 30]), 2, replace=False)
        >>> len(set(drawn.tolist()))
        2
        """
        return chosen(self, a, size, replace, p)

    def destructor(self) -> None:
        """Do nothing: there is no server to keep a generator."""

    def _uniform(self, size: Any) -> Any:
        drawn = self._next(math.prod(shape_of(_number_or_shape(size))))
        return shaped(size, lambda rows: Call("random_uniform", rows.position, **drawn))

    def _in_steps(self, operation: str, size: Any, numbers: int = 0, **parameter: float) -> Any:
        """Return numbers that are drawn in steps; a server counts one of its stream, or so many for each."""
        count = math.prod(shape_of(_number_or_shape(size)))
        stream = self._next(numbers * count or 1)
        given = {"seed": seed_of_steps(**stream), "step": step_of(count), **parameter}
        return shaped(size, lambda rows: Call(operation, rows.position, **given))

    def _drawn(self, operation: str, of: Any, size: Any) -> Any:
        """Return numbers of a distribution with one parameter, of all or of each."""
        seed = self._next_seed()
        if isinstance(of, Array):
            positions = shaped(size, lambda rows: rows.position)
            return positions._operate(operation, positions, cast(of, np.float64), seed=seed)
        return shaped(size, lambda rows: Call(operation, rows.position, Constant(np.float64(of)), seed=seed))


def default_rng(seed: Any = None) -> Generator:
    """Return a `Generator` for a seed, or the one that is given.

    Parameters
    ----------
    seed : int or Generator, optional
        One of its own unless given.

    Examples
    --------
    >>> one, other = ak.random.default_rng(7), ak.random.default_rng(7)
    >>> bool((one.random(5) == other.random(5)).all())
    True
    """
    return seed if isinstance(seed, Generator) else Generator(seed=seed)


def float_array_or_scalar_helper(func_name: str, var_name: str, var: Any, size: Any) -> tuple[bool, Any]:
    """Return whether a parameter of a distribution is a single number, and the parameter as float64.

    Raises
    ------
    ArgumentTypeError
        If it is neither a number nor an array of numbers.
    ArgumentError
        If the size of an array is not the number of values to draw.
    """
    if not isinstance(var, Array):
        return True, float(number_of(f"{func_name}: {var_name}", var))
    if not isinstance(var, pdarray) or not var._value.dtype.is_number:
        raise ArgumentTypeError(f"{func_name}: {var_name} is a number or an array of them, not {var._describe()}.")
    if size is not None and np.prod(size) != var.size:
        raise UnfitArgumentError(f"{func_name}: {var_name} has {var.size} elements, and size is {size}.")
    return False, var if var._value.dtype == FLOAT64 else cast(var, np.float64)


def parameter(func_name: str, var_name: str, var: Any, size: Any) -> Any:
    """Return a parameter of a distribution as float64; see `float_array_or_scalar_helper`."""
    return float_array_or_scalar_helper(func_name, var_name, var, size)[1]


def not_negative(func_name: str, var_name: str, var: Any, size: Any) -> Any:
    """Return a parameter that may not be below 0; arrays are checked at compute.

    Raises
    ------
    ArgumentError
        If a number is below 0; negative elements of arrays give NaN.
    """
    checked = parameter(func_name, var_name, var, size)
    if isinstance(checked, Array):
        return where(checked < 0, np.nan, checked)
    if checked < 0:
        raise UnfitArgumentError(f"{func_name}: {var_name} is at least 0, not {var}.")
    return checked


def check_method(func_name: str, method: str, methods: tuple[str, ...]) -> None:
    """Refuse a method of drawing that there is not."""
    if str(method).lower() not in methods:
        raise ArgumentError(f"{func_name}: there is no method {method!r}.", details=[f"methods: {', '.join(methods)}"])


def _size_of(size: Any, *parameters: Any) -> Any:
    """Return the number of numbers to draw: `size` if given, otherwise the size of a parameter."""
    return next((item.size for item in parameters if isinstance(item, Array)), None) if size is None else size
