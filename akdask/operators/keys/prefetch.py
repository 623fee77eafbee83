"""Prefetching in compiled loops: memory answers for many rows at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core.typing import Signature
from numba.extending import intrinsic

from akdask.compiler import compiled
from akdask.operators.keys.keys import Words

AHEAD = 64
"""Rows that are prefetched before the first of them is read."""

FOR_READING, KEEP, DATA = 0, 3, 1


@intrinsic
def prefetch(_: object, array: types.Array, at: types.Integer) -> tuple[Signature, Callable[..., object]]:
    """Have the processor fetch an item of a one-dimensional array, or a row of a matrix, without waiting for it."""

    def ask(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        laid_out = context.make_array(signature.args[0])(context, builder, arguments[0])
        width = builder.extract_value(laid_out.strides, 0)
        address = builder.add(builder.ptrtoint(laid_out.data, ir.IntType(64)), builder.mul(arguments[1], width))
        pointer, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [pointer, number, number, number])
        function = builder.module.declare_intrinsic("llvm.prefetch", [pointer], kind)
        hints = [ir.Constant(number, hint) for hint in (FOR_READING, KEEP, DATA)]
        builder.call(function, [builder.inttoptr(address, pointer), *hints])
        return context.get_dummy_value()

    return types.void(array, types.uint64), ask


@compiled
def gather_words(table: Words, positions: Words, missing: np.uint64, out: Words) -> bool:
    """Write the words at some positions, `missing` for positions outside the table; return whether none is outside."""
    size, last, all_there = np.uint64(len(table)), len(positions) - 1, True
    for row in range(len(positions)):
        prefetch(table, positions[min(row + AHEAD, last)])
        position = positions[row]
        is_there = position < size
        all_there &= is_there
        out[row] = table[position] if is_there else missing
    return all_there
