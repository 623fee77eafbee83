"""Parts one after the other, read as one: a step on some hundred rows takes as long as one on many thousands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

import numpy as np

from akdask.columns import concat_rows
from akdask.columns.dictionary_text import joined
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
        for reader, begin, end, at in self._within(start, stop):
            target = None if out is None else out[at : at + end - begin]
            parts.append(reader.read(column, begin, end, target))
        if out is not None and isinstance(parts[0], np.ndarray):
            return out[: stop - start]
        return concat_rows(parts)

    def read_text(self, column: str, start: int, stop: int) -> Any:
        """Return rows of a column of text, encoded where all parts give it so."""
        return joined([reader.read_text(column, begin, end) for reader, begin, end, _ in self._within(start, stop)])

    def _within(self, start: int, stop: int) -> Iterator[tuple[PartReader, int, int, int]]:
        """Yield the parts that some rows lie in, which rows of each they are, and how many come before these."""
        for first, last, reader in self._readers:
            begin, end = max(first, start), min(last, stop)
            if begin < end:
                yield reader, begin - first, end - first, begin - start

    def stretches(self, column: str) -> list[Stretch] | None:
        """Return where all rows of a column lie, None where one of the parts does not tell."""
        found: list[Stretch] = []
        for _, _, reader in self._readers:
            some = reader.stretches(column)
            if some is None:
                return None
            found += some
        return found
