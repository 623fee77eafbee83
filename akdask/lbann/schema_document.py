"""A YAML document as text: maps, sequences and scalars with their lines, neither typed nor constructed.

The parser's events are read one after the other, so that no document can make the reader recurse, construct objects,
or grow beyond bounds by aliases of aliases.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import yaml

from akdask.errors import warn
from akdask.lbann.errors import LbannSchemaError, LbannWarning
from akdask.records import record

MAX_DEPTH = 64
"""Maps and sequences in each other."""

MAX_NODES = 2**21
"""Maximum number of nodes of a document.  Aliases count as often as they are used."""

_MERGE_KEY = "<<"

_LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
"""The parser of libyaml, which upstream uses as well, or PyYAML's own."""


@record
class YamlScalar:
    """A text, and its line; `is_quoted` distinguishes ``""`` from a missing value."""

    text: str
    line: int
    is_quoted: bool = False


@record
class YamlSequence:
    """Nodes in order, and the line of the first."""

    items: tuple[YamlNode, ...]
    line: int


@record
class YamlMap:
    """Nodes by their keys, the lines of the keys, and the line where the map begins."""

    items: Mapping[str, YamlNode]
    lines: Mapping[str, int]
    line: int


YamlNode: TypeAlias = YamlScalar | YamlSequence | YamlMap


def parse(content: str | bytes, name: str) -> YamlNode:
    """Return the first document of a YAML text.

    Parameters
    ----------
    content : str or bytes
        The text.
    name : str
        Its name in messages.

    Raises
    ------
    LbannSchemaError
        If it is no YAML, empty, too deep or too large, or a map has a key twice.
    """
    composer = _Composer(name)
    loader = None
    try:
        loader = _LOADER(content)
        while not composer.take(loader.get_event()):
            pass
    except yaml.YAMLError as error:
        raise _syntax_error(error, name) from None
    except LbannSchemaError:
        raise
    except (UnicodeError, ValueError) as error:
        raise LbannSchemaError("the schema is no text in UTF-8.", schema=name, details=[str(error)]) from None
    finally:
        if loader is not None:
            loader.dispose()
    if composer.document is None:
        raise LbannSchemaError("the schema is empty.", schema=name, hint="it needs at least one field.")
    return composer.document


def _syntax_error(error: yaml.YAMLError, name: str) -> LbannSchemaError:
    place = getattr(error, "problem_mark", None)
    problem = str(getattr(error, "problem", None) or " ".join(str(error).split()))
    where = name if place is None else f"{name}, line {place.line + 1}, column {place.column + 1}"
    if "nesting" in problem:
        # Newer parsers have their own bound, which they may reach while reading ahead of the first event.
        return _too_deep(where)
    return LbannSchemaError("the schema is no valid YAML.", schema=where, details=[problem])


def _too_deep(where: str) -> LbannSchemaError:
    return LbannSchemaError(f"maps and sequences are nested more than {MAX_DEPTH} deep.", schema=where)


@dataclass(slots=True)
class _Open:
    """A map or a sequence whose end has not come yet."""

    line: int
    anchor: str | None
    is_map: bool
    nodes: list[YamlNode] = field(default_factory=list)
    keys: dict[str, int] = field(default_factory=dict)
    key: str | None = None
    size: int = 1


class _Composer:
    """Makes nodes of events."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._open: list[_Open] = []
        self._anchors: dict[str, tuple[YamlNode, int] | None] = {}
        self._n_documents = 0
        self.document: YamlNode | None = None

    def take(self, event: Any) -> bool:
        """Process an event; return whether it was the last."""
        match event:
            case yaml.StreamEndEvent():
                return True
            case yaml.DocumentStartEvent():
                self._n_documents += 1
                self._anchors.clear()
                if self._n_documents > 1:
                    warn(f"{self._name!r} has more than one YAML document; the first one is used.", LbannWarning)
                    return True
            case yaml.MappingStartEvent() | yaml.SequenceStartEvent():
                self._begin(event)
            case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                self._end()
            case yaml.ScalarEvent():
                self._scalar(event)
            case yaml.AliasEvent():
                self._alias(event)
        return False

    def _error(self, message: str, line: int, hint: str | None = None) -> LbannSchemaError:
        return LbannSchemaError(message, schema=f"{self._name}, line {line}", hint=hint)

    def _begin(self, event: Any) -> None:
        line = event.start_mark.line + 1
        if self._expects_key():
            raise self._error("a key is a map or a sequence; keys are plain text.", line)
        if len(self._open) == MAX_DEPTH:
            raise _too_deep(f"{self._name}, line {line}")
        if event.anchor is not None:
            self._anchors[event.anchor] = None
        self._open.append(_Open(line, event.anchor, isinstance(event, yaml.MappingStartEvent)))

    def _end(self) -> None:
        ended = self._open.pop()
        node: YamlNode
        if ended.is_map:
            node = YamlMap(dict(zip(ended.keys, ended.nodes, strict=True)), ended.keys, ended.line)
        else:
            node = YamlSequence(tuple(ended.nodes), ended.line)
        self._add(node, ended.size, ended.anchor, ended.line)

    def _scalar(self, event: Any) -> None:
        line = event.start_mark.line + 1
        if self._expects_key():
            self._key(event.value, line)
            return
        self._add(YamlScalar(event.value, line, event.style in {"'", '"'}), 1, event.anchor, line)

    def _alias(self, event: Any) -> None:
        line = event.start_mark.line + 1
        if self._expects_key():
            raise self._error("a key is an alias; keys are plain text.", line)
        if event.anchor not in self._anchors:
            raise self._error(f"alias *{event.anchor} has no anchor.", line)
        found = self._anchors[event.anchor]
        if found is None:
            raise self._error(f"anchor &{event.anchor} contains itself.", line)
        self._add(*found, None, line)

    def _expects_key(self) -> bool:
        return bool(self._open) and self._open[-1].is_map and self._open[-1].key is None

    def _key(self, key: str, line: int) -> None:
        around = self._open[-1]
        if key in around.keys:
            raise self._error(
                f"key {key!r} stands twice in one map, in line {around.keys[key]} and in line {line}.",
                line,
                "leave one of them out.",
            )
        if key == _MERGE_KEY:
            raise self._error("merge keys ('<<') are not part of schemas.", line, "write out what they stand for.")
        around.key = key
        around.keys[key] = line

    def _add(self, node: YamlNode, size: int, anchor: str | None, line: int) -> None:
        if anchor is not None:
            self._anchors[anchor] = (node, size)
        if not self._open:
            self.document = node
            return
        around = self._open[-1]
        around.nodes.append(node)
        around.key = None
        around.size += size
        # Nested nodes are counted when they end.
        if sum(one.size for one in self._open) > MAX_NODES:
            raise self._error(f"the schema has more than {MAX_NODES:,} nodes, aliases counted as often as used.", line)


def scalars_of(node: YamlNode) -> Iterator[YamlScalar]:
    """Yield the scalars of a node, in the order of the document."""
    match node:
        case YamlScalar():
            yield node
        case YamlSequence(items=items):
            for item in items:
                yield from scalars_of(item)
        case YamlMap(items=entries):
            for item in entries.values():
                yield from scalars_of(item)


Scalar: TypeAlias = int | float | str

_INTEGER = re.compile(r"[+-]?[0-9]+", re.ASCII)
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?", re.ASCII | re.IGNORECASE)
_HEXADECIMAL = re.compile(r"[+-]?0x(?:[0-9a-f]+\.?[0-9a-f]*|\.[0-9a-f]+)(?:p[+-]?[0-9]+)?", re.ASCII | re.IGNORECASE)
_NAMED = re.compile(r"([+-]?)(?:(inf(?:inity)?)|nan(?:\([0-9a-z_]*\))?)", re.ASCII | re.IGNORECASE)
_BLANKS = " \t\n\v\f\r"
_MOST_DIGITS = 400
"""Most digits of a number to convert: Python takes quadratic time, and numbers of schemas are shorter."""


def typed(text: str) -> Scalar:
    """Return the integer, float or text that Conduit reads from a scalar.

    Examples
    --------
    >>> [typed(text) for text in ("010", "1e5", "0x10", "yes", "-.5", "3 4")]
    [10, 100000.0, 16.0, 'yes', -0.5, '3 4']
    """
    number = text.lstrip(_BLANKS)
    if not number or len(number) > _MOST_DIGITS:
        return text
    if _INTEGER.fullmatch(number):
        return int(number)
    if _DECIMAL.fullmatch(number):
        return float(number)
    if _HEXADECIMAL.fullmatch(number):
        return _from_hexadecimal(number)
    if found := _NAMED.fullmatch(number):
        value = math.inf if found[2] else math.nan
        return -value if found[1] == "-" else value
    return text


def _from_hexadecimal(number: str) -> float:
    try:
        return float.fromhex(number)
    except OverflowError:  # strtod returns infinity
        return -math.inf if number.startswith("-") else math.inf
