# The names of `akdask.io`, as `akdask/__init__.pyi` has those of akdask.

from akdask.io.csv import get_columns, ls_csv, read_csv, to_csv
from akdask.io.files import (
    get_datasets,
    get_filetype,
    load,
    load_all,
    ls,
    read,
    read_hdf,
    read_tagged_data,
    save_all,
    to_hdf,
    update_hdf,
)
from akdask.io.pandas_files import export, import_data
from akdask.io.parquet import get_null_indices, read_parquet, to_parquet, update_parquet
from akdask.io.scanning import scan
from akdask.io.sessions import load_checkpoint, restore, save_checkpoint, snapshot
from akdask.io.tables import scan_table
from akdask.io.zarr import read_zarr, to_zarr

__all__ = [
    "export",
    "get_columns",
    "get_datasets",
    "get_filetype",
    "get_null_indices",
    "import_data",
    "load",
    "load_all",
    "load_checkpoint",
    "ls",
    "ls_csv",
    "read",
    "read_csv",
    "read_hdf",
    "read_parquet",
    "read_tagged_data",
    "read_zarr",
    "restore",
    "save_all",
    "save_checkpoint",
    "scan",
    "scan_table",
    "snapshot",
    "to_csv",
    "to_hdf",
    "to_parquet",
    "to_zarr",
    "update_hdf",
    "update_parquet",
]
