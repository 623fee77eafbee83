"""Values of metadata are checked before any sample is read."""

from __future__ import annotations

import numpy as np
import pytest

from akdask.lbann import schema
from akdask.lbann.errors import LbannSchemaError, LbannWarning
from akdask.lbann.transform import groups_of


def directives(metadata):
    fields = schema.merge(schema.load(f"a:\n  metadata: {{{metadata} }}\n", name="mine"))
    return fields["a"].directives


@pytest.mark.parametrize(
    ("word", "dtype"),
    [
        ("float", "float32"),
        ("double", "float64"),
        ("int", "int32"),
        ("long", "int64"),
        ("int64", "int64"),
        ("float32", "float32"),
        ("float64", "float64"),
        ("int32", "int32"),
        ("'float'", "float32"),
    ],
)
def test_types(word, dtype):
    assert directives(f"coerce: {word}").dtype == np.dtype(dtype)


@pytest.mark.parametrize(
    ("metadata", "scale", "bias"),
    [
        ("scale: 2", (2.0,), (0.0,)),
        ("bias: 2.5", (1.0,), (2.5,)),
        ("scale: [2], bias: [3]", (2.0,), (3.0,)),
        ("scale: 2, channels: 1", (2.0,), (0.0,)),
        ("scale: [1, 2], channels: 2, layout: hwc", (1.0, 2.0), (0.0, 0.0)),
        ("bias: [1, 2], channels: 2.0, layout: chw", (1.0, 1.0), (1.0, 2.0)),
        ("scale: [1, 2], channels: 2, dims: [2, 2], hwc: chw", (1.0, 2.0), (0.0, 0.0)),
    ],
)
def test_scale_and_bias(metadata, scale, bias):
    assert (directives(metadata).scale, directives(metadata).bias) == (scale, bias)


def test_integers_and_whole_floats_are_the_same():
    found = directives("ordering: 4.0, channels: 2.0, dims: [2.0, 3.0], pack: 010")
    assert (found.ordering, found.channels, found.dims, found.pack) == (4, 2, (2, 3), "010")
    assert directives("ordering: -3").ordering == -3


@pytest.mark.parametrize(
    ("metadata", "is_transposed"),
    [
        ("layout: hwc, transpose: chw, channels: 3, dims: [2, 2]", True),
        ("layout: hwc, transpose: cdhw, channels: 3, dims: [2, 2]", True),
        ("layout: dhwc, transpose: chw, channels: 3, dims: [2, 2, 2]", True),
        ("hwc: chw, channels: 3, dims: [2, 2]", True),
        ("hwc: cdhw, channels: 3, dims: [2, 2, 2]", True),
        ("hwc: chw, layout: chw, channels: 3, dims: [2, 2]", False),
        ("layout: hwc, channels: 3, dims: [2, 2]", False),
        ("transpose: chw, channels: 3, dims: [2, 2]", False),
        ("layout: hwc, transpose: chw, channels: 1", False),
    ],
)
def test_transposition(metadata, is_transposed):
    assert directives(metadata).is_transposed is is_transposed


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        ("coerce: flaot", "no type is called 'flaot'"),
        ("coerce: float16", "no type is called 'float16'"),
        ("coerce:", "'coerce' is nothing"),
        ("coerce: [float, double]", "not a word"),
        ("coerce: {a: 1}", "not a word"),
        ("scale:", "'scale' is nothing"),
        ("scale: yes", "'scale' is 'yes', not a number"),
        ("scale: [1.0, 2.0]", "has 2 numbers; it needs one number"),
        ("scale: []", "not a number or a list"),
        ("scale: [1, a]", "not a number or a list"),
        ("scale: {a: 1}", "not a number or a list"),
        ("scale: 2.0, channels: 3, layout: hwc", "has 1 numbers; it needs 3"),
        ("scale: [1, 2, 3], bias: [1, 2], channels: 3, layout: hwc", "'bias' has 2 numbers"),
        ("scale: [1, 2], channels: 2", "no 'layout'"),
        ("scale: 2.0, coerce: int", "needs floats"),
        ("bias: 1" + "0" * 350, "too large"),
        ("channels: 0", "positive integers"),
        ("channels: 1.5", "positive integers"),
        ("channels: nan", "positive integers"),
        ("channels: [1, 2]", "holds one"),
        ("dims: [2, 0]", "positive integers"),
        ("dims: [2, inf]", "positive integers"),
        ("dims: text", "not a number"),
        ("ordering: 1.5", "holds integers"),
        ("ordering: 99999999999999999999", "holds integers"),
        ("ordering: [1, 2]", "holds one"),
        ("pack: , ordering: 1", "not the name of a group"),
        ("pack: ' ', ordering: 1", "not the name of a group"),
        ("pack: [a, b], ordering: 1", "not the name of a group"),
        ("layout: hwc, transpose: chw, channels: 3", "no 'dims'"),
        ("layout: hwc, transpose: chw, channels: 3, dims: [4]", "two or three"),
        ("layout: hwc, transpose: chw, channels: 3, dims: [1, 2, 3, 4]", "two or three"),
        ("layout: hwc, transpose: chw, channels: 3, dims: [2, 2], coerce: int", "only floats are transposed"),
    ],
)
def test_what_cannot_be_followed_is_refused_with_field_file_and_line(metadata, message):
    with pytest.raises(LbannSchemaError, match=message) as caught:
        directives(metadata)
    assert caught.value.field == "a"
    assert caught.value.schema.startswith("mine, line 2 (a)")


@pytest.mark.parametrize("flag", ["hwc: ", "hwc: {}"])
def test_hwc_without_a_word_says_that_channels_are_last(flag):
    found = directives(f"{flag}, channels: 3, scale: [1, 2, 3], dims: [2, 2]")
    assert (found.is_channels_last, found.is_transposed, found.scale) == (True, False, (1, 2, 3))
    assert directives(f"{flag}, transpose: chw, channels: 3, dims: [2, 2]").is_transposed
    assert not directives(f"{flag}, layout: chw, channels: 3, scale: [1, 2, 3]").is_channels_last


def test_fields_without_ordering_are_packed_in_the_order_of_the_schema():
    text = "b: {metadata: {pack: s}}\na: {metadata: {pack: s}}\nc: {metadata: {pack: s, ordering: 5}}\n"
    with pytest.warns(LbannWarning, match="no 'ordering'.*'b', 'a'"):
        found = schema.merge(schema.load(text))
    assert [field.path for field in groups_of(found)["s"]] == ["c", "b", "a"]


@pytest.mark.parametrize("metadata", ["layout: hcw", "transpose: whc", "hwc: yes"])
def test_words_that_are_no_layouts_are_told(metadata):
    with pytest.warns(LbannWarning, match="no layout"):
        assert not directives(metadata).is_transposed


def test_transposition_without_channels_is_left_out_with_a_warning():
    with pytest.warns(LbannWarning, match="no 'channels'"):
        assert not directives("layout: hwc, transpose: chw, dims: [2, 2]").is_transposed
