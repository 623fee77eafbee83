from __future__ import annotations

import json
import pickle

import dask
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akdask import config
from akdask.arrays.categorical import Categorical
from akdask.arrays.creation import arange, array
from akdask.arrays.pdarray import pdarray
from akdask.arrays.shapes import concatenate
from akdask.arrays.strings import Strings
from akdask.engine.rowwise import Filter
from akdask.engine.sources import Scan
from akdask.errors import (
    AkdaskError,
    AlignmentError,
    ArgumentError,
    ArgumentTypeError,
    MissingColumnError,
    PositionError,
)
from akdask.frames.dataframe import DataFrame
from akdask.frames.index import Index
from akdask.io import read_hdf, to_hdf

N = 12

TEXT = pd.Series([""]).dtype  # object until pandas 2, a type of its own since


@pytest.fixture
def expected():
    return pd.DataFrame(
        {
            "x": np.arange(N),
            "f": np.linspace(-1, 1, N),
            "s": [f"row {k % 5}" for k in range(N)],
            "flag": np.arange(N) % 3 == 0,
        }
    )


@pytest.fixture
def df(expected):
    """The same rows in three partitions, one of them empty."""
    return DataFrame({name: partitioned(expected[name].to_numpy()) for name in expected})


def partitioned(values):
    return concatenate([array(piece) for piece in (values[:5], values[5:5], values[5:])])


def same(found, wanted):
    pd.testing.assert_frame_equal(found, wanted.astype({"s": TEXT}) if "s" in wanted else wanted)


def test_columns_come_back_as_pandas_has_them(df, expected):
    same(df.to_pandas(), expected)
    same(df.compute(), expected)
    assert df.columns == list(expected.columns)
    assert df.dtypes == {"x": "int64", "f": "float64", "s": "str", "flag": "bool"}
    assert (df.size, len(df), df.shape, df.empty) == (expected.size, N, (N, 4), False)


def test_columns_are_arrays_of_their_kinds(df):
    assert isinstance(df["x"], pdarray)
    assert isinstance(df["s"], Strings)
    assert isinstance(DataFrame({"c": Categorical(array(["a"]))})["c"], Categorical)
    assert df.x.tolist() == list(range(N))


def test_names_behave_as_in_a_dict(df):
    assert list(df) == df.keys() == ["x", "f", "s", "flag"]
    assert "x" in df
    assert "y" not in df
    assert df.get("y") is None
    assert [name for name, _ in df.items()] == df.columns
    assert df.pop("x").tolist() == list(range(N))
    del df["f"]
    assert df.columns == ["s", "flag"]


def test_a_missing_column_is_a_key_error_that_lists_the_others(df):
    with pytest.raises(MissingColumnError, match="columns: x, f, s, flag"):
        df["y"]
    with pytest.raises(KeyError):
        df[["x", "y"]]
    with pytest.raises(AttributeError, match="y"):
        _ = df.y


def test_masks_slices_and_positions_choose_rows_of_all_columns(df, expected):
    same(df[df["x"] > 7].compute(), expected[expected["x"] > 7])
    same(df[3:9].compute(), expected[3:9])
    same(df[::-2].compute(), expected[::-2])
    same(df[array([7, 2, 7])].compute(), expected.iloc[[7, 2, 7]])
    same(df[[7, -1]].compute(), expected.iloc[[7, -1]])
    same(df[["s", "x"]].compute(), expected[["s", "x"]])
    same(df.head(3).compute(), expected.head(3))
    same(df.tail(3).compute(), expected.tail(3))
    assert df[4] == expected.iloc[4].to_dict()


@given(st.data())
def test_chains_of_selections_agree_with_pandas(data):
    frame = pd.DataFrame({"x": np.arange(9), "s": [f"s{k}" for k in range(9)]})
    ours = DataFrame(
        {name: concatenate([array(frame[name][:4].to_numpy()), array(frame[name][4:].to_numpy())]) for name in frame}
    )
    for _ in range(data.draw(st.integers(1, 4))):
        match data.draw(st.sampled_from(["mask", "slice", "take", "head", "tail"])):
            case "mask":
                modulus = data.draw(st.integers(1, 4))
                ours, frame = ours[ours["x"] % modulus != 0], frame[frame["x"] % modulus != 0]
            case "slice":
                start, stop = data.draw(st.integers(-9, 9)), data.draw(st.integers(-9, 9))
                ours, frame = ours[start:stop], frame[start:stop]
            case "take" if len(frame):
                positions = data.draw(st.lists(st.integers(0, len(frame) - 1), min_size=1, max_size=5))
                ours, frame = ours[array(positions)], frame.iloc[positions]
            case "head":
                ours, frame = ours.head(3), frame.head(3)
            case "tail":
                ours, frame = ours.tail(3), frame.tail(3)
    same(ours.compute(), frame)


def test_rows_keep_their_labels_and_to_pandas_numbers_them_anew_if_told_to(df):
    chosen = df[df["x"] > 9]
    assert chosen.index.tolist() == [10, 11]
    assert chosen.to_pandas().index.tolist() == [10, 11]
    assert chosen.to_pandas(retain_index=False).index.tolist() == [0, 1]
    assert df.head(2).to_pandas().index.equals(pd.RangeIndex(2))
    assert chosen.reset_index().index.tolist() == [0, 1]


def test_labels_of_rows_that_nobody_counted_are_found_when_asked_for():
    a = partitioned(np.arange(N))
    chosen = DataFrame({"a": a[a % 2 == 0]})
    again = chosen[chosen["a"] > 4]
    assert again.index.tolist() == [3, 4, 5]
    assert again["a"].tolist() == [6, 8, 10]
    assert chosen.tail(2).index.tolist() == [4, 5]


def test_a_given_index_labels_the_rows():
    for data in ({"Index": ["p", "q", "r"], "x": [1, 2, 3]}, {"x": [1, 2, 3], "INDEX": array(["p", "q", "r"])}):
        df = DataFrame(data)
        assert df.columns == ["x"]
        assert df[df["x"] > 1].compute().equals(pd.DataFrame({"x": [2, 3]}, index=["q", "r"]))
    df.index = [7, 8, 9]
    assert df.index[1] == 8
    assert DataFrame({"x": [1, 2]}, index=[5, 6]).index.tolist() == [5, 6]


def test_the_name_of_the_labels_stays_with_them(expected):
    named = expected[["x", "f"]].rename_axis("label")
    df = DataFrame(named)
    pd.testing.assert_frame_equal(df.compute(), named)
    for found, wanted in (
        (df[df["x"] > 7], named[named["x"] > 7]),
        (df.tail(2).sort_index(ascending=False), named.tail(2).sort_index(ascending=False)),
        (df.rename(index={0: 5}).isna(), named.rename(index={0: 5}).isna()),
        (DataFrame.concat([df, df]), pd.concat([named, named])),
        (df.persist().sort_values("f")[["x"]], named.sort_values("f")[["x"]]),
        (DataFrame(df.copy()).reset_index(drop=True), named.reset_index(drop=True)),
    ):
        pd.testing.assert_frame_equal(found.compute(), wanted)
        assert found.index.name == wanted.index.name
    assert df.to_dask().compute().index.name == "label"
    assert "label" in repr(df)
    df.index = Index(arange(N), name="other")
    assert df.index.name == "other"
    assert DataFrame({"x": [1]}, index=Index([3], name="k")).compute().index.name == "k"


@pytest.mark.few_rows_only
@pytest.mark.lazy_only
def test_filtering_a_wide_frame_makes_one_filter():
    df = DataFrame({f"c{k}": arange(5) + k for k in range(1000)})
    chosen = df[df["c3"] > 5]
    frames = {id(chosen[name]._frame) for name in chosen.columns}
    assert len(frames) == 1
    assert isinstance(chosen["c0"]._frame, Filter)
    assert len(chosen.__dask_graph__()) <= 4


def test_assignment_puts_columns_beside_the_others(df, expected):
    df["y"] = df["x"] * 2
    df["k"] = 1
    df["t"] = "text"
    df["n"] = np.arange(N)[::-1]
    df["x"] = df["x"] + df["x"].max()
    wanted = expected.assign(y=expected["x"] * 2, k=1, t="text", n=np.arange(N)[::-1], x=expected["x"] + N - 1)
    pd.testing.assert_frame_equal(df.to_pandas(), wanted.astype({"s": TEXT, "t": TEXT}))


def test_columns_of_other_rows_are_refused_when_they_are_assigned(df):
    with pytest.raises(AlignmentError):
        df["y"] = arange(N + 1)
    with pytest.raises(AlignmentError):
        df["y"] = df["x"][df["x"] > 3]
    with pytest.raises(AlignmentError):
        DataFrame({"a": [1, 2], "b": [1, 2, 3]})
    assert "y" not in df
    with pytest.raises(ArgumentTypeError, match="by its name"):
        df[3.5] = 0
    with pytest.raises(ArgumentTypeError, match="cannot assign"):
        df[df["x"] > 3] = 0
    assert df["x"].tolist() == list(range(N)), "text takes no number, so that no column has changed"


def test_assigning_to_rows_of_a_column_changes_the_frame(df):
    before = df.copy()
    df["x"][df["x"] > 9] = -1
    df["f"] += 1
    assert df["x"].tolist() == [*range(10), -1, -1]
    assert df.to_pandas()["x"].tolist() == [*range(10), -1, -1]
    np.testing.assert_allclose(df["f"].to_ndarray(), np.linspace(0, 2, N))
    assert before["x"].tolist() == list(range(N))


def test_columns_and_rows_can_be_dropped_renamed_and_added(df, expected):
    same(df.drop(["x", "f"], axis=1).compute(), expected.drop(columns=["x", "f"]))
    same(df.drop([0, -1]).compute(), expected.iloc[1:-1])
    same(df.rename(column={"x": "z"}).compute(), expected.rename(columns={"x": "z"}))
    same(df.rename(str.upper, axis=1)[["X"]].compute(), expected.rename(columns=str.upper)[["X"]])
    same(df.assign(g=lambda d: d["f"] * 2).compute(), expected.assign(g=expected["f"] * 2))
    df.drop("s", axis=1, inplace=True)
    assert df.columns == ["x", "f", "flag"]


@pytest.mark.parametrize(
    "names", [{0: 99, 10: -1, 77: 5}, {}, lambda label: label + 10], ids=["some", "none", "function"]
)
def test_rows_can_be_labelled_otherwise(df, expected, names):
    same(df.rename(index=names).compute(), expected.rename(index=names))
    same(df.rename(names, axis="index").compute(), expected.rename(index=names))
    chosen, plain = df[df["x"] > 8], expected[expected["x"] > 8]
    chosen.rename(names, inplace=True)
    same(chosen.compute(), plain.rename(index=names))


@pytest.mark.parametrize(
    "labels", [array(["p", "q", "p"]), Categorical(array(["p", "q", "p"]))], ids=["str", "categorical"]
)
def test_labels_that_are_text_are_renamed(labels):
    df = DataFrame({"x": [1, 2, 3]}, index=labels)
    assert df.rename(index={"p": "z", "r": "y"}).index.tolist() == ["z", "q", "z"]
    assert df.rename(index=str.upper).index.tolist() == ["P", "Q", "P"]
    assert df.rename(str.upper, axis="column").columns == ["X"]


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({}, ArgumentError),
        ({"index": {0: 1}, "column": {"x": "y"}}, ArgumentError),
        ({"index": {0: "a"}}, ArgumentTypeError),
        ({"index": 5}, ArgumentTypeError),
        ({"index": {"a": 1}}, ArgumentTypeError),
        ({"column": 5}, ArgumentTypeError),
        ({"column": {"x": 1}}, ArgumentTypeError),
        ({"mapper": str.upper, "axis": 2}, ArgumentError),
    ],
)
def test_what_is_no_renaming_is_refused(df, given, error):
    with pytest.raises(error):
        df.rename(**given)


def test_a_row_is_assigned_by_its_position():
    df = DataFrame({"x": [1, 2], "f": [0.5, 1.5], "s": ["a", "b"]})
    before = df.copy()
    df[0] = {"x": 9, "s": "z"}
    df[-1] = df[0]
    assert df.to_pandas().to_numpy().tolist() == [[9, 0.5, "z"], [9, 0.5, "z"]]
    assert before["x"].tolist() == [1, 2]


@pytest.mark.parametrize(("position", "values", "error"), [(5, {"x": 1}, IndexError), (0, {"y": 1}, KeyError),
                                                           (0, [1, 2], TypeError), (0, {"x": 1, "f": "a"}, TypeError),
                                                           (True, {"x": 1}, TypeError)])  # fmt: skip
def test_a_row_that_does_not_fit_leaves_all_as_it_was(position, values, error):
    df = DataFrame({"x": [7, 8], "f": [0.5, 1.5]})
    with pytest.raises(error):
        df[position] = values
    assert df.to_pandas().to_numpy().tolist() == [[7, 0.5], [8, 1.5]]


def test_bad_changes_are_refused(df):
    with pytest.raises(MissingColumnError):
        df.drop("y", axis=1)
    with pytest.raises(PositionError):
        df.drop(N)
    with pytest.raises(ArgumentTypeError):
        df.drop("y")
    with pytest.raises(ArgumentTypeError):
        df.drop(0.5)
    with pytest.raises(ArgumentError):
        df.drop(0, axis=2)
    with pytest.raises(ArgumentError):
        df.rename(column={"x": "f"})
    with pytest.raises(ArgumentTypeError):
        DataFrame({1: [1]})
    with pytest.raises(ArgumentError):
        DataFrame([[1, 2]], columns=["a", "b"])
    with pytest.raises(ArgumentTypeError):
        DataFrame([[1, 2]], columns=[1])
    for data in (5, "abc", array([1, 2])):
        with pytest.raises(ArgumentError, match="is not made of"):
            DataFrame(data)
    with pytest.raises(ArgumentTypeError):
        df[["x", 1]]


def test_frames_are_made_of_lists_and_of_nothing():
    assert (
        DataFrame([[1, 2], ["a", "b"]], columns=["n", "s"])
        .compute()
        .equals(pd.DataFrame({"n": [1, 2], "s": ["a", "b"]}))
    )
    assert DataFrame([array([1, 2]), ["a", "b"]]).compute().equals(pd.DataFrame({"0": [1, 2], "1": ["a", "b"]}))
    assert DataFrame([[1], [2]], columns=array(["n", "s"])).columns == ["n", "s"]
    nothing = DataFrame()
    assert (nothing.columns, nothing.size, nothing.empty) == ([], 0, True)
    nothing["x"] = [1, 2]
    assert nothing["x"].tolist() == [1, 2]


def test_pandas_frames_make_the_trip_and_back(expected):
    expected["c"] = pd.Categorical(["u", "v"] * 6)
    expected.index = list("abcdefghijkl")
    found = DataFrame.from_pandas(expected)
    assert found.dtypes["c"] == "Categorical"
    back = found.compute()
    assert back["c"].tolist() == expected["c"].tolist()
    same(back.drop(columns="c"), expected.drop(columns="c"))
    with pytest.raises(ArgumentTypeError):
        DataFrame.from_pandas([1])


def test_lists_of_pandas_become_segments():
    rows = pd.DataFrame({"whole": [[1, 2], [], [3]], "real": [np.array([0.5]), np.array([1.5, 2.5]), np.array([])]})
    lazy = DataFrame(rows)
    assert dict(lazy.dtypes) == {"whole": "list[int64]", "real": "list[float64]"}
    assert lazy["whole"].tolist() == [[1, 2], [], [3]]
    assert [list(item) for item in lazy["real"].tolist()] == [[0.5], [1.5, 2.5], []]


def test_columns_of_one_value_each_need_labels():
    with pytest.raises(ArgumentError, match="no number of rows"):
        DataFrame({"a": 5, "b": "x"})
    assert DataFrame({"a": 5}, index=[3, 4])["a"].tolist() == [5, 5]


def test_statistics_agree_with_pandas(df, expected):
    numbers = expected[["x", "f"]]
    ours = df[["x", "f", "s"]]
    pd.testing.assert_frame_equal(ours.describe(), numbers.describe())
    for name in ("sum", "mean", "min", "max", "std", "var"):
        found = getattr(ours, name)(numeric_only=True).to_pandas()
        pd.testing.assert_series_equal(found, getattr(numbers, name)(), check_dtype=False)


def test_count_leaves_out_what_is_missing():
    df = DataFrame({"f": [1.0, np.nan, 2.0], "c": Categorical(array(["a", "N/A", "N/A"])), "s": ["", "", ""]})
    assert df.count().to_dict() == {"f": 2, "c": 1, "s": 3}
    assert df.count(numeric_only=True).to_dict() == {"f": 2}
    with pytest.raises(ArgumentTypeError):
        DataFrame().describe()


def test_too_much_is_not_brought_into_this_process(df):
    with pytest.raises(AkdaskError, match="limit"):
        df.to_pandas(datalimit=100 / 2**20)
    assert len(df.to_pandas(datalimit=1)) == N
    with config.set(max_transfer_bytes=10), pytest.raises(AkdaskError, match="limit"):
        df.to_pandas()


@pytest.mark.lazy_only
def test_building_computes_nothing(df, expected):
    with dask.config.set(scheduler=_refuse):
        df["y"] = df["x"] + 1
        chosen = df[df["y"] > 3][["x", "s"]].head(2)
        _ = chosen.dtypes, chosen.columns, chosen.index, df[2:5], df[array([1, 2])], df.explain(), df.info
        with pytest.raises(AssertionError, match="something was computed"):
            chosen.compute()
    same(chosen.compute(), expected[expected["x"] > 2][["x", "s"]].head(2))


def _refuse(*args, **kwargs):
    raise AssertionError("something was computed")


@pytest.mark.few_rows_only
@pytest.mark.lazy_only
def test_small_frames_show_rows_and_large_ones_their_structure(df):
    assert repr(df).splitlines()[0].split() == ["x", "f", "s", "flag"]
    assert repr(df).endswith(" (12 rows x 4 columns)")
    assert "<table" in df._repr_html_()
    big = arange(300_000)
    heavy = DataFrame({"x": big[big % 2 == 0][::-1].resolve_lengths()})
    with dask.config.set(scheduler=_refuse), config.set(display_seconds=0):
        assert repr(heavy).startswith("<DataFrame: 150000 rows x 1 columns, 1 partition: lazy")
        assert "<tr><th>x</th><td>int64</td></tr>" in heavy._repr_html_()


def test_wide_frames_show_some_columns():
    shown = repr(DataFrame({f"c{k}": [k] for k in range(50)}))
    assert "c0" in shown
    assert "c49" in shown
    assert "c25" not in shown
    assert "50 columns" in shown


def test_html_escapes_what_columns_hold():
    assert "<script>" not in DataFrame({"s": ["<script>"]})._repr_html_()


def test_names_of_columns_are_a_list_with_what_an_index_of_them_has():
    df = DataFrame({"x": [1], "y": [2]})
    assert df.columns == ["x", "y"]
    assert (df.columns.values, df.columns.tolist(), df.columns.size) == (["x", "y"], ["x", "y"], 2)


def test_a_shallow_copy_is_the_same_frame_and_a_deep_one_is_not():
    df = DataFrame({"x": [1, 2], "y": [3, 4]})
    deep, shallow = df.copy(), df.copy(deep=False)
    shallow["x"] += 1
    df["z"] = df["x"]
    assert df["x"].tolist() == shallow["x"].tolist() == shallow["z"].tolist() == [2, 3]
    assert (deep["x"].tolist(), deep.columns) == ([1, 2], ["x", "y"])


def test_markdown_is_what_pandas_writes(expected):
    pytest.importorskip("tabulate")
    wanted = expected.head(2)
    for options in ({}, {"index": False}, {"tablefmt": "pipe"}):
        found = DataFrame(wanted).to_markdown(**options)
        assert found == wanted.to_markdown(**{"tablefmt": "grid", **options})


def test_memory_usage_counts_bytes(df):
    assert df.memory_usage().to_dict() == {"Index": 8 * N, "x": 8 * N, "f": 8 * N, "s": 8 * N, "flag": N}
    assert df.memory_usage().dtype == np.int64
    assert df[["x"]].memory_usage(index=False, unit="KB")["x"] == 8 * N / 1024
    assert DataFrame({"a": arange(1000), "b": arange(1000)}).memory_usage_info() == "0.00 GB"
    assert DataFrame({"a": arange(1000), "b": arange(1000)}).memory_usage_info(unit="KB") == "23.44 KB"
    with pytest.raises(ArgumentError):
        df.memory_usage(unit="bits")


def test_persisted_and_pickled_frames_are_the_same(df, expected):
    chosen = df[df["x"] > 3]
    same(chosen.persist().compute(), expected[expected["x"] > 3])
    same(pickle.loads(pickle.dumps(chosen)).compute(), expected[expected["x"] > 3])


@pytest.mark.lazy_only
def test_a_set_whose_columns_share_rows_is_scanned_once(df, prefix):
    to_hdf(df, prefix)
    found = DataFrame(read_hdf(f"{prefix}_LOCALE*"))
    assert isinstance(found["x"]._frame, Scan)
    assert found["x"]._frame is found["s"]._frame


def test_frames_of_servers_come_back(golden):
    folder = golden / "dataframe_columns_N2"
    expected = json.loads((folder / "expected.json").read_text())["objects"]
    found = DataFrame(read_hdf([folder / "data_LOCALE0000.h5", folder / "data_LOCALE0001.h5"]))
    assert found.index.tolist() == expected["Index"]["values"]
    assert found["i64"].tolist() == expected["i64"]["values"]
    assert found["kind"].tolist() == expected["kind"]["values"]
    assert found["txt"].tolist() == expected["txt"]["values"]
