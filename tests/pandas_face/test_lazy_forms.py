"""Common questions have lazy forms: chunks of rows, which pandas is given where a form fails, are not asked."""

from __future__ import annotations

import numpy as np
import pandas
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import akdask.pandas as pd
from akdask import config
from akdask.engine.scheduler import recorded
from akdask.pandas import chunk_forms, frame_forms, group_chunks, series_forms, summaries, tuning
from akdask.pandas.arrow_types import coding_of_type
from akdask.pandas.frame import DataFrame
from akdask.pandas.frequencies import Regular
from akdask.pandas.labels import lazily as lazy_labels
from akdask.pandas.lazy import lazy_frame
from akdask.pandas.refusals import ArrangementError, NotLazyError
from tests.pandas_face.compare import difference

ROWS = pandas.DataFrame(
    {
        "k": ["a", "b", "a", "c", "b", "a"],
        "x": [3, 1, 2, 6, 5, 4],
        "y": [0.5, None, 2.5, 1.5, -1.0, 0.25],
        "t": pandas.date_range("2024-01-31", periods=6, freq="9h"),
    }
)

QUESTIONS = {
    "bins": lambda rows: rows.set_index("t")[["x", "y"]].resample("1D").sum(),
    "bins by a column": lambda rows: rows[["t", "x"]].resample("1D", on="t").max(),
    "bins of a Series": lambda rows: rows.set_index("t")["y"].resample("12h").mean(),
    "rows of groups": lambda rows: rows.groupby("k").nth(0),
    "first rows of groups": lambda rows: rows.groupby("k").head(2),
    "sums of groups": lambda rows: rows.groupby("k")[["x", "y"]].sum(),
    "correlations of groups": lambda rows: rows.groupby("k")[["x", "y"]].corr(),
    "covariances of groups": lambda rows: rows.groupby("k")[["x", "y"]].cov(),
    "windows": lambda rows: rows["y"].rolling(3, min_periods=1).mean(),
    "windows of groups": lambda rows: rows.groupby("k")["x"].rolling(2).sum(),
    "parts of text": lambda rows: rows["k"].str.upper(),
    "parts of times": lambda rows: rows["t"].dt.hour,
    "a sort by a key": lambda rows: rows.sort_values("k", key=lambda names: names.str.upper(), ascending=False),
    "a sort of values by a key": lambda rows: rows["y"].sort_values(key=np.abs),
}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", QUESTIONS)
def test_a_common_question_is_answered_without_chunks(name, monkeypatch):
    for forms in (chunk_forms, group_chunks):
        monkeypatch.setattr(forms, "answered", lambda *args: pytest.fail("chunks of rows are asked"))
    with config.set(pandas_fallback="error"):
        found = QUESTIONS[name](pd.DataFrame(ROWS))
    assert difference(found, QUESTIONS[name](ROWS)) is None


@pytest.mark.parametrize("na_position", ["first", "last"])
@pytest.mark.parametrize("ascending", [True, False])
def test_sorts_by_text_are_plans_since_pandas_keeps_equal_rows(ascending, na_position, monkeypatch):
    random = np.random.default_rng(3)
    rows = pandas.DataFrame({"text": random.choice(["b", "a", "c", None], 500), "at": np.arange(500)})
    for forms in (frame_forms, series_forms):
        monkeypatch.setattr(forms, "rows_found_once", lambda found: pytest.fail("rows are computed for a sort"))
        monkeypatch.setattr(forms, "order_of_pandas", lambda *args: pytest.fail("pandas sorts"))
    options = {"ascending": ascending, "na_position": na_position}
    with config.set(pandas_fallback="error"):
        found = pd.DataFrame(rows)
        assert difference(found.sort_values("text", **options), rows.sort_values("text", **options)) is None
        assert (
            difference(found.sort_values("text", **options).head(9), rows.sort_values("text", **options).head(9))
            is None
        )
        some = found["text"].sort_values(ignore_index=True, **options)
        assert difference(some, rows["text"].sort_values(ignore_index=True, **options)) is None


@pytest.mark.parametrize("length", [6, 40, 300])
def test_equal_keys_of_a_sort_are_left_as_pandas_leaves_them(length):
    rows = pandas.DataFrame({"n": np.arange(length) % 3, "at": np.arange(length)})
    with config.set(pandas_fallback="error"):
        found = pd.DataFrame(rows).sort_values("n", key=lambda numbers: -numbers)
    assert difference(found, rows.sort_values("n", key=lambda numbers: -numbers)) is None


@pytest.mark.parametrize("what", [["n", "at"], "n"], ids=["frame", "series"])
def test_rows_are_selected_once_for_the_keys_of_a_sort_and_other_columns(what):
    rows = pandas.DataFrame({"n": np.arange(300) % 7, "at": np.arange(300), "s": np.arange(300) % 2})
    by = {"by": "n"} if isinstance(what, list) else {}
    with config.set(cache_size=0), recorded() as seconds:
        own = pd.DataFrame._of(pd.DataFrame(rows).lazy(), None)
        found = own[own["s"] == 1][what].sort_values(**by).to_pandas()
    assert difference(found, rows[rows["s"] == 1][what].sort_values(**by)) is None
    assert sum("filter" in str(key) for key in seconds) == 1


@pytest.mark.filterwarnings("ignore:.*ran in pandas")
@pytest.mark.parametrize("how", ["nunique", "mean", "std", "sum", "size", "first", "ohlc"])
@pytest.mark.parametrize("column", ["x", "y"])
def test_bins_of_no_times_have_types_of_their_own(how, column):
    rows = ROWS.assign(t=pandas.NaT).dropna(subset="t").set_index("t")[column]
    lazily = pd.Series._of(pd.Series(rows).lazy(), None)
    wanted = getattr(rows.resample("D"), how)()
    assert difference(getattr(lazily.resample("D"), how)(), wanted) is None


def test_categories_that_no_row_has_leave_an_empty_index_of_text():
    rows = pandas.Series(pandas.Categorical(["mid", "mid"], categories=["lo", "mid", "hi"]))
    lazily = pd.Series._of(pd.Series(rows).lazy(), None)
    for own in (rows, lazily):
        found = own[own == "lo"].cat.remove_unused_categories()
        pandas.testing.assert_index_equal(found.cat.categories, pandas.Index([], dtype="str"))


def test_names_and_labels_are_assigned_to_lazy_objects():
    rows = ROWS[["x", "y"]]
    named, labelled = rows["y"].rename("z"), rows["y"].set_axis(list("uvwxyz"))
    lazily = pd.Series._of(pd.Series(rows["y"]).lazy(), None)
    lazily.name = "z"
    assert difference(lazily, named) is None
    lazily = pd.Series._of(pd.Series(rows["y"]).lazy(), None)
    lazily.index = list("uvwxyz")
    assert difference(lazily, labelled) is None
    lazily = pd.DataFrame._of(pd.DataFrame(rows).lazy(), None)
    lazily.columns, lazily.index = ["p", "q"], list("uvwxyz")
    assert difference(lazily, rows.set_axis(["p", "q"], axis=1).set_axis(list("uvwxyz"))) is None


def test_labels_with_other_ends_lengths_or_frequencies_have_other_names_in_plans():
    ranges = [
        pandas.date_range(start, periods=periods, freq=freq, unit=unit)
        for start in ("2024-01-01", "2025-01-01")
        for periods in (0, 1, 5)
        for freq in ("D", "h")
        for unit in ("ns", "s")
    ]
    tokens = {Regular(pandas.Index, labels, by_mask).token: labels for labels in ranges for by_mask in (False, True)}
    # Two that have no labels, of one type and frequency, are the same.
    assert len(tokens) == 2 * (len(ranges) - 4)


@pytest.mark.filterwarnings("ignore:.*ran in pandas")
@pytest.mark.parametrize("rows", [ROWS["y"], ROWS[["x", "y"]]], ids=["series", "frame"])
def test_reductions_are_no_transforms(rows):
    face = pd.Series if isinstance(rows, pandas.Series) else pd.DataFrame
    for own in (rows, face._of(face(rows).lazy(), None)):
        with pytest.raises(ValueError, match="Function did not transform"):
            own.transform("mean")


@pytest.mark.parametrize(
    "question",
    [
        lambda rows: rows.set_index("t").pipe(lambda labelled: labelled.set_index(labelled.index)),
        lambda rows: rows.set_index("t").pipe(lambda labelled: labelled.set_index([labelled.index.rename("when")])),
        lambda rows: rows.select_dtypes("bool"),
        lambda rows: rows.groupby("k").k.value_counts(),
        lambda rows: rows.groupby(["k", "x"])[["x", "y"]].value_counts(),
    ],
)
@pytest.mark.filterwarnings("ignore:.*ran in pandas")
def test_names_of_labels_and_columns_are_kept(question, tmp_path, monkeypatch):
    monkeypatch.setattr(tuning, "READ_VALUES", 0)
    monkeypatch.setattr(tuning, "READ_BYTES", 0)
    ROWS.to_parquet(tmp_path / "rows.parquet")
    found, wanted = question(pd.read_parquet(tmp_path / "rows.parquet")), question(ROWS)
    assert difference(found, wanted) is None


NARROW = {
    "int16": [3, 1, 2, 3, -5],
    "float32": [1.5, 2.25, np.nan, 1.5, 0.1],
    "uint8": [255, 0, 1, 1, 0],
    "int64": [3, 1, 2**53 + 1, 3, 2**53],
    "float64": [np.nan, 1, 2, 3, 1],
    "str": ["b", None, "a", "b", "c"],
}


@pytest.mark.parametrize("dtype", NARROW)
def test_dummies_have_labels_of_the_type_of_their_column(dtype):
    rows = pandas.DataFrame({"x": pandas.Series(NARROW[dtype], dtype=dtype), "s": list("abcab")})
    lazily = DataFrame._of(lazy_labels(rows))
    for options in ({}, {"prefix": "p"}, {"drop_first": True, "dtype": int}):
        with config.set(pandas_fallback="error"):
            found = pd.get_dummies(lazily["x"], **options), pd.get_dummies(lazily, columns=["x"], **options)
        wanted = pandas.get_dummies(rows["x"], **options), pandas.get_dummies(rows, columns=["x"], **options)
        for one, other in zip(found, wanted, strict=True):
            pandas.testing.assert_frame_equal(one.to_pandas(), other)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("by", ["n", "v", "t", "narrow"])
def test_filtered_rows_are_sorted_as_by_pandas_and_few_of_them_are_read(seed, by, monkeypatch):
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 300))
    rows = pandas.DataFrame(
        {
            "n": rng.integers(0, 9, count),
            "v": np.where(rng.random(count) < 0.3, np.nan, rng.integers(0, 5, count).astype(float)),
            "t": pandas.Timestamp("2024-01-01") + pandas.to_timedelta(rng.integers(0, 5, count), unit="D"),
            "narrow": rng.integers(0, 9, count).astype("int16"),
            "s": rng.choice(["a", "b", "ç"], count),
        }
    )
    lazily = DataFrame._of(lazy_labels(rows))
    options = {"ascending": bool(seed % 2), "na_position": "first" if seed % 3 == 0 else "last"}
    for least in (2, -1, 100):
        wanted = rows[(rows["n"] > least) & (rows["s"] != "b")].sort_values(by, **options)
        with config.set(pandas_fallback="error"):
            found = lazily[lazily["n"] > least]
            found = found[found["s"] != "b"].sort_values(by, **options)
        pandas.testing.assert_frame_equal(found.to_pandas(), wanted)
        for part in (slice(0, 3), slice(2, 5), slice(0, 0)):
            pandas.testing.assert_frame_equal(found.iloc[part].to_pandas(), wanted.iloc[part])
        pandas.testing.assert_frame_equal(found.head(2).to_pandas(), wanted.head(2))
    monkeypatch.setattr(tuning, "SELECTED_ROWS", 0)
    pandas.testing.assert_frame_equal(
        lazily[lazily["n"] > 2].sort_values(by).to_pandas(), rows[rows["n"] > 2].sort_values(by)
    )


def lazily(rows):
    """Return rows of pandas as a plan of the face, of which nothing is in memory."""
    face = pd.Series if isinstance(rows, pandas.Series) else pd.DataFrame
    return face._of(face(rows).lazy(), None)


def test_reductions_of_bins_have_the_form_of_pandas_however_they_are_asked_for():
    rows = ROWS.set_index("t")[["x", "y"]]
    for name, question in {
        "a word": lambda own: own.resample("D").agg("sum"),
        "a list": lambda own: own.resample("D").agg(["sum", "max"]),
        "named": lambda own: own.resample("D").agg(low=("x", "min"), high=("y", "max")),
        "named by a class": lambda own: own.resample("D").agg(low=pandas.NamedAgg("x", "min"), high=("x", "max")),
        "words by column": lambda own: own.resample("D").agg({"y": "mean", "x": "sum"}),
        "lists by column": lambda own: own.resample("D").agg({"y": ["mean", "min"], "x": "sum"}),
        "a column": lambda own: own["x"].resample("D").agg("sum"),
        "a list of a column": lambda own: own["x"].resample("D").agg(["sum", "max"]),
        "named of a column": lambda own: own["x"].resample("D").agg(low="min", high="max"),
    }.items():
        with config.set(pandas_fallback="error"):
            assert difference(question(lazily(rows)), question(rows)) is None, name


def test_rows_get_any_labels():
    rows = ROWS[["x", "y"]]
    for labels in (
        pandas.RangeIndex(6), pandas.RangeIndex(6, name="id"), pandas.RangeIndex(1, 7), pandas.RangeIndex(0, 12, 2),
        pandas.RangeIndex(5, -1, -1), pandas.Index([0, 1, 2, 3, 4, 5]), pandas.Index([0, 1, 2, 3, 4, 5], name="id"),
        pandas.Index(list("abcabc")), pandas.date_range("2024", periods=6, name="when"),
    ):  # fmt: skip
        own, wanted = lazily(rows), rows.copy()
        own.index, wanted.index = labels, labels
        assert own.index.equals(labels), labels
        assert own.index.name == labels.name
        assert difference(own, wanted) is None, labels
        assert difference(own["x"] + own["y"], wanted["x"] + wanted["y"]) is None, labels


def test_places_in_groups_choose_rows_as_in_pandas():
    for name, question in {
        "first": lambda own: own.groupby("k").nth(0),
        "last": lambda own: own.groupby("k").nth(-1),
        "several": lambda own: own.groupby("k").nth([0, 2]),
        "none": lambda own: own.groupby("k").nth(7),
        "a slice": lambda own: own.groupby("k").nth(slice(1, None)),
        "heads": lambda own: own.groupby("k").head(1),
        "tails": lambda own: own.groupby("k").tail(2),
        "without the last": lambda own: own.groupby("k").head(-1),
    }.items():
        with config.set(pandas_fallback="error"):
            assert difference(question(lazily(ROWS)), question(ROWS)) is None, name
    found = lazily(ROWS).groupby("k").nth(0, dropna="any")
    assert difference(found, ROWS.groupby("k").nth(0, dropna="any")) is None


@pytest.mark.filterwarnings("ignore:Constructing a Categorical")
def test_columns_become_categories_as_in_pandas():
    columns = {
        "text": pandas.Series(["b", "a", "b", "c"]),
        "integers": pandas.Series([3, 1, 3, 2]),
        "floats": pandas.Series([0.5, -1.0, 0.5, 2.0]),
    }
    for name, rows in columns.items():
        values = rows.drop_duplicates().tolist()
        own = lazily(rows)
        for dtype in (
            "category",
            pandas.CategoricalDtype(),
            pandas.CategoricalDtype(ordered=True),
            pandas.CategoricalDtype(values),
            pandas.CategoricalDtype(values[::-1], ordered=True),
            pandas.CategoricalDtype(values[:2]),
        ):
            with config.set(pandas_fallback="error"):
                found = own.astype(dtype)
            wanted = rows.astype(dtype)
            assert difference(found, wanted) is None, (name, dtype)
            assert found.cat.codes.tolist() == wanted.cat.codes.tolist(), (name, dtype)


@pytest.mark.filterwarnings("ignore")
def test_categories_that_stand_for_missing_text_or_are_none_are_those_of_pandas():
    rows = pandas.Series(["b", "N/A", None, "b", "c"])
    for values in (["N/A", "b"], [], ["b", "c", "d"]):
        dtype = pandas.CategoricalDtype(pandas.Index(values, dtype="str"))
        assert difference(lazily(rows).astype(dtype), rows.astype(dtype)) is None, values


def test_functions_of_numpy_have_their_methods_and_arguments():
    rows = ROWS[["x", "y"]]
    for name, question in {
        "a type": lambda own: np.add(own["x"], 1, dtype="float32"),
        "a reduction": lambda own: np.add.reduce(own["x"]),
        "sums on the way": lambda own: np.add.accumulate(own["x"]),
        "two columns": lambda own: np.maximum(own["x"], own["y"]),
        "two results": lambda own: np.modf(own["y"]),
        "a number first": lambda own: np.subtract(7, own["x"]),
        "a frame": np.square,
        "a frame and a type": lambda own: np.multiply(own, 2, dtype="float64"),
    }.items():
        assert difference(question(lazily(rows)), question(rows)) is None, name


def test_arithmetic_of_decimals_has_the_digits_of_arrow():
    rows = pandas.DataFrame(
        {
            "a": pandas.array(["1.25", "-0.50", None], pandas.ArrowDtype(pa.decimal128(5, 2))),
            "b": pandas.array(["10.5", "3.0", "2.5"], pandas.ArrowDtype(pa.decimal128(9, 1))),
            "c": pandas.array([7, -2, 3], pandas.ArrowDtype(pa.int64())),
        }
    )
    own = lazily(rows)
    for left, right in (("a", "a"), ("a", "b"), ("b", "a"), ("b", "b")):
        for operation in ("add", "sub", "mul"):
            found = getattr(own[left], operation)(own[right])
            wanted = getattr(rows[left], operation)(rows[right])
            assert found.dtype == wanted.dtype, (left, operation, right)
            assert difference(found, wanted) is None, (left, operation, right)


def test_counts_of_pairs_are_those_of_pandas():
    own = lazily(ROWS)
    for name, question in {
        "counts": lambda house, rows: house.crosstab(rows["k"], rows["x"]),
        "margins": lambda house, rows: house.crosstab(rows["k"], rows["x"] > 2, margins=True),
        "shares": lambda house, rows: house.crosstab(rows["k"], rows["x"] > 2, normalize=True),
        "sums": lambda house, rows: house.crosstab(rows["k"], rows["x"] > 2, rows["x"], aggfunc="sum"),
        "two keys": lambda house, rows: house.crosstab([rows["k"], rows["x"] > 2], rows["x"] % 2),
        "names": lambda house, rows: house.crosstab(rows["k"], rows["x"], rownames=["a"], colnames=["b"]),
    }.items():
        with config.set(pandas_fallback="error"):
            assert difference(question(pd, own), question(pandas, ROWS)) is None, name


@pytest.mark.filterwarnings("ignore:.*ran in pandas")
def test_values_are_assigned_to_several_columns_and_rows_as_in_pandas():
    rows = ROWS[["x", "y"]]
    table = np.arange(12.0).reshape(6, 2)
    for name, assign in {
        "an array": lambda own: own.__setitem__(["p", "q"], table),
        "items": lambda own: own.__setitem__(["p", "q"], [1, "two"]),
        "one item": lambda own: own.__setitem__(["p", "q"], 0.5),
        "columns of its own": lambda own: own.__setitem__(["p", "q"], own[["y", "x"]]),
        "old and new columns": lambda own: own.__setitem__(["y", "q"], table),
        "a row": lambda own: own.loc.__setitem__(2, [7, 0.5]),
        "a cell": lambda own: own.loc.__setitem__((2, "y"), 9.5),
        "a row by its place": lambda own: own.iloc.__setitem__(-1, [7, 0.5]),
        "a new row": lambda own: own.loc.__setitem__(6, [7, 0.5]),
        "rows of a mask": lambda own: own.loc.__setitem__((own["x"] > 3, "y"), -1.0),
    }.items():
        with config.set(pandas_fallback="error"):
            own, wanted = lazily(rows), rows.copy()
            assign(own)
            assign(wanted)
            assert difference(own, wanted) is None, name
    for wrong in (lambda own: own.iloc.__setitem__(9, [7, 0.5]), lambda own: own.loc.__setitem__(2, [1, 2, 3])):
        for own in (lazily(rows), rows.copy()):
            with pytest.raises((IndexError, ValueError)):
                wrong(own)


def test_frames_and_series_are_put_together_as_in_pandas():
    one, other = ROWS[["x", "y"]], ROWS[["y", "k"]].set_axis(range(6, 12))
    column, unnamed = ROWS["x"], ROWS["y"].rename(None)
    for name, items, options in (
        ("frames", [one, other], {}),
        ("common columns", [one, other], {"join": "inner"}),
        ("without labels", [one, other], {"ignore_index": True}),
        ("a frame and a Series", [one, column], {}),
        ("a Series and a frame", [column, one], {}),
        ("a frame and one without a name", [one, unnamed], {}),
        ("Series", [column, unnamed], {}),
        ("beside each other", [one, ROWS["k"]], {"axis": 1}),
        ("Series beside each other", [column, unnamed], {"axis": 1}),
    ):
        with config.set(pandas_fallback="error"):
            found = pd.concat([lazily(item) for item in items], **options)
        assert difference(found, pandas.concat(items, **options)) is None, name


def test_sums_and_means_of_decimals_are_those_of_arrow():
    kind = pa.decimal128(7, 2)
    amounts = ["1.25", "-0.50", None, "2.00", "0.01", "99999.99"]
    rows = pandas.DataFrame({"k": [0, 1, 1, 0, 2, 2], "d": pandas.array(amounts, pandas.ArrowDtype(kind))})
    own = lazily(rows)
    for how in ("sum", "mean", "min", "max", "count"):
        with config.set(pandas_fallback="error"):
            assert difference(getattr(own.groupby("k")["d"], how)(), getattr(rows.groupby("k")["d"], how)()) is None, (
                how
            )
    for limit, wanted in ((None, 9_999_999), (7, 7), (10**9, 9_999_999)):
        assert coding_of_type(kind, limit).limit == wanted


def test_rows_of_files_are_filtered_as_in_pandas(tmp_path, monkeypatch):
    monkeypatch.setattr(tuning, "READ_VALUES", 0)
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"n": range(5), "t": list("abcab"), "y": [0.5, 1.5, 2.5, 3.5, 4.5]}), path)
    for filters in (
        [("n", ">", 2)], [("n", ">=", 2), ("n", "<", 4)], [[("n", "==", 0)], [("n", "=", 3)]], [("n", "in", [1, 4])],
        [[("n", "<=", 0)], [("n", ">", 1), ("n", "<", 3)]], [("t", "==", "a")], [("t", ">", "a"), ("y", "<=", 2.5)],
    ):  # fmt: skip
        with config.set(pandas_fallback="error"):
            found = pd.read_parquet(path, filters=filters)
        assert difference(found, pandas.read_parquet(path, filters=filters)) is None, filters


def test_columns_to_describe_are_those_that_pandas_chooses():
    rows = ROWS.assign(b=[True, False, True, True, False, True], c=pandas.Categorical(list("abcabc")))
    choices = [{}, {"include": "all"}]
    for kind in ("number", "bool", "datetime", "category", "str", ["number", "bool"], ["category", "str"], [np.int64]):
        choices += [{"include": kind}, {"exclude": kind}]
    choices += [{"include": ["number", "bool"], "exclude": ["float64"]}, {"include": ["number"], "exclude": "int64"}]
    for options in choices:
        given = {"include": None, "exclude": None, **options}
        assert summaries._described(rows.head(0), **given) == [*rows.describe(**options).columns], options
    words = rows[["k", "c"]]
    assert summaries._described(words.head(0), None, None) == [*words.describe().columns]
    assert lazily(words).describe().shape == words.describe().shape
    for include, exclude, reason in (
        ("all", "number", NotLazyError), ("timedelta", None, NotLazyError), ("float64", "float64", ArrangementError),
        ("no type", None, ArrangementError),
    ):  # fmt: skip
        with pytest.raises(reason):
            summaries._described(rows.head(0), include, exclude)


@pytest.mark.filterwarnings("ignore:.*ran in pandas")
def test_frames_beside_others_keep_the_labels_of_both():
    rows = pandas.DataFrame({"i": [1, 2, 3], "j": [4, 5, 6]})
    numbered, twice = rows.set_axis([0, 1], axis=1), rows[["j", "j"]]
    levels = rows.set_axis(pandas.MultiIndex.from_tuples([(0, 1), (0, 2), (1, 1)], names=["p", "q"]))
    for name, question in {
        "sum": lambda own, other: own + other,
        "product": lambda own, other: own.mul(other),
        "division": lambda own, other: own // other,
        "filled": lambda own, other: own.where(own > 2).fillna(other),
        "combined": lambda own, other: own.combine_first(other),
        "equal": lambda own, other: own.equals(other),
        "joined": lambda own, other: own.rename(columns=str.upper).join(other),
        "correlations": lambda own, other: own.corrwith(other),
    }.items():
        for other in (numbered, twice, levels):
            for one, two in ((rows, other), (other, rows)):
                try:
                    wanted = question(one, two)
                except Exception as error:  # whatever pandas says
                    with pytest.raises(type(error)):
                        question(lazily(one), lazily(two))
                else:
                    assert difference(question(lazily(one), lazily(two)), wanted) is None, (name, [*other.columns])


def test_a_column_of_integers_that_no_row_loses_has_the_type_of_pandas():
    rows = ROWS[["x", "y"]]
    for least in (0, 3, 9):
        own, wanted = lazily(rows), rows.copy()
        with config.set(pandas_fallback="error"):
            own.loc[own["x"] > least, "x"] = None
        wanted.loc[wanted["x"] > least, "x"] = None
        assert difference(own, wanted) is None, least


def test_pivoted_values_keep_the_order_in_which_they_are_asked_for():
    rows = pandas.DataFrame({"k": [1, 1, 2, 2], "g": ["b", "a", "a", "b"], "y": [5, 6, 7, 8], "x": [1, 2, 3, 4]})
    for options in ({}, *({"values": values} for values in ("x", ["x"], ["x", "y"], ["y", "x"], ["y"]))):
        for index, columns in (("k", "g"), ("g", "k")):
            with config.set(pandas_fallback="error"):
                found = lazily(rows).pivot(index=index, columns=columns, **options)
            assert difference(found, rows.pivot(index=index, columns=columns, **options)) is None, (options, index)


AGGREGATIONS = [
    {"short": "sum"},
    {"short": "min", "single": "mean"},
    {"short": "max", "time": "max"},
    {"time": ["min", "max"], "short": ["max"]},
    {"short": "min", "time": ["max", "min"]},
    {"text": "max", "short": "count"},
    {"wide": "max", "time": "min"},
    {"wide": ["sum", "min"], "time": ["min"], "byte": ["max"]},
    {"byte": "sum", "true": "sum", "single": "median"},
    {"float": ["std", "count"], "short": ["mean"]},
]


@pytest.mark.parametrize("names", ["short single time text wide byte true float", "wide time float"])
def test_reductions_named_for_columns_are_those_of_pandas(names):
    for count in (0, 1, 50):
        rng = np.random.default_rng(count)
        missing = rng.random(count) < 0.3
        times = pandas.Series(pandas.Timestamp("2024-01-01") + pandas.to_timedelta(rng.integers(0, 10**6, count), "s"))
        given = pandas.DataFrame({
            "short": rng.integers(-9, 9, count).astype(np.int16),
            "single": np.where(missing, np.nan, rng.random(count)).astype(np.float32),
            "time": times.astype("M8[us]").where(~missing),
            "text": pandas.Series(rng.choice(["a", "ü"], count), dtype="str").where(~missing),
            "wide": rng.integers(2**53, 2**54, count),
            "byte": rng.integers(0, 255, count).astype(np.uint8),
            "true": missing,
            "float": np.where(missing, np.nan, rng.normal(size=count)),
        })[names.split()]  # fmt: skip
        for asked in AGGREGATIONS:
            if not asked.keys() <= {*given.columns}:
                continue
            with config.set(pandas_fallback="error" if count > 1 else "silent"):
                found = DataFrame._of(lazy_frame(given)).agg(asked).to_pandas()
            check = getattr(pandas.testing, f"assert_{'frame' if found.ndim == 2 else 'series'}_equal")
            check(found, given.agg(asked))


def test_spreads_of_a_column_by_name_divide_as_pandas_does():
    given = pandas.DataFrame({"x": [0.5, None, 2.0, 3.0], "n": [1, 2, 3, 5]})
    for name in given:
        rows, column = DataFrame._of(lazy_frame(given))[name], given[name]
        pandas.testing.assert_series_equal(
            rows.agg(["std", "var", "sem"]).to_pandas(), column.agg(["std", "var", "sem"])
        )
        for how in ("std", "var", "sem", "sum", "size"):
            assert rows.agg(how) == column.agg(how)


@pytest.mark.parametrize("count", [1, 60])
def test_bins_of_times_beside_narrow_columns_are_those_of_pandas(count):
    rng = np.random.default_rng(count)
    given = pandas.DataFrame(
        {
            "t": pandas.Timestamp("2024") + pandas.to_timedelta(rng.integers(0, 10**6, count), unit="s"),
            "n": rng.integers(0, 9, count).astype(np.int16),
            "text": rng.choice(["x", "y"], count),
            "single": rng.random(count).astype(np.float32),
            "y": rng.random(count),
        }
    )
    for question in (
        lambda rows: rows.resample("D", on="t").size(),
        lambda rows: rows.set_index("t").resample("D").size(),
        lambda rows: rows.resample("D", on="t")["n"].mean(),
        lambda rows: rows.resample("D", on="t")[["n", "y"]].median(),
        lambda rows: rows.set_index("t").resample("6h")["n"].nunique(),
        lambda rows: rows.resample("D", on="t")["n"].size(),
        lambda rows: rows.resample("D", on="t")["y"].sum(),
        lambda rows: rows.resample("D", on="t")["n"].quantile(0.3),
    ):
        with config.set(pandas_fallback="error"):
            found = question(DataFrame._of(lazy_frame(given)))
        assert difference(found, question(given)) is None


@pytest.mark.filterwarnings("ignore:.*ran in pandas")
@pytest.mark.parametrize(
    "options",
    [{}, {"index": "n"}, {"index": ["n"]}, {"index": ["n", "k"], "columns": "s"}, {"columns": ["k"], "index": "n"}],
    ids=str,
)
@pytest.mark.parametrize("labels", [None, "n", "s"])
def test_pivots_by_any_keys_are_those_of_pandas(options, labels):
    rows = pandas.DataFrame({"k": list("abab"), "s": list("pqrs"), "n": [1, 1, 2, 2], "x": [1.5, 2, np.nan, 4]})
    options = {"columns": "k", "values": "x"} | options
    rows = rows if labels is None else rows.set_index(labels, drop=False).rename_axis("label")
    held = pd.DataFrame._of(pd.DataFrame(rows).lazy(), None)
    assert difference(held.pivot(**options), rows.pivot(**options)) is None


@pytest.mark.filterwarnings("ignore:.*ran in pandas")
@pytest.mark.parametrize("how", ["nunique", "first", "last", "count", "size", "min", "max", "sum", "mean"])
@pytest.mark.parametrize("dtype", ["string", "Int64", "UInt8", "Float64", "boolean"])
def test_groups_of_nullable_columns_are_reduced_as_by_pandas(dtype, how):
    values = {"string": ["b", None, "a", "c", "", None], "boolean": [True, None, False, True, True, None]}
    column = pandas.Series(values.get(dtype, [2, None, 1, 3, 0, None]), dtype=dtype)
    rows = pandas.DataFrame({"k": [1, 1, 1, 2, 2, 3], "s": column})
    held = pd.DataFrame._of(pd.DataFrame(rows).lazy(), None)
    try:
        wanted = getattr(rows.groupby("k")["s"], how)()
    except TypeError:
        with pytest.raises(TypeError):
            getattr(held.groupby("k")["s"], how)()
        return
    assert difference(getattr(held.groupby("k")["s"], how)(), wanted) is None
    assert difference(getattr(held.groupby("k")[["s"]], how)(), getattr(rows.groupby("k")[["s"]], how)()) is None
    if dtype == "Int64" or (dtype == "string" and how in ("nunique", "first", "last")):
        with config.set(pandas_fallback="error"):
            assert difference(getattr(held.groupby("k")["s"], how)(), wanted) is None


@pytest.mark.filterwarnings("ignore:.*ran in pandas")
@pytest.mark.parametrize("labels", [None, list("uvwxyz")], ids=["numbers", "text"])
def test_entries_and_columns_are_deleted(labels):
    rows = ROWS if labels is None else ROWS.set_axis(labels)
    at = rows.index[2]
    for name in ("k", "x", "t"):
        wanted, held = rows[name].copy(), pd.Series._of(pd.Series(rows[name]).lazy(), None)
        for own in (wanted, held):
            del own[at]
        assert difference(held, wanted) is None
        with pytest.raises(KeyError):
            del held[at]
    wanted, held = rows.copy(), pd.DataFrame._of(pd.DataFrame(rows).lazy(), None)
    for own in (wanted, held):
        del own["x"]
    assert difference(held, wanted) is None
    with pytest.raises(KeyError):
        del held["x"]


@pytest.mark.filterwarnings("ignore:.*ran in pandas")
@pytest.mark.parametrize("observed", [True, False])
@pytest.mark.parametrize("by", ["c", ["c"], ["k", "c"], "k"], ids=str)
def test_groups_of_categories_are_numbered_as_by_pandas(by, observed):
    kinds = pandas.Categorical(["b", "a", None, "b", "c"], ["c", "z", "b", "a"])
    rows = pandas.DataFrame({"c": kinds, "k": [2, 1, 1, 2, 1], "x": range(5)})
    held = pd.DataFrame._of(pd.DataFrame(rows).lazy(), None)
    for ascending in (True, False):
        found, wanted = (frame.groupby(by, observed=observed).ngroup(ascending) for frame in (held, rows))
        assert difference(found, wanted) is None
    if by == "k" or observed:
        with config.set(pandas_fallback="error"):
            assert (
                difference(held.groupby(by, observed=observed).ngroup(), rows.groupby(by, observed=observed).ngroup())
                is None
            )


@pytest.mark.filterwarnings("ignore:.*ran in pandas")
@pytest.mark.parametrize("length", [1, 2, 5])
def test_rows_that_are_not_there_are_missing_beside_any_number_of_rows(length):
    rows = pandas.DataFrame({"x": np.arange(length) + 0.5, "s": list("abcde")[:length]}, list("vwxyz")[:length])
    held = pd.DataFrame._of(pd.DataFrame(rows).lazy(), None)
    for labels in (["v", "q"], ["q", "v", "r"], ["q"], ["v"]):
        assert difference(held.reindex(labels), rows.reindex(labels)) is None
        assert difference(held["x"].reindex(labels), rows["x"].reindex(labels)) is None
        assert difference(held["x"].reindex(labels, fill_value=7), rows["x"].reindex(labels, fill_value=7)) is None
        others = pandas.DataFrame({"s": ["a", "q"], "y": [1, 2]})
        options = {"on": "s", "how": "left", "indicator": True}
        with config.set(pandas_fallback="error"):
            assert difference(pd.DataFrame(others).merge(held, **options), others.merge(rows, **options)) is None
    numbered, wanted = held.reset_index(drop=True), rows.reset_index(drop=True)
    for numbers in ([-5, 0, length + 7], range(length + 3)):
        options = {"method": "ffill", "limit": 1}
        assert difference(numbered.reindex(numbers, **options), wanted.reindex(numbers, **options)) is None


@pytest.mark.filterwarnings("ignore:.*ran in pandas")
def test_changes_in_groups_take_options_as_in_pandas():
    rows = ROWS.set_index("t")
    held = pd.DataFrame._of(pd.DataFrame(rows).lazy(), None)
    for options in ({}, {"periods": 2}, {"periods": -1}, {"fill_method": None}, {"freq": "9h"}, {"freq": "18h"}):
        found, wanted = (frame.groupby("k")["x"].pct_change(**options) for frame in (held, rows))
        assert difference(found, wanted) is None, options
    for own in (held, rows):
        with pytest.raises(ValueError, match="fill_method"):
            own.groupby("k")["x"].pct_change(fill_method="ffill")


def test_bins_have_several_reductions_lazily():
    rows = ROWS.set_index("t")[["x", "y"]]
    held = pd.DataFrame._of(pd.DataFrame(rows).lazy(), None)
    with config.set(pandas_fallback="error"):
        for given, named in (
            ((["sum", "max"],), {}), (({"x": "sum", "y": "mean"},), {}), (({"x": ["sum", "min"]},), {}),
            ((), {"most": ("x", "max"), "total": ("y", "sum")}), (("min",), {}),
        ):  # fmt: skip
            found, wanted = (frame.resample("1D").agg(*given, **named) for frame in (held, rows))
            assert difference(found, wanted) is None, (given, named)
    with config.set(pandas_fallback="silent"):
        found, wanted = (frame.resample("1D").agg(["sum", len]) for frame in (held, rows))
        assert difference(found, wanted) is None
