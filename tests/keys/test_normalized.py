from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from akdask.columns.bigint import to_ints
from akdask.errors import ArgumentTypeError
from akdask.operators.keys.keys import (
    BIT_OPERATIONS,
    Key,
    combine,
    from_words,
    lead,
    ordered,
    pack_words,
    row_bits,
    span,
    unpack_rows,
    with_words,
    word,
    word_count,
)

SPECIAL = [0.0, -0.0, np.nan, -np.nan, np.inf, -np.inf, 1.0, -1.0, 5e-324, -5e-324, 1.7e308, -1.7e308]
floats = st.lists(st.sampled_from(SPECIAL) | st.floats(), max_size=30).map(lambda items: np.array(items, np.float64))
texts = st.lists(st.text(alphabet="ab\0é𝄞", max_size=20), max_size=20)
bigints = st.lists(st.integers(-(2**127), 2**127 - 1) | st.integers(-3, 3), max_size=20)


def order_of(codes):
    return np.argsort(codes, kind="stable").tolist()


def limbs(numbers):
    return pa.array([number.to_bytes(16, "little", signed=True) for number in numbers], pa.binary(16))


@given(arrays(st.sampled_from(["i8", "u8", "?", "u1"]), st.integers(0, 30)))
def test_keys_of_whole_numbers_order_as_the_numbers_do(column):
    assert order_of(ordered(column).codes) == order_of(column)


@given(floats)
def test_keys_of_floats_order_as_numpy_does_with_nan_last(column):
    assert order_of(ordered(column).codes) == order_of(column)


@given(floats)
def test_keys_of_descending_floats_have_nan_last_too(column):
    rows = sorted(range(len(column)), key=lambda row: (True, 0) if np.isnan(column[row]) else (False, -column[row]))
    assert order_of(ordered(column, ascending=False).codes) == rows


def test_missing_times_are_last():
    times = np.array(["2020-01-01", "NaT", "1969-01-01"], "M8[ns]")
    assert order_of(ordered(times).codes) == [2, 0, 1]
    assert order_of(ordered(times, ascending=False).codes) == [0, 2, 1]
    extremes = np.array([-(2**63), 2**63 - 1, -(2**63) + 1]).view("M8[ns]")
    assert order_of(ordered(extremes).codes) == [2, 1, 0]
    assert order_of(ordered(extremes, ascending=False).codes) == [1, 2, 0]


@given(texts, st.booleans(), st.data())
def test_words_of_strings_order_as_their_bytes_do(items, ascending, data):
    start = data.draw(st.integers(0, len(items)))
    column = pa.array(items, pa.large_string()).slice(start)
    words = [word(column, number, ascending) for number in range(word_count(column) + data.draw(st.integers(0, 1)))]
    coded = [text.encode() for text in items[start:]]
    wanted = sorted(range(len(coded)), key=lambda row: coded[row], reverse=not ascending)
    found = np.lexsort(words[::-1]).tolist()
    assert [coded[row] for row in found] == [coded[row] for row in wanted]


@given(bigints, st.data())
def test_words_of_big_integers_order_as_the_integers_do(numbers, data):
    start = data.draw(st.integers(0, len(numbers)))
    column = limbs(numbers).slice(start)
    words = [word(column, number) for number in range(word_count(column))]
    rows = range(len(numbers) - start)
    assert np.lexsort(words[::-1]).tolist() == sorted(rows, key=lambda row: numbers[start + row])


def test_only_values_of_one_word_have_exact_keys():
    assert ordered(np.array([1, 2])).exact
    assert ordered(pa.array(["a" * 7], pa.large_string())).exact
    assert not ordered(pa.array(["a" * 8], pa.large_string())).exact
    assert not ordered(limbs([1])).exact


def test_keys_of_no_rows_begin_at_0_and_take_no_bits():
    for column in (np.empty(0, np.int64), np.empty(0), pa.array([], pa.large_string()), limbs([])):
        key = ordered(column)
        assert (key.low, key.bits, key.codes.tolist()) == (0, 0, [])
        both = combine([key, ordered(np.empty(0, np.int64))]) if key.exact else None
        assert both is None or (both.low, both.bits, both.codes.tolist()) == (0, 0, [])


@given(st.data(), st.integers(0, 30))
def test_combined_keys_order_as_the_columns_do(data, nrows):
    columns = [data.draw(arrays("i8", nrows, elements=st.integers(-5, 9))) for _ in range(3)]
    key = combine([ordered(column) for column in columns])
    assert key is not None
    assert order_of(key.codes) == np.lexsort(columns[::-1]).tolist()
    assert int(key.codes.max(initial=np.uint64(0))).bit_length() <= key.bits


def test_keys_wider_than_64_bits_together_do_not_combine():
    wide = ordered(np.array([0, 2**40]))
    assert combine([wide, wide]) is None


def test_a_key_of_all_64_bits_combines_with_constants():
    wide, constant = ordered(np.array([-(2**63), 2**63 - 1])), ordered(np.array([7, 7]))
    for keys in ([wide, constant], [constant, wide], [constant, wide, constant]):
        key = combine(keys)
        assert key is not None
        assert key.codes.tolist() == [0, 2**64 - 1]


def test_keys_of_many_words_combine_only_in_last_place():
    number, text = ordered(np.array([1, 0])), ordered(pa.array(["a" * 9, "b"], pa.large_string()))
    combined = combine([number, text])
    assert combined is not None
    assert not combined.exact
    assert combine([text, number]) is None
    assert combine([number, text, number]) is None
    assert combine([number, number, text]) is not None


@given(arrays("i8", st.integers(0, 30), elements=st.integers(-(2**40), 2**40)))
def test_packed_keys_sort_to_the_stable_order(column):
    packed = pack_words(ordered(column), row_bits(len(column)))
    assert unpack_rows(np.sort(packed), row_bits(len(column))).tolist() == order_of(column)


@pytest.mark.parametrize("nrows", [0, 1, 2, 3, 4, 5, 8, 9, 2**20, 2**20 + 1])
def test_row_numbers_take_no_more_bits_than_the_last(nrows):
    assert row_bits(nrows) == len(f"{nrows - 1:b}") if nrows > 1 else row_bits(nrows) == 0


@given(
    st.integers(1, 3).flatmap(
        lambda count: st.lists(st.tuples(*[st.integers(0, 9) | st.integers(0, 2**64 - 1)] * count), min_size=1)
    ),
)
def test_a_lead_has_the_highest_bits_of_all_words(rows):
    columns = list(zip(*rows, strict=True))
    widths = [(max(column) - min(column)).bit_length() for column in columns]
    found = lead([Key.of(np.array(column, np.uint64)) for column in columns])
    whole = [0] * len(rows)
    for column, width in zip(columns, widths, strict=True):
        whole = [before << width | value - min(column) for before, value in zip(whole, column, strict=True)]
    assert found.tolist() == [number >> max(sum(widths) - 64, 0) for number in whole]


def test_words_packed_without_room_lose_their_lowest_bits():
    packed = pack_words(ordered(np.array([-(2**63), -(2**63) + 1, 2**63 - 1])), 2)
    assert packed.tolist() == [0, 1, ((2**62 - 1) << 2) | 2]


@given(arrays(st.sampled_from(["i8", "u8", "?", "u1", "f8"]), st.integers(0, 30)), st.booleans())
def test_the_span_of_a_column_is_that_of_its_words(column, ascending):
    words = word(column, 0, ascending).tolist()
    assert span(column, ascending) == ((min(words), max(words)) if words else None)


def test_values_of_several_words_have_no_span():
    assert span(limbs([1, 2])) is None
    assert span(pa.array(["ab", "a" * 8], pa.large_string())) is None
    assert span(pa.array(["ab", "a"], pa.large_string())) is not None


@given(bigints, st.integers(1, 4))
def test_integers_of_any_size_are_those_of_their_words(numbers, count):
    column = limbs(numbers)
    wide = with_words(column, count)
    assert word_count(wide) == max(count, 2)
    assert to_ints(wide) == numbers
    words = [word(wide, number) for number in range(word_count(wide))]
    assert to_ints(from_words(words)) == numbers
    text = pa.array(["a"], pa.large_string())
    assert with_words(text, count) is text


BITS = st.integers(0, 2**64 - 1) | st.integers(0, 9)


@given(st.sampled_from(["int64", "uint64"]), st.lists(st.tuples(BITS, st.integers(0, 70)), max_size=9))
def test_bits_of_integers_are_those_of_python(dtype, rows):
    values = np.array([value for value, _ in rows], np.uint64).view(dtype)
    counts = np.array([count for _, count in rows], dtype)
    binary = [f"{value:064b}" for value, _ in rows]
    turned = [(text, count % 64) for text, (_, count) in zip(binary, rows, strict=True)]
    wanted = {
        "popcount": [text.count("1") for text in binary],
        "parity": [text.count("1") % 2 for text in binary],
        "clz": [len(text) - len(text.lstrip("0")) for text in binary],
        "ctz": [(len(text) - len(text.rstrip("0"))) % 64 for text in binary],
        "rotl": [int(text[count:] + text[:count], 2) for text, count in turned],
        "rotr": [int(text[64 - count :] + text[: 64 - count], 2) for text, count in turned],
    }
    for name, expected in wanted.items():
        operation = BIT_OPERATIONS[name]
        found = operation.kernel(values, counts) if operation.arity == 2 else operation.kernel(values)
        assert found.dtype == values.dtype
        assert found.view(np.uint64).tolist() == expected, name


def test_objects_without_order_are_refused():
    with pytest.raises(ArgumentTypeError, match="no order"):
        ordered(pa.array([[1]]))


@pytest.mark.parametrize("size", range(8, 24))
def test_a_string_at_the_end_of_the_text_has_its_bytes_and_how_many_are_left(size):
    text = bytes(range(65, 65 + size))
    column = pa.array([text.decode()], pa.large_string())
    parts = [text[start:] for start in range(0, size, 7)]
    wanted = [int.from_bytes(part[:7].ljust(7, b"\0"), "big") << 8 | min(len(part), 8) for part in parts]
    assert [int(word(column, number)[0]) for number in range(len(parts))] == wanted
