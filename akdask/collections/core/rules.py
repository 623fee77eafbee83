"""Where Arkouda and pandas contradict each other: one table of rules, read when a node is built.

Nodes carry plain parameters (`skipna`, `sort`, a fill) and never know whose rules they follow.  An entry that is
Arkouda's cites the documentation or the source that promises it.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rules:
    """The defaults of one face of the library.

    Parameters
    ----------
    skipna : bool
        Whether reductions leave missing values out.  Arkouda's sums, means and extremes of NaN are NaN.
    absent_operand : int, optional
        What an operator of two Series computes with for a label that one of them lacks; None for a missing value.
        Arkouda looks both up with ``fillvalue=0`` (``arkouda/pandas/series.py``, ``_make_binop``).
    """

    skipna: bool
    absent_operand: int | None


ARKOUDA = Rules(skipna=False, absent_operand=0)
PANDAS = Rules(skipna=True, absent_operand=None)
