"""How arrays show themselves: the text of Arkouda where values are cheap to find, and HTML."""

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask.arrays.display import printed_numbers
from akdask.testing.memory import MemorySource


@pytest.mark.parametrize("rows", [0, 1, 100, 101, 250])
def test_a_hundred_elements_are_shown_and_of_more_the_first_and_last(rows):
    shown = " ".join(map(str, range(rows))) if rows <= 100 else f"0 1 2 ... {rows - 3} {rows - 2} {rows - 1}"
    assert (str(ak.arange(rows)), repr(ak.arange(rows))) == (f"[{shown}]", f"array([{shown}])")


def test_whole_floats_have_seventeen_decimals_and_others_seventeen_digits():
    shown = "[2.00000000000000000 0.10000000000000001 -0.00000000000000000 2.5 nan inf 9.9999999999999992e+22]"
    assert str(ak.array([2.0, 0.1, -0.0, 2.5, np.nan, np.inf, 1e23])) == shown
    assert str(ak.array([True, False])) == "[True False]"
    assert str(ak.array([2**70, -1])) == f"[{2**70} -1]"


@given(st.lists(st.floats()))
def test_the_text_of_floats_gives_them_back(numbers):
    np.testing.assert_array_equal([float(text) for text in printed_numbers(np.array(numbers, float))], numbers)


def test_text_is_shown_in_quotes_with_commas():
    assert (str(ak.array(["a", "é'"])), repr(ak.array(["a", "é'"]))) == ("['a', 'é'']", "array(['a', 'é''])")
    many = ak.array(["a", "b", "c"] + ["m"] * 98 + ["x", "y", "z"])
    for shown in (many, ak.Categorical(many)):
        assert repr(shown) == "array(['a', 'b', 'c', ... , 'x', 'y', 'z'])"


def test_times_and_addresses_stand_one_below_the_other():
    times = ak.Datetime(pd.to_datetime(["2024-02-29 12:00", "1999-01-01 00:00"]))
    assert str(times) == repr(times)
    assert repr(times).splitlines() == [
        "Datetime(['2024-02-29 12:00:00',",
        "          '1999-01-01 00:00:00'],",
        "         dtype='datetime64[ns]')",
    ]
    assert repr(ak.IPv4(["10.0.0.1", "10.0.0.2"])) == "IPv4([10.0.0.1,\n      10.0.0.2],\n     )"
    assert "'... ',\n" not in repr(ak.Timedelta(ak.arange(200)))
    assert "\n           ... ,\n" in repr(ak.Timedelta(ak.arange(200)))


def test_dimensions_are_arrays_of_arrays():
    grid = ak.arange(4).reshape(2, 2) / 2
    assert repr(grid) == ("array([array([0.00000000000000000 0.5]) array([1.00000000000000000 1.5])])")
    assert str(ak.arange(4).reshape(2, 2)) == "[[0 1] [2 3]]"


def test_lists_show_all_of_six_and_of_more_the_first_and_last():
    lists = ak.SegArray(ak.arange(0, 14, 2), ak.arange(14))
    rows = [f"[{2 * row} {2 * row + 1}]" for row in range(7)]
    assert repr(lists[:6]).splitlines() == ["SegArray([", *rows[:6], "])"]
    assert repr(lists).splitlines() == ["SegArray([", *rows[:3], "...", *rows[4:], "])"]
    assert repr(ak.SegArray(ak.array([0]), ak.arange(101))) == "SegArray([\n[0 1 2 ... 98 99 100]\n])"


@pytest.mark.lazy_only
def test_a_selection_of_small_data_is_most_shown_whatever_its_partitions():
    x = MemorySource({"x": np.arange(0, 120, 10)}, [4, 0, 3, 5]).arrays()["x"]
    assert repr(x[x > 10]) == "array([20 30 40 50 60 70 80 90 100 110])"
    assert repr(x[x == 50]) == "array([50])"
    assert repr(x[x > 500]) == "array([])"
    frame = ak.DataFrame({"x": x})
    plain = pd.DataFrame({"x": np.arange(0, 120, 10)})
    assert repr(frame[x > 90]) == f"{plain[plain.x > 90]} (2 rows x 1 columns)"


@pytest.mark.few_rows_only
def test_a_selection_of_much_is_shown_by_its_edges():
    x = MemorySource({"x": np.arange(300_000)}, [100_000] * 3).arrays()["x"]
    assert repr(x[x > 10]) == "array([11 12 13 ... 299997 299998 299999])"
    assert repr(x[x == 150_000]) == "array([...])"


def test_frames_are_shown_by_pandas_with_their_size_in_brackets():
    frame, plain = ak.DataFrame({"x": ak.arange(200)}), pd.DataFrame({"x": np.arange(200)})
    with pd.option_context("display.show_dimensions", False):
        assert repr(frame) == f"{plain} (200 rows x 1 columns)"
        html = frame._repr_html_()
        assert "<p>DataFrame: 200 rows x 1 columns, 1 partition</p>" in html
        assert "<th>int64</th>" in html
        assert html.count("<tr") == 2 + 11  # heads, first and last rows, and dots between
        with pd.option_context("display.max_rows", None):
            assert repr(frame[:61]) != repr(frame)
    assert str(frame) == "DataFrame(['x'], 200 rows, 3.12 KB)"
    assert repr(ak.DataFrame()) == "Empty DataFrame\nColumns: []\nIndex: [] (None rows x 0 columns)"
    assert str(ak.DataFrame()) == "DataFrame([ -- ][ 0 rows : 0 B])"
    assert repr(ak.DataFrame({"x": [1], "y": [2]}).columns) == "Index(['x', 'y'], dtype='<U0')"


@pytest.mark.parametrize(
    ("shown", "title"),
    [
        (ak.array(["<b>", "&"]), "Strings: str, 2 elements, 1 partition"),
        (ak.Categorical(ak.array(["<b>"])), "Categorical: 1 element, 1 partition"),
        (ak.arange(3), "pdarray: int64, 3 elements, 1 partition"),
        (ak.arange(4).reshape(2, 2), "ArrayView: int64, 4 elements, 1 partition, shape (2, 2)"),
        (ak.Series(["<b>"]), "Series: str, 1 value, 1 partition"),
        (ak.Index(["<b>"], name="i"), "Index &#x27;i&#x27;: 1 label, 1 partition"),
        (ak.array(["<b>"]).search("<"), "Match: 1 string, 1 partition"),
        (ak.random_sparse_matrix(5, 0.2, "CSR"), "sparray: int64, 5 x 5"),
    ],
)
def test_html_tells_what_it_is_and_escapes_what_it_holds(shown, title):
    html = shown._repr_html_()
    assert f"<p>{title}</p><" in html
    assert "<b>" not in html
    is_text = type(shown).__name__ in {"Match", "sparray"}
    assert ("<table" in html) != is_text
    assert ("<pre" in html) == is_text


@pytest.mark.parametrize("shown", [ak.array([0.1, 1e10]), ak.Series([0.1, 1e10]), ak.DataFrame({"x": [0.1, 1e10]})])
def test_numbers_in_html_have_their_shortest_digits(shown):
    html = shown._repr_html_()
    assert "<td>0.1</td>" in html
    assert "<td>10000000000.0</td>" in html


def test_html_of_long_arrays_has_both_ends_and_long_text_is_cut():
    html = ak.arange(100)._repr_html_()
    assert html.count("<tr>") == 1 + 3 + 1 + 3
    assert "<tr><th>97</th><td>97</td></tr>" in html
    assert len(ak.array(["a" * 5000])._repr_html_()) < 3000


def test_html_of_labels_in_levels_names_them():
    frame = ak.DataFrame({"k": [1, 2], "l": ["a", "b"], "x": [0.5, 1.5]})
    html = frame.groupby(["k", "l"])["x"].sum()._repr_html_()
    assert "<th>k</th>" in html
    assert "<td>1.5</td>" in html


def test_groups_tell_their_keys():
    groups = ak.GroupBy([ak.arange(3), ak.array(["a", "b", "c"])])
    assert repr(groups) == "<GroupBy of 3 rows, 1 partition; keys: int64, str; lazy>"
    html = groups._repr_html_()
    assert "<p>GroupBy of 3 rows, 1 partition; .size() shows" in html
    assert "<tr><th>0</th><td>int64</td></tr><tr><th>1</th><td>str</td></tr>" in html


def _cells(html):
    return [re.findall("<t[hd]>(.*?)</t[hd]>", line) for line in html.split("<tr>")[1:]]


def test_html_of_grids_has_both_ends_of_long_axes():
    assert _cells(ak.arange(6).reshape(2, 3)._repr_html_()) == [["", *"012"], ["0", *"012"], ["1", *"345"]]
    found = _cells((ak.arange(2 * 2 * 30) / 2).reshape(2, 2, 30)._repr_html_())
    assert found[0] == ["", "0", "1", "2", "…", "27", "28", "29"]
    assert [line[0] for line in found[1:]] == ["0, 0", "0, 1", "1, 0", "1, 1"]
    assert found[-1][1:] == ["45.0", "45.5", "46.0", "…", "58.5", "59.0", "59.5"]
    found = _cells(ak.arange(42).reshape(21, 2)._repr_html_())
    assert found[3:] == [["2", "4", "5"], ["…"] * 3, ["18", "36", "37"], ["19", "38", "39"], ["20", "40", "41"]]
    assert _cells(ak.zeros(0).reshape(0, 3)._repr_html_()) == [["", *"012"]]
    assert _cells(ak.arange(200_000).reshape(2, 100_000)._repr_html_()) == []


def test_html_of_an_index_has_its_names_types_and_labels():
    assert _cells(ak.Index([5, 7], name="i")._repr_html_()) == [["", "i"], ["", "int64"], ["0", "5"], ["1", "7"]]
    assert _cells(ak.Index([5])._repr_html_()) == [["", "int64"], ["0", "5"]]
    levels = ak.MultiIndex([ak.array([1, 2]), ak.array(["a", "<b>"])], names=["n", None])
    assert _cells(levels._repr_html_())[0] == ["", "n", ""]
    assert _cells(levels._repr_html_())[3] == ["1", "2", "&lt;b&gt;"]
