"""A loop that reads rows from files and runs instructions on vectors of them, which stay in the core's cache.

It asks for Python's lock once for all rows, where each call of NumPy, and each of the system, asks for it anew.
"""

from __future__ import annotations

import numpy as np
from numba import types

from akdask.kernels.compiled.compiler import compiled
from akdask.kernels.core.opcodes import BLOCK, FAILED, VECTOR, Opcode
from akdask.kernels.core.summation import ACCUMULATORS
from akdask.typing import NumberArray

_pread = types.ExternalFunction("pread", types.int64(types.int32, types.int64, types.int64, types.int64))


@compiled
def _add_floats(floats: NumberArray, row: int, marks: NumberArray, mask: int, count: int, lanes: NumberArray) -> None:
    if count == VECTOR:
        # Bounds that are known when it is compiled halve the time.
        for start in range(0, VECTOR, ACCUMULATORS):
            for lane in range(ACCUMULATORS):
                lanes[lane] += floats[row, start + lane] if marks[mask, start + lane] else 0.0
        return
    for at in range(count):
        lanes[at % ACCUMULATORS] += floats[row, at] if marks[mask, at] else 0.0


@compiled
def _add_all_floats(floats: NumberArray, row: int, count: int, lanes: NumberArray) -> None:
    if count == VECTOR:
        for start in range(0, VECTOR, ACCUMULATORS):
            for lane in range(ACCUMULATORS):
                lanes[lane] += floats[row, start + lane]
        return
    for at in range(count):
        lanes[at % ACCUMULATORS] += floats[row, at]


@compiled
def _join(lanes: NumberArray) -> float:
    """Return the sum of the lanes, which are 0 afterwards."""
    width = ACCUMULATORS // 2
    while width:
        for lane in range(width):
            lanes[lane] += lanes[lane + width]
        width //= 2
    total = lanes[0]
    lanes[:] = 0.0
    return float(total)


@compiled
def run(
    places: NumberArray,
    columns: NumberArray,
    code: NumberArray,
    parts: NumberArray,
    moves: NumberArray,
    mask: int,
    is_filtered: bool,
    lengths: NumberArray,
    floats: NumberArray,
    ints: NumberArray,
    marks: NumberArray,
    sums: NumberArray,
    lanes: NumberArray,
    totals: NumberArray,
) -> int:
    """Run instructions on rows of files, and return how many rows the mask left, or `FAILED`.

    Parameters
    ----------
    places : ndarray, shape (npieces, ncolumns, 2)
        For each piece of the rows, and each column, the descriptor of its file, and where the rows begin there, in
        bytes.
    columns : ndarray, shape (ncolumns, 2)
        The row of memory that a block of it is read to, and the bytes of one number.
    code : ndarray, shape (n, 5)
        Instructions.
    parts : ndarray, shape (2, 3)
        Bounds of columns and of instructions in two parts: those that the mask needs, and the rest, which is left out
        where a block has no row under the mask.
    moves : ndarray
        For each row of memory how many rows its next vector lies further on: one for blocks, none for what is used
        up vector by vector.
    mask : int
        The row of memory where marks of rows are that count.
    is_filtered : bool
        Whether these come of the first part; else all rows count.
    lengths : ndarray of npieces
        Rows of each piece, at least one.
    floats, ints, marks : ndarray
        The same memory, of rows of `VECTOR` numbers, as what it is taken for: marks are bytes.
    sums : ndarray, shape (nsums, nunits)
        What floats add up to in each unit of each piece, changed in place; see `akdask.kernels.core.summation`.
    lanes : ndarray, shape (nsums, LANES)
        Zeros: the lanes of the unit that is added up.
    totals : ndarray
        What integers add up to, changed in place.
    """
    address, row_bytes = np.int64(marks.ctypes.data), marks.shape[1]
    selected = 0
    left = np.zeros(BLOCK // VECTOR, np.int64)
    piece = first = units = 0
    while piece < len(lengths):
        here = min(BLOCK, lengths[piece] - first)
        nvectors = -(-here // VECTOR)
        for part in range(2):
            for column in range(parts[0, part], parts[0, part + 1]):
                width = columns[column, 1]
                target, size = address + columns[column, 0] * row_bytes, here * width
                offset = places[piece, column, 1] + first * width
                while size > 0:
                    got = _pread(np.int32(places[piece, column, 0]), target, size, offset)
                    if got <= 0:
                        return FAILED
                    target, size, offset = target + got, size - got, offset + got
            for vector in range(nvectors):
                count = min(VECTOR, here - vector * VECTOR)
                if part and is_filtered and not left[vector]:
                    continue
                under = mask + vector * moves[mask]
                for line in range(parts[1, part], parts[1, part + 1]):
                    op, to, a, b, c = code[line, 0], code[line, 1], code[line, 2], code[line, 3], code[line, 4]
                    out = to + vector * moves[to]
                    if op == Opcode.READ_BOOLS:
                        stored, start = a + vector * VECTOR // row_bytes, vector * VECTOR % row_bytes
                        for at in range(count):
                            marks[out, at] = marks[stored, start + at] != 0
                        continue
                    a, b, c = a + vector * moves[a], b + vector * moves[b], c + vector * moves[c]
                    if op == Opcode.ADD_FLOATS:
                        for at in range(count):
                            floats[out, at] = floats[a, at] + floats[b, at]
                    elif op == Opcode.SUBTRACT_FLOATS:
                        for at in range(count):
                            floats[out, at] = floats[a, at] - floats[b, at]
                    elif op == Opcode.MULTIPLY_FLOATS:
                        for at in range(count):
                            floats[out, at] = floats[a, at] * floats[b, at]
                    elif op == Opcode.DIVIDE_FLOATS:
                        for at in range(count):
                            floats[out, at] = floats[a, at] / floats[b, at]
                    elif op == Opcode.NEGATE_FLOATS:
                        for at in range(count):
                            floats[out, at] = -floats[a, at]
                    elif op == Opcode.ABSOLUTE_FLOATS:
                        for at in range(count):
                            floats[out, at] = abs(floats[a, at])
                    elif op == Opcode.ROOT_FLOATS:
                        for at in range(count):
                            floats[out, at] = np.sqrt(floats[a, at])
                    elif op == Opcode.LESS_FLOATS:
                        for at in range(count):
                            marks[out, at] = floats[a, at] < floats[b, at]
                    elif op == Opcode.LESS_EQUAL_FLOATS:
                        for at in range(count):
                            marks[out, at] = floats[a, at] <= floats[b, at]
                    elif op == Opcode.EQUAL_FLOATS:
                        for at in range(count):
                            marks[out, at] = floats[a, at] == floats[b, at]
                    elif op == Opcode.NOT_EQUAL_FLOATS:
                        for at in range(count):
                            marks[out, at] = floats[a, at] != floats[b, at]
                    elif op == Opcode.ADD_INTS:
                        for at in range(count):
                            ints[out, at] = ints[a, at] + ints[b, at]
                    elif op == Opcode.SUBTRACT_INTS:
                        for at in range(count):
                            ints[out, at] = ints[a, at] - ints[b, at]
                    elif op == Opcode.MULTIPLY_INTS:
                        for at in range(count):
                            ints[out, at] = ints[a, at] * ints[b, at]
                    elif op == Opcode.NEGATE_INTS:
                        for at in range(count):
                            ints[out, at] = -ints[a, at]
                    elif op == Opcode.ABSOLUTE_INTS:
                        for at in range(count):
                            ints[out, at] = abs(ints[a, at])
                    elif op == Opcode.AND_INTS:
                        for at in range(count):
                            ints[out, at] = ints[a, at] & ints[b, at]
                    elif op == Opcode.OR_INTS:
                        for at in range(count):
                            ints[out, at] = ints[a, at] | ints[b, at]
                    elif op == Opcode.XOR_INTS:
                        for at in range(count):
                            ints[out, at] = ints[a, at] ^ ints[b, at]
                    elif op == Opcode.INVERT_INTS:
                        for at in range(count):
                            ints[out, at] = ~ints[a, at]
                    elif op == Opcode.LESS_INTS:
                        for at in range(count):
                            marks[out, at] = ints[a, at] < ints[b, at]
                    elif op == Opcode.LESS_EQUAL_INTS:
                        for at in range(count):
                            marks[out, at] = ints[a, at] <= ints[b, at]
                    elif op == Opcode.LESS_UINTS:
                        for at in range(count):
                            marks[out, at] = np.uint64(ints[a, at]) < np.uint64(ints[b, at])
                    elif op == Opcode.LESS_EQUAL_UINTS:
                        for at in range(count):
                            marks[out, at] = np.uint64(ints[a, at]) <= np.uint64(ints[b, at])
                    elif op == Opcode.EQUAL_INTS:
                        for at in range(count):
                            marks[out, at] = ints[a, at] == ints[b, at]
                    elif op == Opcode.NOT_EQUAL_INTS:
                        for at in range(count):
                            marks[out, at] = ints[a, at] != ints[b, at]
                    elif op == Opcode.AND_BOOLS:
                        for at in range(count):
                            marks[out, at] = marks[a, at] & marks[b, at]
                    elif op == Opcode.OR_BOOLS:
                        for at in range(count):
                            marks[out, at] = marks[a, at] | marks[b, at]
                    elif op == Opcode.XOR_BOOLS:
                        for at in range(count):
                            marks[out, at] = marks[a, at] ^ marks[b, at]
                    elif op == Opcode.NOT_BOOLS:
                        for at in range(count):
                            marks[out, at] = marks[a, at] == 0
                    elif op == Opcode.WHERE:
                        for at in range(count):
                            ints[out, at] = ints[b, at] if marks[a, at] else ints[c, at]
                    elif op == Opcode.FLOATS_OF_INTS:
                        for at in range(count):
                            floats[out, at] = ints[a, at]
                    elif op == Opcode.FLOATS_OF_UINTS:
                        for at in range(count):
                            floats[out, at] = np.uint64(ints[a, at])
                    elif op == Opcode.FLOATS_OF_BOOLS:
                        for at in range(count):
                            floats[out, at] = marks[a, at]
                    elif op == Opcode.INTS_OF_BOOLS:
                        for at in range(count):
                            ints[out, at] = marks[a, at]
                    elif op == Opcode.SUM_FLOATS:
                        if is_filtered:
                            _add_floats(floats, a, marks, under, count, lanes[to])
                        else:
                            _add_all_floats(floats, a, count, lanes[to])
                    elif op == Opcode.SUM_INTS:
                        total = 0
                        for at in range(count):
                            total += ints[a, at] if marks[under, at] else 0
                        totals[to] += total
                    elif op == Opcode.COUNT_BOOLS:
                        total = 0
                        for at in range(count):
                            total += marks[a, at] & marks[under, at]
                        totals[to] += total
                    elif op == Opcode.LEAST_FLOATS:
                        for at in range(count):
                            value, best = floats[a, at], floats[out, at]
                            floats[out, at] = value if marks[under, at] and (value < best or value != value) else best
                    elif op == Opcode.MOST_FLOATS:
                        for at in range(count):
                            value, best = floats[a, at], floats[out, at]
                            floats[out, at] = value if marks[under, at] and (value > best or value != value) else best
                    elif op == Opcode.LEAST_INTS:
                        for at in range(count):
                            value, best = ints[a, at], ints[out, at]
                            ints[out, at] = value if marks[under, at] and value < best else best
                    elif op == Opcode.MOST_INTS:
                        for at in range(count):
                            value, best = ints[a, at], ints[out, at]
                            ints[out, at] = value if marks[under, at] and value > best else best
                    elif op == Opcode.LEAST_UINTS:
                        for at in range(count):
                            value, best = np.uint64(ints[a, at]), np.uint64(ints[out, at])
                            ints[out, at] = value if marks[under, at] and value < best else best
                    elif op == Opcode.MOST_UINTS:
                        for at in range(count):
                            value, best = np.uint64(ints[a, at]), np.uint64(ints[out, at])
                            ints[out, at] = value if marks[under, at] and value > best else best
                if not part and is_filtered:
                    total = 0
                    for at in range(count):
                        total += marks[under, at]
                    left[vector] = total
            if not part and is_filtered and not left[:nvectors].any():
                break
        else:
            selected += left[:nvectors].sum() if is_filtered else here
        for row in range(len(sums)):
            sums[row, units] = _join(lanes[row])
        units += 1
        first += here
        if first == lengths[piece]:
            piece, first = piece + 1, 0
    return selected


def warm_up() -> None:
    """Have the machine code of `run` at hand, which takes longer than most of what it does."""
    numbers = np.zeros(0, np.int64)
    columns, code, parts = numbers.reshape(0, 2), numbers.reshape(0, 5), np.zeros((2, 3), np.int64)
    places, rows = numbers.reshape(0, 0, 2), np.zeros((0, VECTOR * numbers.itemsize), np.uint8)
    floats, ints, sums = np.zeros((0, VECTOR)), np.zeros((0, VECTOR), np.int64), np.zeros((0, 0))
    run(
        places,
        columns,
        code,
        parts,
        numbers,
        0,
        False,
        numbers,
        floats,
        ints,
        rows,
        sums,
        np.zeros((0, ACCUMULATORS)),
        numbers,
    )
