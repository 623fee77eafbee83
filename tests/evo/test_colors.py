"""Section 6: colours are one uint32 each, alpha in the top byte and red in the lowest."""

from __future__ import annotations

import dask.array as da
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from akdask.evo import colors
from akdask.evo.errors import ContentError, EvoError, KindError, ShapeError


@pytest.mark.parametrize(
    ("channels", "word"),
    [
        ((255, 128, 0, 255), 4278223103),
        ((255, 0, 0, 255), 4278190335),
        ((1, 2, 3, 4), 67305985),
        ((0, 0, 0, 0), 0),
        ((0, 0, 0, 255), 0xFF000000),
    ],
)
def test_section_6_channels_are_packed_as_the_reference_has_them(channels, word):
    packed = colors.pack(*channels)
    assert packed == word
    assert packed.dtype == np.uint32
    assert tuple(map(int, colors.unpack(packed))) == channels


def test_section_6_opaque_is_the_default():
    assert colors.pack(0, 0, 0) == 0xFF000000


@given(arrays(np.uint8, st.tuples(st.integers(0, 9), st.just(4))))
def test_section_6_rows_of_four_bytes_are_colours(bytes_of_rows):
    words = colors.pack(bytes_of_rows)
    assert words.tolist() == bytes_of_rows.view("<u4")[:, 0].tolist()
    np.testing.assert_array_equal(np.stack(colors.unpack(words), axis=1), bytes_of_rows)


@given(arrays(np.uint8, st.tuples(st.integers(1, 9), st.just(4))), st.integers(1, 4))
def test_lazy_colours_are_those_in_memory(bytes_of_rows, chunk):
    lazy = colors.pack(*(da.from_array(bytes_of_rows[:, number], chunks=chunk) for number in range(4)))
    assert lazy.dtype == np.uint32
    np.testing.assert_array_equal(lazy.compute(scheduler="sync"), bytes_of_rows.view("<u4")[:, 0])
    channels = [channel.compute(scheduler="sync") for channel in colors.unpack(lazy)]
    np.testing.assert_array_equal(np.stack(channels, axis=1), bytes_of_rows)


def test_missing_colours_stay_missing():
    packed = colors.pack(pa.array([1, None], pa.uint8()), 2, pa.chunked_array([[3, 3]]), 4)
    assert packed.to_pylist() == [67305985, None]
    assert packed.type == pa.uint32()
    assert [channel.to_pylist() for channel in colors.unpack(packed)] == [[1, None], [2, None], [3, None], [4, None]]


@pytest.mark.parametrize("channel", range(4))
@pytest.mark.parametrize("missing", [[0], [1], [0, 2]])
def test_a_colour_is_missing_where_any_channel_is(channel, missing):
    values = [[number + 1 for number in range(4)]] * 3
    channels = [pa.array([row[number] for row in values], pa.uint8()) for number in range(4)]
    gone = [row in missing for row in range(3)]
    channels[channel] = pa.array(channels[channel].to_pylist(), pa.uint8(), mask=np.array(gone))
    word = 1 | 2 << 8 | 3 << 16 | 4 << 24
    assert colors.pack(*channels).to_pylist() == [None if lacks else word for lacks in gone]


def test_section_6_int32_is_read_as_the_same_bits_and_said():
    with pytest.warns(UserWarning, match="int32"):
        channels = colors.unpack(np.array([-16744193], np.int32))
    assert [channel.tolist() for channel in channels] == [[255], [128], [0], [255]]


@pytest.mark.parametrize(
    "channels", [(256, 0, 0), (-1, 0, 0), (0.5, 0, 0), (np.nan, 0, 0), ("a", 0, 0), (True, 0, 0), ([0, 300], 0, 0)]
)
def test_what_is_no_channel_is_refused(channels):
    with pytest.raises(ContentError, match="red is not of integers"):
        colors.pack(*channels)


def test_channels_of_other_shapes_are_refused():
    with pytest.raises(ShapeError, match="different shapes"):
        colors.pack([1, 2, 3], [1, 2], 0)
    with pytest.raises(ShapeError, match="has no colours"):
        colors.pack(np.zeros((5, 2), np.uint8))
    with pytest.raises(ShapeError, match="lacks blue"):
        colors.pack(1, 2)


@pytest.mark.parametrize("values", [[1.0], ["a"], [True]])
def test_only_integers_are_unpacked(values):
    with pytest.raises(KindError):
        colors.unpack(np.array(values))


@pytest.mark.parametrize("value", [-1, 2**32])
def test_integers_beyond_32_bits_are_no_colours(value):
    with pytest.raises(EvoError, match="32 bits"):
        colors.unpack(np.array([value]))
