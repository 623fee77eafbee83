"""Arrays of uint8 wrap, compare and combine as NumPy's do, and files bring them back."""

import operator

import h5py
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask.errors import ArgumentTypeError
from akdask.testing import assert_equal
from akdask.testing.strategies import columns, elements, partition_lengths, partitioned

A = np.array([0, 1, 200, 255, 7], np.uint8)
B = np.array([1, 2, 100, 1, 3], np.uint8)
OPERATORS = ["add", "sub", "mul", "truediv", "floordiv", "mod", "and_", "or_", "xor", "eq", "ne", "lt", "ge"]
OTHERS = ["uint8", "int64", "uint64", "float64", "bool"]


@st.composite
def two_columns(draw):
    rows = draw(st.integers(0, 12))
    left, right = draw(columns("uint8", rows)), draw(columns(draw(st.sampled_from(OTHERS)), rows))
    lengths = draw(partition_lengths(rows))
    return (partitioned(left, lengths), left), (partitioned(right, lengths), right)


@pytest.mark.parametrize("name", OPERATORS)
@given(both=two_columns())
def test_operators_give_what_numpy_gives(name, both):
    (left, plain), (right, other) = both
    operate = getattr(operator, name)
    if name in ("and_", "or_", "xor") and other.dtype.kind == "f":
        return
    if name in ("floordiv", "mod") and not other.astype(bool).all():
        return
    with np.errstate(all="ignore"):
        assert_equal(operate(left, right), operate(plain, other), lazy=True)
        if plain.all():
            assert_equal(operate(right, left), operate(other, plain))


@given(columns("uint8", 6), elements("uint8").map(int))
def test_a_python_int_that_fits_is_of_the_type_of_the_array(plain, item):
    array = ak.array(plain)
    for operate in (operator.add, operator.sub, operator.mul, operator.lt, operator.eq):
        assert_equal(operate(array, item), operate(plain, item))
        assert_equal(operate(item, array), operate(item, plain))
    assert_equal(ak.where(array > item, array, item), np.where(plain > item, plain, item))


def test_other_ints_make_wide_numbers():
    assert_equal(ak.array(A) + 300, A.astype(int) + 300)
    assert_equal(ak.array(A) - 256, A.astype(int) - 256)
    assert_equal(ak.array(A) < 300, np.ones(5, bool))
    assert_equal(ak.array(A) > -1, np.ones(5, bool))


@pytest.mark.parametrize("dtype", ["uint8", np.uint8, ak.uint8, np.dtype("u1")])
def test_numbers_are_cut_to_bytes_where_they_are_cast(dtype):
    for values in ([300, -1, 5], [2**40 + 3, 255, 256]):
        found = ak.cast(ak.array(values), dtype)
        assert_equal(found, np.array(values).astype(np.uint8))
        assert (found == 44).tolist() == [item % 256 == 44 for item in values]
    with pytest.raises(ArgumentTypeError, match="not filled as uint8"):
        ak.zeros(2, dtype=dtype)
    assert ak.array([1, 2], dtype=dtype).dtype == np.uint8


@pytest.mark.parametrize("name", ["sum", "prod", "min", "max", "mean", "var", "any", "all", "argmin", "argmax"])
def test_reductions_have_the_types_of_numpy(name):
    found, wanted = getattr(ak.array(A), name)().value(), getattr(A, name)()
    assert (found, found.dtype) == (pytest.approx(wanted), wanted.dtype)


@given(columns("uint8"), st.data())
def test_groups_order_and_sets_are_those_of_numpy(plain, data):
    array = partitioned(plain, data.draw(partition_lengths(len(plain))))
    distinct, counts = np.unique(plain, return_counts=True)
    assert_equal(ak.unique(array), distinct)
    assert ak.value_counts(array)[1].tolist() == counts.tolist()
    assert_equal(ak.sort(array), np.sort(plain))
    assert ak.argsort(array).tolist() == np.argsort(plain, kind="stable").tolist()
    assert_equal(ak.cumsum(array), np.cumsum(plain, dtype=np.uint64))
    assert ak.in1d(array, ak.array(A)).tolist() == np.isin(plain, A).tolist()
    keys, most = ak.GroupBy(array % 3).max(array)
    assert (keys.dtype, most.dtype) == (np.uint8, np.uint8)
    assert most.tolist() == [plain[plain % 3 == key].max() for key in np.unique(plain % 3)]


def test_assignment_and_operators_in_place_keep_the_type():
    array = ak.array(A)
    array[array > 100] = ak.array([3, 2])
    array += 254
    assert_equal(array, np.array([254, 255, 1, 0, 5], np.uint8))


def test_bytes_are_positions():
    assert ak.arange(300)[ak.array(A)].tolist() == A.tolist()


def test_bytes_join_other_numbers_by_value():
    left, right = (
        ak.DataFrame({"k": ak.array(A), "a": ak.arange(5)}),
        ak.DataFrame({"k": [255, 256, 0], "b": [1, 2, 3]}),
    )
    assert left.merge(right, on="k").to_pandas()[["a", "b"]].to_numpy().tolist() == [[0, 3], [3, 1]]


MANY = np.arange(1000).astype(np.uint8)


@pytest.mark.parametrize("form", ["hdf", "parquet"])
def test_sets_bring_bytes_back(tmp_path, form):
    array = ak.concatenate([ak.array(MANY[:300]), ak.array(MANY[300:])])
    getattr(ak.DataFrame({"x": array, "y": array % 2 == 0}, index=array), f"to_{form}")(tmp_path / "set")
    frame = ak.DataFrame.load(tmp_path / "set")
    assert_equal(frame["x"], MANY)
    assert_equal(frame.index.values, MANY)
    assert int(frame["x"][frame["x"] > 250].sum()) == MANY[MANY > 250].sum()
    assert frame.to_pandas()["x"].dtype == np.uint8


def test_a_set_of_bytes_is_read_without_its_manifest_too(tmp_path):
    ak.array(MANY).to_hdf(tmp_path / "set")
    with h5py.File(tmp_path / "set_LOCALE0000") as file:
        assert (file["array"].dtype, file["array"].attrs["isBool"]) == (np.uint8, 0)
    with ak.config.set(manifest=False):
        assert_equal(ak.read_hdf(str(tmp_path / "set_LOCALE*"))["array"], MANY)


@pytest.mark.parametrize("options", [{}, {"use_dictionary": False, "compression": "none"}, {"compression": "zstd"}])
def test_bytes_of_other_writers_of_parquet_are_wide_as_on_servers_and_stay_bytes_in_scans(tmp_path, options):
    pq.write_table(pa.table({"x": MANY, "y": pa.array(MANY, pa.uint8(), mask=MANY == 3)}), tmp_path / "x", **options)
    path = str(tmp_path / "x")
    for found, dtype in ((ak.read_parquet(path), np.uint64), (ak.scan(path), np.uint8)):
        assert_equal(found["x"], MANY.astype(dtype))
        assert_equal(found["y"], np.where(MANY == 3, np.nan, MANY))
        assert int(found["x"][found["x"] > 250].sum()) == MANY[MANY > 250].sum()


def test_servers_are_given_parquet_columns_that_they_read(tmp_path):
    ak.to_parquet({"x": ak.array(MANY), "s": ak.SegArray(ak.arange(1000), ak.array(MANY))}, str(tmp_path / "set"))
    stored = pq.read_schema(tmp_path / "set_LOCALE0000")
    assert (stored.field("x").type, stored.field("s").type.value_type) == (pa.uint64(), pa.uint64())
    found = ak.read_parquet(str(tmp_path / "set_LOCALE*"))
    assert_equal(found["x"], MANY)
    assert_equal(found["s"].values, MANY)


def test_files_of_bytes_and_of_wider_numbers_make_one_column(tmp_path):
    pq.write_table(pa.table({"x": MANY[:5]}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"x": [2**40]}), tmp_path / "b.parquet")
    found = ak.read_parquet(str(tmp_path / "*.parquet"))
    assert_equal(found["x"], np.array([0, 1, 2, 3, 4, 2**40]))
