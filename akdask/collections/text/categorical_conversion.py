"""From codes and labels to NumPy's text and to pandas' Categorical."""

from __future__ import annotations

from typing import Any

import numpy as np

from akdask.columns import Table
from akdask.deferred import pd
from akdask.errors import NonUniqueError
from akdask.kernels.rowwise.lookup import check_codes
from akdask.kernels.rowwise.operations import OPERATIONS
from akdask.plan.join.categories import LABEL
from akdask.plan.run.transfer import check_bytes
from akdask.typing import NumberArray


def as_text(table: Table, labels: Table) -> np.ndarray[Any, Any]:
    """Return codes and a table of labels as NumPy strings."""
    text = labels_text(labels)
    check_bytes(table.nrows * text.itemsize)
    return OPERATIONS["lookup"].evaluate(text, table.columns[0])


def pandas_categorical(codes: NumberArray, labels: np.ndarray[Any, Any]) -> pd.Categorical:
    """Return the pandas Categorical of codes and labels.

    Raises
    ------
    PositionError
        If a code has no label.
    NonUniqueError
        If labels repeat.
    """
    check_codes(codes, len(labels))
    categories = pd.Index(labels.astype(object))
    if not categories.is_unique:
        again = categories[categories.duplicated()][0]
        raise NonUniqueError(
            f"the category {again!r:.100} is there twice, which a pandas Categorical cannot have.",
            hint="take the elements as text, with to_strings().",
        )
    return pd.Categorical.from_codes(codes, categories=categories)


def labels_text(labels: Table) -> np.ndarray[Any, Any]:
    """Return the labels as NumPy strings."""
    strings: Any = labels.columns[LABEL]
    return np.array(strings.to_pylist(), dtype=str)
