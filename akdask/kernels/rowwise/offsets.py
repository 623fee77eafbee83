"""Times moved by offsets of the calendar, such as months and business days: pandas moves each block of rows."""

from __future__ import annotations

import pickle
from functools import lru_cache
from typing import Any

import numpy as np

from akdask.deferred import pd
from akdask.errors import ArgumentError
from akdask.kernels.core.rules import Operation
from akdask.schema import INT64, ColumnType


@lru_cache(64)
def _offset(pickled: bytes) -> Any:
    return pickle.loads(pickled)


def _moved(
    times: Any,
    out: Any = None,
    *,
    pickled: bytes,
    subtract: bool,
    in_arrays: bool,
    unit: str = "ns",
    finer: str = "ns",
    zone: str | None = None,
) -> Any:
    """Return times before or after an offset, in the unit `finer`; by the clocks of a zone where there is one."""
    offset = _offset(pickled)
    index = pd.DatetimeIndex(np.atleast_1d(np.asarray(times, np.int64)).view(f"M8[{unit}]"))
    if zone is not None:
        index = index.tz_localize("UTC").tz_convert(zone)
    try:
        if in_arrays:
            found = index - offset if subtract else index + offset
        else:
            moved = [time - offset if subtract else time + offset for time in index]
            found = pd.DatetimeIndex(moved, dtype=index.dtype)
        ticks = found.as_unit(finer).asi8
    except (ValueError, OverflowError) as error:
        raise ArgumentError(
            f"a time {'less' if subtract else 'and'} {offset} is beyond what 64 bits hold, or is none in its zone.",
            details=[str(error)],
            hint="leave such times out, or make their unit coarser.",
        ) from error
    if out is None:
        return ticks.reshape(np.shape(times))[()]
    out[...] = ticks
    return out


def _moved_type(times: ColumnType, **_: Any) -> ColumnType | None:
    return INT64 if times == INT64 else None


OFFSET_OPERATIONS: dict[str, Operation] = {
    "move_by_offset": Operation("move_by_offset", 1, _moved_type, _moved),
}
