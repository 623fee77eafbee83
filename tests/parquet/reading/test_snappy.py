"""The loop that unpacks Snappy, beside its format in words of Python."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from akdask.formats.parquet import loops

MARGIN = 64


def varint(number):
    found = bytearray()
    while number > 127:
        found.append(number & 127 | 128)
        number >>= 7
    return bytes([*found, number])


def literal(data, extra=None):
    """Return an element of some bytes, whose length is in some bytes behind the tag, or within it."""
    size = len(data) - 1
    if extra is None:
        extra = 0 if size < 60 else (size.bit_length() + 7) // 8
    if not extra:
        return bytes([size << 2]) + data
    return bytes([59 + extra << 2]) + size.to_bytes(extra, "little") + data


def copy(kind, back, length):
    if kind == 1:
        return bytes([1 | (length - 4) << 2 | back >> 8 << 5, back & 255])
    return bytes([kind | length - 1 << 2]) + back.to_bytes(2 if kind == 2 else 4, "little")


def unpacked(packed):
    """Return what packed elements stand for, None if they are damaged."""
    found, at = bytearray(), 0
    while at < len(packed):
        tag, at = packed[at], at + 1
        kind, length = tag & 3, (tag >> 2) + 1
        if not kind:
            if length > 60:
                extra, at = packed[at : at + length - 60], at + length - 60
                if len(extra) < length - 60:
                    return None
                length = int.from_bytes(extra, "little") + 1
            if length > len(packed) - at:
                return None
            found += packed[at : at + length]
            at += length
            continue
        about, at = packed[at : at + (1, 2, 4)[kind - 1]], at + (1, 2, 4)[kind - 1]
        if at > len(packed):
            return None
        back = int.from_bytes(about, "little")
        if kind == 1:
            back, length = back | tag >> 5 << 8, 4 + (tag >> 2 & 7)
        if not 0 < back <= len(found):
            return None
        for _ in range(length):
            found.append(found[-back])
    return bytes(found)


def check(packed, size):
    """Have the loop unpack elements to some size, and compare what it does."""
    wanted = unpacked(packed)
    into = np.full(size + MARGIN + 8, 170, np.uint8)
    given = np.frombuffer(varint(size) + packed + b"\1" * MARGIN, np.uint8)
    done = loops.unpack(given, size, into[:-8])
    assert done == (wanted is not None and len(wanted) == size)
    assert (into[-8:] == 170).all()
    if done:
        assert into[:size].tobytes() == wanted


BYTES = st.binary(min_size=1, max_size=5) | st.binary(min_size=1, max_size=20) | st.binary(min_size=55, max_size=300)
LITERALS = BYTES.map(literal) | st.builds(literal, st.binary(min_size=1, max_size=80), st.integers(1, 4))
BACKS = st.sampled_from([1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 24]) | st.integers(1, 2000)
COPIES = st.builds(copy, st.just(1), BACKS, st.integers(4, 11)) | st.builds(
    copy, st.sampled_from([2, 3]), BACKS, st.integers(1, 64)
)


@st.composite
def number(draw):
    """Draw the last bytes of a number beside those of another: a literal, and a copy of the rest."""
    count = draw(st.integers(1, 4))
    back = draw(st.sampled_from([8, 8, 8, 8, 7, 9, 16, 24, 80]))
    return literal(draw(st.binary(min_size=count, max_size=count))) + copy(
        draw(st.sampled_from([1, 1, 2])), back, 8 - count
    )


@st.composite
def streams(draw):
    start = literal(draw(st.binary(min_size=1, max_size=200)))
    return start + b"".join(draw(st.lists(LITERALS | COPIES | number(), max_size=40)))


@given(streams())
def test_elements_are_unpacked(packed):
    wanted = unpacked(packed)
    check(packed, 20 if wanted is None else len(wanted))


@given(st.binary(min_size=8, max_size=8), st.lists(number(), max_size=60), st.binary(max_size=30))
@example(bytes(8), [literal(b"a") + copy(1, 8, 7)] * 40, b"")
@example(bytes(8), [literal(b"abcd") + copy(1, 8, 4)] * 40, b"x")
@example(bytes(8), [literal(b"ab") + copy(1, 8, 6), literal(b"abc") + copy(1, 8, 5)] * 20, b"x")
@example(bytes(8), [literal(b"ab") + copy(1, 8, 5), literal(b"abc") + copy(1, 8, 5)] * 20, b"x")
def test_numbers_near_each_other_are_unpacked(first, numbers, behind):
    packed = literal(first) + b"".join(numbers) + (literal(behind) if behind else b"")
    wanted = unpacked(packed)
    check(packed, 20 if wanted is None else len(wanted))


@given(
    streams(),
    st.integers(-20, 20),
    st.integers(0, 2**16),
    st.lists(st.tuples(st.integers(0), st.integers(0, 255)), max_size=3),
)
def test_other_elements_are_refused(packed, more, stop, changes):
    given = bytearray(packed[: stop % (len(packed) + 1)])
    for at, byte in changes:
        if given:
            given[at % len(given)] = byte
    wanted = unpacked(bytes(given))
    check(bytes(given), max(0, (20 if wanted is None else len(wanted)) + more))


@st.composite
def bytes_that_repeat(draw):
    parts = draw(st.lists(st.binary(min_size=1, max_size=70), min_size=1, max_size=6))
    return b"".join(draw(st.lists(st.sampled_from(parts), max_size=60)))


@given(bytes_that_repeat() | st.lists(st.integers(0, 2**18)).map(lambda some: np.array(some, np.int64).tobytes()))
def test_snappy_is_unpacked_and_bytes_behind_it_are_none_of_it(data):
    packed = pa.Codec("snappy").compress(data).to_pybytes()
    for behind in (b"\0", b"\1", b"\2", b"\xff"):
        into = np.zeros(len(data) + 64, np.uint8)
        assert loops.unpack(np.frombuffer(packed + behind * 64, np.uint8), len(data), into)
        assert into[: len(data)].tobytes() == data


@given(bytes_that_repeat(), st.lists(st.tuples(st.integers(0, 10**4), st.integers(0, 255)), max_size=3), st.data())
def test_damaged_snappy_writes_nothing_behind_its_memory(data, changes, draw):
    packed = bytearray(pa.Codec("snappy").compress(data).to_pybytes())
    for at, byte in changes:
        packed[at % len(packed)] = byte
    stop = draw.draw(st.integers(0, len(packed)))
    into = np.full(len(data) + 64 + 8, 170, np.uint8)
    loops.unpack(np.frombuffer(bytes(packed[:stop]) + bytes(64), np.uint8), len(data), into[:-8])
    assert (into[-8:] == 170).all()


@pytest.mark.parametrize("number", [0, 1, 3, 8, 255, 2**16 - 1, 2**24 + 5, 2**40])
def test_numbers_that_a_writer_packs_are_unpacked(number):
    rng = np.random.default_rng(number)
    for step in (1, 3, 300):
        data = (number + np.cumsum(rng.integers(0, step + 1, 3000))).tobytes()
        packed = pa.Codec("snappy").compress(data).to_pybytes()
        into = np.zeros(len(data) + MARGIN, np.uint8)
        assert loops.unpack(np.frombuffer(packed + bytes(MARGIN), np.uint8), len(data), into)
        assert into[: len(data)].tobytes() == data
