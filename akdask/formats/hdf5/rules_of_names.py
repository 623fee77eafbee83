"""Rules on the names of files and objects, and on which files a set has."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice

from akdask.formats.hdf5 import layout
from akdask.formats.hdf5.metadata import Group
from akdask.formats.hdf5.validation import Finding, SetContext, Severity, rule
from akdask.storage.files import exists
from akdask.storage.locales import missing_locales, split_locale
from akdask.storage.objects import ObjType

_LONGEST_NAME = 255
_MOST_MISSING = 1000  # a file of a very high number may be alone
_MOST_LEVELS = 10


@rule("files.numbering", Severity.ERROR)
def numbering(context: SetContext) -> Iterator[Finding]:
    """The files of a set are numbered from 0 without a gap."""
    missing = (path for path in missing_locales(file.path for file in context.files) if not exists(path))
    for path in islice(missing, _MOST_MISSING):
        yield path, "", "is missing, a higher locale is there: its rows are lost"


@rule("files.padding", Severity.NOTE)
def padding(context: SetContext) -> Iterator[Finding]:
    """Locales are numbered with at least four digits, as releases since November 2020 do."""
    for file in context.files:
        found = split_locale(file.path)
        if found and len(found[1]) < 4:
            yield file.path, "", f"_LOCALE{found[1]} should be _LOCALE{found[1]:0>4}"


@rule("files.pattern", Severity.WARNING)
def pattern(context: SetContext) -> Iterator[Finding]:
    """File names have none of the characters * ? [ that servers take for patterns."""
    for file in context.files:
        name = os.path.basename(file.path)
        if any(character in name for character in "*?["):
            yield file.path, "", "a server expands the name as a pattern when it is given alone"


@rule("files.format", Severity.WARNING)
def file_format(context: SetContext) -> Iterator[Finding]:
    """File_Format is 1 in files with a locale number, 0 in single files; an update cuts rows by it."""
    for file in context.readable:
        stored = file.root.attributes.get("File_Format")
        expected = layout.SINGLE if split_locale(file.path) is None else layout.DISTRIBUTED
        if stored is not None and stored.value != expected:
            yield file.path, "", f"File_Format is {stored.value}, by the name of the file it should be {expected}"


@rule("files.releases", Severity.WARNING)
def releases(context: SetContext) -> Iterator[Finding]:
    """An object is of one release in all files; otherwise some may be left over from a wider set."""
    for name, placed in context.objects.items():
        known = None
        for file, node in placed:
            attribute = getattr(node, "attributes", {}).get("arkouda_version")
            found = None if attribute is None else attribute.value
            known = found if known is None else known
            if found is not None and found != known:
                yield file.path, name, f"is of {found}, in the files before of {known}"


@rule("names.comma", Severity.WARNING)
def comma(context: SetContext) -> Iterator[Finding]:
    """Names of objects and columns have no comma; servers list names with commas between them."""
    for file, path, name in _names(context):
        if "," in name:
            yield file, path, "a server lists this as two names"


@rule("names.length", Severity.WARNING)
def length(context: SetContext) -> Iterator[Finding]:
    """Names of objects and columns take at most 255 bytes, the room that servers have for one."""
    for file, path, name in _names(context):
        size = len(name.encode(errors="surrogateescape"))
        if size > _LONGEST_NAME:
            yield file, path, f"takes {size} bytes"


@rule("names.utf8", Severity.WARNING)
def utf8(context: SetContext) -> Iterator[Finding]:
    """Names of objects and columns are UTF-8."""
    for file, path, name in _names(context):
        if any("\udc80" <= character <= "\udcff" for character in name):
            yield file, path.encode(errors="backslashreplace").decode(), "has bytes that are not"


@rule("names.levels", Severity.WARNING)
def levels(context: SetContext) -> Iterator[Finding]:
    """There are at most ten keys or levels; clients order more of them as text, KEY_10 before KEY_2."""
    for kinds, stem in (((ObjType.GROUPBY,), "KEY_"), ((ObjType.INDEX, ObjType.MULTIINDEX), "IDX_")):
        for path, placed in context.groups(*kinds):
            count = max(len(group.numbered(stem)) for _, group in placed)
            if count > _MOST_LEVELS:
                yield placed[0][0].path, path, f"has {count}"


def _names(context: SetContext) -> Iterator[tuple[str, str, str]]:
    """Yield file, path and name of all objects and of the columns of DataFrames."""
    for file in context.readable:
        for name, node in file.objects.items():
            yield file.path, node.path, name
            if isinstance(node, Group) and node.kind == ObjType.DATAFRAME:
                yield from ((file.path, member.path, column) for column, member in node.members.items())
