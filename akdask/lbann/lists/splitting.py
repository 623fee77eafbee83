"""Splitting the samples of a list among training, validation and tournament, with upstream's arithmetic."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from akdask.errors import ArgumentError


@dataclass(frozen=True, slots=True)
class SplitIndices:
    """Positions of the samples of each part.

    Parameters
    ----------
    train, validation, tournament : ndarray of int64
        Positions; no position is in two parts, and a few may be in none.
    """

    train: np.ndarray
    validation: np.ndarray
    tournament: np.ndarray


def choose(
    n: int, *, fraction: float | None = None, count: int | None = None, seed: int | None = None, shuffle: bool = False
) -> np.ndarray:
    """Return the positions of the samples that are used at all.

    Parameters
    ----------
    n : int
        Samples there are.
    fraction : float, optional
        Share to use, 0 to 1; what it makes is cut to an integer.
    count : int, optional
        How many to use; at most one of the two is given.
    seed : int, optional
        Of the shuffle.
    shuffle : bool, default False
        Draw them at random; else they are the first ones.

    Raises
    ------
    ArgumentError
        If both are given, there are not so many samples, or none is left.
    """
    if fraction is not None and count is not None:
        raise ArgumentError(
            "a fraction of the data and an absolute count were given.", hint="give one of the two; 0 counts as none."
        )
    if count is not None and not 0 < count <= n:
        raise ArgumentError(f"{count:,} samples were asked for, and there are {n:,}.")
    used = n if count is None else count
    if fraction is not None:
        _check_fraction("the fraction of data to use", fraction)
        used = math.trunc(fraction * n)
        if used == 0:
            raise ArgumentError(f"a fraction of {fraction} of {n:,} samples leaves none.")
    order = np.random.default_rng(seed).permutation(n) if shuffle else np.arange(n, dtype=np.int64)
    return order[:used]


def split_indices(
    n: int, *, validation: float = 0.0, tournament: float = 0.0, seed: int | None = None, shuffle: bool = True
) -> SplitIndices:
    """Split positions into parts.

    Training keeps what is not held back, ``trunc((v + t) * n)`` samples, from the front; validation takes the next
    ``trunc(v * n)`` and tournament the next ``trunc(t * n)``.  What truncation leaves over is in no part.

    Parameters
    ----------
    n : int
        Number of samples.
    validation, tournament : float, default 0
        Fractions, from 0 and below 1 in all.
    seed : int, optional
        Of the shuffle.
    shuffle : bool, default True
        Draw the parts at random; else each is in ascending order.

    Raises
    ------
    ArgumentError
        If fractions do not fit, or a positive one yields no samples.

    Examples
    --------
    >>> parts = split_indices(143, validation=0.1, tournament=0.1, seed=1)
    >>> len(parts.train), len(parts.validation), len(parts.tournament)
    (115, 14, 14)
    """
    for name, fraction in (("validation", validation), ("tournament", tournament)):
        _check_fraction(f"the {name} fraction", fraction)
        if fraction > 0 and math.trunc(fraction * n) == 0:
            raise ArgumentError(f"a {name} fraction of {fraction} of {n:,} samples is none.")
    if validation + tournament >= 1:
        raise ArgumentError(f"fractions of {validation} and {tournament} leave nothing to train with.")
    order = np.random.default_rng(seed).permutation(n) if shuffle else np.arange(n, dtype=np.int64)
    train = n - math.trunc((validation + tournament) * n)
    n_validation, n_tournament = math.trunc(validation * n), math.trunc(tournament * n)
    return SplitIndices(
        order[:train], order[train : train + n_validation], order[train + n_validation :][:n_tournament]
    )


def _check_fraction(name: str, fraction: float) -> None:
    if not 0 <= fraction <= 1:
        raise ArgumentError(f"{name} is {fraction}; it is between 0 and 1.")
