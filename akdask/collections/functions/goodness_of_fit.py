"""How well counts fit what was expected: Pearson's test and its relatives, as SciPy has them."""

from __future__ import annotations

from typing import Any, NamedTuple

import dask
import numpy as np

from akdask.collections.arrays.creation import array
from akdask.collections.arrays.elementwise import elementwise
from akdask.collections.arrays.pdarray import pdarray
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.kernels.core.gamma import chi_squared_tail

LAMBDAS = {
    "pearson": 1.0,
    "log-likelihood": 0.0,
    "freeman-tukey": -0.5,
    "mod-log-likelihood": -1.0,
    "neyman": -2.0,
    "cressie-read": 2 / 3,
}
"""The power of each statistic."""

_TOLERANCE = float(np.sqrt(np.finfo(np.float64).eps))


class Power_divergenceResult(NamedTuple):
    """A statistic, and how likely one as large is if the counts are as expected."""

    statistic: np.float64
    pvalue: np.float64


def chisquare(f_obs: Any, f_exp: Any = None, ddof: int = 0) -> Power_divergenceResult:
    """Test whether counts are as expected by Pearson's statistic; computes.  See `power_divergence`.

    Examples
    --------
    >>> import akdask as ak
    >>> found = ak.chisquare(ak.array([16, 18, 16, 14, 12, 12]))
    >>> float(found.statistic), round(float(found.pvalue), 12)
    (2.0, 0.849145036085)
    """
    return power_divergence(f_obs, f_exp, ddof, "pearson")


def power_divergence(
    f_obs: Any, f_exp: Any = None, ddof: int = 0, lambda_: str | float | None = None
) -> Power_divergenceResult:
    """Test whether counts are as expected by a statistic of Cressie and Read; computes.

    Parameters
    ----------
    f_obs : pdarray
        The counts.
    f_exp : pdarray, optional
        What was expected; the mean of the counts unless given.
    ddof : int, default 0
        What is subtracted from the degrees of freedom, which are one less than the counts.
    lambda_ : str or float, optional
        The power of the statistic, or its name: ``pearson`` (unless given), ``log-likelihood``, ``freeman-tukey``,
        ``mod-log-likelihood``, ``neyman`` or ``cressie-read``.

    Returns
    -------
    Power_divergenceResult
        The statistic, and the probability of one as large, by the chi-squared distribution, as float64.

    Raises
    ------
    ArgumentError
        If there is no statistic of that name, or the sums of counts and of what was expected differ by more than one
        part in 10**8.
    ArgumentTypeError
        If they are no arrays of numbers.
    AlignmentError
        If they are not as many.

    Notes
    -----
    Values are those of ``scipy.stats.power_divergence``; SciPy is not needed.

    Examples
    --------
    >>> import akdask as ak
    >>> counts, expected = ak.array([10, 20, 30, 10]), ak.array([10, 30, 20, 10])
    >>> found = ak.power_divergence(counts, expected, lambda_="log-likelihood")
    >>> round(float(found.statistic), 12), round(float(found.pvalue), 12)
    (8.109302162163, 0.043805953502)
    """
    power = _power(lambda_)
    observed = _numbers(f_obs, "f_obs")
    expected = observed.mean() if f_exp is None else _numbers(f_exp, "f_exp")
    sums = [_terms(observed, expected, power).sum(), observed.sum()]
    statistic, total, *others = dask.compute(*sums, *([expected.sum()] if isinstance(expected, pdarray) else []))
    for wanted in others:
        if abs(total - wanted) > _TOLERANCE * min(total, wanted):
            raise ArgumentError(
                "counts do not sum up to what was expected.",
                details=[f"sum of f_obs: {total}", f"sum of f_exp: {wanted}"],
                hint="scale f_exp: f_exp * (f_obs.sum() / f_exp.sum()).",
            )
    return Power_divergenceResult(
        np.float64(statistic), np.float64(chi_squared_tail(float(statistic), observed.size - 1 - ddof))
    )


def _power(lambda_: str | float | None) -> float:
    if lambda_ is None:
        return LAMBDAS["pearson"]
    if isinstance(lambda_, str):
        if lambda_ not in LAMBDAS:
            raise ArgumentError(f"there is no statistic {lambda_!r}.", hint=f"known: {', '.join(LAMBDAS)}.")
        return LAMBDAS[lambda_]
    return float(lambda_)


def _numbers(counts: Any, name: str) -> pdarray:
    made = counts if isinstance(counts, pdarray) else array(counts)
    if not isinstance(made, pdarray) or made._value.dtype.kind not in ("int", "uint", "float", "bool"):
        raise ArgumentTypeError(f"{name} is an array of numbers, not a {type(counts).__name__}.")
    return made.astype("float64")


def _terms(observed: pdarray, expected: Any, power: float) -> Any:
    """Return what is added up to the statistic."""
    if power == LAMBDAS["pearson"]:
        return (observed - expected) ** 2 / expected
    if power == LAMBDAS["log-likelihood"]:
        return 2 * elementwise("xlogy", observed, observed / expected)
    if power == LAMBDAS["mod-log-likelihood"]:
        spread = observed * 0 + expected
        return 2 * elementwise("xlogy", spread, spread / observed)
    return observed * ((observed / expected) ** power - 1) / (0.5 * power * (power + 1))
