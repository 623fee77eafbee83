"""The compiled loop of vector programs: reads rows from files, and computes while they are in the cache of the core.

It takes Python's lock once for all rows, whereas NumPy takes it in each call.
"""

from __future__ import annotations

import numpy as np
from numba import types

from akdask.columns.summation import ACCUMULATORS, HALF
from akdask.compiler import compiled
from akdask.engine.operations import BLOCK, FAILED, VECTOR, WIDTHS, Opcode, StoredForm
from akdask.typing import NumberArray

_pread = types.ExternalFunction("pread", types.int64(types.int32, types.int64, types.int64, types.int64))
_memcpy = types.ExternalFunction("memcpy", types.int64(types.int64, types.int64, types.int64))


@compiled
def _add_floats(
    floats: NumberArray, row: int, bools: NumberArray, mask: int, count: int, accumulators: NumberArray
) -> None:
    if count == VECTOR:
        # Constant bounds at compile time halve the time.
        for start in range(0, VECTOR, ACCUMULATORS):
            for k in range(ACCUMULATORS):
                accumulators[k] += floats[row, start + k] if bools[mask, start + k] else 0.0
        return
    for at in range(count):
        accumulators[at % ACCUMULATORS] += floats[row, at] if bools[mask, at] else 0.0


@compiled
def _add_all_floats(floats: NumberArray, row: int, count: int, accumulators: NumberArray) -> None:
    if count == VECTOR:
        for start in range(0, VECTOR, ACCUMULATORS):
            for k in range(ACCUMULATORS):
                accumulators[k] += floats[row, start + k]
        return
    for at in range(count):
        accumulators[at % ACCUMULATORS] += floats[row, at]


@compiled
def _keep(values: NumberArray, out: int, a: int, count: int) -> None:
    for at in range(count):
        values[out, at] = values[a, at]


@compiled
def _add_distances(
    floats: NumberArray,
    row: int,
    mean: float,
    bools: NumberArray,
    mask: int,
    is_filtered: bool,
    count: int,
    accumulators: NumberArray,
) -> None:
    for at in range(count):
        distance = floats[row, at] - mean
        accumulators[at % ACCUMULATORS] += distance * distance if not is_filtered or bools[mask, at] else 0.0


@compiled
def _join(accumulators: NumberArray) -> float:
    """Return the sum of the accumulators, and set them to 0."""
    width = ACCUMULATORS // 2
    while width:
        for k in range(width):
            accumulators[k] += accumulators[k + width]
        width //= 2
    total = accumulators[0]
    accumulators[:] = 0.0
    return float(total)


# Each operation is compiled for every type with an opcode for it.


@compiled
def _add(values: NumberArray, out: int, a: int, b: int, count: int) -> None:
    for at in range(count):
        values[out, at] = values[a, at] + values[b, at]


@compiled
def _subtract(values: NumberArray, out: int, a: int, b: int, count: int) -> None:
    for at in range(count):
        values[out, at] = values[a, at] - values[b, at]


@compiled
def _multiply(values: NumberArray, out: int, a: int, b: int, count: int) -> None:
    for at in range(count):
        values[out, at] = values[a, at] * values[b, at]


@compiled
def _divide(values: NumberArray, out: int, a: int, b: int, count: int) -> None:
    for at in range(count):
        values[out, at] = values[a, at] / values[b, at]


@compiled
def _and(values: NumberArray, out: int, a: int, b: int, count: int) -> None:
    for at in range(count):
        values[out, at] = values[a, at] & values[b, at]


@compiled
def _or(values: NumberArray, out: int, a: int, b: int, count: int) -> None:
    for at in range(count):
        values[out, at] = values[a, at] | values[b, at]


@compiled
def _xor(values: NumberArray, out: int, a: int, b: int, count: int) -> None:
    for at in range(count):
        values[out, at] = values[a, at] ^ values[b, at]


@compiled
def _negate(values: NumberArray, out: int, a: int, count: int) -> None:
    for at in range(count):
        values[out, at] = -values[a, at]


@compiled
def _absolute(values: NumberArray, out: int, a: int, count: int) -> None:
    for at in range(count):
        values[out, at] = abs(values[a, at])


@compiled
def _root(values: NumberArray, out: int, a: int, count: int) -> None:
    for at in range(count):
        values[out, at] = np.sqrt(values[a, at])


@compiled
def _invert(values: NumberArray, out: int, a: int, count: int) -> None:
    for at in range(count):
        values[out, at] = ~values[a, at]


@compiled
def _not(values: NumberArray, out: int, a: int, count: int) -> None:
    for at in range(count):
        values[out, at] = values[a, at] == 0


@compiled
def _less(values: NumberArray, bools: NumberArray, out: int, a: int, b: int, count: int) -> None:
    for at in range(count):
        bools[out, at] = values[a, at] < values[b, at]


@compiled
def _less_equal(values: NumberArray, bools: NumberArray, out: int, a: int, b: int, count: int) -> None:
    for at in range(count):
        bools[out, at] = values[a, at] <= values[b, at]


@compiled
def _equal(values: NumberArray, bools: NumberArray, out: int, a: int, b: int, count: int) -> None:
    for at in range(count):
        bools[out, at] = values[a, at] == values[b, at]


@compiled
def _not_equal(values: NumberArray, bools: NumberArray, out: int, a: int, b: int, count: int) -> None:
    for at in range(count):
        bools[out, at] = values[a, at] != values[b, at]


@compiled
def _where(values: NumberArray, bools: NumberArray, out: int, a: int, b: int, c: int, count: int) -> None:
    for at in range(count):
        values[out, at] = values[b, at] if bools[a, at] else values[c, at]


@compiled
def _convert(values: NumberArray, converted: NumberArray, out: int, a: int, count: int) -> None:
    for at in range(count):
        converted[out, at] = values[a, at]


@compiled
def _least(values: NumberArray, bools: NumberArray, out: int, a: int, mask: int, count: int) -> None:
    for at in range(count):
        value, best = values[a, at], values[out, at]
        values[out, at] = value if bools[mask, at] and (value < best or value != value) else best


@compiled
def _most(values: NumberArray, bools: NumberArray, out: int, a: int, mask: int, count: int) -> None:
    for at in range(count):
        value, best = values[a, at], values[out, at]
        values[out, at] = value if bools[mask, at] and (value > best or value != value) else best


@compiled
def _sum(values: NumberArray, row: int, bools: NumberArray, mask: int, count: int) -> int:
    total = 0
    for at in range(count):
        total += values[row, at] if bools[mask, at] else 0
    return total


@compiled
def _sum_high(values: NumberArray, row: int, bools: NumberArray, mask: int, count: int) -> np.int64:
    """Add up the upper halves, which tells what a sum of 64 bits has lost."""
    total = np.int64(0)
    for at in range(count):
        total += np.int64(values[row, at] >> HALF) if bools[mask, at] else np.int64(0)
    return total


@compiled
def _mark(bools: NumberArray, row: int, stored: NumberArray, count: int) -> None:
    for first in range(0, count, VECTOR):
        for at in range(min(VECTOR, count - first)):
            bools[row + first // VECTOR, at] = stored[first + at] != 0


@compiled
def _widen(values: NumberArray, row: int, stored: NumberArray, count: int) -> None:
    for first in range(0, count, VECTOR):
        for at in range(min(VECTOR, count - first)):
            values[row + first // VECTOR, at] = stored[first + at]


@compiled
def _pack(values: NumberArray, out: int, a: int, bools: NumberArray, mask: int, count: int) -> None:
    """Move selected values to the front; the values after them are undefined."""
    packed = 0
    for at in range(count):
        values[out, packed] = values[a, at]
        packed += bools[mask, at]


@compiled
def run(
    addresses: NumberArray,
    columns: NumberArray,
    code: NumberArray,
    parts: NumberArray,
    moves: NumberArray,
    mask: int,
    is_filtered: bool,
    lengths: NumberArray,
    floats: NumberArray,
    ints: NumberArray,
    bools: NumberArray,
    sums: NumberArray,
    accumulators: NumberArray,
    totals: NumberArray,
    moments: NumberArray,
    stores: NumberArray,
) -> int:
    """Run instructions on rows of files, and return the number of selected rows, or `FAILED`.

    Parameters
    ----------
    addresses : ndarray, shape (nextents, ncolumns, 3)
        For each extent and column, the descriptor of the file, and the position of the first row there, in bytes; or a
        number below 0, and the address of the first row in memory; and the `StoredForm` of the numbers.
    columns : ndarray
        For each column the row of memory that a block of it is read to.
    code : ndarray, shape (n, 5)
        Instructions.
    parts : ndarray, shape (2, 3)
        Bounds of columns and of instructions in two parts: those that the mask needs, and the rest, which is skipped
        for vectors without a selected row.
    moves : ndarray
        For each row of memory, the distance to the row of its next vector: one for blocks, none for temporaries.
    mask : int
        The row of memory with the mask of selected rows.
    is_filtered : bool
        Whether the first part computes the mask; otherwise all rows are selected.
    lengths : ndarray of nextents
        Rows of each extent, at least one.
    floats, ints, bools : ndarray
        The same memory, as rows of `VECTOR` numbers of each type; bools are bytes.
    sums : ndarray, shape (nsums, nunits)
        The float sums of each unit of each extent, changed in place; see `akdask.columns.summation`.
    accumulators : ndarray, shape (nsums, ACCUMULATORS)
        Zeros: the accumulators of the current unit.
    totals : ndarray
        The integer sums, changed in place.
    moments : ndarray, shape (n, 2)
        For each variance the row of memory where the values of a unit are kept, and the number of their sum; the two
        sums that follow are set to that of the squared distances from the mean, and to the number of selected rows.
    stores : ndarray
        For each column that is stored, where in memory its next selected row goes; changed in place.
    """
    uints = ints.view(np.uint64)
    stored = bools.reshape(-1)
    address, row_bytes = np.int64(bools.ctypes.data), bools.shape[1]
    selected = 0
    left = np.zeros(BLOCK // VECTOR, np.int64)
    extent = first = units = 0
    while extent < len(lengths):
        here = min(BLOCK, lengths[extent] - first)
        nvectors = -(-here // VECTOR)
        for part in range(2):
            for column in range(parts[0, part], parts[0, part + 1]):
                form = addresses[extent, column, 2]
                size, offset = here * WIDTHS[form], addresses[extent, column, 1] + first * WIDTHS[form]
                # What is stored otherwise than in memory goes to the first rows.
                target = address + (columns[column] * row_bytes if form == StoredForm.NUMBERS else 0)
                if addresses[extent, column, 0] < 0:
                    _memcpy(target, offset, size)
                    size = 0
                while size > 0:
                    got = _pread(np.int32(addresses[extent, column, 0]), target, size, offset)
                    if got <= 0:
                        return FAILED
                    target, size, offset = target + got, size - got, offset + got
                if form == StoredForm.BOOLS:
                    _mark(bools, columns[column], stored, here)
                elif form == StoredForm.INT8:
                    _widen(ints, columns[column], stored.view(np.int8), here)
                elif form == StoredForm.INT16:
                    _widen(ints, columns[column], stored.view(np.int16), here)
                elif form == StoredForm.INT32:
                    _widen(ints, columns[column], stored.view(np.int32), here)
                elif form == StoredForm.UINT8:
                    _widen(ints, columns[column], stored, here)
                elif form == StoredForm.UINT16:
                    _widen(ints, columns[column], stored.view(np.uint16), here)
                elif form == StoredForm.UINT32:
                    _widen(ints, columns[column], stored.view(np.uint32), here)
                elif form == StoredForm.FLOAT32:
                    _widen(floats, columns[column], stored.view(np.float32), here)
            for vector in range(nvectors):
                count = min(VECTOR, here - vector * VECTOR)
                if part and is_filtered and not left[vector]:
                    continue
                under = mask + vector * moves[mask]
                nselected = left[vector] if is_filtered else count
                for line in range(parts[1, part], parts[1, part + 1]):
                    op, to, a, b, c = code[line, 0], code[line, 1], code[line, 2], code[line, 3], code[line, 4]
                    out = to + vector * moves[to]
                    a, b, c = a + vector * moves[a], b + vector * moves[b], c + vector * moves[c]
                    if op == Opcode.ADD_FLOATS:
                        _add(floats, out, a, b, count)
                    elif op == Opcode.ADD_INTS:
                        _add(ints, out, a, b, count)
                    elif op == Opcode.SUBTRACT_FLOATS:
                        _subtract(floats, out, a, b, count)
                    elif op == Opcode.SUBTRACT_INTS:
                        _subtract(ints, out, a, b, count)
                    elif op == Opcode.MULTIPLY_FLOATS:
                        _multiply(floats, out, a, b, count)
                    elif op == Opcode.MULTIPLY_INTS:
                        _multiply(ints, out, a, b, count)
                    elif op == Opcode.DIVIDE_FLOATS:
                        _divide(floats, out, a, b, count)
                    elif op == Opcode.NEGATE_FLOATS:
                        _negate(floats, out, a, count)
                    elif op == Opcode.NEGATE_INTS:
                        _negate(ints, out, a, count)
                    elif op == Opcode.ABSOLUTE_FLOATS:
                        _absolute(floats, out, a, count)
                    elif op == Opcode.ABSOLUTE_INTS:
                        _absolute(ints, out, a, count)
                    elif op == Opcode.ROOT_FLOATS:
                        _root(floats, out, a, count)
                    elif op == Opcode.LESS_FLOATS:
                        _less(floats, bools, out, a, b, count)
                    elif op == Opcode.LESS_INTS:
                        _less(ints, bools, out, a, b, count)
                    elif op == Opcode.LESS_UINTS:
                        _less(uints, bools, out, a, b, count)
                    elif op == Opcode.LESS_EQUAL_FLOATS:
                        _less_equal(floats, bools, out, a, b, count)
                    elif op == Opcode.LESS_EQUAL_INTS:
                        _less_equal(ints, bools, out, a, b, count)
                    elif op == Opcode.LESS_EQUAL_UINTS:
                        _less_equal(uints, bools, out, a, b, count)
                    elif op == Opcode.EQUAL_FLOATS:
                        _equal(floats, bools, out, a, b, count)
                    elif op == Opcode.EQUAL_INTS:
                        _equal(ints, bools, out, a, b, count)
                    elif op == Opcode.NOT_EQUAL_FLOATS:
                        _not_equal(floats, bools, out, a, b, count)
                    elif op == Opcode.NOT_EQUAL_INTS:
                        _not_equal(ints, bools, out, a, b, count)
                    elif op == Opcode.AND_INTS:
                        _and(ints, out, a, b, count)
                    elif op == Opcode.AND_BOOLS:
                        _and(bools, out, a, b, count)
                    elif op == Opcode.OR_INTS:
                        _or(ints, out, a, b, count)
                    elif op == Opcode.OR_BOOLS:
                        _or(bools, out, a, b, count)
                    elif op == Opcode.XOR_INTS:
                        _xor(ints, out, a, b, count)
                    elif op == Opcode.XOR_BOOLS:
                        _xor(bools, out, a, b, count)
                    elif op == Opcode.INVERT_INTS:
                        _invert(ints, out, a, count)
                    elif op == Opcode.NOT_BOOLS:
                        _not(bools, out, a, count)
                    elif op == Opcode.WHERE:
                        _where(ints, bools, out, a, b, c, count)
                    elif op == Opcode.FLOATS_OF_INTS:
                        _convert(ints, floats, out, a, count)
                    elif op == Opcode.FLOATS_OF_UINTS:
                        _convert(uints, floats, out, a, count)
                    elif op == Opcode.FLOATS_OF_BOOLS:
                        _convert(bools, floats, out, a, count)
                    elif op == Opcode.INTS_OF_BOOLS:
                        _convert(bools, ints, out, a, count)
                    elif op == Opcode.SUM_FLOATS:
                        if is_filtered:
                            _add_floats(floats, a, bools, under, count, accumulators[to])
                        else:
                            _add_all_floats(floats, a, count, accumulators[to])
                    elif op == Opcode.KEEP_FLOATS:
                        _keep(floats, out, a, count)
                    elif op == Opcode.SUM_INTS:
                        totals[to] += _sum(ints, a, bools, under, count)
                    elif op == Opcode.SUM_WIDE_INTS:
                        totals[to] += _sum(ints, a, bools, under, count)
                        totals[to + 1] += _sum_high(ints, a, bools, under, count)
                    elif op == Opcode.SUM_WIDE_UINTS:
                        totals[to] += _sum(ints, a, bools, under, count)
                        totals[to + 1] += _sum_high(uints, a, bools, under, count)
                    elif op == Opcode.COUNT_BOOLS:
                        totals[to] += _sum(bools, a, bools, under, count)
                    elif op == Opcode.LEAST_FLOATS:
                        _least(floats, bools, out, a, under, count)
                    elif op == Opcode.LEAST_INTS:
                        _least(ints, bools, out, a, under, count)
                    elif op == Opcode.LEAST_UINTS:
                        _least(uints, bools, out, a, under, count)
                    elif op == Opcode.MOST_FLOATS:
                        _most(floats, bools, out, a, under, count)
                    elif op == Opcode.MOST_INTS:
                        _most(ints, bools, out, a, under, count)
                    elif op == Opcode.MOST_UINTS:
                        _most(uints, bools, out, a, under, count)
                    elif op == Opcode.STORE_NUMBERS:
                        if nselected < count:
                            _pack(ints, b, a, bools, under, count)
                            a = b
                        _memcpy(stores[to], address + a * row_bytes, 8 * nselected)
                        stores[to] += 8 * nselected
                    elif op == Opcode.STORE_BOOLS:
                        if nselected < count:
                            _pack(bools, b, a, bools, under, count)
                            a = b
                        _memcpy(stores[to], address + a * row_bytes, nselected)
                        stores[to] += nselected
                if not part and is_filtered:
                    left[vector] = _sum(bools, under, bools, under, count)
            if not part and is_filtered and not left[:nvectors].any():
                break
        chosen = left[:nvectors].sum() if is_filtered else here
        selected += chosen
        for row in range(len(sums)):
            sums[row, units] = _join(accumulators[row])
        for number in range(len(moments)):
            row, at = moments[number, 0], moments[number, 1]
            sums[at + 2, units] = chosen
            if not chosen:
                continue
            mean = sums[at, units] / chosen
            for vector in range(nvectors):
                count = min(VECTOR, here - vector * VECTOR)
                if not is_filtered or left[vector]:
                    under = mask + vector * moves[mask]
                    _add_distances(floats, row + vector, mean, bools, under, is_filtered, count, accumulators[at + 1])
            sums[at + 1, units] = _join(accumulators[at + 1])
        units += 1
        first += here
        if first == lengths[extent]:
            extent, first = extent + 1, 0
    return selected


def warm_up() -> None:
    """Compile `run`, or load its machine code from disk, which takes longer than most of its calls."""
    numbers = np.zeros(0, np.int64)
    code, parts = numbers.reshape(0, 5), np.zeros((2, 3), np.int64)
    addresses, rows = numbers.reshape(0, 0, 3), np.zeros((0, VECTOR * numbers.itemsize), np.uint8)
    floats, ints, sums = np.zeros((0, VECTOR)), np.zeros((0, VECTOR), np.int64), np.zeros((0, 0))
    run(
        addresses,
        numbers,
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
        numbers.reshape(0, 2),
        numbers,
    )
