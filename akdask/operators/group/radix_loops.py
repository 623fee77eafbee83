"""Radix partitioning: a loop that writes rows to their slices, full lines of the cache at a time.

Writing single values to distant addresses makes the processor read the line around each, and the caches have too few
lines for all slices.  Values are therefore collected in a line for each slice, which is written past the caches when it
is full.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core.typing import Signature
from numba.extending import intrinsic

from akdask.compiler import compiled, read_only
from akdask.operators.keys.keys import Words
from akdask.typing import NumberArray

LINE = 64
"""Bytes that caches and memory exchange."""

ONE = np.uint64(1)


def partition(slices: NumberArray, starts: NumberArray, column: NumberArray, target: NumberArray) -> None:
    """Write each row to the next position of its slice, given the first ones; the target is as long as the column."""
    count = LINE // column.itemsize
    lines = np.empty(len(starts) * count, column.dtype)
    # Lines begin where memory says, not where the target does.
    skipped = np.uint64(target.ctypes.data % LINE // target.itemsize)
    firsts = starts.view(np.uint64) + skipped
    _partition(read_only(slices), firsts, firsts.copy(), read_only(column), skipped, np.uint64(count), lines, target)


@compiled
def lead(words: Words, shift: np.uint64, first: np.uint64, slices: NumberArray) -> None:
    """Find the slice of each word: its leading bits, counted from those of the first slice."""
    for row in range(len(words)):
        slices[row] = (words[row] >> shift) - first


@compiled
def _partition(
    slices: NumberArray,
    firsts: NumberArray,
    positions: NumberArray,
    column: NumberArray,
    skipped: np.uint64,
    count: np.uint64,
    lines: NumberArray,
    target: NumberArray,
) -> None:
    """Do so, with positions counted from the line in which the target begins."""
    last = count - ONE
    for row in range(len(column)):
        number = np.uint64(slices[row])
        at = positions[number]
        positions[number] = at + ONE
        line, within = number * count, at & last
        lines[line + within] = column[row]
        if within == last:
            start = at - last
            if start >= firsts[number]:
                put_line(target, start - skipped, lines, line)
            else:
                # The line begins with the end of the previous slice.
                for item in range(firsts[number] - start, count):
                    target[start + item - skipped] = lines[line + item]
    for left in range(np.uint64(len(positions))):
        for at in range(max(positions[left] & ~last, firsts[left]), positions[left]):
            target[at - skipped] = lines[left * count + (at & last)]
    settle()


@intrinsic
def put_line(
    _: object, target: types.Array, at: types.Integer, source: types.Array, start: types.Integer
) -> tuple[Signature, Callable[..., object]]:
    """Write a line of items to where a line begins in memory, past the caches."""

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        into, of = (
            context.make_array(signature.args[number])(context, builder, arguments[number]).data for number in (0, 2)
        )
        item = context.get_data_type(signature.args[0].dtype)
        line = ir.VectorType(item, LINE * 8 // signature.args[0].dtype.bitwidth).as_pointer()
        found = builder.load(builder.bitcast(builder.gep(of, [arguments[3]]), line), align=1)
        store = builder.store(found, builder.bitcast(builder.gep(into, [arguments[1]]), line), align=LINE)
        store.set_metadata("nontemporal", builder.module.add_metadata([ir.Constant(ir.IntType(32), 1)]))
        return context.get_dummy_value()

    return types.void(target, types.uint64, source, types.uint64), write


@intrinsic
def settle(_: object) -> tuple[Signature, Callable[..., object]]:
    """Wait until what went past the caches is there for other threads."""

    def fence(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        builder.fence("seq_cst")
        return context.get_dummy_value()

    return types.void(), fence
