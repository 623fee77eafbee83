"""Files of ``pandas.DataFrame.to_hdf``, read as data: nothing that is pickled in them is ever unpickled."""

from __future__ import annotations

from collections.abc import Iterator

import h5py

from akdask.deferred import pd
from akdask.errors import FileFormatError, UnsupportedError
from akdask.hdf5.metadata.inspect import open_file
from akdask.hdf5.pandas_file.fixed import fixed_frame, fixed_series
from akdask.hdf5.pandas_file.nodes import GroupNode
from akdask.hdf5.pandas_file.table import table_frame

_KINDS = {"frame": fixed_frame, "series": fixed_series, "frame_table": table_frame, "series_table": table_frame}
"""What pandas calls its layouts, and what reads them."""

_MOST_GROUPS = 10_000


def read_frame(path: str) -> pd.DataFrame:
    """Read the one DataFrame of a file, or its one Series as a DataFrame of one column.

    Times come without their time zones, in UTC, as they are stored.

    Parameters
    ----------
    path : str
        The file.

    Returns
    -------
    pandas.DataFrame

    Raises
    ------
    FileFormatError
        If pandas did not write the file, it holds several objects, or it is damaged.
    UnsupportedError
        If something is stored as a pickle of Python objects, or as what a DataFrame of akdask does not have.
    """
    with open_file(path) as file:
        found = list(_stored(GroupNode(file, path, "/"), set()))
        if not found:
            raise FileFormatError(
                f"pandas cannot read {path!r}: it holds no DataFrame and no Series.",
                hint="sets of Arkouda are read with ak.read_hdf.",
            )
        if len(found) > 1:
            raise FileFormatError(
                f"{path!r} holds several objects.",
                details=[node.name for node in found],
                hint="write the one that is wanted to a file of its own.",
            )
        (node,) = found
        kind = node.attribute("pandas_type")
        if kind not in _KINDS:
            raise UnsupportedError(f"{node.place} is of pandas' layout {kind!r}, which is not known.")
        try:
            return _KINDS[kind](node)
        except MemoryError:
            raise FileFormatError(f"{node.place} does not fit in memory.") from None


def _stored(node: GroupNode, seen: set[int]) -> Iterator[GroupNode]:
    """Yield the groups that are objects of pandas; each once, wherever its links are."""
    if node.address in seen or len(seen) >= _MOST_GROUPS:
        return
    seen.add(node.address)
    is_object = node.attribute("pandas_type") is not None
    if is_object:
        yield node
    for name in node.names:
        # There pandas keeps the categories of an object's columns, as objects.
        if not (is_object and name == "meta") and node.kind(name) is h5py.Group:
            yield from _stored(node.group(name), seen)
