"""Labels of rows, of one level and of several: pandas is the reference."""

import numpy as np
import pandas as pd
import pytest

import akdask as ak
from akdask.errors import AlignmentError, ArgumentError, ArgumentTypeError

INDEXES = {
    "ints": pd.Index([3, 1, 2], name="n"),
    "floats": pd.Index([0.5, -1.0, 2.0]),
    "bools": pd.Index([True, False, True]),
    "text": pd.Index(["a", "b", "a"], dtype=object),
    "times": pd.DatetimeIndex(["2024-01-01", "2023-01-01", "2025-06-01"]),
    "categories": pd.CategoricalIndex(["x", "y", "x"]),
}


@pytest.mark.parametrize("name", INDEXES)
def test_an_index_goes_to_pandas_and_back(name):
    expected = INDEXES[name]
    found = ak.Index(expected)
    assert (found.size, found.shape, len(found), found.ndim, found.nlevels) == (3, (3,), 3, 1, 1)
    assert found.name == expected.name
    assert found.names == [expected.name]
    again = found.to_pandas()
    assert again.name == expected.name
    assert list(again) == list(expected)
    assert again.dtype.kind == expected.dtype.kind
    assert list(found[1:]) == list(found)[1:]
    assert found[1:].name == expected.name
    assert found.is_unique == expected.is_unique
    assert found.inferred_type in {"integer", "floating", "boolean", "string", "categorical"}
    assert repr(found).startswith("Index(")


def test_labels_are_looked_up():
    index = ak.Index(ak.array([3, 1, 2, 1]))
    assert index.lookup(1).tolist() == [False, True, False, True]
    for keys in (ak.array([3, 2, 9]), ak.Index([3, 2, 9])):
        assert index.lookup(keys).tolist() == [True, False, True, False]
    days = ak.Index(pd.DatetimeIndex(["2024-01-01", "2024-01-02"]))
    assert days.lookup("2024-01-02").tolist() == [False, True]
    for wrong in ([3, 2], [], np.array([3])):
        with pytest.raises(ArgumentTypeError, match="as a lazy array"):
            index.lookup(wrong)
    assert ak.Index(ak.array(["a", "b"])).lookup("b").tolist() == [False, True]
    assert (index == 1).tolist() == [False, True, False, True]
    assert (index == ak.Index(ak.array([3, 1, 0, 0]))).tolist() == [True, True, False, False]


def test_labels_are_mapped_joined_and_converted():
    index = ak.Index(ak.array([3, 1, 2]), name="n")
    assert index.map({3: 30, 2: 20}).tolist() == [30, 1, 20]
    assert index.map({3: 30}).name == "n"
    assert index.concat(ak.Index(ak.array([9]))).tolist() == [3, 1, 2, 9]
    assert index.equals(ak.Index([3, 1, 2]))
    assert not index.equals(ak.Index([3, 1]))
    assert not index.equals(ak.MultiIndex([ak.arange(3)]))
    assert index.memory_usage() == 24
    assert index.memory_usage("KB") == 24 / 1024
    assert index.to_dict()["idx"].tolist() == [3, 1, 2]
    assert list(index.to_dict("label")) == list(index.to_dict(["label", "other"])) == ["label"]
    assert index.set_dtype("float64").tolist() == [3.0, 1.0, 2.0]
    assert index.dtype == np.float64


@pytest.mark.parametrize("labels", [[2, 3, 2, 3, 4], ["b", "c", "b", "c", "d"]])
@pytest.mark.parametrize("news", [[25.0, 30.0, 5.0], ["x", "y", "z"]])
def test_labels_become_what_pandas_makes_of_them(labels, news):
    mapping = dict(zip(sorted(set(labels)), news, strict=True))
    found = ak.Index(ak.array(labels)).map(mapping)
    assert found.tolist() == pd.Index(labels).map(mapping).tolist()
    assert ak.Index(ak.array(labels)).map(pd.Series(mapping)).tolist() == found.tolist()
    if isinstance(labels[0], str):
        assert ak.Index(ak.Categorical(ak.array(labels))).map(mapping).tolist() == found.tolist()


def test_labels_without_a_new_one_stay_or_are_missing():
    assert ak.Index(ak.array(["a", "b"])).map({"a": "x"}).tolist() == ["x", "b"]
    assert ak.Index(ak.array([1, 2])).map({1: "x"}).tolist() == ["x", "null"]
    np.testing.assert_equal(ak.Index(ak.array(["a", "b"])).map({"a": 1}).to_ndarray(), [1, np.nan])


def test_labels_that_differ_are_told():
    index = ak.Index(ak.array([3, 1, 2]))
    assert (index != 1).tolist() == [True, False, True]
    assert (index != ak.Index([3, 0, 2])).tolist() == [False, True, False]


def test_an_index_has_its_older_names():
    index = ak.Index([3, 1, 2])
    assert index.index.tolist() == index.to_list() == [3, 1, 2]
    assert list(index.to_dict(["x"])) == ["x"]


def test_a_list_stays_one_where_that_is_asked_for():
    index = ak.Index([3, 1, 2], name="n", allow_list=True)
    assert index.values == index.index == index.tolist() == [3, 1, 2]
    assert repr(index) == "Index([3, 1, 2], dtype='int64')"
    assert (index.size, index.dtype, index.inferred_type, index.is_unique) == (3, np.int64, "integer", True)
    assert index.argsort() == [1, 2, 0]
    assert index[1:].values == [1, 2]
    assert index[0] == 3
    assert index.lookup(1).tolist() == (index == 1).tolist() == [False, True, False]
    pd.testing.assert_index_equal(index.to_pandas(), pd.Index([3, 1, 2], name="n"))
    assert ak.Series([7, 8, 9], index=index)[1] == 8
    assert ak.DataFrame({"x": [7, 8, 9]}, index=index).index.tolist() == [3, 1, 2]
    assert index.concat(ak.Index([4])).values.tolist() == [3, 1, 2, 4]


@pytest.mark.parametrize("ascending", [True, False])
def test_missing_labels_come_first_where_that_is_asked_for(ascending):
    for given in ([2.0, np.nan, 1.0, np.nan], ["b", None, "a"]):
        index, wanted = ak.Index(ak.array(given)), pd.Index(given)
        ordered, positions = index.sort_values(return_indexer=True, ascending=ascending, na_position="first")
        wanted = wanted.sort_values(ascending=ascending, na_position="first")
        assert ordered.to_pandas().isna().tolist() == wanted.isna().tolist()
        assert ordered.to_pandas().dropna().tolist() == wanted.dropna().tolist()
        assert index[positions].to_pandas().dropna().tolist() == wanted.dropna().tolist()
    with pytest.raises(ArgumentError, match="neither"):
        ak.Index([1]).sort_values(na_position="middle")


def test_an_index_is_compared_and_joined_with_an_index():
    for index in (ak.Index([1, 2]), ak.MultiIndex([ak.arange(2)])):
        for call in (index.equals, index.concat):
            with pytest.raises(ArgumentTypeError, match="Index"):
                call(ak.arange(2))


def test_labels_are_made_by_functions_and_classes():
    assert ak.Index([1, 2]).set_dtype(ak.ip_address).tolist() == ["0.0.0.1", "0.0.0.2"]
    assert ak.Index([1, 2]).set_dtype(ak.IPv4).tolist() == ["0.0.0.1", "0.0.0.2"]
    assert ak.MultiIndex([ak.arange(2)]).set_dtype(ak.ip_address).levels[0].tolist() == ["0.0.0.0", "0.0.0.1"]


def test_bytes_of_text_are_those_of_its_characters():
    assert ak.Index(ak.array(["a", "bcd"])).memory_usage() == 2 + 4
    assert ak.Index(ak.array([2**70])).inferred_type == "integer"


def test_what_an_index_does_not_do_is_said():
    with pytest.raises(ArgumentError, match="memory"):
        ak.Index(ak.arange(2)).memory_usage("bits")
    with pytest.raises(ArgumentTypeError, match="dict"):
        ak.Index(ak.arange(2)).map([1, 2])
    with pytest.raises(ArgumentTypeError, match="all numbers or all text"):
        ak.Index(ak.arange(2)).map({0: "b", 1: 5})
    with pytest.raises(ArgumentTypeError, match="several"):
        ak.Index(ak.arange(2)).concat(ak.MultiIndex([ak.arange(2)]))
    for wrong in (5, "text"):
        with pytest.raises(ArgumentTypeError, match="sequence"):
            ak.Index(wrong)
    with pytest.raises(ArgumentError, match="max_list_size"):
        ak.Index([1, 2, 3], allow_list=True, max_list_size=2)


def test_the_factory_tells_one_level_from_several():
    assert type(ak.Index.factory(ak.arange(3))) is ak.Index
    assert type(ak.Index.factory([1, 2, 3])) is ak.Index
    assert type(ak.Index.factory([ak.arange(3), ak.arange(3)])) is ak.MultiIndex
    assert type(ak.Index.factory(pd.MultiIndex.from_tuples([(1, 2)]))) is ak.MultiIndex


EXPECTED = pd.MultiIndex.from_arrays([[1, 1, 2], ["a", "b", "a"], [0.5, 1.5, 2.5]], names=["n", "s", None])


@pytest.fixture
def multi():
    return ak.MultiIndex(
        [ak.array([1, 1, 2]), ak.array(["a", "b", "a"]), ak.array([0.5, 1.5, 2.5])], names=["n", "s", None]
    )


def test_several_levels_go_to_pandas_and_back(multi):
    pd.testing.assert_index_equal(multi.to_pandas(), EXPECTED)
    for given in (
        EXPECTED,
        multi,
        [ak.Index(ak.array([1, 1, 2]), "n"), ak.Index(ak.array(["a", "b", "a"]), "s"), EXPECTED.levels[2]],
    ):
        assert ak.MultiIndex(given).names == ["n", "s", None]
    assert multi.tolist() == EXPECTED.tolist()
    assert multi.to_ndarray().tolist() == EXPECTED.to_numpy().tolist()
    assert list(multi) == list(EXPECTED)
    assert (multi.size, multi.nlevels, multi.ndim, multi.inferred_type) == (3, 3, 1, "mixed")
    assert multi.dtype == object
    assert multi.is_unique
    assert repr(multi) == f"MultiIndex({multi.levels!r})"
    assert "<p>MultiIndex &#x27;n&#x27;, &#x27;s&#x27;: 3 labels, " in multi._repr_html_()


def test_levels_are_taken_by_number_and_name(multi):
    assert multi.get_level_values("s").tolist() == ["a", "b", "a"]
    assert multi.get_level_values(0).name == "n"
    assert multi.get_level_values(-1).tolist() == [0.5, 1.5, 2.5]
    assert [level.tolist() for level in multi.to_dict().values()] == [level.tolist() for level in multi.levels]
    assert list(multi.to_dict()) == ["idx_0", "idx_1", "idx_2"]
    assert list(multi.to_dict(["x", "y", "z"])) == ["x", "y", "z"]
    for wrong in ("x", 3):
        with pytest.raises(ArgumentError, match="no level"):
            multi.get_level_values(wrong)


def test_rows_of_several_levels_are_chosen_and_looked_up(multi):
    assert multi[1] == (1, "b", 1.5)
    assert multi[1:].tolist() == EXPECTED[1:].tolist()
    assert multi[1:].names == multi.names
    assert multi.lookup((1, "b", 1.5)).tolist() == [False, True, False]
    assert multi.lookup([[1, 2], "a", [0.5, 2.5]]).tolist() == [True, False, True]
    assert (multi == (1, "b", 1.5)).tolist() == [False, True, False]
    assert (multi != (1, "b", 1.5)).tolist() == [True, False, True]
    rows = [ak.array([1, 2]), ak.array(["a", "b"]), ak.array([0.5, 2.5])]
    assert multi.lookup(rows).tolist() == [True, False, False]
    for wrong in (1, (1, "b")):
        with pytest.raises(ArgumentTypeError, match="compared"):
            _ = multi == wrong
    with pytest.raises(ArgumentTypeError, match="tuple of 3"):
        multi.lookup((1, "b"))


def test_several_levels_are_compared_and_joined(multi):
    assert multi.equals(ak.MultiIndex(EXPECTED))
    assert not multi.equals(multi[:2])
    assert not multi.equals(ak.MultiIndex(multi.levels[:2]))
    assert multi.concat(multi[:1]).tolist() == EXPECTED.append(EXPECTED[:1]).tolist()
    numbers = ak.MultiIndex([ak.arange(2), ak.arange(2)])
    assert numbers.memory_usage() == 32
    assert numbers.set_dtype("float64").levels[1].dtype == np.float64
    with pytest.raises(ArgumentTypeError, match="mapped"):
        numbers.map({1: 2})


@pytest.mark.parametrize("ascending", [True, False])
def test_rows_of_several_levels_are_sorted(ascending):
    expected = pd.MultiIndex.from_arrays([[2, 1, 2, 1], ["b", "d", "a", "c"]], names=["n", "s"])
    found, positions = ak.MultiIndex(expected).sort_values(return_indexer=True, ascending=ascending)
    wanted, order = expected.sort_values(return_indexer=True, ascending=ascending)
    pd.testing.assert_index_equal(found.to_pandas(), wanted)
    assert positions.tolist() == order.tolist()


def test_levels_must_share_rows_and_have_names():
    with pytest.raises(AlignmentError):
        ak.MultiIndex([ak.arange(3), ak.arange(2)])
    with pytest.raises(ArgumentError, match="names"):
        ak.MultiIndex([ak.arange(3)], names=["a", "b"])
    for wrong in ([], ak.arange(3)):
        with pytest.raises(ArgumentTypeError, match="at least one level"):
            ak.MultiIndex(wrong)


def test_labels_are_mapped_by_a_series():
    news = ak.Series(ak.array(["a", "b", "c"]), index=ak.array([4, 2, 3]))
    assert ak.Index([2, 3, 2, 4]).map(news).tolist() == ["b", "c", "b", "a"]
    assert ak.util.map(ak.array([2, 7, 4]), news).tolist() == ["b", "null", "a"]
    numbers = pd.Series([1.5, 2.5], index=[2, 3])
    assert ak.util.map(ak.array([2, 3]), ak.Series(numbers)).tolist() == [1.5, 2.5]
