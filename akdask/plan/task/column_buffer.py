"""The rows of several blocks, collected where a sink needs its partition as a whole."""

from __future__ import annotations

from typing import Any

import numpy as np

from akdask.columns import StringsBuilder, concat_rows, empty, new_array, with_capacity
from akdask.kernels.keys.encoded_strings import StringEncoder
from akdask.plan.task.blocks import Block
from akdask.plan.task.program import Program
from akdask.schema import STR
from akdask.typing import Column


class ColumnBuffer:
    """Collects the results of a program over several blocks, in arrays of the expected size.

    Memory that is reserved and not written to costs nothing.

    Parameters
    ----------
    program : Program
        What to evaluate.
    expected : int
        Expected number of rows; repeated rows may be more.
    ncoded : int
        Number of leading columns whose strings are dictionary-encoded.
    """

    def __init__(self, program: Program, expected: int, ncoded: int = 0) -> None:
        self.nrows = 0
        self._program = program
        self._dtypes = program.dtypes
        self._arrays = {number: new_array(expected, t.numpy) for number, t in enumerate(program.dtypes) if t.is_number}
        self._strings = {
            number: StringEncoder(expected) if number < ncoded else StringsBuilder(expected)
            for number, t in enumerate(program.dtypes)
            if t == STR
        }
        self._parts: list[list[Column]] = [[] for _ in program.dtypes]

    def add(self, block: Block) -> list[Column]:
        """Append the rows of a block and return them; the next block reuses their memory."""
        stop = self.nrows + block.nrows
        self._arrays = {number: with_capacity(array, self.nrows, stop) for number, array in self._arrays.items()}
        targets = {number: array[self.nrows : stop] for number, array in self._arrays.items()}
        columns = block.evaluate(self._program, [targets.get(number) for number in range(len(self._dtypes))])
        for number, column in enumerate(columns):
            if number in targets:
                if not np.may_share_memory(targets[number], column):
                    targets[number][:] = column
            elif number in self._strings:
                self._strings[number].append(column)
            else:
                self._parts[number].append(column)
        self.nrows = stop
        return columns

    def columns(self) -> list[Any]:
        """Return all rows: columns, or `EncodedStrings` for encoded ones."""
        return [
            self._arrays[number][: self.nrows]
            if number in self._arrays
            else self._strings[number].finish()
            if number in self._strings
            else concat_rows(parts)
            if parts
            else empty(dtype)
            for number, (parts, dtype) in enumerate(zip(self._parts, self._dtypes, strict=True))
        ]
