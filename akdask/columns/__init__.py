"""What one partition holds in memory: columns, and the few things that can be done to any of them."""

from akdask.columns.memory import full_array, new_array, with_capacity
from akdask.columns.rows import (
    arrow_type,
    concat_rows,
    empty,
    filter_rows,
    is_scalar,
    nbytes,
    own_rows,
    slice_rows,
    spread,
    take_rows,
    to_objects,
    type_of,
)
from akdask.columns.strings import StringsBuilder, offsets_and_bytes
from akdask.columns.table import Table, is_slice

__all__ = [
    "StringsBuilder",
    "Table",
    "arrow_type",
    "concat_rows",
    "empty",
    "filter_rows",
    "full_array",
    "is_scalar",
    "is_slice",
    "nbytes",
    "new_array",
    "offsets_and_bytes",
    "own_rows",
    "slice_rows",
    "spread",
    "take_rows",
    "to_objects",
    "type_of",
    "with_capacity",
]
