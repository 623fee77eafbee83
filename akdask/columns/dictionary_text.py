"""Text as positions in a dictionary, as files may store it: an Arrow array of that type, with large strings, no nulls.

Who reads text gets it only where that is asked for, as most of akdask knows strings alone.  Rows of it are sliced and
taken like those of any column of Arrow's.  Not every string of its dictionary need be that of a row.
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
    # Most columns are numbers, of which this is asked block by block.
    return column.dictionary_decode() if not isinstance(column, np.ndarray) and is_encoded(column) else column


def joined(parts: Sequence[Any]) -> Any:
    """Join text end to end, at least one part; it stays encoded where all of it is.

    Examples
    --------
    >>> parts = [pa.array(some, pa.large_string()).dictionary_encode() for some in (["b"], ["a", "b"])]
    >>> joined(parts).dictionary.to_pylist(), joined(parts).indices.to_pylist()
    (['b', 'a'], [0, 1, 0])
    """
    if len(parts) > 1 and all(map(is_encoded, parts)):
        return pa.concat_arrays(parts)
    return parts[0] if len(parts) == 1 else concat_rows([decoded(part) for part in parts])
