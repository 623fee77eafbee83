"""Fields are coerced, normalised and transposed: many samples at once as one by one, and as the rule says."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akdask.formats.hdf5.open_files import TEXT, StoredElements
from akdask.lbann import schema
from akdask.lbann.errors import LbannWarning, SampleSizeError, SampleTypeError
from akdask.lbann.transform import FieldTransform

STORED = ["i1", "u1", ">i2", "u4", "i8", ">u8", "f4", ">f4", "f8", ">f8"]
COERCED = {"float": "f4", "double": "f8"}


def transform(metadata, dtype, size):
    fields = schema.merge(schema.load(f"a:\n  metadata: {{{metadata} }}\n"))
    return FieldTransform(fields["a"], StoredElements(np.dtype(dtype), size))


def applied(one, values):
    out = np.empty(values.shape, one.dtype)
    one.apply(values, out)
    return out


def by_rule(values, dtype, scale, bias, *, channels, layout, is_transposed):
    """One sample, as sections 6.1 to 6.3 of the format say it."""
    with np.errstate(all="ignore"):
        result = values.astype(dtype)
        if scale is not None:
            n = len(values)
            of = np.arange(n) % channels if layout == "hwc" else np.arange(n) // (n // channels)
            result = (result.astype("f8") * np.array(scale)[of] + np.array(bias)[of]).astype(dtype)
    if is_transposed and channels > 1:
        result = result.reshape(-1, channels).T.ravel()
    return result


@given(st.data())
def test_many_samples_are_as_each_of_them_and_as_the_rule_says(data):
    draw = data.draw
    stored, word = draw(st.sampled_from(STORED)), draw(st.sampled_from([*COERCED]))
    channels = draw(st.integers(1, 4))
    dims = draw(st.lists(st.integers(1, 3), min_size=2, max_size=3))
    if draw(st.integers(0, 9)) == 0:
        dims = [80, 80]  # more elements than are computed at a time
    layout = draw(st.sampled_from(["hwc", "chw"]))
    is_transposed = layout == "hwc" and draw(st.booleans())
    size, n = channels * int(np.prod(dims)), draw(st.integers(1, 5))
    metadata = f"coerce: {word}, channels: {channels}, dims: {dims}, layout: {layout}"
    metadata += ", transpose: chw" if is_transposed else ""
    scale = bias = None
    if draw(st.booleans()):
        numbers = st.lists(st.floats(-10, 10, width=32), min_size=channels, max_size=channels)
        scale, bias = draw(numbers), draw(numbers)
        metadata += f", scale: {scale}, bias: {bias}"
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    values = (random.integers(0, 255, (n, size)) / (1 if stored[-2] in "iu" else 7)).astype(stored)
    one = transform(metadata, stored, size)
    found = applied(one, values)
    for row in range(n):
        assert applied(one, values[row : row + 1])[0].tobytes() == found[row].tobytes()
        expected = by_rule(
            values[row], COERCED[word], scale, bias, channels=channels, layout=layout, is_transposed=is_transposed
        )
        np.testing.assert_array_max_ulp(found[row], expected, maxulp=1)
    wide = np.zeros((n, size + 5), one.dtype)  # a part of the columns of a group
    one.apply(values, wide[:, 2 : 2 + size])
    assert wide[:, 2 : 2 + size].tobytes() == found.tobytes()
    assert not wide[:, :2].any()
    assert not wide[:, 2 + size :].any()
    if one.is_in_place:
        own = values.copy()
        one.apply(own, own)
        assert own.tobytes() == found.tobytes()


def test_float32_is_widened_and_rounded_once():
    x, scale, bias = np.float32(0.1), 3.3333333333333335, 1e-9
    values = np.full((1, 1), x)
    expected = np.float32(np.float64(x) * scale + bias)
    assert applied(transform(f"scale: {scale!r}, bias: {bias!r}", "f4", 1), values)[0, 0] == expected


def test_large_fields_are_computed_in_blocks():
    values = np.random.default_rng(0).random((2, 3 * 40_001)).astype("f4")
    for layout in ("hwc", "chw"):
        found = applied(transform(f"scale: [1, 2, 3], channels: 3, layout: {layout}", "f4", 3 * 40_001), values)
        for row in range(2):
            expected = by_rule(
                values[row], "f4", [1.0, 2.0, 3.0], [0.0] * 3, channels=3, layout=layout, is_transposed=False
            )
            assert found[row].tobytes() == expected.tobytes()


def test_integers_are_cut_towards_zero():
    assert applied(transform("coerce: int", "f8", 3), np.array([[-1.9, 1.9, 3e8]])).tolist() == [[-1, 1, 300_000_000]]


def test_what_no_integer_holds_does_not_stop_the_epoch():
    found = applied(transform("coerce: int", "f8", 3), np.array([[np.nan, np.inf, 1e30]]))
    assert found.dtype == np.int32
    assert applied(transform("coerce: float", "f8", 1), np.array([[1e300]])).tolist() == [[np.inf]]


@pytest.mark.parametrize("dtype", ["i1", "u8", TEXT])
@pytest.mark.parametrize("metadata", ["scale: 2.0", "bias: 1.0", "pack: g, ordering: 1"])
def test_only_floats_are_normalised_and_packed(dtype, metadata):
    with pytest.raises(SampleTypeError, match=r"coerce|text") as caught:
        transform(metadata, dtype, 1)
    assert caught.value.field == "a"
    assert caught.value.schema


def test_only_floats_are_transposed():
    with pytest.raises(SampleTypeError, match="transposed"):
        transform("layout: hwc, transpose: chw, channels: 2, dims: [2, 2]", "i4", 8)


def test_text_is_not_coerced():
    with pytest.raises(SampleTypeError, match="text"):
        transform("coerce: float", TEXT, 1)


def test_what_is_transposed_has_as_many_elements_as_dims_and_channels_make():
    with pytest.raises(SampleSizeError, match="2 x 2 x 2 = 8"):
        transform("layout: hwc, transpose: chw, channels: 2, dims: [2, 2]", "f4", 9)


def test_other_numbers_of_elements_are_told_but_not_refused():
    with pytest.warns(LbannWarning, match="64 elements, but channels and dims make 1 x 2 x 2 x 2 = 8"):
        one = transform("channels: 1, dims: [2, 2, 2], layout: dhwc, transpose: cdhw", "f4", 64)
    values = np.arange(64, dtype="f4")[None]
    assert applied(one, values).tobytes() == values.tobytes()


def test_channels_take_turns_also_where_they_do_not_divide_the_elements():
    one = transform("scale: [1, 10], channels: 2, layout: hwc", "f8", 5)
    assert applied(one, np.ones((1, 5))).tolist() == [[1, 10, 1, 10, 1]]
    with pytest.raises(SampleSizeError, match="do not divide"):
        transform("scale: [1, 10], channels: 2, layout: chw", "f8", 5)


def test_fields_without_elements_stay_so():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for metadata in (
            "scale: 2.0",
            "scale: [1, 2], channels: 2, layout: hwc",
            "scale: [1, 2], channels: 2, layout: chw",
        ):
            assert applied(transform(metadata, "f4", 0), np.empty((3, 0), "f4")).shape == (3, 0)
