"""Memory that a thread reads into again and again: the system need not find and clear new pages each time."""

from __future__ import annotations

import threading

import numpy as np
import numpy.typing as npt

LARGEST_REUSED = 2**26
"""Bytes that a thread keeps."""

_local = threading.local()


def scratch(nbytes: int) -> npt.NDArray[np.uint8]:
    """Return memory for what is used up before this thread asks the next time.

    Examples
    --------
    >>> scratch(8).shape
    (8,)
    """
    if nbytes > LARGEST_REUSED:
        return np.empty(nbytes, np.uint8)
    memory: npt.NDArray[np.uint8] = getattr(_local, "memory", np.empty(0, np.uint8))
    if len(memory) < nbytes:
        memory = _local.memory = np.empty(nbytes, np.uint8)
    return memory[:nbytes]
