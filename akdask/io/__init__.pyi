# The names of `akdask.io`, as `akdask/__init__.pyi` has those of akdask.

from akdask.io.csv import get_columns as get_columns
from akdask.io.csv import ls_csv as ls_csv
from akdask.io.csv import read_csv as read_csv
from akdask.io.csv import to_csv as to_csv
from akdask.io.files import get_datasets as get_datasets
from akdask.io.files import get_filetype as get_filetype
from akdask.io.files import load as load
from akdask.io.files import load_all as load_all
from akdask.io.files import ls as ls
from akdask.io.files import read as read
from akdask.io.files import read_hdf as read_hdf
from akdask.io.files import read_tagged_data as read_tagged_data
from akdask.io.files import save_all as save_all
from akdask.io.files import to_hdf as to_hdf
from akdask.io.files import update_hdf as update_hdf
from akdask.io.pandas_files import export as export
from akdask.io.pandas_files import import_data as import_data
from akdask.io.parquet import get_null_indices as get_null_indices
from akdask.io.parquet import read_parquet as read_parquet
from akdask.io.parquet import to_parquet as to_parquet
from akdask.io.parquet import update_parquet as update_parquet
from akdask.io.scanning import scan as scan
from akdask.io.sessions import load_checkpoint as load_checkpoint
from akdask.io.sessions import restore as restore
from akdask.io.sessions import save_checkpoint as save_checkpoint
from akdask.io.sessions import snapshot as snapshot
from akdask.io.tables import scan_table as scan_table
from akdask.io.zarr import read_zarr as read_zarr
from akdask.io.zarr import to_zarr as to_zarr

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
