"""Errors that pandas has classes of its own for: beside `akdask.errors`, which is loaded without pandas."""

from __future__ import annotations

from pandas.errors import IndexingError

from akdask.errors import AlignmentError


class MaskLabelsError(AlignmentError, IndexingError):
    """A mask has no value for a label of the rows that it is to choose from."""
