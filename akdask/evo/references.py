"""References of objects to blobs: the array descriptions in a JSON document, and their paths.

An object is any JSON map that contains array descriptions, of any schema.  Paths are written as
``triangles.vertices.attributes[0].values``.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from akdask.evo.description import ArrayDescription, is_identifier, parse_identifier
from akdask.evo.errors import DescriptionError, EvoError, KindError, ObjectError
from akdask.records import record

Document: TypeAlias = Mapping[str, Any] | str | os.PathLike[str]
"""The JSON document of an object, or the path of a file with it."""

_KEYS = frozenset({"length", "data_type", "keys_data_type", "values_data_type"})
_MISSING = "nan_description"


@record
class Reference:
    """An array description in a document.

    Parameters
    ----------
    path : str
        Path in the document.
    json : mapping
        The description at the path.
    nan_description : mapping, optional
        Values for missing, if the attribute of the array names some.
    """

    path: str
    json: Mapping[str, Any]
    nan_description: Any = None

    @property
    def description(self) -> ArrayDescription:
        """The description.

        Raises
        ------
        DescriptionError, KindError
            If it makes no sense.
        """
        return ArrayDescription.from_json(self.json)

    @property
    def name(self) -> str | None:
        """Name of the blob, None without data; the rest of the description may be invalid.

        Raises
        ------
        IdentifierError
            If it is neither a digest nor a UUID.
        """
        data = self.json["data"]
        return None if data is None else parse_identifier(data)

    @property
    def has_kind(self) -> bool:
        """Whether a kind of array has such columns; schemas have some arrays of no kind.

        Raises
        ------
        DescriptionError
            If the description makes no sense.
        """
        try:
            return bool(self.description.kind)
        except KindError:
            return False


def load_document(document: Document) -> Any:
    """Return the JSON document of an object.

    Parameters
    ----------
    document : mapping or path
        The document itself, or the file that holds it.

    Raises
    ------
    ObjectError
        If the file cannot be read or holds no JSON.
    """
    if not isinstance(document, str | os.PathLike):
        return document
    try:
        return json.loads(Path(document).expanduser().read_bytes())
    except OSError as error:
        raise ObjectError(
            f"the object {os.fspath(document)!r} cannot be read.", details=[error.strerror or str(error)]
        ) from error
    except (ValueError, RecursionError) as error:
        raise ObjectError(
            f"{os.fspath(document)!r} is no JSON document.", details=[str(error) or "it is nested too deeply"]
        ) from error


def find_references(document: Document) -> list[Reference]:
    """Return all array descriptions of an object, in document order; without data, ``data`` is null.

    Arrays of columns that make no kind are among them: see `Reference.has_kind`.

    Parameters
    ----------
    document : mapping or path
        The object's JSON.

    Raises
    ------
    ObjectError
        If it cannot be read, or holds no JSON map.
    DescriptionError
        If descriptions are invalid; all of them are listed.
    """
    found = list(references_in(load_object(document)))
    wrong = []
    for reference in found:
        try:
            # An array of no kind still describes an existing blob.
            _ = reference.has_kind, reference.name
        except EvoError as error:
            wrong.append(f"{reference.path}: {'; '.join([error.message, *error.details])}")
    if wrong:
        raise DescriptionError(
            f"{len(wrong)} of {len(found)} array descriptions of the object make no sense.",
            details=wrong,
            hint="correct the object's JSON.",
        )
    return found


def load_object(document: Document) -> Mapping[str, Any]:
    """Return the JSON map of an object; see `load_document`.

    Raises
    ------
    ObjectError
        If it cannot be read, or is no map.
    """
    found = load_document(document)
    if not isinstance(found, Mapping):
        raise ObjectError(f"an object is a JSON map, not a {type(found).__name__}.", hint="pass json.load(file).")
    return found


def references_in(document: Any) -> Iterator[Reference]:
    """Yield maps that look like array descriptions, with ``data`` beside a length or type, valid or not."""
    # Documents come from anywhere and may be nested deeper than Python calls functions.
    waiting: list[tuple[str, Any, Any]] = [("", document, None)]
    while waiting:
        path, value, missing = waiting.pop()
        inner: list[tuple[str, Any, Any]] = []
        if isinstance(value, Mapping):
            if "data" in value and not _KEYS.isdisjoint(value):
                yield Reference(path, value, missing)
            own = value.get(_MISSING)
            inner = [
                (f"{path}.{key}" if path else str(key), item, own if key == "values" else None)
                for key, item in value.items()
            ]
        elif isinstance(value, Sequence) and not isinstance(value, str | bytes):
            inner = [(f"{path}[{number}]", item, None) for number, item in enumerate(value)]
        waiting += reversed(inner)


def identifiers_in(document: Any) -> set[str]:
    """Return all texts in a document that may name a blob, in lower case, at any place.

    Some of them name other things, as objects have UUIDs too. Keeping a blob too many does no harm.
    """
    found: set[str] = set()
    waiting = [document]
    while waiting:
        value = waiting.pop()
        if isinstance(value, ArrayDescription):
            waiting.append(value.data)
        elif isinstance(value, Mapping):
            waiting += value.values()
        elif isinstance(value, str):
            if is_identifier(value):
                found.add(value.lower())
        elif isinstance(value, Sequence | set | frozenset) and not isinstance(value, bytes):
            waiting += value
    return found


_STEP = re.compile(r"([^.\[\]]+)|\[(\d*)\]")
_MOST_NAMED = 20


def matches(document: Any, pattern: str) -> Iterator[tuple[str, tuple[int, ...], Any]]:
    """Yield matches of a pattern: the path, the numbers of list items in it, and the value.

    Examples
    --------
    >>> list(matches({"a": [{"b": 1}, {"b": 2}, {}]}, "a[].b"))
    [('a[0].b', (0,), 1), ('a[1].b', (1,), 2)]
    """
    found: list[tuple[str, tuple[int, ...], Any]] = [("", (), document)]
    for step in _STEP.finditer(pattern):
        name = step[1]
        following = []
        for path, numbers, value in found:
            if name is not None and isinstance(value, Mapping) and name in value:
                following.append((f"{path}.{name}" if path else name, numbers, value[name]))
            elif name is None and isinstance(value, list):
                chosen = range(len(value)) if not step[2] else range(int(step[2]), min(int(step[2]) + 1, len(value)))
                following += [(f"{path}[{n}]", (*numbers, n), value[n]) for n in chosen]
        found = following
    yield from found


def scoped(name: str, numbers: tuple[int, ...]) -> tuple[str, tuple[int, ...]]:
    """Return the component that a pattern names, of the items of lists that something else is in.

    Examples
    --------
    >>> scoped("vertices", (3,)), scoped("collections[]", (3,))
    (('vertices', ()), ('collections[]', (3,)))
    """
    return name, numbers[: name.count("[]")]


def resolve(document: Any, path: Any) -> tuple[str, Any]:
    """Return the place that a path, or the end of one, means in a document.

    Raises
    ------
    ObjectError
        If there is none, or several.
    """
    if not isinstance(path, str) or not path.strip("."):
        raise ObjectError(
            "a path names a place in the object, such as 'vertices.attributes'.", details=[f"given: {path!r:.100}"]
        )
    exact = list(matches(document, path))
    if exact and "[]" not in path and _joined(path) == path:
        return exact[0][0], exact[0][2]
    nodes = dict(_nodes(document))
    ends = [found for found in nodes if found == path or found.endswith(f".{path}")]
    # Of nested descriptions the outermost is meant.
    ends = [found for found in ends if not any(found != other and found.startswith(f"{other}.") for other in ends)]
    if len(ends) == 1:
        return ends[0], nodes[ends[0]]
    if ends:
        raise ObjectError(
            f"{path!r} is several places of the object.", details=sorted(ends)[:_MOST_NAMED], hint="name one of them."
        )
    known = sorted(found for found, value in nodes.items() if isinstance(value, Mapping | list))
    raise ObjectError(
        f"the object has nothing at {path!r}.",
        details=known[:_MOST_NAMED],
        hint="name one of these places, or the end of one.",
    )


def _joined(path: str) -> str:
    """Return a path in the form of its joined steps; other text differs from it."""
    found = ""
    for step in _STEP.finditer(path):
        found += f"[{step[2]}]" if step[1] is None else f".{step[1]}" if found else step[1]
    return found


def _nodes(document: Any) -> Iterator[tuple[str, Any]]:
    """Yield all maps and lists in a document by their paths."""
    waiting: list[tuple[str, Any]] = [("", document)]
    while waiting:
        path, value = waiting.pop()
        if path:
            yield path, value
        if isinstance(value, Mapping):
            waiting += [
                (f"{path}.{key}" if path else str(key), item)
                for key, item in value.items()
                if isinstance(item, Mapping | list)
            ]
        elif isinstance(value, list):
            waiting += [
                (f"{path}[{number}]", item) for number, item in enumerate(value) if isinstance(item, Mapping | list)
            ]
