"""Frames in notebooks: a table with the types of columns below their names, and a line about rows and partitions.

Colours are those of the notebook: rules and what is less important are its text colour, made translucent, so that dark
and light themes need no styles of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from akdask.deferred import pd

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


def rows_table(shown: pd.DataFrame, types: Mapping[str, Any]) -> str:
    """Return rows as a table, of those that pandas leaves out too where there are more than it shows.

    Parameters
    ----------
    shown : pandas.DataFrame
        The rows, those at both ends at least.
    types : mapping of str to object
        The types of columns; what is shown of columns that are left out has none.
    """
    most: int | None = pd.get_option("display.max_rows")
    cut = most is not None and len(shown) > most
    labelled = shown.copy(deep=False)
    labelled.columns = pd.MultiIndex.from_arrays(
        [shown.columns, [str(types.get(name, "")) for name in shown.columns]], names=[None, None]
    )
    return labelled.to_html(
        max_rows=pd.get_option("display.min_rows") if cut else None,
        sparsify=False,
        show_dimensions=False,
        border=0,
        index_names=shown.index.name is not None,
    )


def types_table(types: Sequence[tuple[str, str]]) -> str:
    """Return the names and types of columns as a table, for what shows no rows."""
    cells = "".join(f"<tr><th>{escape(name)}</th><td>{escape(kind)}</td></tr>" for name, kind in types)
    return f"<table><thead><tr><th>column</th><th>type</th></tr></thead><tbody>{cells}</tbody></table>"
