"""The order of the samples of an epoch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy as np

from akdask.errors import ArgumentError

Shuffle: TypeAlias = bool | Literal["files"]
"""Whether samples come in random order: all of them, or files, and the samples within each file."""


def epoch_order(
    n: int, files: np.ndarray | None, shuffle: Shuffle, seed: int | Sequence[int] | None, epoch: int
) -> np.ndarray:
    """Return the positions of samples in the order of an epoch.

    Parameters
    ----------
    n : int
        Number of samples.
    files : ndarray of int64, shape (n,), optional
        The file of each sample; only used if files are shuffled.
    shuffle : bool or "files"
        False keeps the order; "files" shuffles files, and the samples of each, so that those of a file stay together.
    seed : int or sequence of int, optional
        The same seed and epoch give the same order, however many threads and workers there are.
    epoch : int
        Number of the epoch, which makes the orders of a seed differ.

    Raises
    ------
    ArgumentError
        If `shuffle` is something else.
    """
    if shuffle is False:
        return np.arange(n, dtype=np.int64)
    if shuffle is not True and shuffle != "files":
        raise ArgumentError(f"shuffle is {shuffle!r}.", hint="it is True, False or 'files'.")
    given = [] if seed is None else [seed] if isinstance(seed, int | np.integer) else list(seed)
    random = np.random.default_rng([*given, epoch] if given else None)
    order = random.permutation(n)
    if shuffle is True or files is None or not n:
        return order
    # Samples are in random order already: a stable sort by the random rank of their files keeps that within files.
    ranks = random.permutation(int(files.max()) + 1)
    return order[np.argsort(ranks[files[order]], kind="stable")]
