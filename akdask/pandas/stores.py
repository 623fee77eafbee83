"""Files of several frames, which stay open: HDF5 stores of pandas and workbooks."""

from __future__ import annotations

from typing import Any

import pandas

from akdask.pandas.face import faced, in_pandas


class HDFStore(pandas.HDFStore):
    """A store of `pandas.HDFStore` that takes and gives objects of this face."""

    def get(self, key: str) -> Any:
        """Return a stored object."""
        return faced(super().get(key))

    def select(self, key: str, *args: Any, **kwargs: Any) -> Any:
        """Return rows of a stored object."""
        found = super().select(key, *args, **in_pandas(kwargs))
        return map(faced, found) if hasattr(found, "coordinates") else faced(found)

    def put(self, key: str, value: Any, *args: Any, **kwargs: Any) -> None:
        """Store an object."""
        super().put(key, in_pandas(value), *args, **kwargs)

    def append(self, key: str, value: Any, *args: Any, **kwargs: Any) -> None:
        """Add rows to a stored table."""
        super().append(key, in_pandas(value), *args, **kwargs)


class ExcelFile(pandas.ExcelFile):
    """A workbook whose sheets are frames of this face."""

    def parse(self, *args: Any, **kwargs: Any) -> Any:
        """Return a sheet as a frame, or several by name."""
        return faced(super().parse(*args, **kwargs))
