"""The table of rules on which Arkouda and pandas contradict each other, read when a node is built.

Nodes carry plain parameters (`skipna`, `sort`, a fill) and never know whose rules they follow.  Each of Arkouda's
entries cites the documentation or the source that promises it.
"""

from __future__ import annotations

from akdask.records import record


@record
class Rules:
    """The defaults of one face of the library.

    Parameters
    ----------
    skipna : bool
        Whether reductions leave missing values out.  Arkouda's sums, means and extremes of NaN are NaN.
    rounds_to_units : bool
        Whether floor, ceil and round of times read Arkouda's names of units, such as ``m`` for minutes, where pandas
        refuses them (``arkouda/numpy/timeclass.py``, ``_get_factor``).
    absent_operand : int, optional
        Operand of an operator of two Series for a label that one of them lacks; None for a missing value.
        Arkouda looks both up with ``fillvalue=0`` (``arkouda/pandas/series.py``, ``_make_binop``).
    labels_are_named : bool
        Whether a DataFrame takes the column that is called ``index`` for the labels of its rows, as Arkouda does
        (``arkouda/pandas/dataframe.py``, ``__init__``).
    keeps_unnamed_labels : bool
        Whether `reset_index` of a DataFrame makes a column ``index`` of labels that have no name.  Arkouda only numbers
        the rows again, and documents that it adds no such column (``arkouda/pandas/dataframe.py``, ``reset_index``).
    unwraps_one_entry : bool
        Whether a list of labels that one entry of a Series has gives its value, as one label does.  Arkouda documents
        that it returns a scalar where only one entry is accessed (``arkouda/pandas/series.py``, ``__getitem__``).
    equates_missing_labels : bool
        Whether missing elements of two Categoricals are equal as arrays; as columns and Series they never are.
        Arkouda compares their codes (``arkouda/pandas/categorical.py``, ``_binop``).
    compares_exactly : bool
        Whether integers are compared with floats as numbers.  pandas compares as NumPy does, which makes floats of the
        integers first: ``2**53 + 1`` equals ``2.0**53``.
    floats_unmatched : bool
        Whether `merge` makes float64 of columns of int64 whose rows may lack a match.  Arkouda casts them
        (``arkouda/pandas/dataframe.py``, ``_right_join_merge``); lazy columns of pandas stay integers, and are missing.
    """

    skipna: bool
    absent_operand: int | None
    labels_are_named: bool
    keeps_unnamed_labels: bool
    unwraps_one_entry: bool
    rounds_to_units: bool
    equates_missing_labels: bool
    compares_exactly: bool
    floats_unmatched: bool


ARKOUDA = Rules(
    skipna=False,
    absent_operand=0,
    labels_are_named=True,
    keeps_unnamed_labels=False,
    unwraps_one_entry=True,
    rounds_to_units=True,
    equates_missing_labels=True,
    compares_exactly=True,
    floats_unmatched=True,
)
PANDAS = Rules(
    skipna=True,
    absent_operand=None,
    labels_are_named=False,
    keeps_unnamed_labels=True,
    unwraps_one_entry=False,
    rounds_to_units=False,
    equates_missing_labels=False,
    compares_exactly=False,
    floats_unmatched=False,
)
