"""What other libraries and editors ask of frames and columns, and what mistakes of newcomers are answered with."""

import ast
import pickle
from pathlib import Path

import numpy as np
import pandas
import pytest

import akdask as ak
import akdask.pandas as pd
from akdask.frames.sql import FrameDataset
from akdask.plotting.interactive import columns_drawn


def test_narwhals_takes_frames_and_columns_of_both_faces():
    narwhals = pytest.importorskip("narwhals")
    for frame in (ak.DataFrame({"a": [1, 2, 3]}), pd.DataFrame({"a": [1, 2, 3]})):
        found = narwhals.from_native(frame).filter(narwhals.col("a") > 1)
        assert found["a"].to_list() == [2, 3]
        for column in (frame["a"], frame.a):
            assert narwhals.from_native(column, series_only=True).sum() == 6


def test_narwhals_makes_lazy_frames_that_read_what_they_need(monkeypatch):
    narwhals = pytest.importorskip("narwhals")
    scanner, asked = FrameDataset.scanner, []

    def asking(data, columns=None, filter=None, **options):
        asked.append((columns, str(filter)))
        return scanner(data, columns, filter, **options)

    monkeypatch.setattr(FrameDataset, "scanner", asking)
    rows = {"a": [1, 2, 3], "b": [0.5, np.nan, 2.5], "c": ["x", "y", "z"]}
    lazy = narwhals.from_native(ak.DataFrame(rows).to_duckdb())
    assert isinstance(lazy, narwhals.LazyFrame)
    wanted = lazy.filter(narwhals.col("a") > 1).select("c")
    assert asked == []
    assert wanted.collect()["c"].to_list() == ["y", "z"]
    assert asked == [(["c"], "(a > 1)")]
    assert lazy.select("b").collect()["b"].to_list() == [0.5, None, 2.5]


def test_narwhals_gets_columns_alone_and_their_missing_values_as_null():
    narwhals = pytest.importorskip("narwhals")
    frame = ak.DataFrame({"x": [0.5, np.nan], "n": [1, None], "s": ["a", None]})
    assert narwhals.from_native(frame).null_count().row(0) == (1, 1, 1)
    assert narwhals.from_native(frame["x"], series_only=True).to_list() == [0.5, None]
    labelled = frame[ak.array([False, True])].rename_axis("label")
    assert narwhals.from_native(labelled).columns == ["x", "n", "s"]


def test_missing_numbers_are_nan_in_arrays_of_frames():
    frame = ak.DataFrame({"n": [1, None, 3], "b": [True, False, None], "x": [0.5, np.nan, 2.0]})
    for found in (np.asarray(frame, float), np.asarray(frame), frame.to_numpy()):
        assert found.dtype == float
        np.testing.assert_array_equal(found, [[1, 1, 0.5], [np.nan, 0, np.nan], [3, np.nan, 2]])
    with pytest.raises(ak.errors.ConversionError, match=str(2**53 + 1)):
        np.asarray(ak.DataFrame({"n": [2**53 + 1, None]}), float)
    assert np.asarray(ak.DataFrame({"n": [2**53 + 1, 2]})).tolist() == [[2**53 + 1], [2]]


FRAMES = pytest.mark.parametrize("face", [ak, pd], ids=["arkouda", "pandas"])
COLUMNS = {"x": [1, 2, 3, 4], "y": [1.5, 2.5, 0.5, 4.0], "g": ["a", "b", "a", "b"]}


@FRAMES
def test_plotly_draws_frames(face):
    express = pytest.importorskip("plotly.express")
    drawn = express.scatter(face.DataFrame(COLUMNS), x="x", y="y", color="g").data
    assert [(line.name, list(line.x), list(line.y)) for line in drawn] == [
        ("a", [1, 3], [1.5, 0.5]),
        ("b", [2, 4], [2.5, 4.0]),
    ]


@FRAMES
def test_altair_draws_frames(face):
    altair = pytest.importorskip("altair")
    told = altair.Chart(face.DataFrame(COLUMNS)).mark_point().encode(x="x", y="y", color="g").to_dict()
    assert [one["type"] for one in told["encoding"].values()] == ["nominal", "quantitative", "quantitative"]
    (rows,) = told["datasets"].values()
    assert rows == [dict(zip(COLUMNS, row, strict=True)) for row in zip(*COLUMNS.values(), strict=True)]


@FRAMES
def test_bokeh_draws_frames(face):
    pytest.importorskip("bokeh")
    from bokeh.models import ColumnDataSource
    from bokeh.plotting import figure

    frame = face.DataFrame(COLUMNS)
    source = ColumnDataSource(frame)
    assert {name: list(source.data[name]) for name in COLUMNS} == COLUMNS
    drawn = figure()
    drawn.line(frame["x"], frame["y"])
    assert list(drawn.renderers[0].data_source.data["y"]) == COLUMNS["y"]


@FRAMES
def test_itables_shows_frames(face):
    itables = pytest.importorskip("itables")
    assert "2.5" in itables.to_html_datatable(face.DataFrame(COLUMNS), connected=True)


@FRAMES
def test_hvplot_draws_frames(face):
    pytest.importorskip("hvplot")
    frame = face.DataFrame(COLUMNS)
    drawn = frame.hvplot.scatter(x="x", y="y", by="g")
    assert {key: list(line.dimension_values("y")) for key, line in drawn.data.items()} == {
        ("a",): [1.5, 0.5],
        ("b",): [2.5, 4.0],
    }
    assert list(frame.hvplot.table().dimension_values("g")) == COLUMNS["g"]
    assert list(face.Series([3, 1], name="s").hvplot.line().dimension_values("s")) == [3, 1]
    with pytest.raises(AttributeError):
        frame.hvplot.drawing  # noqa: B018 -- raises


@FRAMES
def test_hvplot_computes_the_columns_that_a_picture_names(face, monkeypatch):
    hvplot = pytest.importorskip("hvplot")
    frame, asked = face.DataFrame({**COLUMNS, "z": [1, 1, 2, 2]}), []

    class Recording(hvplot.hvPlotTabular):
        def __init__(self, data, **options):
            super().__init__(data, **options)
            if isinstance(data, pandas.DataFrame):
                asked.append(list(data.columns))

    monkeypatch.setattr(hvplot, "hvPlotTabular", Recording)
    frame.hvplot.line(x="x", y="y", color="red", width=300)
    frame.hvplot(x="x", y=["y"], hover_cols=["z"])
    frame.hvplot.table()
    frame.hvplot.hist()
    assert asked == [["x", "y"], ["x", "y", "z"], ["x", "y", "g", "z"], ["x", "y", "g", "z"]]


@pytest.mark.parametrize(
    ("kind", "x", "y", "options", "found"),
    [
        (None, "b", "a", {}, ["a", "b"]),
        ("hist", None, "b", {"by": ["d"]}, ["b", "d"]),
        ("line", "index", "a", {"c": "d", "title": "c"}, ["a", "c", "d"]),
        ("line", "b", "b.year", {}, None),
        ("line", "b", 0, {}, None),
        ("line", None, "a", {"use_index": False}, None),
        ("scatter", "a", "b", {"hover_cols": "all"}, None),
        ("scatter", "a", "b", {"color": object()}, None),
        ("heatmap", "a", "b", {}, None),
        ("box", None, None, {"by": "a"}, None),
    ],
)
def test_pictures_of_hvplot_get_named_columns_or_all(kind, x, y, options, found):
    assert columns_drawn(["a", "b", "c", "d"], kind, x, y, options) == found


@pytest.mark.parametrize("step", ["add", "multiply", "maximum", "minimum", "logical_and", "logical_or"])
def test_steps_of_numpy_reduce_columns(step):
    values = np.array([3, 0, 5])
    frame = ak.DataFrame({"a": ak.array(values)})
    wanted = getattr(np, step).reduce(values)
    for column in (frame["a"], frame.a):
        assert getattr(np, step).reduce(column) == wanted
        assert getattr(np, step).reduce(column, axis=0) == wanted
    with pytest.raises(TypeError):
        np.subtract.reduce(frame["a"])
    with pytest.raises(TypeError):
        np.add.reduce(frame["a"], initial=4)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("set_option", None),
        ("factorize", None),
        ("arang", "ak.arange"),
        ("dataframe", "ak.DataFrame"),
        ("concaten", "ak.concatenate"),
        ("group_by", "ak.GroupBy"),
        ("_arange", None),
    ],
)
def test_hints_name_what_is_near_or_nothing(name, hint):
    with pytest.raises(AttributeError) as told:
        getattr(ak, name)
    assert (hint is None and told.value.hint is None) or hint in told.value.hint


@pytest.mark.parametrize("index", [None, ak.array(["x", "y"])])
def test_columns_of_other_lengths_are_named(index):
    with pytest.raises(ak.errors.AlignmentError, match=r"^column 'b' has 1 row, 'a' has 2"):
        ak.DataFrame({"a": [1, 2], "b": [1]}, index=index)


def test_editors_complete_columns_and_settings():
    assert ak.DataFrame({"alpha": [1], "b c": [2]})._ipython_key_completions_() == ["alpha", "b c"]
    assert pd.DataFrame({"alpha": [1], 3: [2]})._ipython_key_completions_() == ["alpha", 3]
    assert dir(ak.config) == ["SETTINGS", "get", "set"]


@pytest.mark.parametrize("array", [ak.arange(5), ak.arange(4) / 2, ak.arange(3).persist()])
def test_numbers_go_to_readers_of_dlpack(array):
    found = np.from_dlpack(array)
    assert found.dtype == array.to_ndarray().dtype
    assert found.tolist() == array.tolist()


def test_rows_and_columns_are_taken_by_position_as_scikit_learn_takes_them():
    frame = ak.DataFrame({"a": [1, 2, 3], "b": ["x", "y", "z"]})
    assert frame.take([2, 0], axis=0)["a"].tolist() == [3, 1]
    assert list(frame.take([1], axis=1).columns) == ["b"]


def test_scikit_learn_splits_and_fits_frames_of_both_faces():
    selection = pytest.importorskip("sklearn.model_selection", reason="scikit-learn is not installed")
    linear = pytest.importorskip("sklearn.linear_model")
    for face in (ak, pd):
        frame = face.DataFrame({"a": list(range(20)), "y": [0] * 10 + [1] * 10})
        known, unknown, labels, wanted = selection.train_test_split(frame[["a"]], frame["y"], random_state=0)
        model = linear.LogisticRegression().fit(known, labels)
        assert model.score(unknown, wanted) > 0.7


class OfDlpack:
    """An array of another library, which has nothing but DLPack."""

    def __init__(self, numbers):
        self.numbers = numbers

    def __dlpack__(self, **options):
        return self.numbers.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.numbers.__dlpack_device__()


@pytest.mark.parametrize("take", [ak.array, ak.from_dlpack])
def test_arrays_of_other_libraries_come_by_dlpack(take):
    for numbers in (np.arange(3), np.array([1.5, np.nan]), np.arange(6).reshape(2, 3), np.arange(4, dtype=np.uint8)):
        found = take(OfDlpack(numbers)).to_ndarray()
        np.testing.assert_array_equal(found, numbers)
        assert found.dtype.kind == numbers.dtype.kind
    assert take(ak.arange(3)).tolist() == [0, 1, 2]
    assert take(OfDlpack(np.zeros(0))).size == 0


def test_what_hands_on_no_numbers_is_told():
    with pytest.raises(TypeError, match=r"a list hands on no numbers.*\n.*ak\.array"):
        ak.from_dlpack([1])


def test_tensors_become_arrays():
    torch = pytest.importorskip("torch")
    assert ak.array(torch.arange(6).reshape(2, 3)).tolist() == [[0, 1, 2], [3, 4, 5]]


def test_rows_are_samples_of_loaders(tmp_path):
    rows = {"x": np.arange(10) / 4, "label": np.arange(10) % 3, "t": np.array(list("abcdefghij"))}
    ak.DataFrame(rows).to_parquet(tmp_path / "rows")
    frame = ak.scan(tmp_path / "rows*")
    samples = pickle.loads(pickle.dumps(frame[frame["label"] != 1].to_torch()))
    kept = np.flatnonzero(rows["label"] != 1)
    assert len(samples) == len(kept)
    order = [5, 0, 3, 3]
    found = samples.__getitems__(order)
    assert found == [{name: values[kept[row]] for name, values in rows.items()} for row in order]
    assert [type(found[0][name]) for name in rows] == [np.float64, np.int64, np.str_]
    assert samples[2] == {name: values[kept[2]] for name, values in rows.items()}
    # A list of samples ends where the rows do.
    assert [one["label"] for one in samples] == rows["label"][kept].tolist()
    with pytest.raises(IndexError, match="there are 7 rows, and none at 7"):
        samples.__getitems__([1, 7])


def test_loaders_of_torch_make_tensors_of_rows():
    torch = pytest.importorskip("torch")
    samples = ak.DataFrame({"x": np.arange(5) / 2, "label": np.arange(5)}).to_torch()
    batches = list(torch.utils.data.DataLoader(samples, batch_size=2))
    assert [batch["label"].tolist() for batch in batches] == [[0, 1], [2, 3], [4]]
    assert [batch["x"].dtype for batch in batches] == [torch.float64] * 3


def test_names_that_packages_add_to_the_classes_of_pandas_are_found(monkeypatch):
    monkeypatch.setattr(pandas.DataFrame, "shown", property(len), raising=False)
    assert pd.DataFrame({"a": [1, 2]}).shown == 2
    with pytest.raises(AttributeError, match="nobody"):
        _ = pd.DataFrame({"a": [1, 2]}).nobody


def test_groups_are_shown_with_their_keys():
    groups = ak.DataFrame({"k": [1, 1], "v": [1, 2]}).groupby("k")
    assert repr(groups) == "<DataFrameGroupBy of 2 rows, 1 partition; keys: k; lazy>"
    assert repr(groups["v"]) == "<SeriesGroupBy of 2 rows, 1 partition; keys: k; lazy>"
    assert "<tr><th>k</th><td>int64</td></tr>" in groups["v"]._repr_html_()
    assert "DataFrameGroupBy" in groups._repr_html_()
    assert "SeriesGroupBy" in groups["v"]._repr_html_()
    assert "DataFrameGroupBy" not in groups["v"]._repr_html_()


@pytest.mark.parametrize("package", [ak, ak.io], ids=["akdask", "akdask.io"])
def test_editors_that_run_no_code_find_all_names(package):
    """They follow PEP 484: a stub passes on a name that it imports by ``as`` alone."""
    stub = Path(package.__file__).with_suffix(".pyi").read_text(encoding="utf-8")
    imports = [node for node in ast.parse(stub).body if isinstance(node, ast.ImportFrom)]
    assert [one.name for node in imports for one in node.names if one.asname is None] == []


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("ak.ara", "arange"),
        ("ak.arange(3).mea", "mean"),
        ("ak.DataFrame({'a': [1]}).gro", "groupby"),
        ("ak.DataFrame({'a': [1]}).groupby('a').si", "size"),
        ("ak.io.read_h", "read_hdf"),
    ],
)
def test_jedi_completes_names_without_running_code(code, name):
    jedi = pytest.importorskip("jedi")
    project = jedi.Project(Path(ak.__file__).parents[1])
    found = jedi.Script(f"import akdask as ak\n{code}", project=project).complete()
    assert name in [one.name for one in found]
