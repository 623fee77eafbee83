"""Checks for tests of code that uses akdask, as in Arkouda, and Hypothesis strategies.

`assert_equal` and its like are also `ak.assert_equal`; the strategies are in `akdask.testing.strategies`, and need the
package ``hypothesis``.
"""

from akdask.testing.asserters import (
    assert_arkouda_array_equal,
    assert_arkouda_pdarray_equal,
    assert_arkouda_segarray_equal,
    assert_arkouda_strings_equal,
    assert_attr_equal,
    assert_categorical_equal,
    assert_class_equal,
    assert_contains_all,
    assert_frame_equal,
    assert_index_equal,
    assert_is_sorted,
    assert_series_equal,
)
from akdask.testing.equality import (
    assert_almost_equal,
    assert_almost_equivalent,
    assert_arkouda_array_equivalent,
    assert_copy,
    assert_dict_equal,
    assert_equal,
    assert_equivalent,
    assert_frame_equivalent,
    assert_index_equivalent,
    assert_series_equivalent,
)

__all__ = [
    "assert_almost_equal",
    "assert_almost_equivalent",
    "assert_arkouda_array_equal",
    "assert_arkouda_array_equivalent",
    "assert_arkouda_pdarray_equal",
    "assert_arkouda_segarray_equal",
    "assert_arkouda_strings_equal",
    "assert_attr_equal",
    "assert_categorical_equal",
    "assert_class_equal",
    "assert_contains_all",
    "assert_copy",
    "assert_dict_equal",
    "assert_equal",
    "assert_equivalent",
    "assert_frame_equal",
    "assert_frame_equivalent",
    "assert_index_equal",
    "assert_index_equivalent",
    "assert_is_sorted",
    "assert_series_equal",
    "assert_series_equivalent",
]
