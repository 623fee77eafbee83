"""Exchange with xarray: frames as data sets of one dimension, and data sets as frames."""

from __future__ import annotations

from typing import Any

from akdask.deferred import module_named
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.frames.dataframe import DataFrame
from akdask.frames.interchange import from_dask

ROWS = "index"
"""The dimension of rows without a name, as pandas has it."""


def to_xarray(frame: DataFrame) -> Any:
    """Return the columns as variables on one dimension, that of the labels; see `DataFrame.to_xarray`."""
    xarray = module_named("xarray")
    counted = frame.resolve_lengths()
    name = counted.index.name or ROWS
    if name in counted.columns:
        raise ArgumentError(
            f"labels and a column are both called {name!r}.", hint="rename the column, or call reset_index(drop=True)."
        )
    variables = {column: (name, counted[column].to_dask()) for column in counted.columns}
    return xarray.Dataset(variables, {name: counted.index.to_ndarray()})


def from_xarray(data: Any) -> DataFrame:
    """Return the variables of a data set of xarray as the columns of a lazy DataFrame.

    Rows are the points of all dimensions, the last of which varies fastest.  Coordinates are columns, too; one that is
    called ``index`` labels the rows.  Chunks that are computed by Dask are read when values are asked for.

    Parameters
    ----------
    data : xarray.Dataset or xarray.DataArray
        An array must have a name.

    Raises
    ------
    ArgumentTypeError
        If the object is of another kind.

    Examples
    --------
    >>> ak.from_xarray(xarray.Dataset({"a": ("x", [5, 6])}, {"x": [1, 2]})).to_pandas()  # doctest: +SKIP
       x  a
    0  1  5
    1  2  6
    """
    xarray = module_named("xarray")
    if isinstance(data, xarray.DataArray):
        data = data.to_dataset(name=data.name or "values")
    if not isinstance(data, xarray.Dataset):
        raise ArgumentTypeError(f"a {type(data).__name__} is no data set of xarray.", hint="ak.array(…) takes arrays.")
    dimensions = list(map(str, data.sizes))
    absent = [name for name in dimensions if name not in data.coords]
    complete = data.assign_coords({name: range(data.sizes[name]) for name in absent})
    names = [*dimensions, *(str(name) for name in complete.variables if name not in dimensions)]
    # A coordinate of a dimension cannot be chunked, and a variable of another name can.
    spread = xarray.broadcast(*(xarray.DataArray(complete[name].variable.to_base_variable()) for name in names))
    chunked = xarray.Dataset({str(number): one for number, one in enumerate(spread)}).chunk().unify_chunks()
    return DataFrame(
        {
            name: from_dask(chunked[str(number)].transpose(*dimensions).data.reshape(-1))
            for number, name in enumerate(names)
        }
    )
