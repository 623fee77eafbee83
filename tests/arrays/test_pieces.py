"""Functions of a few lines that arrays are made of, with the inputs that tell one of their steps."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import akdask as ak
from akdask.arrays import lists, memory_report, shapes, text
from akdask.arrays.array import SHOWN
from akdask.arrays.bit_vectors import ShownBits, _check_names
from akdask.arrays.group_reductions import exact_values
from akdask.arrays.statistics import chi_squared_tail
from akdask.columns.table import Table
from akdask.errors import ArgumentError, ArgumentTypeError, NonUniqueError, TransferError

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


def test_ufuncs_without_lazy_forms_are_refused():
    rows = ak.array([3, 1, 2])
    calls = (
        lambda: np.add(rows, 1, dtype="f8"), lambda: np.add(rows, 1, where=np.array([True, False, True])),
        lambda: np.add.accumulate(rows), lambda: np.add.outer(rows, rows), lambda: np.add.reduce(rows, initial=4),
        lambda: np.frompyfunc(str, 1, 1)(rows), lambda: np.add.at(rows, [0], 1), lambda: np.modf(rows),
        lambda: np.add(rows, 1, out=np.zeros(3, np.int64)),
    )  # fmt: skip
    for call in calls:
        with pytest.raises(TypeError):
            call()
    assert np.add(rows, 1).tolist() == [4, 2, 3]
    for name, reduced in (("add", 6), ("multiply", 6), ("maximum", 3), ("minimum", 1)):
        for kwargs in ({}, {"axis": 0}, {"axis": None}):
            assert getattr(np, name).reduce(rows, **kwargs) == reduced
    rows += 1
    assert rows.tolist() == [4, 2, 3]


def test_lists_of_bools_have_any_and_all_and_numbers_the_others():
    starts = ak.array([0, 2, 2])
    numbers, flags = ak.SegArray(starts, ak.array([3, 1, 2])), ak.SegArray(starts, ak.array([True, False, True]))
    assert (flags.any().tolist(), flags.all().tolist()) == ([True, True], [False, True])
    assert (numbers.min().tolist(), numbers.max().tolist()) == ([1, 2], [3, 2])
    for name in ("any", "all"):
        with pytest.raises(ArgumentTypeError, match=f"{name} of lists is of bool"):
            getattr(numbers, name)()
        assert getattr(numbers, name)(numbers.values > 1).tolist() == [name == "any", True]
    for name in ("min", "max"):
        with pytest.raises(ArgumentTypeError, match=f"{name} of lists is of numbers"):
            getattr(flags, name)()


KEYS = np.array([2, 0, 1, 2, 2, 0, 1, 2])


@pytest.mark.parametrize("permuted", [True, False])
@pytest.mark.parametrize("options", [{"n": 2}, {"frac": 0.5}, {}, {"n": 3, "replace": True}])
@pytest.mark.parametrize("is_several", [True, False])
def test_samples_are_rows_of_their_groups_whatever_is_returned(permuted, options, is_several):
    groups = ak.GroupBy(ak.array(KEYS))
    columns = [ak.array(np.arange(8) * 10), ak.array(np.arange(8).astype(str))][: 2 if is_several else 1]
    given = columns if is_several else columns[0]
    how = options | {"permute_samples": permuted, "random_state": 7}
    at = groups.sample(given, return_indices=True, **how).to_ndarray()
    found = groups.sample(given, **how)
    for column, plain in zip(
        found if is_several else [found], (np.arange(8) * 10, np.arange(8).astype(str)), strict=False
    ):
        assert column.tolist() == plain[at].tolist()
    sizes = np.bincount(KEYS)
    wanted = (
        np.full(3, options["n"])
        if "n" in options
        else np.rint(sizes * options.get("frac", 0) if "frac" in options else 1 + 0 * sizes)
    )
    assert np.bincount(KEYS[at], minlength=3).tolist() == wanted.tolist()
    assert permuted or (np.diff(at) >= 0).all()
    assert not permuted or (np.diff(KEYS[at]) >= 0).all()
    assert "replace" in options or len(set(at.tolist())) == len(at)


@pytest.mark.parametrize(
    ("names", "pad", "separator", "problem"),
    [
        (("a", "b"), "-", "", None), (("ab", "cd"), "-", ",", None), (("a",), "", "", None),
        ((), "-", "", "there are 0 names"),
        (("a", "b", "a"), "-", "", "a name comes twice"), (("a", ""), "-", ",", "a name is empty"),
        (("a", ","), "-", ",", "the separator is a name"),
        (("ab", "cd"), "-", "", "need a separator"), (("a", "cd"), "-", "", "need a separator"),
        (("a", "b"), "--", "", "pad is one character"),
        (tuple(map(str, range(63))), "-", ",", None), (tuple(map(str, range(65))), "-", ",", "there are 65 names"),
    ],
)  # fmt: skip
def test_names_of_bits_tell_them_apart(names, pad, separator, problem):
    if problem is None:
        _check_names(names, pad, separator)
    else:
        with pytest.raises(ArgumentError, match="do not tell bits apart") as error:
            _check_names(names, pad, separator)
        assert any(problem in detail for detail in error.value.details)


def test_groups_are_made_of_exact_values_and_of_text_where_it_is_taken():
    numbers, floats, words = ak.array([1, 2]), ak.array([0.5, 1.5]), ak.array(["a", "b"])
    categories = ak.Categorical(words)
    for values in (numbers, [numbers, numbers], ak.array([True, False])):
        for of_text in (True, False):
            assert exact_values("nunique", values, of_text=of_text) is values
    for values in (words, categories, [numbers, words]):
        assert exact_values("nunique", values) is values
        with pytest.raises(ArgumentTypeError, match="nunique of groups is not of text"):
            exact_values("nunique", values, of_text=False)
    for values in (floats, [numbers, floats]):
        with pytest.raises(ArgumentTypeError, match="nunique of groups is not of floats"):
            exact_values("nunique", values)


@pytest.mark.parametrize("mode", ["edge", "reflect", "symmetric", "wrap"])
@pytest.mark.parametrize("widths", [(0, 0), (2, 0), (0, 3), (3, 4), (7, 9)])
def test_padding_with_own_elements_is_that_of_numpy(mode, widths):
    for length in (1, 2, 3, 5):
        rows = np.arange(length) * 3
        assert shapes.pad(ak.array(rows), widths, mode=mode).tolist() == np.pad(rows, widths, mode=mode).tolist()
    grid = np.arange(6).reshape(2, 3)
    assert (
        shapes.pad(ak.array(grid), (widths, (1, 2)), mode=mode).to_ndarray().tolist()
        == np.pad(grid, (widths, (1, 2)), mode=mode).tolist()
    )


def test_sets_that_are_said_to_be_distinct_are_checked():
    once, twice = [ak.array([1, 1, 2]), ak.array([1, 2, 2])], [ak.array([1, 1, 2]), ak.array([1, 1, 2])]
    ak.intersect1d(once, once, assume_unique=True)
    for sides in ((once, twice), (twice, once)):
        with pytest.raises(NonUniqueError, match="come twice"):
            ak.intersect1d(*sides, assume_unique=True)
        ak.intersect1d(*sides)
    nothing = [ak.array(np.empty(0, np.int64))] * 2
    ak.intersect1d(nothing, nothing, assume_unique=True)


@pytest.mark.parametrize("count", [0, 1, SHOWN - 1, SHOWN, SHOWN + 1, 500])
def test_lists_of_many_values_show_their_ends(count):
    shown = lists.row_text(np.arange(count)).strip("[]").split()
    if count <= SHOWN:
        assert shown == list(map(str, range(count)))
    else:
        ends = [*range(lists.EDGE), *range(count - lists.EDGE, count)]
        assert shown == [*map(str, ends[: lists.EDGE]), lists.GAP, *map(str, ends[lists.EDGE :])]
    words = lists.row_text(np.array([f"w{number}" for number in range(min(count, 3))]))
    assert words == ("[]" if not count else f"[{', '.join(repr(f'w{number}') for number in range(min(count, 3)))}]")


def test_networks_have_a_round_at_least_and_keys_of_64_bits():
    for rounds, key in ((1, 0), (1, 2**64 - 1), (16, None)):
        rows = ak.arange(20)
        ak.random.default_rng(3).shuffle(rows, method="Feistel", feistel_rounds=rounds, feistel_key=key)
        assert sorted(rows.tolist()) == list(range(20))
    for rounds, key in ((0, 1), (-1, 1), (1, 2**64), (1, -1)):
        with pytest.raises(ArgumentError, match="feistel"):
            ak.random.default_rng(3).shuffle(ak.arange(20), "Feistel", feistel_rounds=rounds, feistel_key=key)


@pytest.mark.parametrize(
    ("weights", "is_taken"),
    [
        ([1, 1, 1, 1, 1, 1, 1, 1], True), ([1, 1, -1, 1, 1, 1, 3, 1], False), ([1, 0, 1, 1, 1, 0, 1, 1], False),
        ([0, 1, 1, 0, 0, 0, 0, 1], True), ([-1, 0, 1, 1, 1, 0, 1, 1], False),
    ],
)  # fmt: skip
def test_odds_are_not_negative_and_above_zero_for_a_row_of_each_group(weights, is_taken):
    groups, rows = ak.GroupBy(ak.array(KEYS)), ak.arange(8)
    given = ak.array(np.array(weights, np.float64))
    if is_taken:
        found = groups.sample(rows, n=1, weights=given, random_state=1).to_ndarray()
        assert sorted(KEYS[found].tolist()) == [0, 1, 2]
        assert all(weights[row] > 0 for row in found)
    else:
        with pytest.raises(ArgumentError, match="odds of rows"):
            groups.sample(rows, n=1, weights=given, random_state=1)


@pytest.mark.parametrize("name", ["cumsum", "cumprod", "cummax", "cummin"])
def test_running_reductions_of_integers_are_missing_from_the_first_missing_one_on(name):
    """As those of floats are NaN, and exact before."""
    column = pd.Series([3, -2, 2**53 + 1, None, 1], dtype="Int64")
    found = ak.Series(getattr(ak, name)(ak.Series(column).values)).to_pandas()
    wanted = getattr(column, name)().tolist()[:3]
    assert [None if pd.isna(item) else int(item) for item in found] == [*map(int, wanted), None, None]


def test_used_memory_is_told_with_its_share(monkeypatch, capsys):
    monkeypatch.setattr(memory_report, "_by_locale", lambda: [("one", 2**40, 2**42), ("two", 2**39, 2**41)])
    memory_report.report_mem("now:")
    assert capsys.readouterr().out == "now: mem use:  1.50 TB (25.0%)\n"
