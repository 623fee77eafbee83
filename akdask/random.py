"""Random numbers: ``ak.random``.

`default_rng` makes a `Generator`.  The functions draw from one of the process, which `seed` restarts; `randint`,
`uniform` and `standard_normal` take a seed of their own as well, as in Arkouda.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np

from akdask.arrays.random import Generator, default_rng, float_array_or_scalar_helper
from akdask.arrays.random import randint as _randint
from akdask.arrays.random import standard_normal as _standard_normal
from akdask.arrays.random import uniform as _uniform

__all__ = [
    "Generator",
    "choice",
    "default_rng",
    "exponential",
    "float_array_or_scalar_helper",
    "get_global_generator",
    "global_generator_exists",
    "integers",
    "logistic",
    "lognormal",
    "normal",
    "permutation",
    "poisson",
    "rand",
    "randint",
    "random",
    "seed",
    "shuffle",
    "standard_exponential",
    "standard_gamma",
    "standard_normal",
    "uniform",
]

P = ParamSpec("P")
Result = TypeVar("Result")

_global: dict[str, Generator] = {}


def get_global_generator() -> Generator:
    """Return the generator that the functions of this module draw from; makes one if there is none."""
    if "generator" not in _global:
        seed()
    return _global["generator"]


def global_generator_exists() -> bool:
    """Whether the functions of this module have drawn, or `seed` was called."""
    return "generator" in _global


def seed(seed: int | None = None) -> None:
    """Restart the generator of this module.

    Parameters
    ----------
    seed : int, optional
        One of its own unless given.
    """
    _global["generator"] = default_rng(seed)


def _seed_of(given: int | None) -> int:
    """Return a seed, the next one of the generator of this module unless it is given."""
    return get_global_generator()._next_seed() if given is None else given


def randint(low: float, high: float, size: Any = 1, dtype: Any = np.int64, seed: int | None = None) -> Any:
    """Return random numbers, uniform in ``[low, high)``; see `akdask.randint`.

    Examples
    --------
    >>> ak.randint(0, 10, 5, seed=1).tolist()
    [7, 9, 5, 1, 4]
    """
    return _randint(low, high, size, dtype, _seed_of(seed))


def uniform(size: Any, low: float = 0.0, high: float = 1.0, seed: int | None = None) -> Any:
    """Return random floats, uniform in ``[low, high)``; see `akdask.uniform`.

    Examples
    --------
    >>> ak.uniform(2, seed=1).tolist() == ak.uniform(2, seed=1).tolist()
    True
    """
    return _uniform(size, low, high, _seed_of(seed))


def standard_normal(size: Any, seed: int | None = None) -> Any:
    """Return random floats of mean 0 and deviation 1, normally distributed; see `akdask.standard_normal`.

    Examples
    --------
    >>> ak.standard_normal(2, seed=1).tolist() == ak.standard_normal(2, seed=1).tolist()
    True
    """
    return _standard_normal(size, _seed_of(seed))


def rand(*size: int, seed: int | None = None) -> Any:
    """Return random floats, uniform in ``[0, 1)``, in a shape; a single one for no arguments.

    Parameters
    ----------
    *size : int
        Length of each dimension.
    seed : int, optional
        As in `uniform`.

    Examples
    --------
    >>> ak.rand(2, 3, seed=1).shape
    (2, 3)
    """
    drawn = uniform(size[0] if len(size) == 1 else size or 1, seed=seed)
    return drawn if size else drawn[0]


def logistic(loc: Any = 0.0, scale: Any = 0.0, size: Any = None) -> Any:
    """Return random floats of a logistic distribution, whose scale is 0 unless given; see `Generator.logistic`."""
    return get_global_generator().logistic(loc, scale, size)


def _of_process(method: Callable[Concatenate[Generator, P], Result]) -> Callable[P, Result]:
    """Return the function that draws as a method does, from the generator of this module."""

    @wraps(method)
    def draw(*args: P.args, **kwargs: P.kwargs) -> Result:
        return method(get_global_generator(), *args, **kwargs)

    signature = inspect.signature(method)
    _, *parameters = signature.parameters.values()
    draw.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    draw.__module__, draw.__qualname__ = __name__, method.__name__
    return draw


integers = _of_process(Generator.integers)
random = _of_process(Generator.random)
normal = _of_process(Generator.normal)
lognormal = _of_process(Generator.lognormal)
exponential = _of_process(Generator.exponential)
standard_exponential = _of_process(Generator.standard_exponential)
poisson = _of_process(Generator.poisson)
standard_gamma = _of_process(Generator.standard_gamma)
choice = _of_process(Generator.choice)
permutation = _of_process(Generator.permutation)
shuffle = _of_process(Generator.shuffle)
