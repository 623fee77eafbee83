"""`Generator`: lazy arrays of random numbers of many distributions, one after the other from one seed."""

from __future__ import annotations

import secrets
from typing import Any

import numpy as np

from akdask.collections.arrays.elementwise import cast, where
from akdask.collections.arrays.pdarray import pdarray
from akdask.collections.arrays.ufuncs import exp, log, log1p
from akdask.collections.core.array import Array
from akdask.collections.random.arrays import checked_int, number_of, randint, shaped
from akdask.collections.random.sampling import SamplingMethods
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.plan.expr.values import Call, Constant
from akdask.schema import BOOL, FLOAT64, column_type

LEAST = 2.0**-54
"""Half of the step between uniform numbers: added, none of them is 0."""


class Generator(SamplingMethods):
    """Draws random numbers of many distributions; each call goes on where the last one ended.

    Parameters
    ----------
    name_dict : object
        Accepted for compatibility with Arkouda, whose server has generators by these names.
    seed : int, optional
        The same seed gives the same numbers in the same calls, for any number of partitions and workers; one of its own
        unless given.  Not those of an Arkouda server.
    state : int, default 1
        Number of the next call.

    Notes
    -----
    Arrays are lazy.  Without `size` a single number is drawn at once, by NumPy's generator of the same seed, as Arkouda
    does.  `default_rng` is the usual way to make one.

    Examples
    --------
    >>> import akdask as ak
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

    def _next_seed(self) -> int:
        """Return the seed of one call."""
        words = np.random.SeedSequence([self._seed % 2**64, self._state]).generate_state(1, np.uint64)
        self._state += 1
        return int(words[0]) >> 1

    # uniform

    def integers(
        self, low: Any, high: Any = None, size: Any = None, dtype: Any = np.int64, endpoint: bool = False
    ) -> Any:
        """Return random integers, uniform in ``[low, high)``; lazy.

        Parameters
        ----------
        low, high : int
            Bounds; without `high` they are 0 and `low`.
        size : int or tuple of int, optional
            How many, or the shape; a single number unless given.
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
        low, high = (0, low) if high is None else (low, high)
        if column_type(dtype) == BOOL:
            return randint(0, 2, size, dtype, self._next_seed())
        return randint(low, high + 1 if endpoint else high, size, dtype, self._next_seed())

    def random(self, size: Any = None) -> Any:
        """Return random floats, uniform in ``[0, 1)``; lazy.

        Parameters
        ----------
        size : int or tuple of int, optional
            How many, or the shape; a single number unless given.
        """
        return self._singles.random() if size is None else self._uniform(size)

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        """Return random floats, uniform in ``[low, high)``; lazy.

        Parameters
        ----------
        low, high : float or pdarray
            Bounds, of all numbers or of each.
        size : int or tuple of int, optional
            How many, or the shape; a single number unless given.
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
            How many, or the shape; a single number unless given.
        method : {"zig", "box"}
            Accepted for compatibility with Arkouda; Box and Muller's method is taken in any case.
        """
        check_method("standard_normal", method, ("zig", "box"))
        if size is None:
            return self._singles.standard_normal()
        seed = self._next_seed()
        return shaped(size, lambda rows: Call("random_normal", rows.position, seed=seed))

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
            How many, or the shape; a single number unless given.
        method : {"zig", "inv"}
            Accepted for compatibility with Arkouda; the distribution is inverted in any case.
        """
        check_method("standard_exponential", method, ("zig", "inv"))
        return self._singles.standard_exponential() if size is None else -log1p(-self._uniform(size))

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
            How many, or the shape; a single number unless given.

        Raises
        ------
        ArgumentError
            If a scale is below 0.
        """
        loc, scale = parameter("logistic", "loc", loc, size), not_negative("logistic", "scale", scale, size)
        size = _size_of(size, loc, scale)
        if size is None:
            return self._singles.logistic(loc, scale)
        drawn = self._uniform(size) + LEAST
        return (log(drawn) - log1p(-drawn)) * scale + loc

    def poisson(self, lam: Any = 1.0, size: Any = None) -> Any:
        """Return random integers of a Poisson distribution; lazy.

        Parameters
        ----------
        lam : float or pdarray
            The mean, of all numbers or of each.
        size : int or tuple of int, optional
            How many, or the shape; a single number unless given.

        Raises
        ------
        ArgumentError
            If a mean is below 0.
        """
        lam = not_negative("poisson", "lam", lam, size)
        size = _size_of(size, lam)
        return self._singles.poisson(lam) if size is None else self._drawn("random_poisson", lam, size)

    def standard_gamma(self, shape: Any, size: Any = None) -> Any:
        """Return random floats of a gamma distribution of scale 1; lazy.

        Parameters
        ----------
        shape : float or pdarray
            The shape, which is the mean too, of all numbers or of each.
        size : int or tuple of int, optional
            How many, or the shape; a single number unless given.

        Raises
        ------
        ArgumentError
            If a shape is below 0.
        """
        shape = not_negative("standard_gamma", "shape", shape, size)
        size = _size_of(size, shape)
        return self._singles.standard_gamma(shape) if size is None else self._drawn("random_gamma", shape, size)

    def destructor(self) -> None:
        """Do nothing: there is no server to keep a generator."""

    def _uniform(self, size: Any) -> Any:
        seed = self._next_seed()
        return shaped(size, lambda rows: Call("random_uniform", rows.position, seed=seed))

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
    >>> import akdask as ak
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
        If an array has another size than what is to be drawn.
    """
    if not isinstance(var, Array):
        return True, float(number_of(f"{func_name}: {var_name}", var))
    if not isinstance(var, pdarray) or not var._value.dtype.is_number:
        raise ArgumentTypeError(f"{func_name}: {var_name} is a number or an array of them, not {var._describe()}.")
    if size is not None and np.prod(size) != var.size:
        raise ArgumentError(f"{func_name}: {var_name} has {var.size} elements, and size is {size}.")
    return False, var if var._value.dtype == FLOAT64 else cast(var, np.float64)


def parameter(func_name: str, var_name: str, var: Any, size: Any) -> Any:
    """Return a parameter of a distribution as float64; see `float_array_or_scalar_helper`."""
    return float_array_or_scalar_helper(func_name, var_name, var, size)[1]


def not_negative(func_name: str, var_name: str, var: Any, size: Any) -> Any:
    """Return a parameter that may not be below 0, of arrays found when they are computed.

    Raises
    ------
    ArgumentError
        If a number is below 0; elements of arrays that are give NaN.
    """
    checked = parameter(func_name, var_name, var, size)
    if isinstance(checked, Array):
        return where(checked < 0, np.nan, checked)
    if checked < 0:
        raise ArgumentError(f"{func_name}: {var_name} is at least 0, not {var}.")
    return checked


def check_method(func_name: str, method: str, methods: tuple[str, ...]) -> None:
    """Refuse a method of drawing that there is not."""
    if str(method).lower() not in methods:
        raise ArgumentError(f"{func_name}: there is no method {method!r}.", details=[f"methods: {', '.join(methods)}"])


def _size_of(size: Any, *parameters: Any) -> Any:
    """Return how many numbers are to be drawn: as many as a parameter has, unless it is said."""
    return next((item.size for item in parameters if isinstance(item, Array)), None) if size is None else size
