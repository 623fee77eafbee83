"""What a DataFrame has of the methods of this package."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

from akdask.collections.core.array import Array
from akdask.collections.frame_core.analysis.access import AccessMethods
from akdask.collections.frame_core.analysis.cells import CellMethods
from akdask.collections.frame_core.analysis.moving.expanding import ExpandingMethods
from akdask.collections.frame_core.analysis.moving.windows import WindowMethods
from akdask.collections.frame_core.analysis.query import QueryMethods
from akdask.collections.frame_core.analysis.reindexing import ReindexMethods
from akdask.collections.frame_core.analysis.resampling import ResampleMethods
from akdask.collections.frame_core.analysis.reshaping import ReshapingMethods
from akdask.collections.frame_core.analysis.summaries import SummaryMethods
from akdask.collections.frame_core.columnset import ColumnSet


class AnalysisMethods(
    QueryMethods,
    SummaryMethods,
    ReshapingMethods,
    ResampleMethods,
    AccessMethods,
    CellMethods,
    WindowMethods,
    ExpandingMethods,
    ReindexMethods,
):
    """All families, on the columns of a DataFrame."""

    def _analysed(self) -> ColumnSet:
        return self._columns

    def _resulting(self, arrays: Mapping[str, Array]) -> Self:
        return self._of(self._columns.beside(arrays))
