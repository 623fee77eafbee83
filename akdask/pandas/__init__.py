"""pandas' face of akdask: `import akdask.pandas as pd` follows pandas 3 on lazy columns."""

from __future__ import annotations

import inspect as _inspect
from importlib.util import find_spec as _find_spec
from typing import Any as _Any

from akdask.deferred import module_named as _module_named
from akdask.errors import traced_to_caller as _traced_to_caller

_pandas = _module_named("pandas")

from akdask.pandas.refusals import demand_pandas as _demand_pandas

_demand_pandas(_pandas.__version__)

_module_named("akdask.pandas.files")  # with most of what the face needs, and without searches for garbage

from akdask.pandas import plotting, testing
from akdask.pandas.files import NAMES as _FILES
from akdask.pandas.files import ExcelFile, HDFStore, read_arkouda, scan
from akdask.pandas.frame import DataFrame
from akdask.pandas.functions import function as _function
from akdask.pandas.modules import find_modules_of_pandas as _find_modules_of_pandas
from akdask.pandas.passing import accept_in_arkouda as _accept_in_arkouda
from akdask.pandas.refusals import FallbackError, PandasFallbackWarning
from akdask.pandas.series import Series

__all__ = [
    "DataFrame",
    "ExcelFile",
    "FallbackError",
    "HDFStore",
    "PandasFallbackWarning",
    "Series",
    "plotting",
    "read_arkouda",
    "scan",
    "testing",
]

globals().update(_FILES)

for _name in dir(_pandas):
    if not _name.startswith("_") and _name not in globals():
        _member = getattr(_pandas, _name)
        globals()[_name] = _function(_name) if _inspect.isfunction(_member) else _member

_accept_in_arkouda()
_find_modules_of_pandas()

for _name in (
    "akdask.formats.csv.format",
    "akdask.formats.hdf5.file_set",
    "akdask.formats.hdf5.format",
    "akdask.formats.parquet.file_set",
    "akdask.formats.parquet.format",
    "akdask.formats.zarr.format",
    "akdask.frames.columns",
    "akdask.frames.distinct",
    "akdask.frames.join",
    "akdask.frames.reductions",
    "akdask.frames.series_accessors",
    "akdask.io.scanning",
    "akdask.io.stored_objects",
    "akdask.operators.values.cast",
    "akdask.operators.values.lookup",
    "akdask.operators.values.missing",
    "akdask.operators.rewrite_rules",
    "akdask.operators.shared_rows",
    "akdask.pandas.conversions",
    "akdask.pandas.encoded_frames",
    "akdask.pandas.encoded_steps",
    "akdask.pandas.frame_forms",
    "akdask.pandas.group_forms",
    "akdask.pandas.pending",
    "akdask.pandas.lazy_parquet",
    "akdask.pandas.operand_types",
    "akdask.pandas.series_forms",
    "akdask.pandas.setting",
    "akdask.pandas.text_forms",
    "akdask.pandas.typed_operations",
):
    # Most queries of files need these: the first query of a process must not wait for 200 modules.
    _module_named(_name)

__version__ = _pandas.__version__
__all__ += [_name for _name in vars(_pandas)["__all__"] if not _name.startswith("_") and _name not in __all__]


@_traced_to_caller
def __getattr__(name: str) -> _Any:
    # Python asks for a module of the package before it loads it.
    if _find_spec(f"{__package__}.{name}") is not None:
        raise AttributeError(f"module {__package__!r} has no attribute {name!r}")
    from akdask.pandas.hints import missing_name

    raise missing_name(name, dir(_pandas))


def load_ipython_extension(ipython: object) -> None:
    """Put this face where the cells of a notebook import pandas: ``%load_ext akdask.pandas``."""
    import os

    from akdask.pandas import scripts

    scripts.install(os.getcwd())


def unload_ipython_extension(ipython: object) -> None:
    """Let cells import pandas itself again."""
    from akdask.pandas import scripts

    scripts.uninstall()
