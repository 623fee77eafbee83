"""Schemas: metadata of fields as a tree, the directives that fields get from it, and schemas made from a sample."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any, NamedTuple

import numpy as np

from akdask.errors import FileFormatError, warn
from akdask.formats.hdf5.open_files import (
    OPEN_FILES,
    TEXT,
    LibraryFile,
    NotThereError,
    StoredData,
    UnknownElementsError,
)
from akdask.lbann.errors import (
    LbannSchemaError,
    LbannWarning,
    MissingSampleError,
    SampleError,
    UnknownNameError,
    is_no_hdf5,
)
from akdask.lbann.schema_document import MAX_DEPTH, YamlMap, YamlNode, YamlScalar, YamlSequence, parse, typed
from akdask.records import record
from akdask.storage.recovery import recover_naming

METADATA = "metadata"

KNOWN_KEYS = ("dims", "channels", "ordering", "scale", "bias", "layout", "transpose", "coerce", "pack", "hwc")
"""Known keys of metadata; ``hwc`` replaced layout and transpose before 2023."""

_MOST_BYTES = 2**26

_TYPES: dict[str, np.dtype[Any]] = {
    "float": np.dtype(np.float32),
    "double": np.dtype(np.float64),
    "int": np.dtype(np.int32),
    "long": np.dtype(np.int64),
    "int64": np.dtype(np.int64),
    "int32": np.dtype(np.int32),
    "float32": np.dtype(np.float32),
    "float64": np.dtype(np.float64),
}
_SHOWN_FIELDS = 8
_CHANNELS_LAST, _CHANNELS_FIRST = {"hwc", "dhwc"}, {"chw", "cdhw"}
_MOST = 2**63

_STEP = 10  # so that fields can be put between others
_INDENT = "  "
_MOST_FIELDS = 10**6
_DEEPEST = MAX_DEPTH - 4  # maps of metadata are one level deeper
_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_READ_OTHERWISE = {"null", "true", "false", "yes", "no", "on", "off", "y", "n"}
_IMAGES, _VOLUMES = 2, 3


@record
class MetadataEntry:
    """One value of metadata, and where it was written.

    Parameters
    ----------
    value : object
        Integer, float, text, None for no value; lists and dicts of these.
    schema : str
        The file, or the name of the text, that contains it.
    node : str
        Path of the node whose metadata has it; empty for the root.
    line : int
        Its line, from 1.
    text : str
        The text of a scalar as written.
    overrides : MetadataEntry, optional
        The value of the data schema that it overrides.
    """

    value: Any
    schema: str
    node: str
    line: int
    text: str = ""
    overrides: MetadataEntry | None = None

    @property
    def place(self) -> str:
        """Where it was written, for messages."""
        return f"{self.schema}, line {self.line} ({self.node or 'root'})"


@record
class SchemaNode:
    """A node of a schema, with complete metadata.

    Parameters
    ----------
    path : str
        Names from the root, joined by slashes; empty for the root.
    line : int
        Its line, from 1.
    metadata : mapping of str to MetadataEntry
        Its own metadata, then the metadata of the nodes above it.  The nearest value wins.
    children : mapping of str to SchemaNode
        By name, in the order of the document.
    """

    path: str
    line: int
    metadata: Mapping[str, MetadataEntry]
    children: Mapping[str, SchemaNode]

    def leaves(self) -> Iterator[SchemaNode]:
        """Yield the nodes without children at or below this one, in the order of the document."""
        if not self.children:
            yield self
        for child in self.children.values():
            yield from child.leaves()


@record
class Schema:
    """A tree shaped like a sample, whose nodes have metadata.

    Parameters
    ----------
    name : str
        The file, or the name of the text.
    root : SchemaNode
        The node that all fields are below.
    """

    name: str
    root: SchemaNode

    def find(self, path: str) -> SchemaNode | None:
        """Return the node at a path, None if there is none."""
        node: SchemaNode | None = self.root
        for part in path.split("/"):
            node = None if node is None else node.children.get(part)
        return node

    def metadata(self, path: str) -> dict[str, Any]:
        """Return the complete metadata of a node, its own and the inherited.

        Raises
        ------
        LbannSchemaError
            If the schema has no such node.
        """
        node = self.find(path)
        if node is None:
            raise LbannSchemaError(f"the schema has no node {path!r}.", schema=self.name)
        return {key: entry.value for key, entry in node.metadata.items()}


def load(source: str | os.PathLike[str] | Schema, *, name: str = "<text>") -> Schema:
    r"""Load a data schema or an experiment schema.

    Parameters
    ----------
    source : str, path or Schema
        The file; or the YAML text itself, which has more than one line.  A schema is returned as it is.
    name : str, default "<text>"
        Name of the text in messages.

    Returns
    -------
    Schema
        Keys are text, values typed as Conduit does.

    Raises
    ------
    LbannSchemaError
        If the file is missing or cannot be read, is no YAML, has a key twice, or is no tree of fields.

    Warns
    -----
    LbannWarning
        For unknown keys of metadata, and values of nodes that are not fields.  Upstream ignores both.

    Examples
    --------
    >>> schema = load("image:\n  metadata: {scale: 1e-5, pack: samples}\n")
    >>> schema.metadata("image")
    {'scale': 1e-05, 'pack': 'samples'}
    """
    if isinstance(source, Schema):
        return source
    if isinstance(source, str) and "\n" in source:
        return Schema(name, _Builder(name).root(parse(source, name)))
    path = os.fspath(source)
    return Schema(path, _Builder(path).root(parse(_content(path), path)))


def _content(path: str) -> bytes:
    try:
        with open(path, "rb", opener=_open_at_once) as file:
            content = file.read(_MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise LbannSchemaError(
            "the schema cannot be read.",
            schema=ascii(path)[1:-1],
            details=[reason],
            hint="give the path of a YAML file; text that is no path has more than one line.",
        ) from None
    if len(content) > _MOST_BYTES:
        raise LbannSchemaError(f"the schema has more than {_MOST_BYTES:,} bytes.", schema=path)
    return content


def _open_at_once(path: str, flags: int) -> int:
    """Open without waiting for the other end of a FIFO."""
    return os.open(path, flags | os.O_NONBLOCK)


class _Builder:
    """Makes the nodes of a schema; errors name the line."""

    def __init__(self, name: str) -> None:
        self._name = name

    def _error(self, message: str, path: str, line: int, hint: str | None = None) -> LbannSchemaError:
        return LbannSchemaError(message, schema=f"{self._name}, line {line} ({path or 'root'})", hint=hint)

    def root(self, node: YamlNode) -> SchemaNode:
        if not isinstance(node, YamlMap):
            raise self._error("the schema is no map of fields.", "", node.line, "write 'name:' for each field.")
        return self._node(node, "", node.line, {})

    def _node(self, node: YamlNode, path: str, line: int, above: Mapping[str, MetadataEntry]) -> SchemaNode:
        if not isinstance(node, YamlMap):
            self._discard(node, path)
            return SchemaNode(path, line, dict(above), {})
        own = self._metadata(node.items[METADATA], path) if METADATA in node.items else {}
        metadata = {**own, **{key: entry for key, entry in above.items() if key not in own}}
        children = {}
        for name, child in node.items.items():
            if name == METADATA:
                continue
            if not name or "/" in name:
                raise self._error(
                    f"a field cannot be called {name!r}.", path, node.lines[name], "nest one map for each group."
                )
            children[name] = self._node(child, f"{path}/{name}" if path else name, node.lines[name], metadata)
        return SchemaNode(path, line, metadata, children)

    def _discard(self, node: YamlNode, path: str) -> None:
        """Treat a field without a map as one without metadata; upstream drops its value."""
        match node:
            case YamlScalar(text=""):
                return
            case YamlScalar(text=text, line=line):
                leaf = path.rpartition("/")[2]
                hint = (
                    f" It may belong into a 'metadata' map, where {leaf!r} has a meaning." if leaf in KNOWN_KEYS else ""
                )
                warn(
                    f"{self._name!r}, line {line}: the value {text!r} of field {path!r} is ignored.{hint}", LbannWarning
                )
            case YamlSequence(line=line) if all(isinstance(item, YamlScalar) for item in node.items):
                warn(f"{self._name!r}, line {line}: the values of field {path!r} are ignored.", LbannWarning)
            case _:
                raise self._error("a field is a sequence of nodes; it can be a map or nothing.", path, node.line)

    def _metadata(self, node: YamlNode, path: str) -> dict[str, MetadataEntry]:
        match node:
            case YamlScalar(text=""):
                return {}
            case YamlMap():
                found = {}
                for key, value in node.items.items():
                    if key not in KNOWN_KEYS:
                        self._warn_of(key, path, node.lines[key])
                    text = value.text if isinstance(value, YamlScalar) else ""
                    found[key] = MetadataEntry(_value(value), self._name, path, node.lines[key], text)
                return found
        raise self._error("'metadata' is no map of keys and values.", path, node.line)

    def _warn_of(self, key: str, path: str, line: int) -> None:
        close = get_close_matches(key, KNOWN_KEYS, 1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        warn(
            f"{self._name!r}, line {line}: metadata of {path or 'the root'!r} has the unknown key {key!r}.{hint}",
            LbannWarning,
        )


def _value(node: YamlNode) -> Any:
    """Return a value as Conduit types it: integers and floats in one list are floats."""
    match node:
        case YamlScalar(text="", is_quoted=False):
            return None
        case YamlScalar(text=text):
            return typed(text)
        case YamlMap(items=items):
            return {key: _value(item) for key, item in items.items()}
    values = [_value(item) for item in node.items]
    if all(isinstance(value, int | float) for value in values) and any(isinstance(value, float) for value in values):
        return [float(value) if abs(value) < 2**1023 else value for value in values]
    return values


@record
class Directives:
    """The steps applied to the elements of a field, in the order of these parameters.

    Parameters
    ----------
    dtype : numpy.dtype, optional
        Type that elements are converted to first; the stored type by default.
    scale, bias : tuple of float, optional
        One number, or one for each channel; both scale and bias are given, or neither.
    is_channels_last : bool
        Whether channels are the last stored dimension.
    is_transposed : bool
        Whether channels become the first dimension.
    channels : int, optional
        Number of channels.
    dims : tuple of int, optional
        Dimensions, channels left out.
    pack : str, optional
        Group into which the field is packed.
    ordering : int, optional
        Its place among the fields of the group.
    is_blockwise : bool
        Whether channels are the first stored dimension.
    """

    dtype: np.dtype[Any] | None = None
    scale: tuple[float, ...] | None = None
    bias: tuple[float, ...] | None = None
    is_channels_last: bool = False
    is_transposed: bool = False
    channels: int | None = None
    dims: tuple[int, ...] | None = None
    pack: str | None = None
    ordering: int | None = None
    is_blockwise: bool = False

    @property
    def is_unordered(self) -> bool:
        """Whether the field is packed without an ``ordering``."""
        return self.pack is not None and self.ordering is None


def directives_of(path: str, metadata: Mapping[str, MetadataEntry]) -> Directives:
    """Validate the metadata of a field and return its directives.

    Parameters
    ----------
    path : str
        The field, for messages.
    metadata : mapping of str to MetadataEntry
        Its merged metadata.

    Raises
    ------
    LbannSchemaError
        If a value is of the wrong kind, or contradicts another one.

    Warns
    -----
    LbannWarning
        For unknown words in ``layout`` and ``transpose``.
    """
    values = _Values(path, metadata)
    dtype = values.dtype()
    channels = values.channels()
    layout, transpose = values.layout()
    scale, bias = values.normalization(channels, layout, dtype)
    pack = values.group()
    ordering = values.integer("ordering")
    is_transposed = layout in _CHANNELS_LAST and transpose in _CHANNELS_FIRST and channels != 1
    dims = values.dims()
    if is_transposed and channels is None:
        warn(f"field {path!r} is to be transposed but has no 'channels'; it is left as it is.", LbannWarning)
        is_transposed = False
    if is_transposed:
        values.check_transposition(dims, dtype)
    return Directives(
        dtype=dtype,
        scale=scale,
        bias=bias,
        is_channels_last=layout in _CHANNELS_LAST,
        is_transposed=is_transposed,
        channels=channels,
        dims=dims,
        pack=pack,
        ordering=ordering,
        is_blockwise=layout in _CHANNELS_FIRST,
    )


class _Values:
    """Reads values of metadata; errors name the line of each value."""

    def __init__(self, path: str, metadata: Mapping[str, MetadataEntry]) -> None:
        self._path = path
        self._metadata = metadata

    def error(self, key: str, message: str, hint: str | None = None) -> LbannSchemaError:
        return LbannSchemaError(message, field=self._path, schema=self._metadata[key].place, hint=hint)

    def numbers(self, key: str) -> list[int | float] | None:
        """Return a number or a list of numbers as a list, None if there is no such key."""
        if key not in self._metadata:
            return None
        value = self._metadata[key].value
        values = value if isinstance(value, list) else [value]
        if not values or not all(isinstance(one, int | float) for one in values):
            raise self.error(key, f"{key!r} is {_shown(value)}, not a number or a list of numbers.")
        return values

    def integers(self, key: str, *, least: int = -_MOST) -> tuple[int, ...] | None:
        numbers = self.numbers(key)
        if numbers is None:
            return None
        for number in numbers:
            if not math.isfinite(number) or number != int(number) or not least <= number < _MOST:
                wanted = "integers" if least < 0 else "positive integers"
                raise self.error(key, f"{key!r} is {_shown(self._metadata[key].value)}, but holds {wanted}.")
        return tuple(int(number) for number in numbers)

    def integer(self, key: str, *, least: int = -_MOST) -> int | None:
        integers = self.integers(key, least=least)
        if integers is not None and len(integers) > 1:
            raise self.error(key, f"{key!r} is a list of {len(integers)} numbers, but holds one.")
        return None if integers is None else integers[0]

    def word(self, key: str) -> str | None:
        """Return text with its quotes left out, as upstream does wherever it compares words."""
        if key not in self._metadata:
            return None
        entry = self._metadata[key]
        if isinstance(entry.value, list) and len(entry.value) == 1:
            return str(entry.value[0])
        if not entry.text.strip('"'):
            raise self.error(key, f"{key!r} is {_shown(entry.value)}, not a word.")
        return entry.text.replace('"', "")

    def dtype(self) -> np.dtype[Any] | None:
        word = self.word("coerce")
        if word is not None and word not in _TYPES:
            close = get_close_matches(word, _TYPES, 1)
            raise self.error(
                "coerce",
                f"no type is called {word!r}.",
                f"did you mean {close[0]!r}?" if close else f"it can be {', '.join(_TYPES)}.",
            )
        return None if word is None else _TYPES[word]

    def channels(self) -> int | None:
        return self.integer("channels", least=1)

    def dims(self) -> tuple[int, ...] | None:
        return self.integers("dims", least=1)

    def layout(self) -> tuple[str | None, str | None]:
        """Return layout and transposition, taken from the older ``hwc`` where there is no layout.

        Without a word, ``hwc`` says that channels are the last dimension, and nothing of a transposition.
        """
        layout, transpose = self.word("layout"), self.word("transpose")
        is_flag = "hwc" in self._metadata and not self._metadata["hwc"].text.strip('"')
        older = None if is_flag else self.word("hwc")
        for key, word in {"layout": layout, "transpose": transpose, "hwc": older}.items():
            if word is not None and word not in _CHANNELS_LAST | _CHANNELS_FIRST:
                warn(f"field {self._path!r}: {key!r} is {word!r}, which is no layout and does nothing.", LbannWarning)
        if older is not None and layout is None:
            return "hwc", transpose or older
        return ("hwc" if is_flag and layout is None else layout), transpose

    def group(self) -> str | None:
        """Return the name of a group as written, numbers included."""
        if "pack" not in self._metadata:
            return None
        entry = self._metadata["pack"]
        if isinstance(entry.value, list) and len(entry.value) == 1 and isinstance(entry.value[0], str):
            return str(entry.value[0])
        if isinstance(entry.value, list | dict) or not entry.text.strip():
            raise self.error("pack", f"'pack' is {_shown(entry.value)}, not the name of a group.")
        return entry.text

    def normalization(
        self, channels: int | None, layout: str | None, dtype: np.dtype[Any] | None
    ) -> tuple[tuple[float, ...] | None, tuple[float, ...] | None]:
        """Return scale and bias; one of them may be left out."""
        scale, bias = self.numbers("scale"), self.numbers("bias")
        if scale is None and bias is None:
            return None, None
        n = 1 if channels is None else channels
        for key, numbers in {"scale": scale, "bias": bias}.items():
            if numbers is not None and len(numbers) != n:
                wanted = "one number, as the field has no 'channels'" if channels is None else f"{n}, one a channel"
                raise self.error(key, f"{key!r} has {len(numbers)} numbers; it needs {wanted}.")
        key = "bias" if scale is None else "scale"
        if n > 1 and layout not in _CHANNELS_LAST | _CHANNELS_FIRST:
            raise self.error(
                key,
                f"the field has {n} channels and no 'layout', so no element can be told to be of which channel.",
                "add 'layout: hwc' or 'dhwc' if channels are the last dimension, 'chw' or 'cdhw' if the first.",
            )
        if dtype is not None and dtype.kind != "f":
            raise self.error(
                key, f"{key!r} needs floats, but the field is coerced to {dtype}.", "coerce it to float or double."
            )
        return self._floats("scale", scale or [1.0] * n), self._floats("bias", bias or [0.0] * n)

    def _floats(self, key: str, numbers: list[int | float]) -> tuple[float, ...]:
        try:
            return tuple(float(number) for number in numbers)
        except OverflowError:
            raise self.error(key, f"{key!r} has an integer that is too large.") from None

    def check_transposition(self, dims: tuple[int, ...] | None, dtype: np.dtype[Any] | None) -> None:
        """Refuse fields that cannot be transposed, whatever their elements."""
        if dims is None:
            raise self.error("channels", "the field is to be transposed but has no 'dims'.", "add 'dims'.")
        if len(dims) not in {2, 3}:
            raise self.error(
                "dims",
                f"'dims' has {len(dims)} numbers; what is transposed has two or three.",
                "give [rows, columns] or [depth, height, width]; channels are given by 'channels'.",
            )
        if dtype is not None and dtype.kind != "f":
            raise self.error(
                "coerce", f"only floats are transposed, but the field is coerced to {dtype}.", "coerce it to float."
            )


def _shown(value: Any) -> str:
    text = "nothing" if value is None else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


class FieldMetadata(Mapping[str, Any]):
    """Merged metadata of one field: a mapping of keys to values.

    Parameters
    ----------
    path : str
        The field, as a path in the sample.
    entries : mapping of str to MetadataEntry
        Values by key, with where they were written.

    Attributes
    ----------
    directives : Directives
        Validated directives of the metadata.

    Raises
    ------
    LbannSchemaError
        If the metadata cannot be followed.
    """

    def __init__(self, path: str, entries: Mapping[str, MetadataEntry]) -> None:
        self.path = path
        self.entries = dict(entries)
        self.directives: Directives = directives_of(path, self.entries)

    def __getitem__(self, key: str) -> Any:
        return self.entries[key].value

    def __iter__(self) -> Iterator[str]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def __repr__(self) -> str:
        return f"FieldMetadata({self.path!r}, {dict(self)})"

    def without(self, key: str) -> FieldMetadata:
        """Return metadata that lacks a key."""
        return FieldMetadata(self.path, {name: entry for name, entry in self.entries.items() if name != key})

    def explain(self) -> str:
        """Return the values, a line each, with the file, line and node that each one comes from."""
        lines = [self.path, *(f"  {key}: {_explained(entry)}" for key, entry in self.entries.items())]
        return "\n".join(lines if self.entries else [*lines, "  no metadata"])


class SampleFields(Mapping[str, FieldMetadata]):
    """Fields that are read of each sample: an ordered mapping of paths to metadata.

    Parameters
    ----------
    fields : mapping of str to FieldMetadata
        In the order in which packing breaks ties.
    """

    def __init__(self, fields: Mapping[str, FieldMetadata]) -> None:
        self._fields = dict(fields)

    def __getitem__(self, path: str) -> FieldMetadata:
        if path not in self._fields:
            close = get_close_matches(path, self._fields, 1)
            raise UnknownNameError(
                f"no field {path!r} is selected.",
                details=[f"fields: {', '.join(self._fields)}"],
                hint=f"did you mean {close[0]!r}?" if close else None,
            )
        return self._fields[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def __contains__(self, path: object) -> bool:
        return path in self._fields

    def __repr__(self) -> str:
        return f"SampleFields({', '.join(self._fields)})"

    def explain(self, path: str | None = None) -> str:
        r"""Return the final metadata of a field, or of all, and the origin of each value.

        Parameters
        ----------
        path : str, optional
            One field.

        Raises
        ------
        UnknownNameError
            If the field is not selected.

        Examples
        --------
        >>> from akdask.lbann import schema
        >>> data = schema.load("a:\n  metadata: {scale: 2.0}\n", name="data")
        >>> experiment = schema.load("metadata: {scale: 3.0}\na:\n", name="experiment")
        >>> print(schema.merge(data, experiment).explain("a"))
        a
          scale: 3.0  from experiment, line 1 (root); overrides 2.0 from data, line 2 (a)
        """
        found = self._fields.values() if path is None else [self[path]]
        return "\n".join(metadata.explain() for metadata in found)


def _explained(entry: MetadataEntry) -> str:
    shown = "nothing" if entry.value is None else entry.value
    text = f"{shown}  from {entry.place}"
    return text if entry.overrides is None else f"{text}; overrides {_explained(entry.overrides)}"


def merge(data: Schema, experiment: Schema | None = None) -> SampleFields:
    """Return the fields that an experiment schema selects of a data schema.

    Parameters
    ----------
    data : Schema
        Describes a sample.
    experiment : Schema, optional
        The part of the sample to use; all of it by default.  Each leaf selects everything below it in the data schema.

    Returns
    -------
    SampleFields
        In the order of the experiment schema, below each of its leaves in the order of the data schema.  Of two values
        of a key the nearest wins, and the experiment schema wins over the data schema.

    Raises
    ------
    LbannSchemaError
        If the experiment schema selects no fields, or fields missing from the data schema; or the metadata of a field
        cannot be followed.
    """
    if not data.root.children:
        raise LbannSchemaError("the data schema has no fields.", schema=data.name)
    if experiment is None:
        return _fields_with({leaf.path: leaf.metadata for leaf in data.root.leaves()})
    if not experiment.root.children:
        raise LbannSchemaError(
            "the experiment schema selects no field.",
            schema=experiment.name,
            hint="name the fields to use; metadata of the root alone selects nothing.",
        )
    selected: dict[str, Mapping[str, MetadataEntry]] = {}
    for leaf in experiment.root.leaves():
        node = data.find(leaf.path)
        if node is None:
            raise _missing(leaf, data, experiment)
        for found in node.leaves():
            selected[found.path] = _overridden(found.metadata, leaf.metadata)
    return _fields_with(selected)


def _overridden(data: Mapping[str, MetadataEntry], experiment: Mapping[str, MetadataEntry]) -> dict[str, MetadataEntry]:
    merged = dict(data)
    for key, entry in experiment.items():
        merged[key] = replace(entry, overrides=data.get(key))
    return merged


def _missing(leaf: SchemaNode, data: Schema, experiment: Schema) -> LbannSchemaError:
    close = get_close_matches(leaf.path, [found.path for found in data.root.leaves()], 1)
    return LbannSchemaError(
        f"the experiment schema selects {leaf.path!r}, which the data schema does not have.",
        schema=f"{experiment.name}, line {leaf.line} ({leaf.path})",
        details=[f"data schema: {data.name}"],
        hint=f"did you mean {close[0]!r}?" if close else "describe it in the data schema as well.",
    )


def _fields_with(selected: Mapping[str, Mapping[str, MetadataEntry]]) -> SampleFields:
    fields = SampleFields({path: FieldMetadata(path, entries) for path, entries in selected.items()})
    # A group under the name of a field that stays is refused, since only one of them could be retrieved.
    groups = {field.directives.pack: path for path, field in fields.items() if field.directives.pack is not None}
    for group, path in groups.items():
        if group in fields and fields[group].directives.pack is None:
            raise LbannSchemaError(
                f"the group {group!r} has the name of a field that is not packed.",
                field=path,
                schema=fields[path].entries["pack"].place,
                hint="give the group another name.",
            )
    unordered = [path for path, field in fields.items() if field.directives.is_unordered]
    if unordered:
        shown = ", ".join(map(repr, unordered[:_SHOWN_FIELDS])) + (", …" if len(unordered) > _SHOWN_FIELDS else "")
        warn(f"fields have 'pack' but no 'ordering', and are packed in the order of the schema: {shown}.", LbannWarning)
    return fields


class GeneratedSchemas(NamedTuple):
    """The YAML texts of two schemas.

    Parameters
    ----------
    data : str
        Describes all fields of the sample.
    experiment : str
        Selects all fields that can be read.
    """

    data: str
    experiment: str


@dataclass(slots=True)
class _Group:
    """A group of the sample: its members by name, in order."""

    members: dict[str, _Group | StoredData | str] = field(default_factory=dict)


def generate(path: str, sample_id: str) -> GeneratedSchemas:
    """Make a data schema and an experiment schema from a sample.

    Parameters
    ----------
    path : str
        A file.
    sample_id : str
        Path of a sample in it.

    Returns
    -------
    GeneratedSchemas
        Fields have an ``ordering`` in steps of ten, counted through the sample, and each level has its ``metadata``;
        other possible metadata are comments.  Unreadable fields are comments.

    Raises
    ------
    MissingSampleError
        If there is no such file or sample, or it has no fields.
    SampleError
        If the file cannot be read.
    """
    recover_naming([path])
    try:
        with OPEN_FILES.lease(path) as file:
            if not file.library.has_group(sample_id):
                raise MissingSampleError("the file has no such sample.", file=path, sample=sample_id)
            sample = _group(file.library, sample_id.strip("/"), _DEEPEST, [_MOST_FIELDS])
    except FileNotFoundError:
        raise MissingSampleError("there is no such file.", file=path) from None
    except NotThereError as error:
        raise SampleError(f"the sample {error}.", file=path, sample=sample_id) from None
    except FileFormatError as error:
        if is_no_hdf5(error):
            raise SampleError("it is no HDF5 file.", file=path) from None
        raise SampleError("the file cannot be read.", file=path, details=error.details, hint=error.hint) from error
    except OSError as error:
        raise SampleError("the file cannot be read.", file=path, details=[error.strerror or str(error)]) from error
    if not any(True for _ in _stored_fields(sample)):
        raise MissingSampleError("the sample has no fields that can be read.", file=path, sample=sample_id)
    return GeneratedSchemas("\n".join(_data(sample)) + "\n", "\n".join(_experiment(sample)) + "\n")


def _group(library: LibraryFile, path: str, depth: int, left: list[int]) -> _Group:
    """Return the members of a group; `left` has one number, the limit of further members."""
    if not depth:
        raise NotThereError("has groups in each other without end")
    found = _Group()
    for name, is_group in library.members(path):
        left[0] -= 1
        if left[0] < 0:
            raise NotThereError(f"has more than {_MOST_FIELDS:,} members")
        below = f"{path}/{name}"
        if problem := _problem_of(name):
            found.members[name] = problem
        elif is_group:
            found.members[name] = _group(library, below, depth - 1, left)
        else:
            found.members[name] = _dataset(library, below)
    return found


def _problem_of(name: str) -> str:
    if name == METADATA:
        return "no field can be called 'metadata'"
    return "" if name.isprintable() and not any("\ud800" <= one <= "\udfff" for one in name) else "not a name for YAML"


def _dataset(library: LibraryFile, path: str) -> StoredData | str:
    try:
        return library.description(path)
    except UnknownElementsError as error:
        return f"it holds {error}"
    except (NotThereError, FileFormatError) as error:
        return f"it {error}" if isinstance(error, NotThereError) else "it is damaged"


def _stored_fields(group: _Group) -> Iterator[StoredData]:
    for member in group.members.values():
        if isinstance(member, _Group):
            yield from _stored_fields(member)
        elif isinstance(member, StoredData):
            yield member


def _data(sample: _Group) -> Iterator[str]:
    yield "# Data schema. What stands in comments is not in force."
    ordering = [0]
    yield from _data_level(sample, "", ordering)


def _data_level(group: _Group, indent: str, ordering: list[int]) -> Iterator[str]:
    """Yield the lines of one level; `ordering` has one number, that of the last field."""
    yield f"{indent}{METADATA}:"
    yield f"{indent}{_INDENT}# coerce: float"
    for name, member in group.members.items():
        match member:
            case str():
                yield f"{indent}# {_key(name)}:  left out, as {member}"
            case StoredData():
                ordering[0] += _STEP
                yield f"{indent}{_key(name)}:  # {_described(member)}"
                yield f"{indent}{_INDENT}{METADATA}:"
                yield f"{indent}{_INDENT * 2}ordering: {ordering[0]}"
                yield from (f"{indent}{_INDENT * 2}# {line}" for line in _possible(member))
            case _Group() if any(True for _ in _stored_fields(member)):
                yield f"{indent}{_key(name)}:"
                yield from _data_level(member, indent + _INDENT, ordering)


def _possible(data: StoredData) -> Iterator[str]:
    if data.elements.dtype == TEXT:
        return
    shape = data.shape or ()
    if len(shape) in {_IMAGES, _VOLUMES}:
        yield f"dims: {list(shape)}"
        yield "channels: 1"
    elif len(shape) == _VOLUMES + 1:
        yield f"dims: {list(shape[:-1])}"
        yield f"channels: {shape[-1]}"
        yield "layout: dhwc"
        yield "transpose: cdhw"
    if data.elements.dtype.kind != "f":
        yield "coerce: float"
    n = shape[-1] if len(shape) == _VOLUMES + 1 else 0
    yield f"scale: {[1.0] * n if n else 1.0}"
    yield f"bias: {[0.0] * n if n else 0.0}"


def _experiment(sample: _Group) -> Iterator[str]:
    yield "# Experiment schema: the fields to use. Leave out lines of fields that are not wanted."
    yield f"{METADATA}:"
    yield f"{_INDENT}# pack: samples"
    yield f"{_INDENT}# coerce: float"
    yield from _experiment_level(sample, "")


def _experiment_level(group: _Group, indent: str) -> Iterator[str]:
    for name, member in group.members.items():
        match member:
            case StoredData() if member.elements.dtype == TEXT:
                yield f"{indent}{_key(name)}:  # text cannot be packed"
            case StoredData():
                yield f"{indent}{_key(name)}:"
            case _Group() if any(True for _ in _stored_fields(member)):
                yield f"{indent}{_key(name)}:"
                yield from _experiment_level(member, indent + _INDENT)


def _key(name: str) -> str:
    return name if _PLAIN_NAME.fullmatch(name) and name.lower() not in _READ_OTHERWISE else json.dumps(name)


def _described(data: StoredData) -> str:
    kind = "text" if data.elements.dtype == TEXT else str(data.elements.dtype.newbyteorder("="))
    shape = " x ".join(map(str, data.shape or ()))
    return f"{kind}, {shape}" if shape else kind
