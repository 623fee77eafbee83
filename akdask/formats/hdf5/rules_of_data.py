"""Rules on data itself, checked last: they read the data that no earlier rule has read."""

from __future__ import annotations

from collections.abc import Iterator

from akdask.errors import FileError
from akdask.formats.hdf5.manifest import verify
from akdask.formats.hdf5.validation import Finding, SetContext, Severity, rule


@rule("data.readable", Severity.ERROR)
def readable(context: SetContext) -> Iterator[Finding]:
    """All data can be read: it is not cut short, and its filters can undo what they did."""
    for file, node in context.datasets():
        if node.storage != "contiguous" and node.shape:
            context.read_through(file, node)
    for (path, name), text in context.damage.items():
        yield path, name, text


@rule("data.checksums", Severity.ERROR)
def checksums(context: SetContext) -> Iterator[Finding]:
    """All data is what was written, where a manifest beside the set has checksums of it."""
    if not context.read_data or not context.readable:
        return
    try:
        damages = verify([file.path for file in context.readable]).damages
    except FileError as error:
        yield context.readable[0].path, "", " ".join([error.message, *error.details])
        return
    for damage in damages:
        yield damage.path, damage.dataset or "", damage.text
