"""Columns as they are stored: types, dictionaries and what is noted of them, and where a dictionary pays."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from akdask.columns.bigint import from_ints, to_ints
from akdask.columns.dtypes import (
    BIGINT,
    BOOL,
    FLOAT64,
    INT64,
    NULLABLE_INT64,
    NULLABLE_STR,
    STR,
    UINT8,
    UINT64,
    list_of,
)
from akdask.columns.nullable import NullableColumn
from akdask.columns.strings import from_nulls
from akdask.errors import AkdaskError, ArgumentError, SchemaError, UnsupportedError
from akdask.formats.parquet import write
from akdask.storage.objects import ObjectSpec, ObjType

LABELS = pa.array(["b", "a", "c", "N/A"], pa.large_string())


def categorical(codes, *, labels=LABELS, na=3, ordered=False, as_strings=False):
    spec = ObjectSpec(
        "c", ObjType.CATEGORICAL, {"codes": 0}, {"categories": 1, "NA_Codes": 2}, params={"ordered": ordered}
    )
    tables = {1: labels, 2: np.array([na])}
    return write.encode_column(spec, {0: np.array(codes, np.int64)}, tables, as_strings=as_strings)


@pytest.mark.parametrize("codes", [[], [0, 2, 1, 1], [3, 0, 3]])
def test_codes_and_labels_are_a_dictionary(codes):
    found = categorical(codes)
    assert found.values.type == pa.dictionary(pa.int32(), pa.large_string())
    assert found.values.to_pylist() == [LABELS[code].as_py() for code in codes]
    assert (found.field.name, found.field.nullable) == ("c", True)
    assert (found.annotation.labels, found.annotation.na, found.annotation.ordered) == (
        ("b", "a", "c", "N/A"),
        3,
        False,
    )
    assert categorical(codes, as_strings=True).annotation is None


@pytest.mark.parametrize("na", [0, 1, 3])
def test_an_order_has_no_place_for_missing_ones(na):
    codes = [0, 1, 2, 3, na]
    found = categorical(codes, na=na, ordered=True)
    labels = LABELS.to_pylist()
    assert found.values.type.ordered
    assert found.values.to_pylist() == [None if code == na else labels[code] for code in codes]
    assert found.values.dictionary.to_pylist() == [label for code, label in enumerate(labels) if code != na]
    assert (found.annotation.na, found.annotation.ordered) == (na, True)


@pytest.mark.parametrize("codes", [[-1], [4], [0, 5], [-7, 2]])
def test_codes_without_a_label_are_refused(codes):
    with pytest.raises(SchemaError, match="codes that name none of its categories") as error:
        categorical(codes)
    assert error.value.details == (f"codes from {min(codes)} to {max(codes)}, 4 categories",)


def test_labels_are_noted_up_to_a_size_and_taken_up_to_a_number(monkeypatch):
    for most, is_noted in ((LABELS.nbytes, True), (LABELS.nbytes - 1, False)):
        monkeypatch.setattr(write, "MOST_LABELS", most)
        assert (categorical([0]).annotation.labels is not None) == is_noted
    for most, fits in ((5, True), (4, False)):
        monkeypatch.setattr(write, "_MOST_CODES", most)
        if fits:
            categorical([0])
        else:
            with pytest.raises(UnsupportedError, match="4 categories, more than Parquet takes"):
                categorical([0])


def stored(column, dtype, kind=ObjType.PDARRAY, limbs=None, **params):
    tables = {} if limbs is None else {"Limbs": 1}
    name = next(iter({write.LIMBS: 1})) if limbs is not None else None
    spec = ObjectSpec("x", kind, {write.VALUES: 0}, {name: 1} if name else tables, dtype, params=params)
    return write.encode_column(spec, {0: column}, {1: np.array([limbs - 1])} if limbs else {}, as_strings=False)


LISTS = pa.array([[1, 2], [], [3]], pa.large_list(pa.int64()))

COLUMNS = {
    "int64": (np.array([1, -2]), INT64, pa.int64(), [1, -2], False),
    "uint8": (np.array([1, 255], np.uint8), UINT8, pa.uint64(), [1, 255], False),
    "uint64": (np.array([2**63], np.uint64), UINT64, pa.uint64(), [2**63], False),
    "bool": (np.array([True, False]), BOOL, pa.bool_(), [True, False], False),
    "float64": (np.array([0.5]), FLOAT64, pa.float64(), [0.5], False),
    "text": (pa.array(["a"], pa.large_string()), STR, pa.large_string(), ["a"], True),
    "missing text": (
        from_nulls(pa.array(["a", None], pa.large_string())),
        NULLABLE_STR,
        pa.large_string(),
        ["a", None],
        True,
    ),
    "missing integers": (
        NullableColumn(np.array([1, 0]), np.array([False, True])),
        NULLABLE_INT64,
        pa.int64(),
        [1, None],
        True,
    ),
    "lists": (LISTS, list_of(INT64), pa.large_list(pa.int64()), [[1, 2], [], [3]], True),
    "part of lists": (LISTS.slice(1), list_of(INT64), pa.large_list(pa.int64()), [[], [3]], True),
    "no lists": (LISTS.slice(0, 0), list_of(INT64), pa.large_list(pa.int64()), [], True),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_columns_are_stored_in_types_that_servers_read(name):
    column, dtype, wanted, items, nullable = COLUMNS[name]
    found = stored(column, dtype)
    assert (found.field.type, found.values.type) == (wanted, wanted)
    assert found.values.to_pylist() == items
    assert found.field.nullable == nullable
    assert (found.annotation is not None) == (dtype == UINT8)


def test_integers_of_any_size_are_limbs_of_one_width():
    found = stored(from_ints([5, 2**70]), BIGINT, limbs=3)
    assert found.field.type == pa.binary(24)
    assert to_ints(found.values) == [5, 2**70]
    assert found.annotation.is_bigint
    bytes_of = stored(pa.array([[1, 2], []], pa.large_list(pa.uint8())), list_of(UINT8))
    assert bytes_of.values.type == pa.large_list(pa.uint64())
    assert bytes_of.values.to_pylist() == [[1, 2], []]
    assert bytes_of.annotation.is_uint8
    empty = stored(pa.array([[], []], pa.large_list(pa.null())), list_of(FLOAT64))
    assert empty.values.type == pa.large_list(pa.float64())
    with pytest.raises(SchemaError, match="has no type"):
        stored(np.arange(2), None)


@pytest.mark.parametrize(
    ("unit", "zone", "type_", "noted"),
    [
        ("ns", None, pa.int64(), True), ("us", None, pa.timestamp("us"), True),
        ("ms", "Europe/Paris", pa.timestamp("ms", "UTC"), True),
        ("s", None, pa.timestamp("ms"), True), ("s", "UTC", pa.timestamp("ms", "UTC"), True),
        ("ns", "UTC", pa.timestamp("ns", "UTC"), True),
    ],
)  # fmt: skip
def test_times_have_units_of_parquet(unit, zone, type_, noted):
    params = {"unit": unit} | ({} if zone is None else {"zone": zone})
    column = np.array([-(2**63), 5, -3])
    found = stored(column, INT64, ObjType.DATETIME, **params)
    assert found.field.type == type_
    assert found.annotation.kind == ObjType.DATETIME
    if pa.types.is_timestamp(type_):
        numbers = found.values.cast(pa.int64()).to_pylist()
        assert numbers == [None, *[number * (1000 if unit == "s" else 1) for number in (5, -3)]]
        assert found.annotation.zone == zone
    else:
        assert found.values.to_pylist() == column.tolist()
    assert (stored(column, INT64, ObjType.TIMEDELTA, unit="ms").annotation.unit) == "ms"
    assert (stored(column, INT64, ObjType.TIMEDELTA, unit="ns").annotation.unit) is None
    assert stored(column, INT64, ObjType.PDARRAY, unit="ms").annotation is None
    assert noted


def test_text_leaves_are_named_by_their_paths():
    of = write.text_leaves
    assert of(pa.field("x", pa.large_string())) == ["x"]
    assert of(pa.field("x", pa.dictionary(pa.int32(), pa.large_string()))) == ["x"]
    assert of(pa.field("x", pa.large_list(pa.large_string()))) == ["x.list.element"]
    assert of(pa.field("x", pa.large_list(pa.int64()))) == []
    assert of(pa.field("x", pa.int64())) == []


@pytest.mark.parametrize(
    ("specs", "told"),
    [
        ([], "nothing to write"), ([("", ObjType.PDARRAY)], "columns of these names"),
        ([("\ud800", ObjType.PDARRAY)], "columns of these names"),
        ([("a", ObjType.PDARRAY), ("b", ObjType.STRINGS), ("a", ObjType.STRINGS)], "two columns have the same name"),
        ([("a", ObjType.DATAFRAME)], "no column of a Parquet file can hold"), ([("a", ObjType.GROUPBY)], "no column"),
    ],
)  # fmt: skip
def test_what_is_no_column_is_refused(specs, told):
    with pytest.raises((ArgumentError, UnsupportedError), match=told):
        write.check_specs([ObjectSpec(name, kind) for name, kind in specs])


def test_shapes_and_indexes_of_one_level_are_columns():
    level = {"Idx_0": ObjectSpec("a", ObjType.PDARRAY)}
    write.check_specs(
        [ObjectSpec("a", ObjType.PDARRAY, params={"shape": (3,)}), ObjectSpec("b", ObjType.INDEX, children=level)]
    )
    for spec in (
        ObjectSpec("a", ObjType.PDARRAY, params={"shape": (3, 1)}), ObjectSpec("a", ObjType.INDEX),
        ObjectSpec("a", ObjType.INDEX, children=level | {"Idx_1": ObjectSpec("b", ObjType.PDARRAY)}),
    ):  # fmt: skip
        with pytest.raises(UnsupportedError):
            write.check_specs([spec])
    assert issubclass(UnsupportedError, AkdaskError)


def chunks(*parts):
    return pa.chunked_array([pa.array(part) for part in parts])


@pytest.mark.parametrize(
    ("column", "runs"),
    [
        (chunks([1, 1, 2, 2, 1]), 3), (chunks([1, None, 1, 2]), 2), (chunks([1, 1], [1, 2]), 2), (chunks([5]), 1),
        (chunks([None, 4], [4, None]), 1), (chunks(["a", "b"], ["b"]), 2), (pa.chunked_array([], pa.int64()), 0),
    ],
)  # fmt: skip
def test_runs_of_equal_values_are_counted(column, runs):
    assert write._count_runs(column) == runs


@pytest.mark.parametrize(
    ("column", "repeats"),
    [
        (chunks([]), False), (chunks([None, None]), False), (chunks([True, False] * 50), False),
        (chunks([[1]] * 50), False),
        (chunks([7] * 128), True), (chunks([7] * 127), False), (chunks([7, 8] * 128), True),
        (chunks(list(range(100))), False),
        (chunks(["a long text", "another long text"] * 4), True), (chunks([0, 2**40, 1, 2**41] * 3), True),
        (chunks([0, 2**40, 1, 2**41] * 4), True),
    ],
)  # fmt: skip
def test_dictionaries_pay_where_values_repeat(column, repeats):
    assert write.has_repeats(column) == repeats


@pytest.mark.parametrize(
    ("values", "repeats"),
    [
        # Of twelve wide values two thirds may be distinct.
        ([*range(8), *range(4)], True), ([*range(9), *range(3)], False),
        # Four narrow values take as much as their codes and the dictionary up to twelve of them.
        ([n % 4 for n in range(12)], False), ([n % 4 for n in range(13)], True),
    ],
)  # fmt: skip
def test_dictionaries_pay_where_they_are_smaller(values, repeats):
    wide = [value * 2**50 for value in values]
    given = values if max(values) == 3 else wide
    assert write.has_repeats(chunks(given)) == repeats
    assert write.has_repeats(pa.chunked_array([pa.array(given).cast(pa.timestamp("us"))])) == repeats
