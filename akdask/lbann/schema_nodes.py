"""A schema: the tree of its fields, each with its own metadata and those inherited from the nodes above it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from akdask.errors import warn
from akdask.lbann.errors import LbannSchemaError, LbannWarning
from akdask.lbann.schema_document import YamlMap, YamlNode, YamlScalar, YamlSequence, parse, typed

METADATA = "metadata"

KNOWN_KEYS = (
    "dims",
    "channels",
    "ordering",
    "scale",
    "bias",
    "layout",
    "transpose",
    "coerce",
    "pack",
    "hwc",
)
"""Known keys of metadata; ``hwc`` replaced layout and transpose before 2023."""

_MOST_BYTES = 2**26


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class SchemaNode:
    """A node of a schema, with complete metadata.

    Parameters
    ----------
    path : str
        Names from the root, joined by slashes; empty for the root.
    line : int
        Its line, from 1.
    metadata : mapping of str to MetadataEntry
        Its own metadata, then those inherited from the nodes above it; the nearest wins.
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


@dataclass(frozen=True, slots=True)
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


def load(source: str | os.PathLike[str], *, name: str = "<text>") -> Schema:
    r"""Load a data schema or an experiment schema.

    Parameters
    ----------
    source : str or path
        The file; or the YAML text itself, which has more than one line.
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
        For unknown keys of metadata, and values of nodes that are not fields; upstream ignores both.

    Examples
    --------
    >>> schema = load("image:\n  metadata: {scale: 1e-5, pack: samples}\n")
    >>> schema.metadata("image")
    {'scale': 1e-05, 'pack': 'samples'}
    """
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
