"""One module for each kind of object, which describes it in a file and lays it out in a new one.

A new kind is a new module with `KINDS`, `describe` and `lay_out`, and its name in the list below.
"""

from akdask.hdf5.codecs import arrayview, categorical, dataframe, groupby, index, pdarray, registry, segarray, strings
from akdask.hdf5.codecs.registry import CODECS, describe_object, lay_out_object

for _module in (pdarray, strings, categorical, segarray, index, dataframe, groupby, arrayview):
    registry.register(_module)

__all__ = ["CODECS", "describe_object", "lay_out_object"]
