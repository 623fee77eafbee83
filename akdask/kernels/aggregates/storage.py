"""What has to be known of a column before it is stored or merged: whether it is sorted, how wide its integers are."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from akdask.columns.bigint import limbs_of, to_ints
from akdask.columns.lists import values_of
from akdask.deferred import is_arrow, pc
from akdask.errors import SchemaError
from akdask.kernels.aggregates.select import select_rows
from akdask.kernels.aggregates.specification import ANYTHING, Reduction, ScalarForm, State, giving
from akdask.schema import BIGINT, BOOL, INT64, list_of
from akdask.typing import Column, NumberArray


def _is_sorted(column: Column, mask: NumberArray | None) -> State:
    """Whether the rows ascend, and the first and last one; whether alone where there are none."""
    rows = select_rows(column, mask)
    if not len(rows):
        return (True,)
    if isinstance(rows, np.ndarray):
        return bool(np.all(rows[:-1] <= rows[1:])), rows[0], rows[-1]
    ascending = pc.all(pc.less_equal(rows[:-1], rows[1:]), min_count=0).as_py()
    return ascending, *(rows[position].as_buffer().to_pybytes() for position in (0, len(rows) - 1))


def _are_integers_sorted(column: Any, mask: NumberArray | None) -> State:
    numbers = to_ints(select_rows(column, mask))
    ascending = all(left <= right for left, right in pairwise(numbers))
    return (ascending, numbers[0], numbers[-1]) if numbers else (True,)


def _merge_sorted(left: State, right: State) -> State:
    if len(left) == 1 or len(right) == 1:
        return right if len(left) == 1 else left
    return bool(left[0] and right[0] and left[2] <= right[1]), left[1], right[2]


def _limbs(column: Any, mask: NumberArray | None) -> State:
    """Return how many limbs the integers need without a sign, as they are stored; also those in lists."""
    rows = select_rows(column, mask)
    limbs = limbs_of(values_of(rows, BIGINT) if is_arrow(rows, "LargeListArray") else rows)
    if (limbs[:, -1] >> np.uint64(63)).any():
        raise SchemaError(
            "integers below 0 cannot be stored as bigint.",
            hint="limit the bits first, with max_bits: they are stored modulo 2**max_bits then.",
        )
    used = np.flatnonzero(limbs.any(axis=0))
    return int(used[-1]) + 1 if len(used) else 1


IS_SORTED = Reduction(
    "is_sorted",
    giving(BOOL, *ANYTHING),
    scalar=ScalarForm(_is_sorted, _merge_sorted, lambda state: np.bool_(state[0])),
    integers=ScalarForm(_are_integers_sorted, _merge_sorted, lambda state: np.bool_(state[0])),
    of_neighbours=True,
)

LIMBS = Reduction("limbs", giving(INT64, BIGINT, list_of(BIGINT)), integers=ScalarForm(_limbs, max, np.int64))
