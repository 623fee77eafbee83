"""Times, spans and addresses in files: they keep their kind, and plain h5py finds their numbers."""

import h5py
import numpy as np
import pandas as pd
import pytest

import akdask as ak

TIMES = pd.DatetimeIndex(["1969-12-31T23:59:59.999999999", "2000-02-29", "2024-12-30T01:02:03.004005006"])
NUMBERS = np.array([1, 2**32 - 1, 7], np.uint64)
MADE = {
    "when": (lambda: ak.Datetime(TIMES), 7, "<i8", TIMES.asi8),
    "span": (lambda: ak.Timedelta(TIMES - TIMES[0]), 8, "<i8", (TIMES - TIMES[0]).asi8),
    "ip": (lambda: ak.IPv4(NUMBERS), 9, "<u8", NUMBERS),
}


@pytest.fixture(params=[1, 2])
def made(request):
    with ak.config.set(small_array=10 if request.param == 1 else 1):
        yield {name: make() for name, (make, *_) in MADE.items()}


@pytest.mark.parametrize("file_type", ["distribute", "single"])
@pytest.mark.parametrize("compat", [False, True])
def test_kinds_are_written_and_read_back(prefix, made, file_type, compat):
    with ak.config.set(compat=compat):
        ak.to_hdf(made, prefix, file_type=file_type)
    files = sorted(prefix.parent.glob("set*"))
    for name, (_, kind, stored, numbers) in MADE.items():
        shares = []
        for path in files:
            with h5py.File(path) as file:
                assert file[name].attrs["ObjType"] == (1 if compat else kind)
                assert file[name].dtype == stored
                shares.append(file[name][:])
        np.testing.assert_array_equal(np.concatenate(shares), numbers)
    found = ak.read_hdf(files)
    for name, array in made.items():
        assert type(found[name]) is (ak.pdarray if compat else type(array))
        assert (found[name] if compat else found[name].values).tolist() == array.values.tolist()


def test_one_array_is_written_and_updated(prefix, made):
    made["when"].to_hdf(prefix)
    assert isinstance(ak.load(prefix)["array"], ak.Datetime)
    ak.Datetime(TIMES[::-1]).update_hdf(prefix)
    pd.testing.assert_index_equal(ak.load(prefix)["array"].to_pandas(), TIMES[::-1])


def test_a_frame_keeps_the_kinds_of_its_columns(prefix, made):
    df = ak.DataFrame(made)
    df.to_hdf(prefix, index=True)
    found = ak.DataFrame(ak.load_all(prefix))
    assert found.dtypes == {"when": "Datetime", "span": "Timedelta", "ip": "IPv4"}
    pd.testing.assert_frame_equal(found.to_pandas(), df.to_pandas())


@pytest.mark.parametrize("name", MADE)
@pytest.mark.parametrize("dtype", ["<i8", "<u8"])
def test_whole_numbers_of_the_other_sign_are_taken_too(prefix, name, dtype):
    make, kind, _, numbers = MADE[name]
    path = prefix.with_name("marked.h5")
    with h5py.File(path, "w") as file:
        file.create_dataset("x", data=np.asarray(numbers).astype(dtype)).attrs["ObjType"] = np.int32(kind)
    found = ak.read_hdf(str(path))["x"]
    assert type(found) is type(make())
    assert repr(found) == repr(make())


@pytest.mark.parametrize("name", MADE)
@pytest.mark.parametrize("values", [[0.5, 2.0], [True, False]])
def test_what_is_no_whole_number_is_no_time_or_address(prefix, name, values):
    path = prefix.with_name("marked.h5")
    with h5py.File(path, "w") as file:
        file.create_dataset("x", data=values).attrs["ObjType"] = np.int32(MADE[name][1])
    with pytest.raises(ak.AkdaskError, match="dataset 'x' is marked as"):
        ak.read_hdf(str(path))
