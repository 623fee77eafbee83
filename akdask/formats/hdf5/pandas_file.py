"""Read files of ``pandas.DataFrame.to_hdf`` as data, without unpickling anything."""

from __future__ import annotations

import codecs
import datetime
import pickletools
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from typing import Any

import h5py
import numpy as np
import numpy.typing as npt
from h5py import h5d, h5o, h5t, h5z

from akdask.deferred import pd
from akdask.errors import FileFormatError, MissingDatasetError, UnsupportedError
from akdask.formats import tuning
from akdask.formats.hdf5.chunks import ChunkReader, ChunkStore, index_of, missing_filter
from akdask.formats.hdf5.global_heaps import check_heaps
from akdask.formats.hdf5.library import open_file
from akdask.records import record
from akdask.storage.files import identify
from akdask.storage.ranges import range_reader


@record
class Opaque:
    """A Python object whose class or function is known by name only."""

    name: str


def literal(pickled: bytes) -> Any:
    r"""Return the plain value that a pickle describes; `Opaque` for other objects, or inside the value in their place.

    Raises
    ------
    ValueError
        If this is no pickle.

    Examples
    --------
    >>> literal(b"(lp0\nVname\np1\naI3\na.")
    ['name', 3]
    >>> literal(b"cposix\nsystem\np0\n(Vtrue\ntRp1\n.")
    Opaque(name='posix system')
    """
    machine = _Machine()
    try:
        for opcode, argument, _ in pickletools.genops(pickled):
            if opcode.name == "STOP":
                return machine.stack.pop()
            if opcode.name in _VALUES:
                machine.stack.append(argument)
            elif opcode.name in _STEPS:
                _STEPS[opcode.name](machine, argument)
            elif opcode.name not in _NOTHING:
                return Opaque(f"pickle opcode {opcode.name}")
    except (IndexError, KeyError, TypeError, AttributeError) as error:
        raise ValueError("no pickle") from error
    raise ValueError("no pickle")


@dataclass
class _Machine:
    """The state that opcodes change."""

    stack: list[Any] = dataclass_field(default_factory=list)
    mark_stack: list[int] = dataclass_field(default_factory=list)
    memo: dict[int, Any] = dataclass_field(default_factory=dict)

    def pop(self, count: int) -> list[Any]:
        """Take the topmost values, in the order in which they were put there."""
        if count > len(self.stack):
            raise IndexError
        start = len(self.stack) - count
        found, self.stack[start:] = self.stack[start:], []
        return found

    def pop_marked(self) -> list[Any]:
        """Take the values since the last mark."""
        return self.pop(len(self.stack) - self.mark_stack.pop())

    def push(self, value: Any) -> None:
        self.stack.append(value)

    def extend(self, values: list[Any]) -> None:
        target = self.stack[-1]
        if type(target) is not list:
            raise TypeError
        target.extend(values)

    def update(self, values: list[Any]) -> None:
        target = self.stack[-1]
        if type(target) is not dict:
            raise TypeError
        target.update(_pairs(values))

    def call(self, count: int) -> None:
        """Replace a call and its arguments by a mark."""
        callee = self.pop(count)[0]
        self.push(callee if type(callee) is Opaque else Opaque(type(callee).__name__))


def _pairs(values: list[Any]) -> dict[Any, Any]:
    return dict(zip(values[::2], values[1::2], strict=True))


_NOTHING = {"PROTO", "FRAME"}
_VALUES = {
    *("INT", "BININT", "BININT1", "BININT2", "LONG", "LONG1", "LONG4", "FLOAT", "BINFLOAT"),
    *("SHORT_BINBYTES", "BINBYTES", "BINBYTES8"),
    *("UNICODE", "BINUNICODE", "SHORT_BINUNICODE", "BINUNICODE8", "STRING", "BINSTRING", "SHORT_BINSTRING"),
}
"""Opcodes whose argument is the value."""

_STEPS: dict[str, Callable[[_Machine, Any], None]] = {
    "NONE": lambda machine, _: machine.push(None),
    "NEWTRUE": lambda machine, _: machine.push(True),
    "NEWFALSE": lambda machine, _: machine.push(False),
    "MARK": lambda machine, _: machine.mark_stack.append(len(machine.stack)),
    "EMPTY_LIST": lambda machine, _: machine.push([]),
    "EMPTY_TUPLE": lambda machine, _: machine.push(()),
    "EMPTY_DICT": lambda machine, _: machine.push({}),
    "LIST": lambda machine, _: machine.push(machine.pop_marked()),
    "TUPLE": lambda machine, _: machine.push(tuple(machine.pop_marked())),
    "DICT": lambda machine, _: machine.push(_pairs(machine.pop_marked())),
    "TUPLE1": lambda machine, _: machine.push(tuple(machine.pop(1))),
    "TUPLE2": lambda machine, _: machine.push(tuple(machine.pop(2))),
    "TUPLE3": lambda machine, _: machine.push(tuple(machine.pop(3))),
    "APPEND": lambda machine, _: machine.extend(machine.pop(1)),
    "APPENDS": lambda machine, _: machine.extend(machine.pop_marked()),
    "SETITEM": lambda machine, _: machine.update(machine.pop(2)),
    "SETITEMS": lambda machine, _: machine.update(machine.pop_marked()),
    **dict.fromkeys(
        ("PUT", "BINPUT", "LONG_BINPUT"), lambda machine, number: machine.memo.update({number: machine.stack[-1]})
    ),
    "MEMOIZE": lambda machine, _: machine.memo.update({len(machine.memo): machine.stack[-1]}),
    **dict.fromkeys(("GET", "BINGET", "LONG_BINGET"), lambda machine, number: machine.push(machine.memo[number])),
    "GLOBAL": lambda machine, name: machine.push(Opaque(name)),
    "STACK_GLOBAL": lambda machine, _: machine.push(Opaque(" ".join(machine.pop(2)))),
    "REDUCE": lambda machine, _: machine.call(2),
    "NEWOBJ": lambda machine, _: machine.call(2),
    "NEWOBJ_EX": lambda machine, _: machine.call(3),
    "BUILD": lambda machine, _: machine.call(2),
}


_EXPANSION = 2**11
"""How many times as large as on disk data may be that is compressed: deflate's most is 1032."""


class GroupNode:
    """A group of the file, or a dataset of PyTables with attributes of its own.

    Parameters
    ----------
    node : h5py.Group or h5py.Dataset
        The open h5py object.
    path : str
        The file.
    name : str
        Where in the file.
    """

    def __init__(self, node: Any, path: str, name: str) -> None:
        self._node = node
        self._path = path
        self.name = name

    @property
    def place(self) -> str:
        """The path, for messages."""
        return f"{self.name!r} of {self._path!r}"

    @property
    def address(self) -> int:
        """The address, which is the same for all links to the node."""
        return int(h5o.get_info(self._node.id).addr)

    @property
    def names(self) -> list[str]:
        """Names of the members."""
        return list(self._node)

    def kind(self, name: str) -> type | None:
        """Return the h5py class of a member, None if it is missing, or not in this file."""
        link = self._node.get(name, getlink=True) if name in self._node.keys() else None  # noqa: SIM118
        return self._node.get(name, getclass=True) if isinstance(link, h5py.HardLink) else None

    def group(self, name: str) -> GroupNode:
        """Return a member that is a group."""
        return self._member(name, h5py.Group)

    def array(self, name: str) -> ArrayNode:
        """Return a member that is a dataset."""
        found = self._member(name, h5py.Dataset)
        return ArrayNode(found._node, self._path, found.name)

    def _member(self, name: str, kind: type) -> GroupNode:
        place = f"{self.name.rstrip('/')}/{name}"
        if self.kind(name) is not kind:
            raise FileFormatError(f"{place!r} of {self._path!r} is missing, or not what pandas writes.")
        return GroupNode(self._node[name], self._path, place)

    def attribute(self, name: str) -> Any:
        """Return the value of an attribute, None if there is none; `Opaque` for a pickled object."""
        value = self._node.attrs.get(name)
        if isinstance(value, h5py.Empty):
            return ""
        if isinstance(value, bytes):
            try:
                return literal(value) if value.endswith(b".") else _text(value)
            except ValueError:
                return _text(value)
        return value.item() if isinstance(value, np.generic) else value

    def plain(self, name: str) -> Any:
        """Return the value of an attribute.

        Raises
        ------
        UnsupportedError
            If it is the pickle of an object.
        """
        value = self.attribute(name)
        if type(value) is Opaque:
            raise UnsupportedError(
                f"the attribute {name!r} of {self.place} is a pickled Python object, which is not read.",
                details=[f"it names {value.name!r}"],
                hint="pickles can run any program; write the file again with plain names and numbers.",
            )
        return value


class ArrayNode(GroupNode):
    """A dataset."""

    @property
    def is_pickled(self) -> bool:
        """Whether it holds Python objects."""
        return self.attribute("PSEUDOATOM") is not None or self._type.get_class() in {h5t.VLEN, h5t.OPAQUE}

    @property
    def _type(self) -> Any:
        return self._node.id.get_type()

    def read(self) -> npt.NDArray[Any]:
        """Read the whole array.

        Raises
        ------
        UnsupportedError
            If it holds Python objects, its bytes are in other files, or a filter is not installed.
        FileFormatError
            If its claimed size is larger than the file can hold.
        """
        self._check()
        values: npt.NDArray[Any] = self._node[()] if self._is_unpacked_by_library() else self._unpacked()
        # PyTables stores truth values as bit fields, which h5py reads as numbers.
        return values != 0 if self._type.get_class() == h5t.BITFIELD else values

    def _is_unpacked_by_library(self) -> bool:
        """Whether HDF5 has all filters of the array.

        Raises
        ------
        UnsupportedError
            If a filter is neither in HDF5 nor known here.
        """
        made = self._node.id.get_create_plist()
        numbers = [made.get_filter(number)[0] for number in range(made.get_nfilters())]
        missing = missing_filter(numbers)
        if missing is not None:
            raise UnsupportedError(f"{self.place} {missing}.")
        return all(map(h5z.filter_avail, numbers))

    def _unpacked(self) -> npt.NDArray[Any]:
        """Return the whole array, whose chunks are unpacked here."""
        file, values = identify(self._path), np.empty(self._node.size, self._node.dtype)
        reader = ChunkReader(index_of(file, self.name, self._node.id), values.dtype, self.name, ChunkStore())
        with range_reader(file) as ranges:
            reader.read_into(ranges, values, 0)
        return values.reshape(self._node.shape)

    def _check(self) -> None:
        if self.is_pickled:
            raise UnsupportedError(
                f"{self.place} holds pickled Python objects, which are not read.",
                hint="pickles can run any program; write text with format='table', and leave other objects out.",
            )
        made = self._node.id.get_create_plist()
        if made.get_external_count() or made.get_layout() == h5d.VIRTUAL:
            raise UnsupportedError(f"{self.place} has its bytes in other files, which are not read.")
        declared = self._node.size * self._node.dtype.itemsize
        if declared > _EXPANSION * self._node.id.get_storage_size():
            raise FileFormatError(f"{self.place} is said to have {declared} bytes, which are not there.")


def _text(raw: bytes) -> str:
    return raw.decode(errors="surrogateescape")


_TIMES = re.compile(r"(datetime64|timedelta64)(?:\[(s|ms|us|ns)\])?")
_ENCODINGS = {"ascii", "cp1252", "iso8859-1", "latin-1", "utf-16", "utf-32", "utf-8"}
_ERRORS = {"ignore", "replace", "strict", "surrogateescape", "surrogatepass"}
_OLD_MISSING = "nan"
"""The text for missing values in files whose writer does not record one."""


@record
class Encoding:
    """How text is stored in an object of pandas."""

    name: str
    errors: str

    @classmethod
    def of(cls, node: GroupNode) -> Encoding:
        """Return the encoding that a group records.

        Raises
        ------
        UnsupportedError
            If it is no common encoding of text.
        """
        name, errors = node.plain("encoding") or "utf-8", node.plain("errors") or "strict"
        try:
            known = codecs.lookup(name).name in _ENCODINGS and errors in _ERRORS
        except (LookupError, TypeError, ValueError):
            known = False
        if not known:
            raise UnsupportedError(f"{node.place} holds text in the encoding {name!r}, {errors!r}, which is not known.")
        return cls(name, errors)

    def decode(self, values: npt.NDArray[Any], missing: str | None) -> npt.NDArray[np.object_]:
        """Return stored text as str, with NaN for missing values."""
        if values.dtype.kind != "S":
            raise ValueError("text is not stored as bytes")
        strings = [text.decode(self.name, self.errors) for text in values.ravel().tolist()]
        found = np.empty(values.shape, object)
        found.ravel()[:] = [np.nan if text == missing else text for text in strings]
        return found


def is_timed(values: npt.NDArray[Any], kind: Any) -> bool:
    """Whether a kind means that numbers are times."""
    return isinstance(kind, str) and _TIMES.fullmatch(kind) is not None and values.dtype == np.int64


def timed(values: npt.NDArray[Any], kind: Any) -> npt.NDArray[Any]:
    """Return numbers as times if their kind means that, else unchanged."""
    if not is_timed(values, kind):
        return values
    name, _, unit = kind.removesuffix("]").partition("[")
    return values.astype(np.int64, copy=False).view(f"{name}[{unit or 'ns'}]")


def label_missing(written: Any) -> str | None:
    """Return the text for missing labels, from its attribute."""
    return _OLD_MISSING if written is None else written or None


def labels(
    node: GroupNode, values: npt.NDArray[Any], *, kind: Any, encoding: Encoding, missing: str | None, name: Any
) -> pd.Index:
    """Return the labels of rows or columns.

    Parameters
    ----------
    node : GroupNode
        Where they are stored, for messages.
    values : ndarray
        The stored values.
    kind : str
        pandas' name of their kind.
    encoding : Encoding
        Of text.
    missing : str or None
        The text for missing values.
    name : str or None
        Of the labels.

    Raises
    ------
    UnsupportedError
        If they are of another kind than numbers, text and times.
    """
    if values.ndim != 1:
        raise FileFormatError(f"the labels in {node.place} are not in one dimension.")
    if not isinstance(name, str | int | float | None):
        raise UnsupportedError(f"the labels in {node.place} have a name that is no text.")
    if kind == "string":
        return pd.Index(encoding.decode(values, missing), name=name)
    if kind == "date":
        return pd.Index([datetime.date.fromordinal(day) for day in values.tolist()], dtype=object, name=name)
    if kind in {"integer", "float", "bool"} or is_timed(values, kind):
        found: pd.Index = pd.Index(timed(values, kind), name=name)
        return found
    raise UnsupportedError(f"the labels in {node.place} are of the kind {kind!r}, which is not read.")


def fixed_frame(node: GroupNode) -> pd.DataFrame:
    """Read a DataFrame.

    Raises
    ------
    FileFormatError
        If its parts do not fit together.
    UnsupportedError
        If columns are pickled.
    """
    names, rows = _labels(node, "axis0"), _labels(node, "axis1")
    blocks = node.plain("nblocks")
    if not isinstance(blocks, int) or not 0 <= blocks <= len(node.names):
        raise FileFormatError(f"{node.place} does not tell the number of its blocks.")
    items = [_labels(node, f"block{number}_items") for number in range(blocks)]
    arrays = [node.array(f"block{number}_values") for number in range(blocks)]
    pickled = [repr(name) for own, array in zip(items, arrays, strict=True) if _is_pickled(array) for name in own]
    if pickled:
        raise UnsupportedError(
            f"{node.place} has columns that pandas pickled, which are not read.",
            details=pickled,
            hint="pickles can run any program; write the file again with format='table', which stores text as data, "
            "and leave columns of other objects out.",
        )
    columns: dict[Any, npt.NDArray[Any]] = {}
    for own, array in zip(items, arrays, strict=True):
        values = _values(array)
        if values.shape != (len(own), len(rows)):
            raise FileFormatError(f"{array.place} has the shape {values.shape}, not {(len(own), len(rows))}.")
        columns.update(zip(own, values, strict=True))
    if sorted(map(repr, columns)) != sorted(map(repr, names)):
        raise FileFormatError(f"the columns of {node.place} are not those that it names.")
    return pd.DataFrame({name: columns[name] for name in names}, index=rows)


def fixed_series(node: GroupNode) -> pd.DataFrame:
    """Read a Series, as a DataFrame of one column; for errors see `fixed_frame`."""
    rows, array = _labels(node, "index"), node.array("values")
    name = node.plain("name")
    if _is_pickled(array):
        raise UnsupportedError(
            f"{node.place} is a Series that pandas pickled, which is not read.",
            details=[f"name: {name!r}"],
            hint="pickles can run any program; write the file again with format='table', which stores text as data.",
        )
    values = _values(array)
    if values.shape != (len(rows),):
        raise FileFormatError(f"{array.place} has the shape {values.shape}, not {(len(rows),)}.")
    return pd.Series(values, rows, name=name).to_frame()


def _is_pickled(array: ArrayNode) -> bool:
    return array.is_pickled and array.attribute("shape") is None


def _labels(node: GroupNode, name: str) -> pd.Index:
    variety = node.plain(f"{name}_variety")
    if variety == "multi":
        return _levels(node, name)
    if variety != "regular":
        raise UnsupportedError(f"{name} of {node.place} are labels of the variety {variety!r}, which is not known.")
    return _level(node, node.array(name))


def _levels(node: GroupNode, name: str) -> pd.MultiIndex:
    """Return labels of several levels: the labels of each, and their positions among them, -1 for missing ones."""
    count = node.plain(f"{name}_nlevels")
    if not isinstance(count, int) or not 0 < count <= len(node.names):
        raise FileFormatError(f"{node.place} does not tell the number of levels of {name}.")
    levels: Any = [_level(node, node.array(f"{name}_level{number}")) for number in range(count)]
    codes: Any = [_values(node.array(f"{name}_label{number}")) for number in range(count)]
    for positions in codes:
        if positions.ndim != 1 or positions.dtype.kind not in "iu" or len(positions) != len(codes[0]):
            raise FileFormatError(f"the positions of the labels {name} of {node.place} are not as many as the rows.")
    # pandas checks positions and labels; its errors are told as those of the file.
    return pd.MultiIndex(levels, codes, names=[level.name for level in levels])


def _level(node: GroupNode, array: ArrayNode) -> pd.Index:
    if array.plain("index_class") == "period":
        raise UnsupportedError(f"{array.place} are labels by periods, which are not read.")
    return labels(
        array,
        _values(array),
        kind=array.plain("kind"),
        encoding=Encoding.of(node),
        missing=label_missing(array.plain("nan_rep")),
        name=array.plain("name"),
    )


def _values(array: ArrayNode) -> npt.NDArray[Any]:
    """Return an array with the shape that pandas wrote; an empty one records its shape, since PyTables stores none."""
    kind, shape = array.plain("value_type"), array.plain("shape")
    if shape is not None:
        return _empty(array, shape, kind)
    values = array.read()
    if kind is not None and not is_timed(values, kind):
        raise UnsupportedError(f"{array.place} is of type {kind!r}, which is not read.")
    values = timed(values, kind)
    return values.T if array.plain("transposed") else values


def _empty(array: ArrayNode, shape: Any, kind: Any) -> npt.NDArray[Any]:
    if not isinstance(shape, tuple) or not all(isinstance(size, int) and size >= 0 for size in shape) or all(shape):
        raise FileFormatError(f"{array.place} is not as empty as it says.")
    if max(shape) > 2**16:  # a file of that many columns would have their names
        raise FileFormatError(f"{array.place} has the shape {shape}.")
    try:
        dtype = np.dtype(kind if isinstance(kind, str) else "f8")
    except TypeError:
        dtype = np.dtype(object)
    return np.empty(shape, dtype if dtype.kind in "biufMm" else object)


_INDEX = "index"
_SERIES = "series_table"
_UNNAMED = "values"
"""The column of a Series without a name."""


def table_frame(node: GroupNode) -> pd.DataFrame:
    """Read a DataFrame, or a Series as a DataFrame of one column.

    Raises
    ------
    FileFormatError
        If its parts do not fit together.
    UnsupportedError
        If names are pickled objects, or columns have several levels of labels.
    """
    array, levels = node.array("table"), node.plain("levels")
    if node.plain("index_cols") != [(0, _INDEX)]:
        raise UnsupportedError(f"{node.place} is transposed, or has several levels of columns, which is not read.")
    records = array.read()
    if records.ndim != 1 or records.dtype.names is None or _INDEX not in records.dtype.names:
        raise FileFormatError(f"{array.place} is no table of pandas.")
    columns = dict(_columns(node, array, records))
    order = _order(node, columns)
    frame = pd.DataFrame({name: columns[name] for name in order}, index=_rows(node, array, records))
    if isinstance(levels, list):
        names = _checked(node, "levels", levels)
        if not set(names) <= set(order):
            raise FileFormatError(f"the levels of labels of {node.place} are none of its columns.")
        frame = frame.set_index(names)
        # So pandas names levels without a name.
        frame.index.names = [None if name == f"level_{n}" else name for n, name in enumerate(frame.index.names)]
    is_unnamed = node.plain("pandas_type") == _SERIES and list(frame.columns) == [_UNNAMED]
    return frame.rename(columns={_UNNAMED: 0}) if is_unnamed else frame


def _columns(node: GroupNode, array: ArrayNode, records: npt.NDArray[Any]) -> Iterator[tuple[Any, Any]]:
    encoding = Encoding.of(node)
    for field in _names(node, "values_cols"):
        names = _names(array, f"{field}_kind")
        if field not in (records.dtype.names or ()):
            raise FileFormatError(f"{array.place} has no field {field!r}.")
        values = records[field]
        if values.ndim == 1:
            values = values.reshape(len(records), 1)
        if values.shape != (len(records), len(names)):
            raise FileFormatError(f"the field {field!r} of {array.place} is not as many columns as it has names.")
        for name, column in zip(names, values.T, strict=True):
            yield name, _column(node, array, field, column, encoding)


def _column(node: GroupNode, array: ArrayNode, field: str, values: npt.NDArray[Any], encoding: Encoding) -> Any:
    kind = array.plain(f"{field}_dtype")
    if array.plain(f"{field}_meta") == "category":
        return _categorical(node, field, values)
    if values.dtype.kind == "S":
        own = bool(node.plain("data_col_nan_rep"))
        missing = array.plain(f"{field}_nan_rep") if own else node.plain("nan_rep") or "nan"
        return encoding.decode(values, missing)
    if kind == "bool":
        return values != 0
    if not is_timed(values, kind) and kind != values.dtype.name:
        raise UnsupportedError(f"the field {field!r} of {array.place} is of type {kind!r}, which is not read.")
    return timed(values, kind)


def _categorical(node: GroupNode, field: str, codes: npt.NDArray[Any]) -> pd.Categorical:
    """Return a column of codes with its categories, which are a Series of their own."""
    categories = _categories(node, field)
    if codes.dtype.kind not in "iu" or (len(codes) and not -1 <= codes.min() <= codes.max() < len(categories)):
        raise FileFormatError(f"codes of the field {field!r} of {node.place} are beyond its categories.")
    known = np.flatnonzero(categories.notna())
    if len(known) < len(categories):  # a category that is spelt as missing text is
        numbers = np.full(len(categories) + 1, -1)
        numbers[known] = np.arange(len(known))
        codes = numbers[codes]
    return pd.Categorical.from_codes(codes, pd.Index(categories.iloc[known]).rename(None))


def _categories(node: GroupNode, field: str) -> pd.Series:
    stored = node
    for name in ("meta", field, "meta"):
        if name not in stored.names:
            return pd.Series([], dtype=object)
        stored = stored.group(name)
    return table_frame(stored).iloc[:, 0]


def _rows(node: GroupNode, array: ArrayNode, records: npt.NDArray[Any]) -> pd.Index:
    info = node.attribute("info")
    about = info.get(_INDEX) if isinstance(info, Mapping) else None
    name = about.get("index_name") if isinstance(about, Mapping) else None
    values, kind = records[_INDEX], array.plain(f"{_INDEX}_kind")
    if kind == "bool":
        values = values != 0
    if kind == "integer" and isinstance(about, Mapping) and about.get("freq") is not None:
        raise UnsupportedError(f"the rows of {node.place} are labelled by periods, which are not read.")
    missing = label_missing(array.plain(f"{_INDEX}_nan_rep"))
    return labels(array, values, kind=kind, encoding=Encoding.of(node), missing=missing, name=name)


def _order(node: GroupNode, columns: Mapping[Any, Any]) -> list[Any]:
    axes = node.plain("non_index_axes")
    match axes:
        case [(1, list() as names)]:
            order = _checked(node, "non_index_axes", names)
        case _:
            raise FileFormatError(f"{node.place} does not name its columns.")
    if len(set(order)) != len(order) or set(order) != set(columns):
        raise FileFormatError(f"the columns of {node.place} are not those that it names.")
    return order


def _names(node: GroupNode, attribute: str) -> list[Any]:
    return _checked(node, attribute, node.plain(attribute))


def _checked(node: GroupNode, attribute: str, names: Any) -> list[Any]:
    """Refuse anything but a list of plain names."""
    if isinstance(names, list) and all(isinstance(name, str | int | float) for name in names):
        return names
    raise UnsupportedError(
        f"the attribute {attribute!r} of {node.place} is no list of plain names.",
        hint="pickled Python objects are not read, since pickles can run any program; name columns by text.",
    )


_KINDS = {"frame": fixed_frame, "series": fixed_series, "frame_table": table_frame, "series_table": table_frame}
"""pandas' names of its layouts, and their readers."""

_MOST_GROUPS = 10_000


def has_frames(path: str) -> bool:
    """Whether an HDF5 file holds objects that pandas wrote."""
    with open_file(path) as file:
        check_heaps(file.id, tuning.HDF5_SEARCHED_FOR_ATTRIBUTES)
        return next(_stored(GroupNode(file, path, "/"), set()), None) is not None


def read_frame(path: str, key: str | None = None) -> pd.DataFrame:
    """Read a DataFrame of a file, or a Series as a DataFrame of one column.

    Times are returned without their time zones, in UTC, as stored.

    Parameters
    ----------
    path : str
        The file.
    key : str, optional
        Which object; it may be left out where there is only one.

    Returns
    -------
    pandas.DataFrame

    Raises
    ------
    MissingDatasetError
        If there is no object of that key.
    FileFormatError
        If pandas did not write the file, it holds several objects and none is named, or it is damaged.
    UnsupportedError
        If values are stored as a pickle of Python objects, or have a type that akdask's DataFrames lack.
    """
    with open_file(path) as file:
        check_heaps(file.id, tuning.HDF5_SEARCHED_FOR_TEXT)
        found = list(_stored(GroupNode(file, path, "/"), set()))
        if not found:
            raise FileFormatError(
                f"pandas cannot read {path!r}: it holds no DataFrame and no Series.",
                hint="sets of Arkouda are read with ak.read_hdf.",
            )
        if key is not None:
            wanted = [node for node in found if node.name.strip("/") == key.strip("/")]
            if not wanted:
                raise MissingDatasetError(
                    f"{path!r} has no object {key!r}.", details=[node.name for node in found], hint="name one of these."
                )
            found = wanted
        if len(found) > 1:
            raise FileFormatError(
                f"{path!r} holds several objects.",
                details=[node.name for node in found],
                hint=f"name one: ak.import_data({path!r}, key={found[0].name!r}).",
            )
        (node,) = found
        kind = node.attribute("pandas_type")
        if kind not in _KINDS:
            raise UnsupportedError(f"{node.place} is of pandas' layout {kind!r}, which is not known.")
        try:
            return _KINDS[kind](node)
        except MemoryError:
            raise FileFormatError(f"{node.place} does not fit in memory.") from None


def _stored(node: GroupNode, seen: set[int]) -> Iterator[GroupNode]:
    """Yield the groups that store objects of pandas; each once, whatever links lead to it."""
    if node.address in seen or len(seen) >= _MOST_GROUPS:
        return
    seen.add(node.address)
    is_object = node.attribute("pandas_type") is not None
    if is_object:
        yield node
    for name in node.names:
        # pandas stores the categories of an object's columns there, as objects.
        if not (is_object and name == "meta") and node.kind(name) is h5py.Group:
            yield from _stored(node.group(name), seen)
