"""One row of a DataFrame."""

from __future__ import annotations

from collections import UserDict
from html import escape
from typing import Any

import numpy as np


class Row(UserDict[str, Any]):
    """The values of one row by the names of the columns: a mapping that prints as a table.

    Examples
    --------
    >>> print(Row({"port": 443, "name": "https"}))
    keys    values
    ------  --------
    port    443
    name    https
    """

    @classmethod
    def of(cls, values: dict[str, Any]) -> Row:
        """Return a row whose text is NumPy's, as that of single elements is."""
        return cls({name: np.str_(value) if type(value) is str else value for name, value in values.items()})

    def __str__(self) -> str:
        rows = [("keys", "values"), *((str(name), str(value)) for name, value in self.items())]
        width, last = (max(len(row[column]) for row in rows) for column in (0, 1))
        width, last = max(width, len("keys") + 2), max(last, len("values") + 2)
        rows.insert(1, ("-" * width, "-" * last))
        return "\n".join(f"{name:<{width}}  {value}".rstrip() for name, value in rows)

    def __repr__(self) -> str:
        return repr(self.data)

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th>{escape(str(name))}</th><td>{escape(str(value))}</td></tr>" for name, value in self.items()
        )
        return f"<table><thead><tr><th>keys</th><th>values</th></tr></thead><tbody>{rows}</tbody></table>"
