"""Random numbers: ``ak.random``.

`default_rng` makes a `Generator`.  The functions draw from one of the process, which `seed` restarts; `randint`,
`uniform` and `standard_normal` take a seed of their own as well, as in Arkouda.
"""

from __future__ import annotations

from typing import Any

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


def integers(low: Any, high: Any = None, size: Any = None, dtype: Any = np.int64, endpoint: bool = False) -> Any:
    """Return random integers; see `Generator.integers`."""
    return get_global_generator().integers(low, high, size, dtype, endpoint)


def random(size: Any = None) -> Any:
    """Return random floats, uniform in ``[0, 1)``; see `Generator.random`."""
    return get_global_generator().random(size)


def normal(loc: Any = 0.0, scale: Any = 1.0, size: Any = None, method: str = "zig") -> Any:
    """Return random floats, normally distributed; see `Generator.normal`."""
    return get_global_generator().normal(loc, scale, size, method)


def lognormal(mean: Any = 0.0, sigma: Any = 1.0, size: Any = None, method: str = "zig") -> Any:
    """Return random floats whose logarithms are normally distributed; see `Generator.lognormal`."""
    return get_global_generator().lognormal(mean, sigma, size, method)


def exponential(scale: Any = 1.0, size: Any = None, method: str = "zig") -> Any:
    """Return random floats, exponentially distributed; see `Generator.exponential`."""
    return get_global_generator().exponential(scale, size, method)


def standard_exponential(size: Any = None, method: str = "zig") -> Any:
    """Return random floats, exponentially distributed with mean 1; see `Generator.standard_exponential`."""
    return get_global_generator().standard_exponential(size, method)


def logistic(loc: Any = 0.0, scale: Any = 0.0, size: Any = None) -> Any:
    """Return random floats of a logistic distribution, whose scale is 0 unless given; see `Generator.logistic`."""
    return get_global_generator().logistic(loc, scale, size)


def poisson(lam: Any = 1.0, size: Any = None) -> Any:
    """Return random integers of a Poisson distribution; see `Generator.poisson`."""
    return get_global_generator().poisson(lam, size)


def standard_gamma(shape: Any, size: Any = None) -> Any:
    """Return random floats of a gamma distribution; see `Generator.standard_gamma`."""
    return get_global_generator().standard_gamma(shape, size)


def choice(a: Any, size: Any = None, replace: bool = True, p: Any = None) -> Any:
    """Return random elements of an array; see `Generator.choice`."""
    return get_global_generator().choice(a, size, replace, p)


def permutation(x: Any, method: str = "Argsort") -> Any:
    """Return the elements of an array in random order; see `Generator.permutation`."""
    return get_global_generator().permutation(x, method)


def shuffle(x: Any, method: str = "FisherYates", *, feistel_rounds: int = 16, feistel_key: int | None = None) -> None:
    """Put the elements of an array in random order, in place; see `Generator.shuffle`."""
    get_global_generator().shuffle(x, method, feistel_rounds=feistel_rounds, feistel_key=feistel_key)
