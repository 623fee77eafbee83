"""Statistics of fields are those that NumPy finds, and fill scale and bias."""

from __future__ import annotations

import dask
import numpy as np
import pytest

from akdask.errors import ArgumentError
from akdask.lbann import Dataset, normalized_schema, write_samples
from akdask.lbann.schema import load

SCHEMA = load("""
image:
  metadata:
    {pack: samples, ordering: 1, dims: [2, 2], channels: 3, layout: hwc, transpose: chw, scale: [9.0, 9.0, 9.0]}
n:
  metadata: {coerce: double, pack: r, ordering: 1}
same:
""")


@pytest.fixture
def data():
    rng = np.random.default_rng(3)
    return {
        "image": rng.normal([1, 10, 100], [1, 2, 3], (20, 2, 2, 3)),
        "n": rng.integers(0, 99, 20),
        "same": np.full(20, 7.0),
    }


@pytest.fixture
def ds(tmp_path, data):
    return Dataset(write_samples(data, tmp_path / "t.h5", per_file=6).sample_list, SCHEMA)


@pytest.mark.parametrize("scheduler", ["synchronous", "threads"])
def test_statistics_are_those_of_the_values_in_the_files(ds, data, scheduler):
    with dask.config.set(scheduler=scheduler):
        found = ds.statistics()
    for name, values in data.items():
        one = found[name]
        assert one.count == values.size
        np.testing.assert_allclose(
            [one.mean[0], one.std[0], one.min[0], one.max[0]],
            [values.mean(), values.std(), values.min(), values.max()],
            rtol=1e-12, atol=1e-12,
        )  # fmt: skip


def test_channels_have_statistics_of_their_own(ds, data):
    found = ds.statistics(["image"], by_channel=True)["image"]
    np.testing.assert_allclose(found.mean, data["image"].mean(axis=(0, 1, 2)), rtol=1e-12)
    np.testing.assert_allclose(found.std, data["image"].std(axis=(0, 1, 2)), rtol=1e-12)


def test_what_is_not_finite_is_counted_and_left_out(tmp_path):
    values = np.array([[1.0, np.nan], [3.0, np.inf]])
    ds = Dataset(write_samples({"x": values}, tmp_path / "t.h5").sample_list, load("x:\n"))
    found = ds.statistics()["x"]
    assert (found.count, found.n_not_finite, found.mean[0], found.max[0]) == (2, 2, 2.0, 3.0)


@pytest.mark.parametrize("by_channel", [False, True])
def test_scale_and_bias_are_filled(ds, by_channel):
    text = normalized_schema(ds, ds.statistics(by_channel=by_channel))
    found = Dataset(ds.samples, SCHEMA, load(text)).to_numpy()
    images = found["samples"].reshape(20, 3, -1)
    axes = (0, 2) if by_channel else None
    np.testing.assert_allclose(images.mean(axis=axes), 0, atol=1e-12)
    np.testing.assert_allclose(images.std(axis=axes), 1, rtol=1e-12)
    assert found["same"].tolist() == [[0.0]] * 20
    unit = Dataset(ds.samples, SCHEMA, load(normalized_schema(ds, ds.statistics(), to="unit"))).to_numpy()
    assert (unit["r"].min(), unit["r"].max()) == (0.0, pytest.approx(1.0))


def test_statistics_of_nothing_are_refused(ds):
    with pytest.raises(ArgumentError, match="no samples"):
        ds.subset([]).statistics()
    with pytest.raises(ArgumentError, match="'standard' or 'unit'"):
        normalized_schema(ds, {}, to="other")
