"""The class of Series, as far as there is one."""

from __future__ import annotations

import sys
from typing import Any

import pandas as pd


def is_series(item: Any) -> bool:
    """Whether something is a Series of akdask's."""
    return type(item).__name__ == "Series" and not isinstance(item, pd.Series)


def series_of(item: pd.Series) -> Any:
    """Return the Series of one of pandas'."""
    return sys.modules["akdask"].Series(item)
