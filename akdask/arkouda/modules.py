"""The modules at Arkouda's import paths, below `akdask.arkouda`: they have no files, and no names of their own.

All of them are loaded modules as soon as `akdask.arkouda` is loaded; the import system expects this of a package that
makes its modules itself.  They are empty until a name is looked up, so that importing stays fast.

Paths are written without the package's name, which is ``akdask.arkouda`` and, where it is installed so, ``arkouda``.  A
name is looked up in the modules that `HOMES` has for the path, and then in `akdask` itself.  A name that is found in
neither is skipped, so that no list here changes when it is added.
Sources: Arkouda's package as of 2026-08, and the older modules that its own code has moved out of.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from akdask import config
from akdask.errors import ArgumentError

# fmt: off
_DTYPES = (
    "ARKOUDA_SUPPORTED_DTYPES ARKOUDA_SUPPORTED_INTS DType DTypeObjects DTypes NUMBER_FORMAT_STRINGS NumericDTypes "
    "ScalarDTypes SeriesDTypes all_scalars bigint bigint_ bitType bool bool_ bool_scalars can_cast complex128 "
    "complex64 dtype dtype_for_chapel float16 float32 float64 float_scalars get_byteorder get_server_byteorder int16 "
    "int32 int64 int8 intTypes int_scalars is_supported_bool is_supported_dtype is_supported_float is_supported_int "
    "is_supported_number isSupportedBool isSupportedDType isSupportedFloat isSupportedInt isSupportedNumber "
    "numeric_and_bool_scalars numeric_scalars numpy_scalars resolve_scalar_dtype result_type str_ str_scalars uint16 "
    "uint32 uint64 uint8 BoolDType ByteDType BytesDType CLongDoubleDType Complex128DType Complex64DType "
    "DateTime64DType Float16DType Float32DType Float64DType Int16DType Int32DType Int64DType Int8DType IntDType "
    "LongDType LongDoubleDType LongLongDType ObjectDType ShortDType StrDType TimeDelta64DType UByteDType UInt16DType "
    "UInt32DType UInt64DType UInt8DType UIntDType ULongDType ULongLongDType UShortDType VoidDType"
)
_NUMERIC = (
    "ErrorMode abs arccos arccosh arcsin arcsinh arctan arctan2 arctanh array_equal cast ceil clip cos cosh "
    "count_nonzero cumprod cumsum deg2rad eye exp expm1 fabs floor hash histogram histogram2d histogramdd isfinite "
    "isinf isnan log log10 log1p log2 logical_not matmul maximum median minimum nextafter percentile putmask quantile "
    "rad2deg round sign sin sinh sqrt square tan tanh transpose tril triu trunc value_counts vecdot where"
)
_MANIPULATION = (
    "append broadcast_arrays broadcast_shapes broadcast_to delete diff flip hstack vstack repeat shape squeeze take "
    "tile copy"
)
_RANDOM = (
    "Generator choice default_rng exponential get_global_generator global_generator_exists integers logistic "
    "lognormal normal permutation poisson rand randint random seed shuffle float_array_or_scalar_helper "
    "standard_exponential standard_gamma standard_normal uniform"
)
_ASSERTERS = (
    "assert_almost_equal assert_arkouda_array_equal assert_arkouda_pdarray_equal assert_arkouda_segarray_equal "
    "assert_arkouda_strings_equal assert_attr_equal assert_categorical_equal assert_class_equal assert_contains_all "
    "assert_copy assert_dict_equal assert_equal assert_frame_equal assert_index_equal assert_is_sorted "
    "assert_series_equal"
)
_EQUIVALENCE = (
    "assert_almost_equivalent assert_arkouda_array_equivalent assert_equivalent assert_frame_equivalent "
    "assert_index_equivalent assert_series_equivalent"
)
_IO = (
    "export get_columns get_datasets get_filetype get_null_indices import_data load load_all load_checkpoint ls "
    "ls_csv read read_csv read_hdf read_parquet read_tagged_data read_zarr receive receive_dataframe restore save_all "
    "save_checkpoint snapshot to_csv to_hdf to_parquet to_zarr update_hdf"
)
_IO_UTIL = (
    "delete_directory delimited_file_to_dict dict_to_delimited_file directory_exists get_directory write_line_to_file"
)
_DIAGNOSTICS = (
    "start_comm_diagnostics stop_comm_diagnostics reset_comm_diagnostics print_comm_diagnostics_table "
    "start_verbose_comm stop_verbose_comm get_comm_diagnostics get_comm_diagnostics_put get_comm_diagnostics_get "
    "get_comm_diagnostics_put_nb get_comm_diagnostics_get_nb get_comm_diagnostics_test_nb "
    "get_comm_diagnostics_wait_nb get_comm_diagnostics_try_nb get_comm_diagnostics_amo "
    "get_comm_diagnostics_execute_on get_comm_diagnostics_execute_on_fast get_comm_diagnostics_execute_on_nb "
    "get_comm_diagnostics_cache_get_hits get_comm_diagnostics_cache_get_misses get_comm_diagnostics_cache_put_hits "
    "get_comm_diagnostics_cache_put_misses get_comm_diagnostics_cache_num_prefetches "
    "get_comm_diagnostics_cache_num_page_readaheads get_comm_diagnostics_cache_prefetch_unused "
    "get_comm_diagnostics_cache_prefetch_waited get_comm_diagnostics_cache_readahead_unused "
    "get_comm_diagnostics_cache_readahead_waited"
)

MODULES: dict[str, str] = {
    # NumPy's side
    "numpy": f"{_DTYPES} {_NUMERIC} {_MANIPULATION}",
    "numpy._bigint": "bigint bigint_ _datatype_check",
    "numpy._typing": "is_string_dtype_hint",
    "numpy._typing._typing": "is_string_dtype_hint",
    "numpy.alignment": (
        "NonUniqueError align find in1d_intervals interval_lookup is_cosorted left_align lookup right_align "
        "search_intervals unsqueeze zero_up"
    ),
    "numpy.char": "",
    "numpy.ctypeslib": "",
    "numpy.dtypes": f"{_DTYPES} _datatype_check",
    "numpy.dtypes.dtypes": f"{_DTYPES} _datatype_check",
    "numpy.emath": "",
    "numpy.err": "errstate geterr geterrcall handle seterr seterrcall",
    "numpy.exceptions": "RankWarning TooHardError",
    "numpy.fft": "",
    "numpy.imports": "",
    "numpy.lib": "add_docstring add_newdoc",
    "numpy.lib.emath": "",
    "numpy.lib.npyio": "",
    "numpy.linalg": "",
    "numpy.ma": "",
    "numpy.manipulation_functions": _MANIPULATION,
    "numpy.numeric": _NUMERIC,
    "numpy.pdarrayclass": (
        "is_locally_sorted "
        "RegistrationError SUPPORTED_INDEX_REDUCTION_OPS SUPPORTED_REDUCTION_OPS all allclose any argmax argmaxk "
        "argmin argmink broadcast_if_needed broadcast_to_shape clear clz corr cov create_pdarray create_pdarrays ctz "
        "divmod dot fmod int_uint_case is_sorted max maxk mean min mink mod parity parse_single_value pdarray "
        "popcount power prod resolve rotl rotr skew sqrt std sum var"
    ),
    "numpy.pdarraycreation": (
        "arange array bigint_from_uint_arrays date_range from_series full full_like linspace logspace ones ones_like "
        "promote_to_common_dtype randint random_strings_lognormal random_strings_uniform scalar_array standard_normal "
        "timedelta_range uniform zeros zeros_like"
    ),
    "numpy.pdarraymanipulation": "append delete hstack vstack",
    "numpy.pdarraysetops": (
        "concatenate in1d in1dmulti indexof1d intersect1d multiarray_setop_validation setdiff1d setxor1d union1d "
        "unique"
    ),
    "numpy.polynomial": "",
    "numpy.random": _RANDOM,
    "numpy.random._generator": _RANDOM,
    "numpy.random._legacy": _RANDOM,
    "numpy.random.generator": _RANDOM,
    "numpy.random.legacy": _RANDOM,
    "numpy.rec": "format_parser",
    "numpy.segarray": "LEN_SUFFIX SEG_SUFFIX SegArray VAL_SUFFIX",
    "numpy.sorting": "SortingAlgorithm argsort coargsort searchsorted sort",
    "numpy.strings": "Strings",
    "numpy.timeclass": "Datetime Timedelta _AbstractBaseTime date_range timedelta_range",
    "numpy.util": (
        "_generate_test_shape _infer_shape_from_size "
        "adjust_negs attach attach_all bounds_check broadcast_arrays broadcast_dims broadcast_shapes broadcast_to "
        "convert_bytes convert_if_categorical copy expand generic_concat get_callback identity invert_permutation "
        "is_float is_int is_numeric is_registered map may_share_memory most_common register register_all report_mem "
        "shares_memory sparse_sum_help unregister unregister_all"
    ),
    "numpy.utils": "add_newdoc shape",
    # pandas' side
    "pandas": "",
    "pandas.accessor": "CachedAccessor DatetimeAccessor Properties StringAccessor date_operators string_operators",
    "pandas.categorical": "Categorical",
    "pandas.conversion": "from_series",
    "pandas.dataframe": (
        "DataFrame DataFrameGroupBy DiffAggregate apply_if_callable intersect intx invert_permutation merge"
    ),
    "pandas.extension": (
        "ArkoudaArray ArkoudaBigintDtype ArkoudaBoolDtype ArkoudaCategorical ArkoudaCategoricalDtype "
        "ArkoudaDataFrameAccessor ArkoudaExtensionArray ArkoudaFloat64Dtype ArkoudaIndexAccessor ArkoudaInt64Dtype "
        "ArkoudaSeriesAccessor ArkoudaStringArray ArkoudaStringDtype ArkoudaUint64Dtype ArkoudaUint8Dtype"
    ),
    "pandas.extension._arkouda_array": "ArkoudaArray",
    "pandas.extension._arkouda_categorical_array": "ArkoudaCategorical",
    "pandas.extension._arkouda_extension_array": "ArkoudaExtensionArray",
    "pandas.extension._arkouda_string_array": "ArkoudaStringArray",
    "pandas.extension._dataframe_accessor": "ArkoudaDataFrameAccessor",
    "pandas.extension._dtypes": (
        "ArkoudaBigintDtype ArkoudaBoolDtype ArkoudaCategoricalDtype ArkoudaDtype ArkoudaFloat64Dtype "
        "ArkoudaInt64Dtype ArkoudaStringDtype ArkoudaUint64Dtype ArkoudaUint8Dtype _ArkoudaBaseDtype"
    ),
    "pandas.extension._index_accessor": "ArkoudaIndexAccessor",
    "pandas.extension._series_accessor": "ArkoudaSeriesAccessor",
    "pandas.groupbyclass": "GROUPBY_REDUCTION_TYPES GroupBy GroupByReductionType broadcast groupable unique",
    "pandas.index": "Index MultiIndex",
    "pandas.io": f"{_IO} ARKOUDA_HDF5_FILE_METADATA_GROUP",
    "pandas.io_util": _IO_UTIL,
    "pandas.join": "compute_join_size gen_ranges inner_join join_on_eq_with_dt left_join",
    "pandas.match": "Match MatchType",
    "pandas.matcher": "Matcher MatchType",
    "pandas.row": "Row",
    "pandas.series": "Series _LocIndexer _iLocIndexer is_supported_scalar natural_binary_operators unary_operators",
    "pandas.typing": "ArkoudaArrayLike",
    # the rest
    "apply": "apply",
    "client_dtypes": "BitVector BitVectorizer Fields IPv4 bit_vectorizer ip_address is_ipv4 is_ipv6",
    "comm_diagnostics": _DIAGNOSTICS,
    "core": "",
    "core.client": (
        "_no_op "
        "Channel ChannelType ClientMode RequestMode ShellMode ZmqChannel connect connected disable_verbose disconnect "
        "enable_verbose generate_history generic_msg get_array_ranks get_channel get_config get_max_array_rank "
        "get_mem_avail get_mem_status get_mem_used get_registration_config get_server_commands get_shell_mode "
        "maxTransferBytes note_for_server_log pdarrayIterThresh print_server_commands ruok server_sleep set_defaults "
        "shutdown wait_for_async_activity write_log"
    ),
    "core.infoclass": (
        "AllSymbols EntryDecoder InfoEntry RegisteredSymbols auto_str information list_registry list_symbol_table "
        "pretty_print_information"
    ),
    "core.logger": (
        "ArkoudaLogger LogLevel disable_verbose enable_verbose getArkoudaClientLogger getArkoudaLogger "
        "get_arkouda_client_logger get_arkouda_logger write_log"
    ),
    "core.message": "MessageFormat MessageType ParameterObject ReplyMessage RequestMessage",
    "core.security": (
        "generate_token generate_username_token_json get_arkouda_client_directory get_home_directory get_username"
    ),
    "history": "HistoryRetriever NotebookHistoryRetriever ShellHistoryRetriever",
    "scipy": "Power_divergenceResult chisquare power_divergence",
    "scipy.sparrayclass": "create_sparray sparray",
    "scipy.sparsematrix": "create_sparse_matrix random_sparse_matrix sparse_matrix_matrix_mult",
    "scipy.special": "xlogy",
    "scipy.special._math": "xlogy",
    "scipy.stats": "Power_divergenceResult chisquare power_divergence",
    "scipy.stats._stats_py": "Power_divergenceResult chisquare power_divergence",
    "plotting": "hist_all plot_dist",
    "testing": f"{_ASSERTERS} {_EQUIVALENCE}",
    "testing._asserters": f"{_ASSERTERS} raise_assert_detail",
    "testing._equivalence_asserters": f"{_EQUIVALENCE} _convert_to_arkouda",
}
"""The names of each module, by its path."""

_FORMER = {
    "numpy": (
        "alignment char ctypeslib dtypes emath exceptions imports lib ma manipulation_functions numeric pdarrayclass "
        "pdarraycreation pdarraymanipulation pdarraysetops polynomial random rec segarray sorting strings timeclass "
        "util utils err"
    ),
    "pandas": (
        "accessor categorical conversion dataframe extension groupbyclass index io io_util join match matcher row "
        "series"
    ),
    "core": "client infoclass logger message security",
    "scipy": "sparrayclass sparsematrix",
}

MOVED: dict[str, str] = {
    **{name: f"{package}.{name}" for package, names in _FORMER.items() for name in names.split()},
    "akscipy": "scipy",
    "akscipy.special": "scipy.special",
    "akstats": "scipy.stats",
    "akmath": "scipy.special",
    "array_view": "numpy.pdarrayclass",
    "scipy._stats_py": "scipy.stats",
    "dtypes.dtypes": "numpy.dtypes.dtypes",
}
"""The present path of each module that has, or had, another one."""

HOMES: dict[str, str] = {
    **dict.fromkeys(("numpy", "numpy.dtypes", "numpy.dtypes.dtypes"), "columns.scalar_types arkouda.helpers"),
    "numpy._bigint": "columns.scalar_types arkouda.helpers",
    **dict.fromkeys(("numpy._typing", "numpy._typing._typing"), "columns.scalar_types"),
    **dict.fromkeys(
        ("numpy.pdarrayclass", "numpy.pdarraysetops", "numpy.segarray", "numpy.timeclass", "pandas.groupbyclass",
         "client_dtypes"),
        "arkouda.helpers",
    ),
    **dict.fromkeys(("pandas.dataframe", "pandas.series"), "arkouda.helpers frames.indexing"),
    **dict.fromkeys((name for name in MODULES if name.startswith("numpy.random")), "random"),
    **dict.fromkeys(("comm_diagnostics", "core.client", "core.message"), "arkouda.server"),
    **dict.fromkeys(("core.infoclass", "core.logger", "core.security", "history"), "arkouda.session"),
    "testing._asserters": "testing.asserters",
    "testing._equivalence_asserters": "testing.equality",
    **dict.fromkeys((name for name in MODULES if name.startswith("pandas.extension")), "extension"),
    "pandas.match": "arrays.text",
    "pandas.matcher": "arrays.text",
    "numpy.err": "error_state",
    "numpy.util": (
        "frames.functions frames.lookups frames.index "
        "arrays.axes arrays.memory_report arrays.sparse io.registry "
        "arkouda.helpers"
    ),
    **dict.fromkeys(("pandas.io", "pandas.io_util"), "arkouda.helpers"),
    "scipy.sparrayclass": "arkouda.server",
}
"""The modules of akdask's own, one or several, that have the names of a module that `akdask` itself has not."""
# fmt: on


CLASSES = {
    "arrays.pdarray.pdarray": "numpy.pdarrayclass",
    "arrays.strings.Strings": "numpy.strings",
    "arrays.segarray.SegArray": "numpy.segarray",
    "arrays.categorical.Categorical": "pandas.categorical",
    "arrays.datetimes.Datetime": "numpy.timeclass",
    "arrays.datetimes.Timedelta": "numpy.timeclass",
    "arrays.ipv4.IPv4": "client_dtypes",
    "arrays.bit_vectors.BitVector": "client_dtypes",
    "arrays.bit_vectors.Fields": "client_dtypes",
    "arrays.text.Match": "pandas.match",
    "arrays.groupby.GroupBy": "pandas.groupbyclass",
    "frames.dataframe.DataFrame": "pandas.dataframe",
    "frames.series.Series": "pandas.series",
    "frames.index.Index": "pandas.index",
    "frames.index.MultiIndex": "pandas.index",
    "extension.arrays.ArkoudaArray": "pandas.extension._arkouda_array",
    "extension.arrays.ArkoudaStringArray": "pandas.extension._arkouda_string_array",
    "extension.arrays.ArkoudaCategorical": "pandas.extension._arkouda_categorical_array",
}
"""Arkouda's modules of the classes that it shows in its examples and that its scripts print."""

PACKAGE = "akdask.arkouda"
ARKOUDA = "arkouda"


class ArkoudaModule(ModuleType):
    """A module that looks up each name elsewhere on first use.

    Parameters
    ----------
    path : str
        The path in `MODULES`.
    """

    def __init__(self, path: str) -> None:
        name = f"{PACKAGE}.{path}"
        super().__init__(name, f"What Arkouda has under ``arkouda.{path}``.")
        # A package, so that its modules can be imported; missing modules are looked for in no folder.
        vars(self).update(_path=path, __path__=[], __package__=name, __spec__=ModuleSpec(name, None, is_package=True))

    def __getattr__(self, name: str) -> Any:
        if name == "__all__":
            return self.__dir__()
        is_listed = name in MODULES[self._path].split()
        package = sys.modules["akdask"]
        if not is_listed and (name.startswith("_") or name not in package.__all__):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        if not is_listed:
            return getattr(package, name)
        found = getattr(self._home_of(name), name)
        # Functions that `akdask` has wrapped, whose errors end at the line of the user, are the same everywhere.
        public = getattr(package, name) if name in package.__all__ else found
        return public if getattr(public, "__wrapped__", None) is found else found

    def __setattr__(self, name: str, value: Any) -> None:
        is_listed = not name.startswith("_") and name in MODULES[self._path].split()
        settings = getattr(self._home_of(name), "SETTINGS", {}) if is_listed else {}
        if name in settings:
            config.set(**{settings[name]: value})
        else:
            super().__setattr__(name, value)

    def _home_of(self, name: str) -> ModuleType:
        """Return the module that contains a name listed for this one."""
        homes = [import_module(f"akdask.{home}") for home in HOMES.get(self._path, "").split()]
        return next((home for home in homes if hasattr(home, name)), sys.modules["akdask"])

    def __reduce__(self) -> tuple[Any, ...]:
        return import_module, (self.__name__,)

    def __dir__(self) -> list[str]:
        inside = [name for name, item in vars(self).items() if isinstance(item, ArkoudaModule)]
        return sorted({*inside, *(name for name in MODULES[self._path].split() if hasattr(self, name))})


def _tree() -> dict[str, ArkoudaModule]:
    """Return all modules by their present and former paths; submodules are attributes."""
    tree = {path: ArkoudaModule(path) for path in MODULES}
    tree |= {path: tree[present] for path, present in MOVED.items()}
    for path, module in tree.items():
        parent, _, name = path.rpartition(".")
        if parent:
            vars(tree[parent])[name] = module
    return tree


TREE = _tree()
"""The modules by their paths, without the package's name."""


def load_below(package: str) -> None:
    """Enter all modules of `TREE` into the loaded modules, below a package."""
    sys.modules.update({f"{package}.{path}": module for path, module in TREE.items()})


def attribute(name: str) -> Any:
    """Return the object that ``arkouda`` has under a name: one of its modules, or an object of `akdask`.

    Raises
    ------
    MissingAttributeError
        If there is neither.
    """
    # A module that is named for its function gives way to it, as in Arkouda.
    is_module = name in TREE and name not in MODULES.get(name, "").split()
    return TREE[name] if is_module else getattr(sys.modules["akdask"], name)


def attributes() -> list[str]:
    """Return the names that ``arkouda`` has."""
    return sorted({*dir(sys.modules["akdask"]), *(path for path in TREE if "." not in path)})


def install_as_arkouda() -> None:
    """Have ``import arkouda`` mean `akdask.arkouda` in this process, with all modules of Arkouda's below it.

    Call it before the first script that imports Arkouda; once is enough.  Classes are then shown by Arkouda's paths.

    Raises
    ------
    ArgumentError
        If Arkouda itself has been imported.

    Examples
    --------
    >>> import akdask
    >>> akdask.install_as_arkouda()
    >>> import arkouda as ak
    >>> from arkouda.pandas.groupbyclass import GroupBy
    >>> ak is akdask.arkouda, ak.array is akdask.array, GroupBy is akdask.GroupBy
    (True, True, True)
    """
    package = sys.modules[PACKAGE]
    loaded = sys.modules.get(ARKOUDA, package)
    if loaded is not package:
        raise ArgumentError(
            "Arkouda itself has been imported in this process.",
            details=[f"from {loaded.__file__}"],
            hint="call install_as_arkouda() before anything imports arkouda.",
        )
    from akdask.arrays.writable import ARKOUDA_PATHS

    sys.modules[ARKOUDA] = package
    load_below(ARKOUDA)
    names = ((path, path.rpartition(".")[2]) for path in CLASSES)
    ARKOUDA_PATHS.update({f"akdask.{path}": f"{ARKOUDA}.{CLASSES[path]}.{name}" for path, name in names})
