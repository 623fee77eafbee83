"""Files that pandas wrote: read as pandas itself reads them, and never unpickled, whatever is in them."""

import importlib
import pickle
import sys

import h5py
import numpy as np
import pandas as pd
import pytest

import akdask as ak
from akdask.errors import AkdaskError, FileFormatError, UnsupportedError
from akdask.formats.hdf5.pandas_file import Opaque, literal, read_frame

pytest.importorskip("tables", reason="PyTables is not installed; pip install 'akdask[pytables]'")
pytestmark = pytest.mark.filterwarnings("ignore")  # of PyTables and pandas, at what is pickled

LAYOUTS = ["fixed", "table"]


class Evil:
    """Makes a file where it is unpickled."""

    def __init__(self, marker):
        self.marker = str(marker)

    def __reduce__(self):
        return open, (self.marker, "w")


@pytest.fixture
def marker(tmp_path, monkeypatch):
    """Return a path that must not come to be, with all ways to unpickle made to fail."""
    path = tmp_path / "was run"
    yield path
    assert not path.exists()


@pytest.fixture
def no_pickle(monkeypatch):
    def forbid():
        def fail(*_, **__):
            raise AssertionError("something is unpickled")

        for name in ("loads", "load", "Unpickler", "_loads", "_load", "_Unpickler"):
            monkeypatch.setattr(pickle, name, fail)
        monkeypatch.setattr(pd, "read_hdf", fail)
        monkeypatch.setattr(importlib, "import_module", fail)

    return forbid


def numbers():
    return pd.DataFrame(
        {
            "n": [3, -1, 2**40],
            "u": np.array([0, 2**63, 1], np.uint64),
            "i8": np.array([1, -1, 0], np.int8),
            "x": [0.5, np.nan, -np.inf],
            "f": np.array([0.5, 1, 2], np.float32),
            "b": [True, False, True],
            "m": [1, 2, 3],
            "t": pd.to_datetime(["2020-01-01 01:02:03.000004", None, "1950-01-01 00:00:00.0"]).astype("M8[us]"),
            "d": pd.to_timedelta([1, None, -3], "s").astype("m8[ns]"),
        }
    )


def texts():
    return numbers().assign(
        s=["tcp", None, "ö"],
        e=["", "nan", "日本"],
        c=pd.Categorical(["b", None, "a"]),
        k=pd.Categorical([7, 5, 7]),
    )


INDEXES = {
    "range": pd.RangeIndex(3),
    "numbers": pd.Index([10, 20, 30], name="id"),
    "floats": pd.Index([1.5, np.inf, 0]),
    "text": pd.Index(["a", "", "ö"], name="key"),
    "times": pd.date_range("2020", periods=3, freq="D", name="when"),
    "durations": pd.timedelta_range("1s", periods=3),
}


def same(path):
    """Compare with what pandas reads, which is the reference."""
    expected, found = pd.read_hdf(path), read_frame(str(path))
    if isinstance(expected, pd.Series):
        expected = expected.to_frame()
    pd.testing.assert_frame_equal(found, expected, check_dtype=False, check_index_type=False, check_freq=False)
    for name, column in expected.items():
        if isinstance(column.dtype, pd.CategoricalDtype):
            assert found[name].cat.categories.tolist() == column.cat.categories.tolist()
        elif column.dtype.kind in "biufmM":
            assert found[name].dtype == column.dtype
    return found


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("index", INDEXES)
def test_numbers_and_times_are_read_as_pandas_reads_them(tmp_path, layout, index):
    numbers().set_axis(INDEXES[index]).to_hdf(tmp_path / "x.h5", key="data", format=layout)
    assert same(tmp_path / "x.h5").index.name == INDEXES[index].name


@pytest.mark.parametrize("columns", [None, ["n", "s", "b"], True])
def test_text_and_categories_of_tables_are_read_as_pandas_reads_them(tmp_path, columns):
    texts().to_hdf(tmp_path / "x.h5", key="deep/data", format="table", data_columns=columns, index=False)
    found = same(tmp_path / "x.h5")
    assert found["s"].isna().tolist() == [False, True, False]
    assert found["e"].tolist() == ["", "nan", "日本"]


def test_what_stands_for_missing_text_is_a_choice_of_the_writer(tmp_path):
    frame = pd.DataFrame({"s": ["nan", None, "-"]})
    frame.to_hdf(tmp_path / "x.h5", key="k", format="table", nan_rep="-")
    same(tmp_path / "x.h5")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_series_and_their_names_are_read_as_pandas_reads_them(tmp_path, layout):
    for name in ("x", None):
        pd.Series([1.5, 2.5], name=name).to_hdf(tmp_path / f"{name}.h5", key="a", format=layout)
        same(tmp_path / f"{name}.h5")


def test_empty_frames_are_read_as_pandas_reads_them(tmp_path):
    numbers().iloc[:0].to_hdf(tmp_path / "rows.h5", key="a", format="fixed")
    assert same(tmp_path / "rows.h5").shape == (0, 9)


def test_compressed_tables_and_appended_ones_are_read(tmp_path):
    for start in range(3):
        pd.DataFrame({"n": np.arange(1000) * start, "s": [f"{start}"] * 1000}).to_hdf(
            tmp_path / "x.h5", key="a", format="table", append=True, complevel=9, complib="zlib", min_itemsize=4
        )
    assert len(same(tmp_path / "x.h5")) == 3000


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_times_of_zones_come_in_utc(tmp_path, layout, zone):
    when = pd.date_range("2020-06-01", periods=3, tz=zone)
    pd.DataFrame({"t": when, "n": [1, 2, 3]}, index=when).to_hdf(tmp_path / "x.h5", key="a", format=layout)
    found = read_frame(str(tmp_path / "x.h5"))
    np.testing.assert_array_equal(found["t"].to_numpy(), when.tz_convert(None).to_numpy())
    np.testing.assert_array_equal(found.index.to_numpy(), when.tz_convert(None).to_numpy())


def test_columns_that_pandas_pickles_are_refused_by_name(tmp_path, no_pickle):
    texts().drop(columns=["c", "k"]).to_hdf(tmp_path / "x.h5", key="a", format="fixed")
    no_pickle()
    with pytest.raises(UnsupportedError, match="pickled") as caught:
        ak.import_data(tmp_path / "x.h5")
    assert {name for line in caught.value.details for name in line.split()} == {"'s'", "'e'"}
    assert "format='table'" in caught.value.hint


@pytest.mark.parametrize("kind", ["column", "labels", "series"])
def test_pickled_objects_are_not_unpickled(tmp_path, marker, no_pickle, kind):
    evil = [Evil(marker)] * 2
    frame = pd.DataFrame({"n": [1, 2]})
    match kind:
        case "column":
            frame["evil column"] = pd.Series(evil, dtype=object)
        case "labels":
            frame.index = pd.Index(evil, dtype=object)
        case "series":
            frame = pd.Series(evil, dtype=object, name="evil column")
    frame.to_hdf(tmp_path / "x.h5", key="a", format="fixed")
    no_pickle()
    with pytest.raises(UnsupportedError, match="pickled") as caught:
        ak.import_data(tmp_path / "x.h5")
    assert ("axis1" if kind == "labels" else "evil column") in str(caught.value)


def attributes(path):
    """Return all attributes of all nodes of a file."""
    found = []
    with h5py.File(path) as file:
        nodes = ["/"]
        file.visit(nodes.append)
        for node in nodes:
            if "_i_table" not in node:
                found += [(node, name) for name in file[node].attrs]
    return found


@pytest.mark.parametrize("protocol", [0, 4])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_no_attribute_is_unpickled(tmp_path, marker, no_pickle, layout, protocol):
    frame = numbers()[["n", "t"]] if layout == "fixed" else texts()[["n", "t", "s", "c"]]
    frame.set_axis(INDEXES["numbers"]).to_hdf(tmp_path / "x.h5", key="a", format=layout)
    expected = pd.read_hdf(tmp_path / "x.h5")
    raw = (tmp_path / "x.h5").read_bytes()
    planted = [*attributes(tmp_path / "x.h5"), ("a", "planted"), ("/", "planted")]
    pickled = pickle.dumps(Evil(marker), protocol)
    no_pickle()
    read = 0
    for node, name in planted:
        (tmp_path / "x.h5").write_bytes(raw)
        with h5py.File(tmp_path / "x.h5", "r+") as file:
            file[node].attrs[name] = np.bytes_(pickled)
        try:
            found = read_frame(str(tmp_path / "x.h5"))
        except AkdaskError:
            continue
        read += 1
        assert found.shape == expected.shape
        assert found["n"].tolist() == expected["n"].tolist()
    assert read > 10


def test_names_that_are_pickled_objects_are_refused_by_the_attribute(tmp_path, marker, no_pickle):
    numbers().to_hdf(tmp_path / "x.h5", key="a", format="table")
    with h5py.File(tmp_path / "x.h5", "r+") as file:
        file["a/table"].attrs["values_block_0_kind"] = np.bytes_(pickle.dumps(Evil(marker), 0))
    no_pickle()
    with pytest.raises(UnsupportedError, match=r"values_block_0_kind.*pickled") as caught:
        read_frame(str(tmp_path / "x.h5"))
    assert "open" in caught.value.details[0]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("names", [["p", "q"], ["p", None]])
def test_labels_of_several_levels_are_those_of_pandas(tmp_path, layout, names):
    levels = pd.MultiIndex.from_tuples([("a", 1), ("a", 2), ("b", 1)], names=names)
    frame = numbers().set_axis(levels)
    frame.to_hdf(tmp_path / "x.h5", key="a", format=layout)
    found = read_frame(str(tmp_path / "x.h5"))
    pd.testing.assert_frame_equal(found, pd.read_hdf(tmp_path / "x.h5"), check_dtype=False, check_index_type=False)
    imported = ak.import_data(tmp_path / "x.h5")
    assert imported["p"].tolist() == ["a", "a", "b"]
    assert imported[names[1] or "level_1"].tolist() == [1, 2, 1]


def test_levels_are_some_or_all_of_the_columns(tmp_path):
    levels = pd.MultiIndex.from_tuples([("a", 1), ("a", 2), ("b", 1)], names=["p", "q"])
    pd.DataFrame({"n": [1, 2, 3]}, levels).to_hdf(tmp_path / "x.h5", key="a", format="table")
    for names, columns in ((["p", "q"], ["n"]), (["q"], ["p", "n"]), (["n", "q", "p"], [])):
        with pd.HDFStore(tmp_path / "x.h5", "r+") as store:
            store.get_node("a")._v_attrs.levels = names
        found = read_frame(str(tmp_path / "x.h5"))
        assert (list(found.index.names), sorted(found.columns)) == (names, sorted(columns))
        everything = found.reset_index()
        assert everything[["p", "q", "n"]].values.tolist() == [["a", 1, 1], ["a", 2, 2], ["b", 1, 3]]
    with pd.HDFStore(tmp_path / "x.h5", "r+") as store:
        store.get_node("a")._v_attrs.levels = ["p", "z"]
    with pytest.raises(FileFormatError, match="none of its columns"):
        read_frame(str(tmp_path / "x.h5"))


def test_positions_beyond_the_labels_of_a_level_are_an_error(tmp_path):
    levels = pd.MultiIndex.from_tuples([("a", 1), ("a", 2), ("b", 1)])
    numbers().set_axis(levels).to_hdf(tmp_path / "x.h5", key="a", format="fixed")
    with h5py.File(tmp_path / "x.h5", "r+") as file:
        file["a/axis1_label1"][0] = 2
    with pytest.raises(FileFormatError, match="code max"):
        read_frame(str(tmp_path / "x.h5"))


def test_labels_by_periods_are_refused(tmp_path):
    periods = pd.period_range("2020", periods=3, freq="M")
    for layout in LAYOUTS:
        for number, frame in enumerate((numbers().set_axis(periods), numbers().assign(p=periods))):
            path = tmp_path / f"{layout}{number}.h5"
            frame.to_hdf(path, key="a", format=layout)
            with pytest.raises(UnsupportedError, match="period"):
                read_frame(str(path))


def test_sizes_that_are_not_there_are_refused(tmp_path):
    numbers().to_hdf(tmp_path / "x.h5", key="a", format="fixed")
    with h5py.File(tmp_path / "x.h5", "r+") as file:
        del file["a/axis1"]
        file["a"].create_dataset("axis1", (2**45,), "i8", chunks=(1024,))
        file["a/axis1"].attrs.update({"kind": np.bytes_("integer"), "transposed": 1})
    with pytest.raises(FileFormatError, match="which are not there"):
        read_frame(str(tmp_path / "x.h5"))


def test_bytes_of_other_files_are_not_read(tmp_path):
    (tmp_path / "secret").write_bytes(bytes(24))
    numbers().to_hdf(tmp_path / "x.h5", key="a", format="fixed")
    numbers().to_hdf(tmp_path / "other.h5", key="a", format="fixed")
    raw = (tmp_path / "x.h5").read_bytes()
    for plant, error in (
        (
            lambda group: group.create_dataset("axis1", (3,), "i8", external=[(str(tmp_path / "secret"), 0, 24)]),
            "other",
        ),
        (
            lambda group: group.__setitem__("axis1", h5py.ExternalLink(str(tmp_path / "other.h5"), "/a/axis1")),
            "missing",
        ),
        (lambda group: group.__setitem__("axis1", h5py.SoftLink("/a/axis0")), "missing"),
    ):
        (tmp_path / "x.h5").write_bytes(raw)
        with h5py.File(tmp_path / "x.h5", "r+") as file:
            kept = dict(file["a/axis1"].attrs)
            del file["a/axis1"]
            plant(file["a"])
            if error == "other":
                file["a/axis1"].attrs.update(kept)
        with pytest.raises(AkdaskError, match=error):
            read_frame(str(tmp_path / "x.h5"))


def test_objects_are_found_in_groups_of_any_name(tmp_path):
    frame = pd.DataFrame({"c": pd.Categorical(["x", "y", "x"]), "n": [1, 2, 3]})
    for number, key in enumerate(("meta", "a/meta", "meta/meta/b")):
        # The categories of a table are objects below it, which are not asked for.
        frame.to_hdf(tmp_path / f"{number}.h5", key=key, format="table")
        found = ak.import_data(str(tmp_path / f"{number}.h5"))
        assert found["n"].tolist() == [1, 2, 3]
    frame[["n"]].to_hdf(tmp_path / "2.h5", key="meta/meta/b/c", format="table")
    with pytest.raises(FileFormatError, match="several objects"):
        ak.import_data(str(tmp_path / "2.h5"))


def test_groups_that_contain_themselves_come_to_an_end(tmp_path):
    numbers().to_hdf(tmp_path / "x.h5", key="a", format="fixed")
    with h5py.File(tmp_path / "x.h5", "r+") as file:
        file["a/again"] = file["/"]
        file["again"] = file["/a"]
    assert read_frame(str(tmp_path / "x.h5")).shape == (3, 9)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_damaged_files_are_errors_or_read(tmp_path, layout):
    frame = numbers() if layout == "fixed" else texts()
    frame.to_hdf(tmp_path / "x.h5", key="a", format=layout, index=False)
    raw = (tmp_path / "x.h5").read_bytes()
    random = np.random.default_rng(0)
    refused = 0
    for _ in range(100):
        damaged = bytearray(raw)
        for place in random.integers(0, len(raw), 20):
            damaged[place] = random.integers(256)
        (tmp_path / "x.h5").write_bytes(damaged)
        try:
            read_frame(str(tmp_path / "x.h5"))
        except AkdaskError:
            refused += 1
    assert refused


VALUES = [
    None,
    True,
    [],
    {},
    (),
    [(0, "index")],
    [(1, ["n", "ö", "日本", 5, 1.5, -1, 2**70])],
    {1: {"names": [None], "type": "Index"}, "index": {"index_name": "id"}},
    [["shared"]] * 3,
]


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("value", VALUES, ids=str)
def test_pickles_of_plain_values_say_what_they_are(value, protocol):
    assert literal(pickle.dumps(value, protocol)) == value


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_objects_within_plain_values_are_only_named(protocol, marker):
    found = literal(pickle.dumps({"a": 1, "evil": Evil(marker), "b": [np.float64(2)]}, protocol))
    assert (found["a"], type(found["evil"]), type(found["b"][0])) == (1, Opaque, Opaque)
    assert "open" in found["evil"].name


def test_what_is_no_pickle_is_told():
    random = np.random.default_rng(0)
    for size in range(200):
        try:
            literal(random.integers(0, 256, size, np.uint8).tobytes())
        except ValueError:
            continue
    for raw in (b"", b".", b"text.", b"(lp0\na.", b"g7\n.", b"]I1\ns."):
        with pytest.raises(ValueError, match="pickle"):
            literal(raw)


NUMBERS = {"zlib": 1, "bzip2": 307, "blosc": 32001, "blosc:zstd": 32001}
"""The filters of PyTables, as registered with the HDF Group."""


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("library", NUMBERS)
def test_chunks_of_all_libraries_of_pandas_are_unpacked(tmp_path, layout, library):
    frame = pd.DataFrame({"n": np.arange(5000) % 7, "x": np.arange(5000) / 3, "b": np.arange(5000) % 2 == 0})
    frame = frame.assign(s=[f"é{number % 9}" for number in range(5000)]) if layout == "table" else frame
    frame.to_hdf(tmp_path / "x.h5", key="k", format=layout, complib=library, complevel=9)
    with h5py.File(tmp_path / "x.h5") as file:
        packed = file["k/table" if layout == "table" else "k/block0_values"].id.get_create_plist()
        assert NUMBERS[library] in [packed.get_filter(number)[0] for number in range(packed.get_nfilters())]
    pd.testing.assert_frame_equal(read_frame(str(tmp_path / "x.h5")), pd.read_hdf(tmp_path / "x.h5", "k"))
    pd.testing.assert_frame_equal(ak.scan(tmp_path / "x.h5").to_pandas(), frame)


def test_a_filter_that_is_not_installed_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "hdf5plugin", None)
    pd.DataFrame({"n": range(100)}).to_hdf(tmp_path / "x.h5", key="k", format="table", complib="blosc2", complevel=5)
    with pytest.raises(UnsupportedError, match=r"packed by Blosc2.*pip install 'hdf5plugin'"):
        ak.import_data(tmp_path / "x.h5")
