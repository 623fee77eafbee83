"""netCDF-4 files, opened as frames: what they mean by attributes, beside what xarray makes of these."""

import warnings

import h5py
import numpy as np
import pandas as pd
import pytest
import xarray as xr

import akdask as ak
import akdask.pandas as face
from akdask.errors import AlignmentError

NO_VARIABLE = "This is a netCDF dimension but not a netCDF variable         4"


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "x.nc")


def write(path, coordinates, variables):
    """Write coordinates, None for a length alone, and variables of their dimensions, with attributes."""
    with h5py.File(path, "w") as file:
        file.attrs["_NCProperties"] = "version=2"
        for name, values in coordinates.items():
            made = file.create_dataset(name, data=np.zeros(values, "f4") if isinstance(values, int) else values)
            made.make_scale(NO_VARIABLE if isinstance(values, int) else name)
        for name, (dimensions, values, attributes) in variables.items():
            made = file.create_dataset(name, data=values)
            made.attrs.update(attributes)
            for axis, dimension in enumerate(dimensions):
                made.dims[axis].attach_scale(file[dimension])


@pytest.mark.parametrize(
    ("values", "attributes"),
    [
        (np.array([1, -9, 300], "i2"), {"_FillValue": np.int16(-9)}),
        (np.array([1, -9, 300], "i2"), {"_FillValue": np.array([-9], "i2"), "scale_factor": 0.5, "add_offset": 100.0}),
        (np.array([1, -9, 300], "i2"), {"scale_factor": 0.1}),
        (np.array([1, -9, 300], "i2"), {"add_offset": np.float32(2)}),
        (np.array([1, -9, 300], "i4"), {"missing_value": 300}),
        (np.array([0.1, 1e20, np.nan], "f4"), {"_FillValue": np.float32(1e20)}),
        (np.array([0.1, 1e20, np.nan], "f4"), {"missing_value": 1e20}),
        (np.array([0.5, 1.5, 2.5]), {"_FillValue": np.nan}),
        (np.array([1, -1, -128], "i1"), {"_Unsigned": "true", "_FillValue": np.int8(-1)}),
        (np.array([1, 2, 3]), {"units": "m"}),
    ],
)
def test_numbers_are_what_attributes_say(path, values, attributes):
    write(path, {"t": np.array([10.0, 20.0, 30.0])}, {"v": (["t"], values, attributes)})
    plain = {name: value[0] if isinstance(value, np.ndarray) else value for name, value in attributes.items()}
    if "missing_value" in plain:
        plain["missing_value"] = values.dtype.type(plain["missing_value"])
    expected = xr.decode_cf(xr.Dataset({"v": ("t", values, plain)}))["v"].to_numpy().astype(float)
    found = ak.scan(path)
    np.testing.assert_allclose(found["v"].to_ndarray().astype(float), expected, rtol=1e-6)
    assert found.index.tolist() == [10, 20, 30]
    seen = face.scan(path)
    assert seen.index.name == "t"
    np.testing.assert_allclose(seen["v"].to_pandas().astype(float), expected, rtol=1e-6)
    assert ak.read_hdf(path)["v"].tolist() == pytest.approx(values.tolist(), nan_ok=True)


def test_integers_that_may_be_missing_stay_exact(path):
    wide = 2**60 + 1
    write(
        path, {"t": 3}, {"v": (["t"], np.array([wide, -9, 7]), {"_FillValue": np.array([-9]), "missing_value": [7, 8]})}
    )
    found = ak.scan(path)["v"]
    assert found.isna().tolist() == [False, True, True]
    assert found.fillna(0).tolist() == [wide, 0, 0]


def test_each_element_of_several_dimensions_is_a_row(path):
    numbers = np.arange(24, dtype="i2").reshape(3, 2, 4)
    write(
        path,
        {"t": np.array([10, 20, 30]), "lat": np.array([1.5, 2.5], "f4"), "x": 4},
        {
            "v": (["t", "lat", "x"], numbers, {"_FillValue": np.int16(5), "scale_factor": 2.0}),
            "w": (["t", "lat", "x"], numbers + 1, {}),
            "n": (["t"], np.arange(3), {}),
        },
    )
    with pytest.warns(RuntimeWarning, match=r"'n': shape \(3,\)") as told:
        found = ak.scan(path)
    assert len(told) == 1
    data = xr.Dataset(
        {
            "v": (["t", "lat", "x"], np.where(numbers == 5, np.nan, 2.0 * numbers)),
            "w": (["t", "lat", "x"], numbers + 1),
        },
        {"t": [10, 20, 30], "lat": [1.5, 2.5], "x": range(4)},
    )
    expected = data.to_dataframe(dim_order=["t", "lat", "x"]).reset_index()
    pd.testing.assert_frame_equal(found.to_pandas(), expected, check_dtype=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ak.scan(path, datasets="n").to_pandas()["n"].to_dict() == {10: 0, 20: 1, 30: 2}
        assert list(ak.scan(path, datasets=["w"]).columns) == ["t", "lat", "x", "w"]
    with pytest.raises(AlignmentError, match="several shapes"):
        ak.scan(path, datasets=["v", "n"])


@pytest.mark.parametrize("others", [1, 10, 11, 25])
def test_variables_that_are_left_out_are_named_up_to_ten(path, others):
    lengths = {f"x{n}": 100 + n for n in range(others)}
    variables = {f"v{n}": (["t"], np.arange(3), {}) for n in range(others + 1)}
    variables |= {f"o{n}": ([f"x{n}"], np.arange(100 + n), {}) for n in range(others)}
    write(path, {"t": np.array([3, 1, 2]), **lengths}, variables)
    wanted = [f"'o{n}': shape ({100 + n},)" for n in range(others)]
    with pytest.warns(RuntimeWarning, match=r"of the shape \(3,\)") as told:
        assert set(ak.scan(path).columns) == {f"v{n}" for n in range(others + 1)}
    lines = str(told[0].message).splitlines()[1:-1]
    assert len(lines) == min(others, 10) + (others > 10)
    assert set(lines[:10]) <= set(wanted)
    assert lines[10:] == ([f"… and {others - 10} more"] if others > 10 else [])
    with pytest.raises(AlignmentError, match="several shapes") as refused:
        ak.scan(path, datasets=["v0", "v1", "o0"])
    assert [*refused.value.details] == wanted[:1]


def test_coordinates_alone_are_columns(path):
    for length in (1, 2, 7):
        write(path, {"t": np.array([3, 1]), "x": length}, {})
        assert ak.scan(path).to_pandas().to_dict("list") == {"t": [3, 1]}


def test_coordinates_shorter_than_a_dimension_are_no_labels_and_longer_ones_are_cut(path):
    write(path, {"t": np.array([3, 1])}, {"v": (["t"], np.arange(3), {})})
    assert ak.scan(path).to_pandas()["v"].to_dict() == {0: 0, 1: 1, 2: 2}
    write(path, {"t": np.array([3, 1, 2, 5])}, {"v": (["t"], np.arange(3), {})})
    assert ak.scan(path).to_pandas()["v"].to_dict() == {3: 0, 1: 1, 2: 2}


def test_dimensions_in_groups_and_text_beside_numbers(path):
    with h5py.File(path, "w") as file:
        file["t"] = np.array([10, 20])
        file["t"].make_scale("t")
        file["g/v"] = np.array([1, 2], "i2")
        file["g/s"] = ["a", "b"]
        for name in ("g/v", "g/s"):
            file[name].dims[0].attach_scale(file["t"])
        file["g/v"].attrs["scale_factor"] = 0.5
    found = ak.scan(path)
    assert found["g/v"].tolist() == [0.5, 1]
    assert found["g/s"].tolist() == ["a", "b"]
    assert found.index.tolist() == [10, 20]


def test_files_without_dimensions_are_as_before(path):
    with h5py.File(path, "w") as file:
        file["v"] = np.array([1, 2])
        file["v"].attrs["_FillValue"] = 2
    assert ak.scan(path)["v"].tolist() == [1, 2]


def test_rows_in_many_partitions_have_the_labels_of_one(path):
    numbers = np.arange(3000).reshape(100, 30)
    write(path, {"a": np.arange(100) * 2, "b": np.arange(30) * 3}, {"v": (["a", "b"], numbers, {"_FillValue": 17})})
    one = ak.scan(path).to_pandas()
    with ak.config.set(partition_size=1000):
        many = ak.scan(path).to_pandas()
    pd.testing.assert_frame_equal(one, many)
    assert one["a"].tolist() == np.repeat(np.arange(100) * 2, 30).tolist()
    assert one["b"].tolist() == np.tile(np.arange(30) * 3, 100).tolist()
    assert one["v"].isna().to_numpy().nonzero()[0].tolist() == [17]


TIMES = [
    (np.array([0, 1, 40000], "i4"), "days since 1970-01-01", "standard", "s"),
    (np.array([0, 1, 2], "u2"), "Hours since 1999-2-28 23:30:00", "", "s"),
    (np.array([-7, 1, 2]), "minutes since 2000-01-01T00:00:00Z", "proleptic_gregorian", "s"),
    (np.array([0.0, 1 / 3, 0.1, np.nan]), "days since 2000-01-01 12:00:00", "gregorian", "us"),
    (np.array([1.5, 2], "f4"), "hours since 1900-01-01 00:00:0.0", "", "us"),
    (np.array([1, 2]), "milliseconds since 1970-01-01 00:00:00.25", "", "us"),
    (np.array([1, 2]), "milliseconds since 1970-01-01", "", "ms"),
    (np.array([1, 2**40]), "microseconds since 2000-01-01", "", "us"),
    (np.array([1, 2**60 + 1]), "nanoseconds since 1970-01-01", "", "ns"),
]


@pytest.mark.parametrize(("values", "units", "calendar", "unit"), TIMES)
def test_numbers_since_a_day_are_times(path, values, units, calendar, unit):
    attributes = {"units": units} | ({"calendar": calendar} if calendar else {})
    write(path, {"t": len(values)}, {"v": (["t"], values, attributes)})
    expected = xr.decode_cf(xr.Dataset({"v": ("t", values, attributes)}))["v"].to_numpy()
    found = ak.scan(path)["v"]
    assert found.unit == unit
    assert found.to_ndarray().tolist() == expected.astype(f"M8[{unit}]").tolist()


@pytest.mark.parametrize(
    ("units", "first"),
    [
        ("hours since 2000-01-01 00:00 +02:00", "1999-12-31T23:00"),
        ("hours since 2000-01-01 00:00 -6:30", "2000-01-01T07:30"),
        ("hours since 2000-01-01 00:00 UTC", "2000-01-01T01:00"),
        ("hours since 2000-01-01 00:00 +0530", "1999-12-31T19:30"),
    ],
)
def test_origins_of_times_have_zones(path, units, first):
    write(path, {"t": 1}, {"v": (["t"], np.array([1]), {"units": units})})
    assert ak.scan(path)["v"].to_ndarray().tolist() == [np.datetime64(first, "s").item()]


@pytest.mark.parametrize(
    ("calendar", "days", "first"),
    [
        ("standard", 719164 + 365, "1971-01-01"),
        ("", 719164, "1970-01-01"),
        ("proleptic_gregorian", 719162, "1970-01-01"),
    ],
)
def test_origins_before_the_gregorian_calendar_are_days_of_the_julian_one(path, calendar, days, first):
    # The first day of year 1 is two days earlier in the Julian calendar: its day 1721424, and 2440588 is 1970-01-01.
    attributes = {"units": "days since 1-1-1 00:00:00"} | ({"calendar": calendar} if calendar else {})
    write(path, {"t": 1}, {"v": (["t"], np.array([days]), attributes)})
    assert ak.scan(path)["v"].to_ndarray().tolist() == [np.datetime64(first, "s").item()]


@pytest.mark.parametrize(
    ("origin", "first"),
    [
        ("1582-10-15", "1582-10-16"),
        ("1582-10-04", "1582-10-15"),  # the last day of the Julian calendar
        ("1582-03-01", "1582-03-12"),
        ("1500-02-29", "1500-03-11"),  # which the Gregorian calendar does not have
        ("1499-12-31", "1500-01-10"),
    ],
)
def test_a_day_behind_an_origin_is_that_of_both_calendars(path, origin, first):
    write(path, {"t": 1}, {"v": (["t"], np.array([1]), {"units": f"days since {origin}"})})
    assert ak.scan(path)["v"].to_ndarray().tolist() == [np.datetime64(first, "s").item()]


@pytest.mark.parametrize(
    ("units", "calendar"),
    [
        ("days since 2000-01-01", "360_day"),
        ("days since 2000-01-01", "noleap"),
        ("months since 2000-01-01", ""),
        ("days since 2000-13-01", ""),
        ("days since 1500-13-01", ""),
        ("days since the war", ""),
        ("days", ""),
    ],
)
def test_numbers_of_other_calendars_and_units_stay_numbers(path, units, calendar):
    write(path, {"t": 2}, {"v": (["t"], np.array([1, 2]), {"units": units, "calendar": calendar})})
    assert ak.scan(path)["v"].tolist() == [1, 2]


def test_times_that_are_missing_or_beyond_64_bits_are_nat(path):
    values = np.array([1, -99, 2**62])
    attributes = {"units": "days since 1970-01-01", "_FillValue": np.array([-99])}
    write(path, {"t": 3}, {"v": (["t"], values, attributes)})
    assert ak.scan(path)["v"].to_ndarray().tolist() == [np.datetime64("1970-01-02", "s").item(), None, None]


def test_times_label_rows_and_stand_beside_elements(path):
    write(path, {"t": np.array([1, 2]), "x": 2}, {"v": (["t", "x"], np.arange(4).reshape(2, 2), {})})
    with h5py.File(path, "a") as file:
        file["t"].attrs["units"] = "days since 1970-01-01"
    days = pd.to_datetime(["1970-01-02", "1970-01-02", "1970-01-03", "1970-01-03"]).as_unit("s")
    assert ak.scan(path).to_pandas()["t"].tolist() == days.tolist()
    write(path, {"t": np.array([1, 2])}, {"v": (["t"], np.arange(2), {})})
    with h5py.File(path, "a") as file:
        file["t"].attrs["units"] = "days since 1970-01-01"
    assert ak.scan(path).to_pandas().index.tolist() == days[::2].tolist()


def test_files_of_a_set_follow_each_other_with_their_own_coordinates(tmp_path):
    paths = [str(tmp_path / f"{number}.nc") for number in range(3)]
    parts = []
    for number, path in enumerate(paths):
        values = np.arange(4).reshape(2, 2) + 10 * number
        attributes = {"scale_factor": 0.5, "_FillValue": np.array([11])}
        write(path, {"t": np.array([0, 1]), "x": np.array([7, 8])}, {"v": (["t", "x"], values, attributes)})
        units = f"days since 2000-01-0{number * 2 + 1}"
        with h5py.File(path, "a") as file:
            file["t"].attrs["units"] = units
        plain = {"scale_factor": 0.5, "_FillValue": 11}
        data = xr.Dataset({"v": (["t", "x"], values, plain)}, {"t": ("t", [0, 1], {"units": units}), "x": [7, 8]})
        parts.append(xr.decode_cf(data).to_dataframe().reset_index())
    for source in (paths, str(tmp_path / "*.nc")):
        found = ak.scan(source).to_pandas()
        pd.testing.assert_frame_equal(found, pd.concat(parts, ignore_index=True), check_dtype=False)


def test_a_file_that_gets_dimensions_later_is_opened_with_them(path):
    with h5py.File(path, "w") as file:
        file["v"] = np.array([1, 2, 3])
    for _ in range(2):
        assert ak.scan(path).index.tolist() == [0, 1, 2]
    write(path, {"t": np.array([10.0, 20.0, 30.0])}, {"v": (["t"], np.array([4, 5, 6]), {})})
    for _ in range(2):
        found = ak.scan(path)
        assert found.index.tolist() == [10, 20, 30]
        assert found["v"].tolist() == [4, 5, 6]
