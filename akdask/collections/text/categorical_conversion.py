"""From codes and labels to NumPy's text and to pandas' Categorical."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from akdask.columns import Table
from akdask.deferred import pd
from akdask.errors import NonUniqueError
from akdask.kernels.rowwise.lookup import check_codes
from akdask.kernels.rowwise.operations import OPERATIONS
from akdask.plan.expr.tokens import token
from akdask.plan.join.categories import IS_NA, LABEL
from akdask.plan.run.transfer import check_bytes
from akdask.typing import NumberArray


def as_text(table: Table, labels: Table) -> np.ndarray[Any, Any]:
    """Return codes and a table of labels as NumPy strings."""
    text = labels_text(labels)
    check_bytes(table.nrows * text.itemsize)
    return OPERATIONS["lookup"].evaluate(text, table.columns[0])


@dataclass(frozen=True, slots=True)
class AsPandas:
    """Makes a pandas Categorical of codes and a table of labels.

    Parameters
    ----------
    ordered : bool
        Whether the order of the labels means something.
    """

    ordered: bool

    @property
    def token(self) -> str:
        """Names the converter in plans."""
        return token("pandas Categorical", self.ordered)

    def __call__(self, table: Table, labels: Table) -> pd.Categorical:
        """Return the Categorical."""
        return pandas_categorical(np.asarray(table.columns[0]), labels, ordered=self.ordered)


def pandas_categorical(
    codes: NumberArray, labels: Table, *, ordered: bool = False, keeps_na: bool = True
) -> pd.Categorical:
    """Return the pandas Categorical of codes and a table of labels.

    Unless `keeps_na`, as for Arkouda's arrays, the label for missing is no category, and what has it is missing; so it
    is of ordered ones, as it has no place in the order.

    Raises
    ------
    PositionError
        If a code has no label.
    NonUniqueError
        If labels repeat.
    """
    check_codes(codes, labels.nrows)
    named = labels_text(labels).astype(object)
    if (ordered or not keeps_na) and labels.nrows:
        codes, there = without_na(codes, labels)
        named = named[there]
    categories = pd.Index(named)
    if not categories.is_unique:
        again = categories[categories.duplicated()][0]
        raise NonUniqueError(
            f"the category {again!r:.100} is there twice, which a pandas Categorical cannot have.",
            hint="take the elements as text, with to_strings().",
        )
    return pd.Categorical.from_codes(codes, categories=categories, ordered=ordered)


def without_na(codes: NumberArray, labels: Table) -> tuple[NumberArray, NumberArray]:
    """Return codes among the labels but for the one for missing, -1 for that, and which labels these are."""
    there = ~np.asarray(labels.columns[IS_NA])
    return np.where(there, np.cumsum(there) - 1, -1)[codes], there


def labels_text(labels: Table) -> np.ndarray[Any, Any]:
    """Return the labels as NumPy strings."""
    strings: Any = labels.columns[LABEL]
    return np.array(strings.to_pylist(), dtype=str)
