"""The registry of formats, which recognizes the format of a file, and opens and writes sets of it.

Everything above this package reads and writes through the registry, so a new format is a new entry.  The built-in
formats stand in `_BUILT_IN`; other packages register theirs as entry points of the group `akdask.formats`.

A format opens its sets by a `SetOpener`, which describes their files, with or without tolerance of errors, and caches
the sets opened last.  It gives a function that describes its files, usually `manifest_describer`.
"""

from __future__ import annotations

import os
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from importlib import import_module
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar

from akdask import config
from akdask.caches import Cache, cached_results
from akdask.deferred import without_collection
from akdask.errors import (
    AkdaskError,
    ArgumentError,
    ArgumentTypeError,
    FileError,
    FileFormatError,
    InconsistentFilesError,
    MissingFileError,
    UnsupportedError,
    warn,
)
from akdask.storage import tuning
from akdask.storage.catalog import compare_with_catalogs, without_differing
from akdask.storage.files import (
    FileIdentity,
    absolute,
    exists,
    file_system,
    identify,
    identify_all,
    is_remote,
    open_regular,
    retrying,
)
from akdask.storage.locales import Filenames, names_of, names_without_files, patterns_of, split_extension, split_locale
from akdask.storage.manifest import ManifestRows, OfFile, manifest_path
from akdask.storage.objects import FileLayout, Mode, ObjectSpec, StoredSet, Writer
from akdask.storage.recovery import recover_folder, settled

ENTRY_POINTS = "akdask.formats"
"""Group of the entry points that name formats of other packages; each leads to an instance of `Format`."""

_BUILT_IN = (
    "akdask.formats.hdf5.format",
    "akdask.formats.parquet.format",
    "akdask.formats.csv.format",
    "akdask.formats.zarr.format",
)
"""Modules that register akdask's own formats.  They import slow libraries only when a file is opened."""

_DEFAULT = "HDF5"
_FIRST_BYTES = 64
_ARROW = b"ARROW1\0\0"


class Format:
    """A file format; it only recognizes files, unless a subclass opens and writes sets.

    Attributes
    ----------
    name : str
        Name of the format, in Arkouda's spelling; users may give it in any case.
    signatures : tuple of bytes
        First bytes of its files.
    folder_signatures : tuple of str
        Names of files, one of which marks a folder as a set of the format; empty unless its sets are folders.
    extensions : tuple of str
        Extensions of new files that select the format by default; never used for existing files.
    read_options : frozenset of str
        Options of `akdask.read` that `open` accepts: ``strict_types``, ``allow_errors``, ``calc_string_offsets``,
        ``column_delim``, ``read_nested``, ``has_non_float_nulls``, ``fixed_len``, ``null_indices``.
    write_options : frozenset of str
        Further options of `writer`, such as ``compression``.
    is_tabular : bool
        Whether all objects of a set have the same rows in each file.
    joins_partitions : bool
        Whether its writers take `per_file`, and are `akdask.storage.objects.JoiningWriter`.
    chooses_partitions : bool
        Whether its writers are `akdask.storage.objects.CuttingWriter`.
    has_missing_rows : bool
        Whether files hold missing text, integers and bools; other formats are never given any.
    missing_as_nan : bool
        Whether files of others take integers and bools with missing rows as floats; otherwise these are an error.
    has_time_units : bool
        Whether files record unit and zone of times; writers of other formats are given nanoseconds of UTC.
    """

    name: ClassVar[str]
    signatures: ClassVar[tuple[bytes, ...]] = ()
    folder_signatures: ClassVar[tuple[str, ...]] = ()
    extensions: ClassVar[tuple[str, ...]] = ()
    read_options: ClassVar[frozenset[str]] = frozenset()
    write_options: ClassVar[frozenset[str]] = frozenset()
    is_tabular: ClassVar[bool] = False
    joins_partitions: ClassVar[bool] = False
    chooses_partitions: ClassVar[bool] = False
    has_missing_rows: ClassVar[bool] = False
    missing_as_nan: ClassVar[bool] = False
    has_time_units: ClassVar[bool] = False

    def recognizes(self, first: bytes) -> bool:
        """Whether a file with these first bytes, 64 of a longer one, is of the format."""
        return first.startswith(self.signatures)

    def recognizes_packed(self, path: str) -> bool:
        """Whether a compressed file is of this format, by its unpacked first bytes."""
        return False

    @property
    def is_supported(self) -> bool:
        """Whether sets of the format can be opened."""
        return type(self).open is not Format.open

    def open(self, filenames: Filenames, **options: Any) -> StoredSet:
        """Open files as one set, by their metadata.

        Parameters
        ----------
        filenames : str, path or sequence of them
            Each a file or a glob pattern.
        **options
            Options of `read_options`.

        Raises
        ------
        UnsupportedError
            If the format is only recognized.
        """
        (first, *_) = names_of(filenames)
        raise UnsupportedError(f"{first!r} is a {self.name} file, which cannot be read yet.")

    def damages(self, files: Sequence[str]) -> Iterable[tuple[str, str]]:
        """Read all bytes of a set written by akdask, and yield the damage found.

        Parameters
        ----------
        files : sequence of str
            Its files.

        Yields
        ------
        (str, str)
            Path and damage of each file, including missing files.

        Raises
        ------
        UnsupportedError
            If no manifests describe files of the format.
        """
        raise UnsupportedError(f"files of format {self.name!r} have no manifests.", details=list(files[:1]))

    def writer(
        self,
        path: str | os.PathLike[str],
        specs: Sequence[ObjectSpec],
        *,
        npartitions: int,
        mode: Mode = "truncate",
        file_type: FileLayout = "distribute",
        overwrite: bool = False,
        **options: Any,
    ) -> Writer:
        """Return a writer of objects, which has not begun.

        Parameters
        ----------
        path : str or path
            Prefix and extension of the set, or the exact path of a single file.
        specs : sequence of ObjectSpec
            The objects, in the order of the user's columns.
        npartitions : int
            Number of files, unless single or several go into a file: ``per_file`` among the options.
        mode : {"truncate", "append"}, default "truncate"
            Replace the set, or add objects to its files.
        file_type : {"distribute", "single"}, default "distribute"
            One file for each partition, or one in all.
        overwrite : bool, default False
            In append mode: replace existing objects.
        **options
            Options of `write_options`.

        Raises
        ------
        UnsupportedError
            If the format cannot be written.
        """
        raise UnsupportedError(f"files of format {self.name!r} cannot be written yet.", hint=f"use {_DEFAULT!r}.")


_FORMATS: dict[str, Format] = {}
"""By name in upper case."""


def register(file_format: Format) -> None:
    """Add a format, in place of one of that name if there is any."""
    _FORMATS[file_format.name.upper()] = file_format


def _add(file_format: Format) -> None:
    """Register a format unless the user has registered one of its name."""
    known = _FORMATS.get(file_format.name.upper())
    if known is None or not known.is_supported:
        register(file_format)


def unregister(name: str) -> None:
    """Remove a format."""
    del _FORMATS[name.upper()]


@cache
def _load_built_in() -> None:
    for module in _BUILT_IN:
        _add(import_module(module).FORMAT)


@cache
def _load_entry_points() -> None:
    """Register the formats of other packages; this is slow, so only where no built-in format fits."""
    from importlib import metadata  # takes as long to load as reading a small file

    for point in metadata.entry_points(group=ENTRY_POINTS):
        try:
            _add(point.load())
        except Exception as error:  # files of other formats can be read whatever another package raises
            warn(f"the format {point.name!r} of {point.value!r} cannot be loaded: {error}", RuntimeWarning)


def formats() -> dict[str, Format]:
    """Return all formats by name, including those of other packages."""
    _load_built_in()
    _load_entry_points()
    return {known.name: known for known in _FORMATS.values()}


def format_named(name: Any) -> Format:
    """Return the format of a name, in any case.

    Raises
    ------
    ArgumentTypeError, ArgumentError
        If the name is no text, or that of no format.
    """
    if not isinstance(name, str):
        raise ArgumentTypeError(f"a format is named by a str, not by {type(name).__name__}.")
    _load_built_in()
    found = _FORMATS.get(name.upper())
    if found is None or not found.is_supported:
        _load_entry_points()
        found = _FORMATS.get(name.upper())
    if found is None:
        raise ArgumentError(f"there is no format {name!r}.", hint=f"use one of {', '.join(map(repr, formats()))}.")
    return found


def format_written(path: str) -> Format:
    """Return the format that new files of a path have unless it is named: by its extension, else HDF5."""
    extension = split_extension(path)[1].lower()
    return next((known for known in formats().values() if extension in known.extensions), format_named(_DEFAULT))


def format_of(path: str) -> Format:
    """Return the format of a file, by its first bytes and never by its extension.

    Raises
    ------
    MissingFileError
        If there is no such file.
    FileFormatError
        If the first bytes match no format, or the file cannot be read.
    """
    return _format_in(path) if is_remote(path) else _format_among((*_FORMATS.values(),), identify(path))


@cached_results("formats of files", tuning.KNOWN_SETS)
def _format_among(_registered: tuple[Format, ...], file: FileIdentity) -> Format:
    return _format_in(file.path)


def _format_in(path: str) -> Format:
    first = first_bytes(path)
    _load_built_in()
    found = _recognized_by(first)
    if found is None or not found.is_supported:
        _load_entry_points()
        found = _recognized_by(first)
    if found is None:
        found = next((known for known in _FORMATS.values() if known.recognizes_packed(path)), None)
    if found is None:
        is_arrow = first.startswith(_ARROW)
        raise FileFormatError(
            f"{path!r} is none of {', '.join(formats())}.",
            details=["an Arrow IPC file" if is_arrow else f"first bytes {first[:8]!r}"],
            hint="a CSV file without Arkouda's header can be read with read_csv.",
        )
    return found


def _recognized_by(first: bytes) -> Format | None:
    fitting = [known for known in _FORMATS.values() if known.recognizes(first)]
    return next((known for known in fitting if known.is_supported), fitting[0] if fitting else None)


def format_of_files(filenames: Filenames, *, allow_errors: bool = False) -> Format:
    """Return the format of the first of some files; with `allow_errors` of the first that has any.

    Raises
    ------
    MissingFileError, FileFormatError
        If no file exists, or none has a known format.
    """
    found = _folder_of(filenames)
    if found is not None:
        return found
    if not allow_errors:
        return settled(filenames, lambda paths: format_of(paths[0]))
    for name in names_of(filenames):
        try:
            return settled(name, _first_format)
        except FileError:
            continue
    # Opening it reports the errors of each file.
    return format_named(_DEFAULT)


def _folder_of(filenames: Filenames) -> Format | None:
    """Return the format whose sets are folders, if the first name is one of these."""
    first = names_of(filenames)[:1]
    return format_of_folder(absolute(first[0])) if first else None


def format_of_folder(path: str) -> Format | None:
    """Return the format that a folder is a set of, None if it is no folder, or one of files that are read as others.

    Remote folders are listed only where their names have the extension of such a format, since each listing is a
    request.
    """
    _load_built_in()
    extension = split_extension(path.rstrip("/"))[1].lower()
    candidates = [known for known in _FORMATS.values() if known.folder_signatures]
    if is_remote(path):
        candidates = [known for known in candidates if extension in known.extensions]
    elif not os.path.isdir(path):
        recover_folder(path.rstrip("/"))  # it is away for a moment while it is replaced
        if not os.path.isdir(path):
            return None
    return next(
        (
            known
            for known in candidates
            if any(exists(f"{path.rstrip('/')}/{name}") for name in known.folder_signatures)
        ),
        None,
    )


def _first_format(paths: Sequence[str]) -> Format:
    for path in paths[:-1]:
        try:
            return format_of(path)
        except FileError:
            continue
    return format_of(paths[-1])


def open_files(filenames: Filenames, file_format: Format | None = None, **options: Any) -> StoredSet:
    """Open files as one set, by their metadata.

    Parameters
    ----------
    filenames : str, path or sequence of them
        Each a file or a glob pattern.
    file_format : Format, optional
        Format of the files, unless the first bytes decide.
    **options
        Options of `akdask.read`; the format ignores those that it does not have.

    Raises
    ------
    MissingFileError, FileFormatError
        If files are missing, or not of the format.
    UnsupportedError
        If sets of the format cannot be opened.
    """
    return open_as_stored(filenames, **options)[1] if file_format is None else _opened(filenames, file_format, options)


def open_as_stored(filenames: Filenames, **options: Any) -> tuple[Format, StoredSet]:
    """Open files as one set, and return their format as well; see `open_files`."""
    if options.get("allow_errors") or _folder_of(filenames) is not None:
        found = format_of_files(filenames, allow_errors=bool(options.get("allow_errors")))
        return found, _opened(filenames, found, options)

    def opened(paths: Sequence[str]) -> tuple[Format, StoredSet]:
        found = format_of(paths[0])
        return found, _opened(filenames, found, options)

    return settled(filenames, opened)


def _opened(filenames: Filenames, file_format: Format, options: Mapping[str, Any]) -> StoredSet:
    taken = {name: value for name, value in options.items() if name in file_format.read_options}
    return file_format.open(filenames, **taken)


def first_bytes(path: str, count: int = _FIRST_BYTES) -> bytes:
    """Return the first bytes of a file.

    Raises
    ------
    MissingFileError, FileFormatError
        If there is no such file, or it cannot be read.
    """
    try:
        if is_remote(path):
            system, inner = file_system(path)
            # Files from web servers that send only whole files are opened to read their first bytes.
            with retrying(lambda: system.open(inner, "rb")) as file:
                return bytes(retrying(lambda: file.read(count)))
        identify(path)  # a folder or a device gets its own message
        with os.fdopen(open_regular(path, follows=True), "rb") as file:
            return file.read(count)
    except FileNotFoundError:
        raise MissingFileError(f"no file {path!r}.") from None
    except OSError as error:
        raise FileFormatError(f"cannot read {path!r}: {error.strerror or error}.") from error


class FileFormat(Format, ABC):
    """A format defined by the functions that open and write its sets; each imports its result."""

    @abstractmethod
    def opener(self) -> Callable[..., StoredSet]:
        """Return the function that opens a set, given file names and `read_options`."""

    @abstractmethod
    def writer_class(self) -> Callable[..., Writer]:
        """Return the factory of a writer, which takes the arguments of `Format.writer`."""

    def open(self, filenames: Filenames, **options: Any) -> StoredSet:
        """Open files as one set; see `Format.open`."""
        return without_collection(self.opener)()(filenames, **options)

    def writer(
        self,
        path: str | os.PathLike[str],
        specs: Sequence[ObjectSpec],
        *,
        npartitions: int,
        mode: Mode = "truncate",
        file_type: FileLayout = "distribute",
        overwrite: bool = False,
        **options: Any,
    ) -> Writer:
        """Return a writer of objects, before its `begin`; see `Format.writer`."""
        how = {"npartitions": npartitions, "mode": mode, "file_type": file_type, "overwrite": overwrite}
        return self.writer_class()(path, specs, **how, **options)


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
            f"opened {format_name} sets",
            entries=tuning.KNOWN_SETS,
            size=lambda known: tuning.FILE_BYTES * len(known[0]),
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
        hint="restore them; or read what exists with allow_errors=True, by naming the files in a list, or by "
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
