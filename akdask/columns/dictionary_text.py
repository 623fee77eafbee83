"""Text as positions in a dictionary, as files may store it: an Arrow array of that type, with large strings, no nulls.

Readers return it only on request, as most of akdask handles plain strings.  Its rows are sliced and taken like those of
any Arrow column.  The dictionary may have strings without rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from akdask.columns.rows import concat_rows
from akdask.deferred import is_arrow, pa


def is_encoded(column: Any) -> bool:
    """Whether a column is text as positions in a dictionary."""
    return is_arrow(column, "DictionaryArray")


def decoded(column: Any) -> Any:
    """Return a column, text as strings.

    Examples
    --------
    >>> decoded(pa.array(["a", "b", "a"], pa.large_string()).dictionary_encode()).to_pylist()
    ['a', 'b', 'a']
    """
    # Most columns are numbers, for which this is called per block.
    return column.dictionary_decode() if not isinstance(column, np.ndarray) and is_encoded(column) else column


def joined(parts: Sequence[Any]) -> Any:
    """Join text end to end, at least one part; the result is encoded where all parts are.

    Examples
    --------
    >>> parts = [pa.array(some, pa.large_string()).dictionary_encode() for some in (["b"], ["a", "b"])]
    >>> joined(parts).dictionary.to_pylist(), joined(parts).indices.to_pylist()
    (['b', 'a'], [0, 1, 0])
    """
    if len(parts) > 1 and all(map(is_encoded, parts)):
        return pa.concat_arrays(parts)
    return parts[0] if len(parts) == 1 else concat_rows([decoded(part) for part in parts])
