"""`pandas.testing` for objects of this face."""

from __future__ import annotations

from typing import Any

from pandas import testing

from akdask.pandas.face import in_pandas

__all__ = ["assert_extension_array_equal", "assert_frame_equal", "assert_index_equal", "assert_series_equal"]


def assert_frame_equal(left: Any, right: Any, **options: Any) -> None:
    """Compare two frames as `pandas.testing.assert_frame_equal` does; computes both."""
    testing.assert_frame_equal(in_pandas(left), in_pandas(right), **options)


def assert_series_equal(left: Any, right: Any, **options: Any) -> None:
    """Compare two Series as `pandas.testing.assert_series_equal` does; computes both."""
    testing.assert_series_equal(in_pandas(left), in_pandas(right), **options)


assert_index_equal = testing.assert_index_equal
assert_extension_array_equal = testing.assert_extension_array_equal
