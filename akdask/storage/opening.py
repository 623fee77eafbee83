"""Opening sets: describing their files, with or without tolerance of errors, and a cache of the sets opened last.

A format gives a function that describes its files, usually `manifest_describer`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Generic, TypeAlias, TypeVar

from akdask import config
from akdask.caches import Cache
from akdask.errors import AkdaskError, FileError, InconsistentFilesError, MissingFileError, warn
from akdask.storage.catalog import compare_with_catalogs, without_differing
from akdask.storage.files import FileIdentity, identify, identify_all
from akdask.storage.locales import Filenames, names_of, names_without_files, patterns_of, split_locale
from akdask.storage.manifest import ManifestRows, OfFile, manifest_path
from akdask.storage.objects import StoredSet
from akdask.storage.recovery import settled

_MOST_SETS = 16
_IDENTITY_BYTES = 300  # of a file and its state, about
_MOST_MESSAGES = 10

Item = TypeVar("Item")
Description = TypeVar("Description")
DescribedFile = TypeVar("DescribedFile", bound=OfFile)
Opened = TypeVar("Opened", bound=StoredSet)

Describer: TypeAlias = Callable[
    [Sequence[FileIdentity], Sequence[re.Pattern[str]]], tuple[Callable[[FileIdentity], Description], list[str]]
]
"""Takes the present files and the patterns that found them; returns a description of each file, and the files known to
be missing.
"""


def manifest_describer(
    manifest: type[ManifestRows[DescribedFile]],
    inspect_ahead: Callable[[Sequence[FileIdentity]], object],
    inspect: Callable[[FileIdentity], DescribedFile],
) -> Describer[DescribedFile]:
    """Return a describer that consults manifests first, and inspects the files that differ from them.

    Parameters
    ----------
    manifest : subclass of ManifestRows
        The format's manifests; unused if the setting `manifest` is off.
    inspect_ahead : callable
        Inspects many remote files concurrently, so that `inspect` finds their metadata cached; raises no errors.
    inspect : callable
        Describes one file.
    """

    def describer(
        files: Sequence[FileIdentity], patterns: Sequence[re.Pattern[str]]
    ) -> tuple[Callable[[FileIdentity], DescribedFile], list[str]]:
        if not config.get("manifest"):
            inspect_ahead(files)
            return inspect, []
        told = manifest.told(files, patterns)
        in_place = told.in_place
        if len(in_place) < len(files):
            inspect_ahead([file for file in files if file.path not in in_place])

        def described(file: FileIdentity) -> DescribedFile:
            known = in_place.get(file.path)
            if known is not None:
                return known
            claimed = told.unproven.get(file.path)
            return inspect(file) if claimed is None else manifest.compared(inspect(file), claimed)

        return described, told.lost

    return describer


class SetOpener(Generic[Description, Opened]):
    """Opens sets of one format, and caches the last ones.

    Parameters
    ----------
    format_name : str
        Names the format in the memory report.
    describer : callable
        See `Describer`.
    """

    def __init__(self, format_name: str, describer: Describer[Description]) -> None:
        self._describer = describer
        # Files are values: to hash a thousand of them takes longer than to compare them.
        self._sets: Cache[Hashable, tuple[Sequence[FileIdentity], Opened]] = Cache(
            f"opened {format_name} sets", entries=_MOST_SETS, size=lambda known: _IDENTITY_BYTES * len(known[0])
        )

    def open(
        self,
        filenames: Filenames,
        options: Hashable,
        make: Callable[[Sequence[Description]], Opened],
        *,
        allow_errors: bool = False,
    ) -> Opened:
        """Return the set of some files, the same one as before if they have not changed.

        Parameters
        ----------
        filenames : str, path or sequence of them
            Each a file or a glob pattern.
        options : hashable
            Everything that `make` depends on besides the files.
        make : callable
            Makes a set of descriptions.
        allow_errors : bool, default False
            Leave out files that are missing or cannot be described, with one warning. Such a set is not cached.

        Raises
        ------
        MissingFileError, InconsistentFilesError, FileFormatError
            If files are missing, missing from within a set, or not readable.
        """
        if allow_errors:
            return make(readable(filenames, self._describer))
        patterns = tuple(patterns_of(filenames))

        def opened(paths: Sequence[str]) -> Opened:
            files = identify_all(paths)
            compare_with_catalogs(files)
            return self._opened(files, patterns, options, make)

        return settled(filenames, opened)

    def _opened(
        self,
        files: tuple[FileIdentity, ...],
        patterns: tuple[re.Pattern[str], ...],
        options: Hashable,
        make: Callable[[Sequence[Description]], Opened],
    ) -> Opened:
        # Sets opened without checksums have not verified the metadata of their files.
        key = (files[:1], len(files), options, patterns, config.get("verify_checksums"))
        known = self._sets.get(key)
        if known is not None and known[0] == files:
            return known[1]
        describe, lost = self._describer(files, patterns)
        if lost:
            raise lost_error(lost)
        return self._sets.put(key, (files, make(list(map(describe, files)))))[1]


def lost_error(lost: Sequence[str]) -> InconsistentFilesError:
    """Return the error for files that a manifest names and that are not there."""
    parts = split_locale(lost[0])
    manifest = manifest_path(lost[0] if parts is None else parts[0])
    return InconsistentFilesError(
        "files are missing from a set, which its manifest names.",
        details=[f"missing: {path}" for path in lost],
        hint="restore them; or read what is there with allow_errors=True, by naming the files in a list, or by "
        f"removing {manifest!r}.",
    )


def readable(filenames: Filenames, describer: Describer[Description]) -> list[Description]:
    """Describe the files that can be described, and name the others in one warning.

    Raises
    ------
    MissingFileError, FileError
        If there are none.
    """
    described = partial(_readable, describer=describer, patterns=patterns_of(filenames))
    try:
        return settled(filenames, described)
    except MissingFileError:
        missing = names_without_files(filenames)
        there = [name for name in names_of(filenames) if name not in missing]
        if not there:
            raise
        return settled(there, partial(described, missing=missing))


def _readable(
    paths: Sequence[str],
    *,
    describer: Describer[Description],
    patterns: Sequence[re.Pattern[str]],
    missing: Sequence[str] = (),
) -> list[Description]:
    problems = [f"{name!r}: no such file" for name in missing]
    files, differing = without_differing(list(_without_errors(identify, paths, problems)))
    problems += differing
    describe, lost = describer(files, patterns)
    problems += [f"{path!r}: missing from its set" for path in lost]
    found = list(_without_errors(describe, files, problems))
    if not found:
        raise FileError("none of the files can be read.", details=problems)
    if problems:
        warn_of_skipped(problems, len(problems))
    return found


def _without_errors(function: Callable[[Any], Item], items: Iterable[Any], problems: list[str]) -> Iterator[Item]:
    """Yield a function's results for items, and collect the errors that it raises."""
    for item in items:
        try:
            yield function(item)
        except AkdaskError as error:
            problems.append(" ".join([error.message, *error.details]))


def warn_of_skipped(told: Sequence[str], count: int) -> None:
    """Name the omitted files and the reasons in one warning."""
    shown = "\n".join(told[:_MOST_MESSAGES])
    warn(f"{count} file{'s are' if count > 1 else ' is'} left out:\n{shown}", RuntimeWarning)


def shown(filenames: Filenames) -> str:
    """Return how plans and messages name some files."""
    if isinstance(filenames, (str, os.PathLike)):
        return repr(os.fspath(filenames))
    names = names_of(filenames)
    return repr(names[0]) if len(names) == 1 else f"[{', '.join(map(repr, names[:1]))}, … {len(names)} files]"
