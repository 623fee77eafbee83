"""What akdask notes of the columns in the key-value metadata of a file, which other readers pass over.

Parquet, as Arkouda's servers read it, knows numbers, text and lists.  That numbers are times or addresses, or text the
labels of a Categorical, is noted under one key as JSON: the kind of each column that is more than its numbers or text.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from akdask.deferred import pa
from akdask.schema import UINT8
from akdask.schema.times import PER_SECOND
from akdask.storage.formats.objects import ObjType

KEY = b"akdask"
_VERSION = 1
_MOST_BYTES = 2**24  # of the JSON; akdask writes at most some hundred bytes for a column, and `MOST_LABELS`

MOST_LABELS = 2**16
"""Bytes of the labels of a Categorical that are noted; of more, the labels are those that the rows have."""


@dataclass(frozen=True, slots=True)
class Annotation:
    """What one column is, beyond its stored type.

    Parameters
    ----------
    kind : ObjType
        The kind of the object.
    max_bits : int, default -1
        Of integers of any size: their bits, -1 for no limit.
    labels : tuple of str, optional
        Of a Categorical: its labels, in order; None where they are too many to be noted.
    na : int, optional
        Of a Categorical with `labels`: the position of the label that stands for missing.
    ordered : bool, default False
        Of a Categorical with `labels`: whether their order means something.
    is_bigint : bool, default False
        Whether bytes of fixed length are integers, two's complement with the lowest byte first.
    is_uint8 : bool, default False
        Whether uint64 stands for uint8, which servers do not read.
    unit : str, optional
        Of times: what they count, nanoseconds unless it says otherwise.
    zone : str, optional
        Of times: their zone.
    """

    kind: ObjType
    max_bits: int = -1
    labels: tuple[str, ...] | None = None
    na: int | None = None
    ordered: bool = False
    is_bigint: bool = False
    is_uint8: bool = False
    unit: str | None = None
    zone: str | None = None


def encode(annotations: Mapping[str, Annotation]) -> dict[bytes, bytes]:
    """Return the key-value metadata that tells of columns; nothing where there is nothing to tell."""
    if not annotations:
        return {}
    columns = {name: _encoded(annotation) for name, annotation in annotations.items()}
    return {KEY: json.dumps({"version": _VERSION, "columns": columns}, separators=(",", ":")).encode()}


def _encoded(annotation: Annotation) -> dict[str, Any]:
    found: dict[str, Any] = {"kind": annotation.kind.name}
    if annotation.is_bigint:
        found["max_bits"] = annotation.max_bits
    if annotation.is_uint8:
        found["dtype"] = UINT8.name
    found |= {name: told for name in ("unit", "zone") if (told := getattr(annotation, name)) is not None}
    if annotation.labels is not None:
        found["labels"], found["na"] = list(annotation.labels), annotation.na
    if annotation.ordered:
        found["ordered"] = True
    return found


def decode(metadata: Mapping[bytes, bytes] | None) -> dict[str, Annotation]:
    """Return what the key-value metadata of a file tells of its columns; nothing of what makes no sense.

    Examples
    --------
    >>> decode(encode({"t": Annotation(ObjType.DATETIME)}))["t"].kind.name
    'DATETIME'
    >>> decode({KEY: b"[1, 2"})
    {}
    """
    text = (metadata or {}).get(KEY, b"")
    if not text or len(text) > _MOST_BYTES:
        return {}
    try:
        noted = json.loads(text)
        if noted["version"] != _VERSION:
            return {}
        found = {str(name): _decoded(item) for name, item in noted["columns"].items()}
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return {}
    return {name: item for name, item in found.items() if item is not None}


def _is_zone(zone: Any) -> bool:
    try:
        return isinstance(zone, str) and len(zone) < 100 and pa.timestamp("s", zone) is not None
    except (ValueError, UnicodeEncodeError):
        return False


def _decoded(item: Mapping[str, Any]) -> Annotation | None:
    match item:
        case {"kind": "CATEGORICAL", "labels": list() as labels, "na": int() as na} if 0 <= na < len(labels):
            known = all(isinstance(label, str) for label in labels) and len(set(labels)) == len(labels)
            ordered = item.get("ordered") is True
            return Annotation(ObjType.CATEGORICAL, labels=tuple(labels), na=na, ordered=ordered) if known else None
        case {"kind": str() as kind, "max_bits": int() as max_bits}:
            return Annotation(ObjType[kind], max_bits, is_bigint=True)
        case {"kind": str() as kind, "dtype": UINT8.name}:
            return Annotation(ObjType[kind], is_uint8=True)
        case {"kind": str() as kind}:
            unit, zone = item.get("unit"), item.get("zone")
            return Annotation(
                ObjType[kind], unit=unit if unit in PER_SECOND else None, zone=zone if _is_zone(zone) else None
            )
    return None
