"""Display of arrays, in Arkouda's form: elements are shown if they are in memory or cheap to compute."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any, ClassVar, Self

import numpy as np

from akdask import config
from akdask.arrays.base import Collection
from akdask.engine.explain import edge_of_limit, estimate, is_cheap, is_small, shown_budget
from akdask.engine.node import Frame, RowSpace
from akdask.engine.rowwise import Partitions
from akdask.engine.run import resolve_lengths, run, tasks_of
from akdask.engine.scheduler import OutOfTime, time_limit
from akdask.engine.values import Value

SHOWN = 100
"""How many elements an array may have that is shown whole: Arkouda's ``pdarrayIterThresh``."""

EDGE = 3
"""How many first and last elements are shown of a longer array."""

GAP = "..."

MOST_PARTITIONS = 1000
"""Partitions of rows for which it takes a moment to tell what they will take."""


class HtmlDisplay:
    """The caption that Jupyter shows above an object's text."""

    def _title(self) -> str:
        """Return a short description of the object that costs nothing to find."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        return captioned(self._title(), repr(self))


def captioned(title: str, text: str) -> str:
    """Return a caption and text below it as HTML."""
    return f"<p>{escape(title)}</p><pre style='white-space: pre-wrap'>{escape(text)}</pre>"


class ArrayDisplay(HtmlDisplay, Collection):
    """Text of an array: its elements, or the first and last ones; if finding them takes long, its type and rows."""

    _most_shown: ClassVar[int] = SHOWN
    _separator: ClassVar[str] = " "
    _gap: ClassVar[str] = GAP

    _frame: Frame
    _value: Value

    def _like(self, frame: Frame, value: Value) -> Self:
        raise NotImplementedError

    @property
    def rows(self) -> RowSpace:
        """The row space."""
        raise NotImplementedError

    def head(self, n: int = 5) -> Self:
        """Return the first `n` elements; lazy."""
        raise NotImplementedError

    def tail(self, n: int = 5) -> Self:
        """Return the last `n` elements; lazy."""
        raise NotImplementedError

    def _type_name(self) -> str:
        """Return the type as DataFrames name it."""
        raise NotImplementedError

    # text

    def _printed(self, items: Any) -> list[str]:
        """Return elements as text, each for itself."""
        return printed_numbers(items)

    @property
    def _footer(self) -> str | None:
        """The line below elements that are shown one per line; None where elements share lines."""
        return None

    def _listed(self, printed: Sequence[str]) -> str:
        """Return text of elements as `str` writes them together."""
        if self._footer is None:
            return f"[{self._separator.join(printed)}]"
        indent = " " * (len(type(self).__name__) + 1)
        column = f",\n{indent} ".join(printed)
        return f"{type(self).__name__}([{column}],\n{indent}{self._footer})"

    def _shown(self) -> str | None:
        """Return the elements, or the first and last ones; None if finding them takes long."""
        edges = self._edges()
        if edges is None:
            in_memory: Self | None = rows_in_memory(self, self._frame, [self._value])
            if in_memory is None:
                return None
            resolve_lengths(in_memory._frame)
            edges = in_memory._first_and_last(small=False)
        head, tail = edges
        return self._listed(self._printed(head) + ([] if tail is None else [self._gap, *self._printed(tail)]))

    def __str__(self) -> str:
        shown = self._shown()
        return f"<{self._describe()}: {lazy_text(self)}>" if shown is None else shown

    def __repr__(self) -> str:
        shown = str(self)
        return f"array({shown})" if shown.startswith("[") else shown

    def _describe(self) -> str:
        return f"{type(self).__name__}({self._value.dtype}, {self.rows.describe()})"

    def _title(self) -> str:
        name, kind = type(self).__name__, self._type_name()
        return f"{name}: {'' if kind == name else f'{kind}, '}{counted(self.rows, 'element')}"

    # elements

    def _edges(self) -> tuple[Any, Any] | None:
        """Return the first and last elements if at most the edge partitions are needed, else None.

        The last ones are None if the first ones are all elements.
        """
        small = is_small(self._frame, [self._value])
        if not small and not self._is_cheap():
            return self._edge_of_limit()
        return self._first_and_last(small=small)

    def _first_and_last(self, *, small: bool) -> tuple[Any, Any]:
        """Return the first and last elements, from the edge partitions unless the whole array is as cheap."""
        first, last = (self, self) if small else self._edge_partitions()
        size = self.rows.size
        if first is not last or (size is not None and size > self._most_shown):
            head, tail = run(first.head(EDGE).expr, last.tail(EDGE).expr)
            return head, tail
        (head,) = run(first.head(self._most_shown + 1).expr)
        if len(head) <= self._most_shown:
            return head, None
        (tail,) = run(last.tail(EDGE).expr)
        return head[:EDGE], tail

    def _edge_of_limit(self) -> tuple[Any, Any] | None:
        """Return the first or last elements, as far as one partition has them."""
        edge = edge_of_limit(self._frame, [self._value])
        if edge is None:
            return None
        frame, (value,), count = edge
        part = self._like(frame, value)
        (found,) = run((part.head(count) if count >= 0 else part.tail(-count)).expr)
        if len(found) > self._most_shown:
            return found[:EDGE], found[-EDGE:]
        if len(found) == abs(count):
            return found, None
        return (found, found[:0]) if count >= 0 else (found[:0], found)

    def _is_cheap(self) -> bool:
        return is_cheap(self._frame, [self._value])

    def _edge_partitions(self) -> tuple[Self, Self]:
        """Return the array to take the first and last elements from: the array itself, if that is as cheap."""
        if self.rows.lengths is not None or self.rows.npartitions == 1:
            return self, self
        numbers = 0, self.rows.npartitions - 1
        first, last = (self._like(Partitions(self._frame, (number,)), self._value) for number in numbers)
        return first, last


def lazy_text(shown: Collection) -> str:
    """Return the text of `repr` for an object without shown values: its memory, and how to see the values."""
    taken = ""
    if shown.expr.npartitions <= MOST_PARTITIONS:
        found = estimate([tasks_of(shown.expr)])
        taken = f" {found.describe()};"
    return f"lazy;{taken} .head().compute() shows some values, .compute() all, .explain() the plan"


def rows_in_memory(shown: Any, frame: Frame, values: Sequence[Value]) -> Any | None:
    """Return an object with its rows in memory if its plan is quick to compute, else None.

    The computation is abandoned after ``display_seconds`` (a setting), if threads of this process compute.
    """
    seconds = config.get("display_seconds")
    if not seconds or not is_small(frame, values, shown_budget()):
        return None
    try:
        with time_limit(seconds):
            return shown.persist()
    except OutOfTime:
        return None


def printed_numbers(items: np.ndarray[Any, Any]) -> list[str]:
    """Return numbers and bools as Arkouda writes them.

    Examples
    --------
    >>> printed_numbers(np.array([2.0, 0.1, 2.5, np.nan, 1e300])), printed_numbers(np.array([True]))
    (['2.00000000000000000', '0.10000000000000001', '2.5', 'nan', '1.0000000000000001e+300'], ['True'])
    """
    return [_float_text(item) if isinstance(item, float) else str(item) for item in items.tolist()]


def _float_text(number: float) -> str:
    text = f"{number:.17g}"
    return f"{text}.{'0' * 17}" if text.lstrip("-").isdecimal() else text


def quoted(items: Sequence[Any] | np.ndarray[Any, Any]) -> list[str]:
    """Return text in quotes as Arkouda writes it, and missing text as ``None``.

    Examples
    --------
    >>> quoted(["a", None])
    ["'a'", 'None']
    """
    return ["None" if item is None else f"'{item}'" for item in items]


def counted(rows: RowSpace, what: str) -> str:
    """Return the numbers of rows and partitions in words, as far as they are known.

    Examples
    --------
    >>> counted(RowSpace.of_lengths([1000, 500]), "element")
    '1,500 elements, 2 partitions'
    """
    size, parts = rows.size, rows.npartitions
    elements = f"unknown number of {what}s" if size is None else f"{size:,} {what}{'' if size == 1 else 's'}"
    return f"{elements}, {parts} partition{'' if parts == 1 else 's'}"
