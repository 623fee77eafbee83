"""Objects of a set as commands show and copy them: through what `akdask.read` gives, whatever kinds that knows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import akdask as ak
from akdask.cli.sets import NamedSet
from akdask.errors import AkdaskError, MissingDatasetError, UnsupportedError
from akdask.io import _storables
from akdask.storage.formats.objects import ObjType
from akdask.storage.formats.registry import open_files


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


def stored_objects(files: NamedSet, names: Sequence[str] | None = None) -> list[Stored]:
    """Open objects of a set, all unless named; those that cannot be read have a problem.

    Raises
    ------
    FileError
        If the files cannot be read, or a name is in none of them.
    """
    paths = list(files.files)
    kinds = open_files(paths).kinds
    present = list(kinds)
    wanted = present if names is None else list(dict.fromkeys(names))
    if missing := [name for name in wanted if name not in present]:
        raise MissingDatasetError(
            f"{files.name} has no object {', '.join(map(repr, missing))}.", details=[f"objects: {', '.join(present)}"]
        )
    try:
        opened = ak.read(paths, wanted)
    except AkdaskError:
        return [_opened_alone(paths, name, kinds[name]) for name in wanted]
    return [Stored(name, kinds[name], opened[name]) for name in wanted]


def readable_objects(files: NamedSet) -> dict[str, Any]:
    """Open all objects of a set, to write them elsewhere.

    Raises
    ------
    UnsupportedError
        If one of them cannot be read, or would be written as something else; all such are told.
    """
    files.demand_complete()
    found = stored_objects(files)
    problems = [f"{item.name}: {item.problem.message}" for item in found if item.problem is not None]
    problems = problems or list(_changed(found))
    if problems:
        raise UnsupportedError(
            f"{files.name} cannot be written anew as it is.",
            details=problems,
            hint="nothing was written, for an object would be lost or changed.",
        )
    return {item.name: item.found for item in found}


def _opened_alone(paths: list[str], name: str, kind: ObjType) -> Stored:
    try:
        return Stored(name, kind, ak.read(paths, [name])[name])
    except AkdaskError as error:
        return Stored(name, kind, problem=error)


def _changed(found: Sequence[Stored]) -> Iterator[str]:
    """Tell of objects whose kind is not kept: an IPv4 that is read as integers would be written as such."""
    written = _storables({item.name: item.found for item in found}, None)
    for item in found:
        kind = written[item.name].kind
        if kind != item.kind:
            yield f"{item.name}: is {item.kind.label}, and would be written as {kind.label}"
