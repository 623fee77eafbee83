"""The functions of the standard's ``fft`` whose results are real: frequencies, and their order.

The others have complex results, which no array here holds; `numpy.fft` takes arrays of the standard as well.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from akdask.array_api.array_object import StandardArray
from akdask.array_api.creation_functions import arange, asarray, concat, roll
from akdask.array_api.functions import divide
from akdask.errors import ArgumentError, UnsupportedError


def fftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Any = None) -> StandardArray:
    """Return the frequencies of a transform of `n` samples that are `d` apart; lazy.

    Examples
    --------
    >>> fftfreq(4).tolist()
    [0.0, 0.25, -0.5, -0.25]
    """
    _check_count(n)
    steps = concat([arange(0, (n + 1) // 2, device=device), arange(-(n // 2), 0, device=device)])
    return _typed(divide(steps, float(n) * d), dtype)


def rfftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Any = None) -> StandardArray:
    """Return the frequencies that are not negative of a transform of `n` samples that are `d` apart; lazy.

    Examples
    --------
    >>> rfftfreq(4).tolist()
    [0.0, 0.25, 0.5]
    """
    _check_count(n)
    return _typed(divide(arange(0, n // 2 + 1, device=device), float(n) * d), dtype)


def fftshift(x: StandardArray, /, *, axes: Any = None) -> StandardArray:
    """Return an array with the frequency 0 moved to the middle of dimensions, all by default; lazy.

    Examples
    --------
    >>> fftshift(fftfreq(4)).tolist()
    [-0.5, -0.25, 0.0, 0.25]
    """
    return _shifted(x, axes, 1)


def ifftshift(x: StandardArray, /, *, axes: Any = None) -> StandardArray:
    """Return an array with the frequency 0 moved from the middle of dimensions to their start; lazy."""
    return _shifted(x, axes, -1)


def _shifted(x: StandardArray, axes: Any, sign: int) -> StandardArray:
    numbers = tuple(range(x.ndim)) if axes is None else (axes,) if isinstance(axes, int) else tuple(axes)
    halves = tuple(x.shape[number] // 2 * sign for number in numbers)
    return roll(x, halves, axis=numbers) if numbers else x


def _check_count(n: int) -> None:
    if n < 1:
        raise ArgumentError(f"there are no frequencies of {n} samples.")


def _typed(x: StandardArray, dtype: Any) -> StandardArray:
    return x if dtype is None else asarray(x, dtype=dtype)


def _refusal(name: str) -> Callable[..., Any]:
    def refuse(x: Any, /, **options: Any) -> Any:
        raise UnsupportedError(
            f"fft.{name}: arrays here hold no complex numbers.", hint=f"np.fft.{name}(np.asarray(x)) does it in memory."
        )

    refuse.__name__ = name
    refuse.only_refuses = True  # type: ignore[attr-defined]  # told apart from functions that do something
    refuse.__doc__ = "Refuse: arrays here hold no complex numbers."
    return refuse


fft, ifft, fftn, ifftn, rfft, irfft, rfftn, irfftn, hfft, ihfft = map(
    _refusal, ("fft", "ifft", "fftn", "ifftn", "rfft", "irfft", "rfftn", "irfftn", "hfft", "ihfft")
)
