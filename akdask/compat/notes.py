"""What `akdask.compat.parity` says of names: why some are not there, and how some behave otherwise."""

from __future__ import annotations

_PROTOCOL = "reads messages of a Chapel server"
_SERVER = "sends the object to another Chapel server; write files, or register it on a cluster"

# fmt: off
_CLASSES = {
    "numpy.pdarrayclass.pdarray": "transfer",
    "numpy.strings.Strings": "from_return_msg transfer",
    "pandas.categorical.Categorical": "from_return_msg transfer",
    "numpy.segarray.SegArray": "from_return_msg transfer",
    "pandas.groupbyclass.GroupBy": "from_return_msg",
    "pandas.dataframe.DataFrame": "from_return_msg transfer",
    "pandas.series.Series": "from_return_msg",
    "pandas.index.Index": "from_return_msg",
    "client_dtypes.BitVector": "from_return_msg",
}
# fmt: on

REASONS: dict[str, str] = {
    **{
        f"{where}.{name}": _SERVER if name == "transfer" else _PROTOCOL
        for where, names in _CLASSES.items()
        for name in names.split()
    },
    "numpy.pdarrayclass.pdarray.to_cuda": "a device of Numba's; `numba.cuda.to_device(a.to_ndarray())`",
    "numpy.random.generator.Generator.destructor": "frees memory of a Chapel server",
    "numpy.pdarrayclass.int_uint_case": "serves Arkouda's own operators",
    "numpy.pdarrayclass.resolve": "serves Arkouda's own operators",
}
"""Why names are not there, by their paths."""

CLASSES: dict[str, str] = {
    "array_api.array_object.Array": "akdask.array_api.array_object.StandardArray",
    "pandas.extension._dtypes._ArkoudaBaseDtype": "akdask.extension.dtypes.ArkoudaBaseDtype",
    "numpy.timeclass._AbstractBaseTime": "akdask.collections.time.timearray.TimeArray",
    "pandas.series._iLocIndexer": "akdask.collections.series.indexers.ILocIndexer",
}
"""What akdask calls classes that are Arkouda's own affair."""

BEHAVIOUR: dict[str, str] = {
    "pdarray": "made by `ak.array` and its like; the constructor takes a plan",
    "Strings": "made by `ak.array` and its like; the constructor takes a plan",
    "pandas.dataframe.DataFrame.to_hdf": "unless told, labels are written where they are more than row numbers",
    "pandas.dataframe.DataFrame.update_hdf": "unless told, labels are written where they are more than row numbers",
    "pandas.dataframe.DataFrame.to_parquet": "unless told, labels are written where they are more than row numbers",
    "pandas.dataframe.DataFrame.to_pandas": "labels stay unless told otherwise, as in pandas",
    "get_server_commands": "there are none",
    "print_server_commands": "there are none",
    "get_mem_used": "counts what workers, or this process, have taken, programs included",
    "clear": "drops what is kept for later computations; objects stay",
    "array_api.tensordot": "multiplies what it is given; Arkouda's takes nothing, and refuses",
    "list_symbol_table": "lists registered objects; others have no names that are kept",
}
"""How names behave otherwise where that is not a matter of parameters, by their paths."""
