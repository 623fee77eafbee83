"""Functions of a few lines that arrays are made of, with the inputs that tell one of their steps."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest

import akdask as ak
from akdask.arrays import text
from akdask.arrays.bit_vectors import ShownBits
from akdask.arrays.statistics import chi_squared_tail
from akdask.columns.table import Table
from akdask.errors import TransferError

NUMBERS = np.array([0, 1, 6, 2**63, 2**64 - 1], np.uint64)


@pytest.mark.parametrize("width", [1, 2, 3, 8, 63, 64, 65, 70])
@pytest.mark.parametrize("reverse", [False, True])
def test_bits_are_shown_to_a_width_or_all_of_them(width, reverse):
    """Numbers that need more bits than the width are shown in full, each by itself."""
    for chosen in (NUMBERS, NUMBERS[:3], NUMBERS[:2], NUMBERS[:1]):
        wanted = [f"{number:b}".zfill(width).replace("0", ".").replace("1", "|") for number in chosen.tolist()]
        shown = ShownBits(width, reverse).show(chosen)
        assert shown.tolist() == [item[::-1] if reverse else item for item in wanted]
    assert ShownBits(0, reverse).show(NUMBERS[:2]).tolist() == [".", "|"]


@pytest.mark.parametrize("x", [0.01, 0.5, 1.9, 2.0, 2.1, 5.0, 6.0, 9.0, 40.0])
def test_tails_of_chi_squared_are_those_of_closed_forms(x):
    half = x / 2
    for degrees, wanted in (
        (1, math.erfc(math.sqrt(half))), (2, math.exp(-half)), (4, math.exp(-half) * (1 + half)),
        (6, math.exp(-half) * (1 + half + half**2 / 2)),
        (3, math.erfc(math.sqrt(half)) + 2 * math.sqrt(half / math.pi) * math.exp(-half)),
    ):  # fmt: skip
        assert chi_squared_tail(x, degrees) == pytest.approx(wanted, rel=1e-12, abs=1e-300)


def test_tails_of_chi_squared_at_the_ends():
    for x, degrees, wanted in ((0.0, 3, 1.0), (-1.0, 3, 1.0), (math.inf, 3, 0.0), (-math.inf, 3, 1.0)):
        assert chi_squared_tail(x, degrees) == wanted
    for x, degrees in ((math.nan, 3), (1.0, 0), (1.0, -2), (1.0, math.nan)):
        assert math.isnan(chi_squared_tail(x, degrees))


@pytest.mark.parametrize(
    ("items", "nbytes"),
    [(["ab", "c"], 4 * 2 * 2), (["éé", "c", "d"], 4 * 3 * 2), (["", ""], 0), ([], 0), (["\U0001d11e"], 4)],
)
def test_numpy_strings_take_four_bytes_for_each_character_of_the_widest(items, nbytes):
    table = Table({0: pa.array(items, pa.large_string())}, len(items))
    with ak.config.set(max_transfer_bytes=nbytes):
        assert text.as_text(table).tolist() == items
    if nbytes:
        with ak.config.set(max_transfer_bytes=nbytes - 1), pytest.raises(TransferError):
            text.as_text(table)


BESIDE = {"a number": 7, "a scalar of NumPy": np.int64(7), "an array": [7, 8], "nothing": None}


@pytest.mark.parametrize("before", BESIDE)
@pytest.mark.parametrize("after", BESIDE)
def test_what_is_put_beside_an_array_comes_into_its_differences(before, after):
    rows = np.array([5, 1, 9, 9])
    given = {name: part for name, part in (("prepend", BESIDE[before]), ("append", BESIDE[after])) if part is not None}
    lazy = {name: ak.array(part) if isinstance(part, list) else part for name, part in given.items()}
    for times in (1, 2):
        wanted = np.diff(rows, times, **given)
        assert ak.diff(ak.array(rows), times, **lazy).tolist() == wanted.tolist()
        assert ak.diff(ak.array(rows), times, **given).tolist() == wanted.tolist()


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("shape", [(3, 4), (1, 5), (4, 1), (2, 3, 2)])
def test_differences_along_dimensions_are_those_of_numpy(shape, axis):
    rows = (np.arange(math.prod(shape)) ** 2 % 17).reshape(shape)
    lazy = ak.array(rows)
    assert ak.diff(lazy, axis=axis).to_ndarray().tolist() == np.diff(rows, axis=axis).tolist()
    assert ak.diff(lazy, axis=axis, prepend=3).to_ndarray().tolist() == np.diff(rows, axis=axis, prepend=3).tolist()
    assert ak.diff(lazy, axis=axis, append=5).to_ndarray().tolist() == np.diff(rows, axis=axis, append=5).tolist()
