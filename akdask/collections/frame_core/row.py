"""`Row`: one row of a DataFrame."""

from __future__ import annotations

from html import escape
from typing import Any


class Row(dict[str, Any]):
    """The values of one row by the names of the columns: a dict that shows as a table.

    Examples
    --------
    >>> import akdask as ak
    >>> row = ak.DataFrame({"x": [1, 2], "name": ["a", "b"]})[1]
    >>> row["name"]
    'b'
    >>> print(row)
    keys    values
    ------  --------
    x       2
    name    b
    """

    def __str__(self) -> str:
        shown = [("keys", "values"), *((str(name), str(value)) for name, value in self.items())]
        # The widths of a table that has room for its heads and two spaces more.
        first, second = (
            max(len(head) + 2, *map(len, column))
            for head, column in zip(("keys", "values"), zip(*shown, strict=True), strict=True)
        )
        rule = f"{'-' * first}  {'-' * second}"
        lines = [f"{name:<{first}}  {value}".rstrip() for name, value in shown]
        return "\n".join([lines[0], rule, *lines[1:]])

    def _repr_html_(self) -> str:
        """Return the row as a table of HTML, for Jupyter."""
        rows = "".join(
            f"<tr><td>{escape(str(name))}</td><td>{escape(str(value))}</td></tr>" for name, value in self.items()
        )
        return f"<table><thead><tr><th>keys</th><th>values</th></tr></thead><tbody>{rows}</tbody></table>"
