"""One module for each kind of object, which describes it in a file, reads it, and lays it out in a new one.

A new kind is a new module with `KINDS`, `describe` and `lay_out`, listed below.  Objects consist of columns; a module
with its own storage of columns has `COLUMNS` and `read` as well.
"""

from akdask.formats.hdf5 import (
    arrayview,
    bigint,
    categorical,
    codec_registry,
    dataframe,
    groupby,
    index,
    pdarray,
    segarray,
    strings,
)
from akdask.formats.hdf5.codec_registry import CODECS, describe_object, lay_out_object, read_column

for _module in (pdarray, strings, categorical, segarray, index, dataframe, groupby, arrayview):
    codec_registry.register(_module)
for _columns in (pdarray, bigint, strings, segarray):
    codec_registry.register_columns(_columns)

__all__ = ["CODECS", "describe_object", "lay_out_object", "read_column"]
