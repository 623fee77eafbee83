"""Steps of a few lines of arrays, each by itself, beside NumPy and closed forms."""

from __future__ import annotations

import math
import re
from decimal import Decimal, getcontext
from html import unescape

import numpy as np
import pytest

import akdask as ak
from akdask.arrays import axes, display, sorting, statistics, text, writing
from akdask.arrays.elementwise import operand
from akdask.arrays.pdarray import as_printed
from akdask.columns.nullable import NullableColumn
from akdask.columns.table import Table
from akdask.errors import ArgumentError, AxisError
from akdask.storage.objects import SEGMENTS


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_dimensions_count_from_either_end(rank):
    for axis in range(-5, 6):
        is_there = -rank <= axis < rank
        assert axes.bounds_check(axis, rank) is is_there
        assert axes.bounds_check((0, axis), rank) is is_there
        if is_there:
            wanted = np.zeros([3 + number for number in range(rank)]).shape.index(
                np.zeros([3 + n for n in range(rank)]).shape[axis]
            )
            assert axes.adjust_negs(axis, rank) == wanted
            assert axes.adjust_negs((axis, 0), rank) == [wanted, 0]
        else:
            for given in (axis, [0, axis]):
                with pytest.raises(AxisError, match=f"of {rank} dimensions"):
                    axes.adjust_negs(given, rank)


@pytest.mark.parametrize("x", [-0.9, -0.1001, -0.1, -0.05, -1e-9, 0.0, 1e-9, 0.02, 0.1, 0.1001, 3.0])
def test_logarithms_less_their_argument_keep_all_digits(x):
    getcontext().prec = 60
    wanted = float((1 + Decimal(x)).ln() - Decimal(x))
    assert statistics._log1p_less(x) == pytest.approx(wanted, rel=1e-14 if abs(x) <= 0.1 else 1e-12, abs=0)


@pytest.mark.parametrize("degrees", [38, 40, 42, 200])
def test_tails_of_many_degrees_are_sums_of_poisson_numbers(degrees):
    for x in (degrees / 3, degrees - 1.5, degrees + 2.0, degrees + 3.0, 1.7 * degrees):
        half = x / 2
        wanted = math.fsum(math.exp(n * math.log(half) - half - math.lgamma(n + 1)) for n in range(degrees // 2))
        assert statistics.chi_squared_tail(x, degrees) == pytest.approx(wanted, rel=1e-11)


@pytest.mark.parametrize("ascending", [True, False])
def test_equal_elements_keep_their_order_along_each_dimension(ascending):
    rows = np.array([[2, 1, 2], [1, 1, 0], [2, 0, 2], [0, 1, 2]])
    for items, axis in ((rows.ravel(), 0), (rows.ravel(), -1), (rows, 0), (rows, 1), (rows, -1)):
        found = sorting.stable_argsort(ak.array(items), axis, ascending=ascending)
        wanted = np.argsort(items if ascending else -items, axis, kind="stable")
        assert found.to_ndarray().tolist() == wanted.tolist()
    with pytest.raises(AxisError):
        sorting.stable_argsort(ak.array(rows.ravel()), 1, ascending=ascending)


def test_integers_that_may_be_missing_are_printed_exactly():
    column = NullableColumn(np.array([2**60 + 1, 7, -3]), np.array([False, True, False]))
    first, second, third = as_printed(Table({0: column}, 3)).tolist()
    assert (first, third) == (2**60 + 1, -3)
    assert math.isnan(second)


@pytest.mark.parametrize("file_type", ["single", "distribute", "SINGLE"])
@pytest.mark.parametrize("save_offsets", [True, False])
def test_offsets_of_text_are_left_out_of_single_files_alone(file_type, save_offsets):
    found = text.storable(ak.array(["a", "b"]), save_offsets, file_type)
    is_left_out = not save_offsets and file_type != "distribute"
    assert found.params == ({SEGMENTS: False} if is_left_out else {})


def cells(html):
    rows = re.findall(r"<tr>(.*?)</tr>", html, re.DOTALL)
    return [[unescape(cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL)] for row in rows]


@pytest.mark.parametrize("shape", [(2, 3), (3, 2, 2), (80, 2), (2, 80), (80, 90), (9, 9, 70)])
def test_grids_have_both_ends_of_long_dimensions(shape):
    items = np.arange(math.prod(shape)).reshape(shape)
    head, *lines = cells(display.html_of_grid("title", ak.array(np.arange(1)), items))
    flat = items.reshape(-1, shape[-1])

    def ends(length):
        kept = [*range(length)]
        is_long = length > display.LONGEST_TABLE
        return [*kept[: display.EDGE], None, *kept[-display.EDGE :]] if is_long else kept

    columns, rows = ends(shape[-1]), ends(len(flat))
    assert head == ["", *("…" if column is None else str(column) for column in columns)]
    for row, line in zip(rows, lines, strict=True):
        label = "…" if row is None else ", ".join(str(at) for at in np.unravel_index(row, shape[:-1]))
        values = ["…" if None in (row, column) else str(flat[row, column]) for column in columns]
        assert line == [label, *values]


@pytest.mark.parametrize(
    ("mode", "file_type", "is_asked"),
    [("truncate", "distribute", True), ("truncate", "single", False), ("append", "distribute", False)],
)
def test_files_are_made_of_several_partitions_where_they_are_a_new_set(
    tmp_path, monkeypatch, mode, file_type, is_asked
):
    rows, asked = ak.arange(10), []
    monkeypatch.setattr(writing, "partitions_per_file", lambda frames, count: asked.append(count) or 1)
    if mode == "append":
        rows.to_hdf(tmp_path / "x.h5", "old", file_type=file_type)
        asked.clear()
    rows.to_hdf(tmp_path / "x.h5", "new", mode=mode, file_type=file_type)
    assert bool(asked) == is_asked


def test_text_that_no_file_can_hold_is_refused_where_it_is_given():
    with pytest.raises(ArgumentError, match="UTF-8"):
        operand("a\ud800")
    assert operand("é")[0] is None
    assert operand("é")[1].value == "é"
