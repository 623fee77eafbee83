"""akdask: Arkouda's objects and files on Dask, lazily.

``import akdask as ak`` and write as for Arkouda; no server is needed.
"""

from typing import TYPE_CHECKING

from numpy import bool, bool_, e, euler_gamma, float64, inf, int64, nan, newaxis, pi, str_, uint8, uint64

from akdask import array_api, compat, config, extension, io, random, testing
from akdask.collections.arrays.broadcasting import broadcast
from akdask.collections.arrays.creation import (
    arange,
    array,
    bigint_from_uint_arrays,
    from_series,
    full,
    full_like,
    linspace,
    logspace,
    ones,
    ones_like,
    zeros,
    zeros_like,
)
from akdask.collections.arrays.elementwise import ErrorMode, cast, clip, divmod, round, where
from akdask.collections.arrays.pdarray import pdarray
from akdask.collections.arrays.scans import argmaxk, argmink, cummax, cummin, cumprod, cumsum, maxk, mink
from akdask.collections.arrays.shaped.ndarray import ArrayView
from akdask.collections.arrays.sort_methods import SortingAlgorithm
from akdask.collections.arrays.sorting import (
    argsort,
    coargsort,
    invert_permutation,
    is_cosorted,
    searchsorted,
    sort,
)
from akdask.collections.arrays.statistics import corr, cov, skew
from akdask.collections.arrays.ufuncs import (
    abs,
    arccos,
    arccosh,
    arcsin,
    arcsinh,
    arctan,
    arctan2,
    arctanh,
    ceil,
    clz,
    cos,
    cosh,
    ctz,
    deg2rad,
    exp,
    expm1,
    fabs,
    floor,
    fmod,
    isfinite,
    isinf,
    isnan,
    log,
    log1p,
    log2,
    log10,
    logical_not,
    maximum,
    minimum,
    mod,
    nextafter,
    parity,
    popcount,
    power,
    rad2deg,
    rotl,
    rotr,
    sign,
    sin,
    sinh,
    sqrt,
    square,
    tan,
    tanh,
    trunc,
    xlogy,
)
from akdask.collections.core.scalar import Scalar
from akdask.collections.frame.choice import intx
from akdask.collections.frame.dataframe import DataFrame, from_pandas
from akdask.collections.frame.diff import DiffAggregate
from akdask.collections.frame.groupby import DataFrameGroupBy
from akdask.collections.frame.joining import inner_join, merge
from akdask.collections.frame_core.analysis.binning import cut, qcut
from akdask.collections.frame_core.analysis.reshaping import crosstab, get_dummies
from akdask.collections.frame_core.display import Row
from akdask.collections.frame_core.index import Index, MultiIndex
from akdask.collections.functions import numpy_functions as _numpy_functions  # noqa: F401 - registers NumPy's functions
from akdask.collections.functions.apply import apply
from akdask.collections.functions.comparison import allclose, array_equal
from akdask.collections.functions.from_arrow import from_arrow, from_polars
from akdask.collections.functions.from_dask import from_dask
from akdask.collections.functions.goodness_of_fit import Power_divergenceResult, chisquare, power_divergence
from akdask.collections.functions.hashing import hash
from akdask.collections.functions.histograms import bincount, histogram, histogram2d, histogramdd
from akdask.collections.functions.pairing import compute_join_size, gen_ranges, join_on_eq_with_dt, left_join
from akdask.collections.functions.rearranging import diff, putmask, take
from akdask.collections.functions.shapes.broadcast import (
    broadcast_arrays,
    broadcast_dims,
    broadcast_shapes,
    broadcast_to,
    promote_to_common_dtype,
)
from akdask.collections.functions.shapes.dimensions import flip, shape, squeeze, transpose
from akdask.collections.functions.shapes.joining import append, delete, hstack, vstack
from akdask.collections.functions.shapes.matrices import dot, eye, matmul, tril, triu, vecdot
from akdask.collections.functions.shapes.repetition import repeat, tile
from akdask.collections.functions.shapes.sharing import copy, may_share_memory, scalar_array, shares_memory
from akdask.collections.groups import axes as _axes  # noqa: F401 - provides reductions along dimensions
from akdask.collections.groups.groupby import GroupBy, groupable
from akdask.collections.groups.reductions import GROUPBY_REDUCTION_TYPES
from akdask.collections.groups.setops import in1d, intersect, intersect1d, setdiff1d, setxor1d, union1d
from akdask.collections.groups.uniqueness import unique, value_counts
from akdask.collections.lists.segarray import SegArray
from akdask.collections.lookups.alignment import align, left_align, right_align, unsqueeze, zero_up
from akdask.collections.lookups.finding import find, indexof1d, lookup
from akdask.collections.lookups.intervals import in1d_intervals, interval_lookup, search_intervals
from akdask.collections.random.arrays import random_strings_lognormal, random_strings_uniform
from akdask.collections.series.accessors import (
    CachedAccessor,
    DatetimeAccessor,
    Properties,
    StringAccessor,
    date_operators,
    string_operators,
)
from akdask.collections.series.series import Series
from akdask.collections.session import makers as _makers  # noqa: F401 - registers what stored objects become
from akdask.collections.session import registry
from akdask.collections.session.connection import connect, disconnect, get_config
from akdask.collections.session.memory import get_max_array_rank, get_mem_avail, get_mem_status, get_mem_used
from akdask.collections.session.registry import *  # noqa: F403
from akdask.collections.sparse.products import random_sparse_matrix, sparse_matrix_matrix_mult
from akdask.collections.sparse.sparray import create_sparse_matrix, sparray
from akdask.collections.text.categorical import Categorical
from akdask.collections.text.concatenation import (
    all,
    any,
    argmax,
    argmin,
    concatenate,
    count_nonzero,
    is_sorted,
    isnumeric,
    max,
    mean,
    median,
    min,
    percentile,
    prod,
    quantile,
    std,
    sum,
    var,
)
from akdask.collections.text.strings import Strings
from akdask.collections.time.bit_fields import Fields
from akdask.collections.time.bit_vectors import BitVector, bit_vectorizer
from akdask.collections.time.datetimes import Datetime, Timedelta, date_range, timedelta_range
from akdask.collections.time.ipv4 import IPv4, ip_address, is_ipv4, is_ipv6
from akdask.compat import install_as_arkouda
from akdask.compat.server import get_server_commands, print_server_commands, receive, receive_dataframe, ruok, shutdown
from akdask.compat.session import LogLevel, disable_verbose, enable_verbose, generate_history, write_log
from akdask.error_state import errstate, geterr, geterrcall, seterr, seterrcall
from akdask.errors import AkdaskError, NonUniqueError, RegistrationError
from akdask.extension import *  # noqa: F403
from akdask.io import *  # noqa: F403
from akdask.plotting import hist_all, plot_dist
from akdask.random import randint, standard_normal, uniform
from akdask.schema import numpy_names, scalar_types
from akdask.schema.bigint import bigint, bigint_
from akdask.schema.casting import can_cast, result_type
from akdask.schema.dtypes import dtype
from akdask.schema.numpy_names import *  # noqa: F403
from akdask.schema.scalar_types import *  # noqa: F403
from akdask.testing import *  # noqa: F403

__version__ = "0.1.0"

__all__ = [
    "GROUPBY_REDUCTION_TYPES",
    "AkdaskError",
    "ArrayView",
    "BitVector",
    "CachedAccessor",
    "Categorical",
    "DataFrame",
    "DataFrameGroupBy",
    "Datetime",
    "DatetimeAccessor",
    "DiffAggregate",
    "ErrorMode",
    "Fields",
    "GroupBy",
    "IPv4",
    "Index",
    "LogLevel",
    "MultiIndex",
    "NonUniqueError",
    "Power_divergenceResult",
    "Properties",
    "RegistrationError",
    "Row",
    "Scalar",
    "SegArray",
    "Series",
    "SortingAlgorithm",
    "StringAccessor",
    "Strings",
    "Timedelta",
    "abs",
    "align",
    "all",
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
    "bigint",
    "bigint_",
    "bigint_from_uint_arrays",
    "bincount",
    "bit_vectorizer",
    "bool",
    "bool_",
    "broadcast",
    "broadcast_arrays",
    "broadcast_dims",
    "broadcast_shapes",
    "broadcast_to",
    "can_cast",
    "cast",
    "ceil",
    "chisquare",
    "clip",
    "clz",
    "coargsort",
    "compute_join_size",
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
    "ctz",
    "cummax",
    "cummin",
    "cumprod",
    "cumsum",
    "cut",
    "date_operators",
    "date_range",
    "deg2rad",
    "delete",
    "diff",
    "disable_verbose",
    "disconnect",
    "divmod",
    "dot",
    "dtype",
    "e",
    "enable_verbose",
    "errstate",
    "euler_gamma",
    "exp",
    "expm1",
    "eye",
    "fabs",
    "find",
    "flip",
    "float64",
    "floor",
    "fmod",
    "from_arrow",
    "from_dask",
    "from_pandas",
    "from_polars",
    "from_series",
    "full",
    "full_like",
    "gen_ranges",
    "generate_history",
    "get_config",
    "get_dummies",
    "get_max_array_rank",
    "get_mem_avail",
    "get_mem_status",
    "get_mem_used",
    "get_server_commands",
    "geterr",
    "geterrcall",
    "groupable",
    "hash",
    "hist_all",
    "histogram",
    "histogram2d",
    "histogramdd",
    "hstack",
    "in1d",
    "in1d_intervals",
    "indexof1d",
    "inf",
    "inner_join",
    "install_as_arkouda",
    "int64",
    "intersect",
    "intersect1d",
    "interval_lookup",
    "intx",
    "invert_permutation",
    "ip_address",
    "is_cosorted",
    "is_ipv4",
    "is_ipv6",
    "is_sorted",
    "isfinite",
    "isinf",
    "isnan",
    "isnumeric",
    "join_on_eq_with_dt",
    "left_align",
    "left_join",
    "linspace",
    "log",
    "log1p",
    "log2",
    "log10",
    "logical_not",
    "logspace",
    "lookup",
    "matmul",
    "max",
    "maximum",
    "maxk",
    "may_share_memory",
    "mean",
    "median",
    "merge",
    "min",
    "minimum",
    "mink",
    "mod",
    "nan",
    "newaxis",
    "nextafter",
    "ones",
    "ones_like",
    "parity",
    "pdarray",
    "percentile",
    "pi",
    "plot_dist",
    "popcount",
    "power",
    "power_divergence",
    "print_server_commands",
    "prod",
    "promote_to_common_dtype",
    "putmask",
    "qcut",
    "quantile",
    "rad2deg",
    "randint",
    "random",
    "random_sparse_matrix",
    "random_strings_lognormal",
    "random_strings_uniform",
    "receive",
    "receive_dataframe",
    "repeat",
    "result_type",
    "right_align",
    "rotl",
    "rotr",
    "round",
    "ruok",
    "scalar_array",
    "search_intervals",
    "searchsorted",
    "setdiff1d",
    "seterr",
    "seterrcall",
    "setxor1d",
    "shape",
    "shares_memory",
    "shutdown",
    "sign",
    "sin",
    "sinh",
    "skew",
    "sort",
    "sparray",
    "sparse_matrix_matrix_mult",
    "sqrt",
    "square",
    "squeeze",
    "standard_normal",
    "std",
    "str_",
    "string_operators",
    "sum",
    "take",
    "tan",
    "tanh",
    "tile",
    "timedelta_range",
    "transpose",
    "tril",
    "triu",
    "trunc",
    "uint8",
    "uint64",
    "uniform",
    "union1d",
    "unique",
    "unsqueeze",
    "value_counts",
    "var",
    "vecdot",
    "vstack",
    "where",
    "write_log",
    "xlogy",
    "zero_up",
    "zeros",
    "zeros_like",
]
__all__ += registry.__all__
__all__ += extension.__all__
__all__ += io.__all__
__all__ += numpy_names.__all__
__all__ += scalar_types.__all__
__all__ += testing.__all__

if TYPE_CHECKING:
    from types import ModuleType

    # Modules at Arkouda's paths, which `akdask.compat` makes when they are asked for.
    char: ModuleType
    dtypes: ModuleType
    join: ModuleType
    numeric: ModuleType
    sorting: ModuleType
    timeclass: ModuleType
    util: ModuleType
else:
    __getattr__ = compat.attribute
