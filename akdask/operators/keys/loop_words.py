"""Words of strings in compiled loops: 8 bytes are read and written at any place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from llvmlite import ir
from numba import types
from numba.core.typing import Signature
from numba.extending import intrinsic

from akdask.columns.strings import offsets_and_bytes
from akdask.compiler import read_only
from akdask.operators.keys.keys import Words

Text: TypeAlias = npt.NDArray[np.uint8]

WIDTH = 8
"""Bytes of a word; the first is in the lowest place."""

MARGIN = 72
"""Bytes that can be read after the end of a string."""

CHUNK = 32
"""Bytes that are copied at a time; most strings are no longer, and the processor moves as many at once."""

WORDS_PER_STEP = np.uint64(2**10)
"""Rows that take each step together, so that the data of a step is in the cache, and rows need not wait."""

# Integers with and without sign would together become floats.
NONE, ONE, BYTES, BITS = np.uint64(0), np.uint64(1), np.uint64(WIDTH), np.uint64(64)

_WORD, _CHUNK = ir.IntType(64), ir.VectorType(ir.IntType(8), CHUNK)


def readable(strings: pa.LargeStringArray) -> Iterator[tuple[int, Words, Text]]:
    """Yield strings with readable memory after each: most strings in place, the last from a copy.

    Yields
    ------
    first : int
        The number of the first row.
    offsets : ndarray of uint64
        First byte of each string, and the end of the last, relative to the first offset.
    text : ndarray of uint8
        Their bytes; no byte after the last string is NUL.
    """
    offsets, text = offsets_and_bytes(strings)
    padded = _with_margin(strings, int(offsets[0]), len(text))
    if padded is not None:
        yield 0, read_only(offsets.view(np.uint64)), read_only(padded)
        return
    start = offsets[0]
    inner = int(np.searchsorted(offsets[1:], offsets[-1] - MARGIN, side="right"))
    for first, stop in pairwise(sorted({0, inner, len(strings)})):
        some = text[offsets[first] - start :]
        if stop == len(strings):
            some = np.concatenate([some, np.ones(MARGIN, np.uint8)])
        yield first, read_only(offsets[first : stop + 1].view(np.uint64)), read_only(some)


def _with_margin(strings: pa.LargeStringArray, start: int, size: int) -> Text | None:
    """Return the bytes of strings with the margin that can be read after them; None if their memory ends before."""
    data = strings.buffers()[2]
    if data is None or start + size + MARGIN > data.size:
        return None
    found = np.frombuffer(data, np.uint8, size + MARGIN, start)
    return found if found[size:].all() else None


@intrinsic
def word_at(_: object, text: types.Array, at: types.Integer) -> tuple[Signature, Callable[..., object]]:
    """Return 8 bytes from a position."""

    def read(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load(_pointer(context, builder, signature, arguments, _WORD), align=1)

    return types.uint64(text, types.uint64), read


@intrinsic
def put_word(
    _: object, text: types.Array, at: types.Integer, word: types.Integer
) -> tuple[Signature, Callable[..., object]]:
    """Write 8 bytes to a position."""

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        builder.store(arguments[2], _pointer(context, builder, signature, arguments, _WORD), align=1)
        return context.get_dummy_value()

    return types.void(text, types.uint64, types.uint64), write


@intrinsic
def copy_chunk(
    _: object, text: types.Array, at: types.Integer, target: types.Array, into: types.Integer
) -> tuple[Signature, Callable[..., object]]:
    """Copy `CHUNK` bytes, and return the bits of bytes that are NUL."""
    return _copying("==", text, target)


@intrinsic
def copy_text(
    _: object, text: types.Array, at: types.Integer, target: types.Array, into: types.Integer
) -> tuple[Signature, Callable[..., object]]:
    """Copy `CHUNK` bytes, and return the bits of bytes that are NUL or not ASCII."""
    return _copying("<=", text, target)


def _copying(comparison: str, text: types.Array, target: types.Array) -> tuple[Signature, Callable[..., object]]:
    """Return the function that copies a chunk, and returns the bits of bytes that compare so with 0."""

    def copy(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        chunk = builder.load(_pointer(context, builder, signature, arguments, _CHUNK), align=1)
        to = types.void(*signature.args[2:])
        builder.store(chunk, _pointer(context, builder, to, arguments[2:], _CHUNK), align=1)
        truth = builder.icmp_signed(comparison, chunk, _CHUNK(None))
        return builder.zext(builder.bitcast(truth, ir.IntType(CHUNK)), _WORD)

    return types.uint64(text, types.uint64, target, types.uint64), copy


def _pointer(context: Any, builder: Any, signature: Any, arguments: Any, kind: ir.Type) -> Any:
    """Return the address of an array's bytes as the address of a word; such NumPy views multiply by a stride."""
    array = context.make_array(signature.args[0])(context, builder, arguments[0])
    return builder.bitcast(builder.gep(array.data, [arguments[1]]), kind.as_pointer())
