"""One question to the files answered with NumPy and h5py alone: a yardstick for time, and a check of the answer."""

from __future__ import annotations

from collections.abc import Iterable

import h5py


def web_bytes(paths: Iterable[str]) -> int:
    """Return the bytes of encrypted web traffic in flows of more than ten packets."""
    total = 0
    for path in paths:
        with h5py.File(path) as file:
            chosen = (file["dst_port"][:] == 443) & (file["packets"][:] > 10)
            total += int(file["bytes"][:][chosen].sum())
    return total
