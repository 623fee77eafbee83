"""Parts one after the other, read as one: a step on some hundred rows takes as long as one on many thousands."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from types import TracebackType
from typing import Self

import numpy as np

from akdask.columns import concat_rows
from akdask.storage.data.source import Part, PartReader, Stretch, opens_early
from akdask.typing import Column, NumberArray


@dataclass(frozen=True, slots=True)
class ConsecutiveParts:
    """The rows of several parts, in order; implements `akdask.storage.data.source.Part`.

    Parameters
    ----------
    parts : sequence of Part
        Some with rows.  All are open while any is read.
    """

    parts: Sequence[Part]

    @property
    def nrows(self) -> int:
        """Number of rows."""
        return sum(part.nrows for part in self.parts)

    @property
    def is_remote(self) -> bool:
        """Whether some are not on this machine."""
        return any(map(opens_early, self.parts))

    def open(self) -> ConsecutiveReader:
        """Return a reader, to be used in a ``with`` statement."""
        return ConsecutiveReader(self.parts)


class ConsecutiveReader(PartReader):
    """Reads row ranges of parts that lie end to end; implements `akdask.storage.data.source.PartReader`."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self._parts = parts
        self._stack = ExitStack()
        self._readers: list[tuple[int, int, PartReader]] = []

    def __enter__(self) -> Self:
        with ExitStack() as opened:
            stop = 0
            for part in self._parts:
                start, stop = stop, stop + part.nrows
                if start < stop:
                    self._readers.append((start, stop, opened.enter_context(part.open())))
            self._stack = opened.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def read(self, column: str, start: int, stop: int, out: NumberArray | None = None) -> Column:
        """Return rows `start` to `stop` of a column, counted from the first of all, as each part does."""
        parts = []
        for first, last, reader in self._readers:
            begin, end = max(first, start), min(last, stop)
            if begin < end:
                target = None if out is None else out[begin - start : end - start]
                parts.append(reader.read(column, begin - first, end - first, target))
        if out is not None and isinstance(parts[0], np.ndarray):
            return out[: stop - start]
        return concat_rows(parts)

    def stretches(self, column: str) -> list[Stretch] | None:
        """Return where all rows of a column lie, None where one of the parts does not tell."""
        found: list[Stretch] = []
        for _, _, reader in self._readers:
            some = reader.stretches(column)
            if some is None:
                return None
            found += some
        return found
