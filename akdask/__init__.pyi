# The public names and their modules: for type checkers, for editors, and for `akdask/__init__.py`, which loads a module
# with the first use of one of its names.

from numpy import bool as bool
from numpy import bool_ as bool_
from numpy import e as e
from numpy import euler_gamma as euler_gamma
from numpy import float64 as float64
from numpy import inf as inf
from numpy import int64 as int64
from numpy import nan as nan
from numpy import newaxis as newaxis
from numpy import pi as pi
from numpy import str_ as str_
from numpy import uint8 as uint8
from numpy import uint64 as uint64

from akdask import arkouda as arkouda
from akdask import array_api as array_api
from akdask import config as config
from akdask import errors as errors
from akdask import extension as extension
from akdask import io as io
from akdask import random as random
from akdask import testing as testing
from akdask.arkouda import char as char
from akdask.arkouda import dtypes as dtypes
from akdask.arkouda import install_as_arkouda as install_as_arkouda
from akdask.arkouda import join as join
from akdask.arkouda import numeric as numeric
from akdask.arkouda import sorting as sorting
from akdask.arkouda import timeclass as timeclass
from akdask.arkouda import util as util
from akdask.arkouda.server import get_server_commands as get_server_commands
from akdask.arkouda.server import print_server_commands as print_server_commands
from akdask.arkouda.server import receive as receive
from akdask.arkouda.server import receive_dataframe as receive_dataframe
from akdask.arkouda.server import ruok as ruok
from akdask.arkouda.server import shutdown as shutdown
from akdask.arkouda.session import LogLevel as LogLevel
from akdask.arkouda.session import disable_verbose as disable_verbose
from akdask.arkouda.session import enable_verbose as enable_verbose
from akdask.arkouda.session import generate_history as generate_history
from akdask.arkouda.session import write_log as write_log
from akdask.arrays.bit_vectors import BitVector as BitVector
from akdask.arrays.bit_vectors import Fields as Fields
from akdask.arrays.bit_vectors import bit_vectorizer as bit_vectorizer
from akdask.arrays.categorical import Categorical as Categorical
from akdask.arrays.connection import connect as connect
from akdask.arrays.connection import disconnect as disconnect
from akdask.arrays.connection import get_config as get_config
from akdask.arrays.creation import arange as arange
from akdask.arrays.creation import array as array
from akdask.arrays.creation import bigint_from_uint_arrays as bigint_from_uint_arrays
from akdask.arrays.creation import broadcast as broadcast
from akdask.arrays.creation import from_dlpack as from_dlpack
from akdask.arrays.creation import from_series as from_series
from akdask.arrays.creation import full as full
from akdask.arrays.creation import full_like as full_like
from akdask.arrays.creation import linspace as linspace
from akdask.arrays.creation import logspace as logspace
from akdask.arrays.creation import ones as ones
from akdask.arrays.creation import ones_like as ones_like
from akdask.arrays.creation import zeros as zeros
from akdask.arrays.creation import zeros_like as zeros_like
from akdask.arrays.datetimes import Datetime as Datetime
from akdask.arrays.datetimes import Timedelta as Timedelta
from akdask.arrays.datetimes import bdate_range as bdate_range
from akdask.arrays.datetimes import date_range as date_range
from akdask.arrays.datetimes import timedelta_range as timedelta_range
from akdask.arrays.elementwise import ErrorMode as ErrorMode
from akdask.arrays.elementwise import cast as cast
from akdask.arrays.elementwise import clip as clip
from akdask.arrays.elementwise import divmod as divmod
from akdask.arrays.elementwise import round as round
from akdask.arrays.elementwise import where as where
from akdask.arrays.functions import allclose as allclose
from akdask.arrays.functions import apply as apply
from akdask.arrays.functions import array_equal as array_equal
from akdask.arrays.functions import diff as diff
from akdask.arrays.functions import hash as hash
from akdask.arrays.functions import putmask as putmask
from akdask.arrays.functions import take as take
from akdask.arrays.group_reductions import GROUPBY_REDUCTION_TYPES as GROUPBY_REDUCTION_TYPES
from akdask.arrays.groupby import GroupBy as GroupBy
from akdask.arrays.groupby import groupable as groupable
from akdask.arrays.ipv4 import IPv4 as IPv4
from akdask.arrays.ipv4 import ip_address as ip_address
from akdask.arrays.ipv4 import is_ipv4 as is_ipv4
from akdask.arrays.ipv4 import is_ipv6 as is_ipv6
from akdask.arrays.matrices import dot as dot
from akdask.arrays.matrices import eye as eye
from akdask.arrays.matrices import matmul as matmul
from akdask.arrays.matrices import tril as tril
from akdask.arrays.matrices import triu as triu
from akdask.arrays.matrices import vecdot as vecdot
from akdask.arrays.memory_report import get_max_array_rank as get_max_array_rank
from akdask.arrays.memory_report import get_mem_avail as get_mem_avail
from akdask.arrays.memory_report import get_mem_status as get_mem_status
from akdask.arrays.memory_report import get_mem_used as get_mem_used
from akdask.arrays.memory_report import memory as memory
from akdask.arrays.ndarray import ArrayView as ArrayView
from akdask.arrays.pdarray import pdarray as pdarray
from akdask.arrays.random import random_strings_lognormal as random_strings_lognormal
from akdask.arrays.random import random_strings_uniform as random_strings_uniform
from akdask.arrays.reductions import all as all
from akdask.arrays.reductions import any as any
from akdask.arrays.reductions import argmax as argmax
from akdask.arrays.reductions import argmin as argmin
from akdask.arrays.reductions import corr as corr
from akdask.arrays.reductions import count_nonzero as count_nonzero
from akdask.arrays.reductions import cov as cov
from akdask.arrays.reductions import cummax as cummax
from akdask.arrays.reductions import cummin as cummin
from akdask.arrays.reductions import cumprod as cumprod
from akdask.arrays.reductions import cumsum as cumsum
from akdask.arrays.reductions import is_sorted as is_sorted
from akdask.arrays.reductions import max as max
from akdask.arrays.reductions import mean as mean
from akdask.arrays.reductions import median as median
from akdask.arrays.reductions import min as min
from akdask.arrays.reductions import percentile as percentile
from akdask.arrays.reductions import prod as prod
from akdask.arrays.reductions import quantile as quantile
from akdask.arrays.reductions import skew as skew
from akdask.arrays.reductions import std as std
from akdask.arrays.reductions import sum as sum
from akdask.arrays.reductions import var as var
from akdask.arrays.scalar import Scalar as Scalar
from akdask.arrays.segarray import SegArray as SegArray
from akdask.arrays.setops import in1d as in1d
from akdask.arrays.setops import intersect as intersect
from akdask.arrays.setops import intersect1d as intersect1d
from akdask.arrays.setops import setdiff1d as setdiff1d
from akdask.arrays.setops import setxor1d as setxor1d
from akdask.arrays.setops import union1d as union1d
from akdask.arrays.setops import unique as unique
from akdask.arrays.setops import value_counts as value_counts
from akdask.arrays.shapes import append as append
from akdask.arrays.shapes import broadcast_arrays as broadcast_arrays
from akdask.arrays.shapes import broadcast_dims as broadcast_dims
from akdask.arrays.shapes import broadcast_shapes as broadcast_shapes
from akdask.arrays.shapes import broadcast_to as broadcast_to
from akdask.arrays.shapes import concatenate as concatenate
from akdask.arrays.shapes import copy as copy
from akdask.arrays.shapes import delete as delete
from akdask.arrays.shapes import flip as flip
from akdask.arrays.shapes import hstack as hstack
from akdask.arrays.shapes import may_share_memory as may_share_memory
from akdask.arrays.shapes import promote_to_common_dtype as promote_to_common_dtype
from akdask.arrays.shapes import repeat as repeat
from akdask.arrays.shapes import scalar_array as scalar_array
from akdask.arrays.shapes import shape as shape
from akdask.arrays.shapes import shares_memory as shares_memory
from akdask.arrays.shapes import squeeze as squeeze
from akdask.arrays.shapes import tile as tile
from akdask.arrays.shapes import transpose as transpose
from akdask.arrays.shapes import vstack as vstack
from akdask.arrays.sorting import SortingAlgorithm as SortingAlgorithm
from akdask.arrays.sorting import argmaxk as argmaxk
from akdask.arrays.sorting import argmink as argmink
from akdask.arrays.sorting import argsort as argsort
from akdask.arrays.sorting import coargsort as coargsort
from akdask.arrays.sorting import invert_permutation as invert_permutation
from akdask.arrays.sorting import is_cosorted as is_cosorted
from akdask.arrays.sorting import maxk as maxk
from akdask.arrays.sorting import mink as mink
from akdask.arrays.sorting import searchsorted as searchsorted
from akdask.arrays.sorting import sort as sort
from akdask.arrays.sparse import create_sparse_matrix as create_sparse_matrix
from akdask.arrays.sparse import random_sparse_matrix as random_sparse_matrix
from akdask.arrays.sparse import sparray as sparray
from akdask.arrays.sparse import sparse_matrix_matrix_mult as sparse_matrix_matrix_mult
from akdask.arrays.statistics import Power_divergenceResult as Power_divergenceResult
from akdask.arrays.statistics import bincount as bincount
from akdask.arrays.statistics import chisquare as chisquare
from akdask.arrays.statistics import histogram as histogram
from akdask.arrays.statistics import histogram2d as histogram2d
from akdask.arrays.statistics import histogramdd as histogramdd
from akdask.arrays.statistics import power_divergence as power_divergence
from akdask.arrays.strings import Strings as Strings
from akdask.arrays.text import isnumeric as isnumeric
from akdask.arrays.ufuncs import abs as abs
from akdask.arrays.ufuncs import arccos as arccos
from akdask.arrays.ufuncs import arccosh as arccosh
from akdask.arrays.ufuncs import arcsin as arcsin
from akdask.arrays.ufuncs import arcsinh as arcsinh
from akdask.arrays.ufuncs import arctan as arctan
from akdask.arrays.ufuncs import arctan2 as arctan2
from akdask.arrays.ufuncs import arctanh as arctanh
from akdask.arrays.ufuncs import ceil as ceil
from akdask.arrays.ufuncs import clz as clz
from akdask.arrays.ufuncs import cos as cos
from akdask.arrays.ufuncs import cosh as cosh
from akdask.arrays.ufuncs import ctz as ctz
from akdask.arrays.ufuncs import deg2rad as deg2rad
from akdask.arrays.ufuncs import exp as exp
from akdask.arrays.ufuncs import expm1 as expm1
from akdask.arrays.ufuncs import fabs as fabs
from akdask.arrays.ufuncs import floor as floor
from akdask.arrays.ufuncs import fmod as fmod
from akdask.arrays.ufuncs import isfinite as isfinite
from akdask.arrays.ufuncs import isinf as isinf
from akdask.arrays.ufuncs import isnan as isnan
from akdask.arrays.ufuncs import log as log
from akdask.arrays.ufuncs import log1p as log1p
from akdask.arrays.ufuncs import log2 as log2
from akdask.arrays.ufuncs import log10 as log10
from akdask.arrays.ufuncs import logical_not as logical_not
from akdask.arrays.ufuncs import maximum as maximum
from akdask.arrays.ufuncs import minimum as minimum
from akdask.arrays.ufuncs import mod as mod
from akdask.arrays.ufuncs import nextafter as nextafter
from akdask.arrays.ufuncs import parity as parity
from akdask.arrays.ufuncs import popcount as popcount
from akdask.arrays.ufuncs import power as power
from akdask.arrays.ufuncs import rad2deg as rad2deg
from akdask.arrays.ufuncs import rotl as rotl
from akdask.arrays.ufuncs import rotr as rotr
from akdask.arrays.ufuncs import sign as sign
from akdask.arrays.ufuncs import sin as sin
from akdask.arrays.ufuncs import sinh as sinh
from akdask.arrays.ufuncs import sqrt as sqrt
from akdask.arrays.ufuncs import square as square
from akdask.arrays.ufuncs import tan as tan
from akdask.arrays.ufuncs import tanh as tanh
from akdask.arrays.ufuncs import trunc as trunc
from akdask.arrays.ufuncs import xlogy as xlogy
from akdask.columns.dtypes import bigint as bigint
from akdask.columns.dtypes import bigint_ as bigint_
from akdask.columns.dtypes import dtype as dtype
from akdask.columns.scalar_types import ARKOUDA_SUPPORTED_DTYPES as ARKOUDA_SUPPORTED_DTYPES
from akdask.columns.scalar_types import ARKOUDA_SUPPORTED_INTS as ARKOUDA_SUPPORTED_INTS
from akdask.columns.scalar_types import NUMBER_FORMAT_STRINGS as NUMBER_FORMAT_STRINGS
from akdask.columns.scalar_types import BoolDType as BoolDType
from akdask.columns.scalar_types import ByteDType as ByteDType
from akdask.columns.scalar_types import BytesDType as BytesDType
from akdask.columns.scalar_types import CLongDoubleDType as CLongDoubleDType
from akdask.columns.scalar_types import Complex64DType as Complex64DType
from akdask.columns.scalar_types import Complex128DType as Complex128DType
from akdask.columns.scalar_types import DateTime64DType as DateTime64DType
from akdask.columns.scalar_types import DType as DType
from akdask.columns.scalar_types import DTypeObjects as DTypeObjects
from akdask.columns.scalar_types import DTypes as DTypes
from akdask.columns.scalar_types import False_ as False_
from akdask.columns.scalar_types import Float16DType as Float16DType
from akdask.columns.scalar_types import Float32DType as Float32DType
from akdask.columns.scalar_types import Float64DType as Float64DType
from akdask.columns.scalar_types import Int8DType as Int8DType
from akdask.columns.scalar_types import Int16DType as Int16DType
from akdask.columns.scalar_types import Int32DType as Int32DType
from akdask.columns.scalar_types import Int64DType as Int64DType
from akdask.columns.scalar_types import IntDType as IntDType
from akdask.columns.scalar_types import LongDoubleDType as LongDoubleDType
from akdask.columns.scalar_types import LongDType as LongDType
from akdask.columns.scalar_types import LongLongDType as LongLongDType
from akdask.columns.scalar_types import NumericDTypes as NumericDTypes
from akdask.columns.scalar_types import ObjectDType as ObjectDType
from akdask.columns.scalar_types import RankWarning as RankWarning
from akdask.columns.scalar_types import ScalarDTypes as ScalarDTypes
from akdask.columns.scalar_types import ScalarType as ScalarType
from akdask.columns.scalar_types import SeriesDTypes as SeriesDTypes
from akdask.columns.scalar_types import ShortDType as ShortDType
from akdask.columns.scalar_types import StrDType as StrDType
from akdask.columns.scalar_types import TimeDelta64DType as TimeDelta64DType
from akdask.columns.scalar_types import TooHardError as TooHardError
from akdask.columns.scalar_types import True_ as True_
from akdask.columns.scalar_types import UByteDType as UByteDType
from akdask.columns.scalar_types import UInt8DType as UInt8DType
from akdask.columns.scalar_types import UInt16DType as UInt16DType
from akdask.columns.scalar_types import UInt32DType as UInt32DType
from akdask.columns.scalar_types import UInt64DType as UInt64DType
from akdask.columns.scalar_types import UIntDType as UIntDType
from akdask.columns.scalar_types import ULongDType as ULongDType
from akdask.columns.scalar_types import ULongLongDType as ULongLongDType
from akdask.columns.scalar_types import UShortDType as UShortDType
from akdask.columns.scalar_types import VoidDType as VoidDType
from akdask.columns.scalar_types import add_docstring as add_docstring
from akdask.columns.scalar_types import add_newdoc as add_newdoc
from akdask.columns.scalar_types import all_scalars as all_scalars
from akdask.columns.scalar_types import base_repr as base_repr
from akdask.columns.scalar_types import binary_repr as binary_repr
from akdask.columns.scalar_types import bitType as bitType
from akdask.columns.scalar_types import bool_scalars as bool_scalars
from akdask.columns.scalar_types import byte as byte
from akdask.columns.scalar_types import bytes_ as bytes_
from akdask.columns.scalar_types import can_cast as can_cast
from akdask.columns.scalar_types import cdouble as cdouble
from akdask.columns.scalar_types import character as character
from akdask.columns.scalar_types import clongdouble as clongdouble
from akdask.columns.scalar_types import complex64 as complex64
from akdask.columns.scalar_types import complex128 as complex128
from akdask.columns.scalar_types import csingle as csingle
from akdask.columns.scalar_types import datetime64 as datetime64
from akdask.columns.scalar_types import double as double
from akdask.columns.scalar_types import finfo as finfo
from akdask.columns.scalar_types import flexible as flexible
from akdask.columns.scalar_types import float16 as float16
from akdask.columns.scalar_types import float32 as float32
from akdask.columns.scalar_types import float_scalars as float_scalars
from akdask.columns.scalar_types import floating as floating
from akdask.columns.scalar_types import format_float_positional as format_float_positional
from akdask.columns.scalar_types import format_float_scientific as format_float_scientific
from akdask.columns.scalar_types import format_parser as format_parser
from akdask.columns.scalar_types import get_byteorder as get_byteorder
from akdask.columns.scalar_types import get_server_byteorder as get_server_byteorder
from akdask.columns.scalar_types import half as half
from akdask.columns.scalar_types import iinfo as iinfo
from akdask.columns.scalar_types import inexact as inexact
from akdask.columns.scalar_types import int8 as int8
from akdask.columns.scalar_types import int16 as int16
from akdask.columns.scalar_types import int32 as int32
from akdask.columns.scalar_types import int_ as int_
from akdask.columns.scalar_types import int_scalars as int_scalars
from akdask.columns.scalar_types import intc as intc
from akdask.columns.scalar_types import integer as integer
from akdask.columns.scalar_types import intp as intp
from akdask.columns.scalar_types import intTypes as intTypes
from akdask.columns.scalar_types import is_supported_bool as is_supported_bool
from akdask.columns.scalar_types import is_supported_dtype as is_supported_dtype
from akdask.columns.scalar_types import is_supported_float as is_supported_float
from akdask.columns.scalar_types import is_supported_int as is_supported_int
from akdask.columns.scalar_types import is_supported_number as is_supported_number
from akdask.columns.scalar_types import isscalar as isscalar
from akdask.columns.scalar_types import issubdtype as issubdtype
from akdask.columns.scalar_types import longdouble as longdouble
from akdask.columns.scalar_types import longlong as longlong
from akdask.columns.scalar_types import number as number
from akdask.columns.scalar_types import numeric_and_bool_scalars as numeric_and_bool_scalars
from akdask.columns.scalar_types import numeric_scalars as numeric_scalars
from akdask.columns.scalar_types import numpy_scalars as numpy_scalars
from akdask.columns.scalar_types import object_ as object_
from akdask.columns.scalar_types import promote_types as promote_types
from akdask.columns.scalar_types import resolve_scalar_dtype as resolve_scalar_dtype
from akdask.columns.scalar_types import result_type as result_type
from akdask.columns.scalar_types import sctypeDict as sctypeDict
from akdask.columns.scalar_types import short as short
from akdask.columns.scalar_types import signedinteger as signedinteger
from akdask.columns.scalar_types import single as single
from akdask.columns.scalar_types import str_scalars as str_scalars
from akdask.columns.scalar_types import timedelta64 as timedelta64
from akdask.columns.scalar_types import typename as typename
from akdask.columns.scalar_types import ubyte as ubyte
from akdask.columns.scalar_types import uint as uint
from akdask.columns.scalar_types import uint16 as uint16
from akdask.columns.scalar_types import uint32 as uint32
from akdask.columns.scalar_types import uintc as uintc
from akdask.columns.scalar_types import uintp as uintp
from akdask.columns.scalar_types import ulonglong as ulonglong
from akdask.columns.scalar_types import unsignedinteger as unsignedinteger
from akdask.columns.scalar_types import ushort as ushort
from akdask.columns.scalar_types import void as void
from akdask.error_state import errstate as errstate
from akdask.error_state import geterr as geterr
from akdask.error_state import geterrcall as geterrcall
from akdask.error_state import seterr as seterr
from akdask.error_state import seterrcall as seterrcall
from akdask.errors import AkdaskError as AkdaskError
from akdask.errors import NonUniqueError as NonUniqueError
from akdask.errors import RegistrationError as RegistrationError
from akdask.extension import ArkoudaArray as ArkoudaArray
from akdask.extension import ArkoudaArrayLike as ArkoudaArrayLike
from akdask.extension import ArkoudaBigintDtype as ArkoudaBigintDtype
from akdask.extension import ArkoudaBoolDtype as ArkoudaBoolDtype
from akdask.extension import ArkoudaCategorical as ArkoudaCategorical
from akdask.extension import ArkoudaCategoricalDtype as ArkoudaCategoricalDtype
from akdask.extension import ArkoudaDataFrameAccessor as ArkoudaDataFrameAccessor
from akdask.extension import ArkoudaDtype as ArkoudaDtype
from akdask.extension import ArkoudaExtensionArray as ArkoudaExtensionArray
from akdask.extension import ArkoudaFloat64Dtype as ArkoudaFloat64Dtype
from akdask.extension import ArkoudaIndexAccessor as ArkoudaIndexAccessor
from akdask.extension import ArkoudaInt64Dtype as ArkoudaInt64Dtype
from akdask.extension import ArkoudaSeriesAccessor as ArkoudaSeriesAccessor
from akdask.extension import ArkoudaStringArray as ArkoudaStringArray
from akdask.extension import ArkoudaStringDtype as ArkoudaStringDtype
from akdask.extension import ArkoudaUint8Dtype as ArkoudaUint8Dtype
from akdask.extension import ArkoudaUint64Dtype as ArkoudaUint64Dtype
from akdask.frames.binning import cut as cut
from akdask.frames.binning import qcut as qcut
from akdask.frames.dataframe import DataFrame as DataFrame
from akdask.frames.dataframe import from_pandas as from_pandas
from akdask.frames.distinct import intx as intx
from akdask.frames.functions import concat as concat
from akdask.frames.functions import isna as isna
from akdask.frames.functions import isnull as isnull
from akdask.frames.functions import melt as melt
from akdask.frames.functions import notna as notna
from akdask.frames.functions import notnull as notnull
from akdask.frames.functions import pivot_table as pivot_table
from akdask.frames.functions import to_datetime as to_datetime
from akdask.frames.functions import to_numeric as to_numeric
from akdask.frames.functions import to_timedelta as to_timedelta
from akdask.frames.group_rows import DiffAggregate as DiffAggregate
from akdask.frames.groupby import DataFrameGroupBy as DataFrameGroupBy
from akdask.frames.index import Index as Index
from akdask.frames.index import MultiIndex as MultiIndex
from akdask.frames.interchange import from_arrow as from_arrow
from akdask.frames.interchange import from_dask as from_dask
from akdask.frames.interchange import from_polars as from_polars
from akdask.frames.interchange import from_xarray as from_xarray
from akdask.frames.join import compute_join_size as compute_join_size
from akdask.frames.join import gen_ranges as gen_ranges
from akdask.frames.join import inner_join as inner_join
from akdask.frames.join import join_on_eq_with_dt as join_on_eq_with_dt
from akdask.frames.join import left_join as left_join
from akdask.frames.join import merge as merge
from akdask.frames.lookups import align as align
from akdask.frames.lookups import find as find
from akdask.frames.lookups import in1d_intervals as in1d_intervals
from akdask.frames.lookups import indexof1d as indexof1d
from akdask.frames.lookups import interval_lookup as interval_lookup
from akdask.frames.lookups import left_align as left_align
from akdask.frames.lookups import lookup as lookup
from akdask.frames.lookups import right_align as right_align
from akdask.frames.lookups import search_intervals as search_intervals
from akdask.frames.lookups import unsqueeze as unsqueeze
from akdask.frames.lookups import zero_up as zero_up
from akdask.frames.resampling import Grouper as Grouper
from akdask.frames.reshaping import crosstab as crosstab
from akdask.frames.reshaping import get_dummies as get_dummies
from akdask.frames.rows import Row as Row
from akdask.frames.series import Series as Series
from akdask.frames.series_accessors import CachedAccessor as CachedAccessor
from akdask.frames.series_accessors import DatetimeAccessor as DatetimeAccessor
from akdask.frames.series_accessors import Properties as Properties
from akdask.frames.series_accessors import StringAccessor as StringAccessor
from akdask.frames.series_accessors import date_operators as date_operators
from akdask.frames.series_accessors import string_operators as string_operators
from akdask.frames.sql import sql as sql
from akdask.io import export as export
from akdask.io import get_columns as get_columns
from akdask.io import get_datasets as get_datasets
from akdask.io import get_filetype as get_filetype
from akdask.io import get_null_indices as get_null_indices
from akdask.io import import_data as import_data
from akdask.io import load as load
from akdask.io import load_all as load_all
from akdask.io import load_checkpoint as load_checkpoint
from akdask.io import ls as ls
from akdask.io import ls_csv as ls_csv
from akdask.io import read as read
from akdask.io import read_csv as read_csv
from akdask.io import read_hdf as read_hdf
from akdask.io import read_parquet as read_parquet
from akdask.io import read_tagged_data as read_tagged_data
from akdask.io import read_zarr as read_zarr
from akdask.io import restore as restore
from akdask.io import save_all as save_all
from akdask.io import save_checkpoint as save_checkpoint
from akdask.io import scan as scan
from akdask.io import scan_table as scan_table
from akdask.io import snapshot as snapshot
from akdask.io import to_csv as to_csv
from akdask.io import to_hdf as to_hdf
from akdask.io import to_parquet as to_parquet
from akdask.io import to_zarr as to_zarr
from akdask.io import update_hdf as update_hdf
from akdask.io import update_parquet as update_parquet
from akdask.io.registry import AllSymbols as AllSymbols
from akdask.io.registry import RegisteredSymbols as RegisteredSymbols
from akdask.io.registry import attach as attach
from akdask.io.registry import attach_all as attach_all
from akdask.io.registry import clear as clear
from akdask.io.registry import information as information
from akdask.io.registry import is_registered as is_registered
from akdask.io.registry import list_registry as list_registry
from akdask.io.registry import list_symbol_table as list_symbol_table
from akdask.io.registry import pretty_print_information as pretty_print_information
from akdask.io.registry import register_all as register_all
from akdask.io.registry import unregister as unregister
from akdask.io.registry import unregister_all as unregister_all
from akdask.plotting import Bins2D as Bins2D
from akdask.plotting import bins2d as bins2d
from akdask.plotting import hist as hist
from akdask.plotting import hist2d as hist2d
from akdask.plotting import hist_all as hist_all
from akdask.plotting import plot_dist as plot_dist
from akdask.random import rand as rand
from akdask.random import randint as randint
from akdask.random import standard_normal as standard_normal
from akdask.random import uniform as uniform
from akdask.testing import assert_almost_equal as assert_almost_equal
from akdask.testing import assert_almost_equivalent as assert_almost_equivalent
from akdask.testing import assert_arkouda_array_equal as assert_arkouda_array_equal
from akdask.testing import assert_arkouda_array_equivalent as assert_arkouda_array_equivalent
from akdask.testing import assert_arkouda_pdarray_equal as assert_arkouda_pdarray_equal
from akdask.testing import assert_arkouda_segarray_equal as assert_arkouda_segarray_equal
from akdask.testing import assert_arkouda_strings_equal as assert_arkouda_strings_equal
from akdask.testing import assert_attr_equal as assert_attr_equal
from akdask.testing import assert_categorical_equal as assert_categorical_equal
from akdask.testing import assert_class_equal as assert_class_equal
from akdask.testing import assert_contains_all as assert_contains_all
from akdask.testing import assert_copy as assert_copy
from akdask.testing import assert_dict_equal as assert_dict_equal
from akdask.testing import assert_equal as assert_equal
from akdask.testing import assert_equivalent as assert_equivalent
from akdask.testing import assert_frame_equal as assert_frame_equal
from akdask.testing import assert_frame_equivalent as assert_frame_equivalent
from akdask.testing import assert_index_equal as assert_index_equal
from akdask.testing import assert_index_equivalent as assert_index_equivalent
from akdask.testing import assert_is_sorted as assert_is_sorted
from akdask.testing import assert_series_equal as assert_series_equal
from akdask.testing import assert_series_equivalent as assert_series_equivalent

__version__: str

__all__ = [
    "ARKOUDA_SUPPORTED_DTYPES",
    "ARKOUDA_SUPPORTED_INTS",
    "GROUPBY_REDUCTION_TYPES",
    "NUMBER_FORMAT_STRINGS",
    "AkdaskError",
    "AllSymbols",
    "ArkoudaArray",
    "ArkoudaArrayLike",
    "ArkoudaBigintDtype",
    "ArkoudaBoolDtype",
    "ArkoudaCategorical",
    "ArkoudaCategoricalDtype",
    "ArkoudaDataFrameAccessor",
    "ArkoudaDtype",
    "ArkoudaExtensionArray",
    "ArkoudaFloat64Dtype",
    "ArkoudaIndexAccessor",
    "ArkoudaInt64Dtype",
    "ArkoudaSeriesAccessor",
    "ArkoudaStringArray",
    "ArkoudaStringDtype",
    "ArkoudaUint8Dtype",
    "ArkoudaUint64Dtype",
    "ArrayView",
    "Bins2D",
    "BitVector",
    "BoolDType",
    "ByteDType",
    "BytesDType",
    "CLongDoubleDType",
    "CachedAccessor",
    "Categorical",
    "Complex64DType",
    "Complex128DType",
    "DType",
    "DTypeObjects",
    "DTypes",
    "DataFrame",
    "DataFrameGroupBy",
    "DateTime64DType",
    "Datetime",
    "DatetimeAccessor",
    "DiffAggregate",
    "ErrorMode",
    "False_",
    "Fields",
    "Float16DType",
    "Float32DType",
    "Float64DType",
    "GroupBy",
    "Grouper",
    "IPv4",
    "Index",
    "Int8DType",
    "Int16DType",
    "Int32DType",
    "Int64DType",
    "IntDType",
    "LogLevel",
    "LongDType",
    "LongDoubleDType",
    "LongLongDType",
    "MultiIndex",
    "NonUniqueError",
    "NumericDTypes",
    "ObjectDType",
    "Power_divergenceResult",
    "Properties",
    "RankWarning",
    "RegisteredSymbols",
    "RegistrationError",
    "Row",
    "Scalar",
    "ScalarDTypes",
    "ScalarType",
    "SegArray",
    "Series",
    "SeriesDTypes",
    "ShortDType",
    "SortingAlgorithm",
    "StrDType",
    "StringAccessor",
    "Strings",
    "TimeDelta64DType",
    "Timedelta",
    "TooHardError",
    "True_",
    "UByteDType",
    "UInt8DType",
    "UInt16DType",
    "UInt32DType",
    "UInt64DType",
    "UIntDType",
    "ULongDType",
    "ULongLongDType",
    "UShortDType",
    "VoidDType",
    "abs",
    "add_docstring",
    "add_newdoc",
    "align",
    "all",
    "all_scalars",
    "allclose",
    "any",
    "append",
    "apply",
    "arange",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "argmax",
    "argmaxk",
    "argmin",
    "argmink",
    "argsort",
    "array",
    "array_api",
    "array_equal",
    "assert_almost_equal",
    "assert_almost_equivalent",
    "assert_arkouda_array_equal",
    "assert_arkouda_array_equivalent",
    "assert_arkouda_pdarray_equal",
    "assert_arkouda_segarray_equal",
    "assert_arkouda_strings_equal",
    "assert_attr_equal",
    "assert_categorical_equal",
    "assert_class_equal",
    "assert_contains_all",
    "assert_copy",
    "assert_dict_equal",
    "assert_equal",
    "assert_equivalent",
    "assert_frame_equal",
    "assert_frame_equivalent",
    "assert_index_equal",
    "assert_index_equivalent",
    "assert_is_sorted",
    "assert_series_equal",
    "assert_series_equivalent",
    "attach",
    "attach_all",
    "base_repr",
    "bdate_range",
    "bigint",
    "bigint_",
    "bigint_from_uint_arrays",
    "binary_repr",
    "bincount",
    "bins2d",
    "bitType",
    "bit_vectorizer",
    "bool",
    "bool_",
    "bool_scalars",
    "broadcast",
    "broadcast_arrays",
    "broadcast_dims",
    "broadcast_shapes",
    "broadcast_to",
    "byte",
    "bytes_",
    "can_cast",
    "cast",
    "cdouble",
    "ceil",
    "character",
    "chisquare",
    "clear",
    "clip",
    "clongdouble",
    "clz",
    "coargsort",
    "complex64",
    "complex128",
    "compute_join_size",
    "concat",
    "concatenate",
    "config",
    "connect",
    "copy",
    "corr",
    "cos",
    "cosh",
    "count_nonzero",
    "cov",
    "create_sparse_matrix",
    "crosstab",
    "csingle",
    "ctz",
    "cummax",
    "cummin",
    "cumprod",
    "cumsum",
    "cut",
    "date_operators",
    "date_range",
    "datetime64",
    "deg2rad",
    "delete",
    "diff",
    "disable_verbose",
    "disconnect",
    "divmod",
    "dot",
    "double",
    "dtype",
    "e",
    "enable_verbose",
    "errstate",
    "euler_gamma",
    "exp",
    "expm1",
    "export",
    "eye",
    "fabs",
    "find",
    "finfo",
    "flexible",
    "flip",
    "float16",
    "float32",
    "float64",
    "float_scalars",
    "floating",
    "floor",
    "fmod",
    "format_float_positional",
    "format_float_scientific",
    "format_parser",
    "from_arrow",
    "from_dask",
    "from_dlpack",
    "from_pandas",
    "from_polars",
    "from_series",
    "from_xarray",
    "full",
    "full_like",
    "gen_ranges",
    "generate_history",
    "get_byteorder",
    "get_columns",
    "get_config",
    "get_datasets",
    "get_dummies",
    "get_filetype",
    "get_max_array_rank",
    "get_mem_avail",
    "get_mem_status",
    "get_mem_used",
    "get_null_indices",
    "get_server_byteorder",
    "get_server_commands",
    "geterr",
    "geterrcall",
    "groupable",
    "half",
    "hash",
    "hist",
    "hist2d",
    "hist_all",
    "histogram",
    "histogram2d",
    "histogramdd",
    "hstack",
    "iinfo",
    "import_data",
    "in1d",
    "in1d_intervals",
    "indexof1d",
    "inexact",
    "inf",
    "information",
    "inner_join",
    "install_as_arkouda",
    "int8",
    "int16",
    "int32",
    "int64",
    "intTypes",
    "int_",
    "int_scalars",
    "intc",
    "integer",
    "intersect",
    "intersect1d",
    "interval_lookup",
    "intp",
    "intx",
    "invert_permutation",
    "ip_address",
    "is_cosorted",
    "is_ipv4",
    "is_ipv6",
    "is_registered",
    "is_sorted",
    "is_supported_bool",
    "is_supported_dtype",
    "is_supported_float",
    "is_supported_int",
    "is_supported_number",
    "isfinite",
    "isinf",
    "isna",
    "isnan",
    "isnull",
    "isnumeric",
    "isscalar",
    "issubdtype",
    "join_on_eq_with_dt",
    "left_align",
    "left_join",
    "linspace",
    "list_registry",
    "list_symbol_table",
    "load",
    "load_all",
    "load_checkpoint",
    "log",
    "log1p",
    "log2",
    "log10",
    "logical_not",
    "logspace",
    "longdouble",
    "longlong",
    "lookup",
    "ls",
    "ls_csv",
    "matmul",
    "max",
    "maximum",
    "maxk",
    "may_share_memory",
    "mean",
    "median",
    "melt",
    "memory",
    "merge",
    "min",
    "minimum",
    "mink",
    "mod",
    "nan",
    "newaxis",
    "nextafter",
    "notna",
    "notnull",
    "number",
    "numeric_and_bool_scalars",
    "numeric_scalars",
    "numpy_scalars",
    "object_",
    "ones",
    "ones_like",
    "parity",
    "pdarray",
    "percentile",
    "pi",
    "pivot_table",
    "plot_dist",
    "popcount",
    "power",
    "power_divergence",
    "pretty_print_information",
    "print_server_commands",
    "prod",
    "promote_to_common_dtype",
    "promote_types",
    "putmask",
    "qcut",
    "quantile",
    "rad2deg",
    "rand",
    "randint",
    "random",
    "random_sparse_matrix",
    "random_strings_lognormal",
    "random_strings_uniform",
    "read",
    "read_csv",
    "read_hdf",
    "read_parquet",
    "read_tagged_data",
    "read_zarr",
    "receive",
    "receive_dataframe",
    "register_all",
    "repeat",
    "resolve_scalar_dtype",
    "restore",
    "result_type",
    "right_align",
    "rotl",
    "rotr",
    "round",
    "ruok",
    "save_all",
    "save_checkpoint",
    "scalar_array",
    "scan",
    "scan_table",
    "sctypeDict",
    "search_intervals",
    "searchsorted",
    "setdiff1d",
    "seterr",
    "seterrcall",
    "setxor1d",
    "shape",
    "shares_memory",
    "short",
    "shutdown",
    "sign",
    "signedinteger",
    "sin",
    "single",
    "sinh",
    "skew",
    "snapshot",
    "sort",
    "sparray",
    "sparse_matrix_matrix_mult",
    "sql",
    "sqrt",
    "square",
    "squeeze",
    "standard_normal",
    "std",
    "str_",
    "str_scalars",
    "string_operators",
    "sum",
    "take",
    "tan",
    "tanh",
    "tile",
    "timedelta64",
    "timedelta_range",
    "to_csv",
    "to_datetime",
    "to_hdf",
    "to_numeric",
    "to_parquet",
    "to_timedelta",
    "to_zarr",
    "transpose",
    "tril",
    "triu",
    "trunc",
    "typename",
    "ubyte",
    "uint",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "uintc",
    "uintp",
    "ulonglong",
    "uniform",
    "union1d",
    "unique",
    "unregister",
    "unregister_all",
    "unsignedinteger",
    "unsqueeze",
    "update_hdf",
    "update_parquet",
    "ushort",
    "value_counts",
    "var",
    "vecdot",
    "void",
    "vstack",
    "where",
    "write_log",
    "xlogy",
    "zero_up",
    "zeros",
    "zeros_like",
]
