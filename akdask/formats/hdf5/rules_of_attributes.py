"""Rules on attributes: servers read them into buffers of one number, and trust their types."""

from __future__ import annotations

from collections.abc import Iterator

from akdask.formats.hdf5.metadata import Attribute, Dataset, FileMetadata, Foreign, Group, Node
from akdask.formats.hdf5.validation import Finding, SetContext, Severity, rule
from akdask.storage.objects import ObjType

_INTEGERS = (
    "File_Format",
    "ObjType",
    "isBool",
    "isBigInt",
    "MaxBits",
    "NumLimbs",
    "NumKeys",
    "NumCols",
    "NumIdx",
    "Rank",
)
_EVERYWHERE = ("ObjType", "file_version", "arkouda_version")
_NEVER_WRITTEN = {ObjType.UNKNOWN, ObjType.BITVECTOR, ObjType.SERIES}
_INFERRED = {ObjType.PDARRAY, ObjType.STRINGS, ObjType.ARRAYVIEW}


@rule("attribute.scalar", Severity.ERROR)
def scalar(context: SetContext) -> Iterator[Finding]:
    """Attributes that servers read as one number are one: more overrun their buffers."""
    for file, path, name, attribute in _integers(context):
        if attribute.shape not in {(), (1,)}:
            yield file.path, path, f"{name} has shape {attribute.shape}"


@rule("attribute.integer", Severity.ERROR)
def integer(context: SetContext) -> Iterator[Finding]:
    """Attributes that servers read as integers are integers; of old, ObjType may be the text ArrayView."""
    for file, path, name, attribute in _integers(context):
        if attribute.type.family != "integer" and attribute.value != ObjType.ARRAYVIEW.label:
            yield file.path, path, f"{name} is {attribute.type}"


@rule("attribute.type", Severity.NOTE)
def exact_type(context: SetContext) -> Iterator[Finding]:
    """Attributes have the types that servers write: int64, float32, text of fixed length, all scalars."""
    expected = dict.fromkeys(_INTEGERS, "int64") | {"file_version": "float32", "arkouda_version": "text"}
    for file, path, name, attribute in _attributes(context):
        differs = name in expected and (str(attribute.type) != expected[name] or attribute.shape == (1,))
        if differs and not (name in _INTEGERS and attribute.type.family != "integer"):
            yield file.path, path, f"{name} is {attribute.type} of shape {attribute.shape}, not {expected[name]}"


@rule("attribute.complete", Severity.NOTE)
def complete(context: SetContext) -> Iterator[Finding]:
    """Objects and their members have ObjType, file_version and arkouda_version; releases leave some out."""
    for placed in context.by_path.values():
        for file, node in placed:
            if file.era == "v2" and not isinstance(node, Foreign) and node.kind is not None:
                missing = [name for name in _EVERYWHERE if name not in node.attributes]
                if missing:
                    yield file.path, node.path, f"has no {', '.join(missing)}"


@rule("object.kind", Severity.ERROR)
def kind(context: SetContext) -> Iterator[Finding]:
    """ObjType is a number that the schema has, of a kind that servers store."""
    for placed in context.by_path.values():
        for file, node in placed:
            number = _objtype(node)
            if number is not None and (number not in set(ObjType) or ObjType(number) in _NEVER_WRITTEN):
                yield file.path, node.path, f"has ObjType {number}"


@rule("object.inferred", Severity.ERROR)
def inferred(context: SetContext) -> Iterator[Finding]:
    """An object without ObjType is plain numbers or Strings; servers take others for one of these."""
    for placed in context.objects.values():
        for file, node in placed:
            if not isinstance(node, Group) or node.kind is None or "ObjType" in node.attributes:
                continue
            if node.kind not in _INFERRED:
                yield file.path, node.path, f"is {node.kind.label} by its members, and has no ObjType"


def _objtype(node: Node) -> int | None:
    attribute = None if isinstance(node, Foreign) else node.attributes.get("ObjType")
    return attribute.value if attribute is not None and isinstance(attribute.value, int) else None


def _integers(context: SetContext) -> Iterator[tuple[FileMetadata, str, str, Attribute]]:
    return (found for found in _attributes(context) if found[2] in _INTEGERS)


def _attributes(context: SetContext) -> Iterator[tuple[FileMetadata, str, str, Attribute]]:
    for file in context.readable:
        yield from ((file, "", name, found) for name, found in file.root.attributes.items())
    for path, placed in context.by_path.items():
        for file, node in placed:
            if isinstance(node, (Group, Dataset)):
                yield from ((file, path, name, found) for name, found in node.attributes.items())
