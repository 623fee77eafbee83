"""Display of arrays, in Arkouda's form: elements are shown if they are in memory or cheap to compute."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from akdask import config
from akdask.engine.explain import edge_of_limit, estimate, is_small, shown_budget
from akdask.engine.node import Frame, RowSpace
from akdask.engine.rowwise import Partitions
from akdask.engine.run import resolve_lengths, run, tasks_of
from akdask.engine.scheduler import OutOfTime, time_limit
from akdask.engine.values import Value

if TYPE_CHECKING:
    from akdask.arrays.array import Collection

EDGE = 3
"""How many first and last elements are shown of a longer array."""

LONGEST_TABLE = 20
"""Elements that a table has; of more it has the first and last ones."""

LONGEST_ELEMENT = 200
"""Characters of a text that a table has; the page cuts what does not fit."""

MOST_PARTITIONS = 1000
"""Partitions whose cost takes a moment to estimate."""


# Rules and secondary text have the text colour of the notebook, made translucent: dark and light themes need
# no styles of their own.
STYLE = """<style scoped>
.akdask p {margin: 0 0 .4em; opacity: .75}
.akdask table {border-collapse: collapse; border: none; font-variant-numeric: tabular-nums}
.akdask th, .akdask td {text-align: right; padding: .25em .7em; border: none; max-width: 24em; overflow: hidden;
  text-overflow: ellipsis; white-space: nowrap; background: none; color: inherit}
.akdask thead tr:nth-child(n+2) th {font-weight: normal; font-size: 85%; opacity: .65}
.akdask thead tr:last-child th {
border-bottom: 1px solid rgba(127, 127, 127, .5)}
.akdask tbody tr:nth-child(even) {background: rgba(127, 127, 127, .08)}
.akdask tbody tr:hover {background: rgba(127, 127, 127, .2)}
.akdask tbody th {font-weight: normal; opacity: .65}
</style>"""


def framed(title: str, *parts: str) -> str:
    """Return parts of HTML below a title, which is plain text, with the style of tables."""
    return f'<div class="akdask">{STYLE}<p>{escape(title)}</p>{"".join(parts)}</div>'


def captioned(title: str, text: str) -> str:
    """Return a caption and text below it as HTML."""
    return f"<p>{escape(title)}</p><pre style='white-space: pre-wrap'>{escape(text)}</pre>"


def text_of(array: Any) -> str:
    """Return an array as text: its elements, or the first and last ones; its type and rows if finding them takes long.

    The array says how its elements are printed and listed, and of which number only the first and last ones are shown.
    """
    edges = _shown_edges(array)
    if edges is None:
        return f"<{array._describe()}: {lazy_text(array)}>"
    head, tail = edges
    rest = [] if tail is None else [array._gap, *array._printed(tail)]
    shown: str = array._listed(array._printed(head) + rest)
    return shown


def html_of(array: Any) -> str:
    """Return an array as a table of HTML: positions and elements, numbers in their shortest digits."""
    return html_of_columns(array._title(), [array])


def html_of_columns(title: str, arrays: Sequence[Any], names: Sequence[str] = ()) -> str:
    """Return arrays that share rows as a table of HTML, below their names if any; positions are the first column."""
    found = [_shown_edges(array) for array in arrays]
    edges = [_cut(*pair) for pair in found if pair is not None]
    if len(edges) < len(found):
        return framed(f"{title}: {lazy_text(arrays[found.index(None)])}")
    size = arrays[0].rows.size
    columns, positions = list[list[str]](), list[str]()
    for array, (head, tail) in zip(arrays, edges, strict=True):
        printed, positions = _elements_as_text(array, head), [str(position) for position in range(len(head))]
        if tail is not None:
            last = _elements_as_text(array, tail)
            printed += ["…", *last]
            positions += ["…", *(str((size or 0) - len(last) + k) for k in range(len(last)))]
        columns.append(printed)
    heads = [names] if names else []
    return framed(title, table([*heads, [str(array._type_name()) for array in arrays]], positions, columns))


def _cut(head: Any, tail: Any) -> tuple[Any, Any]:
    """Return the first and last elements that a table has; the last ones are None if the first ones are all."""
    return (head[:EDGE], head[-EDGE:]) if tail is None and len(head) > LONGEST_TABLE else (head, tail)


def html_of_grid(title: str, array: Any, items: np.ndarray[Any, Any]) -> str:
    """Return an array of several dimensions as a table of HTML: its last axis goes to the right, all others downwards.

    Of a longer axis the table has both ends.
    """
    *outer, last = items.shape
    rows, numbers = _ends(math.prod(outer)), _ends(last)
    grid = items.reshape(math.prod(outer), last)
    columns = [
        [
            "…" if row is None or number is None else _elements_as_text(array, grid[row, number : number + 1])[0]
            for row in rows
        ]
        for number in numbers
    ]
    positions = ["…" if row is None else ", ".join(map(str, np.unravel_index(row, outer))) for row in rows]
    return framed(title, table([["…" if number is None else str(number) for number in numbers]], positions, columns))


def _ends(length: int) -> list[int | None]:
    """Return the positions of an axis that a table has; None for those in the middle, which it leaves out."""
    if length <= LONGEST_TABLE:
        return [*range(length)]
    return [*range(EDGE), None, *range(length - EDGE, length)]


def table(heads: Sequence[Sequence[str]], labels: Sequence[str], columns: Sequence[Sequence[str]]) -> str:
    """Return columns of text as a table of HTML below lines of headings, with a label before each row."""
    top = "".join(f"<tr><th></th>{''.join(f'<th>{escape(text)}</th>' for text in head)}</tr>" for head in heads)
    lines = zip(labels, *columns, strict=True)
    body = "".join(
        f"<tr><th>{escape(label)}</th>{''.join(f'<td>{escape(text)}</td>' for text in printed)}</tr>"
        for label, *printed in lines
    )
    return f"<table><thead>{top}</thead><tbody>{body}</tbody></table>"


def types_table(types: Sequence[tuple[str, str]], what: str = "column") -> str:
    """Return names and types as a table, for objects that show no rows."""
    lines = "".join(f"<tr><th>{escape(name)}</th><td>{escape(kind)}</td></tr>" for name, kind in types)
    return f"<table><thead><tr><th>{what}</th><th>type</th></tr></thead><tbody>{lines}</tbody></table>"


def _elements_as_text(array: Any, items: Any) -> list[str]:
    """Return elements as cells of a table: text without quotes, and cut, numbers as Python writes them."""
    listed = items.tolist() if isinstance(items, np.ndarray) else list(items)
    if any(isinstance(item, str | float) for item in listed):
        printed = [str(item) for item in listed]
    else:
        printed = [text.strip("'") for text in array._printed(items)]
    return [text if len(text) <= LONGEST_ELEMENT else f"{text[:LONGEST_ELEMENT]}…" for text in printed]


def _shown_edges(array: Any) -> tuple[Any, Any] | None:
    """Return the first and last elements, as `_edges`, also of an array that is quick to compute."""
    edges = _edges(array)
    if edges is not None:
        return edges
    in_memory = rows_in_memory(array, array._frame, [array._value])
    if in_memory is None:
        return None
    resolve_lengths(in_memory._frame)
    return _first_and_last(in_memory, small=False)


def listed(array: Any, printed: Sequence[str]) -> str:
    """Return text of elements together: on one line, or one per line above the array's footer."""
    if array._footer is None:
        return f"[{array._separator.join(printed)}]"
    name = type(array).__name__
    indent = " " * (len(name) + 1)
    column = f",\n{indent} ".join(printed)
    return f"{name}([{column}],\n{indent}{array._footer})"


def title_of(array: Any) -> str:
    """Return a short description of an array that costs nothing to find."""
    name, kind = type(array).__name__, array._type_name()
    return f"{name}: {'' if kind == name else f'{kind}, '}{counted(array.rows, 'element')}"


def _edges(array: Any) -> tuple[Any, Any] | None:
    """Return the first and last elements if at most the edge partitions are needed, else None.

    The last ones are None if the first ones are all elements.
    """
    small = is_small(array._frame, [array._value])
    if not small and not array._is_cheap():
        return _edge_of_limit(array)
    return _first_and_last(array, small=small)


def _first_and_last(array: Any, *, small: bool) -> tuple[Any, Any]:
    """Return the first and last elements, from the edge partitions unless the whole array is as cheap."""
    first, last = (array, array) if small else _edge_partitions(array)
    size, most = array.rows.size, array._most_shown
    if first is not last or (size is not None and size > most):
        head, tail = run(first.head(EDGE)._shown, last.tail(EDGE)._shown)
        return head, tail
    (head,) = run(first.head(most + 1)._shown)
    if len(head) <= most:
        return head, None
    (tail,) = run(last.tail(EDGE)._shown)
    return head[:EDGE], tail


def _edge_of_limit(array: Any) -> tuple[Any, Any] | None:
    """Return the first or last elements, as far as one partition has them."""
    edge = edge_of_limit(array._frame, [array._value])
    if edge is None:
        return None
    frame, (value,), count = edge
    part = array._like(frame, value)
    (found,) = run((part.head(count) if count >= 0 else part.tail(-count))._shown)
    if len(found) > array._most_shown:
        return found[:EDGE], found[-EDGE:]
    if len(found) == abs(count):
        return found, None
    return (found, found[:0]) if count >= 0 else (found[:0], found)


def _edge_partitions(array: Any) -> tuple[Any, Any]:
    """Return the array to take the first and last elements from: the array itself, if that is as cheap."""
    if array.rows.lengths is not None or array.rows.npartitions == 1:
        return array, array
    numbers = 0, array.rows.npartitions - 1
    first, last = (array._like(Partitions(array._frame, (number,)), array._value) for number in numbers)
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
