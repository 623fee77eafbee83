"""The rows of several blocks, where their partition is needed as a whole."""

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
    """What a program makes of several blocks, most of it at once where it stays: untouched memory costs nothing.

    Parameters
    ----------
    program : Program
        What it is made by.
    expected : int
        Number of rows that may come; more, where rows are repeated.
    ncoded : int
        Number of leading columns of which strings are not kept, but their codes.
    """

    def __init__(self, program: Program, expected: int, ncoded: int = 0) -> None:
        self.nrows = 0
        self._program = program
        self._dtypes = program.dtypes
        self._arrays = {number: new_array(expected, t.numpy) for number, t in enumerate(program.dtypes) if t.is_number}
        self._texts = {
            number: StringEncoder(expected) if number < ncoded else StringsBuilder(expected)
            for number, t in enumerate(program.dtypes)
            if t == STR
        }
        self._pieces: list[list[Column]] = [[] for _ in program.dtypes]

    def add(self, block: Block) -> list[Column]:
        """Add the rows of a block, and return them; their memory the next block uses again."""
        stop = self.nrows + block.nrows
        self._arrays = {number: with_capacity(array, self.nrows, stop) for number, array in self._arrays.items()}
        room = {number: array[self.nrows : stop] for number, array in self._arrays.items()}
        columns = block.evaluate(self._program, [room.get(number) for number in range(len(self._dtypes))])
        for number, column in enumerate(columns):
            if number in room:
                if not np.may_share_memory(room[number], column):
                    room[number][:] = column
            elif number in self._texts:
                self._texts[number].append(column)
            else:
                self._pieces[number].append(column)
        self.nrows = stop
        return columns

    def columns(self) -> list[Any]:
        """Return all rows: columns, or `Coded` strings."""
        return [
            self._arrays[number][: self.nrows]
            if number in self._arrays
            else self._texts[number].finish()
            if number in self._texts
            else concat_rows(pieces)
            if pieces
            else empty(dtype)
            for number, (pieces, dtype) in enumerate(zip(self._pieces, self._dtypes, strict=True))
        ]
