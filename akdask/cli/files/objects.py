"""Objects of a set as commands show and copy them: through the registry of formats."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from akdask.cli.files.sets import NamedSet
from akdask.collections.core.stored import from_stored
from akdask.errors import AkdaskError, MissingDatasetError, UnsupportedError
from akdask.io.objects import storables
from akdask.storage.formats.objects import ObjType, StoredSet
from akdask.storage.formats.registry import Format, open_files


@dataclass(frozen=True, slots=True)
class Stored:
    """One object: its name and kind in the files, and the lazy object, or why there is none."""

    name: str
    kind: ObjType
    found: Any = None
    problem: AkdaskError | None = None

    @property
    def nrows(self) -> int | None:
        """Number of rows, None for what has none or cannot be read."""
        return len(self.found) if hasattr(self.found, "__len__") else None


def stored_objects(
    files: NamedSet, names: Sequence[str] | None = None, file_format: Format | None = None, **options: Any
) -> list[Stored]:
    """Open objects of a set, all unless named; those that cannot be read have a problem.

    The format is told from the first bytes unless given; `options` are those of `akdask.read`.

    Raises
    ------
    FileError
        If the files cannot be read, or a name is in none of them.
    """
    paths = list(files.files)
    opened = open_files(paths, file_format, **options)
    kinds = opened.kinds
    present = list(kinds)
    wanted = present if names is None else list(dict.fromkeys(names))
    if missing := [name for name in wanted if name not in present]:
        raise MissingDatasetError(
            f"{files.name} has no object {', '.join(map(repr, missing))}.", details=[f"objects: {', '.join(present)}"]
        )
    try:
        found = opened.objects(wanted)
        return [Stored(name, kinds[name], from_stored(found[name])) for name in wanted]
    except AkdaskError:
        return [_opened_alone(opened, name) for name in wanted]


def readable_objects(files: NamedSet, file_format: Format | None = None, **options: Any) -> dict[str, Any]:
    """Open all objects of a set, to write them elsewhere; format and options are those of `stored_objects`.

    Raises
    ------
    UnsupportedError
        If one of them cannot be read, or would be written as something else; all such are told.
    """
    files.demand_complete()
    found = stored_objects(files, None, file_format, **options)
    problems = [f"{item.name}: {item.problem.message}" for item in found if item.problem is not None]
    problems = problems or list(_changed(found))
    if problems:
        raise UnsupportedError(
            f"{files.name} cannot be written anew as it is.",
            details=problems,
            hint="nothing was written, for an object would be lost or changed.",
        )
    return {item.name: item.found for item in found}


def _opened_alone(opened: StoredSet, name: str) -> Stored:
    try:
        return Stored(name, opened.kinds[name], from_stored(opened.objects([name])[name]))
    except AkdaskError as error:
        return Stored(name, opened.kinds[name], problem=error)


def _changed(found: Sequence[Stored]) -> Iterator[str]:
    """Tell of objects whose kind is not kept: an IPv4 that is read as integers would be written as such."""
    written = storables({item.name: item.found for item in found}, None)
    for item in found:
        kind = written[item.name].kind
        if kind != item.kind:
            yield f"{item.name}: is {item.kind.label}, and would be written as {kind.label}"
